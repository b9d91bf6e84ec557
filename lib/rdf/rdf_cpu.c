/* SPDX-License-Identifier: MIT */
/* rdf_cpu.c: the CPU engine of rdf.h. It counts tiles of pairs (rdf_tile.h) in a histogram per
 * thread. If rmax is short, only tiles of cells within range are counted (near_grid.h). Up to
 * WHOLE_FRAMES atoms, each thread processes whole frames. Above this number, all threads share a
 * frame. */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/real.h"
#include "near/near_grid.h"
#include "rdf/rdf.h"
#include "rdf/rdf_tile.h"

#define WHOLE_FRAMES 3000
#define ROWS_PER_TASK 64
#define ATOMS_PER_TASK 4096
#define CELLS_PER_TASK 64
#define FULL ((uint64_t)1 << 31) /* most pairs in a histogram, as no count may exceed 2^32 */

/* Coordinates by axis, float or double. */
struct axes {
    void *xyz[3];
    size_t capacity;
};

/* One frame with scaled positions, in the order of rdf_sets. The partners have the same positions
 * or, for pairs between two times, the positions of the later time. */
struct placed {
    struct hist_frame geo;
    struct axes at, late;
    const struct axes *partner;
};

/* Private data of a thread. */
struct worker {
    uint32_t *hist;      /* RDF_COPIES copies of RDF_ROWS(bins), padded to `stride` */
    uint64_t pairs;      /* largest possible number of pairs in hist */
    struct placed frame; /* own frame, if threads take whole frames */
    struct axes near;    /* partners of a cell */
};

/* Atoms of one side of a pair, sorted by cell. */
struct celled {
    struct axes at;
    const struct axes *from; /* the same atoms, unsorted */
    struct near_grid grid;
    size_t first; /* index of the first atom of the side */
};

struct rdf {
    struct rdf_params p;
    struct rdf_sets sets;
    size_t real, stride;   /* bytes per coordinate, and counts per copy */
    uint64_t *counts;      /* [slots][npairs][bins] */
    struct pool *pool;     /* NULL for only this thread */
    struct worker *worker; /* [pool_threads] */
    struct placed shared;
    struct celled celled[2];
    void (*tile)(const struct rdf_tile *t);
    struct err err;
};

/* ---- memory */

static void axes_free(struct axes *c)
{
    for (int a = 0; a < 3; a++)
        free(c->xyz[a]);
    memset(c, 0, sizeof *c);
}

/* Allocates memory for n atoms, without keeping the old values. Returns 0 or -1. */
static int axes_reserve(const struct rdf *r, struct axes *c, size_t n)
{
    if (n <= c->capacity && c->xyz[0])
        return 0;
    axes_free(c);
    for (int a = 0; a < 3; a++)
        if (!(c->xyz[a] = malloc(n * r->real + 64)))
            return -1;
    c->capacity = n;
    return 0;
}

static struct rdf_list list_of(const struct rdf *r, const struct axes *c, size_t from, size_t to)
{
    size_t at = from * r->real;
    return (struct rdf_list){(char *)c->xyz[0] + at, (char *)c->xyz[1] + at, (char *)c->xyz[2] + at,
                             to > from ? to - from : 0};
}

/* ---- counting */

static void flush(struct rdf *r, struct worker *w, uint64_t *counts)
{
    size_t n = r->p.bins;
    for (size_t c = 0; c < RDF_COPIES && w->pairs; c++) {
        uint32_t *h = w->hist + c * r->stride;
        for (size_t k = 0; k <= n; k++)
            if (h[k])
                __atomic_fetch_add(&counts[k < n ? k : n - 1], h[k], __ATOMIC_RELAXED);
        memset(h, 0, RDF_ROWS(n) * sizeof *h);
    }
    w->pairs = 0;
}

/* Counts a tile in the histogram of the worker. Adds a full histogram to `counts`. */
static void count_tile(struct rdf *r, struct worker *w, const struct rdf_tile *t, uint64_t *counts)
{
    uint64_t pairs = (uint64_t)t->i.n * t->j.n;
    if (w->pairs + pairs > FULL)
        flush(r, w, counts);
    w->pairs += pairs;
    r->tile(t);
}

/* Counts the rows of a pair of species that begin at row 64 task, with all their columns. */
static void count_rows(struct rdf *r, struct worker *w, const struct placed *f,
                       const struct rdf_range *q, size_t task, uint64_t *counts)
{
    size_t from = q->a0 + task * ROWS_PER_TASK,
           to = from + ROWS_PER_TASK < q->a1 ? from + ROWS_PER_TASK : q->a1;
    struct rdf_tile t = {&f->geo, list_of(r, &f->at, from, to), {0}, 0, w->hist, r->stride};
    if (q->like) {
        t.j = t.i;
        t.triangle = 1;
        count_tile(r, w, &t, counts);
        t.triangle = 0;
    }
    t.j = list_of(r, f->partner, q->like ? to : q->b0, q->b1);
    count_tile(r, w, &t, counts);
}

static size_t row_tasks(const struct rdf_range *q)
{
    return ((size_t)q->a1 - q->a0 + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
}

/* ---- a frame */

static void geometry(const struct rdf *r, struct placed *f, const void *pos, const void *late,
                     const struct box *box)
{
    f->partner = late ? &f->late : &f->at;
    hist_frame_init(&f->geo, box, (int)r->p.bins, r->p.rmax, r->p.dtype == FRAME_F32, r->p.natoms,
                    pos, late);
}

/* Wraps and scales atoms [from, to) of the sorted order and rounds them to the grid. */
static void place(const struct rdf *r, const struct placed *f, const struct axes *at,
                  const void *pos, size_t from, size_t to)
{
    for (size_t k = from; k < to; k++) {
        size_t i = r->sets.order[k];
        if (r->p.dtype == FRAME_F32) {
            float out[3];
            hist_place_f32(&f->geo, (const float *)pos + 3 * i, out);
            for (int a = 0; a < 3; a++)
                ((float *)at->xyz[a])[k] = out[a];
        } else {
            double out[3];
            hist_place_f64(&f->geo, (const double *)pos + 3 * i, out);
            for (int a = 0; a < 3; a++)
                ((double *)at->xyz[a])[k] = out[a];
        }
    }
}

/* ---- small frames: each thread counts whole frames */

struct whole_job {
    struct rdf *r;
    const char *pos, *late;
    const struct box *box;
    const size_t *slot;
};

static void whole_frames(void *ctx, size_t from, size_t to, int thread)
{
    const struct whole_job *j = ctx;
    struct rdf *r = j->r;
    struct worker *w = &r->worker[thread];
    size_t step_bytes = 3 * r->p.natoms * r->real;
    for (size_t s = from; s < to; s++) {
        const char *late = j->late ? j->late + s * step_bytes : NULL;
        geometry(r, &w->frame, j->pos + s * step_bytes, late, &j->box[s]);
        place(r, &w->frame, &w->frame.at, j->pos + s * step_bytes, 0, r->p.natoms);
        if (late)
            place(r, &w->frame, &w->frame.late, late, 0, r->p.natoms);
        for (size_t q = 0; q < r->p.npairs; q++) {
            struct rdf_range range;
            uint64_t *counts = r->counts + (j->slot[s] * r->p.npairs + q) * r->p.bins;
            for (int o = 0; o < 2 && rdf_sets_order(&r->sets.range[q], late, o, &range); o++)
                for (size_t t = 0; t < row_tasks(&range); t++)
                    count_rows(r, w, &w->frame, &range, t, counts);
            if (r->p.npairs > 1 || s + 1 == to || j->slot[s + 1] != j->slot[s])
                flush(r, w, counts);
        }
    }
}

/* ---- large frames: all threads share a frame */

struct shared_job {
    struct rdf *r;
    const void *pos, *late;
    struct placed *f;
    const struct rdf_range *range;
    uint64_t *counts;
    struct celled *side; /* the side that is to be sorted */
    int bad;
};

static void place_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct shared_job *j = ctx;
    (void)thread;
    place(j->r, j->f, &j->f->at, j->pos, from, to);
    if (j->late)
        place(j->r, j->f, &j->f->late, j->late, from, to);
}

static void rows_task(void *ctx, size_t k, int thread)
{
    const struct shared_job *j = ctx;
    count_rows(j->r, &j->r->worker[thread], j->f, j->range, k, j->counts);
}

static void flush_task(void *ctx, size_t k, int thread)
{
    const struct shared_job *j = ctx;
    (void)thread;
    flush(j->r, &j->r->worker[k], j->counts);
}

static void cell_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct shared_job *j = ctx;
    const struct hist_frame *f = &j->f->geo;
    (void)thread;
    for (size_t k = from; k < to; k++) {
        double r[3], s[3];
        for (int a = 0; a < 3; a++)
            r[a] = real_at(j->side->from->xyz[a], j->r->p.dtype == FRAME_F64, j->side->first + k);
        for (int a = 0; a < 3; a++)
            s[a] = f->ortho ? r[a]
                            : r[0] * f->hinv[0][a] + r[1] * f->hinv[1][a] + r[2] * f->hinv[2][a];
        j->side->grid.cell[k] = (uint32_t)near_grid_cell(&j->side->grid, s);
    }
}

static void sorted_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct shared_job *j = ctx;
    const struct celled *s = j->side;
    const bool f64 = j->r->p.dtype == FRAME_F64;
    (void)thread;
    for (int a = 0; a < 3; a++)
        for (size_t k = from; k < to; k++) {
            size_t i = s->first + s->grid.order[k];
            real_set(s->at.xyz[a], f64, k, real_at(s->from->xyz[a], f64, i));
        }
}

/* Sorts atoms [from, to) of `at` into the cells of the grid. Returns 0 or -1. */
static int sort_cells(struct shared_job *j, struct celled *s, const struct axes *at, size_t from,
                      size_t to)
{
    struct rdf *r = j->r;
    if (near_grid_reserve(&s->grid, to - from) || axes_reserve(r, &s->at, r->p.natoms) != 0)
        return -1;
    s->first = from;
    s->from = at;
    j->side = s;
    pool_pieces(r->pool, cell_task, j, to - from, ATOMS_PER_TASK);
    near_grid_sort(&s->grid);
    pool_pieces(r->pool, sorted_task, j, to - from, ATOMS_PER_TASK);
    return 0;
}

/* Chooses the grid for n atoms. Returns its cost, or HUGE_VAL if the frame has no grid. */
static double choose_grid(const struct hist_frame *f, struct near_grid *g, size_t n)
{
    double wide[3];
    for (int a = 0; a < 3; a++) {
        g->pbc[a] = f->box.pbc[a];
        g->low[a] = 0.0;
        g->high[a] = f->ortho ? f->len[a] : 1.0;
        wide[a] = f->ortho ? f->len[a] : g->pbc[a] ? box_width(&f->box, a) * f->scale : 0.0;
        if (!(wide[a] > 0.0))
            return HUGE_VAL;
    }
    return near_grid_choose(g, wide, f->bins, f->ortho, n);
}

/* Counts all pairs of the atoms in cell c of one side with atoms in range. If both are on the same
 * side, only later atoms are counted. Returns 0 or -1. */
static int count_cell(const struct shared_job *j, struct worker *w, size_t c)
{
    struct rdf *r = j->r;
    int like = j->range->like;
    const struct celled *sa = &r->celled[0], *sb = &r->celled[like ? 0 : 1];
    const size_t *start = sa->grid.start;
    struct near_range range[NEAR_RANGES];
    size_t n = 0;
    if (start[c] == start[c + 1])
        return 0;
    size_t ranges = near_grid_ranges(&sb->grid, c, like, range);
    for (size_t k = 0; k < ranges; k++)
        n += range[k].to - range[k].from;
    if (n > w->near.capacity && axes_reserve(r, &w->near, 2 * n) != 0)
        return -1;
    for (int a = 0; a < 3; a++) {
        char *to = w->near.xyz[a];
        for (size_t k = 0; k < ranges; k++) {
            size_t bytes = (range[k].to - range[k].from) * r->real;
            memcpy(to, (const char *)sb->at.xyz[a] + range[k].from * r->real, bytes);
            to += bytes;
        }
    }
    struct rdf_tile t = {.frame = &j->f->geo,
                         .i = list_of(r, &sa->at, start[c], start[c + 1]),
                         .hist = w->hist,
                         .stride = r->stride};
    if (n) {
        t.j = list_of(r, &w->near, 0, n);
        count_tile(r, w, &t, j->counts);
    }
    if (like) {
        t.j = t.i;
        t.triangle = 1;
        count_tile(r, w, &t, j->counts);
    }
    return 0;
}

static void cells_task(void *ctx, size_t from, size_t to, int thread)
{
    struct shared_job *j = ctx;
    for (size_t c = from; c < to; c++)
        if (count_cell(j, &j->r->worker[thread], c) != 0)
            __atomic_store_n(&j->bad, 1, __ATOMIC_RELAXED);
}

/* Counts with cells. Returns 1 if done, 0 if cells do not help, -1 if out of memory. */
static int count_cells(struct shared_job *j)
{
    struct rdf *r = j->r;
    const struct rdf_range *q = j->range;
    size_t na = q->a1 - q->a0, nb = q->b1 - q->b0, n = na > nb ? na : nb;
    if (r->p.algorithm == RDF_ALL_PAIRS || na == 0 || nb == 0)
        return 0;
    double cost = choose_grid(&j->f->geo, &r->celled[0].grid, n);
    if (!(cost < HUGE_VAL) ||
        (r->p.algorithm == RDF_AUTO && cost > (q->like ? 0.5 : 1.0) * (double)na * (double)nb))
        return 0;
    if (!q->like)
        (void)choose_grid(&j->f->geo, &r->celled[1].grid, n);
    if (sort_cells(j, &r->celled[0], &j->f->at, q->a0, q->a1) != 0 ||
        (!q->like && sort_cells(j, &r->celled[1], j->f->partner, q->b0, q->b1) != 0))
        return -1;
    pool_pieces(r->pool, cells_task, j, near_grid_cells(&r->celled[0].grid), CELLS_PER_TASK);
    return j->bad ? -1 : 1;
}

static int push_shared(struct rdf *r, const void *pos, const void *late, const struct box *box,
                       uint64_t *counts)
{
    struct rdf_range range;
    struct shared_job j = {.r = r, .pos = pos, .late = late, .f = &r->shared, .range = &range};
    geometry(r, j.f, pos, late, box);
    pool_pieces(r->pool, place_task, &j, r->p.natoms, ATOMS_PER_TASK);
    for (size_t q = 0; q < r->p.npairs; q++) {
        j.counts = counts + q * r->p.bins;
        for (int o = 0; o < 2 && rdf_sets_order(&r->sets.range[q], late, o, &range); o++) {
            int done = count_cells(&j);
            if (done < 0)
                return err_memory(&r->err, "cells");
            if (!done)
                pool_run(r->pool, rows_task, &j, row_tasks(j.range));
        }
        pool_run(r->pool, flush_task, &j, (size_t)pool_threads(r->pool));
    }
    return 0;
}

/* ---- rdf.h */

int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const void *late, const struct box *box,
             const size_t *slot)
{
    size_t step_bytes = 3 * r->p.natoms * r->real, row = r->p.npairs * r->p.bins;
    if (r->err.status)
        return -1;
    for (size_t s = 0; s < nsteps; s++)
        if ((s == 0 || memcmp(&box[s], &box[s - 1], sizeof *box) != 0) &&
            rdf_check_box(&box[s], r->p.rmax, &r->err) != 0)
            return -1;
    if (r->p.natoms <= WHOLE_FRAMES && r->p.algorithm != RDF_CELLS) {
        struct whole_job j = {r, pos, late, box, slot};
        pool_pieces(r->pool, whole_frames, &j, nsteps,
                    nsteps / (8 * (size_t)pool_threads(r->pool)) + 1);
        return 0;
    }
    for (size_t s = 0; s < nsteps; s++)
        if (push_shared(r, (const char *)pos + s * step_bytes,
                        late ? (const char *)late + s * step_bytes : NULL, &box[s],
                        r->counts + slot[s] * row) != 0)
            return -1;
    return 0;
}

int rdf_collect(struct rdf *r, uint64_t *counts, size_t slots)
{
    size_t n = slots * r->p.npairs * r->p.bins;
    for (size_t k = 0; k < n; k++)
        counts[k] += r->counts[k];
    memset(r->counts, 0, n * sizeof *r->counts);
    return 0;
}

const struct err *rdf_error(const struct rdf *r)
{
    return &r->err;
}

static int alloc_all(struct rdf *r, const struct rdf_params *p)
{
    size_t n = p->natoms;
    r->counts = calloc(p->slots * p->npairs * p->bins, sizeof *r->counts);
    r->pool = pool_new(r->p.threads);
    r->worker = calloc((size_t)pool_threads(r->pool), sizeof *r->worker);
    if (!r->counts || !r->worker || rdf_sets_open(&r->sets, p) != 0 ||
        axes_reserve(r, &r->shared.at, n) != 0 ||
        (p->lags && axes_reserve(r, &r->shared.late, n) != 0))
        return -1;
    for (int k = 0; k < pool_threads(r->pool); k++) {
        struct worker *w = &r->worker[k];
        if (!(w->hist = calloc(RDF_COPIES * r->stride, sizeof *w->hist)) ||
            (n <= WHOLE_FRAMES && (axes_reserve(r, &w->frame.at, n) != 0 ||
                                   (p->lags && axes_reserve(r, &w->frame.late, n) != 0))))
            return -1;
    }
    return 0;
}

/* Returns the bytes for the engine: histograms, counts, and for each atom the order, positions and
 * sorted copies. */
static double need_bytes(const struct rdf_params *p, size_t stride)
{
    double real = p->dtype == FRAME_F32 ? 4.0 : 8.0;
    return 8.0 * (double)p->slots * (double)p->npairs * (double)p->bins +
           4.0 * RDF_COPIES * (double)stride * p->threads +
           (double)p->natoms * (20.0 + (p->lags ? 12.0 : 9.0) * real + 32.0);
}

struct rdf *rdf_open(const struct rdf_params *p, struct err *e)
{
    if (rdf_check(p, e) != 0)
        return NULL;
    struct rdf *r = calloc(1, sizeof *r);
    if (r) {
        r->p = *p;
        r->p.threads = p->threads > 0 ? p->threads : 1;
        r->real = p->dtype == FRAME_F32 ? sizeof(float) : sizeof(double);
        r->stride = (RDF_ROWS(p->bins) + 31) / 16 * 16; /* copies begin in different cache lines */
        r->tile = p->dtype == FRAME_F32 ? SIMD_PICK(rdf_tile_f32) : SIMD_PICK(rdf_tile_f64);
    }
    bool over = r && err_over(e, need_bytes(&r->p, r->stride), p->max_mem,
                              "fewer --bins, --blocks or --threads",
                              "the histograms of %zu blocks, %zu pairs of species, %zu bins",
                              p->slots, p->npairs, p->bins);
    if (!over && (!r || alloc_all(r, p) != 0))
        err_set(e, ERR_MEMORY, "out of memory for %zu histograms of %zu bins", p->slots * p->npairs,
                p->bins);
    else if (!over)
        return r;
    rdf_close(r);
    return NULL;
}

void rdf_close(struct rdf *r)
{
    if (!r)
        return;
    for (int k = 0; r->worker && k < pool_threads(r->pool); k++) {
        free(r->worker[k].hist);
        axes_free(&r->worker[k].frame.at);
        axes_free(&r->worker[k].frame.late);
        axes_free(&r->worker[k].near);
    }
    axes_free(&r->shared.at);
    axes_free(&r->shared.late);
    for (int k = 0; k < 2; k++) {
        axes_free(&r->celled[k].at);
        near_grid_free(&r->celled[k].grid);
    }
    free(r->worker);
    free(r->counts);
    rdf_sets_close(&r->sets);
    pool_free(r->pool);
    free(r);
}
