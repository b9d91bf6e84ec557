/* SPDX-License-Identifier: MIT */
/* rdf_gpu.cu: the CUDA engine of rdf.h: buffers, streams, which kernel for which frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf_gpu_engine.h"

extern "C" const char *rdf_engine_name(void)
{
    return gpu_name(0);
}

extern "C" int rdf_probe(const char *devices, char *err, size_t errlen)
{
    struct err e = {};
    int n = gpu_probe(devices, NULL, &e);
    snprintf(err, errlen, "%s", e.text);
    return n < 0 ? -1 : 0;
}

/* Send the first bytes of a pinned buffer; *turn says which device buffer has them. The work stream
 * waits for it. */
static int send(struct rdf *r, struct rdf_device *d, const void *pos, size_t bytes, int *turn)
{
    struct err *e = &r->e;
    void *host = gpu_pair_next(e, &d->in);
    if (!host)
        return -1;
    *turn = d->in.turn;
    rdf_copy(host, pos, bytes, r->p.threads < 8 ? r->p.threads : 8);
    if (TRY(e, cudaStreamWaitEvent(d->copy, d->used[*turn], 0)))
        return -1;
    if (gpu_pair_copy(e, &d->in, d->d_in[*turn], bytes, d->copy))
        return -1;
    return TRY(e, cudaStreamWaitEvent(d->work, d->in.copied[*turn], 0));
}

static void geometry(const struct rdf *r, struct hist_frame *f, const void *pos,
                     const struct box *b)
{
    double lo[3] = {0.0}, hi[3] = {0.0};
    int f32 = r->p.dtype == FRAME_F32;
    if (!b->pbc[0] || !b->pbc[1] || !b->pbc[2])
        hist_bounds(r->p.natoms, f32, pos, lo, hi);
    hist_frame_init(f, b, (int)r->p.bins, r->p.rmax, f32, lo, hi);
}

/* Side s (species, or all) as boxes of supers. */
static struct rdf_bounds supers_of(const struct rdf *r, const struct rdf_device *d, int s)
{
    size_t at = (size_t)d->super_places * (size_t)(s == RDF_EVERY ? r->p.nspecies : s);
    struct rdf_bounds b = {d->sorted.super.lo + at, d->sorted.super.hi + at};
    return b;
}

static struct rdf_bounds offset(struct rdf_bounds b, size_t at)
{
    struct rdf_bounds c = {b.lo + at, b.hi + at};
    return c;
}

/* Wrap, sort, pad and box a frame on a device. */
static int sort_frame(struct rdf *r, struct rdf_device *d, const struct hist_frame *f,
                      const void *d_pos)
{
    struct err *e = &r->e;
    int f32 = r->p.dtype == FRAME_F32, n = r->p.nspecies;
    uint32_t atoms = (uint32_t)r->p.natoms;
    if (rdf_gpu_place(e, f, f32, d_pos, d->d_species, r->species_bits, atoms, d->d_placed,
                      d->d_key[0], d->d_index[0], d->work) ||
        rdf_gpu_sort(e, d->d_scratch, d->scratch, d->d_key, d->d_index, atoms,
                     rdf_gpu_key_bits(atoms, r->species_bits), d->work) ||
        rdf_gpu_gather(e, f32, d->d_placed, d->d_index[1], r->set, n, &d->sorted, d->work) ||
        rdf_gpu_bounds(e, d->sorted.cluster, d->sorted.places / RDF_CLUSTER, 4, d->sorted.group,
                       d->work))
        return -1;
    for (int s = RDF_EVERY; s < n; s++) {
        const struct rdf_set *set = &r->set[s == RDF_EVERY ? n : s];
        uint32_t clusters = rdf_round_up(set->atoms, RDF_GROUP) / RDF_CLUSTER;
        if (clusters && rdf_gpu_bounds(e, offset(d->sorted.cluster, set->first / RDF_CLUSTER),
                                       clusters, 32, supers_of(r, d, s), d->work))
            return -1;
    }
    return 0;
}

/* Fraction of all pairs that rmax reaches, about. */
static double reached(const struct hist_frame *f)
{
    double v = box_volume(&f->box) * f->scale * f->scale * f->scale, n = f->bins;
    double x = v > 0.0 ? 4.2 * n * n * n / v : 1.0;
    return x < 1.0 ? x : 1.0;
}

static int count_pair(struct rdf *r, struct rdf_device *d, int rank, const struct hist_frame *f,
                      size_t q, size_t slot)
{
    struct rdf_pair pair = r->pairs[q];
    const struct rdf_set *a = &r->set[pair.a == RDF_EVERY ? r->p.nspecies : pair.a];
    const struct rdf_set *b = &r->set[pair.b == RDF_EVERY ? r->p.nspecies : pair.b];
    size_t vec = 4 * r->real;
    struct rdf_pass p;
    memset(&p, 0, sizeof p);
    p.atom_i = (const char *)d->sorted.atom + a->first * vec;
    p.atom_j = (const char *)d->sorted.atom + b->first * vec;
    p.group = offset(d->sorted.group, a->first / RDF_GROUP);
    p.cluster = offset(d->sorted.cluster, b->first / RDF_CLUSTER);
    p.super = supers_of(r, d, pair.b);
    p.groups = rdf_round_up(a->atoms, RDF_GROUP) / RDF_GROUP;
    p.clusters = rdf_round_up(b->atoms, RDF_GROUP) / RDF_CLUSTER;
    p.supers = (p.clusters + 31) / 32;
    p.like = pair.a == pair.b;
    p.device = (uint32_t)rank;
    p.devices = (uint32_t)r->ndevices;
    if (!p.groups || !p.clusters)
        return 0;
    /* enough units to keep every warp busy to the end, few enough that taking one costs nothing */
    double part = reached(f),
           units = (double)p.groups * p.supers * part / ((double)d->sms * 32 * 12);
    double chunk = part < 0.02 ? p.supers : units < 1.0 ? 1.0 : units > 32.0 ? 32.0 : units;
    p.chunk = (uint32_t)(chunk < p.supers ? chunk : p.supers);
    p.chunks = (p.supers + p.chunk - 1) / p.chunk;
    p.units = (p.groups + p.devices - 1) / p.devices * p.chunks;
    p.next = d->d_next + q;
    p.counts = d->d_counts + (slot * r->p.npairs + q) * r->p.bins;
    p.lanes = d->lanes;
    p.fraction = p.lanes ? 2u + (uint32_t)__builtin_ctz(p.lanes) : 0;
    return rdf_gpu_count(&r->e, f, r->p.dtype == FRAME_F32, &p, d->sms, d->work);
}

/* A large frame: every device sorts it and takes its share of the groups. */
static int push_large(struct rdf *r, const void *pos, const struct box *b, size_t slot)
{
    struct err *e = &r->e;
    struct hist_frame f;
    geometry(r, &f, pos, b);
    for (int k = 0; k < r->ndevices; k++) {
        struct rdf_device *d = &r->device[k];
        int turn;
        if (TRY(e, cudaSetDevice(d->id)))
            return -1;
        if (send(r, d, pos, r->step_bytes, &turn) || sort_frame(r, d, &f, d->d_in[turn]))
            return -1;
        if (TRY(e, cudaEventRecord(d->used[turn], d->work)) ||
            TRY(e, cudaMemsetAsync(d->d_next, 0, r->p.npairs * 4, d->work)))
            return -1;
        for (size_t q = 0; q < r->p.npairs; q++)
            if (count_pair(r, d, k, &f, q, slot))
                return -1;
    }
    return 0;
}

/* Small frames: a batch goes to one device. */
static int push_small(struct rdf *r, struct rdf_device *d, size_t n, const void *pos,
                      const struct box *b, const size_t *slot)
{
    struct err *e = &r->e;
    int turn;
    size_t ngeo = 1;
    for (size_t k = 0; k < n; k++) {
        r->slot[k] = (uint32_t)slot[k];
        if (memcmp(&b[k], &b[0], sizeof *b) != 0 || !b[k].pbc[0] || !b[k].pbc[1] || !b[k].pbc[2])
            ngeo = n;
    }
    for (size_t k = 0; k < ngeo; k++)
        geometry(r, &r->geo[k], (const char *)pos + k * r->step_bytes, &b[k]);
    if (TRY(e, cudaSetDevice(d->id)))
        return -1;
    if (send(r, d, pos, n * r->step_bytes, &turn))
        return -1;
    if (TRY(e, cudaMemcpyAsync(d->d_geo[turn], r->geo, ngeo * sizeof *r->geo,
                               cudaMemcpyHostToDevice, d->work)) ||
        TRY(e, cudaMemcpyAsync(d->d_slot[turn], r->slot, n * 4, cudaMemcpyHostToDevice, d->work)))
        return -1;
    struct rdf_small p = {d->d_in[turn],
                          d->d_geo[turn],
                          d->d_slot[turn],
                          d->d_order,
                          d->d_range,
                          d->d_counts,
                          (uint32_t)n,
                          (uint32_t)r->p.natoms,
                          (uint32_t)r->p.npairs,
                          (uint32_t)r->p.bins,
                          (uint32_t)ngeo,
                          8};
    while (p.lanes > 1 && p.n * 4 * r->real + ((size_t)p.bins + 1) * p.lanes * 4 > 48 * 1024)
        p.lanes /= 2;
    if (rdf_gpu_count_small(e, &p, r->p.dtype == FRAME_F32, !b[0].ortho, d->sms, d->work))
        return -1;
    return TRY(e, cudaEventRecord(d->used[turn], d->work));
}

extern "C" int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const struct box *box,
                        const size_t *slot)
{
    char err[ERR_BYTES];
    if (r->e.status)
        return -1;
    for (size_t s = 0; s < nsteps; s++)
        if (rdf_check_box(&box[s], r->p.rmax, err, sizeof err) != 0)
            return err_set(&r->e, ERR_BAD, "%s", err);
    if (r->p.natoms < 2)
        return 0;
    for (size_t s = 0, turn = 0; s < nsteps; turn++) {
        const void *at = (const char *)pos + s * r->step_bytes;
        size_t n = !r->batch ? 1 : nsteps - s < r->batch ? nsteps - s : r->batch;
        for (size_t k = 1; k < n; k++) /* one kernel takes one kind of cell */
            if (box[s + k].ortho != box[s].ortho)
                n = k;
        if (r->batch
                ? push_small(r, &r->device[turn % (size_t)r->ndevices], n, at, box + s, slot + s)
                : push_large(r, at, box + s, slot[s]))
            return -1;
        s += n;
    }
    return 0;
}

extern "C" int rdf_collect(struct rdf *r, uint64_t *counts)
{
    struct err *e = &r->e;
    size_t n = rdf_gpu_counts_bytes(r) / sizeof *counts;
    for (int k = 0; k < r->ndevices; k++) {
        struct rdf_device *d = &r->device[k];
        if (TRY(e, cudaSetDevice(d->id)) || TRY(e, cudaStreamSynchronize(d->work)) ||
            TRY(e, cudaMemcpy(r->host, d->d_counts, rdf_gpu_counts_bytes(r),
                              cudaMemcpyDeviceToHost)) ||
            TRY(e, cudaMemset(d->d_counts, 0, rdf_gpu_counts_bytes(r))) ||
            TRY(e, cudaDeviceSynchronize()))
            return -1;
        for (size_t i = 0; i < n; i++)
            counts[i] += r->host[i];
    }
    return 0;
}

int rdf_gpu_again(struct rdf *r, const struct box *b, int times, float *ms)
{
    struct err *e = &r->e;
    struct rdf_device *d = &r->device[0];
    struct hist_frame f;
    cudaEvent_t at[2];
    geometry(r, &f, NULL, b);
    if (TRY(e, cudaStreamSynchronize(d->work)) || TRY(e, cudaEventCreate(&at[0])) ||
        TRY(e, cudaEventCreate(&at[1])))
        return -1;
    for (int k = 0; k < times; k++) {
        if (TRY(e, cudaEventRecord(at[0], d->work)))
            return -1;
        if (sort_frame(r, d, &f, d->d_in[d->in.turn ^ 1]))
            return -1;
        if (TRY(e, cudaMemsetAsync(d->d_next, 0, r->p.npairs * 4, d->work)) ||
            TRY(e, cudaEventRecord(at[1], d->work)) || TRY(e, cudaEventSynchronize(at[1])) ||
            TRY(e, cudaEventElapsedTime(&ms[2 * k], at[0], at[1])) ||
            TRY(e, cudaEventRecord(at[0], d->work)))
            return -1;
        for (size_t q = 0; q < r->p.npairs; q++)
            if (count_pair(r, d, 0, &f, q, 0))
                return -1;
        if (TRY(e, cudaEventRecord(at[1], d->work)) || TRY(e, cudaEventSynchronize(at[1])) ||
            TRY(e, cudaEventElapsedTime(&ms[2 * k + 1], at[0], at[1])))
            return -1;
    }
    cudaEventDestroy(at[0]);
    cudaEventDestroy(at[1]);
    return 0;
}

extern "C" const char *rdf_error(const struct rdf *r)
{
    return r->e.text;
}

extern "C" int rdf_error_status(const struct rdf *r)
{
    return r->e.status;
}
