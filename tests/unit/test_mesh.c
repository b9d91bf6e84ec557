/* SPDX-License-Identifier: MIT */
/*
 * mesh.h: the split into near and far; A_i of the CPU engine from a mesh against the lattice sum of
 * every pair; what is left out of G2.
 */
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"
#include "tap.h"

#define SIGMA 3.4
#define ATOMS 125

static double uniform(double a, double b)
{
    return a + (b - a) * (rand() / (RAND_MAX + 1.0));
}

/* ---- the split ---- */

/* psi of mesh.h up to its norm, at x = r/R. */
static double bump(double c, double x)
{
    double y2 = c * c * (1 - x * x), sum = 0, term = 1.0 / 2;
    for (int k = 0; k < 120; k++) {
        sum += term;
        term *= y2 / 4 / ((k + 1.0) * (k + 3.0));
    }
    return (1 - x * x) * (1 - x * x) * sum;
}

#define POINTS 20000

/* Its transform, and Phi, by the midpoint rule; g from differences of Phi. */
static void split(double error)
{
    static double phi[POINTS + 1];
    struct mesh m;
    double waves = 0, near = 0, f64 = 0, f32 = 0, h = 1.0 / POINTS;
    mesh_plan(SIGMA, 12, error, &m);
    for (int k = 0; k < POINTS; k++)
        phi[k + 1] = phi[k] + h * bump(m.shape, (k + 0.5) * h);
    for (double kr = 0; kr < 60; kr += 1.7) {
        double sum = 0;
        for (int k = 0; k < POINTS; k++)
            sum += h * bump(m.shape, (k + 0.5) * h) * cos(kr * (k + 0.5) * h);
        waves = tap_max(waves, fabs(sum / phi[POINTS] - mesh_wave(&m, kr)));
    }
    tap_ok(waves < 1e-8, "error %g: transform of the bump (%.1e)", error, waves);
    for (int k = 1000; k < POINTS; k += 500) { /* g = 1 - Phi + r Phi' - r² Phi''/3 */
        int d = 50;
        double r = k * h, up = phi[k + d], mid = phi[k], low = phi[k - d], s = d * h;
        double g =
            1 - (mid - r * (up - low) / (2 * s) + r * r / 3 * (up + low - 2 * mid) / (s * s)) /
                    phi[POINTS];
        double want = mesh_short_range(&m, r * m.reach), r2 = r * r * m.reach * m.reach;
        float rm5;
        near = tap_max(near, fabs(g - want));
        f64 = tap_max(f64, fabs(mesh_short_range_f64(&m, r2, 2 / m.reach) - want));
        f32 = tap_max(f32,
                      fabs(mesh_short_range_f32(&m, (float)r2, (float)(2 / m.reach), &rm5) - want));
    }
    tap_ok(near < 1e-3, "error %g: near part by differences (%.1e)", error, near);
    tap_ok(f64 < 1e-11 && f32 < 2e-6, "error %g: its polynomials (%.1e, f32 %.1e)", error, f64,
           f32);
}

/* ---- A_i ---- */

struct cell {
    const char *name;
    double v[9], r2;
    int layers;
};
static const struct cell cells[] = {
    {"cube", {17.25, 0, 0, 0, 17.25, 0, 0, 0, 17.25}, 8.6, 0},
    {"orthorhombic", {17.25, 0, 0, 0, 22, 0, 0, 0, 29}, 8.6, 0},
    {"strongly skewed", {17.25, 0, 0, 30, 20, 0, -37, 48, 22}, 7, 0},
    {"primitive fcc", {0, 12, 12, 12, 0, 12, 12, 12, 0}, 6.9, 0},
    {"nearly flat", {60, 0, 0, 0, 55, 0, 0, 0, 6}, 3, 1},
};

static void coefs(double *coef)
{
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        coef[c] = beta_coef(c, SIGMA, 3);
}

/* Atoms on a grid of the cell, each moved a little. */
static void atoms(const struct box *b, double *r)
{
    for (int i = 0; i < ATOMS; i++) {
        double s[3] = {i % 5, i / 5 % 5, i / 25};
        for (int k = 0; k < 3; k++)
            s[k] = (s[k] + uniform(0, 0.4)) / 5;
        for (int k = 0; k < 3; k++)
            r[3 * i + k] = s[0] * b->h[0][k] + s[1] * b->h[1][k] + s[2] * b->h[2][k];
    }
}

/* A of all components by ewald_sum and the atoms' own images, [5][ATOMS]. */
static void direct(const struct box *b, const double *r, const double *coef, double *a)
{
    double own[BETA_NCOMPONENTS];
    ewald_self(b->h, own);
    for (int k = 0; k < BETA_NCOMPONENTS * ATOMS; k++)
        a[k] = coef[k / ATOMS] * own[k / ATOMS];
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < i; j++) {
            double d[3], q[BETA_NCOMPONENTS];
            for (int k = 0; k < 3; k++)
                d[k] = r[3 * i + k] - r[3 * j + k];
            ewald_sum(b->h, 0, d, q);
            for (int c = 0; c < BETA_NCOMPONENTS; c++) {
                a[c * ATOMS + i] += coef[c] * q[c];
                a[c * ATOMS + j] += coef[c] * q[c];
            }
        }
}

/* The engine's A of one step, in a copy of the atoms that is shifted out of the cell. */
static int engine(const struct box *b, const struct sum *sum, const double *r, const double *coef,
                  int f64, double *a)
{
    struct g4_params p = {.input = FRAME_POSN,
                          .dtype = f64 ? FRAME_F64 : FRAME_F32,
                          .natoms = ATOMS,
                          .ncomp = BETA_NCOMPONENTS,
                          .component = {0, 1, 2, 3, 4},
                          .sum = *sum,
                          .method = G4_FACTORED,
                          .lags = 1,
                          .threads = 2};
    struct err e = {0};
    double v[3 * ATOMS];
    float f[3 * ATOMS];
    memcpy(p.coef, coef, sizeof p.coef);
    for (int k = 0; k < 3 * ATOMS; k++) {
        v[k] = r[k] + (f64 ? 2 * b->h[0][k % 3] - b->h[1][k % 3] : 0);
        f[k] = (float)v[k];
    }
    struct g4 *g = g4_open(&p, &e);
    int bad = !g || g4_push(g, 1, f64 ? (void *)v : f, b) || stats_blocks_reach(&g->blocks, 1) ||
              g4_factored_pass(g, 1);
    for (int c = 0; !bad && c < BETA_NCOMPONENTS; c++)
        for (size_t i = 0; i < ATOMS; i++)
            a[c * ATOMS + (int)i] =
                g->a[((size_t)c * g->nblocks + i / G4_LANES) * g->cap * G4_LANES + i % G4_LANES];
    if (bad)
        printf("# %s\n", g ? g4_error(g)->text : e.text);
    g4_close(g);
    return bad;
}

/*
 * rms error of A of each component, against what is promised: `error` of the rms of A, three times
 * that in single precision, where rounding is beside it (large coordinates of a skewed cell), and
 * against what was expected, which knows no structure (the flat cell has layers).
 */
#define F32_MAX 3.0
#define EXPECTED_MAX 1.5
#define EXPECTED_MIN 0.03

static void sums(const struct cell *cell, const struct box *b, const double *r, const double *want,
                 double error, int f64)
{
    double coef[BETA_NCOMPONENTS], a[BETA_NCOMPONENTS * ATOMS], worst = 0, size = 0;
    struct sum sum = {.kind = SUM_EWALD, .r1 = 0.9 * cell->r2, .r2 = cell->r2, .mesh = SUM_MESH};
    coefs(coef);
    mesh_plan(SIGMA, cell->r2, error, &sum.plan);
    if (engine(b, &sum, r, coef, f64, a)) {
        tap_ok(0, "%s: a result", cell->name);
        return;
    }
    double expected = sum.plan.rms * coef[0] * sqrt(ATOMS / box_volume(b));
    for (int c = 0; c < BETA_NCOMPONENTS; c++) {
        double d = 0;
        for (int i = c * ATOMS; i < (c + 1) * ATOMS; i++) {
            d += (a[i] - want[i]) * (a[i] - want[i]) / ATOMS;
            size += want[i] * want[i] / (BETA_NCOMPONENTS * ATOMS);
        }
        worst = tap_max(worst, sqrt(d));
    }
    tap_ok(worst < (f64 ? 1.0 : F32_MAX) * error * sqrt(size),
           "%s, error %g, %s: rms error of A %.1e of %.2g, expected %.1e", cell->name, error,
           f64 ? "f64" : "f32", worst, sqrt(size), expected);
    if (f64)
        tap_ok(worst > EXPECTED_MIN * expected && (cell->layers || worst < EXPECTED_MAX * expected),
               "%s, error %g: as expected", cell->name, error);
}

static void all_errors(const struct cell *cell)
{
    struct box b;
    double r[3 * ATOMS], coef[BETA_NCOMPONENTS], want[BETA_NCOMPONENTS * ATOMS];
    static const int pbc[3] = {1, 1, 1};
    if (box_init(&b, cell->v, pbc))
        tap_ok(0, "a cell");
    coefs(coef);
    srand(7);
    atoms(&b, r);
    for (int k = 0; k < 3 * ATOMS; k++) /* the same places in single precision */
        r[k] = (float)r[k];
    direct(&b, r, coef, want);
    for (double error = 1e-8; error < 2e-3; error *= 100)
        sums(cell, &b, r, want, error, 1);
    sums(cell, &b, r, want, 1e-6, 0);
}

/* ---- weights ---- */

#define POINTS_K 20
#define ALIASES_K 12

/* What a wave of size 1 is off by, in square and over all places of atom and partner between the
 * points: it goes
 * onto the mesh with all its aliases and off it as all of them, W of each, and by rights only as
 * itself. */
static double off(double f, const double *w)
{
    double sum = 0.0;
    for (int i = -ALIASES_K; i <= ALIASES_K; i++)
        for (int j = -ALIASES_K; j <= ALIASES_K; j++) {
            double d = f * w[i + ALIASES_K] * w[j + ALIASES_K] - (i == 0 && j == 0);
            sum += d * d;
        }
    return sum;
}

/* The filter of every wave is the best there is, and self what an atom meets of itself. */
static void weights(void)
{
    for (int order = 6; order <= MESH_ORDER; order += 2) {
        struct mesh m = {.order = order};
        double filter[POINTS_K], self[POINTS_K], worst = 0.0;
        int best = 1;
        mesh_axis(&m, POINTS_K, filter, self);
        for (int k = 1; k < POINTS_K; k++) {
            double w[2 * ALIASES_K + 1], own = 0.0;
            if (2 * k == POINTS_K)
                continue;
            for (int j = -ALIASES_K; j <= ALIASES_K; j++) {
                double x = UNITS_PI * (mesh_signed(k, POINTS_K) / (double)POINTS_K + j);
                w[j + ALIASES_K] = pow(sin(x) / x, order);
                own += filter[k] * w[j + ALIASES_K] * w[j + ALIASES_K];
            }
            best &= off(filter[k], w) < off(0.999 * filter[k], w) &&
                    off(filter[k], w) < off(1.001 * filter[k], w);
            worst = tap_max(worst, fabs(own / self[k] - 1.0));
        }
        tap_ok(best, "order %d: weights of least error", order);
        tap_ok(worst < 1e-12, "order %d: an atom's own part, %.1e off", order, worst);
    }
}

/* ---- the tail ---- */

static void tail(void)
{
    double all = mesh_tail(2.5, 1e-3, 1.001e-3), far = mesh_tail(2.5, 1, 1.0000001);
    tap_near(all / far, 1e9, 3e6, "tail: r⁻³");
    tap_near(far, 2 * UNITS_PI * 2.5 * 2.5 / 45, 1e-6, "tail: of a sharp end");
    tap_ok(mesh_tail(2.5, 0.5, 1) > far && mesh_tail(2.5, 1, 2) < far, "tail: of a taper");
}

int main(void)
{
    for (double error = 1e-8; error < 2e-3; error *= 100)
        split(error);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        all_errors(&cells[k]);
    weights();
    tail();
    return tap_done();
}
