/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "md_cpu.h"

/* Room for `more` entries beyond `used`. 0 or -1. */
static int md_grow(uint32_t **list, size_t *room, size_t used, size_t more)
{
    if (used + more <= *room)
        return 0;
    size_t want = used + more + (used + more) / 2;
    uint32_t *p = realloc(*list, want * sizeof *p);
    if (p == NULL)
        return -1;
    *list = p;
    *room = want;
    return 0;
}

/* Blocks near each of the blocks of this worker: found, and count[block]. */
static int md_list_blocks(struct md *m, struct md_worker *w, size_t b0, size_t b1)
{
    float rl2 = m->list_rl2, rl = sqrtf(rl2);
    w->nfound = 0;
    memset(w->stamp, 0, m->nblocks * sizeof *w->stamp);
    for (size_t b = b0; b < b1; b++) {
        size_t before = w->nfound, limit = m->nblocks - b;
        if (md_grow(&w->found, &w->found_room, w->nfound, limit) != 0)
            return -1;
        md_space_near(m, w, b, rl, rl2, limit);
        m->count[b] = (uint32_t)(w->nfound - before);
    }
    return 0;
}

/* From there to the blocks near each atom: kept, and key[atom] (free since the sort) their number. */
static int md_list_atoms(struct md *m, struct md_worker *w, size_t b0, size_t b1)
{
    size_t lanes = (size_t)m->lanes, entry = 0;
    w->nkept = 0;
    for (size_t b = b0; b < b1; b++) {
        size_t i0 = b * lanes, i1 = i0 + lanes < m->n ? i0 + lanes : m->n, n = m->count[b];
        if (md_grow(&w->kept, &w->kept_room, w->nkept, lanes * n + 1) != 0)
            return -1;
        w->nkept += SIMD_PICK(md_rows_prune)(&m->rows, i0, i1, w->found + entry, n, m->list_rl2,
                                             w->kept + w->nkept, m->key + i0);
        entry += n;
    }
    return 0;
}

/* Equal shares of the work of all rows: blocks listed, and two for the row itself. */
static void md_list_share(struct md *m)
{
    size_t n = m->n, lanes = (size_t)m->lanes, t = 0;
    int shift = m->rows.shift;
    double total = 0.0, sum = 0.0;
    for (size_t b = 0; b < m->nblocks; b++)
        for (size_t i = b * lanes; i < (b + 1) * lanes && i < n; i += (size_t)1 << shift)
            total += (double)(((size_t)1 << shift) * (m->rows.end[i >> shift] - m->rows.begin[i >> shift] + 2));
    for (size_t b = 0; b < m->nblocks; b++) {
        while (t < (size_t)m->threads && sum >= total * (double)t / m->threads)
            m->row_from[t++] = b * lanes;
        for (size_t i = b * lanes; i < (b + 1) * lanes && i < n; i += (size_t)1 << shift)
            sum += (double)(((size_t)1 << shift) * (m->rows.end[i >> shift] - m->rows.begin[i >> shift] + 2));
    }
    while (t <= (size_t)m->threads)
        m->row_from[t++] = n;
}

/* Which segments of its force array each thread will touch. */
static void md_list_segments(struct md *m)
{
    size_t per = MD_SEGMENT / (size_t)m->lanes;
#pragma omp parallel for num_threads(m->threads) schedule(static)
    for (int t = 0; t < m->threads; t++) {
        unsigned char *seg = m->worker[t].seg;
        memset(seg, m->method == MD_ALL_PAIRS, m->nsegments);
        for (size_t i = m->row_from[t]; i < m->row_from[t + 1] && m->method != MD_ALL_PAIRS; i++) {
            seg[i / MD_SEGMENT] = 1;
            if (i & (((size_t)1 << m->rows.shift) - 1))
                continue;
            size_t k = i >> m->rows.shift;
            for (size_t e = m->rows.begin[k]; e < m->rows.end[k]; e++)
                seg[m->rows.list[e] / per] = 1;
        }
    }
}

/* One list out of the workers' parts, with begin[] over all rows. */
static int md_list_gather(struct md *m, bool atoms)
{
    size_t lanes = (size_t)m->lanes, total = 0, units = atoms ? m->n : m->nblocks;
    const uint32_t *count = atoms ? m->key : m->count;
    for (int t = 0; t < m->threads; t++)
        total += atoms ? m->worker[t].nkept : m->worker[t].nfound;
    if (md_grow(&m->list, &m->list_room, 0, total + 1) != 0)
        return md_fail(m, 3, "out of memory for a neighbour list of %zu entries", total);
    size_t at = 0;
    for (int t = 0; t < m->threads; t++) {
        struct md_worker *w = &m->worker[t];
        size_t b0 = md_share(m->nblocks, t, m->threads, 1), b1 = md_share(m->nblocks, t + 1, m->threads, 1);
        size_t u0 = atoms ? b0 * lanes : b0, u1 = atoms ? b1 * lanes : b1, nlist = atoms ? w->nkept : w->nfound;
        memcpy(m->list + at, atoms ? w->kept : w->found, nlist * sizeof *m->list);
        for (size_t u = u0; u < u1 && u < units; u++) {
            m->begin[u] = at;
            at += count[u];
        }
    }
    m->begin[units] = at;
    m->rows.list = m->list;
    m->rows.begin = m->begin;
    m->rows.end = m->begin + 1;
    m->rows.shift = atoms ? 0 : m->shift;
    return 0;
}

int md_list_build(struct md *m)
{
    bool atoms = m->method == MD_VERLET;
    int bad = 0;
    md_space_sort(m);
    md_space_bound(m);
#pragma omp parallel num_threads(m->threads) reduction(| : bad) if (m->n > 1024)
    for (int t = omp_get_thread_num(); t < m->threads; t += omp_get_num_threads()) {
        size_t b0 = md_share(m->nblocks, t, m->threads, 1), b1 = md_share(m->nblocks, t + 1, m->threads, 1);
        bad |= md_list_blocks(m, &m->worker[t], b0, b1) != 0;
        if (!bad && atoms)
            bad |= md_list_atoms(m, &m->worker[t], b0, b1) != 0;
    }
    if (bad)
        return md_fail(m, 3, "out of memory for a neighbour list of %zu atoms", m->n);
    if (md_list_gather(m, atoms) != 0)
        return -1;
    md_list_share(m);
    md_list_segments(m);
    m->builds++;
    return 0;
}

int md_list_all(struct md *m)
{
    if (md_grow(&m->list, &m->list_room, 0, m->nblocks) != 0)
        return md_fail(m, 3, "out of memory for %zu atoms", m->n);
    md_space_sort(m);
    for (size_t b = 0; b < m->nblocks; b++) {
        m->list[b] = (uint32_t)b;
        m->begin[b] = b;
    }
    m->begin[m->nblocks] = m->nblocks;
    m->rows.list = m->list;
    m->rows.begin = m->begin + 1; /* blocks b + 1 ... of row block b */
    m->rows.end = m->all_end;
    m->rows.shift = m->shift;
    md_list_share(m);
    md_list_segments(m);
    return 0;
}
