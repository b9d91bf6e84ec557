/* SPDX-License-Identifier: MIT */
/*
 * Where atoms are, for md_cpu_list.c: columns along z, in serpentine order with z running up and
 * down by turns, so that consecutive atoms are near each other and a cluster of 4 is compact (Páll
 * and Hess 2013).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md/md_cpu.h"

/* Width of a column against the edge of the cube that holds a cluster: 1.1 to 1.3 measured best. */
#define MD_COLUMN 1.2

void md_space_shape(struct md *m)
{
    double volume = m->p.box[0] * m->p.box[1] * m->p.box[2];
    double width = MD_COLUMN * cbrt(volume / (double)m->n * MD_CLUSTER);
    double most = fmax(1.0, sqrt((double)m->n)); /* a thin gas: no more columns than atoms */
    struct md_space *s = &m->space;
    for (int k = 0; k < 2; k++)
        s->ncol[k] = (int)fmax(1.0, fmin(rint(m->p.box[k] / width), most));
    double columns = (double)s->ncol[0] * s->ncol[1];
    s->nz = (int)fmax(1.0, fmin(ceil(2.0 * (double)m->n / columns), 4096.0));
    s->natoms = m->n;
    s->periodic = m->p.boundary == MD_PERIODIC;
    for (int k = 0; k < 3; k++)
        s->ratio[k] = m->rows.fixed.ratio[k];
}

/* Which of n equal parts of the edge a position is in. */
static inline int md_part(const struct md *m, int32_t x, int n)
{
    if (m->p.boundary == MD_PERIODIC)
        return (int)((uint64_t)(uint32_t)x * (uint64_t)n >> 32);
    int64_t part = (int64_t)x * n >> 30;
    return part < 0 ? 0 : part < n ? (int)part : n - 1;
}

static uint32_t md_key(const struct md *m, size_t i)
{
    const struct md_space *s = &m->space;
    int cx = md_part(m, m->x[md_at(i, 0)], s->ncol[0]),
        cy = md_part(m, m->x[md_at(i, 1)], s->ncol[1]);
    int z = md_part(m, m->x[md_at(i, 2)], s->nz),
        column = cx * s->ncol[1] + (cx & 1 ? s->ncol[1] - 1 - cy : cy);
    return (uint32_t)(column * s->nz + (column & 1 ? s->nz - 1 - z : z));
}

static void md_swap(double *a[3], double *b[3])
{
    for (int k = 0; k < 3; k++) {
        double *t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

void md_space_sort(struct md *m)
{
    size_t n = m->n,
           nbins = (size_t)m->space.ncol[0] * (size_t)m->space.ncol[1] * (size_t)m->space.nz;
#pragma omp parallel for num_threads(m->threads) schedule(static) if (n > 4096)
    for (size_t i = 0; i < n; i++)
        m->key[i] = md_key(m, i);
    memset(m->bins, 0, (nbins + 2) * sizeof *m->bins);
    for (size_t i = 0; i < n; i++)
        m->bins[m->key[i] + 2]++;
    for (size_t k = 2; k < nbins + 2; k++)
        m->bins[k] += m->bins[k - 1];
    for (size_t i = 0; i < n;
         i++) /* key becomes the new place; bins[k + 1], the start of bin k, becomes its end */
        m->key[i] = m->bins[m->key[i] + 1]++;
#pragma omp parallel for num_threads(m->threads) schedule(static) if (n > 4096)
    for (size_t i = 0; i < n; i++) {
        size_t to = m->key[i];
        m->id_next[to] = m->id[i];
        for (int k = 0; k < 3; k++) {
            m->r_next[k][to] = m->r[k][i];
            m->v_next[k][to] = m->v[k][i];
        }
    }
    md_swap(m->r, m->r_next);
    md_swap(m->v, m->v_next);
    for (int k = 0; k < 3; k++)
        m->rows.r[k] = m->r[k];
    uint32_t *id = m->id;
    m->id = m->id_next;
    m->id_next = id;
#pragma omp parallel for num_threads(m->threads) schedule(static) if (n > 4096)
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            m->ref[k][i] = m->r[k][i];
            m->x[md_at(i, k)] = lj_fixed_pos(m->r[k][i], m->rows.fixed.pos_scale[k]);
        }
}
