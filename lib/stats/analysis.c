/* SPDX-License-Identifier: MIT */
#include "stats/analysis.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "stream/stride.h"

enum frame_type analysis_type(unsigned want)
{
    return want & ANALYSIS_SERIES       ? FRAME_SERI
           : want & ANALYSIS_VELOCITIES ? FRAME_VELO
           : want == ANALYSIS_POSITIONS ? FRAME_POSN
           : want == ANALYSIS_PAIRS     ? FRAME_PAIR
                                        : FRAME_META;
}

void notes_add(struct notes *n, enum note_kind kind, const char *fmt, ...)
{
    va_list ap;
    if (n->n == NOTES_MAX)
        return;
    struct note *to = &n->note[n->n++];
    to->kind = kind;
    va_start(ap, fmt);
    vsnprintf(to->text, sizeof to->text, fmt, ap);
    va_end(ap);
}

void notes_nm(struct notes *n, const char *option, double value, double min)
{
    if (value < min)
        notes_add(n, NOTE_OPTION, UNITS_NM, option, value, 10.0 * value);
}

int analysis_follows(struct analysis_track *t, const struct traj_block *b, double dt, struct err *e)
{
    char last[64] = "", found[64] = "";
    double time = b->time[0];
    bool timed = t->steps && !isnan(t->time) && !isnan(time),
         good = timed ? fabs(time - t->time) <= STRIDE_PRINTED * dt + 1e-12 * fabs(t->time)
                      : b->index == t->next;
    if (isnan(dt) && b->nsteps > 1 && !isnan(b->time[1]))
        return err_set(e, ERR_BAD,
                       "expected evenly spaced steps, found a block with its own times");
    if (timed) {
        snprintf(last, sizeof last, " at %.10g ps", t->time - dt);
        snprintf(found, sizeof found, " at %.10g ps", time);
    }
    if (t->steps && !good)
        return err_set(e, ERR_BAD,
                       "expected a step that follows step %llu%s, found step %llu%s: correlations "
                       "must not span a discontinuity",
                       (unsigned long long)t->next - 1, last, (unsigned long long)b->index, found);
    t->steps += b->nsteps;
    t->next = b->index + b->nsteps;
    t->time = time + (double)b->nsteps * dt;
    return 0;
}
