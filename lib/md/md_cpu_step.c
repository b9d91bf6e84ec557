/* SPDX-License-Identifier: MIT */
/*
 * The steps of the CPU engine. One parallel region runs as many steps as it can: a spin barrier
 * costs a tenth of a microsecond, a new region ten times that. It is left when lists must be
 * rebuilt, between the new positions and their forces.
 */
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "md/md_cpu.h"
#include "md/md_formulas.h"

#define MD_SPINS                                                                                   \
    2000 /* then give the processor away: there may be more threads than processors                \
          */

static void md_barrier(struct md *m)
{
    if (m->threads == 1)
        return;
    int turn = __atomic_load_n(&m->turn, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&m->waiting, 1, __ATOMIC_ACQ_REL) == m->threads) {
        __atomic_store_n(&m->waiting, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&m->turn, turn + 1, __ATOMIC_RELEASE);
        return;
    }
    for (int spin = 0; __atomic_load_n(&m->turn, __ATOMIC_ACQUIRE) == turn; spin++) {
        __builtin_ia32_pause();
        if (spin > MD_SPINS)
            sched_yield();
    }
}

/* Forces of the rows of thread t into its own sums. */
static void md_rows(struct md *m, int t)
{
    struct md_worker *w = &m->worker[t];
    if (w->fd)
        SIMD_PICK(md_rows_f64)(&m->rows, m->row_from[t], m->row_from[t + 1], w->fd, NULL);
    else
        SIMD_PICK(md_rows_force)(&m->rows, m->row_from[t], m->row_from[t + 1], w->f);
}

/* Add up what all threads found for the atoms of thread t, and leave zeros behind. */
static void md_gather(struct md *m, int t)
{
    size_t from = m->atom_from[t] / MD_CLUSTER,
           to = (m->atom_from[t + 1] + MD_CLUSTER - 1) / MD_CLUSTER;
    for (size_t s = from / MD_SEGMENT; s * MD_SEGMENT < to; s++) {
        size_t c0 = s * MD_SEGMENT > from ? s * MD_SEGMENT : from;
        size_t c1 = (s + 1) * MD_SEGMENT < to ? (s + 1) * MD_SEGMENT : to;
        for (int u = 0; u < m->threads; u++)
            if (u > 0 && !m->worker[u].seg[s])
                continue;
            else if (m->total_wide)
                SIMD_PICK(md_fold_f64)(m->total_wide, m->worker[u].fd, c0, c1, u == 0);
            else
                SIMD_PICK(md_fold)(m->total, m->worker[u].f, c0, c1, u == 0);
    }
}

void md_forces_now(struct md *m)
{
#pragma omp parallel num_threads(m->threads)
    {
        int t = omp_get_thread_num();
        md_rows(m, t);
        md_barrier(m);
        md_gather(m, t);
    }
}

/* The arrays of the present sort order, for md_move_atoms. */
static void md_move_bind(struct md *m)
{
    for (int k = 0; k < 3; k++) {
        m->move.r[k] = m->r[k];
        m->move.v[k] = m->v[k];
        m->move.ref[k] = m->ref[k];
    }
    m->move.x = m->x;
    m->move.f = m->total;
    m->move.fd = m->total_wide;
}

/* One pass over this thread's atoms. scale: of the thermostat, used with MD_SCALE. */
static void md_pass(struct md *m, int t, int what, double scale)
{
    struct md_move a = m->move;
    struct md_worker *w = &m->worker[t];
    a.scale = scale;
    struct md_moved out = {0};
    SIMD_PICK(md_move_atoms)(&a, m->atom_from[t], m->atom_from[t + 1], what, &out);
    if (what & MD_KINETIC)
        w->kinetic = out.kinetic;
    if (what & MD_BEGIN)
        w->moved = out;
}

static struct md_moved md_moved_all(const struct md *m)
{
    struct md_moved all = {0};
    for (int t = 0; t < m->threads; t++) {
        const struct md_moved *o = &m->worker[t].moved;
        all.away2 = o->away2 > all.away2 ? o->away2 : all.away2;
        all.move2 = o->move2 > all.move2 ? o->move2 : all.move2;
        all.force = o->force > all.force ? o->force : all.force;
    }
    return all;
}

static double md_lambda(const struct md *m)
{
    int64_t kinetic = 0;
    for (int t = 0; t < m->threads; t++)
        kinetic += m->worker[t].kinetic;
    return md_berendsen(m->p.dt / m->p.tau, m->v2_wanted, kinetic);
}

/* Why the run cannot go on after these moves, or NULL. */
static const char *md_broken(const struct md *m, const struct md_moved *a)
{
    if (!(a->move2 <= m->limit_move2))
        return "an atom moved more than a quarter of sigma in one step: the time step is too long "
               "or atoms overlap";
    if (!(a->force <= m->limit_force))
        return "the force on an atom is out of range: atoms overlap, or the time step is too long";
    return NULL;
}

struct md_progress {
    uint64_t left;
    bool begun; /* positions of the next step are there, their forces are not */
    const char *broken;
};

/* Thread t's part of up to p->left steps; every thread takes the same decisions. */
static void md_steps(struct md *m, int t, struct md_progress *p)
{
    bool verlet = m->p.integrator == MD_VELOCITY_VERLET, warm = m->p.tau > 0.0;
    int pending = 0; /* what is left to do of the step before */
    double lambda = 1.0;
    for (;;) {
        if (!p->begun) {
            md_pass(m, t, pending | MD_BEGIN, lambda);
            pending = 0;
            md_barrier(m);
            struct md_moved all = md_moved_all(m);
            p->broken = md_broken(m, &all);
            p->begun = true;
            if (p->broken || !(all.away2 < m->limit_away2))
                return;
        }
        md_rows(m, t);
        p->begun = false;
        p->left--;
        md_barrier(m);
        md_gather(m, t);
        pending = verlet ? MD_FINISH : 0;
        if (warm) {
            md_pass(m, t, pending | MD_KINETIC, 1.0);
            md_barrier(m);
            lambda = md_lambda(m);
            pending = MD_SCALE;
        }
        if (p->left == 0) {
            if (pending)
                md_pass(m, t, pending, lambda);
            return;
        }
    }
}

int md_advance(struct md *m, uint64_t nsteps)
{
    struct md_progress now = {.left = nsteps};
    uint64_t before = m->step;
    while (now.left > 0) {
        struct md_progress next = now;
        md_move_bind(m);
#pragma omp parallel num_threads(m->threads)
        {
            struct md_progress own = now;
            md_steps(m, omp_get_thread_num(), &own);
            if (omp_get_thread_num() == 0)
                next = own;
        }
        now = next;
        m->step = before + nsteps - now.left;
        if (now.broken)
            return md_fail(m, 2, "step %llu: %s", (unsigned long long)(m->step + 1), now.broken);
        if (now.begun && md_list_build(m) != 0)
            return -1;
    }
    return 0;
}

/* ---- totals: integers again, so that the sum does not depend on order or threads */

struct md_kinetics {
    __int128 v2, p[3];
};

static void md_kinetics(const struct md *m, size_t from, size_t to, struct md_kinetics *s)
{
    double unit2 = 17592186044416.0 / m->v2_unit,
           unit = 17592186044416.0 / sqrt(m->v2_unit); /* 2^44 */
    for (size_t i = from; i < to; i++) {
        double x = m->v[0][i], y = m->v[1][i], z = m->v[2][i];
        s->v2 += llrint(((x * x + y * y) + z * z) * unit2);
        s->p[0] += llrint(x * unit);
        s->p[1] += llrint(y * unit);
        s->p[2] += llrint(z * unit);
    }
}

void md_totals(struct md *m, struct md_thermo *out)
{
    struct md_sums sums = {0};
    struct md_kinetics kin = {0};
#pragma omp parallel num_threads(m->threads)
    {
        int t = omp_get_thread_num();
        struct md_sums own = {0};
        struct md_kinetics part = {0};
        SIMD_PICK(md_rows_f64)(&m->rows, m->row_from[t], m->row_from[t + 1], NULL, &own);
        md_kinetics(m, m->atom_from[t], m->atom_from[t + 1], &part);
#pragma omp critical(md_totals)
        {
            sums.energy += own.energy;
            sums.virial += own.virial;
            sums.pairs += own.pairs;
            kin.v2 += part.v2;
            for (int k = 0; k < 3; k++)
                kin.p[k] += part.p[k];
        }
    }
    double mass = m->p.mass;
    out->potential = (double)sums.energy / m->rows.escale;
    out->virial = (double)sums.virial / m->rows.escale;
    out->pairs = sums.pairs;
    out->kinetic = 0.5 * mass * m->p.mvv2e * (double)kin.v2 * (m->v2_unit / 17592186044416.0);
    for (int k = 0; k < 3; k++)
        out->momentum[k] = mass * (double)kin.p[k] * (sqrt(m->v2_unit) / 17592186044416.0);
}
