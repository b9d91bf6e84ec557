/* SPDX-License-Identifier: MIT */
/* format_clock.h: determines the cell and the time of each frame of a trajectory. Private to
 * lib/formats. Options of the user take precedence over the file. Unless --uneven is given, all
 * frames must be separated by the same stride. */
#pragma once

#include "formats/format.h"
#include "formats/format_cause.h"
#include "formats/stamps.h"

enum format_clock_by { CLOCK_NONE, CLOCK_DT, CLOCK_STEPS, CLOCK_TIMES };

/* The caller sets `opts`, `format` and `info` to the values of the open file, `t0` and `stride` to
 * NaN, and all other members to zero. */
struct format_clock {
    const struct formats_opts *opts;
    const struct format *format;
    const struct format_info *info;
    struct box box0;   /* cell of the first frame */
    int cell_changed;  /* bits of format_cell.h */
    bool no_cell;      /* Neither the file nor the options state a cell. */
    double t0, stride; /* first time and time between frames in ps, or NaN */
    bool settled;      /* `t0` and `stride` are final */
    uint64_t seen;     /* frames seen so far */
    enum format_clock_by by;
    bool steps, timed;          /* steps and times of the frames can be used */
    int64_t step, gap;          /* last step; steps between the first two frames */
    int64_t step_begin, step0;  /* first step of the run; of this file */
    double time, off, time_gap; /* last time; its error; time between the first two frames */
    struct stamps stamps;       /* steps or times until the stride is known */
    bool noisy;                 /* Times have fewer digits than their type can store. */
    int decimals;               /* largest number of decimals of a time */
    double keys[CAUSE_BEFORE];  /* steps or times of recent frames, frame k at k % CAUSE_BEFORE */
    size_t nkeys;
};

/* Checks the next selected frame f, which has the number `number` in the input, and stores its cell
 * in `box`. The flag `begins` is set for the first selected frame of a file. FORMAT_ON means that
 * frame f is exactly one stride after the last frame, and becomes the last frame. FORMAT_SHORT
 * means that frame f is more than 0 and less than 0.95 strides after the last frame. FORMAT_OFF
 * means any other interval. Neither FORMAT_SHORT nor FORMAT_OFF changes the clock. */
enum format_seen { FORMAT_BAD = -1, FORMAT_ON, FORMAT_SHORT, FORMAT_OFF };
enum format_seen format_clock_see(struct format_clock *c, const struct format_frame *f,
                                  uint64_t number, bool begins, struct box *box, struct err *e);
/* Returns whether frame f has the step (or time, without steps) of the last frame. */
bool format_clock_repeats(const struct format_clock *c, const struct format_frame *f);
/* Returns whether the step of frame f is one stride after the step of the last frame. */
bool format_clock_follows(const struct format_clock *c, const struct format_frame *f);
/* Returns the step of frame f, or its time in ps without steps; f = NULL means the last frame. */
double format_clock_key(const struct format_clock *c, const struct format_frame *f);
/* Returns the step or time that is expected one stride after the last frame, or NaN if unknown. */
double format_clock_want(const struct format_clock *c);
/* Copies the steps or times of the last frames, at most CAUSE_BEFORE, and returns their number. */
size_t format_clock_last(const struct format_clock *c, double *key);
/* Returns 1 if the stride is known, so that frames can be returned to the caller, or 0 if more
 * frames are needed. If no more frames follow (`more` is false) and the times do not determine the
 * stride, returns -1 and sets *e. */
int format_clock_settle(struct format_clock *c, bool more, struct err *e) MUST_USE;
/* Returns the time in ps of frame f, the n-th frame that the clock accepted, or NaN if unknown. */
double format_clock_time(const struct format_clock *c, uint64_t n, const struct format_frame *f);
/* Sets i->dt_from and i->cell_from to texts that report where the time and the cell come from. */
void format_clock_sources(const struct format_clock *c, struct formats_info *i);
