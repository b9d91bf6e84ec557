/* SPDX-License-Identifier: MIT */
/*
 * xyz_clock.h: the second lines of a trajectory, one after the other: cell, time, columns. What the
 * user says goes before what they say, and frames must follow each other at one stride.
 */
#ifndef MBF_XYZ_CLOCK_H
#define MBF_XYZ_CLOCK_H

#include "base/box.h"
#include "xyz/xyz_opts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What of a frame is known before its rows are read. */
struct xyz_head {
    struct box box;
    double time;  /* ps; NaN: unknown */
    double scale; /* of the positions, Å a unit */
    struct rows_layout layout;
};

/* How times are known. */
enum xyz_times { XYZ_NO_TIME, XYZ_STRIDE, XYZ_TIMES, XYZ_STEPS };

struct xyz_clock {
    const struct xyz_opts *opts;
    enum xyz_dialect dialect; /* XYZ_AUTO: not yet found */
    struct xyz_header header; /* of the last frame */
    char *comment;            /* its text: equal text is not parsed again */
    size_t comment_len, comment_cap;
    struct box box0;  /* of the first frame */
    bool no_cell;     /* there nobody said a cell, nor that there is none */
    double dt, sigma; /* dt: between frames handed out, ps; NaN: unknown */
    uint64_t nheads;  /* frames so far */

    enum xyz_times times;
    double t0, prev_fs, stride_fs;
    uint64_t prev_step, stride_steps;
};

void xyz_clock_init(struct xyz_clock *c, const struct xyz_opts *opts);
void xyz_clock_free(struct xyz_clock *c);

/* Does this first line call for a second frame before dt is known? */
bool xyz_clock_needs_two(const struct xyz_clock *c, const char *s, size_t len);

/* Begin with the first frame's line, and the second's (NULL: there is none). 0, or -1 with the
 * reason. */
int xyz_clock_start(struct xyz_clock *c, const char *first, size_t first_len, const char *second,
                    size_t second_len, struct err *e) __attribute__((warn_unused_result));
/* The next frame's line, the first one included. 0, or -1 with the reason. */
int xyz_clock_next(struct xyz_clock *c, const char *s, size_t len, struct xyz_head *h,
                   struct err *e) __attribute__((warn_unused_result));

/* Where dt and the first frame's cell came from, in words for -v; static. */
const char *xyz_clock_dt_from(const struct xyz_clock *c);
const char *xyz_clock_cell_from(const struct xyz_clock *c);

#ifdef __cplusplus
}
#endif
#endif
