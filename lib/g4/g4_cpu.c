/* SPDX-License-Identifier: MIT */
/* g4_cpu.c: the CPU engine of g4.h, with its memory, the choice of the method, the passes over the
 * window, and the result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"

#define G4_CHUNK_MIN 1024  /* origins of a pass, at least `lags` so that few beta are made twice */
#define G4_CHUNK_MANY 256  /* origins for several components, whose tiles share the cache */
#define G4_SLOTS_LISTS 64  /* tasks of a pass with lists, each with its own accumulators */
#define G4_CHUNK_DIRECT 64 /* origins for the method `direct`, whose window holds all pairs */
#define G4_BYTES_MAX 9e18  /* more than any machine has (a double avoids overflow) */

const struct err *g4_error(const struct g4 *g)
{
    return &g->err;
}

/* The pairs of a window, and therefore the order of their sums, depend on this size. */
size_t g4_window(const struct g4_params *p)
{
    size_t n = 64; /* lower limit, because the number of pairs grows with the window */
    while (n < 2 * p->lags)
        n *= 2;
    return n;
}

static double window_bytes(const struct g4 *g, uint64_t steps)
{
    return (double)steps * (double)g->nrows * (double)g->per * (double)g->esize;
}

/* Returns the bytes for a run of `steps` steps (method `fft`), or of any number of steps (other
 * methods). */
static double need_bytes(const struct g4 *g, uint64_t steps)
{
    double rest = g->p.method == G4_FACTORED ? g4_factored_bytes(g)
                  : g->p.method == G4_DIRECT ? g4_direct_bytes(g)
                                             : g4_fft_bytes(g, steps);
    size_t lags = g->lags ? g->lags : (size_t)steps;
    rest += g->mesh ? g4_mesh_bytes(g) : 0.0;
    return window_bytes(g, steps) + (double)steps * sizeof *g->geom + rest +
           (double)g->blocks.max * (double)lags * g->p.ncomp * G4_NFUNCTIONS * sizeof(double);
}

/* Checks that the memory for the given number of steps (method `fft`), or for any number (other
 * methods), does not exceed max_mem. */
static int check_memory(struct g4 *g, uint64_t steps)
{
    double need = need_bytes(g, steps);
    return err_over(
        &g->err, need, g->p.max_mem && need < G4_BYTES_MAX ? g->p.max_mem : G4_BYTES_MAX,
        g->p.method == G4_FFT ? "--method factored, which keeps only part of the trajectory"
                              : "fewer --lags, components or --threads",
        "%zu atoms and %zu lags", g->natoms, g->lags);
}

static void *alloc(double bytes)
{
    void *p = NULL;
    if (bytes >= G4_BYTES_MAX || posix_memalign(&p, 64, bytes >= 64 ? (size_t)bytes : 64))
        return NULL;
    memset(p, 0, (size_t)bytes);
    return p;
}

/* Allocates the memory that the method keeps between passes. */
static int open_scratch(struct g4 *g)
{
    double threads = g->p.threads > 0 ? g->p.threads : 1, d = sizeof(double);
    g->pool = pool_new(g->p.threads);
    g->rounds.blocks = g->nblocks;
    g->rounds.turn = alloc((2.0 * (double)g->nblocks + 2) * sizeof(unsigned));
    g->window = alloc(window_bytes(g, g->cap));
    g->geom = alloc((double)g->cap * sizeof *g->geom);
    int good = g->pool && g->rounds.turn && g->window && g->geom;
    if (g->p.method != G4_FFT) {
        g->tile = alloc(threads * (double)g4_scratch_doubles(g) * d);
        good &= g->tile != NULL;
    }
    if (g->p.method == G4_FACTORED) {
        double lanes = (double)g->nblocks * g->p.ncomp * G4_LANES;
        g->a = alloc(lanes * (double)g->cap * d);
        g->acc = alloc((double)g->p.ncomp * (double)g->slots * G4_RUN * (double)g4_acc_rows(g) *
                       G4_HALF * d);
        good &= g->a && g->acc;
    }
    return good ? 0 : err_set(&g->err, ERR_MEMORY, "out of memory");
}

static int open_window(struct g4 *g)
{
    const struct g4_params *p = &g->p;
    int posn = p->input == FRAME_POSN;
    g->per = g->lists ? 1 : posn ? 3 * G4_LANES : G4_LANES;
    g->nrows = g->lists ? 3 * g->natoms : posn ? g->nblocks : g->ntiles * (size_t)p->ncomp;
    g->slots = (g->nblocks + 1) / 2;
    if (g->lists && g->slots > G4_SLOTS_LISTS)
        g->slots = G4_SLOTS_LISTS;
    if (p->method == G4_FFT) {
        g->row_stride = g->per;
        g->step_stride = g->per * g->nrows;
        g->cap =
            p->steps_hint && p->steps_hint < SIZE_MAX / 2 ? (size_t)p->steps_hint : G4_CHUNK_MIN;
        return p->steps_hint ? check_memory(g, g->cap) : 0;
    }
    g->chunk = p->method == G4_DIRECT ? G4_CHUNK_DIRECT
               : g->lists             ? g4_window(&g->p)
               : p->ncomp > 1         ? G4_CHUNK_MANY
                                      : G4_CHUNK_MIN;
    while (p->method == G4_FACTORED && g->chunk < g->lags)
        g->chunk *= 2;
    g->cap = g->chunk + g->lags - 1;
    if (g->lists) /* rounds up to whole vectors of steps */
        g->cap = (g->cap + G4_LANES - 1) / G4_LANES * G4_LANES;
    g->row_stride = g->per * g->cap;
    g->step_stride = g->per;
    g->places = p->threads > 1 ? (size_t)p->threads : 1;
    while (g->mesh && g->places > 1 && p->max_mem && need_bytes(g, g->cap) > (double)p->max_mem)
        g->places--;
    return check_memory(g, g->cap);
}

static int check_params(const struct g4_params *p, struct err *e)
{
    if (p->natoms < 2)
        return err_bad(e, "expected at least 2 atoms, found %zu", p->natoms);
    if (p->natoms > (size_t)1 << 31)
        return err_bad(e, "%zu atoms are more than this program handles", p->natoms);
    if (p->ncomp < 1 || p->ncomp > BETA_NCOMPONENTS)
        return err_bad(e, "expected 1 to %d components, found %d", BETA_NCOMPONENTS, p->ncomp);
    if (p->lags < 1 && p->method != G4_FFT)
        return err_bad(e, "methods other than fft need a number of lags (give --lags or --tmax)");
    if (p->lags > (size_t)1 << 40)
        return err_bad(e, "%zu lags are more than this program handles", p->lags);
    return 0;
}

/* Decides whether to use lists, and allocates memory. A run that can use lists but has no step
 * needs no memory. */
static int open_first(struct g4 *g, const void *data, const struct box *box)
{
    if (g4_lists_choose(g, data, box) ||
        (g->lists && g->p.sum.mesh == SUM_MESH && g4_mesh_open(g, box)))
        return -1;
    return (data || !g4_lists_may(&g->p)) && (open_window(g) || open_scratch(g)) ? -1 : 0;
}

struct g4 *g4_open(struct g4_params *p, const void *data, const struct box *box, struct err *e)
{
    if (check_params(p, e))
        return NULL;
    struct g4 *g = calloc(1, sizeof *g);
    if (!g) {
        err_set(e, ERR_MEMORY, "out of memory");
        return NULL;
    }
    g4_lists_mesh(p, box);
    g->p = *p;
    g->natoms = p->natoms;
    g->lags = p->lags;
    g->npairs = p->natoms * (p->natoms - 1) / 2;
    g->nblocks = (p->natoms + G4_LANES - 1) / G4_LANES;
    g->ntiles = g->nblocks * (g->nblocks + 1) / 2 * G4_LANES;
    g->esize = frame_dtype_size(p->dtype);
    g->step_bytes =
        (p->input == FRAME_POSN ? 3 * g->natoms : g->npairs * (size_t)p->ncomp) * g->esize;
    g4_blocks_init(&g->blocks, p, p->lags);
    g->base = g->steps = p->from;
    if (open_first(g, data, box)) {
        *e = g->err;
        g4_close(g);
        return NULL;
    }
    return g;
}

/* Returns the number of origins of the next pass if more follow than the window can hold. */
static size_t pass_size(const struct g4 *g)
{
    uint64_t s = g->blocks.s, n = s < g->chunk / G4_RUN ? s * G4_RUN : g->chunk;
    uint64_t end = g4_last_origin(g);
    if (g->p.share.total) /* passes end as in the whole run, so that sub-blocks merge there */
        n -= g->base % n;
    if (end - g->base < n)
        n = end > g->base ? end - g->base : 0;
    return (size_t)n;
}

static int pass(struct g4 *g, size_t n)
{
    g->warned = 0;
    uint64_t reach = g->base + n, whole = g->base - g->base % g->chunk + g->chunk;
    if (g->p.share.total) /* ends where the same pass ends in the whole run */
        reach = whole < g->p.share.total ? whole : g->p.share.total;
    if (stats_blocks_reach(&g->blocks, reach))
        return err_set(&g->err, ERR_MEMORY, "out of memory");
    if (g->p.method == G4_DIRECT ? g4_direct_pass(g, n) : g4_factored_pass(g, n))
        return -1;
    g4_window_slide(g, n);
    return 0;
}

/* With the method `fft`, the window grows. */
static int keep(struct g4 *g, size_t n, const void *data, const struct box *box)
{
    if (check_memory(g, g->have + n) || g4_window_grow(g, g->have + n))
        return -1;
    return g4_window_put(g, n, data, box);
}

int g4_push(struct g4 *g, size_t nsteps, const void *data, const struct box *box)
{
    if (g->err.status)
        return -1;
    if (g->p.method == G4_FFT)
        return keep(g, nsteps, data, box);
    size_t done = 0;
    if (g->p.share.total && !g->lists && g->base < g->p.share.first) { /* no window to fill */
        uint64_t early = g->p.share.first - g->base;
        done = early < nsteps ? (size_t)early : nsteps;
        g->base = g->steps += done;
    }
    while (done < nsteps) {
        size_t n = nsteps - done, size = pass_size(g), capacity = size + g->lags - 1 - g->have;
        if (size == 0) { /* every requested origin is done */
            g->steps += n;
            return 0;
        }
        n = n < capacity ? n : capacity;
        if (g4_window_put(g, n, (const char *)data + done * g->step_bytes, box ? box + done : NULL))
            return -1;
        done += n;
        if (n == capacity && pass(g, size))
            return -1;
    }
    return 0;
}

int g4_finish(struct g4 *g, struct g4_result *r)
{
    memset(r, 0, sizeof *r);
    if (g->err.status)
        return -1;
    if (g->p.share.total)
        g->steps = g->p.share.total;
    size_t lags = g->lags ? g->lags : (size_t)g->steps;
    if (lags <= g->steps && g->p.method == G4_FFT && g4_fft_finish(g, lags))
        return -1;
    uint64_t end = g4_last_origin(g);
    end = end < UINT64_MAX ? end : g->steps;
    while (lags <= g->steps && g->p.method != G4_FFT && g->base < end) {
        size_t n = pass_size(g);
        if (pass(g, n < end - g->base ? n : (size_t)(end - g->base)))
            return -1;
    }
    if (g4_result_make(&g->blocks, &g->p, lags, g->steps, r, &g->err))
        return -1;
    r->listed = g->lists ? g4_lists_mean(g->lists) : 0.0;
    if (g4_result_finite(r))
        return 0;
    g4_result_free(r);
    return g4_report_nonfinite(&g->p, 0, 0, NULL, NULL, &g->err);
}

void g4_close(struct g4 *g)
{
    if (!g)
        return;
    stats_blocks_free(&g->blocks);
    pool_free(g->pool);
    g4_mesh_free(g->mesh);
    g4_lists_free(g->lists);
    free(g->rounds.turn);
    for (size_t k = 0; g->geom && k < g->have; k++)
        sum_cell_free(g->geom + k);
    sum_memory_free(&g->memory);
    free(g->window);
    free(g->geom);
    free(g->a);
    free(g->acc);
    free(g->tile);
    free(g);
}
