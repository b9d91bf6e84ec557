/* SPDX-License-Identifier: MIT */
/* format_clock.h: determines the cell and time of each frame of a trajectory. Private to
 * lib/formats. Options of the user take precedence over the file. Unless --uneven is given, all
 * frames must be separated by the same stride. */
#pragma once

#include "formats/format.h"
#include "formats/format_cause.h"
#include "formats/stamps.h"

enum format_clock_by { CLOCK_NONE, CLOCK_DT, CLOCK_STEPS, CLOCK_TIMES };

/* The caller sets this struct to zeros, `t0` and `stride` to NaN, and the members `opts`, `format`
 * and `info` to the values for the open file. */
struct format_clock {
    const struct formats_opts *opts;
    const struct format *format;
    const struct format_info *info;
    struct box box0;   /* cell of the first frame */
    int cell_changed;  /* bits of format_cell.h */
    bool no_cell;      /* Whether neither the file nor the options state a cell. */
    double t0, stride; /* Time of the first frame and time between frames, in ps, or NaN. */
    bool settled;      /* whether `t0` and `stride` have their final values */
    uint64_t seen;     /* frames seen so far */
    enum format_clock_by by;
    bool steps, timed;          /* whether the steps of the frames (steps) and their times (timed)
                                 * can be used */
    int64_t step, gap;          /* MD step of the last frame, and number of MD steps between the
                                 * first two frames. */
    int64_t step_begin, step0;  /* First MD step of the run, and first MD step of this file. */
    double time, off, time_gap; /* Time of the last frame, rounding error of the last time, and time
                                 * between the first two frames. */
    struct stamps stamps;       /* Steps or times of the frames, stored until the stride is
                                 * known. */
    bool noisy;                 /* Whether the times have fewer digits than their number type can
                                 * store. */
    int decimals;               /* Largest number of decimals of a time. */
    double keys[CAUSE_BEFORE];  /* Keys of the last frames. Steps or times of recent frames; frame k
                                 * is at the index k % CAUSE_BEFORE. */
    size_t nkeys;
};

/* Checks the next selected frame f, and stores its cell in `box`. The argument `number` is the
 * number of this frame in the input. The flag `begins` is set for the first selected frame of a
 * file. The result FORMAT_ON means that frame f follows the last frame by exactly one stride. Frame
 * f then becomes the last frame. The result FORMAT_SHORT means that frame f follows the last frame
 * by more than 0 and less than 0.95 strides. The result FORMAT_OFF means that frame f follows the
 * last frame by any other interval. The results FORMAT_SHORT and FORMAT_OFF leave the clock
 * unchanged. */
enum format_seen { FORMAT_BAD = -1, FORMAT_ON, FORMAT_SHORT, FORMAT_OFF };
enum format_seen format_clock_see(struct format_clock *c, const struct format_frame *f,
                                  uint64_t number, bool begins, struct box *box, struct err *e);
/* Returns true if frame f has the same step as the last frame. If the frames have no steps, their
 * times are compared. */
bool format_clock_repeats(const struct format_clock *c, const struct format_frame *f);
/* Returns true if the step of frame f is one stride after the step of the last frame. */
bool format_clock_follows(const struct format_clock *c, const struct format_frame *f);
/* Returns the key (step, or time in ps) of frame f, or of the last frame if f is NULL. */
double format_clock_key(const struct format_clock *c, const struct format_frame *f);
/* Returns the key that is expected one stride after the last frame, or NaN if it is unknown. */
double format_clock_want(const struct format_clock *c);
/* Copies the keys (steps or times) of the most recent frames. Returns the number of keys, which is
 * at most CAUSE_BEFORE. */
size_t format_clock_last(const struct format_clock *c, double *key);
/* Returns 1 if the stride is known, so that frames can be returned to the caller, or 0 if more
 * frames are needed. If no more frames follow (`more` is false) and the times do not determine the
 * stride, returns -1 with an error message in *e. */
int format_clock_settle(struct format_clock *c, bool more, struct err *e) MUST_USE;
/* Returns the time in ps of frame f, the n-th frame that the clock accepted, or NaN if the time is
 * unknown. */
double format_clock_time(const struct format_clock *c, uint64_t n, const struct format_frame *f);
/* Sets the texts i->dt_from and i->cell_from, which report where the time and the cell come
 * from. */
void format_clock_sources(const struct format_clock *c, struct formats_info *i);
