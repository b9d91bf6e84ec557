/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/box.h"
#include "base/real.h"
#include "md/md_cpu.h"
#include "md/md_formulas.h"

#define MD_BYTES_AN_ATOM 800 /* for state, sort and lists; measured 450 to 750 in a liquid */

size_t md_replicas_max(void)
{
    return 1;
}

#define MD_ROOM ((size_t)32 << 20) /* bytes requested at once */

/* Reserves `bytes` more bytes for md_alloc(). Large systems request large pages, because a pass
 * over atoms goes through 20 arrays at once. Returns 0 or -1. */
static int md_room(struct md *m, size_t bytes)
{
    bool large = m->n > MD_ROOM / MD_BYTES_AN_ATOM;
    size_t max = large && bytes < MD_ROOM ? MD_ROOM : bytes,
           unit = large ? MEMORY_LARGE_PAGE : (size_t)128;
    if (max > SIZE_MAX - unit)
        return -1;
    max = (max + unit - 1) / unit * unit;
    void **owned = realloc(m->owned, (m->nowned + 1) * sizeof *owned);
    if (owned == NULL)
        return -1;
    m->owned = owned;
    char *p = aligned_alloc(unit, max);
    if (p == NULL)
        return -1;
    if (large)
        memory_large_pages(p, max);
    m->owned[m->nowned++] = m->capacity = p;
    m->room_left = max;
    return 0;
}

/* Returns zeroed memory with 128-byte alignment, which md_close() frees, or NULL. */
static void *md_alloc(struct md *m, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 4096)
        return NULL;
    bytes = (bytes + 127) / 128 * 128 + 128; /* vectors may read past the end */
    if (bytes > m->room_left && md_room(m, bytes) != 0)
        return NULL;
    void *p = m->capacity;
    m->capacity += bytes;
    m->room_left -= bytes;
    memset(p, 0, bytes);
    m->bytes += bytes;
    return p;
}

size_t md_bytes(const struct md *m, const struct md_samples *s, uint64_t nsteps)
{
    (void)s; /* memory is reserved at the start */
    (void)nsteps;
    size_t entries = m->list_room + m->inner_room;
    for (int t = 0; t < m->nworkers; t++)
        entries += m->worker[t].capacity + m->worker[t].some_room;
    return m->bytes + entries * sizeof *m->list;
}

/* Computes constants that follow from the parameters. */
static void md_derive(struct md *m)
{
    const struct md_params *p = &m->p;
    struct md_rows *r = &m->rows;
    double kt = p->kb * p->temperature, hot = kt > p->eps ? kt : p->eps;
    bool periodic = p->boundary == MD_PERIODIC, wide = p->precision == MD_DOUBLE;
    r->lj = md_pair_of(p);
    r->fixed = lj_fixed_make(&r->lj, p->box, periodic, p->cutoff, kt);
    r->natoms = m->n;
    r->rc2 = p->cutoff * p->cutoff;
    double core = 0.95 * lj_core(&r->lj, kt), force = lj_force_r(&r->lj, core * core) * core;
    r->escale = exp2(floor(51.0 - log2(force * core / p->eps))) / p->eps;
    r->fscale = md_force_scale(p);
    /* A pair at the core adds 2^26, so that a lane of a row overflows only with more than 31 such
     * pairs. A pair at the cutoff adds 2^24, or less if 64 pairs in a lane could overflow. */
    const struct lj_fixed *x = &r->fixed;
    double s = x->num / pow(lj_core(&r->lj, kt) * x->pos_scale[0], 2.0);
    r->s3_scale = (float)exp2(floor(26.0 - 3.0 * log2(s)));
    r->r_scale = (float)(exp2(30.0) / (sqrt((double)x->num * x->rc2) * (64.0 + (double)m->n)));
    m->v2_unit = hot / (p->mass * p->mvv2e);
    m->move.unit = (wide ? 1.0 / r->fscale : r->fixed.force_unit) / (p->mass * p->mvv2e);
    m->limit_force = wide ? 2251799813685248.0 : 536870912.0; /* 2^51, 2^29 */
    m->move.dt = p->dt;
    m->move.h = p->integrator == MD_VELOCITY_VERLET ? 0.5 * p->dt : p->dt;
    m->move.kscale = md_v2_scale(p);
    m->v2_wanted = md_v2_wanted(p);
    m->limit_move2 = MD_MAX_MOVE * p->sigma * MD_MAX_MOVE * p->sigma;
    for (int k = 0; k < 3; k++) {
        r->box[k] = p->box[k];
        r->inv[k] = periodic ? 1.0 / p->box[k] : 0.0;
        m->move.box[k] = periodic ? 0.0 : p->box[k];
        m->move.pos_scale[k] = r->fixed.pos_scale[k];
        double wrap = exp2(31.0) - 1.00001 * p->cutoff * r->fixed.pos_scale[k];
        r->inside[k] = !periodic ? INT32_MAX : wrap > 0.0 ? (int32_t)wrap : 0;
    }
}

static int md_workers(struct md *m)
{
    m->nsegments = (m->nclusters + MD_SEGMENT - 1) / MD_SEGMENT;
    m->worker = md_alloc(m, (size_t)m->threads, sizeof *m->worker);
    m->row_from = md_alloc(m, (size_t)m->threads + 1, sizeof *m->row_from);
    m->atom_from = md_alloc(m, (size_t)m->threads + 1, sizeof *m->atom_from);
    bool ok = m->worker && m->row_from && m->atom_from;
    for (int t = 0; ok && t < m->threads; t++) {
        struct md_worker *w = &m->worker[t];
        if (m->p.precision == MD_DOUBLE)
            ok &= (w->fd = md_alloc(m, m->nclusters * MD_LINE, sizeof *w->fd)) != NULL;
        else
            ok &= (w->f = md_alloc(m, m->nclusters * (size_t)SIMD_PICK(md_sums_width)(),
                                   sizeof *w->f)) != NULL;
        ok &= (w->seg = md_alloc(m, m->nsegments, 1)) != NULL;
    }
    return ok ? 0 : -1;
}

static int md_arrays(struct md *m)
{
    size_t n = m->npad,
           nbins = (size_t)m->space.ncol[0] * (size_t)m->space.ncol[1] * (size_t)m->space.nz;
    bool ok = true;
    for (int k = 0; k < 3; k++) {
        ok &= (m->r[k] = md_alloc(m, n, sizeof(double))) != NULL;
        ok &= (m->v[k] = md_alloc(m, n, sizeof(double))) != NULL;
        ok &= (m->ref[k] = md_alloc(m, n, sizeof(double))) != NULL;
        ok &= (m->r_next[k] = md_alloc(m, n, sizeof(double))) != NULL;
        ok &= (m->v_next[k] = md_alloc(m, n, sizeof(double))) != NULL;
    }
    ok &= (m->x = md_alloc(m, m->nclusters * MD_LINE, sizeof *m->x)) != NULL;
    if (m->p.precision == MD_DOUBLE)
        ok &= (m->total_wide = md_alloc(m, m->nclusters * MD_LINE, sizeof *m->total_wide)) != NULL;
    else
        ok &= (m->total = md_alloc(m, m->nclusters * MD_LINE, sizeof *m->total)) != NULL;
    ok &= (m->space.coarse = md_alloc(m, m->nclusters * MD_LINE, sizeof(int16_t))) != NULL;
    ok &= (m->id = md_alloc(m, n, sizeof *m->id)) != NULL;
    ok &= (m->id_next = md_alloc(m, n, sizeof *m->id)) != NULL;
    ok &= (m->key = md_alloc(m, n, sizeof *m->key)) != NULL;
    ok &= (m->count = md_alloc(m, m->nclusters, sizeof *m->count)) != NULL;
    ok &= (m->begin = md_alloc(m, m->nclusters + 2, sizeof *m->begin)) != NULL;
    ok &= (m->near = md_alloc(m, m->nclusters, sizeof *m->near)) != NULL;
    ok &= (m->all_end = md_alloc(m, m->nclusters, sizeof *m->all_end)) != NULL;
    ok &= (m->bins = md_alloc(m, nbins + 2, sizeof *m->bins)) != NULL;
    m->rows.x = m->space.x = m->move.x = m->x;
    m->move.f = m->total;
    m->move.fd = m->total_wide;
    m->space.bins = m->bins;
    ok &= (m->frame = md_alloc(m, 6 * m->n, sizeof(double))) != NULL;
    for (size_t c = 0; ok && c < m->nclusters; c++)
        m->all_end[c] = m->nclusters;
    return ok ? md_workers(m) : -1;
}

static int md_open_checked(struct md *m, const double *r, const double *v)
{
    m->n = m->p.natoms;
    m->nclusters = (m->n + MD_CLUSTER - 1) / MD_CLUSTER;
    m->npad = m->nclusters * MD_CLUSTER;
    m->pool = pool_team(m->p.threads);
    m->threads = m->nworkers = pool_threads(m->pool);
    md_derive(m);
    md_space_shape(m);
    if (m->pool == NULL || md_arrays(m) != 0)
        return err_set(&m->info.err, ERR_MEMORY, "out of memory for %zu atoms", m->n);
    return md_tune(m, r, v);
}

struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step,
                   struct err *e)
{
    size_t need = p->natoms * (MD_BYTES_AN_ATOM + 48 * (size_t)(p->threads > 0 ? p->threads : 1));
    struct md *m = NULL;
    if (md_check(p, r, v, e) != 0)
        return NULL;
    if (p->replicas != 1)
        err_bad(e, "expected one replica on the CPU, found %zu", p->replicas);
    else if (p->natoms > INT32_MAX)
        err_bad(e, "expected fewer than 2^31 atoms, found %zu", p->natoms);
    else if (err_over(e, (double)need, p->max_mem, "fewer --threads", "%zu atoms", p->natoms) ==
                 0 &&
             (m = aligned_alloc(128, (sizeof *m + 127) / 128 * 128)) == NULL)
        err_set(e, ERR_MEMORY, "out of memory");
    if (m == NULL)
        return NULL;
    memset(m, 0, sizeof *m);
    m->p = *p;
    m->info.step = step;
    if (md_open_checked(m, r, v) == 0)
        return m;
    *e = m->info.err;
    md_close(m);
    return NULL;
}

void md_close(struct md *m)
{
    if (m == NULL)
        return;
    for (int t = 0; m->worker && t < m->nworkers; t++) {
        free(m->worker[t].found);
        free(m->worker[t].some);
    }
    for (size_t k = 0; k < m->nowned; k++)
        free(m->owned[k]);
    free(m->owned);
    free(m->list);
    free(m->inner);
    pool_free(m->pool);
    free(m);
}

/* ---- between steps: samples and state */

/* Wraps a coordinate into [0, box). A value that rounds to the edge becomes 0. */
static double md_wrapped(double r, double box, bool periodic)
{
    if (!periodic)
        return r;
    r -= box * floor(r / box);
    return r < box && r >= 0.0 ? r : 0.0;
}

static void md_frame(struct md *m, unsigned want)
{
    bool periodic = m->p.boundary == MD_PERIODIC, wide = want & MD_WANT_F64;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < 3; k++) {
            double box = m->p.box[k], w = md_wrapped(m->r[k][i], box, periodic);
            size_t at = 3 * (size_t)m->id[i] + k;
            w = !wide && periodic && (float)w >= (float)box ? 0.0 : w;
            real_set(m->frame, wide, at, w);
            if (want & MD_WANT_VELOCITIES)
                real_set(m->frame, wide, 3 * m->n + at, m->v[k][i]);
        }
}

/* Computes the requested quantities of the present state. */
static int md_sample_now(struct md *m, unsigned want, const struct md_samples *to)
{
    struct md_thermo t;
    struct md_sample s = {.step = m->info.step};
    if (want & MD_WANT_FRAME) {
        md_frame(m, want);
        s.pos = m->frame;
        if (want & MD_WANT_VELOCITIES)
            s.vel = (char *)m->frame + 3 * m->n * (want & MD_WANT_F64 ? 8 : 4);
    }
    if (want & MD_WANT_THERMO) {
        md_totals(m, want, &t);
        s.thermo = &t;
    }
    return to->sink(to->ctx, &s) != 0;
}

int md_measure(struct md *m, const struct md_samples *s)
{
    m->summed = false;
    return md_sample_now(m, s->want, s);
}

/* Returns the samples of s that are due after `step` steps of a run. */
static unsigned md_due(const struct md_samples *s, uint64_t step)
{
    unsigned due = 0;
    if (s->want & MD_WANT_FRAME && s->every && step % s->every == 0)
        due |= s->want & MD_WANT_FRAME;
    if (s->want & MD_WANT_THERMO && s->thermo_every && step % s->thermo_every == 0)
        due |= s->want & (MD_WANT_THERMO | MD_WANT_STRESS);
    return due;
}

/* Returns the first step after `step` at which a sample is due, or 0 if there is none. */
static uint64_t md_next_sample(const struct md_samples *s, uint64_t step)
{
    uint64_t a = s->want & MD_WANT_FRAME && s->every ? s->every - step % s->every : 0;
    uint64_t b =
        s->want & MD_WANT_THERMO && s->thermo_every ? s->thermo_every - step % s->thermo_every : 0;
    uint64_t n = a && b ? (a < b ? a : b) : a + b;
    return n ? step + n : 0;
}

int md_run(struct md *m, uint64_t nsteps, const struct md_samples *s)
{
    uint64_t done = s ? s->done : 0, end = done + nsteps;
    while (done < end) {
        uint64_t n = end - done, next = s ? md_next_sample(s, done) : 0;
        n = next && next < end ? next - done : n;
        unsigned due = s ? md_due(s, done + n) : 0;
        if (md_advance(m, n, due) != 0)
            return -1;
        done += n;
        if (due && md_sample_now(m, due, s) != 0)
            return 1;
    }
    return 0;
}

int md_state(struct md *m, double *r, double *v)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)m->id[i] + k;
            if (r)
                r[at] = m->r[k][i];
            if (v)
                v[at] = m->v[k][i];
        }
    return 0;
}

int md_forces(struct md *m, double *f)
{
    bool wide = m->p.precision == MD_DOUBLE;
    double unit = wide ? 1.0 / m->rows.fscale : m->rows.fixed.force_unit;
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = md_at(i, (int)k);
            f[3 * (size_t)m->id[i] + k] =
                (wide ? (double)m->total_wide[at] : (double)m->total[at]) * unit;
        }
    return 0;
}

const struct md_info *md_info(const struct md *m)
{
    return &m->info;
}

void md_set_step(struct md *m, uint64_t step)
{
    m->info.step = step;
}
