/* SPDX-License-Identifier: MIT */
/*
 * Where atoms are, for md_cpu_list.c: columns along z, in serpentine order with z running up and down by turns, so that
 * consecutive atoms are near each other and a block of W of them is compact (Páll and Hess 2013, cluster pairs).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md_cpu.h"

/* Width of a column against the edge of the cube that holds a block: 0.7 to 1 measured the same. */
#define MD_COLUMN 0.85

void md_space_shape(struct md *m)
{
    double volume = m->p.box[0] * m->p.box[1] * m->p.box[2];
    double width = MD_COLUMN * cbrt(volume / (double)m->n * m->lanes);
    double most = fmax(1.0, sqrt((double)m->n)); /* a thin gas: no more columns than atoms */
    for (int k = 0; k < 2; k++)
        m->ncol[k] = (int)fmax(1.0, fmin(rint(m->p.box[k] / width), most));
    double columns = (double)m->ncol[0] * m->ncol[1];
    m->nz = (int)fmax(1.0, fmin(ceil(2.0 * (double)m->n / columns), 4096.0));
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
    int cx = md_part(m, m->x[0][i], m->ncol[0]), cy = md_part(m, m->x[1][i], m->ncol[1]);
    int z = md_part(m, m->x[2][i], m->nz), column = cx * m->ncol[1] + (cx & 1 ? m->ncol[1] - 1 - cy : cy);
    return (uint32_t)(column * m->nz + (column & 1 ? m->nz - 1 - z : z));
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
    size_t n = m->n, columns = (size_t)m->ncol[0] * (size_t)m->ncol[1], nbins = columns * (size_t)m->nz;
#pragma omp parallel for num_threads(m->threads) schedule(static) if (n > 4096)
    for (size_t i = 0; i < n; i++)
        m->key[i] = md_key(m, i);
    memset(m->bins, 0, (nbins + 2) * sizeof *m->bins);
    for (size_t i = 0; i < n; i++)
        m->bins[m->key[i] + 2]++;
    for (size_t k = 2; k < nbins + 2; k++)
        m->bins[k] += m->bins[k - 1];
    for (size_t c = 0; c <= columns; c++)
        m->column[c] = m->bins[c * (size_t)m->nz + 1];
    for (size_t i = 0; i < n; i++) /* key becomes the new place */
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
            m->x[k][i] = lj_fixed_pos(m->r[k][i], m->rows.fixed.pos_scale[k]);
        }
}

void md_space_bound(struct md *m)
{
#pragma omp parallel for num_threads(m->threads) schedule(static) if (m->n > 4096)
    for (size_t b = 0; b < m->nblocks; b++) {
        size_t first = b * (size_t)m->lanes, end = first + (size_t)m->lanes < m->n ? first + (size_t)m->lanes : m->n;
        for (int k = 0; k < 3; k++) {
            int32_t x0 = m->x[k][first], low = 0, high = 0;
            for (size_t i = first + 1; i < end; i++) {
                int32_t d = (int32_t)((uint32_t)m->x[k][i] - (uint32_t)x0);
                low = d < low ? d : low;
                high = d > high ? d : high;
            }
            int64_t mid = ((int64_t)low + high) / 2;
            m->centre[k][b] = (int32_t)((uint32_t)x0 + (uint32_t)(int32_t)mid);
            m->half[k][b] = (float)(0.5 * ((double)high - low) * 1.00001 + 2.0);
        }
    }
}

/* First column and number of columns that [c - reach, c + reach] meets along axis k. */
static int md_columns(const struct md *m, int k, int32_t c, double reach, int *first)
{
    int n = m->ncol[k];
    bool periodic = m->p.boundary == MD_PERIODIC;
    double width = (periodic ? 4294967296.0 : 1073741824.0) / n, at = periodic ? (double)(uint32_t)c : (double)c;
    double low = floor((at - reach) / width), high = floor((at + reach) / width);
    if (!periodic) {
        low = fmin(fmax(low, 0.0), n - 1.0);
        high = fmin(fmax(high, 0.0), n - 1.0);
    } else if (high - low + 1.0 >= n) {
        low = 0.0;
        high = n - 1.0;
    }
    *first = ((int)low % n + n) % n;
    return (int)(high - low) + 1;
}

/* Squared distance between the bounding boxes of two blocks, units² of axis 0. */
static inline float md_gap2(const struct md *m, size_t a, size_t b)
{
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        float d = fabsf((float)(int32_t)((uint32_t)m->centre[k][a] - (uint32_t)m->centre[k][b]));
        d -= m->half[k][a] + m->half[k][b];
        d = d > 0.0f ? d * m->rows.fixed.ratio[k] : 0.0f;
        sum += d * d;
    }
    return sum;
}

/*
 * Blocks above `block` nearer than rl (units of axis 0), at most `limit`, into w->found from w->nfound on; the padded
 * last block comes last. A block that lies in two columns is met twice: the stamp keeps the first.
 */
void md_space_near(const struct md *m, struct md_worker *w, size_t block, float rl, float rl2, size_t limit)
{
    int first[2], count[2];
    size_t padded = m->n % (size_t)m->lanes ? m->nblocks - 1 : SIZE_MAX, end = w->nfound + limit;
    bool tail = false;
    for (int k = 0; k < 2; k++)
        count[k] = md_columns(m, k, m->centre[k][block],
                              (double)m->half[k][block] + (double)rl / (double)m->rows.fixed.ratio[k] * 1.00001,
                              &first[k]);
    for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++) {
            int cx = (first[0] + i) % m->ncol[0], cy = (first[1] + j) % m->ncol[1];
            size_t c = (size_t)(cx * m->ncol[1] + (cx & 1 ? m->ncol[1] - 1 - cy : cy));
            if (m->column[c] == m->column[c + 1])
                continue;
            size_t b = m->column[c] / (size_t)m->lanes, last = (m->column[c + 1] - 1) / (size_t)m->lanes;
            for (b = b > block ? b : block + 1; b <= last; b++) {
                if (md_gap2(m, block, b) >= rl2 || w->stamp[b] == block + 1)
                    continue;
                w->stamp[b] = (uint32_t)block + 1;
                if (b == padded)
                    tail = true;
                else if (w->nfound < end)
                    w->found[w->nfound++] = (uint32_t)b;
            }
        }
    if (tail && w->nfound < end)
        w->found[w->nfound++] = (uint32_t)padded;
}
