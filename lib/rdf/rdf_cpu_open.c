/* SPDX-License-Identifier: MIT */
/* rdf_cpu_open.c: memory of the CPU engine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf_cpu.h"

static int frame_alloc(struct rdf_frame *f, size_t n, size_t real)
{
    f->x = malloc(n * real + 64);
    f->y = malloc(n * real + 64);
    f->z = malloc(n * real + 64);
    return f->x && f->y && f->z ? 0 : -1;
}

static int alloc_all(struct rdf *r)
{
    const struct rdf_params *p = &r->p;
    size_t n = p->natoms, threads = (size_t)p->threads, cells = p->slots * p->npairs * p->bins;
    int whole = n <= WHOLE_FRAMES, bad = 0;
    r->species = malloc(n + 1);
    r->pairs = malloc(p->npairs * sizeof *r->pairs);
    r->order = malloc((n + 1) * sizeof *r->order);
    r->begin = malloc(((size_t)p->nspecies + 1) * sizeof *r->begin);
    r->counts = calloc(cells, sizeof *r->counts);
    r->worker = calloc(threads, sizeof *r->worker);
    if (!r->species || !r->pairs || !r->order || !r->begin || !r->counts || !r->worker)
        return -1;
    for (size_t k = 0; k < threads; k++) {
        r->worker[k].hist = calloc(RDF_COPIES * r->stride, sizeof(uint32_t));
        bad |= !r->worker[k].hist || (whole && frame_alloc(&r->worker[k].frame, n, r->real) != 0);
    }
    return bad || frame_alloc(&r->shared, n, r->real) != 0 ? -1 : 0;
}

/* Bytes that the engine will hold: histograms, counts, and per atom order, positions, sorted
 * copies. */
static double need_bytes(const struct rdf_params *p, size_t stride)
{
    double real = p->dtype == FRAME_F32 ? 4.0 : 8.0;
    return 8.0 * (double)p->slots * (double)p->npairs * (double)p->bins +
           4.0 * RDF_COPIES * (double)stride * p->threads +
           (double)p->natoms * (16.0 + 9.0 * real + 32.0);
}

struct rdf *rdf_open(const struct rdf_params *p, int *status, char *err, size_t errlen)
{
    *status = 2;
    if (rdf_check(p, err, errlen) != 0)
        return NULL;
    *status = 3;
    struct rdf *r = calloc(1, sizeof *r);
    if (r) {
        r->p = *p;
        r->p.threads = p->threads > 0 ? p->threads : 1;
        r->real = p->dtype == FRAME_F32 ? sizeof(float) : sizeof(double);
        r->stride = (RDF_ROWS(p->bins) + 31) / 16 * 16; /* copies begin in different cache lines */
        r->tile = p->dtype == FRAME_F32 ? SIMD_PICK(rdf_tile_f32) : SIMD_PICK(rdf_tile_f64);
    }
    if (r && p->max_mem && need_bytes(&r->p, r->stride) > (double)p->max_mem) {
        snprintf(err, errlen,
                 "%.1f MiB needed for the histograms of %zu blocks, %zu pairs of species, %zu "
                 "bins, %.1f MiB allowed",
                 need_bytes(&r->p, r->stride) / 1048576, p->slots, p->npairs, p->bins,
                 (double)p->max_mem / 1048576);
        rdf_close(r);
        return NULL;
    }
    if (!r || alloc_all(r) != 0) {
        snprintf(err, errlen, "out of memory for %zu histograms of %zu bins", p->slots * p->npairs,
                 p->bins);
        rdf_close(r);
        return NULL;
    }
    if (p->species)
        memcpy(r->species, p->species, p->natoms);
    else
        memset(r->species, 0, p->natoms);
    r->p.species = r->species;
    r->p.pairs = memcpy(r->pairs, p->pairs, p->npairs * sizeof *r->pairs);
    rdf_sort_species(&r->p, r->order, r->begin);
    *status = 0;
    return r;
}

static void frame_free(struct rdf_frame *f)
{
    free(f->x);
    free(f->y);
    free(f->z);
}

void rdf_close(struct rdf *r)
{
    if (!r)
        return;
    for (int k = 0; r->worker && k < r->p.threads; k++) {
        free(r->worker[k].hist);
        frame_free(&r->worker[k].frame);
        for (int a = 0; a < 3; a++)
            free(r->worker[k].gather[a]);
    }
    frame_free(&r->shared);
    rdf_cpu_cells_free(r);
    free(r->worker);
    free(r->species);
    free(r->pairs);
    free(r->order);
    free(r->begin);
    free(r->counts);
    free(r);
}
