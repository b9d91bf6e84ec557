/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/box.h"
#include "base/real.h"
#include "base/rng.h"
#include "base/units.h"
#include "md/md_formulas.h"
#include "near/near.h"

#define MD_PIECE 16384 /* number of atoms per task */

#define MD_PUSH_ROUNDS 2000
#define MD_PUSH_LIMIT 0.9 /* in sigma, smallest distance in a random start, where U is 6.7 eps */
#define MD_PUSH_GOAL 0.92 /* target of the pushes, slightly larger so that the rounds end */

/* Threads process atoms in pieces. One thread computes floating-point sums, in the order of the
 * atoms, so that the bits do not depend on the number of threads. */
struct md_fill {
    const struct md_params *p;
    uint64_t seed;
    double *out; /* [natoms][3] */
    double mean[3], scale;
    size_t cells[3]; /* fcc */
};

static void md_fill_normal(void *ctx, size_t from, size_t to, int thread)
{
    struct md_fill *f = ctx;
    (void)thread;
    for (size_t i = from; i < to; i++) {
        double g[4];
        rng_normal2(rng_at(f->seed, RNG_VELOCITY, i, 0), g);
        rng_normal2(rng_at(f->seed, RNG_VELOCITY, i, 1), g + 2);
        memcpy(f->out + 3 * i, g, 3 * sizeof *g);
    }
}

/* Subtracts the mean, then scales the values. */
static void md_fill_scale(void *ctx, size_t from, size_t to, int thread)
{
    struct md_fill *f = ctx;
    (void)thread;
    for (size_t i = 3 * from; i < 3 * to; i++)
        f->out[i] = (f->out[i] - f->mean[i % 3]) * f->scale;
}

void md_init_velocities(const struct md_params *p, uint64_t seed, double *v, struct pool *pool)
{
    struct md_fill f = {.p = p, .seed = seed, .out = v};
    size_t n = p->natoms;
    double sum[3] = {0.0, 0.0, 0.0}, k2 = 0.0;
    pool_pieces(pool, md_fill_normal, &f, n, MD_PIECE);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            sum[k] += v[3 * i + k];
    for (size_t k = 0; k < 3; k++)
        f.mean[k] = n > 1 ? sum[k] / (double)n : 0.0;
    for (size_t i = 0; i < 3 * n; i++)
        k2 += (v[i] - f.mean[i % 3]) * (v[i] - f.mean[i % 3]);
    double want = md_dof(p) * p->kb * p->temperature / (p->mass * p->mvv2e);
    f.scale = k2 > 0.0 ? sqrt(want / k2) : 0.0;
    pool_pieces(pool, md_fill_scale, &f, n, MD_PIECE);
}

static void md_fill_fcc(void *ctx, size_t from, size_t to, int thread)
{
    static const double base[4][3] = {
        {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    struct md_fill *f = ctx;
    (void)thread;
    size_t n1 = f->cells[1], n2 = f->cells[2], sites = 4 * f->cells[0] * n1 * n2;
    for (size_t i = from; i < to; i++) {
        size_t s = (size_t)((__uint128_t)i * sites / f->p->natoms), cell = s / 4;
        size_t at[3] = {cell / (n1 * n2), cell / n2 % n1, cell % n2};
        for (size_t k = 0; k < 3; k++)
            f->out[3 * i + k] =
                ((double)at[k] + base[s % 4][k]) * (f->p->box[k] / (double)f->cells[k]);
    }
}

/* Sets the number of lattice cells along each edge. */
static void md_fcc_cells(const struct md_params *p, double cells[3])
{
    double a = cbrt(4.0 * p->box[0] * p->box[1] * p->box[2] / (double)p->natoms);
    for (int k = 0; k < 3; k++)
        cells[k] = fmax(1.0, floor(p->box[k] / a * (1.0 + 1e-9)));
    while (4.0 * cells[0] * cells[1] * cells[2] < (double)p->natoms) {
        int widest = 0;
        for (int k = 1; k < 3; k++)
            if (p->box[k] / cells[k] > p->box[widest] / cells[widest] * (1.0 + 1e-9))
                widest = k;
        cells[widest] += 1.0;
    }
}

static void md_init_fcc(const struct md_params *p, double *r, struct pool *pool)
{
    double cells[3];
    md_fcc_cells(p, cells);
    struct md_fill f = {.p = p, .out = r};
    for (int k = 0; k < 3; k++)
        f.cells[k] = (size_t)cells[k];
    pool_pieces(pool, md_fill_fcc, &f, p->natoms, MD_PIECE);
}

double md_init_spacing(const struct md_params *p, enum md_start start)
{
    double cells[3], a[3], min = HUGE_VAL;
    if (start != MD_FCC)
        return MD_PUSH_LIMIT * p->sigma;
    md_fcc_cells(p, cells);
    for (int k = 0; k < 3; k++)
        a[k] = p->box[k] / cells[k];
    for (int k = 0; k < 3; k++)
        min = fmin(min, fmin(a[k], 0.5 * hypot(a[k], a[(k + 1) % 3])));
    return min * (1.0 - 1e-6); /* allows for the rounding of sites */
}

double md_fcc_order(const struct md_params *p, const void *r)
{
    double cells[3], sum = 0.0;
    size_t n = 0, every = p->natoms / 100000 + 1;
    double re[4] = {0}, im[4] = {0};
    md_fcc_cells(p, cells);
    for (size_t i = 0; i < p->natoms; i += every, n++)
        for (int w = 0; w < 4; w++) {
            double turn = 0.0;
            for (size_t k = 0; k < 3; k++) {
                double x = real_at(r, p->precision == MD_DOUBLE, 3 * i + k);
                turn += (k > 0 && (w >> (k - 1) & 1) ? -1.0 : 1.0) * cells[k] * x / p->box[k];
            }
            re[w] += cos(2.0 * UNITS_PI * turn);
            im[w] += sin(2.0 * UNITS_PI * turn);
        }
    for (int w = 0; w < 4; w++)
        sum += hypot(re[w], im[w]) / (4.0 * (double)n);
    return sum;
}

struct md_push {
    struct near *near;
    struct near_list list;
    double *move, goal;
    uint64_t seed, close;
    double limit2;
};

/* Moves two atoms that are too close away from each other. */
static void md_push_pair(struct md_push *q, size_t i, const struct near_pair *p)
{
    double u[3] = {-p->d[0], -p->d[1], -p->d[2]}, r2 = p->r2, len = sqrt(r2);
    size_t j = p->j;
    if (len < 1e-9 * q->goal) { /* if both are at the same place, any direction will do */
        rng_normal2(rng_at(q->seed, RNG_PUSH, i, (uint32_t)j), u);
        len = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        r2 = 0.0;
    }
    double by = 0.5 * (q->goal - sqrt(r2)) / len;
    for (size_t k = 0; k < 3; k++) {
        q->move[3 * i + k] += by * u[k];
        q->move[3 * j + k] -= by * u[k];
    }
    q->close += r2 < q->limit2;
}

/* Computes the moves of one round. The order of the pairs, and thus the rounding of the moves,
 * depends on the cells, which are at least as wide as the goal and not more numerous than atoms.
 * Returns 0 or -1. */
static int md_push_round(const struct md_params *p, struct md_push *q, const double *r,
                         struct pool *pool, struct err *e)
{
    double want[3], total = 1.0;
    int cells[3], periodic = p->boundary == MD_PERIODIC;
    struct box box;
    for (int k = 0; k < 3; k++) {
        want[k] = fmax(1.0, fmin(floor(p->box[k] / q->goal), 1e6));
        total *= want[k];
    }
    double shrink = total > (double)p->natoms ? cbrt((double)p->natoms / total) : 1.0;
    for (int k = 0; k < 3; k++)
        cells[k] = (int)fmax(1.0, floor(want[k] * shrink));
    (void)box_init(&box, (double[9]){p->box[0], 0, 0, 0, p->box[1], 0, 0, 0, p->box[2]},
                   (int[3]){periodic, periodic, periodic});
    if (near_sort_cells(q->near, p->natoms, r, &box, q->goal, cells, pool, e))
        return -1;
    memset(q->move, 0, 3 * p->natoms * sizeof *q->move);
    q->close = 0;
    for (size_t i = 0; i < p->natoms; i++) {
        if (near_within(q->near, i, NEAR_BY_CELL, &q->list))
            return err_memory(e, "a random start");
        for (size_t k = 0; k < q->list.n; k++)
            if (q->list.pair[k].j > i)
                md_push_pair(q, i, &q->list.pair[k]);
    }
    return 0;
}

/* Moves random atoms apart. Returns 1 if all are far enough apart, 0 if not, or -1 and sets e. */
static int md_push(const struct md_params *p, struct md_push *q, double *r, struct pool *pool,
                   struct err *e)
{
    size_t n = p->natoms;
    for (int round = 0; round < MD_PUSH_ROUNDS; round++) {
        if (md_push_round(p, q, r, pool, e))
            return -1;
        if (q->close == 0)
            return 1;
        for (size_t i = 0; i < 3 * n; i++) {
            r[i] += q->move[i];
            if (p->boundary == MD_MIRROR)
                r[i] = fmin(fmax(r[i], 0.0), p->box[i % 3]);
        }
    }
    return 0;
}

static int md_init_random(const struct md_params *p, uint64_t seed, double *r, struct pool *pool,
                          struct err *e)
{
    size_t n = p->natoms;
    struct md_push q = {.seed = seed, .goal = MD_PUSH_GOAL * p->sigma};
    q.limit2 = MD_PUSH_LIMIT * MD_PUSH_LIMIT * p->sigma * p->sigma;
    q.move = malloc(3 * n * sizeof *q.move);
    q.near = near_new();
    for (size_t i = 0; i < n; i++) {
        struct rng4 a = rng_at(seed, RNG_POSITION, i, 0), b = rng_at(seed, RNG_POSITION, i, 1);
        r[3 * i] = p->box[0] * rng_unit(a.v[0], a.v[1]);
        r[3 * i + 1] = p->box[1] * rng_unit(a.v[2], a.v[3]);
        r[3 * i + 2] = p->box[2] * rng_unit(b.v[0], b.v[1]);
    }
    int rc = q.move && q.near ? md_push(p, &q, r, pool, e) : err_memory(e, "a random start");
    near_list_free(&q.list);
    near_free(q.near);
    free(q.move);
    return rc ? -(rc < 0)
              : err_bad(e,
                        "random start: %zu atoms cannot be placed at least %g sigma apart (use a "
                        "lower --density or --start fcc)",
                        n, MD_PUSH_LIMIT);
}

int md_init(const struct md_params *p, enum md_start start, uint64_t seed, double *r, double *v,
            struct err *e)
{
    struct pool *pool = p->natoms > MD_PIECE ? pool_new(p->threads) : NULL; /* or one thread */
    int bad = 0;
    if (start == MD_FCC)
        md_init_fcc(p, r, pool);
    else
        bad = md_init_random(p, seed, r, pool, e);
    if (!bad)
        md_init_velocities(p, seed, v, pool);
    pool_free(pool);
    return bad;
}
