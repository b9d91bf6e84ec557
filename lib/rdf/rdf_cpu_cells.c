/* SPDX-License-Identifier: MIT */
/* rdf_cpu_cells.c: the CPU engine where rmax is short: only atoms in cells within reach. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf_cpu.h"

static void coordinates(const struct rdf *r, void *const xyz[3], size_t k, double out[3])
{
    for (int a = 0; a < 3; a++)
        out[a] = r->real == sizeof(float) ? (double)((const float *)xyz[a])[k]
                                          : ((const double *)xyz[a])[k];
}

void rdf_cpu_cells_free(struct rdf *r)
{
    for (int k = 0; k < 2; k++) {
        free(r->sorted[k].x);
        free(r->sorted[k].y);
        free(r->sorted[k].z);
        free(r->sorted[k].start);
        memset(&r->sorted[k], 0, sizeof r->sorted[k]);
    }
    free(r->cell_of);
    r->cell_of = NULL;
}

static int sorted_reserve(struct rdf *r, struct rdf_sorted *s, size_t ncells)
{
    size_t bytes = r->p.natoms * r->real + 64;
    if (!s->x) {
        s->x = malloc(bytes);
        s->y = malloc(bytes);
        s->z = malloc(bytes);
    }
    if (!r->cell_of)
        r->cell_of = malloc(r->p.natoms * sizeof *r->cell_of + 1);
    free(s->start);
    s->start = calloc(ncells + 2, sizeof *s->start);
    return s->x && s->y && s->z && s->start && r->cell_of ? 0 : -1;
}

/* Counting sort of atoms [from, to) of a frame into the cells of g. */
static int sort_set(struct rdf *r, struct rdf_sorted *s, const struct rdf_grid *g,
                    const struct rdf_frame *f, size_t from, size_t to)
{
    void *const src[3] = {f->x, f->y, f->z};
    if (sorted_reserve(r, s, g->ncells) != 0)
        return -1;
    void *const dst[3] = {s->x, s->y, s->z};
#pragma omp parallel for schedule(static) num_threads(r->p.threads)
    for (size_t k = from; k < to; k++) {
        double at[3];
        coordinates(r, src, k, at);
        r->cell_of[k] = (uint32_t)rdf_grid_cell(g, &f->geo, at);
    }
    for (size_t k = from; k < to; k++)
        s->start[r->cell_of[k] + 2]++;
    for (size_t c = 0; c < g->ncells; c++)
        s->start[c + 2] += s->start[c + 1];
    for (size_t k = from; k < to; k++) {
        size_t d = s->start[r->cell_of[k] + 1]++;
        for (int a = 0; a < 3; a++)
            if (r->real == sizeof(float))
                ((float *)dst[a])[d] = ((const float *)src[a])[k];
            else
                ((double *)dst[a])[d] = ((const double *)src[a])[k];
    }
    return 0;
}

static int gather_reserve(struct rdf *r, struct rdf_worker *w, size_t n)
{
    if (n <= w->room)
        return 0;
    w->room = 0;
    for (int a = 0; a < 3; a++) {
        free(w->gather[a]);
        w->gather[a] = malloc(2 * n * r->real + 64);
        if (!w->gather[a])
            return -1;
    }
    w->room = 2 * n;
    return 0;
}

/* All pairs of the atoms in cell c of set a with those in reach: of the same set forward only, of
 * another all. */
static int count_cell(struct rdf *r, struct rdf_worker *w, const struct rdf_frame *f,
                      const struct rdf_grid *g, size_t c, int like, uint64_t *counts)
{
    const struct rdf_sorted *sa = &r->sorted[0], *sb = &r->sorted[like ? 0 : 1];
    size_t range[2 * RDF_MAX_ROWS], n = 0;
    if (sa->start[c] == sa->start[c + 1])
        return 0;
    int rows = rdf_grid_rows(g, &f->geo, sb->start, c, like, range);
    for (int k = 0; k < rows; k++)
        n += range[2 * k + 1] - range[2 * k];
    if (gather_reserve(r, w, n) != 0)
        return -1;
    void *const src[3] = {sb->x, sb->y, sb->z}, *const own[3] = {sa->x, sa->y, sa->z};
    for (int a = 0; a < 3; a++) {
        char *to = w->gather[a];
        for (int k = 0; k < rows; k++) {
            size_t bytes = (range[2 * k + 1] - range[2 * k]) * r->real;
            memcpy(to, (const char *)src[a] + range[2 * k] * r->real, bytes);
            to += bytes;
        }
    }
    struct rdf_tile t = {
        &f->geo, rdf_cpu_list(r, own, sa->start[c], sa->start[c + 1]), {0}, 0, w->hist, r->stride};
    t.j = rdf_cpu_list(r, w->gather, 0, n);
    rdf_cpu_tile(r, w, &t, counts);
    if (like) {
        t.j = t.i;
        t.triangle = 1;
        rdf_cpu_tile(r, w, &t, counts);
    }
    return 0;
}

int rdf_cpu_cells(struct rdf *r, const struct rdf_frame *f, size_t q, uint64_t *counts)
{
    struct rdf_grid g;
    size_t a[2], b[2];
    double cost = 0.0;
    int like = r->pairs[q].a == r->pairs[q].b, bad = 0;
    rdf_ranges(&r->pairs[q], r->begin, r->p.natoms, a, b);
    size_t na = a[1] - a[0], nb = b[1] - b[0];
    if (na == 0 || nb == 0 || !rdf_grid_choose(&g, &f->geo, na > nb ? na : nb, &cost))
        return 0;
    if (r->p.algorithm == RDF_AUTO && cost > (like ? 0.5 : 1.0) * (double)na * (double)nb)
        return 0;
    if (sort_set(r, &r->sorted[0], &g, f, a[0], a[1]) != 0 ||
        (!like && sort_set(r, &r->sorted[1], &g, f, b[0], b[1]) != 0))
        return -1;
#pragma omp parallel num_threads(r->p.threads)
    {
        struct rdf_worker *w = r->worker + omp_get_thread_num();
#pragma omp for schedule(dynamic, 64) reduction(| : bad)
        for (size_t c = 0; c < g.ncells; c++)
            bad |= count_cell(r, w, f, &g, c, like, counts) != 0;
        rdf_cpu_flush(r, w, counts);
    }
    return bad ? -1 : 1;
}
