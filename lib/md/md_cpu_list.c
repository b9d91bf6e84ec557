/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "md/md_cpu.h"

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

/* Clusters near each of the rows c0..c1-1: found, and count[row]. */
static int md_list_rows(struct md *m, struct md_worker *w, size_t c0, size_t c1)
{
    w->nfound = 0;
    memset(w->stamp, 0, m->nclusters * sizeof *w->stamp);
    for (size_t c = c0; c < c1; c++) {
        /* Nearly always far too much room, but a thousand entries more cost nothing. */
        size_t most = m->nclusters - c + 1;
        if (md_grow(&w->found, &w->room, w->nfound, most) != 0)
            return -1;
        m->count[c] = (uint32_t)SIMD_PICK(md_near)(&m->space, c, w->stamp, w->found + w->nfound);
        w->nfound += m->count[c];
    }
    return 0;
}

/* Rows to threads: equal numbers of tiles, the row's own and half a tile for its ends included. */
static void md_list_share(struct md *m)
{
    size_t n = m->nclusters, t = 0;
    double total = 1.5 * (double)n, sum = 0.0;
    for (size_t c = 0; c < n; c++)
        total += (double)(m->rows.end[c] - m->rows.begin[c]);
    for (size_t c = 0; c < n; c++) {
        while (t < (size_t)m->threads && sum >= total * (double)t / m->threads)
            m->row_from[t++] = c;
        sum += (double)(m->rows.end[c] - m->rows.begin[c]) + 1.5;
    }
    while (t <= (size_t)m->threads)
        m->row_from[t++] = n;
}

/* Which segments of its force lines each thread will touch. */
static void md_list_segments(struct md *m)
{
    bool all = m->method == MD_ALL_PAIRS;
#pragma omp parallel for num_threads(m->threads) schedule(static) if (m->n > 4096)
    for (int t = 0; t < m->threads; t++) {
        unsigned char *seg = m->worker[t].seg;
        memset(seg, all, m->nsegments);
        for (size_t c = m->row_from[t]; !all && c < m->row_from[t + 1]; c++) {
            seg[c / MD_SEGMENT] = 1;
            for (size_t e = m->rows.begin[c]; e < m->rows.end[c]; e++)
                seg[m->rows.list[e] / MD_SEGMENT] = 1;
        }
    }
}

/* One list out of the workers' parts. */
static int md_list_gather(struct md *m)
{
    size_t total = 0, at = 0;
    for (int t = 0; t < m->threads; t++)
        total += m->worker[t].nfound;
    if (md_grow(&m->list, &m->list_room, 0, total + 1) != 0)
        return md_fail(m, 3, "out of memory for a neighbour list of %zu entries", total);
    for (int t = 0; t < m->threads; t++) {
        if (m->worker[t].nfound == 0)
            continue;
        memcpy(m->list + at, m->worker[t].found, m->worker[t].nfound * sizeof *m->list);
        at += m->worker[t].nfound;
    }
    at = 0;
    for (size_t c = 0; c < m->nclusters; c++) {
        m->begin[c] = at;
        at += m->count[c];
    }
    m->begin[m->nclusters] = at;
    m->rows.list = m->list;
    m->rows.begin = m->begin;
    m->rows.end = m->begin + 1;
    return 0;
}

int md_list_build(struct md *m)
{
    int bad = 0;
    md_space_sort(m);
    m->space.exact = m->method == MD_VERLET;
#pragma omp parallel num_threads(m->threads) reduction(| : bad) if (m->n > 1024)
    for (int t = omp_get_thread_num(); t < m->threads; t += omp_get_num_threads())
        bad |= md_list_rows(m, &m->worker[t], md_share(m->nclusters, t, m->threads, 1),
                            md_share(m->nclusters, t + 1, m->threads, 1)) != 0;
    if (bad)
        return md_fail(m, 3, "out of memory for a neighbour list of %zu atoms", m->n);
    if (md_list_gather(m) != 0)
        return -1;
    md_list_share(m);
    md_list_segments(m);
    m->builds++;
    return 0;
}

int md_list_all(struct md *m)
{
    if (md_grow(&m->list, &m->list_room, 0, m->nclusters) != 0)
        return md_fail(m, 3, "out of memory for %zu atoms", m->n);
    md_space_sort(m);
    for (size_t c = 0; c < m->nclusters; c++) {
        m->list[c] = (uint32_t)c;
        m->begin[c] = c;
    }
    m->begin[m->nclusters] = m->nclusters;
    m->rows.list = m->list;
    m->rows.begin = m->begin + 1; /* clusters c + 1 ... of row c */
    m->rows.end = m->all_end;
    md_list_share(m);
    md_list_segments(m);
    return 0;
}
