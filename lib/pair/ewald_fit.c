/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "pair/ewald_remainder.h"

/* ---- the polynomial ---- */

/* Replaces the values of one component at n nodes along each axis by Chebyshev coefficients. */
static void chebyshev(int n, double *q)
{
    size_t m = (size_t)n, stride = 1;
    double t[EWALD_DEGREE + 1][EWALD_DEGREE + 1], out[EWALD_DEGREE + 1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            t[i][j] = (i ? 2.0 : 1.0) / n * cos(UNITS_PI * i * (j + 0.5) / n);
    for (int axis = 0; axis < 3; axis++, stride *= m)
        for (size_t p = 0; p < m * m; p++) {
            double *v = q + p % stride + p / stride * stride * m;
            for (size_t i = 0; i < m; i++) {
                out[i] = 0.0;
                for (size_t j = 0; j < m; j++)
                    out[i] += t[i][j] * v[j * stride];
            }
            for (size_t i = 0; i < m; i++)
                v[i * stride] = out[i];
        }
}

/* Computes the powers of the Chebyshev polynomials T_i(s), or T_i(2u - 1) for squares. */
static void powers(int ortho, int degree, double m[EWALD_DEGREE + 1][EWALD_DEGREE + 1])
{
    memset(m, 0, (EWALD_DEGREE + 1) * sizeof *m);
    m[0][0] = 1.0;
    for (int i = 1; i <= degree; i++)
        for (int k = 0; k <= i; k++) { /* T_i = 2 x T_i-1 - T_i-2, the first without the 2 */
            double x = k ? m[i - 1][k - 1] : 0.0;
            x = ortho ? 2.0 * x - m[i - 1][k] : x;
            m[i][k] = i == 1 ? x : 2.0 * x - m[i - 2][k];
        }
}

static int count_terms(int ortho, int d)
{
    int n = 0;
    for (int i = 0; i <= d; i++)
        for (int j = 0; j <= d - i; j++)
            n += ortho ? d - i - j + 1 : (d - i - j - ((i + j) & 1)) / 2 + 1;
    return n;
}

/* Converts the Chebyshev series a[n][n][n] to powers up to a total degree, in Horner's order. */
static void to_powers(int ortho, int n, int degree, const double *a, double *c)
{
    double m[EWALD_DEGREE + 1][EWALD_DEGREE + 1], b[EWALD_DEGREE + 1][EWALD_DEGREE + 1];
    double x[EWALD_DEGREE + 1][EWALD_DEGREE + 1][EWALD_DEGREE + 1];
    memset(x, 0, sizeof x);
    powers(ortho, degree, m);
    for (int p = 0; p <= degree; p++) {
        memset(b, 0, sizeof b);
        for (int q = 0; q <= degree - p; q++)
            for (int r = 0; r <= degree - p - q; r++)
                for (int k = 0; k <= r; k++)
                    b[q][k] += a[(p * n + q) * n + r] * m[r][k];
        for (int i = 0; i <= p; i++)
            for (int q = 0; q <= degree - p; q++)
                for (int j = 0; j <= q; j++)
                    for (int k = 0; k <= degree - p - q; k++)
                        x[i][j][k] += m[p][i] * m[q][j] * b[q][k];
    }
    for (int i = degree, t = 0; i >= 0; i--)
        for (int j = degree - i; j >= 0; j--)
            for (int k = degree - i - j; k >= 0; k--)
                if (ortho || (i + j + k) % 2 == 0)
                    c[t++] = x[i][j][k];
}

static double parity(int ortho, int c, const double s[3])
{
    return EWALD_PARITY(c, ortho, s[0], s[1], s[2], 1.0);
}

/* ---- fits ---- */

/* A trial fit, with its nodes, the points between the nodes, and the series. */
struct trial {
    struct ewald_fit *fit;
    struct ewald_remainder node, check;
    double tolerance[BETA_NCOMPONENTS], unit; /* unit: rounding error of the number type */
};

static void trial_points(struct ewald_remainder *t, int ortho, int n, double shift)
{
    /* nodes of T_n of Chebyshev (shift 1/2) in s or 2 s² - 1, or points between 0 and pi */
    t->n = n;
    for (int k = 0; k < n; k++) {
        double x = UNITS_PI * (k + shift) / (shift > 0 ? n : n - 1);
        t->f[k] = 0.5 * (1.0 + (ortho ? cos(0.5 * x) : cos(x)));
    }
}

static int trial_open(struct trial *t, const struct ewald_lattice *l, int degree)
{
    struct ewald_fit *f = t->fit;
    t->node.l = t->check.l = *l;
    memcpy(t->node.layers, f->layers, sizeof f->layers);
    memcpy(t->check.layers, f->layers, sizeof f->layers);
    trial_points(&t->node, f->ortho, degree + 1, 0.5);
    trial_points(&t->check, f->ortho, f->ortho ? 6 : 9, 0.0);
    if (ewald_remainder_fill(&t->node) || ewald_remainder_fill(&t->check))
        return -1;
    size_t n = (size_t)t->node.n, all = n * n * n;
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        double *q = t->node.q + (size_t)c * all;
        for (size_t p = 0; f->ortho && p < all; p++) {
            double s[3] = {2 * t->node.f[p / n / n] - 1, 2 * t->node.f[p / n % n] - 1,
                           2 * t->node.f[p % n] - 1};
            q[p] /= parity(1, c, s);
        }
        chebyshev((int)n, q);
    }
    return 0;
}

/* Fits one degree to the components without a fit. Returns whether all fits are sufficient. */
static int trial_degree(struct trial *t, int degree)
{
    struct ewald_fit *f = t->fit;
    size_t n = (size_t)t->node.n, m = (size_t)t->check.n, all = m * m * m;
    int good = 1, nterms = count_terms(f->ortho, degree);
    struct ewald_f64 e = {.ortho = f->ortho, .nterms = EWALD_TERMS};
    e.scale = 1.0;
    e.poly = f->poly;
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        double worst = 0.0, size = 0.0, *poly = f->poly + c * EWALD_TERMS;
        if (f->degree[c])
            continue;
        e.degree[c] = degree;
        to_powers(f->ortho, (int)n, degree, t->node.q + (size_t)c * n * n * n, poly);
        for (int k = 0; k < nterms; k++)
            size += fabs(poly[k]);
        for (size_t p = 0; p < all; p++) {
            double s[3] = {2 * t->check.f[p / m / m] - 1, 2 * t->check.f[p / m % m] - 1,
                           2 * t->check.f[p % m] - 1},
                   sum = 0.0, v, q;
            ewald_poly_f64_1(&e, c, s, &v);
            ewald_q_f64_1(&e, c, s, &sum, &v, &q);
            double d = fabs(q - t->check.q[(size_t)c * all + p]);
            worst = d > worst || isnan(d) ? d : worst;
        }
        f->error[c] = worst + size * t->unit;
        f->degree[c] = f->error[c] <= t->tolerance[c] ? degree : 0;
        good &= f->degree[c] > 0;
    }
    f->nterms = nterms;
    return good;
}

/* Finds the cheapest sufficient fit with the layers of f. Returns 0 if no fit is sufficient, or -1
 * if out of memory. */
static int trial_layers(struct trial *t, const struct ewald_lattice *l)
{
    static const int tops[2][3] = {{10, 16, EWALD_DEGREE}, {5, 8, EWALD_SQUARES}};
    int ortho = t->fit->ortho, step = ortho ? 1 : 2, found = 0;
    memset(t->fit->degree, 0, sizeof t->fit->degree);
    for (int k = 0; k < 3 && !found; k++) {
        int top = tops[ortho][k];
        if (trial_open(t, l, top))
            found = -1;
        for (int d = k ? tops[ortho][k - 1] + step : step; d <= top && !found; d += step)
            found = trial_degree(t, d);
        free(t->node.q);
        free(t->check.q);
        t->node.q = t->check.q = NULL;
    }
    return found;
}

#define IMAGE_COST 20 /* cost of an explicit image relative to a term of the polynomial */
#define IMAGES_MAX 600
#define ASPECT_MAX 64 /* largest ratio of longest vector to least width (more takes minutes) */

static int fit_cost(const struct ewald_fit *f)
{
    int images = 1;
    for (int k = 0; k < 3; k++)
        images *= 2 + 2 * f->layers[k];
    return images * IMAGE_COST + f->nterms;
}

/* Tries more layers until the images alone cost more than the best fit. Returns 0 if a fit is
 * found, 1 if not, or -1 if out of memory. */
static int fit_search(struct trial *t, const struct ewald_lattice *l, struct ewald_fit *best)
{
    struct ewald_fit *f = t->fit;
    double width[3], min = HUGE_VAL, longest = 0.0;
    int cost = IMAGES_MAX * IMAGE_COST, found = 0;
    for (int k = 0; k < 3; k++) {
        width[k] = 2.0 * UNITS_PI / sqrt(ewald_dot(l->g[k], l->g[k]));
        min = width[k] < min ? width[k] : min;
        longest = fmax(longest, sqrt(ewald_dot(l->h[k], l->h[k])));
    }
    if (!(longest < ASPECT_MAX * min))
        return 1;
    for (int step = 1; found >= 0; step++) {
        f->nterms = 0;
        for (int k = 0; k < 3; k++) /* all images closer than `step` times the least width */
            f->layers[k] = (int)ceil(step * min / width[k] * (1 - 1e-6)) - 1;
        if (fit_cost(f) >= cost)
            break;
        int rc = trial_layers(t, l);
        if (rc < 0)
            found = -1;
        else if (rc > 0 && fit_cost(f) < cost) {
            double *poly = best->poly;
            found = 1;
            cost = fit_cost(f);
            memcpy(poly, f->poly, BETA_NCOMPONENTS * EWALD_TERMS * sizeof *poly);
            *best = *f;
            best->poly = poly;
        }
    }
    return found < 0 ? -1 : !found;
}

/* Computes the key of a cell: its rounded shape, the tolerance in units of 1/V, and the number of
 * atoms. The tolerance is rounded to a quarter of an octave, and is not smaller than rounding
 * permits in a cell with less than one atom. */
static void shape(const struct box *b, double tolerance, int f64, size_t natoms,
                  double key[EWALD_KEY])
{
    double unit = f64 ? 0x1p40 : 0x1p26, edge = cbrt(box_volume(b)), min = f64 ? 0x1p-36 : 0x1p-19;
    double t = exp2(0.25 * floor(4.0 * log2(tolerance * box_volume(b))));
    for (int k = 0; k < 9; k++)
        key[k] = rint(b->h[k / 3][k % 3] / edge * unit) / unit;
    key[9] = t > min ? t : min;
    key[10] = (double)natoms;
}

void ewald_ref(struct ewald_fit *f)
{
    __atomic_fetch_add(&f->refs, 1, __ATOMIC_RELAXED);
}

void ewald_unref(struct ewald_fit *f)
{
    if (!f || __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(f->poly);
    free(f->poly_f32);
    free(f);
}

/* Adds to every pair its part of the interaction of atoms with their own images. This part is a
 * constant that is even along each axis. */
static void fit_self(struct ewald_fit *f, size_t natoms)
{
    double q[BETA_NCOMPONENTS];
    ewald_self(f->h, q);
    for (int c = 0; natoms > 1 && c < BETA_NCOMPONENTS; c++)
        f->poly[c * f->nterms + count_terms(f->ortho, f->degree[c]) - 1] +=
            q[c] / ((double)natoms - 1.0);
}

struct ewald_fit *ewald_fit_new(const struct box *reduced, double tolerance, int f64, size_t natoms,
                                struct err *e)
{
    struct ewald_fit *best = calloc(1, sizeof *best), f = {0};
    struct trial t = {.fit = &f, .unit = f64 ? 0x1p-53 : 0x1p-24};
    struct ewald_lattice l;
    shape(reduced, tolerance, f64, natoms, f.key);
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        t.tolerance[c] = f.key[9] * (c == BETA_ZZ ? 4.0 : c == BETA_XX_YY ? 2.0 : 1.0);
    f.ortho = reduced->ortho;
    f.poly = malloc(BETA_NCOMPONENTS * EWALD_TERMS * sizeof *f.poly);
    int rc = -1;
    if (best && f.poly && (best->poly = malloc(BETA_NCOMPONENTS * EWALD_TERMS * sizeof *f.poly))) {
        memcpy(f.h, f.key, sizeof f.h);
        ewald_lattice(f.h, &l);
        for (int k = 0; k < 9; k++)
            f.h[k / 3][k % 3] /= cbrt(l.volume);
        ewald_lattice(f.h, &l);
        rc = fit_search(&t, &l, best);
    }
    free(f.poly);
    size_t n = BETA_NCOMPONENTS * (size_t)(rc ? 0 : best->nterms);
    if (rc == 0) {
        for (int c = 1; c < BETA_NCOMPONENTS; c++)
            memmove(best->poly + c * best->nterms, best->poly + c * EWALD_TERMS,
                    (size_t)best->nterms * sizeof *best->poly);
        fit_self(best, natoms);
        best->refs = 1;
        best->poly_f32 = malloc(n * sizeof *best->poly_f32);
        for (size_t k = 0; best->poly_f32 && k < n; k++)
            best->poly_f32[k] = (float)best->poly[k];
        if (best->poly_f32)
            return best;
    }
    if (best) {
        best->refs = 1;
        ewald_unref(best);
    }
    if (rc > 0)
        err_bad(e,
                "the Ewald sum does not support a cell of widths %.4g, %.4g and %.4g Å, which is "
                "too long or too flat (use --sum taper, or alpha-cpu in place of alpha-gpu)",
                box_width(reduced, 0), box_width(reduced, 1), box_width(reduced, 2));
    else
        err_memory(e, "an Ewald sum");
    return NULL;
}

struct ewald_fit *ewald_cache_get(struct ewald_cache *c, const struct box *reduced,
                                  double tolerance, int f64, size_t natoms, struct err *e)
{
    double key[EWALD_KEY];
    struct ewald_fit *f = NULL;
    shape(reduced, tolerance, f64, natoms, key);
    for (int k = 0; k < EWALD_CACHED && !f; k++)
        if (c->fit[k] && memcmp(c->fit[k]->key, key, sizeof key) == 0)
            f = c->fit[k];
    if (!f) {
        f = ewald_fit_new(reduced, tolerance, f64, natoms, e);
        if (!f)
            return NULL;
        ewald_unref(c->fit[c->next]);
        c->fit[c->next] = f;
        c->next = (c->next + 1) % EWALD_CACHED;
    }
    ewald_ref(f);
    return f;
}

void ewald_cache_free(struct ewald_cache *c)
{
    for (int k = 0; k < EWALD_CACHED; k++)
        ewald_unref(c->fit[k]);
    memset(c, 0, sizeof *c);
}

void ewald_cell_f64(const struct ewald_fit *f, const struct box *reduced, struct ewald_f64 *e)
{
    memset(e, 0, sizeof *e);
    e->ortho = f->ortho;
    memcpy(e->degree, f->degree, sizeof e->degree);
    e->nterms = f->nterms;
    memcpy(e->layers, f->layers, sizeof e->layers);
    memcpy(e->h, reduced->h, sizeof e->h);
    memcpy(e->inv, reduced->inv, sizeof e->inv);
    e->scale = 1.0 / box_volume(reduced);
    e->poly = f->poly;
}

void ewald_cell_f32(const struct ewald_fit *f, const struct box *reduced, struct ewald_f32 *e)
{
    struct box_f32 b;
    box_round_f32(reduced, &b);
    memset(e, 0, sizeof *e);
    e->ortho = f->ortho;
    memcpy(e->degree, f->degree, sizeof e->degree);
    e->nterms = f->nterms;
    memcpy(e->layers, f->layers, sizeof e->layers);
    memcpy(e->h, b.h, sizeof e->h);
    memcpy(e->inv, b.inv, sizeof e->inv);
    e->scale = (float)(1.0 / box_volume(reduced));
    e->poly = f->poly_f32;
}
