/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha.h"
#include "alpha/alpha_field.h"
#include "base/units.h"
#include "pair/ewald.h"
#include "pair/pairs.h"

#define LANES 8
#define EWALD_ERROR 3e-11 /* 1/Å³, of the polynomial */
#define ITERATIONS 1000
#define DAMPED 1e-13 /* less than this is not damped any more */

/* A damped pair, i <= j: what its T is more than the bare one. */
struct damped {
    size_t i, j;
    double t[ALPHA_TENSOR];
};

struct cell {
    double trace, own[ALPHA_TENSOR]; /* of every pair: a third; T of a site's own images */
};

struct alpha {
    struct alpha_params p;
    struct pairs pairs;
    struct pairs_team *team;
    size_t stride;
    /* steps at work */
    const struct alpha_steps *in;
    double *out;
    struct box last; /* whose cell was made last */
    struct cell *cell, made;
    size_t cells;
    struct err *error; /* [n] */
};

int alpha_parts(const struct alpha_params *p)
{
    return !p->parts ? 1 : p->order == ALPHA_ALL ? 3 : p->order + 1;
}

/* ---- tensors */

/* to = t v, or with add to += t v, of three sets, axes stride apart; the tensor of site i is at
 * t[step i]. */
static void times(const double *t, size_t step, size_t n, size_t stride, const double *v,
                  double *to, bool add)
{
    for (size_t d = 0; d < 9; d += 3)
        for (size_t i = 0; i < n; i++) {
            const double *s = t + step * i;
            double x = v[d * stride + i], y = v[(d + 1) * stride + i], z = v[(d + 2) * stride + i];
            double *q = to + d * stride + i;
            q[0] = (add ? q[0] : 0.0) + ((s[0] * x + s[1] * y) + s[2] * z);
            q[stride] = (add ? q[stride] : 0.0) + ((s[1] * x + s[3] * y) + s[4] * z);
            q[2 * stride] = (add ? q[2 * stride] : 0.0) + ((s[2] * x + s[4] * y) + s[5] * z);
        }
}

static double dot(const double *a, const double *b, size_t n)
{
    double lane[LANES] = {0};
    for (size_t k = 0; k < n; k++)
        lane[k % LANES] += a[k] * b[k];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* ---- one step */

struct job {
    const struct alpha *a;
    size_t n, stride, set; /* set: numbers of one direction of E */
    const double *s, *table, *pos;
    const struct box *box;
    struct cell cell;
    struct damped *damped;
    size_t ndamped, room;
    double *mem, *b, *x, *r, *q, *mu,
        *y; /* [3 set] each: right side, solution, residual, direction */
};

/* y = s T s q */
static void apply(struct job *j, const double *q)
{
    size_t n = j->n, w = j->stride;
    times(j->s, ALPHA_TENSOR, n, w, q, j->mu, false);
    SIMD_PICK(alpha_field)(n, w, j->table, j->cell.trace, j->mu, j->y);
    times(j->cell.own, 0, n, w, j->mu, j->y, true);
    for (size_t k = 0; k < j->ndamped; k++)
        for (size_t d = 0; d < 9; d += 3) {
            const struct damped *t = &j->damped[k];
            double *y = j->y + d * w, *m = j->mu + d * w;
            for (int both = 0; both <= (t->i != t->j); both++) {
                size_t to = both ? t->j : t->i, from = both ? t->i : t->j;
                double mx = m[from], my = m[w + from], mz = m[2 * w + from];
                y[to] += (t->t[0] * mx + t->t[1] * my) + t->t[2] * mz;
                y[w + to] += (t->t[1] * mx + t->t[3] * my) + t->t[4] * mz;
                y[2 * w + to] += (t->t[2] * mx + t->t[4] * my) + t->t[5] * mz;
            }
        }
    times(j->s, ALPHA_TENSOR, n, w, j->y, j->y, false);
    for (size_t k = 0; k < 9; k++)
        memset(j->y + k * w + n, 0, (w - n) * sizeof(double));
}

/* a . b of each two directions of E, symmetric */
static void form(const struct job *j, const double *a, const double *b, double *t)
{
    for (int d = 0, k = 0; d < 3; d++)
        for (int e = d; e < 3; e++, k++) {
            const double *ad = a + (size_t)d * j->set, *ae = a + (size_t)e * j->set;
            t[k] = 0.5 * (dot(ad, b + (size_t)e * j->set, j->set) +
                          dot(ae, b + (size_t)d * j->set, j->set));
        }
}

/* Terms to the order: powers p_k = (sTs)^k b, and p_k . p_l is of the order k + l. */
static void orders(struct job *j, double *out)
{
    int order = j->a->p.order;
    bool parts = j->a->p.parts;
    double t[ALPHA_TENSOR], *p = j->x, *next = j->r;
    size_t bytes = 3 * j->set * sizeof *p;
    memset(out, 0, (size_t)alpha_parts(&j->a->p) * ALPHA_TENSOR * sizeof *out);
    memcpy(p, j->b, bytes);
    for (int k = 0; k <= order; k++) {
        if (k % 2) {
            apply(j, p);
            memcpy(next, j->y, bytes);
        }
        form(j, p, k % 2 ? next : p, t);
        for (int c = 0; c < ALPHA_TENSOR; c++)
            out[(parts ? k * ALPHA_TENSOR : 0) + c] += t[c];
        if (k % 2) {
            double *swap = p;
            p = next;
            next = swap;
        }
    }
}

/* A step of conjugate gradients in direction d of E. The residual squared, or -1: not positive. */
static double descend(struct job *j, size_t d, double rr)
{
    double *x = j->x + d * j->set, *r = j->r + d * j->set, *q = j->q + d * j->set;
    const double *y = j->y + d * j->set;
    double qq = dot(q, q, j->set), qaq = qq - dot(q, y, j->set);
    if (!(qaq > 0.0))
        return -1.0;
    double step = rr / qaq;
    for (size_t k = 0; k < j->set; k++) {
        x[k] += step * q[k];
        r[k] -= step * (q[k] - y[k]);
    }
    double left = dot(r, r, j->set), beta = left / rr;
    for (size_t k = 0; k < j->set; k++)
        q[k] = r[k] + beta * q[k];
    return left;
}

/* All orders. 0, -1: not positive, -2: does not end. */
static int all_orders(struct job *j, double *out)
{
    const struct alpha_params *p = &j->a->p;
    size_t bytes = 3 * j->set * sizeof(double);
    double rr[3], goal[3], first[ALPHA_TENSOR], none[ALPHA_TENSOR], t[ALPHA_TENSOR],
        more[ALPHA_TENSOR];
    memset(j->x, 0, bytes);
    memcpy(j->r, j->b, bytes);
    memcpy(j->q, j->b, bytes);
    for (size_t d = 0; d < 3; d++) {
        rr[d] = dot(j->r + d * j->set, j->r + d * j->set, j->set);
        goal[d] = 0.05 * p->tolerance * rr[d];
    }
    for (int k = 0; rr[0] > goal[0] || rr[1] > goal[1] || rr[2] > goal[2]; k++) {
        if (k == ITERATIONS)
            return -2;
        apply(j, j->q);
        if (k == 0)
            form(j, j->b, j->y, first);
        for (size_t d = 0; d < 3; d++)
            if (rr[d] > goal[d] && (rr[d] = descend(j, d, rr[d])) < 0.0)
                return -1;
    }
    form(j, j->b, j->b, none);
    form(j, j->b, j->x, t);
    form(j, j->x, j->r, more);
    for (int c = 0; c < ALPHA_TENSOR; c++) {
        double pi = t[c] + more[c];
        out[c] = p->parts ? none[c] : pi;
        if (p->parts) {
            out[ALPHA_TENSOR + c] = first[c];
            out[2 * ALPHA_TENSOR + c] = (pi - none[c]) - first[c];
        }
    }
    return 0;
}

/* ---- damping */

/* 1 - l3 and 1 - l5 */
static void undamped(const struct alpha_params *p, double u, double *l3, double *l5)
{
    double x = p->thole == ALPHA_CUBIC ? p->a * u * u * u : p->a * u, e = exp(-x);
    *l3 = p->thole == ALPHA_CUBIC ? e : (1.0 + x + 0.5 * x * x) * e;
    *l5 = *l3 + (p->thole == ALPHA_CUBIC ? x : x * x * x / 6.0) * e;
}

static double size_of(const double *s)
{
    return cbrt((s[0] * s[0] + s[3] * s[3] + s[5] * s[5] +
                 2.0 * (s[1] * s[1] + s[2] * s[2] + s[4] * s[4])) /
                3.0);
}

/* What damping takes from one image, d apart, if that is within u of the size. */
static bool damp(const struct alpha_params *p, const double d[3], double u, double size, double *t)
{
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2), l3, l5;
    if (r > u * size)
        return false;
    undamped(p, r / size, &l3, &l5);
    double g3 = l3 / (r2 * r), g5 = 3.0 * l5 / (r2 * r2 * r);
    for (int a = 0, k = 0; a < 3; a++)
        for (int b = a; b < 3; b++, k++)
            t[k] -= g5 * d[a] * d[b] - (a == b ? g3 : 0.0);
    return true;
}

/* All images of i and j. */
static bool damp_pair(struct job *j, size_t a, size_t b, const int layers[3], double u, double size,
                      double *t)
{
    const double *pa = j->pos + 3 * a, *pb = j->pos + 3 * b;
    double at[3] = {pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]};
    bool any = false;
    box_image(j->box, at);
    for (int x = -layers[0]; x <= layers[0]; x++)
        for (int y = -layers[1]; y <= layers[1]; y++)
            for (int z = -layers[2]; z <= layers[2]; z++) {
                double d[3];
                for (int c = 0; c < 3; c++)
                    d[c] = at[c] + x * j->box->h[0][c] + y * j->box->h[1][c] + z * j->box->h[2][c];
                if (a != b || x || y || z)
                    any |= damp(&j->a->p, d, u, size, t);
            }
    return any;
}

/* 0, or -1: out of memory. */
static int damp_all(struct job *j)
{
    const struct alpha_params *p = &j->a->p;
    double most = 0.0, u = 0.25, l3, l5;
    int layers[3] = {0, 0, 0};
    for (size_t i = 0; i < j->n; i++)
        most = fmax(most, size_of(j->s + ALPHA_TENSOR * i));
    do {
        u += 0.25;
        undamped(p, u, &l3, &l5);
    } while (l5 > DAMPED);
    for (int k = 0; k < 3 && p->periodic; k++)
        layers[k] = (int)ceil(u * most / (2.0 * box_half_width(j->box)) + 0.5);
    for (size_t a = 0; a < j->n; a++)
        for (size_t b = a; b < j->n; b++) {
            double size = sqrt(size_of(j->s + ALPHA_TENSOR * a) * size_of(j->s + ALPHA_TENSOR * b));
            struct damped d = {a, b, {0}};
            if (!damp_pair(j, a, b, layers, u, size, d.t))
                continue;
            if (j->ndamped == j->room) {
                size_t room = 2 * j->room + 256;
                struct damped *more = realloc(j->damped, room * sizeof *more);
                if (!more)
                    return -1;
                j->damped = more;
                j->room = room;
            }
            j->damped[j->ndamped++] = d;
        }
    return 0;
}

/* ---- what went wrong */

static void catastrophe(const struct job *j, uint64_t frame, int rc, struct err *e)
{
    double least = HUGE_VAL;
    size_t a = 0, b = 0;
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = i + 1; k < j->n; k++) {
            const double *p = j->pos + 3 * i, *q = j->pos + 3 * k;
            double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
            box_image(j->box, d);
            double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (r2 < least) {
                least = r2;
                a = i;
                b = k;
            }
        }
    err_set(
        e, ERR_BAD,
        "frame %llu: %s; sites %zu and %zu (from 0) are nearest, %.4g Å apart: --thole damps what "
        "sites near each other induce, --order 1 has no such end",
        (unsigned long long)frame,
        rc == -2 ? "the dipoles did not settle"
                 : "a polarization catastrophe: the dipoles induce each other without end",
        a, b, sqrt(least));
}

/* ---- steps */

static void solve(void *ctx, size_t s, const void *table)
{
    struct alpha *a = ctx;
    const struct alpha_steps *in = a->in;
    size_t n = a->p.nsites, all = 9 * a->stride;
    struct job j = {.a = a,
                    .n = n,
                    .stride = a->stride,
                    .set = 3 * a->stride,
                    .s = in->s + s * ALPHA_TENSOR * n,
                    .table = table,
                    .pos = in->pos + 3 * n * s,
                    .box = &in->box[s],
                    .cell = a->cell[s]};
    double *out = a->out + s * (size_t)alpha_parts(&a->p) * ALPHA_TENSOR;
    int rc = 0;
    if (!(j.mem = calloc(6 * all, sizeof *j.mem)) ||
        (a->p.thole != ALPHA_BARE && damp_all(&j) != 0)) {
        err_set(&a->error[s], ERR_MEMORY, "out of memory for %zu sites", n);
    } else {
        j.b = j.mem;
        j.x = j.b + all;
        j.r = j.x + all;
        j.q = j.r + all;
        j.mu = j.q + all;
        j.y = j.mu + all;
        for (size_t i = 0; i < n; i++)
            for (size_t d = 0, k = 0; d < 3; d++)
                for (size_t c = d; c < 3; c++, k++)
                    j.b[(3 * d + c) * a->stride + i] = j.b[(3 * c + d) * a->stride + i] =
                        j.s[ALPHA_TENSOR * i + k];
        if (a->p.order != ALPHA_ALL)
            orders(&j, out);
        else if ((rc = all_orders(&j, out)) != 0)
            catastrophe(&j, in->frame + s, rc, &a->error[s]);
    }
    free(j.damped);
    free(j.mem);
}

/* The cell of a step: background, own images. 0, or -1 with e. */
static int make_cell(struct alpha *a, const struct box *b, struct cell *c, struct err *e)
{
    struct box reduced;
    double q[BETA_NCOMPONENTS];
    if (memcmp(b, &a->last, sizeof *b) != 0) {
        a->made = (struct cell){0};
        if (a->p.periodic) {
            if (ewald_reduce(b, &reduced, e))
                return -1;
            ewald_self(reduced.h, q);
            a->made.trace = 4.0 * UNITS_PI / (3.0 * box_volume(&reduced));
            double zz = q[BETA_ZZ], d = 1.5 * q[BETA_XX_YY];
            memcpy(a->made.own,
                   (double[]){d - 0.5 * zz + a->made.trace, 3.0 * q[BETA_XY], 3.0 * q[BETA_XZ],
                              -d - 0.5 * zz + a->made.trace, 3.0 * q[BETA_YZ], zz + a->made.trace},
                   sizeof a->made.own);
        } else if (b->pbc[0] || b->pbc[1] || b->pbc[2]) {
            return err_set(e, ERR_BAD, "a cell without periodic axes expected, found some");
        }
        a->last = *b;
    }
    *c = a->made;
    return 0;
}

struct alpha *alpha_open(const struct alpha_params *p, struct err *e)
{
    struct alpha *a = calloc(1, sizeof *a);
    if (!a) {
        err_memory(e, "the sites");
        return NULL;
    }
    a->p = *p;
    a->stride = (p->nsites + 2 * LANES - 1) / LANES * LANES + LANES;
    a->pairs = (struct pairs){.natoms = p->nsites,
                              .source = FRAME_F64,
                              .dtype = FRAME_F64,
                              .ncomp = BETA_NCOMPONENTS,
                              .they = "sites"};
    if (sum_choose(&a->pairs.sum, p->periodic ? "ewald:pairs" : "mic", NAN, 1.0, &(struct box){0},
                   1, e)) {
        alpha_close(a);
        return NULL;
    }
    a->pairs.sum.tolerance = EWALD_ERROR;
    static const double coef[BETA_NCOMPONENTS] = {
        [BETA_XZ] = 3.0, [BETA_XY] = 3.0, [BETA_YZ] = 3.0, [BETA_XX_YY] = 1.5, [BETA_ZZ] = 1.0};
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        a->pairs.component[c] = c;
        a->pairs.coef[c] = coef[c];
    }
    size_t tables = pairs_team_bytes(&a->pairs, PAIRS_TABLES, p->threads);
    double n = (double)p->nsites, pairs = p->thole == ALPHA_EXP ? 0.5 * n * (n + 1.0) : 0.0;
    double bytes = (double)tables + p->threads * (54.0 * (double)a->stride * sizeof(double) +
                                                  pairs * sizeof(struct damped));
    if (err_over(e, tables == SIZE_MAX ? HUGE_VAL : bytes, p->max_mem, "fewer --threads",
                 "the pairs of %zu sites", p->nsites) == 0) {
        if ((a->team = pairs_team_new(&a->pairs, PAIRS_TABLES, p->threads)))
            return a;
        err_memory(e, "the pairs of the sites");
    }
    alpha_close(a);
    return NULL;
}

int alpha_add(struct alpha *a, const struct alpha_steps *s, double *out, struct err *e)
{
    struct pairs_steps steps = {s->n, s->box, s->pos, s->frame};
    if (s->n > a->cells) {
        free(a->cell);
        free(a->error);
        a->cell = malloc(s->n * sizeof *a->cell);
        a->error = malloc(s->n * sizeof *a->error);
        a->cells = a->cell && a->error ? s->n : 0;
        if (!a->cells)
            return err_memory(e, "cells");
    }
    if (pairs_check_cells(&a->pairs.sum, s->n, s->box, s->frame, e))
        return -1;
    for (size_t k = 0; k < s->n; k++) {
        a->error[k].status = 0;
        if (make_cell(a, &s->box[k], &a->cell[k], e))
            return -1;
    }
    a->in = s;
    a->out = out;
    if (pairs_team_tables(a->team, &steps, solve, a, e))
        return -1;
    for (size_t k = 0; k < s->n; k++)
        if (a->error[k].status) {
            *e = a->error[k];
            return -1;
        }
    return 0;
}

void alpha_close(struct alpha *a)
{
    if (!a)
        return;
    pairs_team_free(a->team);
    free(a->cell);
    free(a->error);
    free(a);
}
