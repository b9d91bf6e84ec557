/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_cell.h"
#include "alpha/alpha_field.h"

#define LANES 8
#define STEPS 64 /* at once */

/* A damped pair, i <= j: what its T is more than the bare one. */
struct damped {
    size_t i, j;
    double t[ALPHA_TENSOR];
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
    struct alpha_cell *cell, made;
    size_t cells;
    struct err *error; /* [n] */
};

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
    struct alpha_cell cell;
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
        if (k == ALPHA_ITERATIONS)
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

/* 0, or -1: out of memory. */
static int damp_all(struct job *j)
{
    const struct alpha_params *p = &j->a->p;
    double most = 0.0, reach = alpha_reach(p);
    int layers[3];
    for (size_t i = 0; i < j->n; i++)
        most = fmax(most, alpha_size(j->s + ALPHA_TENSOR * i));
    alpha_layers(p, j->box, reach * most, layers);
    for (size_t a = 0; a < j->n; a++)
        for (size_t b = a; b < j->n; b++) {
            const double *pa = j->pos + 3 * a, *pb = j->pos + 3 * b;
            double at[3] = {pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]},
                   size = sqrt(alpha_size(j->s + ALPHA_TENSOR * a) *
                               alpha_size(j->s + ALPHA_TENSOR * b));
            struct damped d = {a, b, {0}};
            box_image(j->box, at);
            if (!alpha_damp_images((int)p->thole, p->a, j->box, at, layers, a == b, reach, size,
                                   d.t))
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
            (void)alpha_catastrophe(n, j.pos, j.box, in->frame + s, rc == -1, &a->error[s]);
    }
    free(j.damped);
    free(j.mem);
}

const char *alpha_engine_name(void)
{
    return "CPU";
}

int alpha_probe(const char *devices, struct err *e)
{
    (void)devices;
    (void)e;
    return 0;
}

size_t alpha_at_once(const struct alpha *a)
{
    (void)a;
    return STEPS;
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
    if (alpha_pairs(p, &a->pairs, e)) {
        alpha_close(a);
        return NULL;
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
        if (memcmp(&s->box[k], &a->last, sizeof a->last) != 0 &&
            alpha_cell_make(&a->p, &s->box[k], &a->made, e))
            return -1;
        a->last = s->box[k];
        a->cell[k] = a->made;
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

const char *alpha_said(const struct alpha *a)
{
    return a->p.periodic ? "all images of all pairs" : "all pairs";
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
