/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_solve.h"

#include <math.h>
#include <string.h>

#include "alpha/alpha_cell.h"

#define LANES ALPHA_LANES
#define REFINED 20  /* largest number of refinements */
#define TABLE 1e-13 /* squared residual at the limit of single precision */

/* ---- tensors */

/* Sets `to` to the products t v for `sets` sets of vectors, whose axes are `stride` apart. The
 * tensor of site i begins at t[6 i]. */
static inline void times_of(size_t sets, const double *t, size_t n, size_t stride, const double *v,
                            double *to)
{
    for (size_t d = 0; d < 3 * sets; d += 3)
        for (size_t i = 0; i < n; i++) {
            const double *s = t + ALPHA_TENSOR * i;
            double x = v[d * stride + i], y = v[(d + 1) * stride + i], z = v[(d + 2) * stride + i];
            double *q = to + d * stride + i;
            q[0] = (s[0] * x + s[1] * y) + s[2] * z;
            q[stride] = (s[1] * x + s[3] * y) + s[4] * z;
            q[2 * stride] = (s[2] * x + s[4] * y) + s[5] * z;
        }
}

static void times(const double *t, size_t n, size_t stride, const double *v, double *to)
{
    times_of(3, t, n, stride, v, to);
}

static double dot(const double *a, const double *b, size_t n)
{
    double lane[LANES] = {0};
    for (size_t k = 0; k < n; k++)
        lane[k % LANES] += a[k] * b[k];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* ---- operators */

static void damped(const struct alpha_job *j)
{
    size_t w = j->stride;
    for (size_t k = 0; k < j->ndamped; k++)
        for (size_t d = 0; d < 9; d += 3) {
            const struct alpha_damped *t = &j->damped[k];
            double *y = j->y + d * w, *m = j->mu + d * w;
            for (int both = 0; both <= (t->i != t->j); both++) {
                size_t to = both ? t->j : t->i, from = both ? t->i : t->j;
                double mx = m[from], my = m[w + from], mz = m[2 * w + from];
                y[to] += (t->t[0] * mx + t->t[1] * my) + t->t[2] * mz;
                y[w + to] += (t->t[1] * mx + t->t[3] * my) + t->t[4] * mz;
                y[2 * w + to] += (t->t[2] * mx + t->t[4] * my) + t->t[5] * mz;
            }
        }
}

/* Computes `y` = T mu with the table. */
static void by_table(struct alpha_job *j)
{
    const struct alpha_table *t = &j->table;
    size_t w = j->stride;
    for (size_t k = 0; k < 9 * w; k++)
        t->mu[k] = (float)j->mu[k];
    SIMD_PICK(alpha_table)(j->n, w, t->from, t->trace, t->mu, t->y);
    for (size_t d = 0; d < 9 * w; d += 3 * w)
        for (size_t i = d; i < d + j->n; i++) {
            float x = t->mu[i], y = t->mu[w + i], z = t->mu[2 * w + i];
            j->y[i] = t->y[i] + ((t->own[0] * x + t->own[1] * y) + t->own[2] * z);
            j->y[w + i] = t->y[w + i] + ((t->own[1] * x + t->own[3] * y) + t->own[4] * z);
            j->y[2 * w + i] = t->y[2 * w + i] + ((t->own[2] * x + t->own[4] * y) + t->own[5] * z);
        }
}

/* Computes `y` = s T s q. The tensor T is taken from the table or is exact. */
static void apply(struct alpha_job *j, bool table, const double *q)
{
    size_t n = j->n, w = j->stride;
    times(j->s, n, w, q, j->mu);
    if (table)
        by_table(j);
    else
        alpha_field_apply(j->field, j->mu, j->y);
    damped(j);
    times(j->s, n, w, j->y, j->y);
    for (size_t k = 0; k < 9; k++)
        memset(j->y + k * w + n, 0, (w - n) * sizeof(double));
}

/* Computes the symmetric matrix of a . b for each pair of directions of E. */
static void form(const struct alpha_job *j, const double *a, const double *b, double *t)
{
    for (int d = 0, k = 0; d < 3; d++)
        for (int e = d; e < 3; e++, k++) {
            const double *ad = a + (size_t)d * j->set, *ae = a + (size_t)e * j->set;
            t[k] = 0.5 * (dot(ad, b + (size_t)e * j->set, j->set) +
                          dot(ae, b + (size_t)d * j->set, j->set));
        }
}

/* Computes the terms up to the order from p_k = (sTs)^k b, where p_k . p_l has order k + l. */
static void orders(struct alpha_job *j, double *out)
{
    int order = j->p->order;
    bool parts = j->p->parts;
    double t[ALPHA_TENSOR], *p = j->x, *next = j->r;
    size_t bytes = 3 * j->set * sizeof *p;
    memset(out, 0, (size_t)alpha_parts(j->p) * ALPHA_TENSOR * sizeof *out);
    memcpy(p, j->b, bytes);
    for (int k = 0; k <= order; k++) {
        if (k % 2) {
            apply(j, false, p);
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

/* Computes the same terms of M, for which order k is c . p_(k - 1). */
static void dipole_orders(struct alpha_job *j, double *out)
{
    for (int k = 0; k < j->p->order; k++) {
        const double *p = k ? j->x : j->b;
        for (size_t d = 0; d < 3; d++)
            out[3 * (size_t)k + d] = dot(j->c, p + d * j->set, j->set);
        if (k + 1 < j->p->order) {
            apply(j, false, p);
            memcpy(j->x, j->y, 3 * j->set * sizeof *j->x);
        }
    }
}

/* ---- all orders */

/* Does one step of conjugate gradients for direction d of E. Returns the squared residual, or -1 if
 * the matrix is not positive. */
static double descend(struct alpha_job *j, size_t d, double rr)
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

/* Iterates from the residual r until its squares are below `goal`. Returns 0, -1 if the matrix is
 * not positive, or -2 if there is no convergence. */
static int gradients(struct alpha_job *j, bool table, double rr[3], const double goal[3])
{
    memcpy(j->q, j->r, 3 * j->set * sizeof(double));
    for (int k = 0; rr[0] > goal[0] || rr[1] > goal[1] || rr[2] > goal[2]; k++) {
        if (k == ALPHA_ITERATIONS)
            return -2;
        apply(j, table, j->q);
        for (size_t d = 0; d < 3; d++)
            if (rr[d] > goal[d] && (rr[d] = descend(j, d, rr[d])) < 0.0)
                return -1;
    }
    return 0;
}

static void start(struct alpha_job *j, double rr[3])
{
    size_t bytes = 3 * j->set * sizeof(double);
    memset(j->x, 0, bytes);
    memcpy(j->r, j->b, bytes);
    for (size_t d = 0; d < 3; d++)
        rr[d] = dot(j->r + d * j->set, j->r + d * j->set, j->set);
}

/* Iterates with the table, and then computes the exact residual. Returns 0, or -1 if the table is
 * not accurate enough. */
static int refine(struct alpha_job *j, const double goal[3])
{
    double rr[3], was[3], near[3];
    start(j, rr);
    for (int k = 0; k < REFINED; k++) {
        for (size_t d = 0; d < 3; d++) {
            was[d] = rr[d];
            near[d] = fmax(0.1 * goal[d], TABLE * rr[d]);
        }
        if (gradients(j, true, rr, near))
            return -1;
        apply(j, false, j->x);
        for (size_t m = 0; m < 3 * j->set; m++)
            j->r[m] = (j->b[m] - j->x[m]) + j->y[m];
        bool done = true;
        for (size_t d = 0; d < 3; d++) {
            rr[d] = dot(j->r + d * j->set, j->r + d * j->set, j->set);
            done &= rr[d] <= goal[d];
            if (!(rr[d] <= goal[d] || rr[d] < 0.25 * was[d]))
                return -1;
        }
        if (done)
            return 0;
    }
    return -1;
}

/* Returns 0, -1 if the matrix is not positive, or -2 if there is no convergence. */
static int all_orders(struct alpha_job *j, double *out)
{
    const struct alpha_params *p = j->p;
    double rr[3], goal[3], first[ALPHA_TENSOR] = {0}, none[ALPHA_TENSOR], t[ALPHA_TENSOR],
                           more[ALPHA_TENSOR];
    if (p->parts && !j->c) {
        apply(j, false, j->b);
        form(j, j->b, j->y, first);
    }
    /* the error of M is the error of the dipoles, about the residual, and the error of Pi is its
     * square */
    double error = j->c ? p->tolerance * p->tolerance : 0.05 * p->tolerance;
    for (size_t d = 0; d < 3; d++)
        goal[d] = error * dot(j->b + d * j->set, j->b + d * j->set, j->set);
    if (!j->table.from || refine(j, goal)) {
        start(j, rr);
        int rc = gradients(j, false, rr, goal);
        if (rc)
            return rc;
    }
    for (size_t d = 0; j->c && d < 3; d++) {
        out[d] = dot(j->c, j->b + d * j->set, j->set);
        out[3 + d] =
            (dot(j->c, j->x + d * j->set, j->set) - out[d]) + dot(j->c, j->r + d * j->set, j->set);
    }
    if (j->c)
        return 0;
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

int alpha_solve(struct alpha_job *j, double *out)
{
    size_t n = j->n, all = 9 * j->stride, columns = alpha_columns(j->p);
    int rc = 0;
    memset(j->mem, 0, ALPHA_JOB_VECTORS * all * sizeof *j->mem);
    j->b = j->mem;
    j->x = j->b + all;
    j->r = j->x + all;
    j->q = j->r + all;
    j->mu = j->q + all;
    j->y = j->mu + all;
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0, k = 0; d < 3; d++)
            for (size_t c = d; c < 3; c++, k++)
                j->b[(3 * d + c) * j->stride + i] = j->b[(3 * c + d) * j->stride + i] =
                    j->s[ALPHA_TENSOR * i + k];
    if (j->c)
        times_of(1, j->s, n, j->stride, j->field0, j->c);
    if (j->p->order != ALPHA_ALL && j->c)
        dipole_orders(j, out);
    else if (j->p->order != ALPHA_ALL)
        orders(j, out);
    else
        rc = all_orders(j, out);
    for (size_t k = 0; rc == 0 && k < columns; k++)
        rc = isfinite(out[k]) ? 0 : -1;
    return rc;
}
