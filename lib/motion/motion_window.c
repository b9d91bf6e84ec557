/* SPDX-License-Identifier: MIT */
/* motion_window.c: correlates each step with the previous steps, in a window of as many steps as
 * there are lags. */
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "motion/motion.h"
#include "motion/motion_kernel.h"

#define LAGS_A_TASK 16
#define FOURTH 0.6 /* 3/5, because <r^4> of three Gaussian axes is 5/3 <r²>² */

struct motion_window {
    size_t slots;         /* number of steps kept */
    size_t stride;        /* points per axis (kinds are padded to a multiple of MOTION_LANES) */
    size_t *first;        /* [kinds + 1] start of each kind */
    double *step;         /* [slots][3][stride], padded with zeros */
    uint64_t taken, done; /* number of steps taken, and of steps correlated */
    /* the present chunk */
    uint64_t from, to;
};

static size_t padded(const struct motion *m, size_t *first)
{
    size_t n = 0;
    for (size_t k = 0; k < m->t.kinds; k++) {
        size_t points = m->t.first[k + 1] - m->t.first[k];
        if (first)
            first[k] = n;
        n += (points + MOTION_LANES - 1) / MOTION_LANES * MOTION_LANES;
    }
    if (first)
        first[m->t.kinds] = n;
    return n;
}

double motion_window_bytes(const struct motion *m)
{
    double steps = (double)m->lags - 1 + MOTION_CHUNK;
    if (m->uneven)
        return 0.0; /* grows with the steps */
    return 24.0 * steps * (double)padded(m, NULL) +
           8.0 * (double)m->base.blocks.max * (double)m->lags * (double)m->nf +
           motion_scatter_bytes(m);
}

struct motion_window *motion_window_open(const struct motion *m, struct err *e)
{
    struct motion_window *w = calloc(1, sizeof *w);
    if (!w)
        return err_memory(e, "a window"), NULL;
    if (err_over(e, motion_window_bytes(m), m->max_mem, "fewer --lags or a shorter --tmax",
                 "a window of %zu steps of %zu points, and blocks of sums", m->lags, m->t.points)) {
        free(w);
        return NULL;
    }
    w->first = calloc(m->t.kinds + 1, sizeof *w->first);
    w->slots = m->uneven ? 0 : m->lags - 1 + MOTION_CHUNK;
    w->stride = w->first ? padded(m, w->first) : 0;
    w->step = calloc(w->slots * 3 + 1, (w->stride + 1) * sizeof *w->step);
    w->taken = w->done = m->in->first;
    if (!w->first || !w->step) {
        motion_window_free(w);
        return err_memory(e, "a window"), NULL;
    }
    return w;
}

void motion_window_free(struct motion_window *w)
{
    if (!w)
        return;
    free(w->first);
    free(w->step);
    free(w);
}

/* Copies step s of the block just taken into its slot. */
static void take(const struct motion *m, size_t s)
{
    const struct motion_window *w = m->window;
    const double(*drift)[3];
    size_t n = m->t.points;
    const void *now = tracks_now(&m->t, &drift);
    double *to = w->step + (size_t)(w->taken % w->slots) * 3 * w->stride;
    for (size_t k = 0; k < m->t.kinds; k++)
        for (size_t p = m->t.first[k]; p < m->t.first[k + 1]; p++)
            for (size_t a = 0; a < 3; a++) {
                size_t from = 3 * (s * n + p) + a;
                double v = real_at(now, tracks_wide(&m->t), from);
                to[a * w->stride + w->first[k] + (p - m->t.first[k])] =
                    v - (drift ? drift[s][a] : 0.0);
            }
}

/* Correlates a step with the step k steps earlier for one kind, in the row of the block. */
static void add_kind(const struct motion *m, size_t kind, const double *now, const double *then,
                     double *row)
{
    const struct motion_window *w = m->window;
    size_t at = w->first[kind], n = w->first[kind + 1] - at,
           col = motion_column(m, motion_set(m, kind), 0);
    double sum[4];
    if (m->kind == LAGS_SQUARE)
        SIMD_PICK(motion_squares)(n, w->stride, now + at, then + at, m->c.fourth, sum);
    else
        SIMD_PICK(motion_products)(n, w->stride, now + at, then + at, sum);
    if (m->c.separate)
        for (size_t a = 0; a < 3; a++)
            row[col + 1 + a] += m->scale[kind] * sum[a];
    else
        row[col] += m->scale[kind] * ((sum[0] + sum[1]) + sum[2]);
    if (m->c.fourth)
        row[col + m->each - 1] += m->scale[kind] * FOURTH * sum[3];
}

/* Correlates all steps of the chunk at lags [from, to). */
static void add_lags(void *ctx, size_t from, size_t to, int thread)
{
    struct motion *m = ctx;
    const struct motion_window *w = m->window;
    (void)thread;
    for (size_t lag = from; lag < to; lag++)
        for (uint64_t t = w->from; t < w->to; t++) {
            if (t < lag + m->in->first || t - lag >= m->last)
                continue;
            const double *now = w->step + (size_t)(t % w->slots) * 3 * w->stride,
                         *then = w->step + (size_t)((t - lag) % w->slots) * 3 * w->stride;
            double *row = stats_blocks_at(&m->base.blocks, t - lag) + lag * m->nf;
            for (size_t k = 0; k < m->t.kinds; k++)
                add_kind(m, k, now, then, row);
        }
}

/* Correlates the steps up to `to` that were not yet correlated. Returns 0 or -1. */
static int advance(struct motion *m, uint64_t to, struct err *e)
{
    struct motion_window *w = m->window;
    w->from = w->done;
    w->to = w->done = to;
    if (stats_blocks_reach(&m->base.blocks, to) != 0)
        return err_memory(e, "blocks");
    pool_pieces(m->pool, add_lags, m, m->lags, LAGS_A_TASK);
    return 0;
}

int motion_window_add(struct motion *m, size_t nsteps, struct err *e)
{
    struct motion_window *w = m->window;
    for (size_t s = 0; s < nsteps; s++) {
        take(m, s);
        w->taken++;
        if (w->taken % MOTION_CHUNK == 0 && advance(m, w->taken, e) != 0)
            return -1;
    }
    return nsteps == 0 && w->done < w->taken ? advance(m, w->taken, e) : 0;
}

/* ---- steps at uneven times */

/* Makes room for one more step. Returns 0, or -1 and sets e. */
static int grow(struct motion *m, struct err *e)
{
    struct motion_window *w = m->window;
    size_t n = w->slots + w->slots / 2 + MOTION_CHUNK, step = 3 * w->stride * sizeof *w->step;
    if (err_over(e, (double)n * (double)step, m->max_mem, "fewer frames", "%zu steps of %zu points",
                 n, m->t.points))
        return -1;
    double *p = realloc(w->step, n * step);
    if (!p)
        return err_memory(e, "the steps");
    w->step = p;
    memset(p + w->slots * 3 * w->stride, 0, (n - w->slots) * step);
    w->slots = n;
    return 0;
}

int motion_window_keep(struct motion *m, size_t nsteps, const double *time, struct err *e)
{
    struct motion_window *w = m->window;
    for (size_t s = 0; s < nsteps; s++) {
        if ((w->taken == w->slots && grow(m, e) != 0) || uneven_add(&m->times, time[s], e) != 0)
            return -1;
        take(m, s);
        w->taken++;
    }
    return 0;
}

double motion_window_kept(const struct motion *m)
{
    return 24.0 * (double)m->window->slots * (double)m->window->stride;
}

/* Correlates the pairs of the rows [from, to). */
static void add_rows(void *ctx, size_t from, size_t to, int thread)
{
    struct motion *m = ctx;
    const struct motion_window *w = m->window;
    const struct uneven *u = &m->times;
    (void)thread;
    for (size_t row = from; row < to; row++)
        for (size_t k = u->row[row], b = 0; k < u->row[row + 1]; k++) {
            const struct uneven_pair *p = &u->pair[k];
            for (b = p->then < m->bound[b] ? 0 : b; p->then >= m->bound[b + 1];)
                b++;
            double *sums = m->sums + (b * m->lags + row) * m->nf;
            m->counts[b * m->lags + row]++;
            sums[0] += u->pair[u->row[row]].lag;
            for (size_t kind = 0; kind < m->t.kinds; kind++)
                add_kind(m, kind, w->step + (size_t)p->now * 3 * w->stride,
                         w->step + (size_t)p->then * 3 * w->stride, sums);
        }
}

int motion_window_pairs(struct motion *m, struct err *e)
{
    size_t lags = m->lags;
    m->nblocks = m->base.share.to - m->base.share.from;
    if (err_over(e,
                 motion_window_kept(m) + uneven_bytes(&m->times) +
                     8.0 * (double)m->nblocks * (double)lags * (double)(m->nf + 1),
                 m->max_mem, UNEVEN_HELP, "%zu blocks of %zu lags", m->nblocks, lags))
        return -1;
    m->counts = calloc(m->nblocks * lags, sizeof *m->counts);
    m->sums = calloc(m->nblocks * lags, m->nf * sizeof *m->sums);
    if (!m->counts || !m->sums)
        return err_memory(e, "the result");
    pool_pieces(m->pool, add_rows, m, lags, 1);
    return 0;
}
