/* SPDX-License-Identifier: MIT */
/* alpha_gpu.cu: the CUDA engine of alpha.h: devices, memory, and the processing of batches. */
#include <algorithm>
#include <stdio.h>
#include <string.h>
#include <vector>

#include "alpha/alpha_gpu.h"
#include "alpha/alpha_gpu_step.h"
#include "alpha/alpha_moments.h"

#define BATCH 1024                    /* largest number of steps */
#define MIN 16                        /* smallest number of steps per call */
#define HOST_BYTES ((size_t)64 << 20) /* approximate size of positions and sites per call */
#define BUDGET ((size_t)8 << 30)      /* bytes per batch, unless one step needs more */
#define BEFORE 5                      /* conjugate-gradient steps before convergence is tested */

/* Largest number of sites without a mesh, unless --sum decides. Above it, a sum over all pairs is
 * slower. */
size_t alpha_gpu_pairs_max = 4000;

/* A device and its memory. */
struct side {
    int device;
    cudaStream_t stream;
    struct alpha_batch b;
    struct g4_cells cells;
    size_t capacity; /* capacity of the arrays in steps */
    std::vector<void *> held;
    std::vector<struct sum_cell> h_cell;
    std::vector<struct alpha_cell> own;
    struct box last;        /* cell of the last call of alpha_cell_make() */
    struct alpha_cell made; /* its result */
    double *pos, *s;        /* the arrays of b as writable memory */
    struct sum_cell *cell;
    struct alpha_cell *d_own;
    struct box *box;
    struct alpha_step *step; /* NULL for all pairs */
    struct alpha_sources src;
    std::vector<struct alpha_source_cell> h_source;
    std::vector<uint32_t> h_own;
    struct alpha_permanent *from; /* the arrays of src as writable memory */
    uint2 *owner;
    struct alpha_source_cell *source;
    size_t sum_bytes;
    /* members of the present work */
    const struct alpha *a;
    size_t first, n; /* steps given to alpha_add() */
    struct err err;
};

struct alpha {
    struct alpha_params p;
    struct pairs pairs;
    bool mesh;
    size_t batch; /* number of steps per device at a time */
    char given[200];
    std::vector<side> sides;
    struct pool *pool; /* NULL for one device */
    const struct alpha_steps *in;
    double *out;
};

/* ---- memory */

static size_t stride_of(size_t sites)
{
    return (sites + ALPHA_TILE - 1) / ALPHA_TILE * ALPHA_TILE;
}

/* An array with this many bytes per step, and the address of its pointer. */
struct array {
    void *to;
    size_t bytes;
    const char *what;
};

static std::vector<array> arrays(const struct alpha_params *p, bool mesh, struct side *s)
{
    size_t n = p->nsites, w = stride_of(n), vector = ALPHA_VECTORS * w * sizeof(double);
    struct alpha_batch *b = &s->b;
    size_t comps = p->thole == ALPHA_BARE ? ALPHA_COMPS : ALPHA_COMPS_DAMPED,
           half = mesh ? 0 : gpu_mul(comps, gpu_mul(gpu_mul(w, w), sizeof(float)));
    return {{&b->high, half, "pairs"},
            {&b->low, half, "pairs"},
            {&s->pos, 3 * n * sizeof(double), "positions"},
            {&s->s, ALPHA_TENSOR * n * sizeof(double), "sites"},
            {&s->cell, sizeof(struct sum_cell), "cells"},
            {&s->d_own, sizeof(struct alpha_cell), "cells"},
            {&s->box, sizeof(struct box), "cells"},
            {&b->wrapped, 3 * w * sizeof(double), "positions"},
            {&b->root, ALPHA_TENSOR * w * sizeof(double), "sites"},
            {&b->size, w * sizeof(double), "sites"},
            {&b->b, vector, "dipoles"},
            {&b->x, vector, "dipoles"},
            {&b->r, vector, "dipoles"},
            {&b->q, vector, "dipoles"},
            {&b->y, vector, "dipoles"},
            {&b->mu, vector, "dipoles"},
            {&b->sum, ALPHA_VECTORS * sizeof(double), "dipoles"},
            {&b->part, 3 * (w / ALPHA_TILE) * sizeof(double), "dipoles"},
            {&b->state, sizeof(struct alpha_state), "steps"},
            {&b->same, sizeof *b->same, "steps"},
            {&b->out, alpha_columns(p) * sizeof(double), "answers"},
            {&s->from, p->npermanent * sizeof *s->from, "permanent sites"},
            {&s->owner, p->dipole ? n * sizeof *s->owner : 0, "permanent sites"},
            {&s->source, p->dipole ? sizeof *s->source : 0, "cells"},
            {&s->src.c, p->dipole ? 3 * w * sizeof(double) : 0, "fields"},
            {&s->src.same, p->dipole ? sizeof *s->src.same : 0, "steps"}};
}

static void drop(struct side *s)
{
    for (void *p : s->held)
        cudaFree(p);
    s->held.clear();
    cudaFree(s->src.sum);
    s->src.sum = NULL;
    s->capacity = s->sum_bytes = 0;
}

/* Allocates arrays for n steps. Returns 0 or -1. */
static int make_room(struct side *s, size_t n)
{
    if (n <= s->capacity)
        return 0;
    drop(s);
    if (s->a->mesh && !s->step && !(s->step = alpha_step_new(&s->a->p, &s->err)))
        return -1;
    for (const array &a : arrays(&s->a->p, s->a->mesh, s)) {
        if (gpu_alloc(&s->err, (void **)a.to, gpu_mul(n, a.bytes), a.what))
            return -1;
        s->held.push_back(*(void **)a.to);
    }
    if (gpu_alloc(&s->err, &s->b.left, 5 * sizeof(int), "steps"))
        return -1;
    s->held.push_back(s->b.left);
    s->b.pos = s->pos;
    s->b.s = s->s;
    s->b.cell = s->cell;
    s->b.own = s->d_own;
    s->b.box = s->box;
    s->src.from = s->from;
    s->src.own = s->owner;
    s->src.cell = s->source;
    s->capacity = n;
    return 0;
}

/* Raises max[3] to the largest indices of the waves of a reduced cell. Returns the number of waves
 * up to these indices, with n0 >= 0. */
static size_t waves_of(const struct alpha_sources *p, const struct box *cell, int max[3])
{
    double k = p->split.cut / (box_half_width(cell) * 2.0 * UNITS_PI);
    for (int c = 0; c < 3; c++)
        max[c] = std::max(max[c], (int)(k * alpha_edge(cell, c)));
    return (max[0] + (size_t)1) * (2 * (size_t)max[1] + 1) * (2 * (size_t)max[2] + 1);
}

/* Chooses the number of steps at a time from the free memory of the devices. Returns 0 or -1. */
static int plan(struct alpha *a, struct err *e)
{
    struct side any = {};
    size_t step = 0, budget = BUDGET, n = a->p.nsites;
    const char *what = a->mesh ? "neighbours" : "pairs";
    for (const array &one : arrays(&a->p, a->mesh, &any))
        step = gpu_add(step, one.bytes);
    if (a->p.dipole && a->p.periodic && !a->mesh) {
        int max[3] = {};
        step = gpu_add(step, gpu_mul(waves_of(&a->sides[0].src, &a->p.box, max), sizeof(double2)));
    }
    if (a->mesh)
        step = gpu_add(step, (size_t)alpha_step_bytes(&a->p));
    for (const side &s : a->sides) {
        size_t avail, same = 0;
        for (const side &t : a->sides)
            same += t.device == s.device;
        if (TRY(e, cudaSetDevice(s.device)) || gpu_free_bytes(e, &avail))
            return -1;
        avail = avail / 16 * 15 / same;
        if (step > avail)
            return err_set(
                e, ERR_MEMORY,
                "the %s of %zu sites need %.1f MiB of GPU memory, but device %d has %.1f MiB free",
                what, n, (double)step / 1048576, s.device, (double)avail / 1048576);
        budget = std::min(budget, avail);
    }
    if (err_over(e, (double)step, a->p.max_mem, NULL, "the %s of %zu sites", what, n))
        return -1;
    if (a->p.max_mem)
        budget = std::min(budget, a->p.max_mem);
    a->batch = a->mesh ? 1 : std::min(std::max(budget / step, (size_t)1), (size_t)BATCH);
    if (a->mesh)
        snprintf(a->given, sizeof a->given, "lattice sum on a mesh, one step at a time");
    else
        snprintf(a->given, sizeof a->given, "%s over all pairs, %zu steps at a time",
                 a->p.periodic ? "lattice sum" : "T", a->batch);
    return 0;
}

/* ---- a batch */

/* Sends the cells of steps [at, at + n) to the device. Returns 0 or -1. */
static int send_cells(struct side *s, size_t at, size_t n)
{
    const struct alpha *a = s->a;
    const struct box *box = a->in->box + at;
    struct err *e = &s->err;
    s->h_cell.resize(std::max(n, s->h_cell.size()));
    s->own.resize(n);
    s->cells.p = a->pairs;
    s->cells.h = s->h_cell.data();
    if (cells_make(e, &s->cells, box, a->in->frame + at, n, n, 1))
        return -1;
    for (size_t k = 0; k < n; k++) {
        if (memcmp(&box[k], &s->last, sizeof s->last) != 0 &&
            alpha_cell_make(&a->p, &box[k], &s->made, e))
            return -1;
        s->last = box[k];
        s->own[k] = s->made;
    }
    return TRY(e, cudaMemcpyAsync(s->cell, s->cells.h, n * sizeof *s->cell, cudaMemcpyHostToDevice,
                                  s->stream)) ||
                   TRY(e, cudaMemcpyAsync(s->d_own, s->own.data(), n * sizeof *s->d_own,
                                          cudaMemcpyHostToDevice, s->stream)) ||
                   TRY(e, cudaMemcpyAsync(s->box, box, n * sizeof *s->box, cudaMemcpyHostToDevice,
                                          s->stream)) ||
                   TRY(e, cudaStreamSynchronize(0)) /* polynomials */
               ? -1
               : 0;
}

/* Makes tables of steps [at, at + n). Returns 0, or -1, for example if two sites are at the same
 * place. */
static int make_tables(struct side *s, size_t at, size_t n)
{
    const struct alpha *a = s->a;
    size_t sites = a->p.nsites, terms[2] = {0, 0};
    struct err *e = &s->err;
    std::vector<unsigned long long> same(n);
    if (send_cells(s, at, n) ||
        TRY(e, cudaMemcpyAsync(s->pos, a->in->pos + 3 * sites * at, 3 * sites * n * sizeof *s->pos,
                               cudaMemcpyHostToDevice, s->stream)) ||
        TRY(e, cudaMemcpyAsync(s->s, a->in->s + ALPHA_TENSOR * sites * at,
                               ALPHA_TENSOR * sites * n * sizeof *s->s, cudaMemcpyHostToDevice,
                               s->stream)) ||
        alpha_gpu_place(e, &s->b, n, s->stream))
        return -1;
    for (size_t k = 0; k < s->cells.nfits; k++) {
        const struct ewald_fit *f = s->cells.fit[k];
        terms[f->ortho != 0] = std::max(terms[f->ortho != 0], (size_t)f->nterms);
    }
    if (alpha_gpu_table(e, &s->b, n, terms[1], terms[0], s->stream) ||
        TRY(e, cudaMemcpyAsync(same.data(), s->b.same, n * sizeof same[0], cudaMemcpyDeviceToHost,
                               s->stream)) ||
        TRY(e, cudaStreamSynchronize(s->stream)))
        return -1;
    for (size_t k = 0; k < n; k++)
        if (same[k] != ~0ull)
            return err_bad(
                e, "frame %llu: sites %llu and %llu (counted from 0) are at the same place",
                (unsigned long long)(a->in->frame + at + k), same[k] / sites, same[k] % sites);
    return 0;
}

/* Prepares step `at` with a mesh (sorted sites, neighbours, weights). Returns 0 or -1. */
static int make_step(struct side *s, size_t at)
{
    const struct alpha *a = s->a;
    const struct alpha_steps *in = a->in;
    size_t sites = a->p.nsites, i, j = 0;
    struct err *e = &s->err;
    const double *pos, *root;
    struct sum_cell cell = {};
    s->own.resize(1);
    struct alpha_cell &own = s->own[0];
    if (alpha_cell_make(&a->p, in->box + at, &own, e) ||
        alpha_step_sort(e, s->step, &own.box, in->pos + 3 * sites * at,
                        in->s + ALPHA_TENSOR * sites * at, &pos, &root))
        return err_frame(e, in->frame + at);
    cell.d = own.box;
    if (TRY(e, cudaMemcpyAsync(s->cell, &cell, sizeof cell, cudaMemcpyHostToDevice, s->stream)) ||
        TRY(e, cudaMemcpyAsync(s->d_own, &own, sizeof own, cudaMemcpyHostToDevice, s->stream)) ||
        TRY(e, cudaMemcpyAsync(s->pos, pos, 3 * sites * sizeof *pos, cudaMemcpyHostToDevice,
                               s->stream)) ||
        TRY(e, cudaMemcpyAsync(s->s, root, ALPHA_TENSOR * sites * sizeof *root,
                               cudaMemcpyHostToDevice, s->stream)) ||
        alpha_gpu_place(e, &s->b, 1, s->stream) ||
        alpha_step_make(e, s->step, &s->b, &i, &j, s->stream))
        return -1;
    if (i == sites)
        return 0;
    return err_bad(e, "frame %llu: sites %zu and %zu (counted from 0) are at the same place",
                   (unsigned long long)(in->frame + at), i, j);
}

/* Computes the field of the permanent sites of steps [at, at + n). Returns 0 or -1. */
static int make_sources(struct side *s, size_t at, size_t n)
{
    const struct alpha *a = s->a;
    const struct alpha_params *p = &a->p;
    struct alpha_sources *src = &s->src;
    struct err *e = &s->err;
    size_t sites = p->nsites;
    const int *order = s->step ? alpha_step_order(s->step) : NULL;
    const struct alpha_permanent *from = a->in->permanent + at * src->n;
    std::vector<unsigned long long> same(n);
    s->h_source.resize(n);
    s->h_own.resize(2 * sites);
    for (size_t i = 0; i < sites; i++)
        memcpy(&s->h_own[2 * i], p->own[order ? (size_t)order[i] : i], sizeof p->own[0]);
    memset(src->max, 0, sizeof src->max);
    for (size_t k = 0; k < n; k++) {
        struct alpha_source_cell *c = &s->h_source[k];
        c->box = a->in->box[at + k];
        c->radius = p->periodic ? box_half_width(&s->own[k].box) : 0.0;
        if (p->periodic && !s->step)
            src->waves = waves_of(src, &s->own[k].box, src->max);
    }
    if (TRY(e, cudaMemcpyAsync(s->from, from, n * src->n * sizeof *s->from, cudaMemcpyHostToDevice,
                               s->stream)) ||
        TRY(e, cudaMemcpyAsync(s->owner, s->h_own.data(), sites * sizeof *s->owner,
                               cudaMemcpyHostToDevice, s->stream)) ||
        TRY(e, cudaMemcpyAsync(s->source, s->h_source.data(), n * sizeof *s->source,
                               cudaMemcpyHostToDevice, s->stream)) ||
        alpha_gpu_more(e, &src->sum, &s->sum_bytes,
                       gpu_mul(gpu_mul(n, src->waves), sizeof *src->sum), "waves") ||
        (s->step ? alpha_step_sources(e, s->step, &s->b, src, from, s->stream)
                 : alpha_gpu_sources(e, &s->b, src, n, s->stream)) ||
        TRY(e, cudaMemcpyAsync(same.data(), src->same, n * sizeof same[0], cudaMemcpyDeviceToHost,
                               s->stream)) ||
        TRY(e, cudaStreamSynchronize(s->stream)))
        return -1;
    for (size_t k = 0; k < n; k++)
        if (same[k] != ~0ull)
            return err_bad(e,
                           "frame %llu: site %llu (counted from 0) is at the same place as a "
                           "charge, dipole or quadrupole of another molecule",
                           (unsigned long long)(a->in->frame + at + k),
                           order ? (unsigned long long)order[same[k]] : same[k]);
    return 0;
}

/* Counts the steps in each phase. Returns 0 or -1. */
static int count(struct side *s, size_t n, int left[5])
{
    return alpha_gpu_count(&s->err, &s->b, n, s->stream) ||
                   TRY(&s->err, cudaMemcpyAsync(left, s->b.left, 5 * sizeof *left,
                                                cudaMemcpyDeviceToHost, s->stream)) ||
                   TRY(&s->err, cudaStreamSynchronize(s->stream))
               ? -1
               : 0;
}

/* Computes `y` = s T mu. */
static int field(struct side *s, int wide, int phase, size_t n)
{
    return s->step ? alpha_step_field(&s->err, s->step, &s->b, s->stream)
                   : alpha_gpu_field(&s->err, &s->b, wide, phase, n, s->stream);
}

/* Computes mu of v, and y = s T mu. */
static int apply(struct side *s, const double *v, int wide, int phase, size_t n)
{
    return alpha_gpu_dipoles(&s->err, &s->b, v, phase, n, s->stream) || field(s, wide, phase, n)
               ? -1
               : 0;
}

/* Alternates conjugate gradients and true residuals until no step is ACTIVE. Set the argument
 * `y` only if y is already computed. */
static int settle(struct side *s, int wide, bool y, size_t n, int left[5])
{
    struct err *e = &s->err;
    do {
        for (int k = 0;; k++) {
            if ((k || !y) && field(s, wide, ALPHA_ACTIVE, n))
                return -1;
            if (alpha_gpu_descend(e, &s->b, n, s->stream))
                return -1;
            if (k >= BEFORE && count(s, n, left))
                return -1;
            if (k >= BEFORE && !left[ALPHA_ACTIVE])
                break;
        }
        y = false;
        if (apply(s, s->b.x, 1, ALPHA_SETTLED, n) ||
            alpha_gpu_judge(e, &s->b, wide, n, s->stream) || count(s, n, left))
            return -1;
    } while (left[ALPHA_ACTIVE]);
    return 0;
}

/* Sets the error for the first step without a solution. */
static int refuse(struct side *s, size_t at, size_t n)
{
    const struct alpha_steps *in = s->a->in;
    size_t sites = s->a->p.nsites;
    std::vector<struct alpha_state> state(n);
    if (TRY(&s->err, cudaMemcpyAsync(state.data(), s->b.state, n * sizeof state[0],
                                     cudaMemcpyDeviceToHost, s->stream)) ||
        TRY(&s->err, cudaStreamSynchronize(s->stream)))
        return -1;
    size_t k = 0;
    while (k + 1 < n && state[k].phase == ALPHA_DONE)
        k++;
    return alpha_catastrophe(sites, in->pos + 3 * sites * (at + k), in->box + at + k,
                             in->frame + at + k, state[k].phase == ALPHA_NEGATIVE, &s->err);
}

static int all_orders(struct side *s, size_t at, size_t n)
{
    const struct alpha_batch *b = &s->b;
    struct err *e = &s->err;
    double tolerance = s->a->p.tolerance;
    const double *c = s->a->p.dipole ? s->src.c : NULL;
    bool parts = s->a->p.parts && !c;
    if (c) /* as in alpha_solve.c */
        tolerance *= 20.0 * tolerance;
    size_t all = parts ? 3 : 1;
    int left[5], wide = s->step != NULL;
    if (alpha_gpu_begin(e, b, wide, -1, tolerance, n, s->stream))
        return -1;
    if (parts && (field(s, 1, -1, n) || alpha_gpu_form(e, b, b->b, b->b, 0, 0, all, n, s->stream) ||
                  alpha_gpu_form(e, b, b->b, b->y, 0, 1, all, n, s->stream)))
        return -1;
    if (settle(s, wide, parts, n, left))
        return -1;
    if (!wide && left[ALPHA_DONE] < (int)n &&
        (alpha_gpu_begin(e, b, 1, ALPHA_NEGATIVE, tolerance, n, s->stream) ||
         alpha_gpu_begin(e, b, 1, ALPHA_ENDLESS, tolerance, n, s->stream) ||
         settle(s, 1, false, n, left)))
        return -1;
    if (left[ALPHA_DONE] < (int)n)
        return refuse(s, at, n);
    if (c)
        return alpha_gpu_moment(e, b, c, b->b, 1.0, 0, 0, 2, n, s->stream) ||
                       alpha_gpu_moment(e, b, c, b->b, -1.0, 0, 1, 2, n, s->stream) ||
                       alpha_gpu_moment(e, b, c, b->x, 1.0, 1, 1, 2, n, s->stream) ||
                       alpha_gpu_moment(e, b, c, b->r, 1.0, 1, 1, 2, n, s->stream)
                   ? -1
                   : 0;
    return alpha_gpu_form(e, b, b->b, b->x, 0, all - 1, all, n, s->stream) ||
                   alpha_gpu_form(e, b, b->x, b->r, 1, all - 1, all, n, s->stream) ||
                   (parts && alpha_gpu_beyond(e, b, n, s->stream))
               ? -1
               : 0;
}

/* Computes the terms up to the order from p_k = (sTs)^k b, where p_k . p_l is of order k + l. */
static int orders(struct side *s, size_t n)
{
    const struct alpha_batch *b = &s->b;
    struct err *e = &s->err;
    int order = s->a->p.order, parts = s->a->p.parts;
    size_t all = (size_t)alpha_parts(&s->a->p),
           bytes = n * ALPHA_VECTORS * b->stride * sizeof *b->x;
    const double *p = b->b;
    if (TRY(e, cudaMemsetAsync(b->q, 0, bytes, s->stream))) /* the fields are multiplied by `q` */
        return -1;
    for (int k = 0; s->a->p.dipole && k < order; k++, p = b->x)
        if (alpha_gpu_moment(e, b, s->src.c, p, 1.0, 0, (size_t)k, all, n, s->stream) ||
            (k + 1 < order &&
             (apply(s, p, 1, -1, n) ||
              TRY(e, cudaMemcpyAsync(b->x, b->y, bytes, cudaMemcpyDeviceToDevice, s->stream)))))
            return -1;
    if (s->a->p.dipole)
        return 0;
    for (int k = 0; k <= order; k++) {
        const double *v = p;
        double *next = k % 4 == 1 ? b->x : b->r;
        if (k % 2) {
            if (apply(s, p, 1, -1, n) ||
                TRY(e, cudaMemcpyAsync(next, b->y, bytes, cudaMemcpyDeviceToDevice, s->stream)))
                return -1;
            v = next;
        }
        if (alpha_gpu_form(e, b, p, v, !parts && k, parts ? (size_t)k : 0, all, n, s->stream))
            return -1;
        p = v;
    }
    return 0;
}

/* Processes all steps of a side. */
static int work(struct side *s)
{
    const struct alpha *a = s->a;
    size_t row = alpha_columns(&a->p);
    if (TRY(&s->err, cudaSetDevice(s->device)))
        return -1;
    if (!s->stream && TRY(&s->err, cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking)))
        return -1;
    if (make_room(s, std::min(s->n, a->batch)))
        return -1;
    for (size_t done = 0, n; done < s->n; done += n) {
        size_t at = s->first + done;
        n = std::min(s->n - done, a->batch);
        if ((s->step ? make_step(s, at) : make_tables(s, at, n)) ||
            (a->p.dipole && make_sources(s, at, n)) ||
            (a->p.order == ALPHA_ALL ? all_orders(s, at, n) : orders(s, n)) ||
            TRY(&s->err, cudaMemcpyAsync(a->out + at * row, s->b.out, n * row * sizeof(double),
                                         cudaMemcpyDeviceToHost, s->stream)) ||
            TRY(&s->err, cudaStreamSynchronize(s->stream)))
            return -1;
    }
    return 0;
}

static void work_of(void *ctx, size_t k, int thread)
{
    (void)thread;
    struct side *s = &((struct alpha *)ctx)->sides[k];
    s->err.status = ERR_NONE;
    if (s->n && work(s) && s->err.status == ERR_NONE)
        err_set(&s->err, ERR_MACHINE, "the GPU failed");
}

/* ---- the engine */

extern "C" struct alpha *alpha_open(const struct alpha_params *p, struct err *e)
{
    int list[GPU_MAX_DEVICES], n = gpu_probe(p->devices, list, e);
    if (n < 0)
        return NULL;
    struct alpha *a = new alpha();
    a->p = *p;
    a->mesh = p->periodic &&
              (p->sum == ALPHA_MESH || (p->sum == ALPHA_MAY && p->nsites > alpha_gpu_pairs_max));
    a->sides.resize((size_t)n);
    for (int k = 0; k < n; k++) {
        struct side *s = &a->sides[(size_t)k];
        s->a = a;
        s->device = list[k];
        s->b.sites = p->nsites;
        s->b.stride = stride_of(p->nsites);
        s->b.comps = p->thole == ALPHA_BARE ? ALPHA_COMPS : ALPHA_COMPS_DAMPED;
        s->b.thole = (int)p->thole;
        s->b.a = p->a;
        s->b.reach = a->mesh ? alpha_step_reach(p) : alpha_reach(p);
        s->src.n = p->npermanent;
        s->src.periodic = p->periodic;
        s->src.reach = alpha_reach(p);
        if (p->dipole && p->periodic)
            alpha_permanent_split(p, &s->src.split);
    }
    if (alpha_pairs(p, &a->pairs, e) == 0 && plan(a, e) == 0) {
        if (n == 1 || (a->pool = pool_team(n)))
            return a;
        err_memory(e, "the threads of GPUs");
    }
    alpha_close(a);
    return NULL;
}

extern "C" int alpha_add(struct alpha *a, const struct alpha_steps *s, double *out, struct err *e)
{
    size_t n = a->sides.size(), share = (s->n + n - 1) / n;
    a->in = s;
    a->out = out;
    for (size_t k = 0; k < n; k++) {
        a->sides[k].first = std::min(k * share, s->n);
        a->sides[k].n = std::min(share, s->n - a->sides[k].first);
    }
    pool_run(a->pool, work_of, a, n);
    for (const side &k : a->sides)
        if (k.err.status != ERR_NONE) {
            *e = k.err;
            return -1;
        }
    return 0;
}

/* This number is the same for any number of devices, so that the output has the same frames. */
extern "C" size_t alpha_at_once(const struct alpha *a)
{
    size_t n = HOST_BYTES / ((3 + ALPHA_TENSOR) * sizeof(double) * a->p.nsites +
                             a->p.npermanent * sizeof(struct alpha_permanent));
    return std::min(std::max(n, (size_t)MIN), (size_t)BATCH);
}

extern "C" const char *alpha_summary(const struct alpha *a)
{
    return a->given;
}

extern "C" void alpha_close(struct alpha *a)
{
    if (!a)
        return;
    for (struct side &s : a->sides) {
        cudaSetDevice(s.device);
        drop(&s);
        cells_free(&s.cells);
        alpha_step_free(s.step);
        if (s.stream)
            cudaStreamDestroy(s.stream);
    }
    pool_free(a->pool);
    delete a;
}
