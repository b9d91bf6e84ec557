/* SPDX-License-Identifier: MIT */
/*
 * formats_input.h: private to lib/formats. What formats.c, formats_queue.c and formats_input.c share:
 * the state of a reader, and its files and frames as they come.
 */
#ifndef MBF_FORMATS_INPUT_H
#define MBF_FORMATS_INPUT_H

#include "formats/format.h"
#include "formats/format_clock.h"
#include "formats/format_parts.h"
#include "formats/jumps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct slot {
    struct format_frame f;
    struct box box;
    void *pos, *vel; /* memory of its own, one mapping; f has these, or what the user gave */
    bool wanted, queued;
};

/* Frames may be read ahead until the time between them is known: so many, of so many bytes. */
enum { SLOTS = STAMPS_MAX + 4, SLOTS_MIN = 8 };
#define AHEAD_BYTES ((size_t)64 << 20)

struct formats {
    struct formats_opts opts;
    char *const *paths;
    int npaths, file; /* file: index of the one being read */
    struct bytes b;
    const struct format *format;
    void *self;                     /* NULL: no file is open */
    struct format_info info, first; /* first: of the first file, once another one is open */
    uint64_t frames_in_file;

    size_t natoms, frame_bytes;
    struct slot slot[SLOTS];
    int nslots, slots_max;
    struct slot
        *queue[SLOTS]; /* frames that the clock has seen: the one handed out, and later ones */
    int queued, out;   /* out: 1 where the first of them is handed out */
    struct slot *raw;  /* the frame read last; NULL: none */
    void *pos, *vel;   /* of formats_room */
    bool ended, limited, file_ended, inflated;
    int seen_file;              /* of the frame that the clock saw last */
    uint64_t copies;            /* frames within a file that were left out */
    struct format_parts *parts; /* of --drop-overlap; NULL: not asked for */
    bool scans;                 /* this is the reader that finds them */
    bool placed;                /* an error is of frame `number`, although no file is open */
    uint64_t number, index;     /* frames read, frames handed out */
    uint64_t bytes, input_done, input_total;

    struct format_clock clock;
    struct jumps jumps;
    uint64_t hash; /* of the last frame */

    struct err err;
    char warning[ERR_BYTES], slip[3][ERR_BYTES / 2]; /* to be told; "": nothing */
    char told[2 * ERR_BYTES];
};

/* The name of the file that is read, for messages. */
const char *formats_name(const struct formats *x);
/* Keep e as the error of x, with the file and the frame in front. Returns -1. */
int formats_fail(struct formats *x, const struct err *e);
/* The same, with the line where the frame s states its cell and time. */
int formats_fail_said(struct formats *x, const struct slot *s, const struct err *e);
/* Keep a warning, until formats_warning hands it out. */
void formats_warn(struct formats *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The input's next frame, wanted or not, into a slot. 1, 0: there is none, -1 with x->err. */
int formats_read_raw(struct formats *x, struct slot **to);

/* Read frames into the queue until one may be handed out (formats_queue.c). 0 or -1. */
int formats_fill(struct formats *x);

#ifdef __cplusplus
}
#endif
#endif
