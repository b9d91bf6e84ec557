/* SPDX-License-Identifier: MIT */
#include "stats/analysis.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "stats/drift.h"
#include "stats/series.h"
#include "stream/stride.h"

enum frame_type analysis_type(unsigned want)
{
    return want & ANALYSIS_SERIES       ? FRAME_SERI
           : want & ANALYSIS_SCALARS    ? FRAME_SCAL
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
        return err_bad(e, "expected evenly spaced steps, found individual times");
    if (timed) {
        snprintf(last, sizeof last, " at %.10g ps", t->time - dt);
        snprintf(found, sizeof found, " at %.10g ps", time);
    }
    if (t->steps && !good)
        return err_bad(e,
                       "expected a step that follows step %llu%s, found step %llu%s: correlation "
                       "functions need consecutive steps",
                       (unsigned long long)t->next - 1, last, (unsigned long long)b->index, found);
    t->steps += b->nsteps;
    t->next = b->index + b->nsteps;
    t->time = time + (double)b->nsteps * dt;
    return 0;
}

int analysis_even(const struct meta *m, struct err *e)
{
    return meta_get(m, "sys.times")
               ? err_bad(e, "expected evenly spaced frames, found frames at uneven times (omit "
                            "--uneven and take evenly spaced frames with traj2bin --select)")
               : 0;
}

/* ---- functions of all runs */

void run_begin(struct run_base *r, struct analysis_input *in)
{
    const struct shard *s = &r->shared->shard;
    r->share = (struct stats_share){.last = UINT64_MAX};
    if (s->n)
        stats_blocks_share(&r->blocks, s->total, r->want, s->k, s->n, &r->share);
    in->first = r->first = r->steps = r->share.first;
    in->last = r->share.last;
}

int run_one_segment(const struct run_base *r, bool fresh, struct err *e)
{
    if (!fresh || r->steps == r->first)
        return 0;
    return err_bad(e,
                   "frame %llu: expected one segment, found a second one: time steps of different "
                   "segments are not correlated (join the parts of one run with frame-cat)",
                   (unsigned long long)r->steps);
}

int run_take(struct run_base *r, uint64_t end, struct err *e)
{
    struct stats_share *share = &r->share;
    bool part = r->shared->shard.n > 0;
    if ((part ? share->total : end) == 0)
        return err_bad(e, "expected at least one step, found none");
    if (!part)
        stats_blocks_share(&r->blocks, end, r->want, 1, 1, share);
    if (share->want > share->total)
        return err_bad(e,
                       "expected at most as many blocks as steps, found %zu blocks and %llu steps",
                       share->want, (unsigned long long)share->total);
    if (end != share->last)
        return err_bad(e, "expected %llu steps, as the end mark (END) states, found only %llu",
                       (unsigned long long)share->last, (unsigned long long)end);
    return stats_blocks_take(&r->blocks, share) == 0 ? 0 : err_memory(e, "blocks");
}

int run_meta(const struct run_base *r, size_t blocks, struct meta *m)
{
    const struct shard *s = &r->shared->shard;
    const struct window *w = &s->window;
    int bad = meta_setf(m, "data.blocks", "%zu", blocks) |
              meta_set(m, "data.errors", r->want ? NULL : "blocking");
    if (!s->n)
        return bad;
    return bad |
           meta_setf(m, "data.shard", "%llu/%llu", (unsigned long long)s->k,
                     (unsigned long long)s->n) |
           meta_setf(m, "data.whole.blocks", "%zu", r->share.want) |
           (s->windowed ? meta_setf(m, "data.window", "%.17g %.17g", w->from, w->to) : 0);
}

int run_changed(struct run_base *r, struct meta *m, const char *text, struct err *e)
{
    if (*text)
        notes_add(&r->notes, NOTE_WARN, "%s", text);
    return *text && meta_set(m, "data.changed", text) ? err_memory(e, "META") : 0;
}

int run_drift(struct run_base *r, struct meta *m, size_t blocks, size_t rows, size_t ncomp,
              size_t nf, const uint64_t *counts, const double *sums, struct err *e)
{
    char text[512] = "";
    if (!r->shared->shard.n)
        (void)drift_corr(m, blocks, rows, ncomp, nf, counts, sums, text, sizeof text);
    return run_changed(r, m, text, e);
}

int run_put(const struct run_base *r, struct frame_writer *w, size_t blocks, size_t rows,
            size_t ncomp, size_t nf, const uint64_t *counts, const double *sums, struct err *e)
{
    return series_put_corr(w, blocks, rows, ncomp, nf, counts, sums) || run_end(r, w)
               ? (*e = *frame_writer_error(w), -1)
               : 0;
}

int run_end(const struct run_base *r, struct frame_writer *w)
{
    if (r->shared->shard.n)
        frame_share_of(w, r->shared->shard.of);
    return frame_end(w, FRAME_COMPLETE, NULL, NULL);
}
