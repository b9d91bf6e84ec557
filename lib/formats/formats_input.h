/* SPDX-License-Identifier: MIT */
/* formats_input.h: defines the state of a trajectory reader. Private to lib/formats. */
#pragma once

#include "formats/format.h"
#include "formats/format_clock.h"
#include "formats/format_parts.h"
#include "formats/jumps.h"

struct slot {
    struct format_frame f;
    struct box box;
    void *pos, *vel, *scal; /* or memory of the caller */
    bool wanted, queued;
};

/* Limits of the number of frames that are read before the time between frames is known. */
enum { SLOTS = STAMPS_MAX + 4, SLOTS_MIN = 8 };
#define PREFETCH_BYTES ((size_t)64 << 20)

struct formats {
    struct formats_opts opts;
    struct formats *partner; /* reader of velocities of CP2K, or NULL */
    char **own;              /* owns the paths, or NULL */
    char *const *paths;
    int npaths, file; /* file: the open file */
    struct bytes b;
    const struct format *format, *run; /* run: `format` or format_process */
    void *self;                        /* NULL: no file is open */
    struct format_info info, first;    /* first: copy of the first file's info */
    uint64_t frames_in_file;

    size_t natoms, frame_bytes;
    struct slot slot[SLOTS];
    int nslots, slots_max;
    struct slot *queue[SLOTS]; /* last returned frame, then the next frames */
    int queued, out;           /* out: 1 if queue[0] was returned */
    struct slot *raw;          /* frame that was read last, or NULL */
    void *pos, *vel;           /* memory from formats_room */
    bool ended, limited, file_ended, inflated;
    int seen_file;              /* file of the last frame that the clock checked */
    uint64_t copies;            /* dropped copies of frames within files */
    struct format_parts *parts; /* for --drop-overlap, or NULL */
    bool scans;                 /* This reader only searches for overlapping parts. */
    bool placed;                /* Errors refer to the frame `number` even if no file is open. */
    uint64_t number, index;     /* frames read; frames returned */
    uint64_t bytes, input_done, input_total;

    struct format_clock clock;
    struct jumps jumps;
    uint64_t hash; /* hash of the last frame */

    struct err err;
    char warning[ERR_BYTES], slip[3][ERR_BYTES / 2]; /* pending warnings */
    char warned[2 * ERR_BYTES];
};

const char *formats_name(const struct formats *x);
/* Stores e as the error of x, preceded by the file and the frame, and returns -1. */
int formats_fail(struct formats *x, const struct err *e);
/* Calls formats_fail, and adds the line that contains the cell and time of frame s. */
int formats_fail_at(struct formats *x, const struct slot *s, const struct err *e);
/* Stores a warning for formats_warning. */
void formats_warn(struct formats *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reads the next frame into a slot, even if the frame is not selected. Returns 1 for a frame, 0 at
 * the end, or -1 on failure. */
int formats_read_raw(struct formats *x, struct slot **to);

/* Reads frames into the queue until a frame can be returned (formats_queue.c). Returns 0 or -1. */
int formats_fill(struct formats *x);
