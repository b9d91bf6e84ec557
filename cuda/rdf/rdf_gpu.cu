/* SPDX-License-Identifier: MIT */
/* rdf_gpu.cu: the CUDA engine of rdf.h: memory, streams, and the kernels for batches of frames. */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "rdf/rdf_gpu.h"

#define BATCH_BYTES ((size_t)4 << 20)  /* largest size of the positions of several frames */
#define BATCH_PLACES ((size_t)1 << 20) /* largest number of their atoms, with padding */
#define OWNED 32

/* One device. Batches arrive through two alternating pairs of pinned and device buffers. */
struct rdf_device {
    int id, sms;
    uint32_t lanes;
    cudaStream_t copy, work;
    struct gpu_pair in;
    char *host; /* pinned buffer of the frames that are held */
    void *d_in[2];
    cudaEvent_t used[2];          /* recorded when d_in was read */
    unsigned long long *d_counts; /* [slots][npairs][bins] */
    /* members for frames that are sorted */
    struct rdf_sorting sorting;
    uint32_t *d_next; /* [npairs][2] */
    /* members for frames that are not sorted */
    uint32_t *d_order;
    struct rdf_range *d_range;
    void *owned[OWNED]; /* device memory */
    int nowned;
};

/* The n frames that wait until a batch is full. They are in the pinned buffers of the devices that
 * will count them. All have the same kind of cell, and either all have positions at a later time or
 * none has. */
struct rdf_held {
    size_t n, ngeo; /* ngeo: 1 if all frames have the same geometry, otherwise n */
    bool late;
    uint32_t *slot;         /* [batch] */
    struct hist_frame *geo; /* [batch] */
};

struct rdf {
    struct rdf_params p; /* pairs are a copy; species are valid only during rdf_open() */
    struct species_pair *pairs;
    struct rdf_sets sets;
    size_t real, step_bytes, buffer, batch; /* batch: number of frames that fit into the buffer */
    bool small; /* whether one thread block counts a frame, without sorting */
    bool split; /* whether all devices count each frame together; otherwise, batches are counted by
                 * one device after another */
    int species_bits, ndevices, turn; /* turn: device of the next batch */
    uint32_t places, supers;          /* of a sorted frame */
    struct rdf_set *set;              /* [nspecies + 1]: the last entry is all places */
    struct rdf_device *device;
    struct rdf_held held;
    unsigned long long *host; /* counts of one device */
    struct pool *pool;
    struct err err;
};

static size_t counts_bytes(const struct rdf *r, size_t slots)
{
    return gpu_mul(gpu_mul(slots, r->p.npairs), gpu_mul(r->p.bins, sizeof(unsigned long long)));
}

/* ---- counting */

/* Returns the approximate fraction of the clusters of n atoms that are in reach of a group of m
 * atoms, if clusters and groups are cubes. */
static double reached(const struct hist_frame *f, uint32_t m, uint32_t n)
{
    double v = box_volume(&f->box) * f->scale * f->scale * f->scale, r = f->bins;
    double s = cbrt(v * RDF_GROUP / m) + cbrt(v * RDF_CLUSTER / n);
    double x =
        v > 0.0 ? (s * s * s + 6.0 * s * s * r + 9.42 * s * r * r + 4.19 * r * r * r) / v : 1.0;
    return x < 1.0 ? x : 1.0;
}

/* Divides the work into units: enough to keep every warp busy to the end, so few that taking a unit
 * and testing boxes costs little. */
static void divide(struct rdf_pass *p, double part, double warps)
{
    const double groups = (double)p->frames * p->share,
                 met = groups * p->clusters * part / (24 * warps);
    double chunk = p->supers, parts = 3 * warps / groups; /* if few supers are in reach */
    if (part > 0.1) {
        chunk = met / (32 * part);
        parts = 32 * part / (met < 1.0 ? 1.0 : met);
    }
    chunk = chunk < 1.0 ? 1.0 : part > 0.1 && chunk > 32.0 ? 32.0 : chunk;
    p->chunk = (uint32_t)(chunk < p->supers ? chunk : p->supers);
    p->chunks = (p->supers + p->chunk - 1) / p->chunk;
    for (p->parts = 1; 2 * p->parts <= parts && 2 * p->parts <= 32 && 2 * p->parts <= p->clusters;)
        p->parts *= 2;
    p->units = p->frames * p->share * p->chunks * p->parts;
}

/* Counts set q of `frames` sorted frames, from frame `first` on, which have the same geometry f and
 * the same slot. The partners of the atoms of a frame are the atoms `later` frames after it. If
 * `order` is 1, the first atoms are from the second species (rdf_sets_order). */
static int count_pair(struct rdf *r, struct rdf_device *d, const struct hist_frame *f, size_t first,
                      size_t frames, size_t later, size_t slot, size_t q, int order)
{
    struct species_pair pair = r->pairs[q];
    const struct rdf_sorting *s = &d->sorting;
    if (order)
        pair = {pair.b, pair.a};
    if (pair.a == SPECIES_NONE || (order && pair.a == pair.b))
        return 0;
    const struct rdf_set *a = &r->set[pair.a == SPECIES_EVERY ? r->p.nspecies : pair.a];
    const struct rdf_set *b = &r->set[pair.b == SPECIES_EVERY ? r->p.nspecies : pair.b];
    const size_t vec = 4 * r->real, i = first * s->places + a->first,
                 j = (first + later) * s->places + b->first;
    struct rdf_pass p;
    memset(&p, 0, sizeof p);
    p.atom_i = (const char *)s->atom + i * vec;
    p.atom_j = (const char *)s->atom + j * vec;
    p.group = rdf_boxes(s->group, i / RDF_GROUP);
    p.cluster = rdf_boxes(s->cluster, j / RDF_CLUSTER);
    p.super = rdf_boxes(s->super, (first + later) * s->supers + b->super);
    p.groups = rdf_round_up(a->atoms, RDF_GROUP) / RDF_GROUP;
    p.clusters = rdf_round_up(b->atoms, RDF_GROUP) / RDF_CLUSTER;
    p.supers = (p.clusters + 31) / 32;
    p.frames = (uint32_t)frames;
    p.frame_groups = s->places / RDF_GROUP;
    p.frame_clusters = s->places / RDF_CLUSTER;
    p.frame_supers = s->supers;
    p.like = pair.a == pair.b && !later;
    p.device = r->split ? (uint32_t)(d - r->device) : 0;
    p.devices = r->split ? (uint32_t)r->ndevices : 1;
    p.share = (p.groups + p.devices - 1) / p.devices;
    if (!p.groups || !p.clusters)
        return 0;
    divide(&p, reached(f, a->atoms, b->atoms), (double)d->sms * 32);
    p.next = d->d_next + 2 * q + order;
    p.counts = d->d_counts + (slot * r->p.npairs + q) * r->p.bins;
    p.lanes = d->lanes;
    p.fraction = p.lanes ? 2u + (uint32_t)__builtin_ctz(p.lanes) : 0;
    return rdf_gpu_count(&r->err, f, r->p.dtype == FRAME_F32, &p, d->sms, d->work);
}

/* Offsets in the input buffer of the later positions, slots and geometries of n frames, and the end
 * of ngeo geometries. All are sent in one copy, because a copy from pageable memory waits for
 * earlier kernels. */
struct rdf_places {
    size_t late, slot, geo, end;
};

static struct rdf_places places_of(const struct rdf *r, size_t n, size_t ngeo, bool late)
{
    struct rdf_places p;
    p.late = n * r->step_bytes;
    p.slot = ((late ? 2 : 1) * p.late + 15) / 16 * 16;
    p.geo = p.slot + (4 * n + 15) / 16 * 16;
    p.end = p.geo + ngeo * sizeof(struct hist_frame);
    return p;
}

/* Sorts the frames of the batch, and counts successive frames of the same geometry and slot in one
 * launch. */
static int count_sorted(struct rdf *r, struct rdf_device *d, const char *in, struct rdf_places at)
{
    struct err *e = &r->err;
    const struct rdf_held *h = &r->held;
    if (rdf_gpu_sort(e, (const struct hist_frame *)(in + at.geo), (uint32_t)h->ngeo, in,
                     (uint32_t)(h->late ? 2 * h->n : h->n), &d->sorting, d->work))
        return -1;
    for (size_t k = 0, n; k < h->n; k += n) {
        for (n = 1; h->ngeo == 1 && k + n < h->n && h->slot[k + n] == h->slot[k];)
            n++;
        if (TRY(e, cudaMemsetAsync(d->d_next, 0, r->p.npairs * 8, d->work)))
            return -1;
        for (size_t q = 0; q < r->p.npairs; q++)
            for (int order = 0; order < (h->late ? 2 : 1); order++)
                if (count_pair(r, d, &h->geo[k % h->ngeo], k, n, h->late ? h->n : 0, h->slot[k], q,
                               order))
                    return -1;
    }
    return 0;
}

/* Counts small frames, each in one thread block. */
static int count_small(struct rdf *r, struct rdf_device *d, const char *in, struct rdf_places at)
{
    const struct rdf_held *h = &r->held;
    struct rdf_small p = {in,
                          h->late ? in + at.late : NULL,
                          (const struct hist_frame *)(in + at.geo),
                          (const uint32_t *)(in + at.slot),
                          d->d_order,
                          d->d_range,
                          d->d_counts,
                          (uint32_t)h->n,
                          (uint32_t)r->p.natoms,
                          (uint32_t)r->p.npairs,
                          (uint32_t)r->p.bins,
                          (uint32_t)h->ngeo,
                          8};
    while (p.lanes > 1 &&
           (h->late ? 2 : 1) * p.n * 4 * r->real + ((size_t)p.bins + 1) * p.lanes * 4 > 48 * 1024)
        p.lanes /= 2;
    return rdf_gpu_count_small(&r->err, &p, r->p.dtype == FRAME_F32, !h->geo[0].ortho, d->sms,
                               d->work);
}

/* Sends the frames that are held to device d, and counts them there. */
static int count_batch(struct rdf *r, struct rdf_device *d)
{
    struct err *e = &r->err;
    const struct rdf_held *h = &r->held;
    struct rdf_places at = places_of(r, h->n, h->ngeo, h->late);
    int turn = d->in.turn;
    if (h->late) /* an incomplete batch has a gap here */
        memmove(d->host + at.late, d->host + r->batch * r->step_bytes, at.late);
    memcpy(d->host + at.slot, h->slot, h->n * sizeof *h->slot);
    memcpy(d->host + at.geo, h->geo, h->ngeo * sizeof *h->geo);
    if (TRY(e, cudaSetDevice(d->id)) || TRY(e, cudaStreamWaitEvent(d->copy, d->used[turn], 0)) ||
        gpu_pair_copy(e, &d->in, d->d_in[turn], at.end, d->copy) ||
        TRY(e, cudaStreamWaitEvent(d->work, d->in.copied[turn], 0)) ||
        (r->small ? count_small : count_sorted)(r, d, (const char *)d->d_in[turn], at))
        return -1;
    return TRY(e, cudaEventRecord(d->used[turn], d->work));
}

/* Counts the frames that are held. */
static int flush(struct rdf *r)
{
    for (int k = 0; r->held.n && k < (r->split ? r->ndevices : 1); k++)
        if (count_batch(r, &r->device[r->turn + k]))
            return -1;
    if (r->held.n && !r->split)
        r->turn = (r->turn + 1) % r->ndevices;
    r->held.n = r->held.ngeo = 0;
    return 0;
}

/* Adds a frame to those that are held, without its positions. */
static void describe(struct rdf *r, const void *pos, const void *late, const struct box *b,
                     size_t slot)
{
    struct rdf_held *h = &r->held;
    h->late = late != NULL;
    h->slot[h->n++] = (uint32_t)slot;
    if (h->ngeo == 1 && h->geo[0].periodic && memcmp(&h->geo[0].box, b, sizeof *b) == 0)
        return;
    while (h->ngeo + 1 < h->n) /* the earlier frames had the same geometry */
        h->geo[h->ngeo++] = h->geo[0];
    hist_frame_init(&h->geo[h->ngeo++], b, (int)r->p.bins, r->p.rmax, r->p.dtype == FRAME_F32,
                    r->p.natoms, pos, late);
}

/* Copies n frames of positions to the pinned buffer of device d, after the frames that are held. */
static int fill(struct rdf *r, struct rdf_device *d, const void *pos, const void *late, size_t n)
{
    size_t at = r->held.n * r->step_bytes, bytes = n * r->step_bytes;
    if (r->held.n == 0 &&
        (TRY(&r->err, cudaSetDevice(d->id)) || !(d->host = (char *)gpu_pair_next(&r->err, &d->in))))
        return -1;
    gpu_fill(r->pool, d->host + at, pos, bytes);
    if (late)
        gpu_fill(r->pool, d->host + r->batch * r->step_bytes + at, late, bytes);
    return 0;
}

extern "C" int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const void *late,
                        const struct box *box, const size_t *slot)
{
    struct rdf_held *h = &r->held;
    if (r->err.status)
        return -1;
    for (size_t s = 0; s < nsteps; s++)
        if ((s == 0 || memcmp(&box[s], &box[s - 1], sizeof *box) != 0) &&
            rdf_check_box(&box[s], r->p.rmax, &r->err) != 0)
            return -1;
    if (r->p.natoms < 2)
        return 0;
    for (size_t s = 0, n; s < nsteps; s += n) {
        const char *at = (const char *)pos + s * r->step_bytes,
                   *then = late ? (const char *)late + s * r->step_bytes : NULL;
        if (h->n && (h->late != (late != NULL) || h->geo[0].ortho != box[s].ortho) && flush(r))
            return -1;
        for (n = 1; n < nsteps - s && n < r->batch - h->n && box[s + n].ortho == box[s].ortho;)
            n++;
        for (int k = 0; k < (r->split ? r->ndevices : 1); k++)
            if (fill(r, &r->device[r->turn + k], at, then, n))
                return -1;
        for (size_t k = 0; k < n; k++)
            describe(r, at + k * r->step_bytes, then ? then + k * r->step_bytes : NULL, &box[s + k],
                     slot[s + k]);
        if (h->n == r->batch && flush(r))
            return -1;
    }
    return 0;
}

extern "C" int rdf_collect(struct rdf *r, uint64_t *counts, size_t slots)
{
    struct err *e = &r->err;
    size_t bytes = counts_bytes(r, slots);
    if (flush(r))
        return -1;
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

/* Divides the n members from `first` on into spans of at most `size` members. */
static void add_spans(struct rdf_span *to, uint32_t first, uint32_t n, uint32_t size)
{
    for (uint32_t k = 0; k < n; k += size)
        *to++ = {first + k, n - k < size ? n - k : size};
}

/* Copies the spans of the clusters, groups and superclusters of all sets to the device. */
static int open_spans(struct rdf *r, struct rdf_device *d)
{
    struct rdf_sorting *s = &d->sorting;
    const uint32_t clusters = r->places / RDF_CLUSTER, groups = r->places / RDF_GROUP;
    size_t bytes = ((size_t)clusters + groups + r->supers) * sizeof(struct rdf_span);
    struct rdf_span *spans = (struct rdf_span *)calloc(1, bytes + 1), *d_spans;
    if (!spans)
        return err_set(&r->err, ERR_MEMORY, "out of memory");
    add_spans(spans + clusters, 0, clusters, RDF_GROUP / RDF_CLUSTER);
    for (int k = 0; k <= r->p.nspecies; k++) {
        const struct rdf_set *set = &r->set[k];
        uint32_t c = set->first / RDF_CLUSTER;
        if (k < r->p.nspecies)
            add_spans(spans + c, r->sets.begin[k], set->atoms, RDF_CLUSTER);
        add_spans(spans + clusters + groups + set->super, c,
                  rdf_round_up(set->atoms, RDF_GROUP) / RDF_CLUSTER, RDF_SUPER / RDF_CLUSTER);
    }
    int rc = own(r, d, &d_spans, bytes, "clusters") ||
             TRY(&r->err, cudaMemcpy(d_spans, spans, bytes, cudaMemcpyHostToDevice));
    free(spans);
    s->d_cluster = d_spans;
    s->d_group = d_spans + clusters;
    s->d_super = s->d_group + groups;
    return rc ? -1 : 0;
}

/* Allocates the buffers of frames that are sorted. */
static int open_sorting(struct rdf *r, struct rdf_device *d)
{
    struct rdf_sorting *s = &d->sorting;
    size_t frames = (r->p.lags ? 2 : 1) * r->batch, n = frames * r->p.natoms + 1,
           places = frames * r->places, vec = 4 * r->real;
    s->f32 = r->p.dtype == FRAME_F32;
    s->atoms = (uint32_t)r->p.natoms;
    s->species_bits = r->species_bits;
    s->places = r->places;
    s->supers = r->supers;
    s->scratch = rdf_gpu_scratch_bytes((uint32_t)n);
    if (!s->scratch)
        return err_set(&r->err, ERR_MACHINE, "cannot plan the sorting of %zu atoms", n - 1);
    for (int k = 0; k < 2; k++)
        if (own(r, d, &s->d_key[k], n * 4, "sort keys") ||
            own(r, d, &s->d_index[k], n * 4, "sort keys"))
            return -1;
    if (own(r, d, &s->d_placed, n * vec, "positions") ||
        own(r, d, &s->d_scratch, s->scratch, "sorting") ||
        own(r, d, &d->d_next, r->p.npairs * 8, "counters") ||
        own(r, d, &s->d_species, n, "species") ||
        own(r, d, &s->atom, (places + RDF_GROUP) * vec, "sorted positions") ||
        own_bounds(r, d, &s->cluster, places / RDF_CLUSTER) ||
        own_bounds(r, d, &s->group, places / RDF_GROUP) ||
        own_bounds(r, d, &s->super, frames * r->supers) || open_spans(r, d))
        return -1;
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
    return r->small ? open_small(r, d) : open_sorting(r, d);
}

/* Returns the approximate memory on one device in bytes. */
static size_t need_bytes(const struct rdf *r)
{
    size_t frames = (r->p.lags ? 2 : 1) * r->batch, vec = 4 * r->real;
    return gpu_add(
        counts_bytes(r, r->p.slots),
        gpu_add(2 * r->buffer,
                r->small ? 0 : frames * (r->p.natoms * (vec + 24) + r->places * (vec + 2))));
}

/* Chooses the kernel, and the number of frames of a batch. The kernel for small frames needs the
 * atoms and at least one histogram copy in the shared memory of a block. */
static void plan_batch(struct rdf *r)
{
    size_t n = r->p.natoms, bytes = (r->p.lags ? 2 : 1) * n * 4 * r->real + (r->p.bins + 1) * 4;
    r->small = n <= RDF_SMALL && bytes <= 96 * 1024 && r->p.algorithm != RDF_CELLS;
    size_t batch = BATCH_BYTES / (r->step_bytes ? r->step_bytes : 1),
           sorted = BATCH_PLACES / (r->places ? r->places : 1);
    batch = !r->small && sorted < batch ? sorted : batch;
    r->batch = batch < 1 ? 1 : batch > 4096 ? 4096 : batch;
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
    r->set[n].atoms = r->places = (uint32_t)places;
    for (size_t k = 0; k <= n; k++) {
        r->set[k].super = r->supers;
        r->supers += rdf_round_up(rdf_round_up(r->set[k].atoms, RDF_GROUP), RDF_SUPER) / RDF_SUPER;
    }
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
    r->pairs = (struct species_pair *)malloc(p->npairs * sizeof *r->pairs);
    r->host = (unsigned long long *)malloc(counts_bytes(r, p->slots));
    if (!r->pairs || !r->host || rdf_sets_open(&r->sets, p) != 0)
        return err_set(&r->err, ERR_MEMORY, "out of memory for %zu atoms", p->natoms);
    r->p.pairs =
        (const struct species_pair *)memcpy(r->pairs, p->pairs, p->npairs * sizeof *r->pairs);
    r->pool = pool_new(p->threads < GPU_COPY_THREADS ? p->threads : GPU_COPY_THREADS);
    if (plan_sets(r))
        return -1;
    plan_batch(r);
    r->buffer = places_of(r, r->batch, r->batch, p->lags).end;
    r->held.slot = (uint32_t *)malloc(r->batch * sizeof *r->held.slot);
    r->held.geo = (struct hist_frame *)malloc(r->batch * sizeof *r->held.geo);
    if (!r->held.slot || !r->held.geo)
        return err_set(&r->err, ERR_MEMORY, "out of memory for %zu frames", r->batch);
    if (err_over(&r->err, (double)need_bytes(r), p->max_mem, "fewer --bins or --blocks",
                 "histograms on the GPU"))
        return -1;
    r->ndevices = gpu_probe(p->devices, list, &r->err);
    if (r->ndevices < 0)
        return -1;
    r->split = r->batch == 1 && r->ndevices > 1;
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
    free(r->held.slot);
    free(r->held.geo);
    free(r->host);
    pool_free(r->pool);
    free(r);
}
