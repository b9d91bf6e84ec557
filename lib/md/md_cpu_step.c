/* SPDX-License-Identifier: MIT */
/* Steps of the CPU engine. The team runs all requested steps, including list builds, with barriers
 * between their parts. A barrier takes a tenth of a microsecond, but waking the team takes hundreds
 * of times longer.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "md/md_cpu.h"
#include "md/md_formulas.h"

#define MD_TIMED 4096.0 /* tiles, 30 microseconds, in which two clock readings are negligible */

static double md_processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Adds the forces of the rows of thread t to its own sums. If `totals` is set, also computes the
 * sums of a sample. */
static void md_rows(struct md *m, int t, bool totals)
{
    struct md_worker *w = &m->worker[t];
    bool timed = m->threads > 1 && w->work > MD_TIMED;
    double start = timed ? md_processor_time() : 0.0;
    if (m->info.method == MD_VERLET && w->strayed > m->limit_strayed)
        md_list_prune(m, t);
    if (w->fd)
        SIMD_PICK(md_rows_f64)(&m->rows, m->row_from[t], m->row_from[t + 1], w->fd, NULL);
    else
        SIMD_PICK(md_rows_force)
    (&m->rows, m->row_from[t], m->row_from[t + 1], w->f, totals ? &w->sums : NULL);
    if (timed) {
        w->seconds += md_processor_time() - start;
        w->done += w->work;
    }
}

/* Sums the results of all threads for clusters c0 to c1 - 1 of segment s, and clears them. */
static void md_gather(struct md *m, size_t s, size_t c0, size_t c1)
{
    for (int u = 0; u < m->threads; u++)
        if (u > 0 && !m->worker[u].seg[s])
            continue;
        else if (m->total_wide)
            SIMD_PICK(md_fold_f64)(m->total_wide, m->worker[u].fd, c0, c1, u == 0);
        else
            SIMD_PICK(md_fold)(m->total, m->worker[u].f, c0, c1, u == 0);
}

#define MD_FOLD 16 /* the first operation of a pass, which sums the forces of the threads */

/* Does one pass over the atoms of this thread, one segment at a time, while the forces of the
 * segment are still in the L1 cache. The thermostat factor `scale` is used if MD_SCALE is set. */
static void md_pass(struct md *m, int t, int what, double scale)
{
    struct md_move a = m->move;
    struct md_worker *w = &m->worker[t];
    a.scale = scale;
    for (int k = 0; k < 3; k++) { /* in the present order of atoms */
        a.r[k] = m->r[k];
        a.v[k] = m->v[k];
    }
    struct md_moved out = {0};
    const size_t atoms = MD_SEGMENT * MD_CLUSTER, end = m->atom_from[t + 1];
    for (size_t i = m->atom_from[t], to; i < end; i = to) {
        to = (i / atoms + 1) * atoms < end ? (i / atoms + 1) * atoms : end;
        if (what & MD_FOLD)
            md_gather(m, i / atoms, i / MD_CLUSTER, (to + MD_CLUSTER - 1) / MD_CLUSTER);
        if (what & ~MD_FOLD)
            SIMD_PICK(md_move_atoms)(&a, i, to, what & ~MD_FOLD, &out);
    }
    if (what & MD_KINETIC)
        w->kinetic = out.kinetic;
    if (what & MD_BEGIN)
        w->moved = out;
}

static void md_prepare_part(struct md *m, int t)
{
    if (md_list_build(m, t) != 0)
        return;
    md_rows(m, t, false);
    md_barrier(m);
    md_pass(m, t, MD_FOLD, 1.0);
}

int md_prepare(struct md *m)
{
    md_team(m, md_prepare_part);
    return m->info.err.status ? -1 : 0;
}

static struct md_moved md_moved_all(const struct md *m)
{
    struct md_moved all = {0};
    for (int t = 0; t < m->threads; t++) {
        const struct md_moved *o = &m->worker[t].moved;
        all.move2 = o->move2 > all.move2 ? o->move2 : all.move2;
        all.force = o->force > all.force ? o->force : all.force;
    }
    return all;
}

/* Returns whether an atom has moved farther than a list allows. Positions are compared only if the
 * sum of the largest moves of all steps exceeds this limit. All threads return the same value. */
static bool md_far(struct md *m, int t)
{
    struct md_worker *w = &m->worker[t];
    double max = 0.0;
    if (m->limit_away > 0.0) {
        w->away2 = SIMD_PICK(md_away2)(m->r, m->ref, m->atom_from[t], m->atom_from[t + 1]);
        md_barrier(m);
        for (int u = 0; u < m->threads; u++)
            max = m->worker[u].away2 > max ? m->worker[u].away2 : max;
        w->away = sqrt(max);
    }
    return !(max < m->limit_away * m->limit_away);
}

static double md_lambda(const struct md *m)
{
    int64_t kinetic = 0;
    for (int t = 0; t < m->threads; t++)
        kinetic += m->worker[t].kinetic;
    return md_berendsen(m->p.dt / m->p.tau, m->v2_wanted, kinetic);
}

/* Returns the reason why the run cannot continue after these moves, or NULL. */
static const char *md_broken(const struct md *m, const struct md_moved *a)
{
    if (!(a->move2 <= m->limit_move2))
        return "an atom moved more than a quarter of sigma in one step: the time step is too long "
               "or atoms overlap";
    if (!(a->force <= m->limit_force))
        return "the force on an atom is out of range: atoms overlap, or the time step is too long";
    return NULL;
}

/* Does the part of thread t in up to `left` steps. Every thread makes the same decisions. Returns
 * the number of steps not done, and sets *broken to the reason, or to NULL if memory ran out. */
static uint64_t md_steps(struct md *m, int t, uint64_t left, const char **broken)
{
    bool verlet = m->p.integrator == MD_VELOCITY_VERLET, warm = m->p.tau > 0.0;
    bool lists = m->info.method == MD_VERLET;
    int pending = 0; /* operations of a pass that remain from the previous step */
    double lambda = 1.0;
    uint64_t end = m->info.step + left;
    for (; left > 0; left--) {
        bool due = lists && m->p.rebuild && (end - left) % m->p.rebuild == 0;
        md_pass(m, t, pending | MD_BEGIN, lambda);
        md_barrier(m);
        struct md_moved all = md_moved_all(m);
        *broken = md_broken(m, &all);
        if (*broken)
            return left;
        struct md_worker *w = &m->worker[t];
        w->strayed += sqrt(all.move2);
        w->away += sqrt(all.move2);
        if ((due || (!(w->away < m->limit_away) && md_far(m, t))) && md_list_build(m, t) != 0)
            return left;
        memset(&w->sums, 0, sizeof w->sums);
        md_rows(m, t, m->summed && left == 1);
        md_barrier(m);
        pending = MD_FOLD | (verlet ? MD_FINISH : 0);
        if (warm) {
            md_pass(m, t, pending | MD_KINETIC, 1.0);
            md_barrier(m);
            lambda = md_lambda(m);
            pending = MD_SCALE;
        }
    }
    if (pending)
        md_pass(m, t, pending, lambda);
    return 0;
}

static void md_advance_part(struct md *m, int t)
{
    const char *broken = NULL;
    uint64_t left = md_steps(m, t, m->todo, &broken);
    if (t != 0)
        return;
    m->info.step += m->todo - left;
    if (broken)
        err_bad(&m->info.err, "step %llu: %s", (unsigned long long)(m->info.step + 1), broken);
}

int md_advance(struct md *m, uint64_t nsteps, unsigned want)
{
    m->todo = nsteps;
    m->summed = want & MD_WANT_THERMO && m->p.precision == MD_MIXED;
    md_team(m, md_advance_part);
    return m->info.err.status ? -1 : 0;
}

/* ---- totals: integers, so that sums do not depend on order or threads */

#define MD_UNIT 17592186044416.0 /* 2^44 integers per thermal v² and per thermal v */

static void md_kinetics(const struct md *m, size_t from, size_t to, bool stress,
                        struct md_kinetics *s)
{
    double unit2 = MD_UNIT / m->v2_unit, unit = MD_UNIT / sqrt(m->v2_unit);
    for (size_t i = from; i < to; i++) {
        double x = m->v[0][i], y = m->v[1][i], z = m->v[2][i];
        s->v2 += llrint(((x * x + y * y) + z * z) * unit2);
        s->p[0] += llrint(x * unit);
        s->p[1] += llrint(y * unit);
        s->p[2] += llrint(z * unit);
        const double ab[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
        for (int k = 0; stress && k < 6; k++)
            s->ab[k] += llrint(ab[k] * unit2);
    }
}

/* Adds x_a F_b of the atoms to `ab`, in the product of the units of x and F. */
static void md_virials(const struct md *m, size_t from, size_t to, __int128 ab[6])
{
    static const int axis[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (size_t i = from; i < to; i++)
        for (int k = 0; k < 6; k++)
            ab[k] += (int64_t)m->x[md_at(i, axis[k][0])] * m->total[md_at(i, axis[k][1])];
}

/* Computes the totals of pairs from the sums of md_rows_force and md_virials. The sum of s^6
 * follows from the trace of the virial. Energy and virial therefore have exact coefficients,
 * although the coefficients of the forces are rounded to f32. */
static void md_pair_totals(const struct md *m, const struct md_sums *s, struct md_thermo *out)
{
    const struct lj_fixed *x = &m->rows.fixed;
    const struct lj *lj = &m->rows.lj;
    double scale = x->pos_scale[0], trace = 0.0;
    for (int k = 0; k < 6; k++) { /* at first in units of force times units of x */
        __int128 sum = s->ab[k] - (__int128)s->lanes[k] * 4294967296;
        out->virial_ab[k] = (double)sum * scale / x->pos_scale[k < 3 ? k : k == 5];
        trace += k < 3 ? out->virial_ab[k] : 0.0;
    }
    double s3 = (double)s->lanes[6] / m->rows.s3_scale, r = (double)s->lanes[7] / m->rows.r_scale,
           num = x->num, s6 = ((trace + x->a1 * r) / num + x->a6 * s3) / x->a12;
    double q = scale * scale / num, q3 = q * q * q; /* 1 / r2 = s q */
    double u12 = lj->c12 * q3 * q3 * s6, u6 = lj->c6 * q3 * s3,
           shift = lj->f1 * r / (sqrt(num) * scale);
    out->pairs = (uint64_t)s->lanes[8];
    out->potential = u12 - u6 + lj->u0 * (double)out->pairs + shift;
    out->virial = 12.0 * u12 - 6.0 * u6 - shift;
    double unit = x->force_unit / scale, rest = (out->virial - trace * unit) / 3.0;
    for (int k = 0; k < 6; k++)
        out->virial_ab[k] =
            m->want & MD_WANT_STRESS ? out->virial_ab[k] * unit + (k < 3 ? rest : 0.0) : 0.0;
}

static void md_totals_part(struct md *m, int t)
{
    struct md_worker *w = &m->worker[t];
    bool stress = m->want & MD_WANT_STRESS;
    memset(&w->kinetics, 0, sizeof w->kinetics);
    if (m->summed) {
        md_virials(m, m->atom_from[t], m->atom_from[t + 1], w->sums.ab);
    } else {
        memset(&w->sums, 0, sizeof w->sums);
        w->sums.stress = stress;
        SIMD_PICK(md_rows_f64)(&m->rows, m->row_from[t], m->row_from[t + 1], NULL, &w->sums);
    }
    md_kinetics(m, m->atom_from[t], m->atom_from[t + 1], stress, &w->kinetics);
}

void md_totals(struct md *m, unsigned want, struct md_thermo *out)
{
    struct md_sums sums = {0};
    struct md_kinetics kin = {0};
    m->want = want;
    md_team(m, md_totals_part);
    for (int t = 0; t < m->threads; t++) {
        const struct md_worker *w = &m->worker[t];
        sums.energy += w->sums.energy;
        sums.virial += w->sums.virial;
        sums.pairs += w->sums.pairs;
        for (int k = 0; k < 9; k++)
            sums.lanes[k] += w->sums.lanes[k];
        kin.v2 += w->kinetics.v2;
        for (int k = 0; k < 3; k++)
            kin.p[k] += w->kinetics.p[k];
        for (int k = 0; k < 6; k++) {
            kin.ab[k] += w->kinetics.ab[k];
            sums.ab[k] += w->sums.ab[k];
        }
    }
    double mass = m->p.mass, v2 = m->v2_unit / MD_UNIT;
    out->potential = (double)sums.energy / m->rows.escale;
    out->virial = (double)sums.virial / m->rows.escale;
    out->pairs = sums.pairs;
    out->kinetic = 0.5 * mass * m->p.mvv2e * (double)kin.v2 * v2;
    for (int k = 0; k < 3; k++)
        out->momentum[k] = mass * (double)kin.p[k] * (sqrt(m->v2_unit) / MD_UNIT);
    for (int k = 0; k < 6; k++) {
        out->kinetic_ab[k] = mass * m->p.mvv2e * (double)kin.ab[k] * v2;
        out->virial_ab[k] = (double)sums.ab[k] / m->rows.escale;
    }
    if (m->summed)
        md_pair_totals(m, &sums, out);
}
