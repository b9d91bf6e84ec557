/* SPDX-License-Identifier: MIT */
/* g4_direct.c: Algorithm 1 of Dawid 2019, which enumerates every pair of pairs (p, q), sorted by
 * the number of atoms that they share. It is a reference for the other methods, because it does not
 * use the identity. The cost per step and lag is proportional to N^4. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"

/* The array of beta for all pairs in a window of `span` steps is [tile of 16 pairs][span][16]. */
static size_t direct_tiles(const struct g4 *g)
{
    return (g->npairs + G4_LANES - 1) / G4_LANES;
}

double g4_direct_bytes(const struct g4 *g)
{
    double threads = g->p.threads > 0 ? g->p.threads : 1;
    return ((double)direct_tiles(g) * G4_LANES + threads * 4 * G4_HALF) * (double)g->cap *
           sizeof(double);
}

struct direct {
    struct g4 *g;
    int comp;
    size_t pass, span, tiles; /* pass: number of origins of the pass */
    double *beta;             /* [tiles][span][16] */
    struct g4_atoms *atoms;   /* [tiles] */
    double *sums;             /* [tiles][G4_NFUNCTIONS] */
    size_t o, n, lag;         /* current product of origins [o, o + n) at one lag */
};

/* Computes beta of all pairs in the row of atom i. */
static void direct_row(void *ctx, size_t i, int thread)
{
    const struct direct *d = ctx;
    struct g4 *g = d->g;
    double *half = g->tile + (size_t)thread * g4_scratch_doubles(g);
    for (size_t bj = i / G4_LANES; bj < g->nblocks; bj++) {
        struct g4_tile t;
        g4_tile_set(g, d->comp, 1, i, bj, 0, d->span, &t);
        t.half[0][0] = half;
        t.half[0][1] = half + d->span * G4_HALF;
        SIMD_PICK(g4_tile_fill)(&t);
        for (size_t l = 0; l < G4_LANES; l++) {
            if (!t.mask[l])
                continue;
            size_t j = bj * G4_LANES + l, pair = i * (2 * g->natoms - i - 1) / 2 + (j - i - 1);
            double *to = d->beta + pair / G4_LANES * d->span * G4_LANES + pair % G4_LANES;
            for (size_t s = 0; s < d->span; s++)
                to[s * G4_LANES] = t.half[0][l / G4_HALF][s * G4_HALF + l % G4_HALF];
        }
    }
}

static int direct_table(struct direct *d)
{
    struct g4 *g = d->g;
    size_t bad = d->span;
    pool_run(g->pool, direct_row, d, g->natoms - 1);
    for (size_t p = 0; p < d->tiles; p++)
        for (size_t s = 0; s < bad; s++)
            for (size_t l = 0; l < G4_LANES; l++)
                if (!isfinite(d->beta[(p * d->span + s) * G4_LANES + l]) && s < bad)
                    bad = s;
    return bad < d->span ? g4_report_nonfinite_step(g, bad) : 0;
}

/* Multiplies tile q by every tile p. */
static void direct_tile(void *ctx, size_t q, int thread)
{
    const struct direct *d = ctx;
    size_t per = d->span * G4_LANES;
    double v[G4_NFUNCTIONS * G4_LANES] = {0};
    for (size_t p = 0; p < d->tiles; p++)
        SIMD_PICK(g4_products)
    (d->beta + p * per + d->o * G4_LANES, d->beta + q * per + (d->o + d->lag) * G4_LANES, d->n,
     d->atoms + p, d->atoms + q, v);
    for (size_t f = 0; f < G4_NFUNCTIONS; f++) {
        double sum = 0.0;
        for (size_t l = 0; l < G4_LANES; l++)
            sum += v[f * G4_LANES + l];
        d->sums[q * G4_NFUNCTIONS + f] = sum;
    }
    g4_tell(d->g, d->pass, thread);
}

static void direct_products(struct direct *d, double *row)
{
    pool_run(d->g->pool, direct_tile, d, d->tiles);
    for (size_t q = 0; q < d->tiles; q++)
        for (size_t f = 0; f < G4_NFUNCTIONS; f++)
            row[f] += d->sums[q * G4_NFUNCTIONS + f];
}

static void direct_atoms(const struct direct *d)
{
    size_t n = d->g->natoms, p = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++, p++) {
            d->atoms[p / G4_LANES].i[p % G4_LANES] = (int64_t)i;
            d->atoms[p / G4_LANES].j[p % G4_LANES] = (int64_t)j;
        }
}

static int direct_component(struct direct *d, size_t n)
{
    struct g4 *g = d->g;
    if (direct_table(d))
        return -1;
    for (uint64_t o = g->base; o < g->base + n; o = stats_blocks_end(&g->blocks, o)) {
        uint64_t end = stats_blocks_end(&g->blocks, o) < g->base + n
                           ? stats_blocks_end(&g->blocks, o)
                           : g->base + n;
        double *row = stats_blocks_at(&g->blocks, o);
        for (size_t l = 0; l < g->lags; l++) {
            size_t from = (size_t)(o - g->base), to = (size_t)(end - g->base);
            to = to + l < d->span ? to : d->span > l ? d->span - l : 0;
            if (to <= from)
                continue;
            d->o = from;
            d->n = to - from;
            d->lag = l;
            direct_products(d, row + (l * (size_t)g->p.ncomp + (size_t)d->comp) * G4_NFUNCTIONS);
        }
    }
    return 0;
}

int g4_direct_pass(struct g4 *g, size_t n)
{
    size_t len = n + g->lags - 1;
    struct direct d = {
        .g = g, .pass = n, .span = len < g->have ? len : g->have, .tiles = direct_tiles(g)};
    int bad = 0;
    g->tasks = 0;
    for (uint64_t o = g->base; o < g->base + n; o = stats_blocks_end(&g->blocks, o))
        g->tasks += (uint64_t)g->p.ncomp * g->lags * d.tiles;
    d.beta = calloc(d.tiles * d.span, G4_LANES * sizeof *d.beta);
    d.atoms = calloc(d.tiles, sizeof *d.atoms);
    d.sums = calloc(d.tiles, G4_NFUNCTIONS * sizeof *d.sums);
    if (!d.beta || !d.atoms || !d.sums)
        bad = err_set(&g->err, ERR_MEMORY, "out of memory for %zu pairs over %zu steps", g->npairs,
                      d.span);
    else
        direct_atoms(&d);
    for (d.comp = 0; !bad && d.comp < g->p.ncomp; d.comp++)
        bad = direct_component(&d, n);
    free(d.beta);
    free(d.atoms);
    free(d.sums);
    return bad;
}
