/* SPDX-License-Identifier: MIT */
/* g4_push.c: steps into the window of the CPU engine, passes over it, and the end. */
#include <stdlib.h>
#include <string.h>

#include "g4/g4_blame.h"
#include "g4/g4_engine.h"
#include "g4/pairs.h"

/* Check the cell of step s (absolute number for the message) and round it for the kernels. */
static int g4_take_box(struct g4 *g, const struct box *b, uint64_t step, struct g4_geom *geom)
{
    if (!g->boxes || memcmp(&g->last, b, sizeof *b) != 0) {
        char why[256];
        if (pairs_check_box(b, g->p.rc2, why, sizeof why))
            return g4_fail(g, 2, "frame %llu: %s", (unsigned long long)step, why);
        g->last = *b;
        g->boxes++;
        g->tri |= !b->ortho;
    }
    box_round_f32(b, &geom->f);
    geom->d = *b;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            geom->d.inv[a][k] = b->pbc[k] ? b->inv[a][k] : 0.0;
    return 0;
}

/* One PAIR step into its tiles; lanes that are no pair stay 0. */
static void g4_store_pairs(const struct g4 *g, const char *src, char *dst)
{
    size_t n = g->natoms, es = g->esize;
    for (int c = 0; c < g->p.ncomp; c++) {
        const char *row = src + (size_t)c * g->npairs * es;
        for (size_t i = 0; i + 1 < n; i++) {
            for (size_t bj = i / G4_LANES; bj < g->nblocks; bj++) {
                size_t first = bj * G4_LANES > i ? bj * G4_LANES : i + 1;
                size_t end = (bj + 1) * G4_LANES < n ? (bj + 1) * G4_LANES : n;
                size_t tile = g4_block_pair(g, i / G4_LANES, bj) * G4_LANES + i % G4_LANES;
                char *to = dst + ((size_t)c * g->ntiles + tile) * g->block_stride * es;
                if (end > first)
                    memcpy(to + (first - bj * G4_LANES) * es, row + (first - i - 1) * es,
                           (end - first) * es);
            }
            row += (n - 1 - i) * es;
        }
    }
}

/* Steps to be stored: data from the caller, one task each few of them. */
struct store {
    const struct g4 *g;
    size_t n, bytes; /* steps, bytes of one */
    const char *data;
    const struct box *box;
};
#define STORE_STEPS 16

static void store_task(void *ctx, size_t k, int thread)
{
    const struct store *s = ctx;
    const struct g4 *g = s->g;
    (void)thread;
    for (size_t i = k * STORE_STEPS; i < s->n && i < (k + 1) * STORE_STEPS; i++) {
        char *dst = (char *)g->window + (g->have + i) * g->step_stride * g->esize;
        if (g->p.input == FRAME_POSN)
            SIMD_PICK(g4_store)(g, s->box + i, s->data + i * s->bytes, dst);
        else
            g4_store_pairs(g, s->data + i * s->bytes, dst);
    }
}

/* Steps [0, n) of data into the window from `have` on; there is room. */
static int g4_store_steps(struct g4 *g, size_t n, const char *data, const struct box *box)
{
    int posn = g->p.input == FRAME_POSN;
    struct store s = {.g = g, .n = n, .data = data, .box = box};
    s.bytes = (posn ? 3 * g->natoms : g->npairs * (size_t)g->p.ncomp) * g->esize;
    for (size_t k = 0; posn && k < n; k++)
        if (g4_take_box(g, box + k, g->base + g->have + k, g->geom + g->have + k))
            return -1;
    pool_run(g->pool, store_task, &s, (n + STORE_STEPS - 1) / STORE_STEPS);
    g->have += n;
    g->steps += n;
    return 0;
}

/* The first n steps of the window are done with. */
static void g4_slide(struct g4 *g, size_t n)
{
    size_t keep = g->have > n ? g->have - n : 0;
    size_t per = g->step_stride * g->esize, from = g->block_stride * g->esize;
    size_t blocks = g->p.input == FRAME_POSN ? g->nblocks : g->ntiles * (size_t)g->p.ncomp;
    for (size_t b = 0; b < blocks; b++) {
        char *w = (char *)g->window + b * from;
        memmove(w, w + n * per, keep * per);
    }
    memmove(g->geom, g->geom + n, keep * sizeof *g->geom);
    for (size_t b = 0; g->a && b < g->nblocks * (size_t)g->p.ncomp; b++) {
        double *a = g->a + b * g->cap * G4_LANES;
        memmove(a, a + n * G4_LANES, keep * G4_LANES * sizeof *a);
    }
    g->a_done = g->a_done > n ? g->a_done - n : 0;
    g->have = keep;
    g->base += n;
}

/* Origins of the next pass when there are more to come than the window can hold. */
static size_t g4_pass_size(const struct g4 *g)
{
    uint64_t s = g->blocks.s, n = s < g->chunk / G4_RUN ? s * G4_RUN : g->chunk;
    if (g->p.origins && g->p.origins - g->base < n)
        n = g->p.origins > g->base ? g->p.origins - g->base : 0;
    return (size_t)n;
}

static int g4_pass(struct g4 *g, size_t n)
{
    if (stats_blocks_reach(&g->blocks, g->base + n))
        return g4_fail(g, 3, "out of memory");
    if (g->p.method == G4_DIRECT ? g4_direct_pass(g, n) : g4_factored_pass(g, n))
        return -1;
    g4_slide(g, n);
    return 0;
}

/* A larger window for fft. */
static int g4_grow(struct g4 *g, size_t steps)
{
    size_t cap = g->cap;
    while (cap < steps)
        cap += cap / 2;
    if (cap == g->cap)
        return 0;
    size_t per = g->step_stride * g->esize, bytes, gbytes;
    if (__builtin_mul_overflow(cap, per, &bytes) ||
        __builtin_mul_overflow(cap, sizeof *g->geom, &gbytes))
        return g4_fail(g, 3, "out of memory");
    char *w = realloc(g->window, bytes);
    if (w)
        g->window = w;
    struct g4_geom *geom = realloc(g->geom, gbytes);
    if (geom)
        g->geom = geom;
    if (!w || !geom)
        return g4_fail(g, 3, "out of memory for %zu steps", cap);
    memset(w + g->cap * per, 0, (cap - g->cap) * per);
    g->cap = cap;
    return 0;
}

int g4_push(struct g4 *g, size_t nsteps, const void *data, const struct box *box)
{
    if (g->status)
        return -1;
    size_t step =
        (g->p.input == FRAME_POSN ? 3 * g->natoms : g->npairs * (size_t)g->p.ncomp) * g->esize;
    size_t done = 0;
    while (done < nsteps) {
        size_t room, n = nsteps - done;
        if (g->p.method == G4_FFT) {
            if (g4_check_memory(g, g->have + n) || g4_grow(g, g->have + n))
                return -1;
            room = n;
        } else {
            size_t pass = g4_pass_size(g);
            if (pass == 0) { /* every origin wanted is done */
                g->steps += n;
                return 0;
            }
            room = pass + g->lags - 1 - g->have;
        }
        n = n < room ? n : room;
        if (g4_store_steps(g, n, (const char *)data + done * step, box ? box + done : NULL))
            return -1;
        done += n;
        if (g->p.method != G4_FFT && n == room && g4_pass(g, g4_pass_size(g)))
            return -1;
    }
    return 0;
}

int g4_finish(struct g4 *g, struct g4_result *r)
{
    memset(r, 0, sizeof *r);
    if (g->status)
        return -1;
    size_t lags = g->lags ? g->lags : (size_t)g->steps;
    if (lags <= g->steps && g->p.method == G4_FFT && g4_fft_finish(g, lags))
        return -1;
    uint64_t end = g->p.origins ? g->p.origins : g->steps;
    while (lags <= g->steps && g->p.method != G4_FFT && g->base < end) {
        size_t n = g4_pass_size(g);
        if (g4_pass(g, n < end - g->base ? n : (size_t)(end - g->base)))
            return -1;
    }
    struct g4_params p = g->p;
    int status;
    if (g4_blocks_result(&g->blocks, &p, lags, g->steps, r, &status, g->err, sizeof g->err)) {
        g->status = status;
        return -1;
    }
    if (g->p.method != G4_DIRECT)
        g4_identity(r);
    if (g4_bad_none(r->sums, r->blocks * r->lags * (size_t)r->ncomp * G4_NFUNCTIONS))
        return 0;
    g4_result_free(r);
    g->status = 2;
    g4_bad_text(&g->p, 0, NULL, g->err, sizeof g->err);
    return -1;
}

void g4_tile_set(const struct g4 *g, int comp, size_t i, size_t bj, size_t at, size_t n,
                 struct g4_tile *t)
{
    memset(t, 0, sizeof *t);
    t->stride = g->step_stride;
    t->n = n;
    t->f64 = g->p.dtype == FRAME_F64;
    const char *w = (const char *)g->window + at * g->step_stride * g->esize;
    size_t bi = i / G4_LANES, il = i % G4_LANES;
    if (g->p.input == FRAME_POSN) {
        t->pi = w + (bi * g->block_stride + il) * g->esize;
        t->pj = w + bj * g->block_stride * g->esize;
    } else {
        size_t tile = (size_t)comp * g->ntiles + g4_block_pair(g, bi, bj) * G4_LANES + il;
        t->pj = w + tile * g->block_stride * g->esize;
    }
    t->geom = g->geom + at;
    t->one_geom = g->boxes == 1;
    t->component = g->p.component[comp];
    t->tri = g->tri;
    t->coef = g->p.coef[comp];
    t->rc2 = g->p.rc2;
    for (size_t l = 0; l < G4_LANES; l++) {
        size_t j = bj * G4_LANES + l;
        t->mask[l] = j > i && j < g->natoms ? -1 : 0;
    }
}

/* Step `at` of the window as it came, but wrapped: [natoms][3] or [ncomp][pairs]. */
static void g4_unstore(const struct g4 *g, size_t at, char *to)
{
    size_t n = g->natoms, es = g->esize;
    const char *w = (const char *)g->window + at * g->step_stride * es;
    if (g->p.input == FRAME_POSN) {
        for (size_t k = 0; k < 3 * n; k++) {
            size_t i = k / 3, lane = k % 3 * G4_LANES + i % G4_LANES;
            memcpy(to + k * es, w + (i / G4_LANES * g->block_stride + lane) * es, es);
        }
        return;
    }
    for (size_t c = 0; c < (size_t)g->p.ncomp; c++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++, to += es) {
                size_t tile =
                    g4_block_pair(g, i / G4_LANES, j / G4_LANES) * G4_LANES + i % G4_LANES;
                memcpy(to, w + ((c * g->ntiles + tile) * g->block_stride + j % G4_LANES) * es, es);
            }
}

int g4_find_bad(struct g4 *g, size_t at)
{
    struct g4_bad bad = {.step = at};
    int posn = g->p.input == FRAME_POSN, found = 0;
    char *step = malloc((posn ? 3 * g->natoms : g->npairs * (size_t)g->p.ncomp) * g->esize);
    if (!step)
        return g4_fail(g, 3, "out of memory");
    for (size_t s = posn ? at : 0; s <= at && !found; s++) { /* another component may come first */
        bad.step = s;
        g4_unstore(g, s, step);
        found = g4_bad_pair(&g->p, step, posn ? &g->geom[s].d : NULL, &bad);
    }
    free(step);
    g->status = 2;
    g4_bad_text(&g->p, g->base + bad.step, found ? &bad : NULL, g->err, sizeof g->err);
    return -1;
}
