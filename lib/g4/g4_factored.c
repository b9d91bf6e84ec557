/* SPDX-License-Identifier: MIT */
/* g4_factored.c: one pass of the method `factored`. It computes G2 from tiles of pairs, and from
 * the same tiles A_i and S. The order of every sum is fixed by g4_rounds.h. Splitting the lags into
 * two phases saves a quarter of the multiplications. With e_k = x_2k and o_k = x_2k+1, sums over k
 * of P1_m = e_k e_k+m, P2_m = o_k o_k+m, P3_m = (e_k + o_k) (o_k+m + e_k+m+1) give lag 2m as P1_m +
 * P2_m and lag 2m + 1 as P3_m - P1_m+1 - P2_m, up to rounding of double sums. The factors of P3 are
 * sums of f32 values, so its products are never fused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"

#define G4_PHASES_FROM 6 /* smallest number of lags for which two phases are faster */

double g4_factored_bytes(const struct g4 *g)
{
    double blocks = (double)g->nblocks, threads = g->p.threads > 0 ? g->p.threads : 1;
    double a = blocks * g->p.ncomp * G4_LANES * (double)g->cap;
    double acc = (double)g->slots * G4_RUN * G4_HALF * (double)g4_acc_rows(g) * g->p.ncomp;
    return (a + acc + threads * (double)g4_scratch_doubles(g)) * sizeof(double) +
           (g->lists ? g4_lists_bytes(g) : 0.0);
}

/* State of a pass. Its n origins begin at step 0 of the window and are divided into runs at the
 * boundaries of sub-blocks. */
struct pass {
    struct g4 *g;
    int comp;
    size_t n, span; /* origins, and number of existing steps among the n + lags - 1 */
    size_t from;    /* first step whose A is not yet known */
    size_t runs, start[G4_RUN + 1];
    int failed;         /* set if out of memory for a list */
    int phases[G4_RUN]; /* the run begins and ends at an even origin: use two phases */
};

static double *g4_a(const struct g4 *g, int comp, size_t block)
{
    return g->a + ((size_t)comp * g->nblocks + block) * g->cap * G4_LANES;
}

/* Adds the lag products of one half tile [n + lags - 1] to the accumulators. The array u is scratch
 * memory. */
static void pass_lags(const struct pass *p, const double *x, int fused, double *u, double *acc)
{
    size_t lags = p->g->lags, half = (p->n + lags) / 2, odd = lags / 2, even = lags - odd;
    double *v = u + (half + 1) * G4_HALF;
    size_t made = 0; /* elements of u and v so far, made while the steps are in the cache */
    for (size_t r = 0; r < p->runs; r++, acc += g4_acc_rows(p->g) * G4_HALF) {
        size_t s = p->start[r], n = p->start[r + 1] - s;
        const double *e = x + s * G4_HALF, *o = e + G4_HALF;
        if (!p->phases[r]) {
            SIMD_PICK(g4_lags)(e, e, 1, n, lags, fused, acc);
            continue;
        }
        size_t more = (s + n) / 2 + odd - 1 - made, at = made * G4_HALF;
        SIMD_PICK(g4_phases)(x + 2 * at, more, u + at, v + at);
        made += more;
        SIMD_PICK(g4_lags)(e, e, 2, n / 2, odd + 1, fused, acc);
        SIMD_PICK(g4_lags)(o, o, 2, n / 2, even, fused, acc + (odd + 1) * G4_HALF);
        SIMD_PICK(g4_lags)
        (u + s / 2 * G4_HALF, v + s / 2 * G4_HALF, 1, n / 2, odd, 0,
         acc + (odd + 1 + even) * G4_HALF);
    }
}

static double *g4_acc(const struct g4 *g, int comp, size_t slot)
{
    return g->acc + ((size_t)comp * g->slots + slot) * G4_RUN * g4_acc_rows(g) * G4_HALF;
}

static double *g4_scratch(const struct g4 *g, int thread)
{
    return g->tile + (size_t)thread * g4_scratch_doubles(g);
}

/* Processes all pairs between blocks bi <= bj, for component p->comp and the components after it
 * that share a tile. */
static void pass_blocks(void *ctx, size_t bi, size_t bj, size_t slot, int thread)
{
    const struct pass *p = ctx;
    struct g4 *g = p->g;
    size_t len = p->n + g->lags - 1, per = (g->cap + 4) * G4_HALF;
    int nc = g4_tile_comps(g), comp = p->comp;
    double *tile = g4_scratch(g, thread), *u = tile + 2 * (size_t)nc * per;
    for (size_t il = 0; il < G4_LANES && bi * G4_LANES + il < g->natoms; il++) {
        struct g4_tile t;
        g4_tile_set(g, comp, nc, bi * G4_LANES + il, bj, 0, p->span, &t);
        int any[2] = {0, 0};
        for (int l = 0; l < G4_LANES; l++)
            any[l / G4_HALF] |= t.mask[l];
        if (!any[0] && !any[1])
            continue;
        for (int k = 0; k < nc; k++) {
            t.half[k][0] = tile + 2 * (size_t)k * per;
            t.half[k][1] = t.half[k][0] + per;
            t.arow[k] = g4_a(g, comp + k, bi) + il;
            t.acol[k] = g4_a(g, comp + k, bj);
        }
        t.from = p->from;
        SIMD_PICK(g4_tile_fill)(&t);
        for (int k = 0; k < 2 * nc; k++) {
            double *half = t.half[k / 2][k % 2];
            if (!any[k % 2])
                continue;
            memset(half + p->span * G4_HALF, 0, (len - p->span) * G4_HALF * sizeof *tile);
            pass_lags(p, half, !t.f64, u, g4_acc(g, comp + k / 2, slot));
        }
    }
    g4_tell(g, p->n, thread);
}

/* Processes the pairs between the atoms of a slot and their neighbours. */
static void pass_short_range(void *ctx, size_t slot, int thread)
{
    struct pass *p = ctx;
    struct g4 *g = p->g;
    size_t len = p->n + g->lags - 1, per = (g->cap + 4) * G4_HALF;
    int nc = g4_tile_comps(g);
    double *tile = g4_scratch(g, thread), *u = tile + 2 * (size_t)nc * per;
    double *half[BETA_NCOMPONENTS], *a[BETA_NCOMPONENTS];
    struct g4_near t;
    g4_lists_kernel(g, p->comp, &t);
    for (int c = 0; c < nc; c++)
        half[c] = tile + (size_t)c * per;
    for (size_t k = slot * g->natoms / g->slots; k < (slot + 1) * g->natoms / g->slots; k++) {
        uint32_t *near;
        size_t i, behind = 0, n = g4_lists_near(g, &t, k, thread, &i, &near);
        if (n == SIZE_MAX) {
            __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
            return;
        }
        for (int c = 0; c < nc; c++)
            a[c] = g4_a(g, p->comp + c, i / G4_LANES) + i % G4_LANES;
        SIMD_PICK(g4_near_sum)(&t, i, near, n, p->from, a);
        for (size_t q = 0; q < n; q++) {
            near[behind] = near[q];
            behind += near[q] > i;
        }
        for (size_t q = 0; q < behind; q += G4_HALF) {
            SIMD_PICK(g4_near_fill)
            (&t, i, near + q, behind - q < G4_HALF ? behind - q : G4_HALF, half);
            for (int c = 0; c < nc; c++) {
                memset(half[c] + p->span * G4_HALF, 0, (len - p->span) * G4_HALF * sizeof *tile);
                pass_lags(p, half[c], !t.f64, u, g4_acc(g, p->comp + c, slot));
            }
        }
    }
    g4_tell(g, p->n, thread);
}

/* Computes sum_i A_i A_i' of the atom blocks of a slot, with one lane per atom. */
static void pass_atoms(void *ctx, size_t k, int thread)
{
    const struct pass *p = ctx;
    struct g4 *g = p->g;
    size_t len = p->n + g->lags - 1;
    double *tile = g4_scratch(g, thread), *acc = g4_acc(g, p->comp, k);
    size_t each = (g->nblocks + g->slots - 1) / g->slots, end = (k + 1) * each;
    for (size_t b = k * each; b < end && b < g->nblocks; b++) {
        const double *a = g4_a(g, p->comp, b);
        for (size_t h = 0; h < 2; h++) {
            for (size_t s = 0; s < len; s++)
                for (size_t l = 0; l < G4_HALF; l++)
                    tile[s * G4_HALF + l] = s < p->span ? a[s * G4_LANES + h * G4_HALF + l] : 0.0;
            pass_lags(p, tile, 0, tile + 2 * (g->cap + 4) * G4_HALF, acc);
        }
    }
}

/* Returns accumulator i of a run, summed over lanes and slots. */
static double pass_sum(const struct pass *p, size_t run, size_t i)
{
    const struct g4 *g = p->g;
    double sum = 0.0;
    for (size_t k = 0; k < g->slots; k++) {
        const double *v = g4_acc(g, p->comp, k) + (run * g4_acc_rows(g) + i) * G4_HALF;
        sum += ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
    }
    return sum;
}

/* Adds the accumulators of all slots to function f of the sub-blocks and clears them. */
static void pass_reduce(const struct pass *p, int f)
{
    struct g4 *g = p->g;
    size_t odd = g->lags / 2, p2 = odd + 1, p3 = p2 + (g->lags - odd), ncomp = (size_t)g->p.ncomp;
    for (size_t r = 0; r < p->runs; r++) {
        double *row = stats_blocks_at(&g->blocks, g->base + p->start[r]) +
                      (size_t)p->comp * G4_NFUNCTIONS + (size_t)f;
        for (size_t l = 0; l < g->lags; l++) {
            size_t m = l / 2;
            double sum;
            if (!p->phases[r])
                sum = pass_sum(p, r, l);
            else if (l % 2 == 0)
                sum = pass_sum(p, r, m) + pass_sum(p, r, p2 + m);
            else
                sum = (pass_sum(p, r, p3 + m) - pass_sum(p, r, m + 1)) - pass_sum(p, r, p2 + m);
            row[l * ncomp * G4_NFUNCTIONS] += sum;
        }
    }
    for (size_t k = 0; k < g->slots; k++)
        memset(g4_acc(g, p->comp, k), 0, p->runs * g4_acc_rows(g) * G4_HALF * sizeof *g->acc);
}

/* Computes S S' of the pass, where S(t) is half the sum of A_i(t). The scratch array s holds the
 * span. */
static void pass_total(const struct pass *p, double *s)
{
    struct g4 *g = p->g;
    for (size_t t = 0; t < p->span; t++) {
        double sum = 0.0;
        for (size_t b = 0; b < g->nblocks; b++) {
            const double *a = g4_a(g, p->comp, b) + t * G4_LANES;
            for (size_t l = 0; l < G4_LANES; l++)
                sum += a[l];
        }
        s[t] = 0.5 * sum;
    }
    for (size_t r = 0; r < p->runs; r++) {
        double *row = stats_blocks_at(&g->blocks, g->base + p->start[r]);
        for (size_t l = 0; l < g->lags; l++) {
            double sum = 0.0;
            for (size_t t = p->start[r]; t < p->start[r + 1] && t + l < p->span; t++)
                sum += s[t] * s[t + l];
            row[(l * (size_t)g->p.ncomp + (size_t)p->comp) * G4_NFUNCTIONS + G4_G] += sum;
        }
    }
}

/* Checks that A of the new steps is finite. It is not finite if two atoms coincide. */
static int pass_check(const struct pass *p)
{
    struct g4 *g = p->g;
    size_t bad = p->span;
    for (size_t b = 0; b < g->nblocks; b++) {
        const double *a = g4_a(g, p->comp, b);
        for (size_t s = p->from; s < bad; s++)
            for (size_t l = 0; l < G4_LANES; l++)
                if (!isfinite(a[s * G4_LANES + l]) && s < bad)
                    bad = s;
    }
    return bad < p->span ? g4_report_nonfinite_step(g, bad) : 0;
}

static void pass_cut(struct pass *p)
{
    struct g4 *g = p->g;
    for (uint64_t o = g->base; o < g->base + p->n; o = stats_blocks_end(&g->blocks, o))
        p->start[p->runs++] = (size_t)(o - g->base);
    p->start[p->runs] = p->n;
    int all = g->lags >= G4_PHASES_FROM;
    for (size_t r = 0; r < p->runs; r++) {
        p->phases[r] = g->lags >= G4_PHASES_FROM && !(p->start[r] % 2 | p->start[r + 1] % 2);
        all &= p->phases[r];
    }
    for (size_t r = 0; r < p->runs && g->p.blocks; r++)
        p->phases[r] = all; /* for all blocks or no blocks (otherwise runs are independent) */
}

int g4_factored_pass(struct g4 *g, size_t n)
{
    size_t len = n + g->lags - 1;
    struct pass p = {.g = g, .n = n, .span = len < g->have ? len : g->have, .from = g->a_done};
    pass_cut(&p);
    if (g->lists && g4_lists_begin(g, p.span))
        return -1;
    g->rounds.places = g->slots;
    g->rounds.match = pass_blocks;
    g->rounds.ctx = &p;
    g->tasks = (g->lists ? g->slots : g->nblocks * (g->nblocks + 1) / 2) *
               (uint64_t)(g->p.ncomp / g4_tile_comps(g));
    if (g->mesh && g4_mesh_pass(g, p.from, p.span))
        return -1;
    for (size_t b = 0; !g->mesh && b < g->nblocks * (size_t)g->p.ncomp; b++)
        memset(g4_a(g, 0, b) + p.from * G4_LANES, 0, (p.span - p.from) * G4_LANES * sizeof *g->a);
    for (p.comp = 0; p.comp < g->p.ncomp; p.comp++) {
        if (p.comp % g4_tile_comps(g) == 0 && g->lists)
            pool_run(g->pool, pass_short_range, &p, g->slots);
        else if (p.comp % g4_tile_comps(g) == 0)
            g4_rounds_run(g->pool, &g->rounds);
        if (p.failed)
            return err_memory(&g->err, "lists");
        if (pass_check(&p))
            return -1;
        pass_reduce(&p, G4_G2);
        pool_run(g->pool, pass_atoms, &p, g->slots);
        pass_reduce(&p, G4_ATOMS);
        pass_total(&p, g->tile);
    }
    g->a_done = p.span;
    return 0;
}
