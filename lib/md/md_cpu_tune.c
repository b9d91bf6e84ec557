/* SPDX-License-Identifier: MIT */
/*
 * The cheapest way, found by trying: forces are the same bits by every method, list, skin and
 * number of threads, so that the clock may choose without changing a result.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "md/md_cpu.h"

#define MD_TRY_ATOMS 4096 /* above it lists and all threads always win */
#define MD_TRY_STEPS 40
#define MD_TRY_ROUNDS 3

/*
 * The wider the skin the more pairs, the narrower the more builds; builds go with the square root
 * of what atoms move in a step. 0.4 sigma measured best at 0.006 sigma a step (98,304 atoms,
 * T* 1.44 at first, dt 0.005), flat around it.
 */
static double md_default_skin(const struct md *m)
{
    double move =
        sqrt(m->p.kb * m->p.temperature / (m->p.mass * m->p.mvv2e)) * m->p.dt / m->p.sigma;
    return m->p.sigma * fmin(fmax(0.4 * sqrt(move / 0.006), 0.1), 0.6);
}

/* Seconds of the fastest of a few short runs; the state moves on. */
static double md_try(struct md *m)
{
    double best = HUGE_VAL;
    for (int k = 0; k < MD_TRY_ROUNDS; k++) {
        double t = omp_get_wtime();
        if (md_advance(m, MD_TRY_STEPS) != 0)
            return HUGE_VAL;
        best = fmin(best, omp_get_wtime() - t);
    }
    return best;
}

static int md_choose(struct md *m, const double *r, const double *v, double skin)
{
    static const enum md_neighbours methods[] = {MD_VERLET, MD_ALL_PAIRS};
    enum md_neighbours method = MD_VERLET;
    int most = m->threads, threads = most;
    uint64_t step = m->step;
    double best = HUGE_VAL;
    for (int k = 0; k < 2; k++)
        for (int t = most; t >= 1; t = t > 1 ? 1 : 0) {
            md_load(m, r, v);
            if (md_use(m, methods[k], skin, t) != 0)
                return -1;
            double s = md_try(m);
            if (s < best) {
                best = s;
                method = methods[k];
                threads = t;
            }
        }
    m->step = step;
    m->builds = 0;
    m->status = 0;
    m->error[0] = '\0';
    md_load(m, r, v);
    return md_use(m, method, skin, threads);
}

int md_tune(struct md *m, const double *r, const double *v)
{
    double skin = isnan(m->p.skin) ? md_default_skin(m) : m->p.skin;
    md_load(m, r, v);
    if (m->p.neighbours == MD_AUTO && m->n <= MD_TRY_ATOMS && m->p.precision == MD_MIXED)
        return md_choose(m, r, v, skin);
    return md_use(m, m->p.neighbours == MD_AUTO ? MD_VERLET : m->p.neighbours, skin, m->threads);
}
