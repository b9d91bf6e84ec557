/* SPDX-License-Identifier: MIT */
/* formats_input.h: defines the state of a trajectory reader for formats.c, formats_queue.c and
 * formats_input.c. Private to lib/formats. */
#pragma once

#include "formats/format.h"
#include "formats/format_clock.h"
#include "formats/format_parts.h"
#include "formats/jumps.h"

struct slot {
    struct format_frame f;
    struct box box;
    void *pos, *vel, *scal; /* Memory for the frame `f`, unless the caller offers memory. */
    bool wanted, queued;
};

/* Limits of the number of frames that are read before the time between frames is known. */
enum { SLOTS = STAMPS_MAX + 4, SLOTS_MIN = 8 };
#define PREFETCH_BYTES ((size_t)64 << 20)

struct formats {
    struct formats_opts opts;
    struct formats *partner; /* Reader of a file with velocities of CP2K, or NULL. */
    char **own;              /* memory that holds the paths, or NULL */
    char *const *paths;
    int npaths, file; /* index of the open file */
    struct bytes b;
    const struct format *format, *run; /* The format of the file, and the format whose functions
                                        * read it, which may be format_process. */
    void *self;                        /* NULL: no file is open */
    struct format_info info, first;    /* The member `first` is set when a second file is open. */
    uint64_t frames_in_file;

    size_t natoms, frame_bytes;
    struct slot slot[SLOTS];
    int nslots, slots_max;
    struct slot *queue[SLOTS]; /* The frame that was returned last, and the frames after it. */
    int queued, out;           /* The member `out` is 1 if the first frame was returned to the
                                * caller. */
    struct slot *raw;          /* The frame that was read last, or NULL. */
    void *pos, *vel;           /* memory from formats_room */
    bool ended, limited, file_ended, inflated;
    int seen_file;              /* Index of the file that contains the last frame checked by the
                                 * clock. */
    uint64_t copies;            /* Number of copies of frames within files that were dropped. */
    struct format_parts *parts; /* The parts of the run for --drop-overlap, or NULL. */
    bool scans;                 /* Whether this reader only searches for parts that overlap. */
    bool placed;                /* Whether error messages refer to the frame `number` even if no
                                 * file is open. */
    uint64_t number, index;     /* number of frames that were read (number) and that were returned
                                 * (index) */
    uint64_t bytes, input_done, input_total;

    struct format_clock clock;
    struct jumps jumps;
    uint64_t hash; /* hash of the last frame */

    struct err err;
    char warning[ERR_BYTES], slip[3][ERR_BYTES / 2]; /* pending warnings; "": none */
    char warned[2 * ERR_BYTES];
};

/* Returns the name of the open file, for messages. */
const char *formats_name(const struct formats *x);
/* Stores e as the error of x, preceded by the file and the frame. Returns -1. */
int formats_fail(struct formats *x, const struct err *e);
/* Works like formats_fail, but adds the number of the line that contains the cell and time of frame
 * s. */
int formats_fail_at(struct formats *x, const struct slot *s, const struct err *e);
/* Stores a warning, which formats_warning returns. */
void formats_warn(struct formats *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reads the next frame into a slot, whether or not the frame is selected. Returns 1 if there is a
 * frame, 0 at the end, or -1 on failure. */
int formats_read_raw(struct formats *x, struct slot **to);

/* Reads frames into the queue until a frame can be returned (formats_queue.c). Returns 0 or -1. */
int formats_fill(struct formats *x);
