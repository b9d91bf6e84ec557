/* SPDX-License-Identifier: MIT */
#include "pair/ewald_remainder.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* ---- lattices ---- */

void ewald_lattice(const double h[3][3], struct ewald_lattice *l)
{
    memmove(l->h, h, sizeof l->h);
    for (int i = 0; i < 3; i++)
        box_cross(h[(i + 1) % 3], h[(i + 2) % 3], l->g[i]);
    double v = ewald_dot(h[0], l->g[0]);
    for (int i = 0; i < 9; i++)
        l->g[i / 3][i % 3] *= 2.0 * UNITS_PI / v;
    l->volume = fabs(v);
}

/* Returns the largest index along vector k of lattice vectors up to length r. The reciprocal
 * lattice is g. */
static int reach(const double g[3][3], double r, int k)
{
    return (int)floor(r * sqrt(ewald_dot(g[k], g[k])) / (2.0 * UNITS_PI));
}

#define REDUCE_ROUNDS 1000

/* Makes the vectors pairwise shortest. Returns 0, or -1 if this does not terminate. */
static int shorten(double h[3][3])
{
    for (int round = 0; round < REDUCE_ROUNDS; round++) {
        int changed = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double n =
                    i == j ? 0.0 : rint(ewald_dot(h[i], h[j]) / ewald_dot(h[j], h[j]) * (1 - 1e-9));
                for (int k = 0; k < 3; k++)
                    h[i][k] -= n * h[j][k];
                changed |= n != 0.0;
            }
        if (!changed)
            return 0;
    }
    return -1;
}

int ewald_reduce(const struct box *box, struct box *reduced, struct err *e)
{
    double h[3][3], c[3], cell[9];
    *reduced = *box;
    if (!box->pbc[0] || !box->pbc[1] || !box->pbc[2])
        return err_bad(e,
                       "the Ewald sum needs a cell that is periodic along three vectors, found %d "
                       "periodic vectors (use --sum taper)",
                       box->pbc[0] + box->pbc[1] + box->pbc[2]);
    if (box->ortho)
        return 0;
    memcpy(h, box->h, sizeof h);
    if (shorten(h))
        return err_bad(e, "the cell is too flat, so its lattice vectors cannot be reduced");
    box_cross(h[0], h[1], c);
    for (int k = 0; k < 3 && ewald_dot(c, h[2]) < 0; k++)
        for (int a = 0; a < 3; a++)
            h[k][a] = -h[k][a];
    for (int k = 0; k < 9; k++) /* removes the rounding error of a difference that should be 0 */
        if (fabs(h[k / 3][k % 3]) < 1e-14 * cbrt(box_volume(box)))
            h[k / 3][k % 3] = 0.0;
    memcpy(cell, h, sizeof cell);
    return box_init(reduced, cell, box->pbc) ? err_bad(e, "the cell is too flat") : 0;
}

/* ---- the sums ---- */

#define REAL_END 6.3  /* alpha r beyond which erfc is 1e-18 */
#define WAVE_END 12.6 /* k/alpha beyond which exp(-k²/4 alpha²) is 6e-18 */

/* Returns a third of C in d_a d_b f = r_a r_b C - delta_ab B, for f = erfc(alpha r)/r, or
 * -erf(alpha r)/r if the image itself is excluded. In the Ewald sum, `form` times this value
 * replaces form/r⁵. */
static double real_part(double alpha, double r2, int without)
{
    double r = sqrt(r2), a2 = alpha * alpha, t = a2 * r2;
    if (without && t < 0.5) { /* a series, because the terms below cancel */
        double sum = 0.0, p = 1.0;
        for (int n = 2; n < 20; n++) {
            p /= n;
            sum += (n & 1 ? -1.0 : 1.0) * p * (4.0 * n * (n - 1)) / (2 * n + 1);
            p *= t;
        }
        /* p is t^(n-2)/n!: sum of (-1)^n 2n (2n-2) t^(n-2) / (n! (2n+1)) */
        return -2.0 / sqrt(UNITS_PI) * alpha * a2 * a2 * sum / 3.0;
    }
    double x = 2.0 * alpha / sqrt(UNITS_PI) * exp(-t);
    double b = ((without ? -erf(alpha * r) : erfc(alpha * r)) / r + x) / r2;
    return (b + 2.0 / 3.0 * a2 * x) / r2;
}

static void add_forms(double w, const double *r, double q[BETA_NCOMPONENTS])
{
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        q[c] += w * beta_form_f64(c, r[0], r[1], r[2]);
}

/* Returns the weight of a wave vector, which is the factor of form(k) cos(k r). */
static double wave_weight(double volume, double alpha, double k2)
{
    return -4.0 * UNITS_PI / (3.0 * volume * k2) * exp(-k2 / (4.0 * alpha * alpha));
}

void ewald_sum(const double h[3][3], double alpha, const double r[3], double q[BETA_NCOMPONENTS])
{
    int without = r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0;
    struct ewald_lattice l;
    memcpy(l.h, h, sizeof l.h);
    if (shorten(l.h))
        memcpy(l.h, h, sizeof l.h);
    ewald_lattice(l.h, &l);
    if (!(alpha > 0.0))
        alpha = 2.5 / cbrt(l.volume);
    double rmax = REAL_END / alpha, kmax = WAVE_END * alpha, f[3];
    int n[3], k[3];
    for (int a = 0; a < 3; a++) {
        f[a] = floor(ewald_dot(l.g[a], r) / (2.0 * UNITS_PI));
        n[a] = reach(l.g, rmax, a) + 1;
        k[a] = reach(l.h, kmax, a);
    }
    memset(q, 0, BETA_NCOMPONENTS * sizeof *q);
    for (int i = -n[0]; i <= n[0]; i++)
        for (int j = -n[1]; j <= n[1]; j++)
            for (int m = -n[2]; m <= n[2]; m++) {
                double d[3];
                for (int a = 0; a < 3; a++)
                    d[a] = r[a] - ((i + f[0]) * l.h[0][a] + (j + f[1]) * l.h[1][a] +
                                   (m + f[2]) * l.h[2][a]);
                if (ewald_dot(d, d) < rmax * rmax && (i || j || m || !without))
                    add_forms(real_part(alpha, ewald_dot(d, d), 0), d, q);
            }
    for (int i = 0; i <= k[0]; i++)
        for (int j = i ? -k[1] : 0; j <= k[1]; j++)
            for (int m = i || j ? -k[2] : 1; m <= k[2]; m++) {
                double d[3];
                for (int a = 0; a < 3; a++)
                    d[a] = i * l.g[0][a] + j * l.g[1][a] + m * l.g[2][a];
                if (ewald_dot(d, d) < kmax * kmax)
                    add_forms(2.0 * wave_weight(l.volume, alpha, ewald_dot(d, d)) *
                                  cos(ewald_dot(d, r)),
                              d, q);
            }
}

#define SELF_NONE 1e-12 /* rounding error relative to the largest value or to 1/V */

void ewald_self(const double h[3][3], double q[BETA_NCOMPONENTS])
{
    struct ewald_lattice l;
    ewald_lattice(h, &l);
    double max = 1.0 / l.volume;
    ewald_sum(h, 0.0, (const double[3]){0, 0, 0}, q);
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        max = fmax(max, fabs(q[c]));
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        q[c] = fabs(q[c]) < SELF_NONE * max ? 0.0 : q[c];
}

/* ---- sum of the remaining images, on a grid of points in the cell ---- */

#define REMAINDER_ALPHA 5.0 /* alpha for a cell of volume 1 */

static void remainder_real(const struct ewald_remainder *t, const double f[3],
                           double q[BETA_NCOMPONENTS])
{
    double rmax = REAL_END / t->alpha, r[3];
    int from[3], to[3];
    for (int a = 0; a < 3; a++)
        r[a] = f[0] * t->l.h[0][a] + f[1] * t->l.h[1][a] + f[2] * t->l.h[2][a];
    for (int k = 0; k < 3; k++) { /* the explicit images, and then all images in range */
        double w = rmax * sqrt(ewald_dot(t->l.g[k], t->l.g[k])) / (2.0 * UNITS_PI);
        from[k] = (int)ceil(f[k] - w) < -t->layers[k] ? (int)ceil(f[k] - w) : -t->layers[k];
        to[k] = (int)floor(f[k] + w) > 1 + t->layers[k] ? (int)floor(f[k] + w) : 1 + t->layers[k];
    }
    for (int i = from[0]; i <= to[0]; i++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int k = from[2]; k <= to[2]; k++) {
                int n[3] = {i, j, k}, without = 1;
                double d[3];
                for (int a = 0; a < 3; a++) {
                    d[a] = r[a] - (i * t->l.h[0][a] + j * t->l.h[1][a] + k * t->l.h[2][a]);
                    without &= n[a] >= -t->layers[a] && n[a] <= 1 + t->layers[a];
                }
                if (without || ewald_dot(d, d) < rmax * rmax)
                    add_forms(real_part(t->alpha, ewald_dot(d, d), without), d, q);
            }
}

/* Adds waves i, j, m for all m along the third axis to `line`. Returns whether any were added. */
static int remainder_line(const struct ewald_remainder *t, const double complex *e, int i, int j,
                          int top, double complex *line)
{
    double kmax = WAVE_END * t->alpha;
    int n = t->n, some = 0;
    memset(line, 0, BETA_NCOMPONENTS * (size_t)n * sizeof *line);
    for (int m = -top; m <= top; m++) {
        double d[3], w[BETA_NCOMPONENTS] = {0};
        for (int a = 0; a < 3; a++)
            d[a] = i * t->l.g[0][a] + j * t->l.g[1][a] + m * t->l.g[2][a];
        double k2 = ewald_dot(d, d);
        if (k2 == 0.0 || k2 >= kmax * kmax)
            continue;
        some = 1;
        add_forms((i ? 2.0 : 1.0) * wave_weight(1.0, t->alpha, k2), d, w);
        for (int p = 0; p < n; p++) {
            double complex x = e[abs(m) * n + p];
            x = m < 0 ? conj(x) : x;
            for (int c = 0; c < BETA_NCOMPONENTS; c++)
                line[c * n + p] += w[c] * x;
        }
    }
    return some;
}

/* Sums the waves axis by axis, since exp(i k r) is a product. Returns 0, or -1 if out of memory. */
static int remainder_waves(struct ewald_remainder *t)
{
    double kmax = WAVE_END * t->alpha;
    int top[3], n = t->n;
    for (int k = 0; k < 3; k++)
        top[k] = reach(t->l.h, kmax, k);
    size_t points = (size_t)n * (size_t)n;
    double complex *e[3], *line = malloc(BETA_NCOMPONENTS * (size_t)n * sizeof *line),
                          *plane = malloc(BETA_NCOMPONENTS * points * sizeof *plane);
    int bad = !line || !plane;
    for (int k = 0; k < 3; k++) {
        e[k] = malloc((size_t)(top[k] + 1) * (size_t)n * sizeof **e);
        bad |= !e[k];
        for (int m = 0; !bad && m <= top[k]; m++)
            for (int p = 0; p < n; p++)
                e[k][m * n + p] = cexp(2.0 * UNITS_PI * I * (m * t->f[p]));
    }
    for (int i = 0; !bad && i <= top[0]; i++) {
        memset(plane, 0, BETA_NCOMPONENTS * points * sizeof *plane);
        for (int j = -top[1]; j <= top[1]; j++) {
            int some = remainder_line(t, e[2], i, j, top[2], line);
            for (int p = 0; some && p < n; p++) {
                double complex x = e[1][abs(j) * n + p];
                x = j < 0 ? conj(x) : x;
                for (int c = 0; c < BETA_NCOMPONENTS; c++)
                    for (int s = 0; s < n; s++)
                        plane[((size_t)c * (size_t)n + (size_t)p) * (size_t)n + (size_t)s] +=
                            x * line[c * n + s];
            }
        }
        for (int c = 0; c < BETA_NCOMPONENTS; c++)
            for (int p = 0; p < n; p++) {
                double complex x = e[0][i * n + p];
                const double complex *from = plane + (size_t)c * points;
                double *to = t->q + ((size_t)c * (size_t)n + (size_t)p) * points;
                for (size_t s = 0; s < points; s++)
                    to[s] += creal(x) * creal(from[s]) - cimag(x) * cimag(from[s]);
            }
    }
    for (int k = 0; k < 3; k++)
        free(e[k]);
    free(line);
    free(plane);
    return bad ? -1 : 0;
}

int ewald_remainder_fill(struct ewald_remainder *t)
{
    size_t n = (size_t)t->n, all = n * n * n;
    t->alpha = REMAINDER_ALPHA;
    t->q = calloc(BETA_NCOMPONENTS * all, sizeof *t->q);
    if (!t->q || remainder_waves(t))
        return -1;
    for (size_t p = 0; p < all; p++) {
        double f[3] = {t->f[p / n / n], t->f[p / n % n], t->f[p % n]}, q[BETA_NCOMPONENTS] = {0};
        remainder_real(t, f, q);
        for (size_t c = 0; c < BETA_NCOMPONENTS; c++)
            t->q[c * all + p] += q[c];
    }
    return 0;
}
