/* SPDX-License-Identifier: MIT */
/* rdf_cpu.c: the CPU engine of rdf.h: tiles of all pairs or cells, a private histogram a thread. */
#include "rdf/rdf_cpu.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_PER_TASK 64
#define FULL ((uint64_t)1 << 31)

const char *rdf_engine_name(void)
{
    static char text[64];
    snprintf(text, sizeof text, "CPU, %s", simd_name());
    return text;
}

int rdf_probe(const char *devices, char *err, size_t errlen)
{
    (void)devices;
    (void)err;
    (void)errlen;
    return 0;
}

static int fail(struct rdf *r, int status, const char *msg)
{
    r->status = status;
    snprintf(r->err, sizeof r->err, "%s", msg);
    return -1;
}

void rdf_cpu_flush(struct rdf *r, struct rdf_worker *w, uint64_t *counts)
{
    size_t n = r->p.bins;
    for (size_t c = 0; c < RDF_COPIES && w->pairs; c++) {
        uint32_t *h = w->hist + c * r->stride;
        for (size_t k = 0; k <= n; k++)
            if (h[k]) {
#pragma omp atomic
                counts[k < n ? k : n - 1] += h[k];
            }
        memset(h, 0, RDF_ROWS(n) * sizeof *h);
    }
    w->pairs = 0;
}

void rdf_cpu_tile(struct rdf *r, struct rdf_worker *w, const struct rdf_tile *t, uint64_t *counts)
{
    uint64_t pairs = (uint64_t)t->i.n * t->j.n;
    if (w->pairs + pairs > FULL)
        rdf_cpu_flush(r, w, counts);
    w->pairs += pairs;
    r->tile(t);
}

struct rdf_list rdf_cpu_list(const struct rdf *r, void *const xyz[3], size_t from, size_t to)
{
    size_t at = from * r->real;
    struct rdf_list l = {(char *)xyz[0] + at, (char *)xyz[1] + at, (char *)xyz[2] + at,
                         to > from ? to - from : 0};
    return l;
}

/* Wrap, scale and snap atoms [from, to) of the sorted order. */
static void place(const struct rdf *r, struct rdf_frame *f, const void *pos, size_t from, size_t to)
{
    for (size_t k = from; k < to; k++) {
        size_t i = r->order[k];
        if (r->p.dtype == FRAME_F32) {
            float out[3];
            hist_place_f32(&f->geo, (const float *)pos + 3 * i, out);
            ((float *)f->x)[k] = out[0];
            ((float *)f->y)[k] = out[1];
            ((float *)f->z)[k] = out[2];
        } else {
            double out[3];
            hist_place_f64(&f->geo, (const double *)pos + 3 * i, out);
            ((double *)f->x)[k] = out[0];
            ((double *)f->y)[k] = out[1];
            ((double *)f->z)[k] = out[2];
        }
    }
}

/* Rows [64 task, ...) of pair q against all their columns. */
static void count_task(struct rdf *r, struct rdf_worker *w, const struct rdf_frame *f, size_t q,
                       size_t task, uint64_t *counts)
{
    size_t a[2], b[2];
    void *const xyz[3] = {f->x, f->y, f->z};
    rdf_ranges(&r->pairs[q], r->begin, r->p.natoms, a, b);
    size_t from = a[0] + task * ROWS_PER_TASK,
           to = from + ROWS_PER_TASK < a[1] ? from + ROWS_PER_TASK : a[1];
    struct rdf_tile t = {&f->geo, rdf_cpu_list(r, xyz, from, to), {0}, 0, w->hist, r->stride};
    int like = r->pairs[q].a == r->pairs[q].b;
    if (like) {
        t.j = t.i;
        t.triangle = 1;
        rdf_cpu_tile(r, w, &t, counts);
        t.triangle = 0;
    }
    t.j = rdf_cpu_list(r, xyz, like ? to : b[0], b[1]);
    rdf_cpu_tile(r, w, &t, counts);
}

static size_t task_count(const struct rdf *r, size_t q)
{
    size_t a[2], b[2];
    rdf_ranges(&r->pairs[q], r->begin, r->p.natoms, a, b);
    return (a[1] - a[0] + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
}

static void init_geometry(const struct rdf *r, struct rdf_frame *f, const void *pos,
                          const struct box *box)
{
    double lo[3] = {0.0}, hi[3] = {0.0};
    int f32 = r->p.dtype == FRAME_F32;
    if (!box->pbc[0] || !box->pbc[1] || !box->pbc[2])
        hist_bounds(r->p.natoms, f32, pos, lo, hi);
    hist_frame_init(&f->geo, box, (int)r->p.bins, r->p.rmax, f32, lo, hi);
}

/* Small frames: each thread counts whole ones. */
static void push_whole(struct rdf *r, size_t nsteps, const char *pos, const struct box *box,
                       const size_t *slot)
{
    size_t step_bytes = 3 * r->p.natoms * r->real, row = r->p.npairs * r->p.bins;
#pragma omp parallel for schedule(static) num_threads(r->p.threads) if (nsteps > 1)
    for (size_t s = 0; s < nsteps; s++) {
        struct rdf_worker *w = r->worker + omp_get_thread_num();
        init_geometry(r, &w->frame, pos + s * step_bytes, &box[s]);
        place(r, &w->frame, pos + s * step_bytes, 0, r->p.natoms);
        for (size_t q = 0; q < r->p.npairs; q++) {
            uint64_t *counts = r->counts + slot[s] * row + q * r->p.bins;
            for (size_t t = 0; t < task_count(r, q); t++)
                count_task(r, w, &w->frame, q, t, counts);
            rdf_cpu_flush(r, w, counts);
        }
    }
}

/* Large frames: all threads share one. */
static int push_shared(struct rdf *r, const void *pos, const struct box *box, uint64_t *counts)
{
    struct rdf_frame *f = &r->shared;
    init_geometry(r, f, pos, box);
#pragma omp parallel for schedule(static) num_threads(r->p.threads)
    for (size_t k = 0; k < (r->p.natoms + 4095) / 4096; k++)
        place(r, f, pos, 4096 * k, 4096 * k + 4096 < r->p.natoms ? 4096 * k + 4096 : r->p.natoms);
    for (size_t q = 0; q < r->p.npairs; q++, counts += r->p.bins) {
        int done = r->p.algorithm == RDF_ALL_PAIRS ? 0 : rdf_cpu_cells(r, f, q, counts);
        if (done < 0)
            return fail(r, 3, "out of memory for cells");
        if (done)
            continue;
#pragma omp parallel num_threads(r->p.threads)
        {
            struct rdf_worker *w = r->worker + omp_get_thread_num();
#pragma omp for schedule(dynamic, 1)
            for (size_t t = 0; t < task_count(r, q); t++)
                count_task(r, w, f, q, t, counts);
            rdf_cpu_flush(r, w, counts);
        }
    }
    return 0;
}

int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const struct box *box,
             const size_t *slot)
{
    size_t step_bytes = 3 * r->p.natoms * r->real, row = r->p.npairs * r->p.bins;
    if (r->status)
        return -1;
    for (size_t s = 0; s < nsteps; s++)
        if (rdf_check_box(&box[s], r->p.rmax, r->err, sizeof r->err) != 0)
            return r->status = 2, -1;
    if (r->p.natoms <= WHOLE_FRAMES && r->p.algorithm != RDF_CELLS) {
        push_whole(r, nsteps, pos, box, slot);
        return 0;
    }
    for (size_t s = 0; s < nsteps; s++)
        if (push_shared(r, (const char *)pos + s * step_bytes, &box[s],
                        r->counts + slot[s] * row) != 0)
            return -1;
    return 0;
}

int rdf_collect(struct rdf *r, uint64_t *counts)
{
    size_t n = r->p.slots * r->p.npairs * r->p.bins;
    for (size_t k = 0; k < n; k++)
        counts[k] += r->counts[k];
    memset(r->counts, 0, n * sizeof *r->counts);
    return 0;
}

const char *rdf_error(const struct rdf *r)
{
    return r->err;
}

int rdf_error_status(const struct rdf *r)
{
    return r->status;
}
