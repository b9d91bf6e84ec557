/* SPDX-License-Identifier: MIT */
/*
 * mesh_grid.h: compares charges and dipoles on a mesh with plain sums. split.h: tests the split,
 * A_i of the CPU engine from a mesh against the lattice sum of every pair, and the missing part of
 * G2.
 */
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"
#include "mesh/mesh_grid.h"
#include "tap.h"

#define SIGMA 3.4
#define ATOMS 125

static double uniform(double a, double b)
{
    return a + (b - a) * (rand() / (RAND_MAX + 1.0));
}

/* ---- the split ---- */

/* Returns psi of mesh/mesh.h without its norm at x = r/R. */
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

/* Computes the transform of psi and Phi by the midpoint rule, and g from differences of Phi. */
static void split_at(double error)
{
    static double psi[POINTS], phi[POINTS + 1];
    struct split m;
    double waves = 0, near = 0, f64 = 0, f32 = 0, h = 1.0 / POINTS;
    split_plan(SIGMA, 12, error, &m);
    for (int k = 0; k < POINTS; k++) {
        psi[k] = bump(m.mesh.shape, (k + 0.5) * h);
        phi[k + 1] = phi[k] + h * psi[k];
    }
    for (double kr = 0; kr < 60; kr += 1.7) {
        double sum = 0;
        for (int k = 0; k < POINTS; k++)
            sum += h * psi[k] * cos(kr * (k + 0.5) * h);
        waves = tap_max(waves, fabs(sum / phi[POINTS] - mesh_wave(&m.mesh, kr)));
    }
    tap_ok(waves < 1e-8, "error %g: transform of the bump (%.1e)", error, waves);
    for (int k = 1000; k < POINTS; k += 500) { /* g = 1 - Phi + r Phi' - r² Phi''/3 */
        int d = 50;
        double r = k * h, up = phi[k + d], mid = phi[k], low = phi[k - d], s = d * h;
        double g =
            1 - (mid - r * (up - low) / (2 * s) + r * r / 3 * (up + low - 2 * mid) / (s * s)) /
                    phi[POINTS];
        double want = split_short_range(&m, r * m.reach), r2 = r * r * m.reach * m.reach;
        float rm5;
        near = tap_max(near, fabs(g - want));
        f64 = tap_max(f64, fabs(split_short_range_f64(&m, r2, 2 / m.reach) - want));
        f32 = tap_max(
            f32, fabs(split_short_range_f32(&m, (float)r2, (float)(2 / m.reach), &rm5) - want));
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

/* Places atoms on a grid of the cell with small random shifts. */
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

/* Computes A of all components from ewald_sum() and own images, as [5][ATOMS]. */
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

/* Computes A of one step by the engine, for a copy of the atoms that is shifted out of the cell. */
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
    const void *step = f64 ? (void *)v : f;
    struct g4 *g = g4_open(&p, step, b, &e);
    int bad =
        !g || g4_push(g, 1, step, b) || stats_blocks_reach(&g->blocks, 1) || g4_factored_pass(g, 1);
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
 * Compares the rms error of A of each component with the allowed error and with the expected error.
 * The allowed error is `error` times the rms of A, or three times that in single precision, which
 * adds rounding (large coordinates in a skewed cell). The expected error ignores structure (the
 * flat cell has layers).
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
    split_plan(SIGMA, cell->r2, error, &sum.plan);
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

/* Returns the mean square error of a wave of amplitude 1 over all places of an atom and its partner
 * between the points. The mesh mixes the wave with all its aliases, each with its W, for both
 * atoms; the exact result contains only the wave itself. */
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

/* The filter of every wave is optimal, and `self` is the interaction of an atom with itself. */
static void weights(void)
{
    for (int order = 6; order <= MESH_ORDER; order += 2) {
        double filter[POINTS_K], self[POINTS_K], worst = 0.0;
        int best = 1;
        mesh_axis(order, POINTS_K, filter, self);
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

/* ---- sites on a mesh ---- */

#define SITES 40
#define ROUNDING 1e-13 /* rounding error of sums of 40 products of at most 1 */
#define STEP 1e-4      /* distance of the charges of a dipole, in spacings */
#define STEP_ERROR 1e-7

struct on_mesh {
    struct mesh_plans plans;
    struct mesh_grid grid;
    double at[3][SITES], v[3][SITES];
};

static struct mesh_sites sites_of(const struct on_mesh *m)
{
    return (struct mesh_sites){SITES, SITES, m->at[0]};
}

/* Makes random sites, some outside the cell, on a mesh of few points, where splines wrap. */
static int on_mesh_make(struct on_mesh *m, int order, int apart)
{
    const int n[3] = {2 * order, 21, 24};
    memset(m, 0, sizeof *m);
    for (int i = 0; i < SITES; i++)
        for (int k = 0; k < 3; k++) {
            m->at[k][i] = i ? uniform(-1, 2) : 0.999;
            m->v[k][i] = uniform(-1, 1);
        }
    return mesh_plans_add(&m->plans, n) ||
           mesh_grid_set(&m->grid, &m->plans, order, n, 1, apart) != 1;
}

static void on_mesh_free(struct on_mesh *m)
{
    mesh_grid_free(&m->grid);
    mesh_plans_free(&m->plans);
}

/* Returns the mesh point of three indices, of which the first two wrap. */
static size_t point(const struct mesh_grid *g, int i, int j, int l)
{
    return ((size_t)(i % g->n[0]) * (size_t)g->n[1] + (size_t)(j % g->n[1])) * g->pitch + (size_t)l;
}

/* Spreads charges on a mesh, point by point, where the third index also wraps. */
static void by_points(const struct on_mesh *m, double *to)
{
    const struct mesh_grid *g = &m->grid;
    for (int s = 0; s < SITES; s++) {
        double w[3][MESH_ORDER], past;
        int at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = mesh_place(m->at[k][s], g->n[k], &past);
            mesh_spline(g->order, &past, w[k]);
        }
        for (int i = 0; i < g->order; i++)
            for (int j = 0; j < g->order; j++)
                for (int l = 0; l < g->order; l++)
                    to[point(g, at[0] + i, at[1] + j, (at[2] + l) % g->n[2])] +=
                        m->v[0][s] * w[0][i] * w[1][j] * w[2][l];
    }
}

/* Charges are folded, transformed and transformed back. Every point must return, and the first
 * columns must be repeated after the last. */
static void folded(int order)
{
    struct on_mesh m;
    if (on_mesh_make(&m, order, 0)) {
        tap_ok(0, "a mesh");
        return;
    }
    struct mesh_grid *g = &m.grid;
    struct mesh_sites s = sites_of(&m);
    double off = 0.0, points = (double)g->n[0] * g->n[1] * g->n[2];
    double *want = calloc((size_t)g->n[0] * (size_t)g->n[1] * g->pitch, sizeof *want);
    by_points(&m, want);
    mesh_clear(g);
    SIMD_PICK(mesh_spread)(g, &s, m.v[0]);
    mesh_forth(g);
    mesh_back(g);
    for (int i = 0; i < g->n[0]; i++)
        for (int j = 0; j < g->n[1]; j++)
            for (int l = 0; l < (int)g->pitch; l++)
                off = tap_max(off, fabs(g->back[point(g, i, j, l)] / points -
                                        want[point(g, i, j, l % g->n[2])]));
    tap_ok(off < ROUNDING, "order %d: charges on folded points as one by one (%.1e)", order, off);
    free(want);
    on_mesh_free(&m);
}

/* The sum over sites of v gather(f) is the sum over points of spread(v) f, for any periodic f. */
static void adjoint(int order, int dipoles)
{
    struct on_mesh m;
    if (on_mesh_make(&m, order, 1)) {
        tap_ok(0, "a mesh");
        return;
    }
    struct mesh_grid *g = &m.grid;
    struct mesh_sites s = sites_of(&m);
    double there = 0.0, back = 0.0, to[3][SITES] = {{0}};
    for (int i = 0; i < g->n[0]; i++)
        for (int j = 0; j < g->n[1]; j++)
            for (int l = 0; l < (int)g->pitch; l++)
                g->back[point(g, i, j, l)] =
                    l < g->n[2] ? uniform(-1, 1) : g->back[point(g, i, j, l - g->n[2])];
    mesh_clear(g);
    if (dipoles) {
        SIMD_PICK(mesh_spread_dipoles)(g, &s, m.v[0]);
        SIMD_PICK(mesh_gather_slopes)(g, &s, to[0]);
    } else {
        SIMD_PICK(mesh_spread)(g, &s, m.v[0]);
        SIMD_PICK(mesh_gather)(g, &s, to[0]);
    }
    for (int i = 0; i < g->n[0]; i++)
        for (int j = 0; j < g->n[1]; j++)
            for (int l = 0; l < (int)g->pitch; l++)
                there += g->mesh[point(g, i, j, l)] * g->back[point(g, i, j, l)];
    for (int k = 0; k < (dipoles ? 3 : 1); k++)
        for (int i = 0; i < SITES; i++)
            back += m.v[k][i] * to[k][i];
    tap_ok(fabs(there - back) < ROUNDING * SITES && fabs(back) > 1e-3,
           "order %d: %s to points and from them are adjoint (%.1e of %.2g)", order,
           dipoles ? "dipoles" : "charges", fabs(there - back), back);
    on_mesh_free(&m);
}

/* A dipole is the limit of two charges. */
static void limits(int order)
{
    struct on_mesh m;
    if (on_mesh_make(&m, order, 1)) {
        tap_ok(0, "a mesh");
        return;
    }
    struct mesh_grid *g = &m.grid;
    struct mesh_sites s = sites_of(&m);
    double off = 0.0, at[3][SITES], v[SITES];
    size_t points = (size_t)g->n[0] * (size_t)g->n[1] * g->pitch;
    memcpy(at, m.at, sizeof at);
    mesh_clear(g);
    for (int k = 0; k < 3; k++) {
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < SITES; i++) {
                m.at[k][i] = at[k][i] + side * STEP / g->n[k];
                v[i] = side * m.v[k][i] / (2 * STEP);
            }
            SIMD_PICK(mesh_spread)(g, &s, v);
        }
        memcpy(m.at, at, sizeof at);
    }
    memcpy(g->back, g->mesh, points * sizeof *g->back);
    mesh_clear(g);
    SIMD_PICK(mesh_spread_dipoles)(g, &s, m.v[0]);
    for (size_t k = 0; k < points; k++)
        off = tap_max(off, fabs(g->mesh[k] - g->back[k]));
    tap_ok(off < STEP_ERROR, "order %d: a dipole is two charges (%.1e)", order, off);
    on_mesh_free(&m);
}

/* A mesh keeps its memory as long as its number of points, and needs planned transforms. */
static void shapes(void)
{
    static const int small[3] = {12, 12, 12}, large[3] = {12, 15, 20}, other[3] = {12, 12, 14};
    struct mesh_plans plans = {0};
    struct mesh_grid g = {0};
    int good = !mesh_plans_add(&plans, small) && !mesh_plans_add(&plans, large) &&
               !mesh_plans_add(&plans, small);
    tap_ok(good && mesh_grid_set(&g, &plans, 6, small, 2, 0) == 1 && g.back == g.mesh &&
               mesh_grid_set(&g, &plans, 6, small, 2, 0) == 0 &&
               mesh_grid_set(&g, &plans, 6, large, 2, 1) == 1 && g.back != g.mesh &&
               g.axis[1] == g.axis[0] + 24 && g.axis[2] == g.axis[1] + 30,
           "shapes: new memory only for another number of points");
    tap_ok(mesh_grid_set(&g, &plans, 6, other, 2, 0) == -1 && !g.mesh,
           "shapes: no mesh without planned transforms");
    mesh_grid_free(&g);
    mesh_plans_free(&plans);
}

/* ---- the tail ---- */

static void tail(void)
{
    double all = split_tail(2.5, 1e-3, 1.001e-3), far = split_tail(2.5, 1, 1.0000001);
    tap_near(all / far, 1e9, 3e6, "tail: r⁻³");
    tap_near(far, 2 * UNITS_PI * 2.5 * 2.5 / 45, 1e-6, "tail: of a sharp end");
    tap_ok(split_tail(2.5, 0.5, 1) > far && split_tail(2.5, 1, 2) < far, "tail: of a taper");
}

int main(void)
{
    for (double error = 1e-8; error < 2e-3; error *= 100)
        split_at(error);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        all_errors(&cells[k]);
    weights();
    for (int order = 6; order <= MESH_ORDER; order += 2) {
        folded(order);
        adjoint(order, 0);
        adjoint(order, 1);
        limits(order);
    }
    shapes();
    tail();
    return tap_done();
}
