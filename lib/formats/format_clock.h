/* SPDX-License-Identifier: MIT */
/* format_clock.h: determines the cell and time of each frame of a trajectory. Private to
 * lib/formats. The user's options override the file, and frames must be evenly spaced by one
 * stride. */
#ifndef MBF_FORMAT_CLOCK_H
#define MBF_FORMAT_CLOCK_H

#include "formats/format.h"
#include "formats/format_cause.h"
#include "formats/stamps.h"

#ifdef __cplusplus
extern "C" {
#endif

enum format_clock_by { CLOCK_NONE, CLOCK_DT, CLOCK_STEPS, CLOCK_TIMES };

/* Zero all members, then set opts, format, info (of the open file), t0 = NaN and stride = NaN. */
struct format_clock {
    const struct formats_opts *opts;
    const struct format *format;
    const struct format_info *info;
    struct box box0;   /* cell of the first frame */
    int cell_changed;  /* bits of format_cell.h */
    bool no_cell;      /* neither file nor options mention a cell */
    double t0, stride; /* time of the first frame and between frames, ps; NaN: unknown */
    bool settled;      /* t0 and stride are final */
    uint64_t seen;     /* number of frames seen */
    enum format_clock_by by;
    bool steps, timed;          /* frames have usable steps; frames have times */
    int64_t step, gap;          /* step of the last frame; steps between the first two */
    int64_t step_begin, step0;  /* step of the first frame, and of the first frame in this file */
    double time, off, time_gap; /* time and error of the last frame; time between the first two */
    struct stamps stamps;       /* stamps of the frames until the stride is settled */
    bool noisy;                 /* stamps are rounded more coarsely than their type */
    int decimals;               /* maximum number of decimals of a stamp */
    double keys[CAUSE_BEFORE];  /* keys of the last frames; key k is at k % CAUSE_BEFORE */
    size_t nkeys;
};

/* Checks the next selected frame f, frame `number` of the input, and stores its cell in box.
 * `begins` marks the first selected frame of a file. FORMAT_ON: f is one stride after the last
 * frame and becomes the last frame. FORMAT_SHORT: f is less than one stride after the last frame.
 * FORMAT_OFF: f has any other distance. FORMAT_SHORT and FORMAT_OFF leave the clock unchanged. */
enum format_seen { FORMAT_BAD = -1, FORMAT_ON, FORMAT_SHORT, FORMAT_OFF };
enum format_seen format_clock_see(struct format_clock *c, const struct format_frame *f,
                                  uint64_t number, bool begins, struct box *box, struct err *e);
/* Returns whether f has the step (or without steps, the time) of the last frame. */
bool format_clock_repeats(const struct format_clock *c, const struct format_frame *f);
/* Returns whether f is one stride of steps after the last frame. */
bool format_clock_follows(const struct format_clock *c, const struct format_frame *f);
/* Returns the key of f (of the last frame if f is NULL): its step, or its time in ps. */
double format_clock_key(const struct format_clock *c, const struct format_frame *f);
/* Returns the key expected one stride after the last frame; NaN if unknown. */
double format_clock_want(const struct format_clock *c);
/* Copies the keys of the last frames. Returns their number, at most CAUSE_BEFORE. */
size_t format_clock_last(const struct format_clock *c, double *key);
/* Decides whether frames can be returned to the caller. Returns 1, or 0 if more frames are needed.
 * Without `more` frames, returns -1 and sets *e if the stamps do not determine the stride. */
int format_clock_settle(struct format_clock *c, bool more, struct err *e)
    __attribute__((warn_unused_result));
/* Returns the time of the n-th frame seen, ps; NaN if unknown. */
double format_clock_time(const struct format_clock *c, uint64_t n);
/* Returns the time between frames, ps; NaN if unknown. */
double format_clock_dt(const struct format_clock *c);
/* Sets i->dt_from and i->cell_from, the sources of the time and cell in words. */
void format_clock_said_by(const struct format_clock *c, struct formats_info *i);

#ifdef __cplusplus
}
#endif
#endif
