/* SPDX-License-Identifier: MIT */
#include "near/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "near/near_search.h"
#include "near/near_step.h"

#define PIECE 8192  /* atoms per task */
#define RANKED 200  /* more neighbours are sorted by qsort */
#define ROUND 1e-12 /* relative rounding error of half the width of a cell */

struct near {
    struct near_step step;
    double *r; /* [3][capacity + NEAR_LANES] positions of the sorted atoms, by axis */
    struct near_search search;
    uint32_t *place; /* [n] number of each atom among the sorted atoms */
    size_t capacity;
};

struct near *near_new(void)
{
    return calloc(1, sizeof(struct near));
}

void near_free(struct near *s)
{
    if (!s)
        return;
    near_grid_free(&s->step.grid);
    free(s->r);
    free(s->place);
    free(s);
}

void near_list_free(struct near_list *l)
{
    free(l->pair);
    free(l->range);
    free(l->scratch);
    *l = (struct near_list){0};
}

/* ---- the grid of a step */

/* Sets the ends and widths of the grid, which are those of the atoms along non-periodic axes. */
static void set_ends(struct near_step *s, const double *r)
{
    struct near_grid *g = &s->grid;
    int open = 0;
    for (int k = 0; k < 3; k++) {
        g->pbc[k] = s->box.pbc[k];
        g->low[k] = g->pbc[k] ? 0.0 : HUGE_VAL;
        g->high[k] = g->pbc[k] ? 1.0 : -HUGE_VAL;
        open |= !g->pbc[k];
    }
    for (size_t i = 0; open && i < s->n; i++) {
        double f[3];
        near_step_fraction(s, r + 3 * i, f);
        for (int k = 0; k < 3; k++) {
            g->low[k] = f[k] < g->low[k] ? f[k] : g->low[k];
            g->high[k] = f[k] > g->high[k] ? f[k] : g->high[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        double width = box_width(&s->box, k);
        s->wide[k] = s->n ? (g->high[k] - g->low[k]) * (width > 0.0 ? width : 1.0) : 0.0;
    }
}

/* Chooses the grid. If `cells` is given, the grid has these cells and covers the whole cell. */
static void set_grid(struct near_step *s, const double *r, const int cells[3])
{
    struct near_grid *g = &s->grid;
    set_ends(s, r);
    if (!cells) {
        (void)near_grid_choose(g, s->wide, s->cutoff, s->box.ortho, s->n);
        return;
    }
    for (int k = 0; k < 3; k++) {
        g->low[k] = 0.0;
        g->high[k] = 1.0;
        g->n[k] = cells[k];
        s->wide[k] = box_width(&s->box, k);
    }
    g->cutoff = s->box.ortho;
    near_grid_reach(g, s->wide, s->cutoff * NEAR_SLACK);
}

int near_step_set(struct near_step *s, size_t n, const double *r, const struct box *b,
                  double cutoff, const int cells[3], struct err *e)
{
    s->n = n;
    s->box = *b;
    s->cutoff = cutoff;
    s->half = box_half_width(b);
    if (!(cutoff > 0.0) || (!(cells && b->ortho) && cutoff > s->half * (1.0 + ROUND)))
        return err_bad(e,
                       "expected a cutoff above 0 and up to half the smallest width of the cell, "
                       "%g Å, found %g Å",
                       s->half, cutoff);
    if (n >= UINT32_MAX)
        return err_bad(e, "expected fewer than 2^32 - 1 atoms, found %zu", n);
    memcpy(s->inv, b->inv, sizeof s->inv);
    for (int k = 0; k < 3 && box_volume(b) == 0.0; k++)
        s->inv[k][k] = 1.0;
    set_grid(s, r, cells);
    near_grid_scale(&s->grid);
    return 0;
}

int near_step_few(const struct near_step *s, size_t i, size_t k, size_t found, struct err *e)
{
    if (k >= s->n)
        return err_bad(
            e, "expected more than %zu atoms, because each atom needs %zu neighbours, found %zu", k,
            k, s->n);
    return err_bad(e,
                   "atom %zu: expected %zu neighbours closer than half the smallest width of the "
                   "cell, %g Å, found %zu",
                   i, k, s->half, found);
}

/* ---- sorting */

static int reserve(struct near *s)
{
    if (s->step.n > s->capacity) {
        free(s->r);
        free(s->place);
        s->r = calloc(3 * (s->step.n + NEAR_LANES), sizeof *s->r);
        s->place = malloc(s->step.n * sizeof *s->place);
        s->capacity = s->r && s->place ? s->step.n : 0;
    }
    return s->step.n <= s->capacity ? near_grid_reserve(&s->step.grid, s->step.n) : -1;
}

struct sorting {
    struct near *s;
    const double *r;
};

static void cell_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct sorting *j = ctx;
    (void)thread;
    for (size_t i = from; i < to; i++)
        j->s->step.grid.cell[i] = (uint32_t)near_step_cell(&j->s->step, j->r + 3 * i);
}

static void copy_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct sorting *j = ctx;
    (void)thread;
    for (size_t k = from; k < to; k++) {
        size_t i = j->s->step.grid.order[k];
        for (size_t a = 0; a < 3; a++)
            j->s->r[a * (j->s->capacity + NEAR_LANES) + k] = j->r[3 * i + a];
        j->s->place[i] = (uint32_t)k;
    }
}

/* Prepares the members of the search that do not depend on the point. */
static void set_search(struct near *s)
{
    struct near_search *t = &s->search;
    t->order = s->step.grid.order;
    t->ortho = s->step.box.ortho;
    memcpy(t->h, s->step.box.h, sizeof t->h);
    for (size_t a = 0; a < 3; a++) {
        t->at[a] = s->r + a * (s->capacity + NEAR_LANES);
        for (int k = 0; k < 3; k++)
            t->inv[a][k] = s->step.box.pbc[k] ? s->step.box.inv[a][k] : 0.0;
    }
}

int near_sort(struct near *s, size_t n, const double *r, const struct box *b, double cutoff,
              struct pool *pool, struct err *e)
{
    return near_sort_cells(s, n, r, b, cutoff, NULL, pool, e);
}

int near_sort_cells(struct near *s, size_t n, const double *r, const struct box *b, double cutoff,
                    const int cells[3], struct pool *pool, struct err *e)
{
    struct sorting j = {s, r};
    if (near_step_set(&s->step, n, r, b, cutoff, cells, e) != 0)
        return -1;
    if (reserve(s))
        return err_memory(e, "neighbours");
    pool_pieces(pool, cell_task, &j, n, PIECE);
    near_grid_sort(&s->step.grid);
    pool_pieces(pool, copy_task, &j, n, PIECE);
    set_search(s);
    return 0;
}

/* ---- searches */

/* Finds the ranges around a cell and makes room for their atoms. Returns the number of ranges, or
 * SIZE_MAX if out of memory. */
static size_t list_ranges(const struct near_grid *g, size_t cell, struct near_list *to)
{
    size_t rows = near_grid_rows(g), n = NEAR_LANES;
    if (rows > to->ranges) {
        free(to->range);
        to->range = malloc(rows * sizeof *to->range);
        to->ranges = to->range ? rows : 0;
    }
    if (!to->range)
        return SIZE_MAX;
    rows = near_grid_ranges(g, cell, false, to->range);
    for (size_t k = 0; k < rows; k++)
        n += to->range[k].to - to->range[k].from;
    if (n <= to->capacity)
        return rows;
    n += n / 2;
    free(to->pair);
    free(to->scratch);
    to->pair = malloc(n * sizeof *to->pair);
    to->scratch = malloc(n * (5 * sizeof(double) + 4 * sizeof(uint32_t)));
    to->capacity = to->pair && to->scratch ? n : 0;
    return to->capacity ? rows : SIZE_MAX;
}

static int by_index(const void *a, const void *b)
{
    uint32_t i = ((const struct near_pair *)a)->j, j = ((const struct near_pair *)b)->j;
    return (i > j) - (i < j);
}

static int by_distance(const void *a, const void *b)
{
    double x = ((const struct near_pair *)a)->r2, y = ((const struct near_pair *)b)->r2;
    return x != y ? (x > y) - (x < y) : by_index(a, b);
}

/* Sorts the hits by index, and then, if asked, by distance. Equal distances keep their order. */
static void sort_hits(const struct near_search *t, enum near_by by, size_t n, double *key,
                      uint32_t *rank, uint32_t *sorted)
{
    for (int round = NEAR_BY_INDEX; round <= (int)by; round++) {
        for (size_t k = 0; k < n; k++)
            key[k] = round == NEAR_BY_INDEX ? (double)t->j[t->hit[k]] : t->r2[t->hit[k]];
        SIMD_PICK(near_rank)(n, key, rank);
        for (size_t k = 0; k < n; k++)
            sorted[rank[k]] = t->hit[k];
        memcpy(t->hit, sorted, n * sizeof *sorted);
    }
}

/* Lists the atoms of the grid `g` that are closer to atom i than `radius`. Returns 0 or -1. */
static int find(const struct near *s, const struct near_grid *g, size_t i, double radius,
                enum near_by by, struct near_list *to)
{
    struct near_search t = s->search;
    size_t ranges = list_ranges(g, s->step.grid.cell[i], to), n = to->capacity;
    if (ranges == SIZE_MAX)
        return -1;
    double *d = to->scratch;
    for (size_t a = 0; a < 3; a++) {
        t.r[a] = t.at[a][s->place[i]];
        t.d[a] = d + a * n;
    }
    t.r2 = d + 3 * n;
    t.j = (uint32_t *)(d + 5 * n);
    t.hit = t.j + n;
    t.cutoff2 = radius * radius;
    t.skip = (uint32_t)i;
    to->n = SIMD_PICK(near_search)(&t, to->range, ranges);
    if (to->n <= RANKED)
        sort_hits(&t, by, to->n, d + 4 * n, t.hit + n, t.hit + 2 * n);
    for (size_t k = 0; k < to->n; k++) {
        size_t c = t.hit[k];
        to->pair[k] = (struct near_pair){t.j[c], {t.d[0][c], t.d[1][c], t.d[2][c]}, t.r2[c]};
    }
    if (to->n > RANKED && by != NEAR_BY_CELL)
        qsort(to->pair, to->n, sizeof *to->pair, by == NEAR_BY_INDEX ? by_index : by_distance);
    return 0;
}

int near_within(const struct near *s, size_t i, enum near_by by, struct near_list *to)
{
    return find(s, &s->step.grid, i, s->step.cutoff, by, to);
}

int near_nearest(const struct near *s, size_t i, size_t k, struct near_list *to, struct err *e)
{
    struct near_grid g = s->step.grid;
    double radius = fmin(s->step.cutoff, s->step.half);
    if (k >= s->step.n)
        return near_step_few(&s->step, i, k, 0, e);
    do {
        if (find(s, &g, i, radius, NEAR_BY_DISTANCE, to))
            return err_memory(e, "neighbours");
    } while (to->n < k && near_step_grow(&s->step, &g, &radius));
    if (to->n < k)
        return near_step_few(&s->step, i, k, to->n, e);
    to->n = k;
    return 0;
}

double near_reach(size_t n, const double *r, const struct box *b, size_t k)
{
    double volume = box_volume(b), low[3], high[3];
    for (size_t i = 0; volume == 0.0 && i < 3 * n; i++) {
        low[i % 3] = i < 3 ? r[i] : fmin(low[i % 3], r[i]);
        high[i % 3] = i < 3 ? r[i] : fmax(high[i % 3], r[i]);
    }
    if (volume == 0.0) /* axes count as at least 1 Å wide, for atoms in a plane or on a line */
        volume = (high[0] - low[0] + 1.0) * (high[1] - low[1] + 1.0) * (high[2] - low[2] + 1.0);
    double atoms = 1.5 * (double)k + 4.0; /* number of atoms in the sphere */
    return fmin(cbrt(atoms * volume / (double)n * 3.0 / (4.0 * UNITS_PI)), box_half_width(b));
}

/* ---- all atoms */

#define EACH_PIECE 256 /* atoms per task, with their neighbours */

struct each {
    const struct near *s;
    size_t k;
    near_visit visit;
    void *ctx;
    struct each_thread {
        struct near_list list;
        size_t failed; /* index of the first sorted atom with an error, or SIZE_MAX */
        struct err err;
    } * thread;
};

static void each_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct each *j = ctx;
    struct each_thread *t = &j->thread[thread];
    for (size_t q = from; q < to; q++) {
        size_t i = near_order(j->s)[q];
        struct err why;
        int bad = j->k ? near_nearest(j->s, i, j->k, &t->list, &why)
                  : near_within(j->s, i, NEAR_BY_CELL, &t->list) ? err_memory(&why, "neighbours")
                                                                 : 0;
        if (bad || j->visit(j->ctx, i, &t->list, &why)) {
            if (q < t->failed) {
                t->failed = q;
                t->err = why;
            }
            return;
        }
    }
}

int near_each(const struct near *s, size_t k, struct pool *pool, near_visit visit, void *ctx,
              struct err *e)
{
    size_t threads = (size_t)pool_threads(pool);
    struct each j = {s, k, visit, ctx, calloc(threads, sizeof *j.thread)};
    if (!j.thread)
        return err_memory(e, "neighbours");
    for (size_t t = 0; t < threads; t++)
        j.thread[t].failed = SIZE_MAX;
    pool_pieces(pool, each_task, &j, s->step.n, EACH_PIECE);
    const struct each_thread *first = j.thread;
    for (size_t t = 0; t < threads; t++) {
        first = j.thread[t].failed < first->failed ? &j.thread[t] : first;
        near_list_free(&j.thread[t].list);
    }
    int rc = first->failed == SIZE_MAX ? 0 : (*e = first->err, -1);
    free(j.thread);
    return rc;
}

const uint32_t *near_order(const struct near *s)
{
    return s->step.grid.order;
}
