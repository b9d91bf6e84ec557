/* SPDX-License-Identifier: MIT */
/*
 * format_clock.h: private to lib/formats. Cell and time of the frames of a trajectory, one after the
 * other: what the user says goes before what they say, and frames follow each other at one stride.
 */
#ifndef MBF_FORMAT_CLOCK_H
#define MBF_FORMAT_CLOCK_H

#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts as zeros, with opts, format, and the info of the file that is read. */
struct format_clock {
    const struct formats_opts *opts;
    const struct format *format;
    const struct format_info *info;
    struct box box0;        /* of the first frame */
    bool no_cell;           /* there nobody said one, nor that there is none */
    double t0, stride;      /* ps, of the first frame, and between those seen; NaN: unknown */
    uint64_t seen;          /* frames: all, or of a loose format those that are wanted */
    uint64_t step, steps;   /* of the last, and between two */
    double prev, stride_fs; /* of the last, and between two as a loose format says it */
    bool by_steps;          /* times are those of steps */
};

/* Frame f, by its number in the input: its cell becomes box, its time ps. 0, or -1 with the reason. */
int format_clock_see(struct format_clock *c, struct format_frame *f, uint64_t number,
                     struct box *box, struct err *e) __attribute__((warn_unused_result));
/* Between frames handed out, ps; NaN: unknown. */
double format_clock_dt(const struct format_clock *c);
/* Who said that, and the cell of the first frame: i->dt_from and cell_from. */
void format_clock_said_by(const struct format_clock *c, struct formats_info *i);

#ifdef __cplusplus
}
#endif
#endif
