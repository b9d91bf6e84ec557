/* SPDX-License-Identifier: MIT */
/* rdf_gpu.cu: the CUDA engine of rdf.h: memory, streams, and the kernel for each frame. */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "rdf/rdf_gpu.h"

#define SMALL_BUFFER ((size_t)4 << 20)
#define OWNED 32

/* One device. Steps arrive through two alternating pairs of pinned and device buffers. */
struct rdf_device {
    int id, sms;
    uint32_t lanes;
    cudaStream_t copy, work;
    struct gpu_pair in;
    void *d_in[2];
    cudaEvent_t used[2];          /* recorded when d_in was read */
    unsigned long long *d_counts; /* [slots][npairs][bins] */
    /* large frames, and those at the later time */
    struct rdf_sorting sorting, late;
    uint32_t *d_next; /* [npairs] */
    /* members for small frames */
    uint32_t *d_order;
    struct rdf_range *d_range;
    void *owned[OWNED]; /* device memory */
    int nowned;
};

struct rdf {
    struct rdf_params p; /* pairs are a copy; species are valid only during rdf_open() */
    struct species_pair *pairs;
    struct rdf_sets sets;
    size_t real, step_bytes, buffer,
        batch; /* number of small frames that fit into the buffer, or 0 for large frames */
    int species_bits, ndevices;
    struct rdf_set *set; /* [nspecies + 1]: the last entry is all places */
    struct rdf_device *device;
    unsigned long long *host; /* counts of one device */
    struct pool *pool;
    struct err err;
};

static size_t counts_bytes(const struct rdf *r, size_t slots)
{
    return gpu_mul(gpu_mul(slots, r->p.npairs), gpu_mul(r->p.bins, sizeof(unsigned long long)));
}

/* ---- counting */

/* Returns the next pinned buffer, starting with `bytes` bytes of positions and, unless late is
 * NULL, as many of the later time. Returns NULL on failure. */
static char *fill(struct rdf *r, struct rdf_device *d, const void *pos, const void *late,
                  size_t bytes)
{
    char *host = (char *)gpu_pair_next(&r->err, &d->in);
    if (host)
        gpu_fill(r->pool, host, pos, bytes);
    if (host && late)
        gpu_fill(r->pool, host + bytes, late, bytes);
    return host;
}

/* Sends the first bytes of b to device buffer *turn. The work stream waits for the copy. */
static int send(struct rdf *r, struct rdf_device *d, size_t bytes, int *turn)
{
    struct err *e = &r->err;
    *turn = d->in.turn;
    return TRY(e, cudaStreamWaitEvent(d->copy, d->used[*turn], 0)) ||
                   gpu_pair_copy(e, &d->in, d->d_in[*turn], bytes, d->copy) ||
                   TRY(e, cudaStreamWaitEvent(d->work, d->in.copied[*turn], 0))
               ? -1
               : 0;
}

static void geometry(const struct rdf *r, struct hist_frame *f, const void *pos, const void *late,
                     const struct box *b)
{
    hist_frame_init(f, b, (int)r->p.bins, r->p.rmax, r->p.dtype == FRAME_F32, r->p.natoms, pos,
                    late);
}

/* Returns the approximate fraction of all pairs within rmax. */
static double reached(const struct hist_frame *f)
{
    double v = box_volume(&f->box) * f->scale * f->scale * f->scale, n = f->bins;
    double x = v > 0.0 ? 4.2 * n * n * n / v : 1.0;
    return x < 1.0 ? x : 1.0;
}

/* Counts set q. The partners are the atoms of `late`. If `order` is 1, the first atoms are from the
 * second species (rdf_sets_order). */
static int count_pair(struct rdf *r, struct rdf_device *d, int rank, const struct hist_frame *f,
                      size_t q, size_t slot, const struct rdf_sorting *late, int order)
{
    struct species_pair pair = r->pairs[q];
    const struct rdf_sorting *s = &d->sorting;
    if (order)
        pair = {pair.b, pair.a};
    if (pair.a == SPECIES_NONE || (order && pair.a == pair.b))
        return 0;
    const struct rdf_set *a = &r->set[pair.a == SPECIES_EVERY ? r->p.nspecies : pair.a];
    const struct rdf_set *b = &r->set[pair.b == SPECIES_EVERY ? r->p.nspecies : pair.b];
    size_t vec = 4 * r->real;
    struct rdf_pass p;
    memset(&p, 0, sizeof p);
    p.atom_i = (const char *)s->atom + a->first * vec;
    p.atom_j = (const char *)late->atom + b->first * vec;
    p.group = rdf_boxes(s->group, a->first / RDF_GROUP);
    p.cluster = rdf_boxes(late->cluster, b->first / RDF_CLUSTER);
    p.super = rdf_supers(late, pair.b == SPECIES_EVERY ? r->p.nspecies : pair.b);
    p.groups = rdf_round_up(a->atoms, RDF_GROUP) / RDF_GROUP;
    p.clusters = rdf_round_up(b->atoms, RDF_GROUP) / RDF_CLUSTER;
    p.supers = (p.clusters + 31) / 32;
    p.like = pair.a == pair.b && late == s;
    p.device = (uint32_t)rank;
    p.devices = (uint32_t)r->ndevices;
    if (!p.groups || !p.clusters)
        return 0;
    /* enough units to keep every warp busy to the end, so few that taking a unit costs nothing */
    double part = reached(f),
           units = (double)p.groups * p.supers * part / ((double)d->sms * 32 * 12);
    double chunk = part < 0.02 ? p.supers : units < 1.0 ? 1.0 : units > 32.0 ? 32.0 : units;
    p.chunk = (uint32_t)(chunk < p.supers ? chunk : p.supers);
    p.chunks = (p.supers + p.chunk - 1) / p.chunk;
    p.units = (p.groups + p.devices - 1) / p.devices * p.chunks;
    p.next = d->d_next + 2 * q + order;
    p.counts = d->d_counts + (slot * r->p.npairs + q) * r->p.bins;
    p.lanes = d->lanes;
    p.fraction = p.lanes ? 2u + (uint32_t)__builtin_ctz(p.lanes) : 0;
    return rdf_gpu_count(&r->err, f, r->p.dtype == FRAME_F32, &p, d->sms, d->work);
}

/* Counts one or two large frames. Every device sorts them and takes some of the groups. */
static int push_large(struct rdf *r, const void *pos, const void *late, const struct box *b,
                      size_t slot)
{
    struct err *e = &r->err;
    struct hist_frame f;
    geometry(r, &f, pos, late, b);
    for (int k = 0; k < r->ndevices; k++) {
        struct rdf_device *d = &r->device[k];
        int turn;
        if (TRY(e, cudaSetDevice(d->id)) || !fill(r, d, pos, late, r->step_bytes) ||
            send(r, d, (late ? 2 : 1) * r->step_bytes, &turn) ||
            rdf_gpu_sort(e, &f, d->d_in[turn], &d->sorting, d->work) ||
            (late &&
             rdf_gpu_sort(e, &f, (const char *)d->d_in[turn] + r->step_bytes, &d->late, d->work)) ||
            TRY(e, cudaEventRecord(d->used[turn], d->work)) ||
            TRY(e, cudaMemsetAsync(d->d_next, 0, r->p.npairs * 8, d->work)))
            return -1;
        for (size_t q = 0; q < r->p.npairs; q++)
            for (int order = 0; order < (late ? 2 : 1); order++)
                if (count_pair(r, d, k, &f, q, slot, late ? &d->late : &d->sorting, order))
                    return -1;
    }
    return 0;
}

/* Offsets of the slots and cells of n small frames after their positions, and end of ngeo cells.
 * All are sent in one copy, because a copy from pageable memory waits for earlier kernels. */
struct small_places {
    size_t slot, geo, end;
};

static struct small_places small_places(const struct rdf *r, size_t n, size_t ngeo, bool late)
{
    struct small_places p;
    p.slot = ((late ? 2 : 1) * n * r->step_bytes + 15) / 16 * 16;
    p.geo = p.slot + (4 * n + 15) / 16 * 16;
    p.end = p.geo + ngeo * sizeof(struct hist_frame);
    return p;
}

/* Counts small frames. Each batch of frames is sent to one device. */
static int push_small(struct rdf *r, struct rdf_device *d, size_t n, const void *pos,
                      const void *late, const struct box *b, const size_t *slot)
{
    struct err *e = &r->err;
    int turn;
    size_t ngeo = 1;
    for (size_t k = 0; k < n && ngeo == 1; k++)
        if (memcmp(&b[k], &b[0], sizeof *b) != 0 || !b[k].pbc[0] || !b[k].pbc[1] || !b[k].pbc[2])
            ngeo = n;
    struct small_places at = small_places(r, n, ngeo, late);
    char *host = TRY(e, cudaSetDevice(d->id)) ? NULL : fill(r, d, pos, late, n * r->step_bytes);
    if (!host)
        return -1;
    for (size_t k = 0; k < n; k++)
        ((uint32_t *)(host + at.slot))[k] = (uint32_t)slot[k];
    for (size_t k = 0; k < ngeo; k++)
        geometry(r, (struct hist_frame *)(host + at.geo) + k, (const char *)pos + k * r->step_bytes,
                 late ? (const char *)late + k * r->step_bytes : NULL, &b[k]);
    if (send(r, d, at.end, &turn))
        return -1;
    const char *in = (const char *)d->d_in[turn];
    struct rdf_small p = {in,
                          late ? in + n * r->step_bytes : NULL,
                          (const struct hist_frame *)(in + at.geo),
                          (const uint32_t *)(in + at.slot),
                          d->d_order,
                          d->d_range,
                          d->d_counts,
                          (uint32_t)n,
                          (uint32_t)r->p.natoms,
                          (uint32_t)r->p.npairs,
                          (uint32_t)r->p.bins,
                          (uint32_t)ngeo,
                          8};
    while (p.lanes > 1 &&
           (late ? 2 : 1) * p.n * 4 * r->real + ((size_t)p.bins + 1) * p.lanes * 4 > 48 * 1024)
        p.lanes /= 2;
    if (rdf_gpu_count_small(e, &p, r->p.dtype == FRAME_F32, !b[0].ortho, d->sms, d->work))
        return -1;
    return TRY(e, cudaEventRecord(d->used[turn], d->work));
}

extern "C" int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const void *late,
                        const struct box *box, const size_t *slot)
{
    if (r->err.status)
        return -1;
    for (size_t s = 0; s < nsteps; s++)
        if ((s == 0 || memcmp(&box[s], &box[s - 1], sizeof *box) != 0) &&
            rdf_check_box(&box[s], r->p.rmax, &r->err) != 0)
            return -1;
    if (r->p.natoms < 2)
        return 0;
    for (size_t s = 0, turn = 0; s < nsteps; turn++) {
        const void *at = (const char *)pos + s * r->step_bytes,
                   *then = late ? (const char *)late + s * r->step_bytes : NULL;
        size_t n = !r->batch ? 1 : nsteps - s < r->batch ? nsteps - s : r->batch;
        for (size_t k = 1; k < n; k++) /* one kernel takes one kind of cell */
            if (box[s + k].ortho != box[s].ortho)
                n = k;
        if (r->batch ? push_small(r, &r->device[turn % (size_t)r->ndevices], n, at, then, box + s,
                                  slot + s)
                     : push_large(r, at, then, box + s, slot[s]))
            return -1;
        s += n;
    }
    return 0;
}

extern "C" int rdf_collect(struct rdf *r, uint64_t *counts, size_t slots)
{
    struct err *e = &r->err;
    size_t bytes = counts_bytes(r, slots);
    for (int k = 0; k < r->ndevices; k++) {
        struct rdf_device *d = &r->device[k];
        if (TRY(e, cudaSetDevice(d->id)) || TRY(e, cudaStreamSynchronize(d->work)) ||
            TRY(e, cudaMemcpy(r->host, d->d_counts, bytes, cudaMemcpyDeviceToHost)) ||
            TRY(e, cudaMemset(d->d_counts, 0, bytes)) || TRY(e, cudaDeviceSynchronize()))
            return -1;
        for (size_t i = 0; i < bytes / sizeof *counts; i++)
            counts[i] += r->host[i];
    }
    return 0;
}

extern "C" const struct err *rdf_error(const struct rdf *r)
{
    return &r->err;
}

/* ---- memory: what a run needs on each device, checked before anything is read */

/* Allocates device memory that lives as long as d. *p is a pointer of any type. */
static int own(struct rdf *r, struct rdf_device *d, void *p, size_t bytes, const char *what)
{
    if (gpu_alloc(&r->err, (void **)p, bytes, what))
        return -1;
    d->owned[d->nowned++] = *(void **)p;
    return 0;
}

static int own_bounds(struct rdf *r, struct rdf_device *d, struct rdf_bounds *b, size_t n)
{
    return own(r, d, &b->lo, (n + 1) * sizeof(float4), "bounding boxes") ||
                   own(r, d, &b->hi, (n + 1) * sizeof(float4), "bounding boxes")
               ? -1
               : 0;
}

/* Allocates the buffers of frames that are sorted. */
static int open_large(struct rdf *r, struct rdf_device *d)
{
    struct rdf_sorting *s = &d->sorting;
    size_t n = r->p.natoms ? r->p.natoms : 1, vec = 4 * r->real;
    s->f32 = r->p.dtype == FRAME_F32;
    s->atoms = (uint32_t)r->p.natoms;
    s->set = r->set;
    s->nsets = r->p.nspecies;
    s->species_bits = r->species_bits;
    s->places = r->set[r->p.nspecies].atoms;
    s->super_places = s->places / RDF_SUPER + 2;
    s->scratch = rdf_gpu_scratch_bytes((uint32_t)n);
    if (!s->scratch)
        return err_set(&r->err, ERR_MACHINE, "cannot plan the sorting of %zu atoms", n);
    for (int k = 0; k < 2; k++)
        if (own(r, d, &s->d_key[k], n * 4, "sort keys") ||
            own(r, d, &s->d_index[k], n * 4, "sort keys"))
            return -1;
    if (own(r, d, &s->d_placed, n * vec, "positions") ||
        own(r, d, &s->d_scratch, s->scratch, "sorting") ||
        own(r, d, &d->d_next, r->p.npairs * 8, "counters") ||
        own(r, d, &s->d_species, n, "species"))
        return -1;
    d->late = *s;
    for (int k = 0; k < (r->p.lags ? 2 : 1); k++) {
        struct rdf_sorting *t = k ? &d->late : s;
        if (own(r, d, &t->atom, ((size_t)s->places + RDF_GROUP) * vec, "sorted positions") ||
            own_bounds(r, d, &t->cluster, s->places / RDF_CLUSTER) ||
            own_bounds(r, d, &t->group, s->places / RDF_GROUP) ||
            own_bounds(r, d, &t->super, (size_t)s->super_places * (size_t)(s->nsets + 1)))
            return -1;
    }
    return r->p.species ? TRY(&r->err, cudaMemcpy(s->d_species, r->p.species, r->p.natoms,
                                                  cudaMemcpyHostToDevice))
                        : 0;
}

/* Allocates the buffers of small frames. */
static int open_small(struct rdf *r, struct rdf_device *d)
{
    struct err *e = &r->err;
    size_t n = r->p.natoms ? r->p.natoms : 1, ranges = r->p.npairs * sizeof *d->d_range;
    if (own(r, d, &d->d_range, ranges, "pairs") || own(r, d, &d->d_order, n * 4, "order"))
        return -1;
    return TRY(e, cudaMemcpy(d->d_range, r->sets.range, ranges, cudaMemcpyHostToDevice)) ||
                   TRY(e, cudaMemcpy(d->d_order, r->sets.order, r->p.natoms * 4,
                                     cudaMemcpyHostToDevice)) ||
                   TRY(e, cudaStreamSynchronize(0)) /* complete before non-blocking streams use
                                                       it */
               ? -1
               : 0;
}

static int open_device(struct rdf *r, struct rdf_device *d)
{
    struct err *e = &r->err;
    int shared = 0;
    if (TRY(e, cudaSetDevice(d->id)) ||
        TRY(e, cudaDeviceGetAttribute(&d->sms, cudaDevAttrMultiProcessorCount, d->id)) ||
        TRY(e, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->id)) ||
        TRY(e, cudaStreamCreateWithFlags(&d->copy, cudaStreamNonBlocking)) ||
        TRY(e, cudaStreamCreateWithFlags(&d->work, cudaStreamNonBlocking)) ||
        gpu_pair_open(e, &d->in, r->buffer))
        return -1;
    d->lanes = rdf_gpu_lanes((uint32_t)r->p.bins, (size_t)shared);
    for (int k = 0; k < 2; k++)
        if (own(r, d, &d->d_in[k], r->buffer, "input buffer") ||
            TRY(e, cudaEventCreateWithFlags(&d->used[k], cudaEventDisableTiming)))
            return -1;
    if (own(r, d, &d->d_counts, counts_bytes(r, r->p.slots), "histograms") ||
        TRY(e, cudaMemset(d->d_counts, 0, counts_bytes(r, r->p.slots))))
        return -1;
    return r->batch ? open_small(r, d) : open_large(r, d);
}

/* Returns the approximate memory on one device in bytes. */
static size_t need_bytes(const struct rdf *r)
{
    size_t n = r->p.natoms, vec = 4 * r->real;
    return gpu_add(counts_bytes(r, r->p.slots),
                   gpu_add(2 * r->buffer, r->batch ? 0 : n * ((r->p.lags ? 3 : 2) * vec + 28)));
}

/* Returns whether the atoms of small frames and at least one histogram copy fit into the shared
 * memory of a block. */
static size_t small_batch(const struct rdf *r)
{
    size_t n = r->p.natoms, bytes = (r->p.lags ? 2 : 1) * n * 4 * r->real + (r->p.bins + 1) * 4;
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
        return err_set(&r->err, ERR_MEMORY, "out of memory");
    for (size_t k = 0; k < n; k++) {
        r->set[k].first = (uint32_t)places;
        r->set[k].atoms = r->sets.begin[k + 1] - r->sets.begin[k];
        places += rdf_round_up(r->set[k].atoms, RDF_GROUP);
    }
    if (places > UINT32_MAX - RDF_SUPER)
        return err_bad(&r->err, "%zu atoms are more than this engine supports", r->p.natoms);
    r->set[n].atoms = (uint32_t)places;
    while (1 << r->species_bits < r->p.nspecies)
        r->species_bits++;
    return 0;
}

static int open_all(struct rdf *r)
{
    const struct rdf_params *p = &r->p;
    int list[GPU_MAX_DEVICES];
    r->real = p->dtype == FRAME_F32 ? sizeof(float) : sizeof(double);
    r->step_bytes = 3 * p->natoms * r->real;
    r->batch = small_batch(r);
    r->buffer = r->batch        ? small_places(r, r->batch, r->batch, p->lags).end
                : r->step_bytes ? (p->lags ? 2 : 1) * r->step_bytes
                                : 16;
    r->pairs = (struct species_pair *)malloc(p->npairs * sizeof *r->pairs);
    r->host = (unsigned long long *)malloc(counts_bytes(r, p->slots));
    if (!r->pairs || !r->host || rdf_sets_open(&r->sets, p) != 0)
        return err_set(&r->err, ERR_MEMORY, "out of memory for %zu atoms", p->natoms);
    r->p.pairs =
        (const struct species_pair *)memcpy(r->pairs, p->pairs, p->npairs * sizeof *r->pairs);
    r->pool = pool_new(p->threads < GPU_COPY_THREADS ? p->threads : GPU_COPY_THREADS);
    if (plan_sets(r))
        return -1;
    if (err_over(&r->err, (double)need_bytes(r), p->max_mem, "fewer --bins or --blocks",
                 "histograms on the GPU"))
        return -1;
    r->ndevices = gpu_probe(p->devices, list, &r->err);
    if (r->ndevices < 0)
        return -1;
    r->device = (struct rdf_device *)calloc((size_t)r->ndevices, sizeof *r->device);
    if (!r->device)
        return err_set(&r->err, ERR_MEMORY, "out of memory");
    for (int k = 0; k < r->ndevices; k++) {
        r->device[k].id = list[k];
        if (open_device(r, &r->device[k]))
            return -1;
    }
    r->p.species = NULL; /* this array belongs to the caller */
    return 0;
}

extern "C" struct rdf *rdf_open(const struct rdf_params *p, struct err *e)
{
    if (rdf_check(p, e) != 0)
        return NULL;
    struct rdf *r = (struct rdf *)calloc(1, sizeof *r);
    if (!r) {
        err_set(e, ERR_MEMORY, "out of memory");
        return NULL;
    }
    r->p = *p;
    if (open_all(r) == 0)
        return r;
    *e = r->err;
    rdf_close(r);
    return NULL;
}

static void close_device(struct rdf_device *d)
{
    cudaSetDevice(d->id);
    if (d->work)
        cudaStreamSynchronize(d->work);
    gpu_pair_close(&d->in);
    for (int k = 0; k < d->nowned; k++)
        cudaFree(d->owned[k]);
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
    free(r->pairs);
    rdf_sets_close(&r->sets);
    free(r->set);
    free(r->host);
    pool_free(r->pool);
    free(r);
}
