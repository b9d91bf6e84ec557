/* SPDX-License-Identifier: MIT */
/*
 * g4_ladder: the correlation functions by three rungs, checked against each other before anything
 * is timed.
 *   reference  plain loops on the host in double: every pair of pairs on small systems, the
 *     identity on larger ones
 *   naive      the published five-kernel scheme (naive_g4.cuh)
 *   tuned      the engine of g4-gpu (cuda/), all methods
 * g4_ladder check [mesh] | runs | time [N [T [lags [f32|small|all]]]] | fft [N [T [blocks]]] |
 * direct [N [T
 *   [lags]]] | sums [N [T [lags]]] | lists|mesh [N [T [lags [devices]]]]      exit 1 when a check
 *   fails
 * runs: only the vector units' part of check, on a few atoms (for compute-sanitizer)
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "g4/g4_gpu.h"
#include "pair/pairs.h"

typedef std::vector<double> vec;

struct sample {
    size_t n, steps;
    struct box box;
    std::vector<float> x, walk; /* walk: displacement in Å, divided by the root of the steps */
    std::vector<double> x64;
    std::vector<struct box> boxes;
};

/* * Makes atoms on a perturbed lattice that move smoothly and never come closer than about half a
 * lattice constant. */
enum cells { CUBE, NPT, SKEW };
static struct sample make_sample(size_t n, size_t steps, int cells)
{
    struct sample s = {n, steps};
    size_t m = (size_t)ceil(cbrt((double)n));
    double a = 3.6, edge = a * (double)m, cell[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    int pbc[3] = {1, 1, 1};
    box_init(&s.box, cell, pbc);
    std::vector<double> ph(9 * n);
    for (double &v : ph)
        v = 6.283185307179586 * (rand() / (RAND_MAX + 1.0));
    s.x.resize(3 * n * steps);
    s.boxes.assign(steps, s.box);
    for (size_t t = 0; t < steps; t++) {
        if (cells != CUBE) {
            double c[9] = {}, skew = cells == SKEW ? edge : 0.0, slow = (double)(t / 32);
            for (int k = 0; k < 3; k++)
                c[4 * k] = edge * (1.0 + 0.01 * sin(0.05 * (cells == NPT ? (double)t : slow) + k));
            c[3] = 0.4 * skew, c[6] = -0.3 * skew, c[7] = 0.2 * skew;
            box_init(&s.boxes[t], c, pbc);
        }
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) {
                size_t site = k == 0 ? i % m : k == 1 ? i / m % m : i / (m * m);
                const double *p = &ph[9 * i + 3 * k];
                double w = sin(0.13 * (double)t + p[0]) + sin(0.029 * (double)t + p[1]) +
                           sin(0.31 * (double)t + p[2]);
                s.x[3 * (n * t + i) + k] =
                    (float)(a * (double)site + 0.25 * w - 20.0 * (t % 3 == 0));
            }
    }
    s.x64.assign(s.x.begin(), s.x.end());
    return s;
}

static struct g4_params params(const struct sample &s, size_t lags, enum frame_dtype dtype)
{
    struct g4_params p = {};
    p.input = FRAME_POSN;
    p.dtype = dtype;
    p.natoms = s.n;
    p.ncomp = 1;
    p.component[0] = BETA_XZ;
    p.coef[0] = beta_coef(BETA_XZ, 3.4, 3.0);
    p.sum.rc2 = HUGE_VAL;
    p.sum.natoms = s.n; /* because under ewald every pair has a share of own images */
    p.sum.tolerance = 0.5 * 5e-7 / (0.729 * 3.4 * 3.4 * 3.4); /* as in pairs.c for f32 */
    p.lags = lags;
    p.steps_hint = s.steps;
    return p;
}

/* Computes beta [steps][pairs] of component c for all pairs by the engine of the host. */
static vec betas(const struct g4_params &p, const struct sample &s, int c)
{
    struct err e = {};
    struct pairs q = {};
    q.natoms = s.n;
    q.source = q.dtype = p.dtype;
    q.ncomp = 1;
    q.component[0] = p.component[c];
    q.coef[0] = p.coef[c];
    q.sum = p.sum;
    vec b(s.n * (s.n - 1) / 2 * s.steps);
    const void *pos = p.dtype == FRAME_F64 ? (const void *)s.x64.data() : (const void *)s.x.data();
    struct pairs_steps steps = {s.steps, s.boxes.data(), pos, 0};
    struct to {
        double *b;
        size_t pairs;
        enum frame_dtype dtype;
    } at = {b.data(), s.n * (s.n - 1) / 2, p.dtype};
    struct pairs_team *team = pairs_team_new(&q, PAIRS_TABLES, 1);
    pairs_use keep = [](void *ctx, size_t t, const void *table) {
        const struct to *a = (const struct to *)ctx;
        for (size_t k = 0; k < a->pairs; k++)
            a->b[a->pairs * t + k] = a->dtype == FRAME_F64 ? ((const double *)table)[k]
                                                           : (double)((const float *)table)[k];
    };
    if (!team || pairs_team_tables(team, &steps, keep, &at, &e)) {
        printf("betas: %s\n", e.text);
        exit(3);
    }
    pairs_team_free(team);
    return b;
}

/*
 * Computes the sums over origins [0, all) of {G, G2, G3, G4} at each lag of component c. If n is
 * small, enumerates pairs of pairs.
 */
static vec reference(const struct g4_params &p, const struct sample &s, int c)
{
    size_t P = s.n * (s.n - 1) / 2, T = s.steps;
    vec b = betas(p, s, c), A(s.n * T), S(T), out(4 * p.lags);
    std::vector<size_t> pi(P), pj(P);
    for (size_t t = 0; t < T; t++) {
        size_t k = 0;
        for (size_t i = 0; i < s.n; i++)
            for (size_t j = i + 1; j < s.n; j++, k++) {
                pi[k] = i, pj[k] = j;
                A[s.n * t + i] += b[P * t + k], A[s.n * t + j] += b[P * t + k],
                    S[t] += b[P * t + k];
            }
    }
    for (size_t lag = 0; lag < p.lags; lag++) {
        double *o = &out[4 * lag];
        for (size_t t = 0; t + lag < T && (!p.origins || t < p.origins); t++) {
            const double *x = &b[P * t], *y = &b[P * (t + lag)];
            double g2 = 0, aa = 0, g3 = 0, g4 = 0;
            for (size_t k = 0; k < P; k++)
                g2 += x[k] * y[k];
            for (size_t i = 0; i < s.n; i++)
                aa += A[s.n * t + i] * A[s.n * (t + lag) + i];
            if (s.n <= 12)
                for (size_t k = 0; k < P; k++)
                    for (size_t l = 0; l < P; l++) {
                        int shared = (pi[k] == pi[l]) + (pi[k] == pj[l]) + (pj[k] == pi[l]) +
                                     (pj[k] == pj[l]);
                        if (shared == 1)
                            g3 += x[k] * y[l];
                        else if (shared == 0)
                            g4 += x[k] * y[l];
                    }
            else
                g3 = aa - 2 * g2, g4 = S[t] * S[t + lag] - aa + g2;
            o[0] += S[t] * S[t + lag], o[1] += g2, o[2] += g3, o[3] += g4;
        }
    }
    return out;
}

/* Runs the engine and pushes `cut` steps at a time. */
static int engine(struct g4_params p, const struct sample &s, size_t cut, struct g4_result *r)
{
    struct err e = {};
    const void *all = p.dtype == FRAME_F64 ? (const void *)s.x64.data() : s.x.data();
    struct g4 *g = g4_open(&p, all, s.boxes.data(), &e);
    if (!g) {
        printf("g4_open: %d %s\n", e.status, e.text);
        return -1;
    }
    int rc = 0;
    for (size_t t = 0; t < s.steps && !rc; t += cut) {
        size_t n = t + cut < s.steps ? cut : s.steps - t;
        const void *data = (const char *)all + 3 * s.n * t * frame_dtype_size(p.dtype);
        rc = g4_push(g, n, data, &s.boxes[t]);
    }
    if (!rc)
        rc = g4_finish(g, r);
    if (rc)
        printf("engine: %d %s\n", g4_error(g)->status, g4_error(g)->text);
    g4_close(g);
    return rc;
}

static int failures;

#define F32_BOUND 1.3e-6 /* runs in single precision: 21 roundings of 2^-24 (g4_gpu_runs.cu) */

/* Returns the largest difference of the block sums from the reference over |G2| at lag 0. */
static void compare(const char *name, const struct g4_params &p, const struct sample &s,
                    const struct g4_result &r)
{
    double worst = 0;
    for (int c = 0; c < p.ncomp; c++) {
        vec ref = reference(p, s, c);
        for (size_t t = 0; t < r.lags; t++)
            for (int f = 0; f < 4; f++) {
                double sum = 0;
                for (size_t b = 0; b < r.blocks; b++)
                    sum += r.sums[((b * r.lags + t) * p.ncomp + c) * 4 + f];
                double d = fabs(sum - ref[4 * t + f]) / ref[1];
                worst = d > worst || !(d == d) ? d : worst;
            }
    }
    int ok =
        worst < (p.accumulate_f32 ? 2 * F32_BOUND : 1e-10); /* 2: G3 contains G2 twice, G4 once */
    failures += !ok;
    printf("%s %-44s N %4zu T %5zu lags %4zu  worst %.1e\n", ok ? "ok    " : "NOT OK", name, s.n,
           s.steps, p.lags, worst);
}

static void check_one(const char *name, struct g4_params p, const struct sample &s, size_t cut)
{
    struct g4_result r = {}, again = {};
    if (engine(p, s, cut, &r)) {
        failures++;
        return;
    }
    compare(name, p, s, r);
    size_t bytes = r.blocks * r.lags * (size_t)p.ncomp * 4 * sizeof(double);
    if (engine(p, s, cut / 2 + 1, &again) || memcmp(r.sums, again.sums, bytes)) {
        failures++;
        printf("NOT OK %s: other bytes when pushed in other pieces\n", name);
    }
    g4_result_free(&r);
    g4_result_free(&again);
}

/* Tests runs on the vector units in f32, and in f64 as on devices with little shared memory. */
static void check_runs(const struct sample &tiny, const struct sample &small,
                       const struct sample &npt, const struct sample &cube)
{
    for (int f32 = 0; f32 < 2; f32++) {
        struct g4_params p = params(tiny, 20, FRAME_F32);
        g4_gpu_small = !f32;
        p.accumulate_f32 = f32;
        check_one(f32 ? "f32 sums, every pair of pairs" : "f64 runs, every pair of pairs", p, tiny,
                  7);
        p = params(small, 120, FRAME_F32); /* needs three passes */
        p.accumulate_f32 = f32;
        p.ncomp = 2, p.component[1] = BETA_ZZ, p.coef[1] = beta_coef(BETA_ZZ, 3.4, 3.0);
        p.blocks = 7, p.origins = 101, p.sum.rc2 = 25.0;
        check_one(f32 ? "f32 sums, 7 blocks, cutoff" : "f64 runs, 7 blocks, cutoff", p, small, 100);
        p = params(npt, 60, f32 ? FRAME_F32 : FRAME_F64);
        p.accumulate_f32 = f32;
        check_one(f32 ? "f32 sums, cell changes" : "f64 runs, cell changes, f64", p, npt, 40);
        p = params(cube, 48, FRAME_F32);
        p.accumulate_f32 = f32;
        p.devices = "0,0";
        check_one(f32 ? "f32 sums, longer, two engines" : "f64 runs, longer, two engines", p, cube,
                  1000);
    }
    g4_gpu_small = 0;
}

/* Tests the method fft for inputs, blocks, all lengths of the transform, and more steps than a
 * transform has. */
static void check_fft(const struct sample &small, const struct sample &npt)
{
    struct g4_params p = params(small, small.steps, FRAME_F32);
    p.method = G4_FFT;
    check_one("fft", p, small, 77);
    p.ncomp = 2;
    p.component[1] = BETA_ZZ, p.coef[1] = beta_coef(BETA_ZZ, 3.4, 3.0);
    p.sum.rc2 = 30.0;
    check_one("fft, two components, cutoff", p, small, 77);
    p.blocks = 5;
    check_one("fft, 5 blocks of all lags", p, small, 77);
    p.lags = 48, p.origins = 203;
    check_one("fft, 5 blocks, 203 origins", p, small, 77);
    p = params(npt, npt.steps, FRAME_F64);
    p.method = G4_FFT;
    p.devices = "0,0";
    check_one("fft, cell changes, f64, two engines", p, npt, 33);
    p.dtype = FRAME_F32;
    p.devices = NULL;
    check_one("fft, cell changes", p, npt, 33);
    for (size_t ra : {1, 2, 4, 5, 8, 10, 16, 24}) { /* the last one is cut */
        struct sample s = make_sample(7, ra * 4096 - 11, CUBE);
        p = params(s, 12, FRAME_F32);
        p.method = G4_FFT;
        check_one("fft, lengths", p, s, 5000);
    }
}

static void five(struct g4_params *p)
{
    p->ncomp = 5;
    for (int c = 0; c < 5; c++)
        p->component[c] = c, p->coef[c] = beta_coef(c, 3.4, 3.0);
}

static const char *const cell_names[] = {"cube", "brick", "skew"};

/* Tests every sum over images in every cell, by all methods. */
static void check_sums(void)
{
    for (int cells = CUBE; cells <= SKEW; cells++) {
        struct sample s = make_sample(37, 200, cells);
        for (int kind = SUM_TAPER; kind < SUM_KINDS; kind++)
            for (enum frame_dtype dtype : {FRAME_F32, FRAME_F64}) {
                char name[64];
                struct g4_params p = params(s, 20, dtype);
                p.sum.kind = (enum sum_kind)kind;
                snprintf(name, sizeof name, "%s, %s, %s", sum_rows[kind].name, cell_names[cells],
                         dtype == FRAME_F64 ? "f64" : "f32");
                check_one(name, p, s, 33);
                p.lags = 100;
                five(&p);
                check_one(name, p, s, 33);
                p.method = G4_FFT;
                p.blocks = 3;
                check_one(name, p, s, 33);
            }
    }
}

/* Compares neighbour lists, in windows of 64 steps, with all pairs. Pairs cross the end of the
 * range all the time. */
static void check_lists(void)
{
    g4_gpu_lists = 1;
    for (int cells = CUBE; cells <= SKEW; cells++) {
        struct sample s = make_sample(300, 200, cells);
        for (enum frame_dtype dtype : {FRAME_F32, FRAME_F64}) {
            char name[64];
            struct g4_params p = params(s, 9, dtype);
            p.sum.kind = SUM_TAPER;
            p.sum.r1 = 3.0, p.sum.r2 = 5.0;
            snprintf(name, sizeof name, "lists, %s, %s", cell_names[cells],
                     dtype == FRAME_F64 ? "f64" : "f32");
            check_one(name, p, s, 33);
            p.lags = 100; /* uses a table and two passes */
            check_one(name, p, s, 33);
            p.lags = 5, p.sum.kind = SUM_MIC, p.sum.rc2 = 16.0;
            five(&p);
            check_one(name, p, s, 33);
        }
    }
    struct sample more = make_sample(864, 100, SKEW);
    struct g4_params p = params(more, 5, FRAME_F32);
    p.sum.kind = SUM_TAPER;
    p.sum.r1 = 3.0, p.sum.r2 = 5.0;
    check_one("lists, skewed cell", p, more, 33);
    g4_gpu_lists = 0;
}

/* Sets the sum over all images with A_i from a mesh of relative error e, and the radii. */
static void with_mesh(struct g4_params *p, double e)
{
    p->sum.kind = SUM_EWALD;
    p->sum.mesh = SUM_MESH;
    split_plan(3.4, p->sum.r2, e, &p->sum.plan);
}

/* Computes the sums of a run in pieces of `cut` steps. After a failure, r->sums is NULL. */
static struct g4_result sums_of(const struct g4_params &p, const struct sample &s, size_t cut)
{
    struct g4_result r = {};
    failures += engine(p, s, cut, &r) != 0;
    return r;
}

/*
 * Compares A_i from a mesh with all pairs of ewald, and G2 with a taper, relative to lag 0. The
 * error of the mesh is 1e-6 of A, twice in a product, and beta of ewald in f32 is also fitted to
 * 1e-6.
 */
#define MESH_BOUND 1e-5
static void check_mesh_one(const char *name, const struct sample &s, struct g4_params p)
{
    p.blocks = 1;
    p.sum.kind = SUM_TAPER;
    struct g4_result taper = sums_of(p, s, 33);
    p.sum.kind = SUM_EWALD;
    struct g4_params q = p;
    q.sum.r1 = q.sum.r2 = 0.0;
    struct g4_result pairs = sums_of(q, s, 33);
    with_mesh(&p, 1e-6);
    struct g4_result mesh = sums_of(p, s, 33), again = sums_of(p, s, 7);
    if (!taper.sums || !pairs.sums || !mesh.sums || !again.sums)
        return;
    double g = 0, a = 0, g2 = 0;
    for (int c = 0; c < p.ncomp; c++)
        for (size_t t = 0; t < p.lags; t++) {
            size_t at = (t * (size_t)p.ncomp + (size_t)c) * 4, first = 4 * (size_t)c;
            const double *m = mesh.sums + at, *e = pairs.sums + at, *f = pairs.sums + first;
            g = fmax(g, fabs(m[0] - e[0]) / f[0]);
            a = fmax(a, fabs(m[2] + 2 * m[1] - (e[2] + 2 * e[1])) / (f[2] + 2 * f[1]));
            g2 = fmax(g2, fabs(m[1] - taper.sums[at + 1]) / taper.sums[first + 1]);
        }
    bool same = !memcmp(mesh.sums, again.sums, p.lags * (size_t)p.ncomp * 4 * sizeof(double));
    int ok = g < MESH_BOUND && a < MESH_BOUND && g2 < 1e-10 && same;
    failures += !ok;
    printf("%s mesh, %-38s N %4zu T %5zu lags %4zu  G %.1e, A A' %.1e of all pairs, G2 %.1e%s\n",
           ok ? "ok    " : "NOT OK", name, s.n, s.steps, p.lags, g, a, g2,
           same ? "" : ", other bytes in other pieces");
    for (struct g4_result *r : {&taper, &pairs, &mesh, &again})
        g4_result_free(r);
}

static void check_mesh(void)
{
    for (int cells = CUBE; cells <= SKEW; cells++) {
        struct sample s = make_sample(300, 90, cells);
        for (enum frame_dtype dtype : {FRAME_F32, FRAME_F64})
            for (size_t lags : {9, 60}) {
                struct g4_params p = params(s, lags, dtype);
                char name[64];
                p.sum.r1 = 6.0, p.sum.r2 = 8.0;
                if (lags > 9)
                    five(&p);
                snprintf(name, sizeof name, "%s, %s", cell_names[cells],
                         dtype == FRAME_F64 ? "f64" : "f32");
                check_mesh_one(name, s, p);
            }
    }
    struct sample more = make_sample(4000, 12, CUBE);
    struct g4_params p = params(more, 5, FRAME_F32);
    p.sum.r1 = 10.71, p.sum.r2 = 11.9;
    check_mesh_one("4,000 atoms", more, p);
}

/*
 * Gets beta of two atoms as A_0 of each step, which is a sum of zeros and beta and therefore has
 * its bits. The ways are the kernels of factored, a table (more lags than a pass has), and the
 * vector units.
 */
static void check_bits(const struct sample &s, struct g4_params p, int way, const char *name)
{
    struct err e = {};
    struct g4_plan q;
    struct g4_slot slot = {};
    size_t wrong = 0;
    p.lags = way == 1 ? GRAM_LAGS + 1 : 5;
    if (plan_make(&e, &p, way == 2, NULL, &q) || slot_open(&e, &slot, 0, &p, &q)) {
        printf("%s\n", e.text);
        exit(3);
    }
    const void *x = p.dtype == FRAME_F64 ? (const void *)s.x64.data() : (const void *)s.x.data();
    slot.cols = (int)s.steps;
    slot.ntasks = 1;
    *(struct g4_task *)slot.h_tasks = {0, (int)s.steps};
    int rc = slot_put(&e, &slot, &q, NULL, s.steps, x, s.boxes.data()) ||
             slot_start(&e, &slot, &p, &q) || slot_wait(&e, &slot);
    for (int c = 0; c < p.ncomp && !rc; c++) {
        vec want = betas(p, s, c), a(s.steps);
        size_t at = q.tabled ? (size_t)c * (p.natoms + 1) * q.ld : 0;
        rc = TRY(&e, cudaMemcpy(a.data(), (double *)slot.d_a + at, s.steps * sizeof(double),
                                cudaMemcpyDeviceToHost));
        for (size_t t = 0; t < s.steps; t++)
            wrong += a[t] != want[t];
    }
    slot_close(&slot);
    int ok = !rc && !wrong;
    failures += !ok;
    if (!ok)
        printf("NOT OK %s: %zu values differ %s\n", name, wrong, e.text);
}

static void check_beta(void)
{
    int before = failures, runs = 0;
    for (int cell = 0; cell < 6; cell++) { /* small cells, and cells three times as large */
        int cells = cell % 3, pbc[3] = {1, 1, 1};
        double size = cell < 3 ? 1.0 : 3.0;
        struct sample s = make_sample(2, 4000, cells);
        for (size_t t = 0; t < s.steps; t++) {
            double h[9];
            for (int k = 0; k < 9; k++)
                h[k] = size * s.boxes[t].h[k / 3][k % 3];
            if (t % 2000) /* only two cells, because their fits take time */
                s.boxes[t] = s.boxes[t - 1];
            else
                box_init(&s.boxes[t], h, pbc);
            for (int k = 0; k < 3; k++) { /* anywhere in the cell, and beyond its faces */
                float *x = &s.x[6 * t + k];
                x[0] = (float)(size * (12.0 * (rand() / (RAND_MAX + 1.0)) - 3.0));
                x[3] = x[0] + 0.6f + (float)(5.0 * size * rand() / RAND_MAX);
            }
        }
        s.x64.assign(s.x.begin(), s.x.end());
        for (int kind = 0; kind < SUM_KINDS; kind++)
            for (enum frame_dtype dtype : {FRAME_F32, FRAME_F64})
                for (int way = 0; way < 3; way++)
                    for (int c = 0; c < 6; c++, runs++) {
                        char name[80];
                        struct g4_params p = params(s, 5, dtype);
                        p.sum.kind = (enum sum_kind)kind;
                        if (sum_rows[kind].form == SUM_NEAREST && cells == SKEW)
                            p.sum.rc2 = 2.5 * 2.5;
                        five(&p);
                        if (c < 5) {
                            p.ncomp = 1;
                            p.component[0] = p.component[c], p.coef[0] = p.coef[c];
                        } else if (way == 2 || (way == 0 && sum_rows[kind].form != SUM_IMAGES &&
                                                dtype == FRAME_F32)) {
                            continue; /* for one component at a time */
                        }
                        snprintf(name, sizeof name, "bits of beta: %s, %s, f%d, way %d, %d",
                                 sum_rows[kind].name, cell_names[cells],
                                 dtype == FRAME_F64 ? 64 : 32, way, c);
                        check_bits(s, p, way, name);
                    }
    }
    printf("%s bits of beta, GPU and CPU: %d kinds of 4000 values\n",
           failures == before ? "ok    " : "NOT OK", runs);
}

/* The memory for `fft` is known when it is opened, because the number of steps is known. */
static void check_refused(const struct sample &s)
{
    struct g4_params p = params(s, 100, FRAME_F32);
    struct err e = {};
    p.method = G4_FFT;
    p.max_mem = (size_t)4 << 20; /* the steps fit on the host, the transforms do not */
    struct g4 *g = g4_open(&p, s.x.data(), s.boxes.data(), &e);
    int ok = !g && e.status == ERR_MEMORY && strstr(e.text, "GPU memory");
    failures += !ok;
    printf("%s fft refused at the start: %s\n", ok ? "ok    " : "NOT OK", e.text);
    g4_close(g);
}

static int verdict(void)
{
    printf("%s\n", failures ? "FAILED" : "all checks passed");
    return failures != 0;
}

static int check_few(void)
{
    struct sample tiny = make_sample(9, 70, CUBE), small = make_sample(20, 230, CUBE),
                  npt = make_sample(20, 80, NPT);
    check_runs(tiny, small, npt, small);
    check_refused(small);
    return verdict();
}

static int check(void)
{
    struct sample tiny = make_sample(9, 70, CUBE), small = make_sample(37, 300, CUBE),
                  npt = make_sample(20, 150, NPT);
    struct sample cube = make_sample(64, 5000, CUBE);
    struct g4_params p = params(tiny, 20, FRAME_F32);
    check_one("every pair of pairs", p, tiny, 7);
    p = params(small, 48, FRAME_F32);
    check_one("f32", p, small, 100);
    five(&p);
    check_one("five components", p, small, 100);
    p.blocks = 7;
    p.origins = 101;
    p.sum.rc2 = 30.0;
    check_one("7 blocks, 101 origins, cutoff", p, small, 100);
    p = params(small, 300, FRAME_F32);
    check_one("all lags", p, small, 300);
    p = params(small, 70, FRAME_F32);
    p.method = G4_DIRECT;
    p.blocks = 3;
    check_one("direct", p, small, 77);
    p = params(tiny, 70, FRAME_F64);
    p.method = G4_DIRECT;
    check_one("direct, f64", p, tiny, 33);
    check_fft(small, npt);
    p = params(small, 1, FRAME_F64);
    check_one("f64, one lag", p, small, 31);
    p = params(npt, 60, FRAME_F32);
    check_one("cell changes, f32", p, npt, 40);
    p = params(npt, 60, FRAME_F64);
    check_one("cell changes, f64", p, npt, 40);
    p = params(cube, 30, FRAME_F32);
    check_one("longer", p, cube, 1000);
    p.devices = "0,0";
    check_one("two engines on a device", p, cube, 1000);
    p.blocks = 10;
    check_one("10 blocks", p, cube, 1000);
    check_runs(tiny, small, npt, cube);
    check_sums();
    check_lists();
    check_mesh();
    check_beta();
    check_refused(small);
    return verdict();
}

#include "naive_g4.cuh"

#include "g4_ladder_time.cuh"

int main(int argc, char **argv)
{
    size_t v[3] = {256, 20000, 48};
    for (int k = 2; k < argc && k < 5; k++)
        v[k - 2] = strtoul(argv[k], NULL, 10);
    if (argc > 1 && !strcmp(argv[1], "time"))
        return time_factored(v[0], v[1], v[2], argc > 5 ? argv[5] : "");
    if (argc > 1 && !strcmp(argv[1], "sums"))
        return time_sums(v[0], v[1], v[2]);
    if (argc > 1 && !strcmp(argv[1], "lists"))
        return time_lists(v[0], v[1], v[2], argc > 5 ? argv[5] : NULL, 0);
    if (argc > 1 && !strcmp(argv[1], "mesh"))
        return time_lists(v[0], v[1], v[2], argc > 5 ? argv[5] : NULL, 1);
    if (argc > 1 && !strcmp(argv[1], "fft"))
        return time_fft(v[0], v[1], argc > 4 ? v[2] : 1);
    if (argc > 1 && !strcmp(argv[1], "direct"))
        return time_direct(argc > 2 ? v[0] : 256, argc > 3 ? v[1] : 801, argc > 4 ? v[2] : 4);
    if (argc > 2 && !strcmp(argv[2], "mesh")) {
        check_mesh();
        return verdict();
    }
    return argc > 1 && !strcmp(argv[1], "runs") ? check_few() : check();
}
