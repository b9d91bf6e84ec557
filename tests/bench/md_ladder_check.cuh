/* SPDX-License-Identifier: MIT */
/* md_ladder_check.cuh: the checks of md_ladder, in one translation unit with it. */

/* Computes forces and totals of all pairs on the host in double, or by lj_fixed_force(). */
static void host_forces(const struct md_params *p, const double *r, double *f, struct md_thermo *t,
                        int fixed)
{
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    int periodic = p->boundary == MD_PERIODIC;
    struct lj_fixed fx = lj_fixed_make(&lj, p->box, periodic, p->cutoff, p->kb * p->temperature);
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < p->natoms; i++) {
        double s[3] = {0, 0, 0};
        int32_t g[3] = {0, 0, 0};
        for (size_t j = 0; j < p->natoms; j++) {
            double d[3], r2 = 0;
            int32_t u[3];
            for (int k = 0; k < 3; k++) {
                d[k] = r[3 * i + k] - r[3 * j + k];
                if (periodic)
                    d[k] -= p->box[k] * rint(d[k] / p->box[k]);
                r2 += d[k] * d[k];
                u[k] = (int32_t)((uint32_t)lj_fixed_pos(r[3 * i + k], fx.pos_scale[k]) -
                                 (uint32_t)lj_fixed_pos(r[3 * j + k], fx.pos_scale[k]));
            }
            if (i == j)
                continue;
            if (fixed)
                lj_fixed_force(&fx, u[0], u[1], u[2], g);
            if (r2 >= p->cutoff * p->cutoff)
                continue;
            double e = lj_force_r(&lj, r2);
            for (int k = 0; k < 3; k++)
                s[k] += e * d[k];
            t->potential += 0.5 * lj_energy(&lj, r2);
            t->virial += 0.5 * e * r2;
            for (int k = 0; k < 6; k++)
                t->virial_ab[k] += 0.5 * e * d[k < 3 ? k : k == 5] * d[k < 3 ? k : 1 + (k > 3)];
            t->pairs += i < j;
        }
        for (int k = 0; k < 3; k++)
            f[3 * i + k] = fixed ? g[k] * fx.force_unit : s[k];
    }
}

static double distance(const double *a, const double *b, size_t n)
{
    double d = 0, s = 0;
    for (size_t k = 0; k < n; k++) {
        d += (a[k] - b[k]) * (a[k] - b[k]);
        s += b[k] * b[k];
    }
    return sqrt(d / (s > 0 ? s : 1));
}

/* * Compares the forces of one configuration with the host: equal to lj_fixed_force(), and close to
 * double. */
static void check_forces(struct md_params p, const char *name)
{
    size_t n = 3 * p.natoms;
    struct start s = start_of(&p, 7);
    double *f = (double *)malloc(8 * n), *ref = (double *)malloc(8 * n);
    struct md_thermo t, t0, tx;
    char what[200];
    struct md *m = open_from(&p, s);
    must(m, md_run(m, 200, NULL), name);
    must(m, md_state(m, s.r, s.v), name);
    must(m, md_forces(m, f), name);
    t = thermo_now(m);
    host_forces(&p, s.r, ref, &t0, 0);
    double limit = p.precision == MD_DOUBLE ? 1e-12 : 1e-6;
    snprintf(what, sizeof what, "%s %s: forces against double", name,
             md_neighbours_names[md_info(m)->method]);
    verdict(distance(f, ref, n) <= limit, what, distance(f, ref, n), limit);
    snprintf(what, sizeof what, "%s: potential, virial", name);
    double du = fabs(t.potential / t0.potential - 1) + fabs(t.virial / t0.virial - 1);
    verdict(du < 1e-7 && t.pairs == t0.pairs, what, du, 1e-7);
    double dw = 0, trace = 0;
    for (int k = 0; k < 6; k++)
        dw = fmax(dw, fabs(t.virial_ab[k] - t0.virial_ab[k]) / fabs(t0.virial));
    for (int k = 0; k < 3; k++)
        trace += t.kinetic_ab[k];
    dw = fmax(dw, fabs(trace / (2 * t.kinetic) - 1));
    snprintf(what, sizeof what, "%s: tensors", name);
    verdict(dw < 1e-7, what, dw, 1e-7);
    if (p.precision == MD_MIXED) {
        host_forces(&p, s.r, ref, &tx, 1);
        snprintf(what, sizeof what, "%s: forces are those of lj_fixed_force", name);
        verdict(memcmp(f, ref, 8 * n) == 0, what, distance(f, ref, n), 0);
    }
    md_close(m);
    free(s.r), free(s.v), free(f), free(ref);
}

/* Computes the positions after nsteps steps by a method, in pieces of `piece` steps. */
static double *after(struct md_params p, enum md_neighbours method, uint64_t nsteps, uint64_t piece,
                     uint64_t every)
{
    struct start s = start_of(&p, 3);
    size_t n = 3 * p.natoms * p.replicas;
    struct log l = {0, 0, NULL, 0, 0};
    struct md_samples want = samples(MD_WANT_F32 | MD_WANT_THERMO, every, &l);
    double *x = (double *)malloc(16 * n);
    p.neighbours = method;
    struct md *m = open_from(&p, s);
    for (uint64_t k = 0; k < nsteps; k += piece)
        must(m, md_run(m, nsteps - k < piece ? nsteps - k : piece, &want), "run");
    must(m, md_state(m, x, x + n), "state");
    md_close(m);
    free(s.r), free(s.v);
    return x;
}

static void check_same(struct md_params p, const char *name, uint64_t nsteps)
{
    size_t bytes = 48 * p.natoms * p.replicas;
    double *a = after(p, MD_ALL_PAIRS, nsteps, nsteps, 0);
    const enum md_neighbours with[] = {MD_ALL_PAIRS, MD_VERLET, MD_VERLET,
                                       MD_CELLS,     MD_AUTO,   MD_AUTO};
    const uint64_t piece[] = {nsteps / 3, nsteps, nsteps / 7 + 1, nsteps, nsteps, nsteps / 5};
    for (int k = 0; k < 6; k++) {
        char what[200];
        double *b = after(p, with[k], nsteps, piece[k], k == 2 ? 13 : 0);
        snprintf(what, sizeof what, "%s: all-pairs and %s in steps of %llu: same bits", name,
                 md_neighbours_names[with[k]], (unsigned long long)piece[k]);
        verdict(memcmp(a, b, bytes) == 0, what, distance(b, a, bytes / 8), 0);
        free(b);
    }
    free(a);
}

static void check_nve(struct md_params p, const char *name, uint64_t nsteps)
{
    struct start s = start_of(&p, 5);
    struct lj lj = lj_make(p.form, p.eps, p.sigma);
    double uc = lj_energy(&lj, p.cutoff * p.cutoff), first = 0, sum = 0, worst = 0, mom = 0;
    size_t capacity = 400;
    struct md_thermo *t = (struct md_thermo *)calloc(capacity, sizeof *t);
    struct log l = {0, capacity, t, 0, 0};
    char what[200];
    struct md *m = open_from(&p, s);
    must(m, md_run(m, 2000, NULL), name);
    double t0 = now();
    struct md_samples want = samples(MD_WANT_THERMO, nsteps / capacity, &l);
    must(m, md_run(m, nsteps, &want), name);
    double dt = now() - t0;
    for (size_t k = 0; k < l.n; k++) {
        double e = t[k].kinetic + t[k].potential - (double)t[k].pairs * uc;
        first += k < capacity / 4 ? e / (capacity / 4) : 0;
        sum += k >= 3 * capacity / 4 ? e / (capacity / 4) : 0;
        worst = fmax(worst,
                     fabs(e - (t[0].kinetic + t[0].potential - (double)t[0].pairs * uc)) / fabs(e));
        for (int c = 0; c < 3; c++)
            mom = fmax(mom, fabs(t[k].momentum[c]) / (double)p.natoms);
    }
    snprintf(what, sizeof what, "%s: NVE drift over %.0e steps (%.0f steps/s)", name,
             (double)nsteps, nsteps / dt);
    double drift = fabs(sum - first) / fabs(first) / 0.75;
    verdict(drift < 2e-4, what, drift, 2e-4);
    printf("       largest excursion %.2e, momentum an atom %.2e, T %.4f\n", worst, mom,
           md_temperature(&p, &t[l.n - 1]));
    md_close(m);
    free(t), free(s.r), free(s.v);
}

static void check_walls(struct md_params p, const char *name)
{
    p.boundary = MD_MIRROR;
    size_t n = p.natoms;
    struct start s = start_of(&p, 9);
    struct md *m = open_from(&p, s);
    struct md_thermo a = thermo_now(m);
    double worst = 0;
    for (int k = 0; k < 10; k++) {
        must(m, md_run(m, 200, NULL), name);
        must(m, md_state(m, s.r, s.v), name);
        for (size_t i = 0; i < 3 * n; i++)
            worst = fmax(worst, fmax(-s.r[i], s.r[i] - p.box[i % 3]));
    }
    struct md_thermo b = thermo_now(m);
    struct lj lj = lj_make(p.form, p.eps, p.sigma);
    double uc = lj_energy(&lj, p.cutoff * p.cutoff), e0 = a.kinetic + a.potential - a.pairs * uc;
    double e1 = b.kinetic + b.potential - b.pairs * uc;
    verdict(worst <= 0, name, worst, 0);
    verdict(fabs(e1 / e0 - 1) < 2e-3, "... energy between walls", fabs(e1 / e0 - 1), 2e-3);
    md_close(m);
    free(s.r), free(s.v);
}

static void check_heat(struct md_params p, const char *name)
{
    p.tau = 0.1;
    p.temperature = 1.1;
    struct start s = start_of(&p, 2);
    struct md *m = open_from(&p, s);
    must(m, md_run(m, 4000, NULL), name);
    struct md_thermo t[100];
    struct log l = {0, 100, t, 0, 0};
    double mean = 0;
    struct md_samples want = samples(MD_WANT_THERMO, 20, &l);
    must(m, md_run(m, 2000, &want), name);
    for (int k = 0; k < 100; k++)
        mean += md_temperature(&p, &t[k]) / 100;
    verdict(fabs(mean - 1.1) < 0.02, name, fabs(mean - 1.1), 0.02);
    md_close(m);
    free(s.r), free(s.v);
}

static void check_blow_up(void)
{
    struct md_params p = fluid(256);
    struct start s = start_of(&p, 2);
    s.v[0] = 3000.0;
    struct md *m = open_from(&p, s);
    int rc = md_run(m, 1000, NULL);
    printf("       blow-up: rc %d, status %d: %s\n", rc, md_info(m)->err.status,
           md_info(m)->err.text);
    verdict(rc == -1 && md_info(m)->err.status == 2, "an explosion is an error", rc, -1);
    md_close(m);
    free(s.r), free(s.v);
}

static void check_replicas(void)
{
    struct md_params p = fluid(108), q = fluid(108);
    p.replicas = 5;
    double *a = after(p, MD_AUTO, 500, 500, 10);
    struct start s = start_of(&q, 3 + 4);
    struct md *m = open_from(&q, s);
    must(m, md_run(m, 500, NULL), "replica");
    must(m, md_state(m, s.r, s.v), "replica");
    verdict(memcmp(a + 3 * 108 * 4, s.r, 24 * 108) == 0, "replica 4 of 5 is the run with its seed",
            0, 0);
    md_close(m);
    free(a), free(s.r), free(s.v);
}

static void check(void)
{
    struct md_params p = fluid(256), d, e;
    check_forces(p, "N 256");
    p.neighbours = MD_VERLET;
    check_forces(p, "N 256 lists");
    p = fluid(512);
    check_forces(p, "N 512");
    p = fluid(1000);
    check_forces(p, "N 1000");
    p = fluid(2048);
    check_forces(p, "N 2048");
    p.neighbours = MD_CELLS;
    check_forces(p, "N 2048 cells");
    p.precision = MD_DOUBLE;
    check_forces(p, "N 2048 double");
    p.neighbours = MD_ALL_PAIRS;
    check_forces(p, "N 2048 double");
    e = fluid(1500);
    e.box[0] *= 1.3;
    e.box[2] /= 1.3;
    e.form = LJ_RMIN;
    e.sigma = 1.1;
    check_forces(e, "N 1500, not cubic, rmin");
    d = fluid(500);
    check_same(d, "N 500", 700);
    d.precision = MD_DOUBLE;
    check_same(d, "N 500 double", 300);
    d = fluid(1000);
    d.tau = 0.05;
    check_same(d, "N 1000 NVT", 500);
    d = fluid(6000);
    d.tau = 0.05;
    check_same(d, "N 6000 NVT", 300);
    d.boundary = MD_MIRROR;
    d.integrator = MD_EULER;
    d.dt = 0.001;
    d.tau = 0;
    check_same(d, "N 6000 walls, Euler", 300);
    check_walls(fluid(256), "N 256: walls hold every atom");
    check_walls(fluid(3000), "N 3000: walls hold every atom");
    check_heat(fluid(256), "N 256: thermostat reaches its temperature");
    check_heat(fluid(5000), "N 5000: thermostat reaches its temperature");
    check_replicas();
    check_blow_up();
    p = fluid(256);
    p.dt = 0.00116; /* argon's 2.5 fs */
    check_nve(p, "N 256, argon's step", 1000000);
    p = fluid(4096);
    p.dt = 0.00116;
    check_nve(p, "N 4096, argon's step", 100000);
    printf("%d failures\n", failures);
}
