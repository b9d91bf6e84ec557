/* SPDX-License-Identifier: MIT */
#include "near/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 8192  /* atoms per task */
#define GROWTH 1.5  /* of the radius, until it includes k neighbours */
#define ROUND 1e-12 /* relative rounding error of half the width of a cell */

struct near {
    struct box box;
    double inv[3][3]; /* fractional coordinates along all axes; without a cell: Å */
    struct near_grid grid;
    double wide[3]; /* widths of the grid, Å */
    double cutoff, half;
    double *r;       /* [n][3] positions of sorted atoms */
    uint32_t *place; /* [n] number of each atom among the sorted atoms */
    size_t n, capacity;
};

struct near *near_new(void)
{
    return calloc(1, sizeof(struct near));
}

void near_free(struct near *s)
{
    if (!s)
        return;
    near_grid_free(&s->grid);
    free(s->r);
    free(s->place);
    free(s);
}

void near_list_free(struct near_list *l)
{
    free(l->pair);
    free(l->range);
    *l = (struct near_list){0};
}

/* ---- sorting */

static void fraction(const struct near *s, const double r[3], double f[3])
{
    for (int k = 0; k < 3; k++) {
        f[k] = r[0] * s->inv[0][k] + r[1] * s->inv[1][k] + r[2] * s->inv[2][k];
        if (s->box.pbc[k])
            f[k] -= floor(f[k]);
    }
}

/* Sets the ends and widths of the grid: along a non-periodic axis those of the atoms. */
static void set_ends(struct near *s, const double *r)
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
        fraction(s, r + 3 * i, f);
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

static int reserve(struct near *s)
{
    if (s->n > s->capacity) {
        free(s->r);
        free(s->place);
        s->r = malloc(3 * s->n * sizeof *s->r);
        s->place = malloc(s->n * sizeof *s->place);
        s->capacity = s->r && s->place ? s->n : 0;
    }
    return s->n <= s->capacity ? near_grid_reserve(&s->grid, s->n) : -1;
}

struct sorting {
    struct near *s;
    const double *r;
};

static void cell_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct sorting *j = ctx;
    (void)thread;
    for (size_t i = from; i < to; i++) {
        double f[3];
        fraction(j->s, j->r + 3 * i, f);
        j->s->grid.cell[i] = (uint32_t)near_grid_cell(&j->s->grid, f);
    }
}

static void copy_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct sorting *j = ctx;
    (void)thread;
    for (size_t k = from; k < to; k++) {
        size_t i = j->s->grid.order[k];
        memcpy(j->s->r + 3 * k, j->r + 3 * i, 3 * sizeof *j->r);
        j->s->place[i] = (uint32_t)k;
    }
}

int near_sort(struct near *s, size_t n, const double *r, const struct box *b, double cutoff,
              struct pool *pool, struct err *e)
{
    struct sorting j = {s, r};
    s->n = n;
    s->box = *b;
    s->cutoff = cutoff;
    s->half = box_half_width(b);
    if (!(cutoff > 0.0) || cutoff > s->half * (1.0 + ROUND))
        return err_set(e, ERR_BAD,
                       "expected a cutoff above 0 and up to half the smallest width of the cell, "
                       "%g Å, found %g Å",
                       s->half, cutoff);
    if (n >= UINT32_MAX)
        return err_set(e, ERR_BAD, "expected fewer than 2^32 - 1 atoms, found %zu", n);
    memcpy(s->inv, b->inv, sizeof s->inv);
    for (int k = 0; k < 3 && box_volume(b) == 0.0; k++)
        s->inv[k][k] = 1.0;
    set_ends(s, r);
    (void)near_grid_choose(&s->grid, s->wide, cutoff, b->ortho, n);
    if (reserve(s))
        return err_memory(e, "neighbours");
    pool_pieces(pool, cell_task, &j, n, PIECE);
    near_grid_sort(&s->grid);
    pool_pieces(pool, copy_task, &j, n, PIECE);
    return 0;
}

/* ---- searches */

static int list_room(struct near_list *to, size_t pairs)
{
    if (pairs <= to->capacity)
        return 0;
    size_t capacity = 2 * pairs;
    struct near_pair *p = realloc(to->pair, capacity * sizeof *p);
    if (!p)
        return -1;
    to->pair = p;
    to->capacity = capacity;
    return 0;
}

/* Finds the ranges for a search around a cell. Returns their number, or SIZE_MAX if out of memory. */
static size_t list_ranges(const struct near_grid *g, size_t cell, struct near_list *to)
{
    size_t rows = near_grid_rows(g);
    if (rows > to->ranges) {
        free(to->range);
        to->range = malloc(rows * sizeof *to->range);
        to->ranges = to->range ? rows : 0;
    }
    return to->range ? near_grid_ranges(g, cell, false, to->range) : SIZE_MAX;
}

/* Finds the atoms closer than radius to r, a point in a cell of the grid. Returns 0 or -1. */
static int gather(const struct near *s, const struct near_grid *g, size_t cell, const double r[3],
                  size_t skip, double radius, struct near_list *to)
{
    size_t ranges = list_ranges(g, cell, to), all = 1;
    const double r2 = radius * radius;
    to->n = 0;
    if (ranges == SIZE_MAX)
        return -1;
    for (size_t k = 0; k < ranges; k++)
        all += to->range[k].to - to->range[k].from;
    if (list_room(to, all))
        return -1;
    for (size_t k = 0; k < ranges; k++)
        for (size_t q = to->range[k].from; q < to->range[k].to; q++) {
            struct near_pair *p = &to->pair[to->n];
            for (size_t a = 0; a < 3; a++)
                p->d[a] = s->r[3 * q + a] - r[a];
            box_image(&s->box, p->d);
            p->r2 = (p->d[0] * p->d[0] + p->d[1] * p->d[1]) + p->d[2] * p->d[2];
            p->j = g->order[q];
            to->n += p->r2 < r2 && q != skip;
        }
    return 0;
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

static void sort_list(enum near_by by, struct near_list *to)
{
    if (by != NEAR_BY_CELL)
        qsort(to->pair, to->n, sizeof *to->pair, by == NEAR_BY_INDEX ? by_index : by_distance);
}

int near_within(const struct near *s, size_t i, enum near_by by, struct near_list *to)
{
    size_t k = s->place[i];
    if (gather(s, &s->grid, s->grid.cell[i], s->r + 3 * k, k, s->cutoff, to))
        return -1;
    sort_list(by, to);
    return 0;
}

int near_within_point(const struct near *s, const double r[3], enum near_by by,
                      struct near_list *to)
{
    double f[3];
    fraction(s, r, f);
    if (gather(s, &s->grid, near_grid_cell(&s->grid, f), r, SIZE_MAX, s->cutoff, to))
        return -1;
    sort_list(by, to);
    return 0;
}

int near_nearest(const struct near *s, size_t i, size_t k, struct near_list *to, struct err *e)
{
    struct near_grid g = s->grid;
    size_t q = s->place[i];
    double radius = s->cutoff;
    if (k >= s->n)
        return err_set(e, ERR_BAD, "expected more than %zu atoms for %zu neighbours, found %zu", k,
                       k, s->n);
    for (;;) {
        if (gather(s, &g, s->grid.cell[i], s->r + 3 * q, q, radius, to))
            return err_memory(e, "neighbours");
        if (to->n >= k)
            break;
        if (radius >= s->half)
            return err_set(e, ERR_BAD,
                           "atom %zu: expected %zu neighbours closer than half the smallest width "
                           "of the cell, %g Å, found %zu",
                           i, k, s->half, to->n);
        radius = fmin(GROWTH * radius, s->half);
        near_grid_reach(&g, s->wide, radius * NEAR_SLACK);
    }
    sort_list(NEAR_BY_DISTANCE, to);
    to->n = k;
    return 0;
}

/* ---- for engines */

size_t near_cells(const struct near *s)
{
    return near_grid_cells(&s->grid);
}

const uint32_t *near_order(const struct near *s)
{
    return s->grid.order;
}

struct near_range near_cell(const struct near *s, size_t cell)
{
    return (struct near_range){s->grid.start[cell], s->grid.start[cell + 1]};
}

size_t near_ranges(const struct near *s, size_t cell, bool forward,
                   struct near_range r[NEAR_RANGES])
{
    return near_grid_ranges(&s->grid, cell, forward, r);
}
