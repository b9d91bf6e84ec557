/* SPDX-License-Identifier: MIT */
/* g4_window.c: adds steps to the window of the CPU engine and removes them. */
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"

/* Prepares the cell of a step for the kernels. */
static int take_box(struct g4 *g, uint64_t frame, const struct box *b, struct sum_cell *geom)
{
    if (!g->boxes || memcmp(&g->last, b, sizeof *b) != 0) {
        g->last = *b;
        g->boxes++;
        g->tri |= !b->ortho;
    }
    return sum_cell_make(&g->p.sum, g->p.dtype == FRAME_F64, &g->memory, b, frame, geom, &g->err);
}

/* Copies one PAIR step into its tiles. Lanes without a pair stay 0. */
static void store_pairs(const struct g4 *g, const char *src, char *dst)
{
    size_t n = g->natoms, es = g->esize;
    for (int c = 0; c < g->p.ncomp; c++) {
        const char *row = src + (size_t)c * g->npairs * es;
        for (size_t i = 0; i + 1 < n; i++) {
            for (size_t bj = i / G4_LANES; bj < g->nblocks; bj++) {
                size_t first = bj * G4_LANES > i ? bj * G4_LANES : i + 1;
                size_t end = (bj + 1) * G4_LANES < n ? (bj + 1) * G4_LANES : n;
                size_t tile = g4_block_pair(g, i / G4_LANES, bj) * G4_LANES + i % G4_LANES;
                char *to = dst + ((size_t)c * g->ntiles + tile) * g->row_stride * es;
                if (end > first)
                    memcpy(to + (first - bj * G4_LANES) * es, row + (first - i - 1) * es,
                           (end - first) * es);
            }
            row += (n - 1 - i) * es;
        }
    }
}

/* Steps to be stored. Each task copies a few of them from the data of the caller. */
struct store {
    const struct g4 *g;
    const char *data;
};
#define STORE_STEPS 16

static void store_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct store *s = ctx;
    const struct g4 *g = s->g;
    (void)thread;
    for (size_t i = from; i < to; i++) {
        char *dst = (char *)g->window + (g->have + i) * g->step_stride * g->esize;
        if (g->lists)
            g4_lists_store(g, &g->geom[g->have + i].d, s->data + i * g->step_bytes, dst);
        else if (g->p.input == FRAME_POSN)
            SIMD_PICK(g4_store)(g, &g->geom[g->have + i].d, s->data + i * g->step_bytes, dst);
        else
            store_pairs(g, s->data + i * g->step_bytes, dst);
    }
}

int g4_window_put(struct g4 *g, size_t n, const void *data, const struct box *box)
{
    struct store s = {g, data};
    for (size_t k = 0; g->p.input == FRAME_POSN && k < n; k++)
        if (take_box(g, g->steps + k, box + k, g->geom + g->have + k))
            return -1;
    pool_pieces(g->pool, store_task, &s, n, STORE_STEPS);
    g->have += n;
    g->steps += n;
    return 0;
}

void g4_window_slide(struct g4 *g, size_t n)
{
    size_t keep = g->have > n ? g->have - n : 0, per = g->step_stride * g->esize;
    for (size_t k = 0; k < g->nrows; k++) {
        char *w = (char *)g->window + k * g->row_stride * g->esize;
        memmove(w, w + n * per, keep * per);
    }
    for (size_t k = 0; k < n && k < g->have; k++)
        sum_cell_free(g->geom + k);
    memmove(g->geom, g->geom + n, keep * sizeof *g->geom);
    memset(g->geom + keep, 0, (g->have - keep) * sizeof *g->geom);
    for (size_t b = 0; g->a && b < g->nblocks * (size_t)g->p.ncomp; b++) {
        double *a = g->a + b * g->cap * G4_LANES;
        memmove(a, a + n * G4_LANES, keep * G4_LANES * sizeof *a);
    }
    g->a_done = g->a_done > n ? g->a_done - n : 0;
    g->have = keep;
    g->base += n;
}

int g4_window_grow(struct g4 *g, size_t steps)
{
    size_t cap = g->cap;
    while (cap < steps)
        cap += cap / 2;
    if (cap == g->cap)
        return 0;
    size_t per = g->step_stride * g->esize, bytes, gbytes;
    char *w = NULL;
    struct sum_cell *geom = NULL;
    if (!__builtin_mul_overflow(cap, per, &bytes) &&
        !__builtin_mul_overflow(cap, sizeof *g->geom, &gbytes)) {
        w = realloc(g->window, bytes);
        g->window = w ? w : g->window;
        geom = realloc(g->geom, gbytes);
        g->geom = geom ? geom : g->geom;
    }
    if (!w || !geom)
        return err_set(&g->err, ERR_MEMORY, "out of memory for %zu steps", cap);
    memset(w + g->cap * per, 0, (cap - g->cap) * per);
    memset(geom + g->cap, 0, (cap - g->cap) * sizeof *geom);
    g->cap = cap;
    return 0;
}

void g4_tile_set(const struct g4 *g, int comp, int ncomp, size_t i, size_t bj, size_t at, size_t n,
                 struct g4_tile *t)
{
    memset(t, 0, sizeof *t);
    t->stride = g->step_stride;
    t->n = n;
    t->f64 = g->p.dtype == FRAME_F64;
    const char *w = (const char *)g->window + at * g->step_stride * g->esize;
    size_t bi = i / G4_LANES, il = i % G4_LANES;
    if (g->p.input == FRAME_POSN) {
        t->pi = w + (bi * g->row_stride + il) * g->esize;
        t->pj = w + bj * g->row_stride * g->esize;
    } else {
        size_t tile = (size_t)comp * g->ntiles + g4_block_pair(g, bi, bj) * G4_LANES + il;
        t->pj = w + tile * g->row_stride * g->esize;
    }
    t->geom = g->geom + at;
    t->one_geom = g->boxes == 1;
    t->ncomp = ncomp;
    memcpy(t->component, g->p.component + comp, (size_t)ncomp * sizeof *t->component);
    memcpy(t->coef, g->p.coef + comp, (size_t)ncomp * sizeof *t->coef);
    t->form = sum_pair_form(&g->p.sum);
    t->tri = g->tri;
    for (size_t l = 0; l < G4_LANES; l++) {
        size_t j = bj * G4_LANES + l;
        t->mask[l] = j > i && j < g->natoms ? -1 : 0;
    }
    if (g->p.factors) {
        size_t j = bj * G4_LANES, left = g->natoms - j;
        t->weigh = !g->p.factors->ones;
        factors_row(g->p.factors, i, j, left < G4_LANES ? left : G4_LANES, t->factor, t->own);
        const struct pair_function *f = &g->p.factors->function;
        t->function = f->cells ? f : NULL;
        for (size_t l = 0; l < G4_LANES; l++) {
            t->mask[l] &= t->factor[l] != 0.0 ? -1 : 0;
            t->start[l] = f->cells ? f->start[f->kind[i] * f->kinds + f->kind[j + l]] : 0;
        }
    }
}

int g4_report_nonfinite_step(struct g4 *g, size_t at)
{
    size_t es = g->esize, posn = g->p.input == FRAME_POSN;
    const char *w = (const char *)g->window + at * g->step_stride * es;
    char *step = malloc(posn ? g->step_bytes : 1);
    if (!step)
        return err_set(&g->err, ERR_MEMORY, "out of memory");
    for (size_t k = 0; posn && k < 3 * g->natoms; k++)
        memcpy(step + k * es, w + g4_row(g, k / 3, k % 3) * es, es);
    g4_report_nonfinite(&g->p, g->base + at, 1, step, &g->geom[at].d, &g->err);
    free(step);
    return -1;
}

uint64_t g4_last_origin(const struct g4 *g)
{
    const struct stats_share *s = &g->p.share;
    if (!s->total)
        return g->p.origins ? g->p.origins : UINT64_MAX;
    uint64_t up = g->lists && s->last > s->first ? (g->chunk - s->last % g->chunk) % g->chunk : 0;
    return s->total - s->last < up ? s->total : s->last + up;
}

void g4_tell(struct g4 *g, size_t n, int thread)
{
    uint64_t warned = __atomic_add_fetch(&g->warned, 1, __ATOMIC_RELAXED), end = g4_last_origin(g);
    if (thread || !g->p.progress)
        return;
    if (!n) {
        g->p.progress(warned, g->tasks, "pairs of blocks");
        return;
    }
    end = end < g->p.steps_hint ? end : g->p.steps_hint;
    uint64_t total = end > g->p.from ? end - g->p.from : 0, done = g->base - g->p.from;
    uint64_t each = g->p.method == G4_DIRECT ? g->ntiles : 1; /* frames can then take minutes */
    double part = (double)warned / (double)g->tasks * (double)(n * each);
    g->p.progress(done * each + (uint64_t)part, total * each,
                  g->p.method == G4_DIRECT ? "tiles of pairs" : "frames");
}
