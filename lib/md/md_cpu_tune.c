/* SPDX-License-Identifier: MIT */
/* Finds the fastest method by trial. Forces are the same bits for every method, list, skin and
 * number of threads, so the choice does not change results. */
#include <math.h>

#include "io/fdio.h"
#include "md/md_cpu.h"

#define MD_TRY_ATOMS 4096 /* above this number, lists and all threads are always fastest */
#define MD_TRY_STEPS 40
#define MD_TRY_ROUNDS 3
#define MD_TRY_GAIN 0.9 /* a time below this fraction of that with half the threads is a gain */

/* Fraction of the skin that defines near clusters until atoms can have moved half of it. */
#define MD_NEAR 0.2

/* A wider skin means more pairs, and a narrower skin more builds of lists. The best skin is
 * proportional to the square root of the move per step. The best skin was 0.75 sigma at 0.006 sigma
 * per step (98,304 atoms, T* 1.44 at first, dt 0.005), with a flat optimum. */
static double md_default_skin(const struct md *m)
{
    double move =
        sqrt(m->p.kb * m->p.temperature / (m->p.mass * m->p.mvv2e)) * m->p.dt / m->p.sigma;
    return m->p.sigma * fmin(fmax(0.75 * sqrt(move / 0.006), 0.15), 0.9);
}

/* Loads a state in the order of the atoms. */
static void md_load(struct md *m, const double *r, const double *v)
{
    for (size_t i = 0; i < m->n; i++) {
        m->id[i] = (uint32_t)i;
        for (size_t k = 0; k < 3; k++) {
            m->r[k][i] = r[3 * i + k];
            m->v[k][i] = v[3 * i + k];
            m->x[md_at(i, (int)k)] = lj_fixed_pos(m->r[k][i], m->rows.fixed.pos_scale[k]);
        }
    }
}

/* Switches to a method, with lists and forces of the present positions. Returns 0 or -1. */
static int md_use(struct md *m, enum md_neighbours method, double skin, int threads)
{
    double reach = m->p.cutoff + (method == MD_VERLET ? skin : 0.0),
           near = m->p.cutoff + MD_NEAR * skin;
    m->threads = threads;
    for (int t = 0; t <= threads; t++)
        m->atom_from[t] = md_share(m->n, t, threads, 64);
    m->info.method = method;
    m->info.skin = method == MD_VERLET ? skin : 0.0;
    md_space_reach(m, reach, near);
    m->limit_strayed = 0.5 * MD_NEAR * skin;
    m->limit_away = method == MD_ALL_PAIRS ? HUGE_VAL : method == MD_CELLS ? 0.0 : 0.5 * skin;
    return md_prepare(m);
}

/* Returns the seconds of a short run. This is the median of a few runs, or the time of the first
 * run if it is far from the best time. The state advances. */
static double md_try(struct md *m, double so_far)
{
    double s[MD_TRY_ROUNDS];
    for (int k = 0; k < MD_TRY_ROUNDS; k++) {
        double t = fdio_now();
        if (md_advance(m, MD_TRY_STEPS, 0) != 0)
            return HUGE_VAL;
        t = fdio_now() - t;
        if (k == 0 && t > 3.0 * so_far)
            return t;
        int at = k;
        for (; at > 0 && s[at - 1] > t; at--)
            s[at] = s[at - 1];
        s[at] = t;
    }
    return s[MD_TRY_ROUNDS / 2];
}

/* Doubles the number of threads while this makes the run faster. */
static int md_choose(struct md *m, const double *r, const double *v, double skin)
{
    static const enum md_neighbours methods[] = {MD_VERLET, MD_ALL_PAIRS};
    enum md_neighbours method = MD_VERLET;
    int max = m->threads, threads = 1;
    uint64_t step = m->info.step;
    double best = HUGE_VAL;
    for (int k = 0; k < 2; k++)
        for (int t = 1; t <= max; t = t < max && 2 * t > max ? max : 2 * t) {
            m->info.err = (struct err){0}; /* clears the error of a trial that diverged */
            md_load(m, r, v);
            if (md_use(m, methods[k], skin, t) != 0)
                return -1;
            double s = md_try(m, best);
            if (s * t > best * max)
                break; /* too slow even if the scaling were perfect */
            if (s > (t > threads ? MD_TRY_GAIN : 1.0) * best)
                continue;
            best = s;
            method = methods[k];
            threads = t;
        }
    m->info = (struct md_info){.step = step};
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
