/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"
#include "g4/pairs.h"

#define G4_CHUNK_MIN                                                                               \
    1024 /* origins of a pass; more than the lags, so that little beta is computed twice */
#define G4_CHUNK_DIRECT 64 /* the same for direct, whose window holds all pairs */

int g4_fail(struct g4 *g, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(g->err, sizeof g->err, fmt, ap);
    va_end(ap);
    g->status = status;
    return -1;
}

const char *g4_error(const struct g4 *g)
{
    return g->err;
}

int g4_error_status(const struct g4 *g)
{
    return g->status;
}

const char *g4_engine_name(void)
{
    static char name[64];
    snprintf(name, sizeof name, "CPU, %s", simd_name());
    return name;
}

int g4_probe(const char *devices, char *err, size_t errlen)
{
    (void)devices;
    if (errlen)
        err[0] = '\0';
    return 0;
}

/* a * b * c, or SIZE_MAX */
static size_t g4_product(size_t a, size_t b, size_t c)
{
    size_t r;
    return __builtin_mul_overflow(a, b, &r) || __builtin_mul_overflow(r, c, &r) ? SIZE_MAX : r;
}

static size_t g4_sum(size_t a, size_t b)
{
    size_t r;
    return __builtin_add_overflow(a, b, &r) ? SIZE_MAX : r;
}

/* Bytes of one step in the window. */
static size_t g4_step_bytes(const struct g4 *g)
{
    size_t lanes = g->p.input == FRAME_POSN ? g4_product(g->nblocks, 3, G4_LANES)
                                            : g4_product(g->ntiles, (size_t)g->p.ncomp, G4_LANES);
    return g4_product(lanes, g->esize, 1);
}

/* Bytes for a run of `steps` (fft) or any number of them (the others). */
static size_t g4_need(const struct g4 *g, uint64_t steps)
{
    size_t window = g4_product(g4_sum(g4_step_bytes(g), sizeof *g->geom), (size_t)steps, 1);
    size_t rows = g4_product(g->lags ? g->lags : (size_t)steps, (size_t)g->p.ncomp, G4_NFUNCTIONS);
    size_t rest = g->p.method == G4_FACTORED ? g4_factored_bytes(g)
                  : g->p.method == G4_DIRECT ? g4_direct_bytes(g)
                                             : g4_fft_bytes(g, steps);
    return g4_sum(g4_sum(window, rest), stats_blocks_bytes(stats_blocks_most(g->p.blocks), rows));
}

static const char *g4_size_text(size_t bytes, char *s, size_t n)
{
    static const char unit[] = "KMGTPE";
    double v = (double)bytes / 1024;
    int k = 0;
    while (v >= 1024 && k < 5) {
        v /= 1024;
        k++;
    }
    snprintf(s, n, "%.3g %ciB", v, unit[k]);
    return s;
}

int g4_check_memory(struct g4 *g, uint64_t steps)
{
    char a[32], b[32];
    size_t need = g4_need(g, steps);
    if (need != SIZE_MAX && (g->p.max_mem == 0 || need <= g->p.max_mem))
        return 0;
    const char *hint = g->p.method == G4_FFT ? " (method factored needs no whole trajectory)" : "";
    return g4_fail(g, 3, "%zu atoms and %zu lags need %s of memory, the limit (--max-mem) is %s%s",
                   g->natoms, g->lags, g4_size_text(need, a, sizeof a),
                   g4_size_text(g->p.max_mem, b, sizeof b), hint);
}

static void *g4_alloc(size_t bytes)
{
    void *p = NULL;
    if (bytes == SIZE_MAX || posix_memalign(&p, 64, bytes ? bytes : 64))
        return NULL;
    memset(p, 0, bytes);
    return p;
}

static int g4_layout(struct g4 *g)
{
    const struct g4_params *p = &g->p;
    size_t per = p->input == FRAME_POSN ? 3 * G4_LANES : G4_LANES;
    size_t blocks = p->input == FRAME_POSN ? g->nblocks : g->ntiles * (size_t)p->ncomp;
    if (p->method == G4_FFT) {
        g->block_stride = per;
        g->step_stride = per * blocks;
        g->cap =
            p->steps_hint && p->steps_hint < SIZE_MAX / 2 ? (size_t)p->steps_hint : G4_CHUNK_MIN;
    } else {
        g->chunk = p->method == G4_DIRECT ? G4_CHUNK_DIRECT : G4_CHUNK_MIN;
        while (p->method == G4_FACTORED && g->chunk < g->lags && g->chunk < SIZE_MAX / 4)
            g->chunk *= 2;
        g->cap = g->chunk + g->lags - 1;
        g->block_stride = per * g->cap;
        g->step_stride = per;
    }
    g->pool = pool_new(p->threads);
    g->rounds.blocks = g->nblocks;
    g->rounds.turn = g4_alloc(g4_product(2 * g->nblocks + 2, sizeof(unsigned), 1));
    if (!g->pool || !g->rounds.turn)
        return g4_fail(g, 3, "out of memory");
    if (p->method != G4_FFT || p->steps_hint)
        if (g4_check_memory(g, g->cap))
            return -1;
    g->window = g4_alloc(g4_product(g4_step_bytes(g), g->cap, 1));
    g->geom = g4_alloc(g4_product(g->cap, sizeof *g->geom, 1));
    if (!g->window || !g->geom)
        return g4_fail(g, 3, "out of memory");
    if (p->method == G4_FFT)
        return 0;
    size_t threads = (size_t)(p->threads > 0 ? p->threads : 1);
    g->slots = (g->nblocks + 1) / 2;
    g->tile = g4_alloc(g4_product(threads, g4_scratch_doubles(g), sizeof(double)));
    if (p->method == G4_FACTORED) {
        g->a =
            g4_alloc(g4_product(g->nblocks * (size_t)p->ncomp, g->cap, G4_LANES * sizeof(double)));
        g->acc = g4_alloc(g4_product(g->slots * G4_RUN, g4_acc_rows(g), G4_HALF * sizeof(double)));
    }
    if (!g->tile || (p->method == G4_FACTORED && (!g->a || !g->acc)))
        return g4_fail(g, 3, "out of memory");
    return 0;
}

static int g4_check_params(struct g4 *g)
{
    const struct g4_params *p = &g->p;
    if (p->natoms < 2)
        return g4_fail(g, 2, "expected at least 2 atoms, found %zu", p->natoms);
    if (p->natoms > (size_t)1 << 31)
        return g4_fail(g, 2, "%zu atoms are more than this program handles", p->natoms);
    if (p->ncomp < 1 || p->ncomp > BETA_NCOMPONENTS)
        return g4_fail(g, 2, "expected 1 to %d components, found %d", BETA_NCOMPONENTS, p->ncomp);
    if (p->lags < 1 && p->method != G4_FFT)
        return g4_fail(g, 2, "methods other than fft need a number of lags");
    if (p->lags > (size_t)1 << 40)
        return g4_fail(g, 2, "%zu lags are more than this program handles", p->lags);
    return 0;
}

struct g4 *g4_open(const struct g4_params *p, int *status, char *err, size_t errlen)
{
    struct g4 *g = calloc(1, sizeof *g);
    if (!g) {
        snprintf(err, errlen, "out of memory");
        *status = 3;
        return NULL;
    }
    g->p = *p;
    g->natoms = p->natoms;
    g->lags = p->lags;
    int bad = g4_check_params(g);
    if (!bad) {
        g->npairs = p->natoms * (p->natoms - 1) / 2;
        g->nblocks = (p->natoms + G4_LANES - 1) / G4_LANES;
        g->ntiles = g->nblocks * (g->nblocks + 1) / 2 * G4_LANES;
        g->esize = p->dtype == FRAME_F64 ? sizeof(double) : sizeof(float);
        stats_blocks_init(&g->blocks, stats_blocks_most(p->blocks),
                          p->lags * (size_t)p->ncomp * G4_NFUNCTIONS, 0);
        bad = g4_layout(g);
    }
    if (bad) {
        snprintf(err, errlen, "%s", g->err);
        *status = g->status;
        g4_close(g);
        return NULL;
    }
    return g;
}

void g4_close(struct g4 *g)
{
    if (!g)
        return;
    stats_blocks_free(&g->blocks);
    pool_free(g->pool);
    free(g->rounds.turn);
    free(g->window);
    free(g->geom);
    free(g->a);
    free(g->acc);
    free(g->tile);
    free(g);
}
