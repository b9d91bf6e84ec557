/* SPDX-License-Identifier: MIT */
/*
 * g4_lists.c: neighbour lists of the CPU engine. For each window the atoms are sorted into cells at
 * its middle step; D_i is the largest distance of atom i from there in any step of the window.
 * Minimum-image distances obey the triangle inequality, so a pair within range R in some step is
 * closer than R + D_i + D_j in the middle step. Of these candidates the kernel keeps the pairs that
 * are in range in some step. Cells that change are compared in fractional coordinates: a strain F
 * stretches distances by at most ||F||.
 *
 * The list of an atom exists only while the atom is processed: A_i from all its neighbours, and G2
 * from the later ones, so that no two tasks add to the same number.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g4/g4_engine.h"

#define COST 6.0        /* cost of a pair in range, with the search; a pair of all pairs costs 1 */
#define NEAR_FIRST 4096 /* initial room for candidates */
#define ACROSS 2        /* cells per range */

struct placed {
    double r[3], d; /* position in the cell of the middle step; D_i */
    uint32_t id;
};

struct g4_lists {
    double reach;
    struct box cell; /* cell of the middle step; inv along all axes; non-periodic: h is 1 */
    double half;     /* half of its smallest width */
    double margin;   /* for rounding in single precision */
    double stretch;
    double (*map)[3][3]; /* [cap] from the cell of each step to the cell of the middle step */
    int same;            /* all steps have the same cell */
    double far;          /* range + 2 max D_i; HUGE_VAL: all pairs */
    double low[3], high[3];
    size_t n[3];
    size_t *start, cells; /* [n0 n1 n2 + 1] */
    struct placed *atom, *sorted;
    uint32_t **near; /* [threads] */
    size_t *capacity, threads;
    size_t steps; /* steps of the window */
    uint64_t listed, windows;
};

/* ---- decision ---- */

static void whole_cell(const struct box *b, struct box *c)
{
    double cell[9], sum = 0.0;
    memcpy(cell, b->h, sizeof cell);
    for (int k = 0; k < 9; k++)
        sum += fabs(cell[k]);
    for (int k = 0; k < 3 && sum == 0.0; k++)
        cell[4 * k] = 1.0;
    if (box_init(c, cell, (const int[3]){1, 1, 1}))
        *c = *b; /* never reached: the cells of a stream are checked */
    memcpy(c->pbc, b->pbc, sizeof c->pbc);
}

static void fraction(const struct box *c, const double r[3], double s[3])
{
    for (int k = 0; k < 3; k++)
        s[k] = r[0] * c->inv[0][k] + r[1] * c->inv[1][k] + r[2] * c->inv[2][k];
}

static double element(int f64, const void *v, size_t k)
{
    return f64 ? ((const double *)v)[k] : (double)((const float *)v)[k];
}

/* Volume of the cell, using the extent of the atoms along non-periodic axes. */
static double volume(const struct g4 *g, const void *pos, const struct box *box)
{
    struct box c;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    whole_cell(box, &c);
    double v = fabs(box_volume(&c));
    for (size_t i = 0; i < g->natoms; i++) {
        double r[3], s[3];
        for (size_t k = 0; k < 3; k++)
            r[k] = element(g->p.dtype == FRAME_F64, pos, 3 * i + k);
        fraction(&c, r, s);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], s[k]);
            high[k] = fmax(high[k], s[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        v *= c.pbc[k] ? 1.0 : high[k] - low[k];
    return v;
}

int g4_lists_choose(struct g4 *g, const void *pos, const struct box *box)
{
    if (!g4_lists_may(&g->p))
        return 0;
    g4_lists_mesh(&g->p, box);
    double reach = sum_reach(&g->p.sum), all = (double)g->npairs,
           pairs = g4_lists_pairs(g->natoms, volume(g, pos, box), reach);
    if (g->p.sum.mesh != SUM_MESH && !(pairs * COST < all))
        return 0;
    g->lists = calloc(1, sizeof *g->lists);
    if (!g->lists)
        return err_memory(&g->err, "lists");
    g->lists->reach = reach;
    return 0;
}

size_t g4_lists_atom(const struct g4_lists *n, size_t k)
{
    return n->sorted[k].id;
}

double g4_lists_mean(const struct g4_lists *n)
{
    return n->windows ? 0.5 * (double)n->listed / (double)n->windows : 0.0;
}

/* ---- memory ---- */

double g4_lists_bytes(const struct g4 *g)
{
    double n = (double)g->natoms;
    return 2 * n * sizeof(struct placed) + (2 * n + 64) * sizeof(size_t) +
           (double)g->cap * sizeof *g->lists->map;
}

static int lists_alloc(struct g4 *g)
{
    struct g4_lists *n = g->lists;
    if (n->atom)
        return 0;
    n->threads = (size_t)pool_threads(g->pool);
    n->atom = malloc(g->natoms * sizeof *n->atom);
    n->sorted = malloc(g->natoms * sizeof *n->sorted);
    n->map = malloc(g->cap * sizeof *n->map);
    n->near = calloc(n->threads, sizeof *n->near);
    n->capacity = calloc(n->threads, sizeof *n->capacity);
    return n->atom && n->sorted && n->map && n->near && n->capacity ? 0
                                                                    : err_memory(&g->err, "lists");
}

void g4_lists_free(struct g4_lists *n)
{
    if (!n)
        return;
    for (size_t k = 0; n->near && k < n->threads; k++)
        free(n->near[k]);
    free(n->near);
    free(n->capacity);
    free(n->atom);
    free(n->sorted);
    free(n->start);
    free(n->map);
    free(n);
}

void g4_lists_store(const struct g4 *g, const struct box *box, const void *pos, void *dst)
{
    for (size_t i = 0; i < g->natoms; i++) {
        double r[3];
        for (size_t k = 0; k < 3; k++)
            r[k] = element(g->p.dtype == FRAME_F64, pos, 3 * i + k);
        box_wrap(box, r);
        for (size_t k = 0; k < 3; k++)
            if (g->p.dtype == FRAME_F64)
                ((double *)dst)[g4_row(g, i, k)] = r[k];
            else
                ((float *)dst)[g4_row(g, i, k)] = (float)r[k];
    }
}

/* ---- cells of a window ---- */

/* Sets the cell of the middle step, and the strain of the others relative to it. */
static void lists_cell(struct g4 *g, size_t span)
{
    struct g4_lists *n = g->lists;
    const struct box *mid = &g->geom[span / 2].d;
    whole_cell(mid, &n->cell);
    n->half = box_half_width(&n->cell);
    n->stretch = 1.0;
    n->same = 1;
    n->margin = n->reach;
    for (int k = 0; k < 9; k++)
        n->margin += fabs(n->cell.h[k / 3][k % 3]);
    n->margin *= 1e-6;
    for (size_t t = 0; t < span; t++) {
        const struct box *b = &g->geom[t].d;
        double off = 0.0;
        struct box c;
        whole_cell(b, &c);
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 3; k++) {
                double f = 0.0;
                for (int m = 0; m < 3; m++)
                    f += c.inv[a][m] * n->cell.h[m][k];
                n->map[t][a][k] = f;
                off += (f - (a == k)) * (f - (a == k));
            }
        n->same &= memcmp(b->h, mid->h, sizeof b->h) == 0;
        n->stretch = fmax(n->stretch, 1.0 + sqrt(off));
        if (memcmp(b->pbc, mid->pbc, sizeof b->pbc) != 0)
            n->stretch = HUGE_VAL;
    }
}

/* Position of atom i in step t of the window, mapped to the cell of the middle step. */
static void place(const struct g4 *g, size_t i, size_t t, double r[3])
{
    const struct g4_lists *n = g->lists;
    double at[3];
    for (size_t k = 0; k < 3; k++)
        at[k] = element(g->p.dtype == FRAME_F64, g->window, g4_row(g, i, k) + t);
    for (int k = 0; k < 3; k++)
        r[k] = n->same
                   ? at[k]
                   : at[0] * n->map[t][0][k] + at[1] * n->map[t][1][k] + at[2] * n->map[t][2][k];
}

static void place_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct g4 *g = ctx;
    const struct g4_lists *n = g->lists;
    (void)thread;
    for (size_t i = from; i < to; i++) {
        struct placed *a = &n->atom[i];
        double far = 0.0;
        place(g, i, n->steps / 2, a->r);
        for (size_t t = 0; t < n->steps; t++) {
            double d[3];
            place(g, i, t, d);
            for (int k = 0; k < 3; k++)
                d[k] -= a->r[k];
            box_image(&n->cell, d);
            far = fmax(far, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
        a->d = sqrt(far);
        a->id = (uint32_t)i;
    }
}

static size_t cell_along(const struct g4_lists *n, int k, double s)
{
    if (n->cell.pbc[k])
        s -= floor(s);
    double at = (s - n->low[k]) / (n->high[k] - n->low[k]) * (double)n->n[k];
    return at > 0.0 ? at < (double)n->n[k] ? (size_t)at : n->n[k] - 1 : 0;
}

static size_t cell_of(const struct g4_lists *n, const double r[3], size_t at[3])
{
    double s[3];
    fraction(&n->cell, r, s);
    for (int k = 0; k < 3; k++)
        at[k] = cell_along(n, k, s[k]);
    return (at[0] * n->n[1] + at[1]) * n->n[2] + at[2];
}

/* Chooses cells at least far / ACROSS thick, and at most about as many as atoms. */
static void cells_shape(struct g4_lists *n, size_t natoms)
{
    double max = cbrt(2.0 * (double)natoms) + 1.0;
    for (int k = 0; k < 3; k++) {
        n->low[k] = 0.0;
        n->high[k] = 1.0;
        if (!n->cell.pbc[k]) {
            n->low[k] = HUGE_VAL;
            n->high[k] = -HUGE_VAL;
            for (size_t i = 0; i < natoms; i++) {
                double s[3];
                fraction(&n->cell, n->atom[i].r, s);
                n->low[k] = fmin(n->low[k], s[k]);
                n->high[k] = fmax(n->high[k], s[k]);
            }
        }
        double wide = (n->high[k] - n->low[k]) * box_width(&n->cell, k);
        n->n[k] = (size_t)fmax(1.0, fmin(max, floor(ACROSS * wide / n->far)));
    }
}

int g4_lists_begin(struct g4 *g, size_t span)
{
    struct g4_lists *n = g->lists;
    size_t at[3], count;
    if (lists_alloc(g))
        return -1;
    n->steps = span;
    lists_cell(g, span);
    pool_pieces(g->pool, place_task, g, g->natoms, 256);
    double max = 0.0;
    for (size_t i = 0; i < g->natoms; i++)
        max = fmax(max, n->atom[i].d);
    n->far = n->reach * n->stretch + 2.0 * max + n->margin;
    cells_shape(n, g->natoms);
    count = n->n[0] * n->n[1] * n->n[2];
    if (count + 2 > n->cells) {
        free(n->start);
        n->start = malloc((count + 2) * sizeof *n->start);
        n->cells = n->start ? count + 2 : 0;
        if (!n->start)
            return err_memory(&g->err, "cells");
    }
    memset(n->start, 0, (count + 2) * sizeof *n->start);
    for (size_t i = 0; i < g->natoms; i++)
        n->start[cell_of(n, n->atom[i].r, at) + 2]++;
    for (size_t k = 2; k < count + 2; k++)
        n->start[k] += n->start[k - 1];
    for (size_t i = 0; i < g->natoms; i++)
        n->sorted[n->start[cell_of(n, n->atom[i].r, at) + 1]++] = n->atom[i];
    n->windows++;
    return 0;
}

void g4_lists_kernel(const struct g4 *g, int comp, struct g4_near *t)
{
    memset(t, 0, sizeof *t);
    t->rows = g->window;
    t->stride = g->row_stride;
    t->steps = g->lists->steps;
    t->geom = g->geom;
    t->one_geom = g->boxes == 1;
    t->tri = g->tri;
    t->f64 = g->p.dtype == FRAME_F64;
    t->form = sum_pair_form(&g->p.sum);
    t->mesh = g->mesh ? &g->p.sum.plan : NULL;
    t->ncomp = g4_tile_comps(g);
    memcpy(t->component, g->p.component + comp, (size_t)t->ncomp * sizeof *t->component);
    memcpy(t->coef, g->p.coef + comp, (size_t)t->ncomp * sizeof *t->coef);
    t->w = g->p.factors ? g->p.factors->w : NULL;
}

/* ---- the list of an atom ---- */

/* Neighbours of cell `at` along one axis, each once. */
static int beside(const struct g4_lists *n, int k, size_t at, size_t out[2 * ACROSS + 1])
{
    long cells = (long)n->n[k];
    int count = 0;
    for (long s = -ACROSS; s <= ACROSS && count < cells; s++) {
        long m = (long)at + s;
        if (n->cell.pbc[k])
            m = (m % cells + cells) % cells;
        else if (m < 0 || m >= cells)
            continue;
        out[count++] = (size_t)m;
    }
    return count;
}

/* Appends the atoms of one cell that may be in range of a to the `have` atoms in near. */
static size_t candidates(const struct g4_lists *n, const struct placed *a, size_t cell,
                         uint32_t *near, size_t have)
{
    for (const struct placed *b = n->sorted + n->start[cell], *end = n->sorted + n->start[cell + 1];
         b < end; b++) {
        double d[3] = {a->r[0] - b->r[0], a->r[1] - b->r[1], a->r[2] - b->r[2]};
        double far = n->reach * n->stretch + n->margin + a->d + b->d;
        box_image(&n->cell, d);
        near[have] = b->id;
        have += b != a && (far > n->half || d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= far * far);
    }
    return have;
}

/* Moves the neighbours that form a selected pair to the front, in order; returns their number. */
static size_t counting(const struct factors *f, size_t i, uint32_t *near, size_t n)
{
    size_t kept = 0;
    double own;
    for (size_t k = 0; f && k < n; k++) {
        near[kept] = near[k];
        kept += factors_at(f, i, near[k], &own) != 0.0;
    }
    return f ? kept : n;
}

size_t g4_lists_near(const struct g4 *g, const struct g4_near *t, size_t k, int thread, size_t *i,
                     uint32_t **near)
{
    struct g4_lists *n = g->lists;
    const struct placed *a = &n->sorted[k];
    size_t at[3], side[3][2 * ACROSS + 1], have = 0;
    int count[3];
    cell_of(n, a->r, at);
    for (int c = 0; c < 3; c++)
        count[c] = beside(n, c, at[c], side[c]);
    for (int m = 0; m < count[0] * count[1] * count[2]; m++) {
        size_t x = side[0][m / (count[1] * count[2])], y = side[1][m / count[2] % count[1]];
        size_t cell = (x * n->n[1] + y) * n->n[2] + side[2][m % count[2]];
        size_t want = have + (n->start[cell + 1] - n->start[cell]) + 1;
        if (want > n->capacity[thread]) {
            size_t capacity = 2 * want > NEAR_FIRST ? 2 * want : NEAR_FIRST;
            uint32_t *v = realloc(n->near[thread], capacity * sizeof *v);
            if (!v)
                return SIZE_MAX;
            n->near[thread] = v;
            n->capacity[thread] = capacity;
        }
        have = candidates(n, a, cell, n->near[thread], have);
    }
    *i = a->id;
    *near = n->near[thread];
    have = SIMD_PICK(g4_near_keep)(t, a->id, *near, have);
    have = counting(g->p.factors, a->id, *near, have);
    __atomic_fetch_add(&n->listed, have, __ATOMIC_RELAXED);
    return have;
}
