/* SPDX-License-Identifier: MIT */
/* Tests the molecular dynamics engine: forces, conservation laws, walls, thermostat and errors. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "md/md_formulas.h"
#include "md/md_start.h"
#include "tap.h"

#define MAX 700
static double r[3 * MAX], v[3 * MAX], f[3 * MAX], g[3 * MAX], r2[3 * MAX], v2[3 * MAX];
static struct err err;

static struct md_params system_of(size_t n)
{
    double edge = cbrt((double)n / 0.8);
    return (struct md_params){.natoms = n,
                              .replicas = 1,
                              .box = {edge, 1.1 * edge, 1.05 * edge},
                              .eps = 1,
                              .sigma = 1,
                              .mass = 1,
                              .kb = 1,
                              .mvv2e = 1,
                              .cutoff = fmin(2.5, 0.5 * edge),
                              .skin = NAN,
                              .temperature = 1.0,
                              .dt = 0.002,
                              .threads = 2};
}

static struct md *open_at(const struct md_params *p, const double *x, const double *u)
{
    struct md *m = md_open(p, x, u, 0, &err);
    if (m == NULL)
        printf("# %s\n", err.text);
    return m;
}

static int keep(void *ctx, const struct md_sample *s)
{
    memcpy(ctx, s->thermo, sizeof *s->thermo);
    return 0;
}

static struct md_thermo totals(struct md *m)
{
    struct md_thermo t;
    struct md_samples s = {.want = MD_WANT_THERMO | MD_WANT_STRESS, .sink = keep, .ctx = &t};
    if (md_measure(m, &s) != 0)
        t.kinetic = NAN;
    return t;
}

/* Returns the energy that a force with truncation and without a shift conserves. */
static double conserved(const struct md_params *p, const struct md_thermo *t)
{
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    if (p->shift != LJ_SHIFT_NONE)
        return t->kinetic + t->potential;
    return t->kinetic + t->potential - (double)t->pairs * lj_energy(&lj, p->cutoff * p->cutoff);
}

static int steps(struct md *m, uint64_t n)
{
    return md_run(m, n, NULL);
}

/* Computes forces by the definition, from every pair in double. Returns U. */
static double reference(const struct md_params *p, const double *x, double *out, double *w,
                        double ab[6])
{
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    double u = 0.0;
    lj_set_shift(&lj, p->shift, p->cutoff);
    memset(out, 0, 3 * p->natoms * sizeof *out);
    *w = 0.0;
    memset(ab, 0, 6 * sizeof *ab);
    for (size_t i = 0; i < p->natoms; i++)
        for (size_t j = i + 1; j < p->natoms; j++) {
            double d[3], s = 0.0;
            for (int k = 0; k < 3; k++) {
                d[k] = x[3 * i + (size_t)k] - x[3 * j + (size_t)k];
                d[k] -= p->boundary == MD_PERIODIC ? p->box[k] * rint(d[k] / p->box[k]) : 0.0;
                s += d[k] * d[k];
            }
            if (s >= p->cutoff * p->cutoff)
                continue;
            u += lj_energy_cut(&lj, s);
            *w += lj_force_r_cut(&lj, s) * s;
            for (int k = 0; k < 3; k++) {
                ab[k] += lj_force_r_cut(&lj, s) * d[k] * d[k];
                ab[3 + k] += lj_force_r_cut(&lj, s) * d[k < 2 ? 0 : 1] * d[k < 1 ? 1 : 2];
            }
            for (int k = 0; k < 3; k++) {
                out[3 * i + (size_t)k] += lj_force_r_cut(&lj, s) * d[k];
                out[3 * j + (size_t)k] -= lj_force_r_cut(&lj, s) * d[k];
            }
        }
    return u;
}

static void forces_are_right(enum md_precision precision, enum md_boundary boundary,
                             enum lj_form form, enum lj_shift shift, double tol)
{
    struct md_params p = system_of(333);
    p.shift = shift;
    double worst = 0.0, rms = 0.0, w;
    p.precision = precision;
    p.boundary = boundary;
    p.form = form;
    if (form == LJ_RMIN)
        p.sigma = 1.12;
    tap_ok(md_init(&p, MD_FCC, 5, r, v, &err) == 0, "a start");
    for (int method = MD_ALL_PAIRS; method <= MD_CELLS; method++) {
        p.neighbours = (enum md_neighbours)method;
        struct md *m = open_at(&p, r, v);
        if (!m || steps(m, 150) != 0 || md_state(m, r2, v2) != 0 || md_forces(m, f) != 0) {
            tap_ok(0, "method %d runs", method);
            continue;
        }
        double ab[6], u = reference(&p, r2, g, &w, ab);
        for (size_t i = 0; i < 3 * p.natoms; i++) {
            worst = tap_max(worst, fabs(f[i] - g[i]));
            rms += g[i] * g[i];
        }
        struct md_thermo t = totals(m);
        tap_near(t.potential / u, 1.0, 1e-11, "energy of the definition");
        tap_near(t.virial / w, 1.0, 1e-10, "virial of the definition");
        double vv[6] = {0}, far = 0.0;
        for (size_t i = 0; i < p.natoms; i++)
            for (int k = 0; k < 3; k++) {
                const double *v3 = v2 + 3 * i;
                vv[k] += v3[k] * v3[k];
                vv[3 + k] += v3[k < 2 ? 0 : 1] * v3[k < 1 ? 1 : 2];
            }
        for (int k = 0; k < 6; k++)
            far = tap_max(far, fmax(fabs(t.virial_ab[k] - ab[k]) / fabs(w),
                                    fabs(t.kinetic_ab[k] - vv[k]) / t.kinetic));
        tap_near(far, 0.0, 1e-10, "tensors of the definition");
        md_close(m);
    }
    rms = sqrt(rms / (9.0 * (double)p.natoms));
    tap_near(worst / rms, 0.0, tol, precision == MD_DOUBLE ? "forces, double" : "forces, mixed");
}

static void same_bits(void)
{
    struct md_params p = system_of(403);
    double first[2][3 * 403];
    for (int walls = 0; walls < 2; walls++)
        for (int k = 0; k < 7; k++) {
            p.boundary = walls ? MD_MIRROR : MD_PERIODIC;
            p.neighbours = (enum md_neighbours)(k % 4);
            p.threads = 1 + k % 3;
            p.skin = k == 5 ? 0.05 : k == 6 ? 0.7 : NAN;
            p.tau = 0.3;
            if (md_init(&p, MD_FCC, 9, r, v, &err) != 0)
                tap_ok(0, "%s", err.text);
            struct md *m = open_at(&p, r, v);
            if (m && steps(m, 400) == 0 && md_state(m, k ? r2 : first[0], k ? v2 : first[1]) == 0 &&
                k)
                tap_ok(memcmp(r2, first[0], sizeof first[0]) == 0 &&
                           memcmp(v2, first[1], sizeof first[1]) == 0,
                       "%s: method %d, %d threads: the same bits after 400 steps",
                       walls ? "walls" : "periodic", k % 4, p.threads);
            else if (k || !m)
                tap_ok(0, "runs: %s", m ? md_info(m)->err.text : err.text);
            md_close(m);
        }
}

/* * Two atoms meet in a dilute gas. Only this shows that the list is too old, at any place in the
 * list. A dimer that vibrates but does not move far makes the engine check lists more than once. */
static void meeting(void)
{
    struct md_params p = system_of(29);
    double first[2][3 * 29];
    int bad = 0;
    p.box[0] = p.box[1] = p.box[2] = 40;
    p.cutoff = 2.5;
    p.skin = 0.5;
    for (size_t site = 0; site < 27; site++) {
        memset(v, 0, sizeof v);
        for (size_t i = 0; i < 29; i++) { /* 27: second of the two atoms; 28: second of the dimer */
            size_t at = i < 27 ? i : i == 27 ? site : (site + 13) % 27;
            r[3 * i] = 6 + 13 * (double)(at / 9) + (i == 27 ? 3.02 : i == 28 ? 1.25 : 0.0);
            r[3 * i + 1] = 6 + 13 * (double)(at / 3 % 3);
            r[3 * i + 2] = 6 + 13 * (double)(at % 3);
        }
        v[3 * site] = 0.3;
        v[3 * 27] = -0.3;
        for (int lists = 0; lists < 2; lists++) {
            p.neighbours = lists ? MD_VERLET : MD_ALL_PAIRS;
            p.threads = 1 + lists;
            struct md *m = open_at(&p, r, v);
            bad += !m || steps(m, 600) != 0 ||
                   md_state(m, lists ? r2 : first[0], lists ? v2 : first[1]) != 0;
            md_close(m);
        }
        bad += memcmp(r2, first[0], sizeof first[0]) != 0 ||
               memcmp(v2, first[1], sizeof first[1]) != 0 || v2[3 * 27] == -0.3;
    }
    tap_ok(bad == 0, "two that meet are seen in time, %d times not", bad);
}

/* Differences between the totals of steps and the definition at the same positions. */
struct totals_check {
    struct md_params p;
    double worst, worst_u, mean[7]; /* ab and u */
    int n, skipped;
};

static int check_totals(void *ctx, const struct md_sample *s)
{
    struct totals_check *c = ctx;
    const struct md_params *p = &c->p;
    const struct md_thermo *t = s->thermo;
    const double *x = s->pos;
    double ab[6], w, u = reference(p, x, g, &w, ab), size = 0.0;
    uint64_t pairs = 0;
    for (size_t i = 0; i < p->natoms; i++)
        for (size_t j = i + 1; j < p->natoms; j++) {
            double s2 = 0.0;
            for (size_t k = 0; k < 3; k++) {
                double d = x[3 * i + k] - x[3 * j + k];
                d -= p->boundary == MD_PERIODIC ? p->box[k] * rint(d / p->box[k]) : 0.0;
                s2 += d * d;
            }
            struct lj lj = lj_make(p->form, p->eps, p->sigma);
            pairs += s2 < p->cutoff * p->cutoff;
            size += s2 < p->cutoff * p->cutoff ? fabs(lj_force_r(&lj, s2)) * s2 : 0.0;
        }
    if (pairs != t->pairs) /* a pair within 1e-7 of the cutoff, where the force jumps */
        return c->skipped++, 0;
    for (int k = 0; k < 6; k++) {
        double e = (t->virial_ab[k] - ab[k]) / size;
        c->worst = tap_max(c->worst, fabs(e));
        c->mean[k] += e;
    }
    c->worst = tap_max(c->worst, fabs(t->virial - w) / size);
    c->worst_u = tap_max(c->worst_u, fabs(t->potential / u - 1.0));
    c->mean[6] += t->potential / u - 1.0;
    c->n++;
    return 0;
}

/* Virial and energy of steps come from pair forces in single precision. */
static void totals_of_steps(void)
{
    for (int k = 0; k < 36; k++) {
        struct totals_check c = {.p = system_of(403)};
        struct md_params *p = &c.p;
        p->neighbours = (enum md_neighbours)(MD_ALL_PAIRS + k % 3);
        p->boundary = k / 3 % 2 ? MD_MIRROR : MD_PERIODIC;
        p->shift = (enum lj_shift)(k / 6 % 3);
        p->form = k % 2 ? LJ_RMIN : LJ_SIGMA;
        p->sigma = k % 2 ? 1.12 : 1.0;
        if (k >= 18)
            p->box[1] = p->box[2] = p->box[0] = cbrt(403 / 0.8);
        struct md_samples s = {.want = MD_WANT_F64 | MD_WANT_THERMO | MD_WANT_STRESS,
                               .every = 4,
                               .thermo_every = 4,
                               .sink = check_totals,
                               .ctx = &c};
        struct md *m = NULL;
        if (md_init(p, MD_FCC, 5, r, v, &err) != 0 || !(m = open_at(p, r, v)) ||
            md_run(m, 200, &s) != 0)
            tap_ok(0, "runs");
        double bias = 0.0;
        for (int a = 0; a < 6; a++)
            bias = tap_max(bias, fabs(c.mean[a] / c.n));
        bool cube = p->box[1] == p->box[0]; /* otherwise ratios are rounded to f32 */
        tap_ok(c.skipped <= 3, "%d of 50 steps with other pairs", c.skipped);
        tap_near(c.worst, 0.0, 3e-7, "virial of a step, over the sum of |terms|");
        tap_near(bias, 0.0, cube ? 5e-9 : 1e-7, "mean error of the virial");
        tap_near(c.worst_u, 0.0, 1e-7, "energy of a step");
        tap_near(c.mean[6] / c.n, 0.0, cube ? 5e-9 : 2e-8, "mean error of the energy");
        md_close(m);
    }
}

static void conservation(void)
{
    struct md_params p = system_of(256);
    p.dt = 0.001;
    tap_ok(md_init(&p, MD_FCC, 2, r, v, &err) == 0, "a start");
    struct md *m = open_at(&p, r, v);
    if (!m || steps(m, 500) != 0) {
        tap_ok(0, "runs");
        return;
    }
    struct md_thermo a = totals(m), b = a;
    double e0 = conserved(&p, &a), worst = 0.0;
    struct md_samples s = {.want = MD_WANT_THERMO, .thermo_every = 50, .sink = keep, .ctx = &b};
    for (int k = 0; k < 40 && md_run(m, 50, &s) == 0; k++) {
        worst = tap_max(worst, fabs(conserved(&p, &b) - e0) / (double)p.natoms);
    }
    /* velocity Verlet at dt* 0.001 fluctuates by order dt², measured 3e-5 eps per atom */
    tap_near(worst, 0.0, 2e-4, "energy stays, an atom");
    /* forces cancel exactly; 2500 roundings of 1e-16 of 256 velocities */
    tap_near(fabs(b.momentum[0]) + fabs(b.momentum[1]) + fabs(b.momentum[2]), 0.0, 1e-10,
             "momentum stays to rounding");

    /* Time reversal: `mixed` is reversible to the rounding of f64 times the growth of errors. */
    if (md_state(m, r, v) != 0 || steps(m, 200) != 0 || md_state(m, r2, v2) != 0)
        tap_ok(0, "runs");
    md_close(m);
    for (size_t i = 0; i < 3 * p.natoms; i++)
        v2[i] = -v2[i];
    m = open_at(&p, r2, v2);
    double back = 0.0;
    if (m && steps(m, 200) == 0 && md_state(m, r2, v2) == 0)
        for (size_t i = 0; i < 3 * p.natoms; i++)
            back = tap_max(back, fabs(r2[i] - r[i]));
    tap_near(m ? back : NAN, 0.0, 1e-5, "time reversal returns after 200 steps");
    md_close(m);
}

static void walls(void)
{
    for (int k = 0; k < 2; k++) {
        struct md_params p = system_of(300);
        p.boundary = MD_MIRROR;
        p.integrator = k ? MD_EULER : MD_VELOCITY_VERLET;
        p.dt = 0.001;
        if (md_init(&p, MD_FCC, 4, r, v, &err) != 0)
            tap_ok(0, "%s", err.text);
        struct md *m = open_at(&p, r, v);
        int inside = m && steps(m, 100) == 0;
        struct md_thermo a = totals(m), b;
        for (int s = 0; s < 30 && inside; s++) {
            inside = steps(m, 50) == 0 && md_state(m, r2, v2) == 0;
            for (size_t i = 0; i < 3 * p.natoms; i++)
                inside &= r2[i] >= 0.0 && r2[i] <= p.box[i % 3];
        }
        b = totals(m);
        tap_ok(inside, "walls keep every atom inside (%s)", k ? "euler" : "velocity Verlet");
        /* symplectic Euler is of first order, so the energy oscillates by dt/2 d(v F)/dt */
        tap_near((conserved(&p, &b) - conserved(&p, &a)) / 300.0, 0.0, k ? 2e-2 : 5e-4,
                 "walls take no energy");
        md_close(m);
    }
}

/* One atom between walls flies in straight lines: r is a triangle wave. */
static void billiard(void)
{
    struct md_params p = system_of(1);
    p.box[0] = p.box[1] = p.box[2] = 10.0;
    p.boundary = MD_MIRROR;
    p.cutoff = 2.5;
    p.dt = 0.01;
    double x[3] = {5.0, 9.0, 1.0}, u[3] = {1.0, 3.0, -7.0};
    struct md *m = open_at(&p, x, u);
    if (!m || steps(m, 1000) != 0 || md_state(m, r2, v2) != 0)
        tap_ok(0, "billiard runs");
    tap_near(r2[0], 5.0, 1e-10, "billiard: 5 + 10 is 5 after one wall");
    tap_near(r2[1], 1.0, 1e-10, "billiard: 9 + 30 is 1 after three");
    tap_near(r2[2], 9.0, 1e-10, "billiard: 1 - 70 is 9 after seven");
    tap_ok(v2[0] == -1.0 && v2[1] == -3.0 && v2[2] == 7.0,
           "billiard: each wall turns its component");
    md_close(m);
}

static void euler_and_heat(void)
{
    /* Compares one step of each integrator for two atoms on the x axis with a step by hand. */
    struct md_params p = system_of(2);
    p.box[0] = p.box[1] = p.box[2] = 10.0;
    p.cutoff = 2.5;
    p.dt = 0.01;
    p.precision = MD_DOUBLE;
    double x[6] = {4.0, 5, 5, 5.1, 5, 5}, u[6] = {0.5, 0, 0, -0.5, 0, 0}, a0;
    struct lj lj = lj_make(LJ_SIGMA, 1, 1);
    a0 = -lj_force_r(&lj, 1.1 * 1.1) * 1.1; /* force on the left atom */
    for (int k = 0; k < 2; k++) {
        p.integrator = k ? MD_EULER : MD_VELOCITY_VERLET;
        struct md *m = open_at(&p, x, u);
        if (!m || steps(m, 1) != 0 || md_state(m, r2, v2) != 0)
            tap_ok(0, "runs");
        double v1 = 0.5 + (k ? 1.0 : 0.5) * a0 * p.dt, x1 = 4.0 + v1 * p.dt, d = 9.1 - 2.0 * x1;
        tap_near(r2[0], x1, 1e-13,
                 k ? "euler: velocities first, then positions" : "velocity Verlet: positions");
        tap_near(v2[0], k ? v1 : v1 - 0.5 * p.dt * lj_force_r(&lj, d * d) * d, 1e-11, "velocities");
        md_close(m);
    }
    p = system_of(256);
    p.tau = 0.05;
    if (md_init(&p, MD_FCC, 6, r, v, &err) != 0)
        tap_ok(0, "%s", err.text);
    struct md *m = open_at(&p, r, v);
    double sum = 0.0;
    for (int k = 0; m && k < 20 && steps(m, 100) == 0; k++) {
        struct md_thermo t = totals(m);
        sum += k < 10 ? 0.0 : md_temperature(&p, &t) / 10.0;
    }
    tap_near(sum, 1.0, 0.02, "Berendsen holds the temperature");
    md_close(m);
}

static double nearest(const struct md_params *p)
{
    double min = HUGE_VAL;
    for (size_t i = 0; i < p->natoms; i++)
        for (size_t j = 0; j < i; j++) {
            double d2 = 0.0;
            for (size_t k = 0; k < 3; k++) {
                double d = r[3 * i + k] - r[3 * j + k];
                d -= p->boundary == MD_PERIODIC ? p->box[k] * rint(d / p->box[k]) : 0.0;
                d2 += d * d;
            }
            min = fmin(min, sqrt(d2));
        }
    return min;
}

static void separate(void)
{
    static const double shape[][3] = {
        {1, 1, 1}, {1, 1, 2.1}, {0.4, 2.2, 1.1}, {1, 0.9, 1}, {5, 1, 1}};
    for (size_t k = 0; k < 3 * sizeof shape / sizeof *shape; k++) {
        struct md_params p = system_of(k % 3 == 0 ? 256 : 100 + k);
        bool random = k % 3 == 2;
        for (int c = 0; c < 3; c++)
            p.box[c] *= shape[k / 3][c];
        p.cutoff = 0.5;
        p.boundary = k & 1 ? MD_MIRROR : MD_PERIODIC;
        double warned = md_init_spacing(&p, random ? MD_RANDOM : MD_FCC);
        int bad = md_init(&p, random ? MD_RANDOM : MD_FCC, 8, r, v, &err);
        double found = bad ? NAN : nearest(&p);
        tap_ok(warned <= found && (random || warned > 0.7 * found),
               "start %zu: atoms %.12g apart, %.12g foretold", k, found, warned);
    }
    struct md_params p = system_of(100);
    if (md_init(&p, MD_FCC, 1, r, v, &err) != 0)
        tap_ok(0, "%s", err.text);
    p.box[0] = p.box[1] = p.box[2] *= 0.5;
    p.cutoff *= 0.4;
    int bad = md_init(&p, MD_FCC, 1, r, v, &err);
    p.separate = md_init_spacing(&p, MD_FCC);
    tap_ok(!bad && md_check(&p, r, v, &err) != 0 && strstr(err.text, "overlap"),
           "a lattice that is too dense: %s", err.text);
}

static void refused(struct md_params p, const char *why, const char *name)
{
    err.text[0] = '\0';
    int bad = md_check(&p, p.natoms ? r : NULL, v, &err) != 0;
    tap_ok(bad && strstr(err.text, why) != NULL, "refused: %s (%s)", name, err.text);
}

static void errors(void)
{
    struct md_params p = system_of(100), q = p;
    if (md_init(&p, MD_FCC, 1, r, v, &err) != 0)
        tap_ok(0, "%s", err.text);
    q.natoms = 0, refused(q, "expected at least one atom", "0 atoms"), q = p;
    q.cutoff = 0.51 * q.box[0], refused(q, "half", "cutoff over half the box"), q = p;
    q.dt = NAN, refused(q, "time step", "no time step"), q = p;
    q.dt = 0.1, refused(q, "too long", "time step too long for the temperature"), q = p;
    q.mass = -1, refused(q, "mass", "negative mass"), q = p;
    r[3] = r[0], r[4] = r[1], r[5] = r[2] + 0.2;
    refused(p, "overlap: their distance", "overlapping atoms");
    r[5] = INFINITY;
    refused(p, "finite", "infinite position");
    /* 0.73 sigma passes the check. The run must stop and state the step. */
    q.natoms = 2, q.dt = 0.02, q.temperature = 0.0;
    double x[6] = {2, 2, 2, 2.73, 2, 2}, u[6] = {0};
    struct md *m = open_at(&q, x, u);
    tap_ok(m && md_run(m, 1000, NULL) == -1 && strstr(md_info(m)->err.text, "step 1:") &&
               md_info(m)->err.status == 2,
           "explosion: %s", m ? md_info(m)->err.text : err.text);
    md_close(m);
    p = system_of(200);
    double edge = cbrt(200 / 2.5);
    p.box[0] = p.box[1] = p.box[2] = edge;
    tap_ok(md_init(&p, MD_RANDOM, 1, r, v, &err) != 0 && strstr(err.text, "cannot be placed"),
           "random start: %s", err.text);
    p = system_of(200);
    tap_ok(md_init(&p, MD_RANDOM, 1, r, v, &err) == 0 && md_check(&p, r, v, &err) == 0,
           "random start at liquid density");
}

/* Writes and reads a restart file of two replicas. Bits of have[k] select its arrays: 1 positions,
 * 2 velocities, 4 fewer atoms. Returns the result of md_restart_read(). */
static int restart_of(const struct md_params *p, const struct md_start_state *b, struct meta *m,
                      const unsigned have[2])
{
    char path[] = "/tmp/test_md.XXXXXX";
    struct frame_writer_opts o = {.tool = "test"};
    struct frame_desc d = {.type = FRAME_POSN, .dtype = FRAME_F64, .ndim = 3, .index = b->step};
    struct md_setup s;
    struct md_params q = {.threads = 1};
    struct md_start_state c = {0};
    struct md_left left;
    int fd = mkstemp(path), bad = 0;
    struct frame_writer *w = frame_create(path, &o, &err);
    for (int k = 0; k < 2; k++) {
        d.dims[0] = 1, d.dims[1] = p->natoms - (have[k] >> 2), d.dims[2] = 3;
        d.type = FRAME_POSN, d.flags = 0;
        bad |= frame_put_meta(w, m) || (have[k] & 1 && frame_put(w, &d, b->r));
        d.type = FRAME_VELO, d.flags = FRAME_COPYSAFE;
        bad |= (have[k] & 2 && frame_put(w, &d, b->v)) || frame_end(w, FRAME_COMPLETE, NULL, NULL);
    }
    bad |= frame_close_writer(w, &err);
    if (bad)
        printf("# not written: %s\n", err.text);
    struct frame_reader *in = frame_open(path, NULL);
    md_setup_empty(&s);
    int rc = md_restart_read(in, &s, &q, &c, &left, &err);
    tap_ok(rc != 0 || (q.replicas == 2 && c.step == b->step &&
                       memcmp(c.v + 3 * p->natoms, b->v, 3 * p->natoms * sizeof *c.v) == 0),
           "what is taken is what was written");
    frame_close_reader(in);
    md_start_free(&c);
    close(fd);
    unlink(path);
    return rc;
}

/* A file must have positions and velocities of every replica, or no state. */
static void restarts(void)
{
    static const unsigned bad[][2] = {{1, 3}, {3, 1}, {2, 3}, {3, 2}, {3, 0}, {0, 3}, {1, 1}};
    static const char *const left[] = {"data.md_left_every", "data.md_left_thermo_every",
                                       "data.md_left_steps", "data.md_left_equilibrate",
                                       "data.md_left_done",  "data.md_left_first"};
    struct md_setup s;
    struct md_params p = {.threads = 1};
    struct md_start_state b = {0};
    struct meta *m = meta_new();
    md_setup_empty(&s);
    s.atoms = 20;
    s.density = 0.02;
    if (md_start_new(&s, &p, &b, &err) || md_setup_meta(&s, &p, p.dt, m) ||
        meta_set(m, "data.md_step", "7") || meta_set(m, "data.md_replicas", "2"))
        printf("# %s\n", err.text);
    b.step = 7;
    tap_ok(restart_of(&p, &b, m, (unsigned[]){3, 3}) == 0, "a restart of two replicas");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        tap_ok(restart_of(&p, &b, m, bad[k]) != 0 &&
                   strstr(err.text, "expected positions and velocities of 2 replicas"),
               "a restart that lacks an array: %s", err.text);
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) { /* remaining work of a run */
        for (size_t i = 0; i < 6; i++)
            meta_set(m, left[i], "1");
        tap_ok(restart_of(&p, &b, m, (unsigned[]){3, 3}) == 0, "a run that has steps left");
        meta_set(m, left[k], k < 2 ? "0" : k == 2 ? "18446744073709551615" : "1x");
        tap_ok(restart_of(&p, &b, m, (unsigned[]){3, 3}) != 0 &&
                   strstr(err.text, k < 3 ? "data.md_left is wrong" : left[k]),
               "%s: %s", left[k], err.text);
    }
    for (size_t i = 0; i < 6; i++)
        meta_set(m, left[i], NULL);
    tap_ok(restart_of(&p, &b, m, (unsigned[]){3, 7}) != 0 &&
               strstr(err.text, "expected POSN to be an f64 array of 20 atoms"),
           "one of fewer atoms: %s", err.text);
    meta_free(m);
    md_start_free(&b);
}

int main(void)
{
    forces_are_right(MD_MIXED, MD_PERIODIC, LJ_SIGMA, LJ_SHIFT_NONE,
                     2e-5); /* the largest of 3000 errors, whose rms is ten times smaller */
    forces_are_right(MD_MIXED, MD_MIRROR, LJ_RMIN, LJ_SHIFT_POTENTIAL, 2e-5);
    forces_are_right(MD_MIXED, MD_PERIODIC, LJ_RMIN, LJ_SHIFT_FORCE, 2e-5);
    forces_are_right(MD_DOUBLE, MD_PERIODIC, LJ_RMIN, LJ_SHIFT_NONE, 2e-12);
    forces_are_right(MD_DOUBLE, MD_MIRROR, LJ_SIGMA, LJ_SHIFT_FORCE, 2e-12);
    same_bits();
    meeting();
    separate();
    totals_of_steps();
    conservation();
    walls();
    billiard();
    euler_and_heat();
    errors();
    restarts();
    return tap_done();
}
