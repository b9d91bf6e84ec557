/* SPDX-License-Identifier: MIT */
/*
 * Laws for random systems of any size, shape, density, boundary and skin. Lists and cells give the
 * bits of all pairs, with any number of threads. A run in two pieces equals the whole run. prop_md
 * [SEED [ROUNDS]]
 */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "md/md.h"
#include "tap.h"

#define MAX 600
static double r[3 * MAX], v[3 * MAX], a[6 * MAX], b[6 * MAX];

static double draw(uint64_t seed, uint32_t n)
{
    struct rng4 w = rng_at(seed, RNG_TEST, n, 7);
    return rng_unit(w.v[0], w.v[1]);
}

static struct md_params random_system(uint64_t seed)
{
    struct md_params p = {.replicas = 1, .eps = 1, .sigma = 1, .mass = 1, .kb = 1, .mvv2e = 1};
    p.natoms = 1 + (size_t)(draw(seed, 0) * draw(seed, 12) * (MAX - 1));
    double rho = draw(seed, 1) < 0.3 ? 0.02 : 0.3 + 0.6 * draw(seed, 1);
    double edge = cbrt((double)p.natoms / rho);
    p.box[0] = edge;
    p.box[1] = edge * (draw(seed, 2) < 0.5 ? 1.0 : 1.0 + 2.0 * draw(seed, 3));
    p.box[2] = edge * (draw(seed, 2) < 0.5 ? 1.0 : 1.0 + 0.5 * draw(seed, 4));
    p.boundary = draw(seed, 5) < 0.5 ? MD_PERIODIC : MD_MIRROR;
    p.form = draw(seed, 6) < 0.5 ? LJ_SIGMA : LJ_RMIN;
    p.integrator = draw(seed, 7) < 0.7 ? MD_VELOCITY_VERLET : MD_EULER;
    p.precision = draw(seed, 8) < 0.7 ? MD_MIXED : MD_DOUBLE;
    p.tau = draw(seed, 9) < 0.5 ? 0.0 : 0.1;
    p.temperature = 0.2 + 2.0 * draw(seed, 10);
    p.cutoff = fmin(p.boundary == MD_PERIODIC ? 0.5 * edge : 3.0, 1.5 + 1.5 * draw(seed, 11));
    p.dt = 0.001;
    p.skin = NAN;
    return p;
}

/* Runs 120 steps, in two pieces divided at `cut`, and stores r and then v in `out`. Returns 1 if it
 * ran. */
static int run(struct md_params p, enum md_neighbours method, int threads, double skin,
               uint64_t cut, double *out)
{
    struct err err;
    p.neighbours = method;
    p.threads = threads;
    p.skin = skin;
    struct md *m = md_open(&p, r, v, 0, &err);
    int ok = m && md_run(m, cut, NULL) == 0 && md_state(m, out, out + 3 * MAX) == 0;
    if (ok && cut < 120) {
        md_close(m);
        m = md_open(&p, out, out + 3 * MAX, cut, &err);
        ok = m && md_run(m, 120 - cut, NULL) == 0 && md_info(m)->step == 120 &&
             md_state(m, out, out + 3 * MAX) == 0;
    }
    if (!ok)
        printf("# %s\n", m ? md_info(m)->err.text : err.text);
    md_close(m);
    return ok;
}

static int same(const struct md_params *p)
{
    return memcmp(a, b, 3 * p->natoms * sizeof *a) == 0 &&
           memcmp(a + 3 * MAX, b + 3 * MAX, 3 * p->natoms * sizeof *a) == 0;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20190103;
    int rounds = argc > 2 ? atoi(argv[2]) : 30, ran = 0;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < rounds; k++) {
        struct md_params p = random_system(seed + (uint64_t)k);
        struct err err;
        if (md_init(&p, MD_FCC, seed, r, v, &err) != 0 || md_check(&p, r, v, &err) != 0)
            continue; /* the system is too dense in this shape */
        double skin = 0.02 + draw(seed + (uint64_t)k, 20);
        ran++;
        int ok = run(p, MD_ALL_PAIRS, 1, NAN, 120, a) &&
                 run(p, MD_VERLET, 1 + k % 4, skin, 120, b) && same(&p);
        ok = ok && run(p, MD_CELLS, 1 + k % 3, NAN, 120, b) && same(&p);
        ok = ok && run(p, MD_AUTO, 2, NAN, 1 + (uint64_t)(k * 2), b) && same(&p);
        tap_ok(ok, "%zu atoms, box %.3g %.3g %.3g, cutoff %.3g, %s: the same bits", p.natoms,
               p.box[0], p.box[1], p.box[2], p.cutoff,
               p.boundary == MD_PERIODIC ? "periodic" : "walls");
    }
    tap_ok(ran > rounds / 2, "%d of %d systems ran", ran, rounds);
    return tap_done();
}
