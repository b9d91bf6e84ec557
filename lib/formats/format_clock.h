/* SPDX-License-Identifier: MIT */
/* format_clock.h: determines the cell and time of each frame of a trajectory. Private to
 * lib/formats. The user's options override the file. All frames must be separated by the same
 * stride, except with --uneven. */
#pragma once

#include "formats/format.h"
#include "formats/format_cause.h"
#include "formats/stamps.h"

enum format_clock_by { CLOCK_NONE, CLOCK_DT, CLOCK_STEPS, CLOCK_TIMES };

/* The caller sets this struct to zeros, sets `t0` and `stride` to NaN, and sets the members `opts`,
 * `format` and `info` for the open file. */
struct format_clock {
    const struct formats_opts *opts;
    const struct format *format;
    const struct format_info *info;
    struct box box0;   /* cell of the first frame */
    int cell_changed;  /* bits of format_cell.h */
    bool no_cell;      /* Whether neither the file nor the options state a cell. */
    double t0, stride; /* Time of the first frame and time between frames in ps, or NaN. */
    bool settled;      /* whether `t0` and `stride` are final */
    uint64_t seen;     /* frames seen so far */
    enum format_clock_by by;
    bool steps, timed;          /* whether steps (steps) and times (timed) are usable */
    int64_t step, gap;          /* MD step of the last frame, and number of MD steps between the
                                * first two frames. */
    int64_t step_begin, step0;  /* First MD step of the run, and of this file. */
    double time, off, time_gap; /* Time of the last frame, its rounding error, and the time between
                                 * the first two frames. */
    struct stamps stamps;       /* Steps or times of frames, stored until the stride is known. */
    bool noisy;                 /* Whether time stamps have fewer digits than their number type can
                                 * hold. */
    int decimals;               /* Largest number of decimals of a time stamp. */
    double keys[CAUSE_BEFORE];  /* Keys of the last frames. The key of frame k is at index k %
                                 * CAUSE_BEFORE. */
    size_t nkeys;
};

/* Checks the next selected frame f and stores its cell in `box`. The argument `number` is the
 * number of this frame in the input. The flag `begins` marks the first selected frame of a file.
 * FORMAT_ON means that frame f follows the last frame by exactly one stride. Frame f then becomes
 * the last frame. FORMAT_SHORT means that frame f follows the last frame by more than 0 and less
 * than 0.95 strides. FORMAT_OFF means that frame f follows the last frame by any other interval.
 * FORMAT_SHORT and FORMAT_OFF leave the clock unchanged. */
enum format_seen { FORMAT_BAD = -1, FORMAT_ON, FORMAT_SHORT, FORMAT_OFF };
enum format_seen format_clock_see(struct format_clock *c, const struct format_frame *f,
                                  uint64_t number, bool begins, struct box *box, struct err *e);
/* Returns true if f has the same step as the last frame. Without steps, the times are compared. */
bool format_clock_repeats(const struct format_clock *c, const struct format_frame *f);
/* Returns true if the step of f is one stride after the step of the last frame. */
bool format_clock_follows(const struct format_clock *c, const struct format_frame *f);
/* Returns the key of frame f, or of the last frame if f is NULL. The key is the step, or the time
 * in ps. */
double format_clock_key(const struct format_clock *c, const struct format_frame *f);
/* Returns the key expected one stride after the last frame, or NaN if unknown. */
double format_clock_want(const struct format_clock *c);
/* Copies the keys of the most recent frames. Returns the number of keys, at most CAUSE_BEFORE. */
size_t format_clock_last(const struct format_clock *c, double *key);
/* Returns 1 if the stride is known, so that frames can be returned to the caller, or 0 if more
 * frames are needed. If no more frames follow (`more` is false) and the stamps do not determine the
 * stride, returns -1 with an error message in *e. */
int format_clock_settle(struct format_clock *c, bool more, struct err *e) MUST_USE;
/* Returns the time in ps of f, the n-th frame that the clock accepted, or NaN if unknown. */
double format_clock_time(const struct format_clock *c, uint64_t n, const struct format_frame *f);
/* Sets the texts i->dt_from and i->cell_from, which state where the time and the cell come from. */
void format_clock_sources(const struct format_clock *c, struct formats_info *i);
