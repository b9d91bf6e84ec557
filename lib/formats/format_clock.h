/* SPDX-License-Identifier: MIT */
/*
 * format_clock.h: private to lib/formats. Cell and time of the frames of a trajectory, one after the
 * other: what the user says goes before what they say, and frames follow each other at one stride.
 */
#ifndef MBF_FORMAT_CLOCK_H
#define MBF_FORMAT_CLOCK_H

#include "formats/format.h"
#include "formats/format_cause.h"
#include "formats/stamps.h"

#ifdef __cplusplus
extern "C" {
#endif

enum format_clock_by { CLOCK_NONE, CLOCK_DT, CLOCK_STEPS, CLOCK_TIMES };

/* Starts as zeros, with opts, format, the info of the file that is read, and t0 and stride NaN. */
struct format_clock {
    const struct formats_opts *opts;
    const struct format *format;
    const struct format_info *info;
    struct box box0;   /* of the first frame */
    int cell_changed;  /* bits of format_cell.h */
    bool no_cell;      /* there nobody said one, nor that there is none */
    double t0, stride; /* ps, of the first frame, and between those seen; NaN: unknown */
    bool settled;      /* they are final */
    uint64_t seen;     /* frames */
    enum format_clock_by by;
    bool steps, timed;          /* frames have useful steps, have times */
    int64_t step, gap;          /* of the last frame, and between the first two */
    int64_t step_begin, step0;  /* of the first frame, and of the first one of its file */
    double time, off, time_gap; /* of the last frame, as the file has it; between the first two */
    struct stamps stamps;       /* of the frames seen until the stride is settled */
    bool noisy;                 /* they are rounded more coarsely than their type tells */
    int decimals;               /* the most that one of them has */
    double keys[CAUSE_BEFORE];  /* of the last frames: key k is at k % CAUSE_BEFORE */
    size_t nkeys;
};

/*
 * Frame f is the next one that is wanted, by its number in the input; begins: it is the first that is
 * wanted of its file. Its cell becomes box. ON: it is one stride after the last one, which it then
 * is itself. SHORT: it is less than a stride after it, OFF: neither; both leave the clock as it is.
 */
enum format_seen { FORMAT_BAD = -1, FORMAT_ON, FORMAT_SHORT, FORMAT_OFF };
enum format_seen format_clock_see(struct format_clock *c, const struct format_frame *f,
                                  uint64_t number, bool begins, struct box *box, struct err *e);
/* Has f the step, or else the time, of the last frame? */
bool format_clock_repeats(const struct format_clock *c, const struct format_frame *f);
/* Is f one stride of steps after the last frame? */
bool format_clock_follows(const struct format_clock *c, const struct format_frame *f);
/* What f counts as: its step, or its time in ps; NULL: of the last frame. */
double format_clock_key(const struct format_clock *c, const struct format_frame *f);
/* The key that follows the last one at the same stride; NaN: it is not known. */
double format_clock_want(const struct format_clock *c);
/* The keys of the last frames; returns their number, CAUSE_BEFORE at most. */
size_t format_clock_last(const struct format_clock *c, double *key);
/* May frames be handed out? 1, 0: further frames must be seen first; with !more, when there are none, -1
 * with e: the stamps leave the stride open. */
int format_clock_settle(struct format_clock *c, bool more, struct err *e)
    __attribute__((warn_unused_result));
/* The time of frame n of those seen, ps; NaN: unknown. */
double format_clock_time(const struct format_clock *c, uint64_t n);
/* Between frames handed out, ps; NaN: unknown. */
double format_clock_dt(const struct format_clock *c);
/* Who said that, and the cell of the first frame: i->dt_from and cell_from. */
void format_clock_said_by(const struct format_clock *c, struct formats_info *i);

#ifdef __cplusplus
}
#endif
#endif
