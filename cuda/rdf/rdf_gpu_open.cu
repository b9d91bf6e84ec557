/* SPDX-License-Identifier: MIT */
/* rdf_gpu_open.cu: buffers of the CUDA engine: what a run needs on each device, checked before
 * anything is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf_gpu_engine.h"

#define SMALL_BUFFER ((size_t)4 << 20)

size_t rdf_gpu_counts_bytes(const struct rdf *r)
{
    return gpu_mul(gpu_mul(r->p.slots, r->p.npairs),
                   gpu_mul(r->p.bins, sizeof(unsigned long long)));
}

static int alloc_bounds(struct err *e, struct rdf_bounds *b, size_t n)
{
    return gpu_alloc(e, (void **)&b->lo, (n + 1) * sizeof(float4), "bounding boxes") ||
                   gpu_alloc(e, (void **)&b->hi, (n + 1) * sizeof(float4), "bounding boxes")
               ? -1
               : 0;
}

/* Buffers of frames that are sorted. */
static int open_large(struct rdf *r, struct rdf_device *d)
{
    struct err *e = &r->e;
    size_t n = r->p.natoms ? r->p.natoms : 1, vec = 4 * r->real;
    d->sorted.places = r->set[r->p.nspecies].atoms;
    d->super_places = d->sorted.places / RDF_SUPER + 2;
    d->scratch = rdf_gpu_sort_bytes((uint32_t)n);
    if (!d->scratch)
        return err_set(e, ERR_MACHINE, "sorting of %zu atoms cannot be planned", n);
    for (int k = 0; k < 2; k++)
        if (gpu_alloc(e, (void **)&d->d_key[k], n * 4, "sort keys") ||
            gpu_alloc(e, (void **)&d->d_index[k], n * 4, "sort keys"))
            return -1;
    if (gpu_alloc(e, &d->d_placed, n * vec, "positions") ||
        gpu_alloc(e, &d->d_scratch, d->scratch, "sorting") ||
        gpu_alloc(e, &d->sorted.atom, ((size_t)d->sorted.places + RDF_GROUP) * vec,
                  "sorted positions") ||
        alloc_bounds(e, &d->sorted.cluster, d->sorted.places / RDF_CLUSTER) ||
        alloc_bounds(e, &d->sorted.group, d->sorted.places / RDF_GROUP) ||
        alloc_bounds(e, &d->sorted.super, (size_t)d->super_places * (size_t)(r->p.nspecies + 1)) ||
        gpu_alloc(e, (void **)&d->d_next, r->p.npairs * 4, "counters") ||
        gpu_alloc(e, (void **)&d->d_species, n, "species"))
        return -1;
    return TRY(e, cudaMemcpy(d->d_species, r->species, r->p.natoms, cudaMemcpyHostToDevice));
}

/* Buffers of small frames. */
static int open_small(struct rdf *r, struct rdf_device *d)
{
    struct err *e = &r->e;
    size_t n = r->p.natoms ? r->p.natoms : 1;
    struct rdf_small::rdf_range *range =
        (struct rdf_small::rdf_range *)calloc(r->p.npairs, sizeof *range);
    if (!range)
        return err_set(e, ERR_MEMORY, "out of memory");
    for (size_t q = 0; q < r->p.npairs; q++) {
        size_t a[2], b[2];
        rdf_ranges(&r->pairs[q], r->begin, r->p.natoms, a, b);
        struct rdf_small::rdf_range v = {(uint32_t)a[0], (uint32_t)a[1], (uint32_t)b[0],
                                         (uint32_t)b[1], r->pairs[q].a == r->pairs[q].b};
        range[q] = v;
    }
    int rc = gpu_alloc(e, (void **)&d->d_range, r->p.npairs * sizeof *range, "pairs") ||
             gpu_alloc(e, (void **)&d->d_order, n * 4, "order");
    for (int k = 0; k < 2; k++)
        rc = rc || gpu_alloc(e, (void **)&d->d_slot[k], r->batch * 4, "slots") ||
             gpu_alloc(e, (void **)&d->d_geo[k], r->batch * sizeof(struct hist_frame), "cells");
    cudaError_t copied =
        rc ? cudaSuccess
           : cudaMemcpy(d->d_range, range, r->p.npairs * sizeof *range, cudaMemcpyHostToDevice);
    free(range);
    if (rc)
        return -1;
    if (TRY(e, copied) ||
        TRY(e, cudaMemcpy(d->d_order, r->order, r->p.natoms * 4, cudaMemcpyHostToDevice)))
        return -1;
    return 0;
}

static int open_device(struct rdf *r, struct rdf_device *d)
{
    struct err *e = &r->e;
    int v = 0;
    if (TRY(e, cudaSetDevice(d->id)) ||
        TRY(e, cudaDeviceGetAttribute(&d->sms, cudaDevAttrMultiProcessorCount, d->id)) ||
        TRY(e, cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->id)))
        return -1;
    d->shared = (size_t)v;
    d->lanes = rdf_gpu_lanes((uint32_t)r->p.bins, d->shared);
    if (TRY(e, cudaStreamCreateWithFlags(&d->copy, cudaStreamNonBlocking)) ||
        TRY(e, cudaStreamCreateWithFlags(&d->work, cudaStreamNonBlocking)))
        return -1;
    if (gpu_pair_open(e, &d->in, r->buffer))
        return -1;
    for (int k = 0; k < 2; k++) {
        if (gpu_alloc(e, &d->d_in[k], r->buffer, "input buffer"))
            return -1;
        if (TRY(e, cudaEventCreateWithFlags(&d->used[k], cudaEventDisableTiming)))
            return -1;
    }
    if (gpu_alloc(e, (void **)&d->d_counts, rdf_gpu_counts_bytes(r), "histograms"))
        return -1;
    if (TRY(e, cudaMemset(d->d_counts, 0, rdf_gpu_counts_bytes(r))))
        return -1;
    return r->batch ? open_small(r, d) : open_large(r, d);
}

/* Device memory of one device, bytes, roughly. */
static size_t need_bytes(const struct rdf *r)
{
    size_t n = r->p.natoms, vec = 4 * r->real;
    return gpu_add(rdf_gpu_counts_bytes(r),
                   gpu_add(2 * r->buffer, r->batch ? r->batch * 2 * sizeof(struct hist_frame)
                                                   : n * (2 * vec + 28)));
}

/* Do small frames fit: atoms and at least one histogram copy in the shared memory of a block? */
static size_t small_batch(const struct rdf *r)
{
    size_t n = r->p.natoms, bytes = n * 4 * r->real + (r->p.bins + 1) * 4;
    if (n > RDF_SMALL || bytes > 96 * 1024 || r->p.algorithm == RDF_CELLS)
        return 0;
    size_t batch = SMALL_BUFFER / (r->step_bytes ? r->step_bytes : 1);
    return batch < 1 ? 1 : batch > 4096 ? 4096 : batch;
}

static int plan_sets(struct rdf *r)
{
    size_t n = (size_t)r->p.nspecies, places = 0;
    r->set = (struct rdf_set *)calloc(n + 1, sizeof *r->set);
    if (!r->set)
        return err_set(&r->e, ERR_MEMORY, "out of memory");
    for (size_t k = 0; k < n; k++) {
        r->set[k].first = (uint32_t)places;
        r->set[k].atoms = (uint32_t)(r->begin[k + 1] - r->begin[k]);
        places += rdf_round_up(r->set[k].atoms, RDF_GROUP);
    }
    if (places > UINT32_MAX - RDF_SUPER)
        return err_set(&r->e, ERR_BAD, "%zu atoms are more than this engine takes", r->p.natoms);
    r->set[n].atoms = (uint32_t)places;
    while (1 << r->species_bits < r->p.nspecies)
        r->species_bits++;
    return 0;
}

static int open_all(struct rdf *r, const struct rdf_params *p)
{
    int list[GPU_MAX_DEVICES];
    size_t n = p->natoms;
    r->species = (unsigned char *)calloc(n + 1, 1);
    r->pairs = (struct rdf_pair *)malloc(p->npairs * sizeof *r->pairs);
    r->order = (uint32_t *)malloc((n + 1) * sizeof *r->order);
    r->begin = (size_t *)malloc(((size_t)p->nspecies + 1) * sizeof *r->begin);
    r->host = (unsigned long long *)malloc(rdf_gpu_counts_bytes(r));
    if (!r->species || !r->pairs || !r->order || !r->begin || !r->host)
        return err_set(&r->e, ERR_MEMORY, "out of memory for %zu atoms", n);
    if (p->species)
        memcpy(r->species, p->species, n);
    r->p.species = r->species;
    r->p.pairs = (const struct rdf_pair *)memcpy(r->pairs, p->pairs, p->npairs * sizeof *r->pairs);
    rdf_sort_species(&r->p, r->order, r->begin);
    r->real = p->dtype == FRAME_F32 ? sizeof(float) : sizeof(double);
    r->step_bytes = 3 * n * r->real;
    r->batch = small_batch(r);
    r->buffer = r->batch ? (r->batch * r->step_bytes) : r->step_bytes;
    r->buffer = r->buffer ? r->buffer : 16;
    size_t frames = r->batch ? r->batch : 1;
    r->geo = (struct hist_frame *)malloc(frames * sizeof *r->geo);
    r->slot = (uint32_t *)malloc(frames * sizeof *r->slot);
    if (!r->geo || !r->slot)
        return err_set(&r->e, ERR_MEMORY, "out of memory");
    if (plan_sets(r))
        return -1;
    if (p->max_mem && need_bytes(r) > p->max_mem)
        return err_set(&r->e, ERR_MEMORY, "%.1f MiB of GPU memory needed, %.1f MiB allowed",
                       (double)need_bytes(r) / 1048576, (double)p->max_mem / 1048576);
    r->ndevices = gpu_probe(p->devices, list, &r->e);
    if (r->ndevices < 0)
        return -1;
    r->device = (struct rdf_device *)calloc((size_t)r->ndevices, sizeof *r->device);
    if (!r->device)
        return err_set(&r->e, ERR_MEMORY, "out of memory");
    for (int k = 0; k < r->ndevices; k++) {
        r->device[k].id = list[k];
        if (open_device(r, &r->device[k]))
            return -1;
    }
    return 0;
}

extern "C" struct rdf *rdf_open(const struct rdf_params *p, int *status, char *err, size_t errlen)
{
    *status = 2;
    if (rdf_check(p, err, errlen) != 0)
        return NULL;
    struct rdf *r = (struct rdf *)calloc(1, sizeof *r);
    *status = 3;
    if (!r) {
        snprintf(err, errlen, "out of memory");
        return NULL;
    }
    r->p = *p;
    if (open_all(r, p)) {
        snprintf(err, errlen, "%s", r->e.text);
        *status = r->e.status;
        rdf_close(r);
        return NULL;
    }
    *status = 0;
    return r;
}

static void close_device(struct rdf_device *d)
{
    cudaSetDevice(d->id);
    if (d->work)
        cudaStreamSynchronize(d->work);
    gpu_pair_close(&d->in);
    void *all[] = {
        d->d_in[0],           d->d_in[1],         d->d_species,       d->d_placed,
        d->d_scratch,         d->d_key[0],        d->d_key[1],        d->d_index[0],
        d->d_index[1],        d->d_next,          d->sorted.atom,     d->sorted.cluster.lo,
        d->sorted.cluster.hi, d->sorted.group.lo, d->sorted.group.hi, d->sorted.super.lo,
        d->sorted.super.hi,   d->d_order,         d->d_slot[0],       d->d_slot[1],
        d->d_geo[0],          d->d_geo[1],        d->d_range,         d->d_counts};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        cudaFree(all[k]);
    for (int k = 0; k < 2; k++)
        if (d->used[k])
            cudaEventDestroy(d->used[k]);
    if (d->copy)
        cudaStreamDestroy(d->copy);
    if (d->work)
        cudaStreamDestroy(d->work);
}

extern "C" void rdf_close(struct rdf *r)
{
    if (!r)
        return;
    for (int k = 0; r->device && k < r->ndevices; k++)
        close_device(&r->device[k]);
    free(r->device);
    free(r->species);
    free(r->pairs);
    free(r->order);
    free(r->begin);
    free(r->set);
    free(r->host);
    free(r->geo);
    free(r->slot);
    free(r);
}
