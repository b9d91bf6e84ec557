/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/box.h"
#include "md/md_cpu.h"
#include "md/md_formulas.h"

#define MD_BYTES_AN_ATOM 600 /* state, sort, list: measured 350 to 550 at liquid density */

const char *md_engine_name(void)
{
    static char name[64];
    snprintf(name, sizeof name, "CPU, %s", simd_name());
    return name;
}

int md_probe(const char *devices, char *err, size_t errlen)
{
    (void)devices;
    (void)err;
    (void)errlen;
    return 0;
}

int md_fail(struct md *m, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(m->error, sizeof m->error, fmt, ap);
    va_end(ap);
    m->status = status;
    return -1;
}

void *md_alloc(struct md *m, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 4096)
        return NULL;
    bytes = (bytes + 127) / 128 * 128 + 128; /* a vector may be read past the end */
    void **owned = realloc(m->owned, (m->nowned + 1) * sizeof *owned);
    if (owned == NULL)
        return NULL;
    m->owned = owned;
    void *p = aligned_alloc(128, bytes);
    if (p == NULL)
        return NULL;
    memset(p, 0, bytes);
    m->owned[m->nowned++] = p;
    m->bytes += bytes;
    return p;
}

/* Numbers that follow from the parameters. */
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
    double core = MD_CORE_ROOM * lj_core(&r->lj, kt),
           force = lj_force_r(&r->lj, core * core) * core;
    r->escale = exp2(floor(51.0 - log2(force * core / p->eps))) / p->eps;
    r->fscale = md_force_scale(p);
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
        ok &= (w->stamp = md_alloc(m, m->nclusters, sizeof *w->stamp)) != NULL;
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
    ok &= (m->id = md_alloc(m, n, sizeof *m->id)) != NULL;
    ok &= (m->id_next = md_alloc(m, n, sizeof *m->id)) != NULL;
    ok &= (m->key = md_alloc(m, n, sizeof *m->key)) != NULL;
    ok &= (m->count = md_alloc(m, m->nclusters, sizeof *m->count)) != NULL;
    ok &= (m->begin = md_alloc(m, m->nclusters + 2, sizeof *m->begin)) != NULL;
    ok &= (m->all_end = md_alloc(m, m->nclusters, sizeof *m->all_end)) != NULL;
    ok &= (m->bins = md_alloc(m, nbins + 2, sizeof *m->bins)) != NULL;
    m->rows.x = m->space.x = m->x;
    m->space.bins = m->bins;
    ok &= (m->frame = md_alloc(m, 3 * m->n, sizeof(double))) != NULL;
    for (size_t c = 0; ok && c < m->nclusters; c++)
        m->all_end[c] = m->nclusters;
    return ok ? md_workers(m) : -1;
}

int md_use(struct md *m, enum md_neighbours method, double skin, int threads)
{
    double reach = m->p.cutoff + (method == MD_VERLET ? skin : 0.0);
    m->threads = threads;
    for (int t = 0; t <= threads; t++)
        m->atom_from[t] = md_share(m->n, t, threads, 64);
    m->method = method;
    m->skin = method == MD_VERLET ? skin : 0.0;
    reach *=
        m->rows.fixed.pos_scale[0] * 1.00001; /* more than the rounding of r2 and of positions */
    m->space.rl2 = (float)(reach * reach);
    m->limit_away2 = method == MD_ALL_PAIRS ? HUGE_VAL
                     : method == MD_CELLS   ? 0.0
                                            : 0.25 * skin * skin;
    if ((method == MD_ALL_PAIRS ? md_list_all(m) : md_list_build(m)) != 0)
        return -1;
    md_forces_now(m);
    return 0;
}

void md_load(struct md *m, const double *r, const double *v)
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

static struct md *md_open_checked(struct md *m, const double *r, const double *v)
{
    m->n = m->p.natoms;
    m->nclusters = (m->n + MD_CLUSTER - 1) / MD_CLUSTER;
    m->npad = m->nclusters * MD_CLUSTER;
#pragma omp parallel num_threads(m->p.threads > 0 ? m->p.threads : 1)
#pragma omp single
    m->threads = omp_get_num_threads(); /* what the system really gives: the barriers count on it */
    m->nworkers = m->threads;
    md_derive(m);
    md_space_shape(m);
    if (md_arrays(m) != 0) {
        md_fail(m, 3, "out of memory for %zu atoms", m->n);
        return NULL;
    }
    return md_tune(m, r, v) == 0 ? m : NULL;
}

struct md *md_open(const struct md_params *p, const double *r, const double *v, uint64_t step,
                   const void *aux, size_t aux_bytes, int *status, char *err, size_t errlen)
{
    (void)aux;
    (void)aux_bytes;
    *status = 2;
    if (md_check(p, r, v, err, errlen) != 0)
        return NULL;
    if (p->replicas != 1)
        return snprintf(err, errlen, "the CPU engine runs one replica, found %zu", p->replicas),
               NULL;
    if (p->natoms > INT32_MAX)
        return snprintf(err, errlen, "%zu atoms are more than the engine can number", p->natoms),
               NULL;
    *status = 3;
    size_t need = p->natoms * (MD_BYTES_AN_ATOM + 24 * (size_t)(p->threads > 0 ? p->threads : 1));
    if (p->max_mem && need > p->max_mem)
        return snprintf(err, errlen, "%zu atoms need about %zu bytes, the limit is %zu (--max-mem)",
                        p->natoms, need, p->max_mem),
               NULL;
    struct md *m = aligned_alloc(128, (sizeof *m + 127) / 128 * 128);
    if (m == NULL)
        return snprintf(err, errlen, "out of memory"), NULL;
    memset(m, 0, sizeof *m);
    m->p = *p;
    m->step = step;
    if (md_open_checked(m, r, v) == NULL) {
        *status = m->status;
        snprintf(err, errlen, "%s", m->error);
        md_close(m);
        return NULL;
    }
    return m;
}

void md_close(struct md *m)
{
    if (m == NULL)
        return;
    for (int t = 0; m->worker && t < m->nworkers; t++)
        free(m->worker[t].found);
    for (size_t k = 0; k < m->nowned; k++)
        free(m->owned[k]);
    free(m->owned);
    free(m->list);
    free(m);
}
