/* SPDX-License-Identifier: MIT */
/* ewald.h: compares the sum with itself and with a plain sum over a sphere, and the fit with the
 * sum. */
#include <stdlib.h>
#include <string.h>

#include "pair/ewald.h"
#include "tap.h"

#define SIGMA 3.4
#define ATOMS 3 /* of which a pair has its share of their own images: much of it */

static double uniform(double a, double b)
{
    return a + (b - a) * (rand() / (RAND_MAX + 1.0));
}

/* Returns Q_c, including the part of Q_self, at a difference (x, y, z) in Å of two wrapped
 * positions, as ewald_one_f64 does. */
static float ewald_one_f32(const struct ewald_f32 *e, int component, float x, float y, float z)
{
    float s[3], sum, poly, q;
    ewald_images_f32_1(e, 1, &component, &x, &y, &z, s, &sum);
    ewald_poly_f32_1(e, component, s, &poly);
    ewald_q_f32_1(e, component, s, &sum, &poly, &q);
    return q;
}

struct cell {
    const char *name;
    double v[9];
};
/* edges that are exact in float, so that only the computation in single precision is tested */
static const struct cell cells[] = {
    {"cube of 108", {17.25, 0, 0, 0, 17.25, 0, 0, 0, 17.25}},
    {"cube of 256", {22.875, 0, 0, 0, 22.875, 0, 0, 0, 22.875}},
    {"cube of 4000", {57.25, 0, 0, 0, 57.25, 0, 0, 0, 57.25}},
    {"orthorhombic", {17.25, 0, 0, 0, 22, 0, 0, 0, 29}},
    {"long", {17.25, 0, 0, 0, 17.5, 0, 0, 0, 86.25}},
    {"slab", {17.25, 0, 0, 0, 51.5, 0, 0, 0, 52}},
    {"monoclinic", {17.25, 0, 0, 5, 22, 0, 0, 0, 29}},
    {"strongly skewed", {17.25, 0, 0, 30, 20, 0, -37, 48, 22}},
    {"primitive fcc", {0, 12, 12, 12, 0, 12, 12, 12, 0}},
};

static void box_of(const double v[9], struct box *b)
{
    static const int pbc[3] = {1, 1, 1};
    if (box_init(b, v, pbc)) {
        double w[9];
        for (int k = 0; k < 9; k++)
            w[k] = -v[k];
        tap_ok(box_init(b, w, pbc) == 0, "a cell");
    }
}

/* Largest value of Q_c at r >= 0.9 sigma. */
static double largest(int c)
{
    return pow(0.9 * SIGMA, -3) * (c == BETA_ZZ ? 2.0 : c == BETA_XX_YY ? 1.0 : 0.5);
}

static double differ(const double *a, const double *b)
{
    double d = 0;
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        d = tap_max(d, fabs(a[c] - b[c]) / largest(c));
    return d;
}

static void sums(const struct cell *cell)
{
    struct box b;
    double alphas = 0, shift = 0, even = 0;
    box_of(cell->v, &b);
    double edge = cbrt(box_volume(&b));
    for (int n = 0; n < 20; n++) {
        double r[3], s[3], m[3], q[5], p[5];
        for (int a = 0; a < 3; a++) {
            r[a] = uniform(-10, 10);
            s[a] = r[a] + 2 * b.h[0][a] - b.h[1][a] + b.h[2][a];
            m[a] = -r[a];
        }
        ewald_sum(b.h, 0, r, q);
        ewald_sum(b.h, 3.4 / edge, r, p);
        alphas = tap_max(alphas, differ(p, q));
        ewald_sum(b.h, 0, s, p);
        shift = tap_max(shift, differ(p, q));
        ewald_sum(b.h, 0, m, p);
        even = tap_max(even, differ(p, q));
    }
    tap_ok(alphas > 0 && alphas < 1e-10, "%s: alpha does not matter (%.1e)", cell->name, alphas);
    tap_ok(shift < 1e-10, "%s: periodic (%.1e)", cell->name, shift);
    tap_ok(even < 1e-10, "%s: even (%.1e)", cell->name, even);
}

/*
 * Images in a sphere around the point. The edge of the sphere is smooth, so that the lattice has no
 * effect there. The sum then tends to that of a sphere, whose surface term affects only the trace
 * and no component.
 */
#define SPHERE 1e-6     /* of the edge of 16 cells, smeared */
#define SPHERE_OWN 5e-6 /* whose sum is the smaller one: no image is near */

static void sphere(const struct cell *cell, int own)
{
    struct box b;
    double r[3] = {own ? 0 : 2.1, own ? 0 : 3.3, own ? 0 : -1.7}, q[5], s[5] = {0};
    box_of(cell->v, &b);
    double edge = cbrt(box_volume(&b)), end = 16 * edge;
    int n[3];
    for (int k = 0; k < 3; k++)
        n[k] = (int)(end / box_width(&b, k)) + 2;
    for (int i = -n[0]; i <= n[0]; i++)
        for (int j = -n[1]; j <= n[1]; j++)
            for (int k = -n[2]; k <= n[2]; k++) {
                double d[3], r2 = 0;
                for (int a = 0; a < 3; a++) {
                    d[a] = r[a] + i * b.h[0][a] + j * b.h[1][a] + k * b.h[2][a];
                    r2 += d[a] * d[a];
                }
                if (r2 >= end * end || (own && !i && !j && !k))
                    continue;
                double x = sqrt(r2) / end, u = x < 0.25 ? 0 : (x - 0.25) / 0.75, v = u * u * u * u;
                double w = 1 - v * (35 + u * (-84 + u * (70 - 20 * u)));
                for (int c = 0; c < BETA_NCOMPONENTS; c++)
                    s[c] += w * beta_form_f64(c, d[0], d[1], d[2]) * beta_rm5_f64(r2);
            }
    if (own)
        ewald_self(b.h, q);
    else
        ewald_sum(b.h, 0, r, q);
    double worst = 0, size = 0;
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        worst = tap_max(worst, fabs(q[c] - s[c]));
        size = tap_max(size, fabs(q[c]));
    }
    tap_ok(worst < (own ? SPHERE_OWN : SPHERE) * size, "%s: the sum over a sphere%s (%.1e)",
           cell->name, own ? ", an atom's own images" : "", worst / size);
}

/* Components that are 0 by symmetry are exactly 0, also for a cubic lattice with skewed vectors. */
static void own_images(void)
{
    static const struct {
        double v[9];
        int some; /* components that are not 0, as bits */
    } at[] = {
        {{17.25, 0, 0, 0, 17.25, 0, 0, 0, 17.25}, 0},
        {{23.03154, 0, 0, 0, 23.03154, 0, 0, 0, 23.03154}, 0},
        {{0, 12, 12, 12, 0, 12, 12, 12, 0}, 0},
        {{-7, 7, 7, 7, -7, 7, 7, 7, -7}, 0},
        {{17, 0, 0, 0, 17, 0, 0, 0, 49.54}, 1 << BETA_ZZ},
        {{17, 0, 0, 0, 22, 0, 0, 0, 29}, 1 << BETA_ZZ | 1 << BETA_XX_YY},
        {{17, 0, 0, 5, 22, 0, 0, 0, 29}, 1 << BETA_ZZ | 1 << BETA_XX_YY | 1 << BETA_XY},
    };
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        struct box b;
        double q[BETA_NCOMPONENTS];
        int some = 0;
        box_of(at[k].v, &b);
        ewald_self(b.h, q);
        for (int c = 0; c < BETA_NCOMPONENTS; c++)
            some |= (q[c] != 0.0) << c;
        tap_ok(some == at[k].some, "own images: components %x of cell %zu are not 0, expected %x",
               (unsigned)some, k, (unsigned)at[k].some);
    }
}

/* Every A_i of a cubic crystal is 0. The crystal is zinc blende, so that not all atoms are
 * equivalent. */
static void crystal(void)
{
    static const double at[8][3] = {{0, 0, 0},       {0, .5, .5},     {.5, 0, .5},
                                    {.5, .5, 0},     {.25, .25, .25}, {.25, .75, .75},
                                    {.75, .25, .75}, {.75, .75, .25}};
    double h[3][3] = {{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}, worst = 0;
    for (int i = 0; i < 8; i++) {
        double a[5] = {0};
        for (int j = 0; j < 8; j++) {
            double r[3], q[5];
            for (int k = 0; k < 3; k++)
                r[k] = 6 * (at[i][k] - at[j][k]);
            if (i != j)
                ewald_sum(h, 0, r, q);
            for (int c = 0; c < 5 && i != j; c++)
                a[c] += q[c];
        }
        for (int c = 0; c < 5; c++)
            worst = tap_max(worst, fabs(a[c]));
    }
    tap_ok(worst < 1e-15, "A of every atom of a cubic crystal is 0 (%.1e)", worst);
}

/* A difference of two positions that are wrapped into a cell. */
static void difference(const struct box *b, double d[3])
{
    double u[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    for (int a = 0; a < 3; a++)
        d[a] = u[0] * b->h[0][a] + u[1] * b->h[1][a] + u[2] * b->h[2][a];
}

static double quiet_nan_max(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

/* Is the nearest image at 0.9 sigma or farther? */
static int far(const struct box *b, const double d[3])
{
    for (int n = 0; n < 27; n++) {
        double r2 = 0;
        for (int a = 0; a < 3; a++) {
            double x = d[a] + (n / 9 - 1) * b->h[0][a] + (n / 3 % 3 - 1) * b->h[1][a] +
                       (n % 3 - 1) * b->h[2][a];
            r2 += x * x;
        }
        if (r2 < 0.81 * SIGMA * SIGMA)
            return 0;
    }
    return 1;
}

static void fit_f64(const struct cell *cell, const struct box *r)
{
    struct err e;
    struct ewald_f64 f;
    double tolerance = 1e-9 * largest(BETA_XZ), worst = 0, stated = 0, odd = 0;
    struct ewald_fit *fit = ewald_fit_new(r, tolerance, 1, ATOMS, &e);
    double own[5];
    ewald_self(r->h, own);
    if (!tap_ok(fit != NULL, "%s: a fit in double", cell->name))
        return;
    ewald_cell_f64(fit, r, &f);
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        stated = tap_max(stated, fit->error[c] / box_volume(r) / largest(c));
    for (int n = 0; n < 300; n++) {
        double d[3], q[5], p[5];
        difference(r, d);
        ewald_sum(r->h, 0, d, q);
        for (int c = 0; c < BETA_NCOMPONENTS; c++) {
            q[c] += own[c] / (ATOMS - 1);
            p[c] = ewald_one_f64(&f, c, d[0], d[1], d[2]);
            odd += p[c] != ewald_one_f64(&f, c, -d[0], -d[1], -d[2]);
            if (far(r, d))
                worst = quiet_nan_max(worst, fabs(p[c] - q[c]) / largest(c));
        }
    }
    tap_ok(stated <= 1e-9 && worst < 1.5e-9, "%s: error in double %.1e of the largest, stated %.1e",
           cell->name, worst, stated);
    tap_ok(odd == 0, "%s: the same bits at -r", cell->name);
    ewald_unref(fit);
}

static int is_long(const struct box *b)
{
    double w[3] = {box_width(b, 0), box_width(b, 1), box_width(b, 2)};
    return fmax(w[0], fmax(w[1], w[2])) > 2.5 * fmin(w[0], fmin(w[1], w[2]));
}

static void fit_f32(const struct cell *cell, const struct box *r)
{
    struct err e;
    struct ewald_f32 f;
    double worst = 0, stated = 0;
    long differ_bits = 0;
    struct ewald_fit *fit = ewald_fit_new(r, 5e-7 * largest(BETA_XZ), 0, ATOMS, &e);
    double own[5];
    ewald_self(r->h, own);
    if (!tap_ok(fit != NULL, "%s: a fit in float", cell->name))
        return;
    ewald_cell_f32(fit, r, &f);
    const float len[3] = {f.h[0][0], f.h[1][1], f.h[2][2]},
                inv[3] = {f.inv[0][0], f.inv[1][1], f.inv[2][2]};
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        stated = tap_max(stated, fit->error[c] / box_volume(r) / largest(c));
    for (int n = 0; n < (ewald_is_corners_f32(&f) ? 5000 : 300); n++) {
        double d[3], q[5];
        difference(r, d);
        float x = (float)d[0], y = (float)d[1], z = (float)d[2];
        if (n < 300)
            ewald_sum(r->h, 0, (double[3]){x, y, z}, q);
        for (int c = 0; c < BETA_NCOMPONENTS; c++) {
            q[c] += n < 300 ? own[c] / (ATOMS - 1) : 0;
            float p = ewald_one_f32(&f, c, x, y, z), s[3], sum, v, w;
            if (n < 300 && far(r, (double[3]){x, y, z}))
                worst = quiet_nan_max(worst, fabs(p - q[c]) / largest(c));
            if (!ewald_is_corners_f32(&f))
                continue;
            ewald_corners_f32(len, inv, 1, &c, x, y, z, s, &sum);
            v = ewald_p3(f.degree[c], f.poly + c * f.nterms, s[0] * s[0], s[1] * s[1], s[2] * s[2]);
            ewald_q_f32_1(&f, c, s, &sum, &v, &w);
            differ_bits += memcmp(&w, &p, sizeof w) != 0;
        }
    }
    /* a layer more would be 64 images in place of 8 */
    tap_ok(!(f.layers[0] || f.layers[1] || f.layers[2]) == !is_long(r),
           "%s: the images at the corners, and more in a long cell", cell->name);
    tap_ok(stated <= 5e-7 && worst <= 1e-6, "%s: error in float %.1e of the largest, stated %.1e",
           cell->name, worst, stated);
    tap_ok(differ_bits == 0, "%s: the form for eight corners has the same bits", cell->name);
    ewald_unref(fit);
}

/* Shapes that cannot be, and what keeps a fit. */
static void cache(void)
{
    struct ewald_cache c = {{0}, 0};
    struct err e;
    struct box b, r;
    struct ewald_fit *f[4];
    for (int k = 0; k < 4; k++) {
        double len = k == 1 ? 22.0009 : 22, v[9] = {len, 0, 0, 0, k == 2 ? 23 : len, 0, 0, 0, len};
        box_of(v, &b);
        f[k] = ewald_cache_get(&c, &b, 1e-8, 0, k == 3 ? ATOMS + 1 : ATOMS, &e);
    }
    tap_ok(f[0] && f[0] == f[1], "a cell that grows keeps its fit");
    tap_ok(f[2] && f[2] != f[0], "another shape has another");
    tap_ok(f[3] && f[3] != f[0], "other atoms have another");
    for (int k = 0; k < 4; k++)
        ewald_unref(f[k]);
    ewald_cache_free(&c);
    box_init(&b, (const double[9]){22, 0, 0, 0, 22, 0, 0, 0, 22}, (const int[3]){1, 1, 0});
    tap_ok(ewald_reduce(&b, &r, &e) == -1 && e.status == ERR_BAD && strstr(e.text, "periodic"),
           "a partly periodic cell is refused: %s", e.text);
    box_of((const double[9]){20, 0, 0, 0, 20, 0, 0, 0, 1e-3}, &b);
    tap_ok(ewald_fit_new(&b, 1e-9, 0, ATOMS, &e) == NULL && e.status == ERR_BAD, "a flat cell: %s",
           e.text);
}

int main(void)
{
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        struct box b, r;
        struct err e;
        box_of(cells[k].v, &b);
        if (!tap_ok(ewald_reduce(&b, &r, &e) == 0 &&
                        fabs(box_volume(&r) / box_volume(&b) - 1) < 1e-12,
                    "%s: reduced", cells[k].name))
            continue;
        sums(&cells[k]);
        fit_f64(&cells[k], &r);
        fit_f32(&cells[k], &r);
    }
    for (int own = 0; own < 2; own++) {
        sphere(&cells[3], own);
        sphere(&cells[7], own);
    }
    sphere(&cells[1], 0);
    sphere(&cells[6], 1);
    own_images();
    crystal();
    cache();
    return tap_done();
}
