/* SPDX-License-Identifier: MIT */
/* g4_lists.c: neighbour lists of the CPU engine. For each window, the atoms are sorted into cells
 * at its middle step. Let D_i be the largest distance of atom i in any step of the window from its
 * position in the middle step. Minimum-image distances obey the triangle inequality, so a pair
 * within range R in some step is closer than R + D_i + D_j in the middle step. Of these candidates,
 * the kernel keeps the pairs that are in range in some step. If the cell changes, positions are
 * compared in fractional coordinates. A strain F stretches distances by at most ||F||.
 *
 * The list of an atom exists only while the atom is processed. A_i is computed from all its
 * neighbours, and G2 from its later neighbours, so that no two tasks add to the same number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "g4/g4_engine.h"
#include "near/near_grid.h"

#define COST 6.0        /* cost of a pair in range with its search (1 is the cost without lists) */
#define NEAR_FIRST 4096 /* initial room for candidates */
#define ACROSS 2        /* cells per range */

struct placed {
    double r[3], d; /* position in the cell of the middle step, and D_i */
    uint32_t id;
};

struct g4_lists {
    double reach;
    struct box cell; /* cell of the middle step, with inv on all axes (h is 1 without a cell) */
    double half;     /* half of its smallest width */
    double margin;   /* for rounding in single precision */
    double stretch;
    double (*map)[3][3]; /* [cap] from the cell of each step to the cell of the middle step */
    int same;            /* all steps have the same cell */
    double far;          /* range + 2 max D_i, or HUGE_VAL for all pairs */
    struct near_grid grid;
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

/* Returns the volume of the cell, using the extent of the atoms along non-periodic axes. */
static double volume(const struct g4 *g, const void *pos, const struct box *box)
{
    struct box c;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    whole_cell(box, &c);
    double v = fabs(box_volume(&c));
    for (size_t i = 0; i < g->natoms; i++) {
        double r[3], s[3];
        real_vector(pos, g->p.dtype == FRAME_F64, i, r);
        for (int k = 0; k < 3; k++) {
            s[k] = box_fraction(&c, r, k);
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
    if (!pos || !g4_lists_may(&g->p))
        return 0;
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
    return 2 * n * (sizeof(struct placed) + sizeof(uint32_t)) + (2 * n + 64) * sizeof(size_t) +
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
    near_grid_free(&n->grid);
    free(n->map);
    free(n);
}

void g4_lists_store(const struct g4 *g, const struct box *box, const void *pos, void *dst)
{
    for (size_t i = 0; i < g->natoms; i++) {
        double r[3];
        real_vector(pos, g->p.dtype == FRAME_F64, i, r);
        box_wrap(box, r);
        for (size_t k = 0; k < 3; k++)
            if (g->p.dtype == FRAME_F64)
                ((double *)dst)[g4_row(g, i, k)] = r[k];
            else
                ((float *)dst)[g4_row(g, i, k)] = (float)r[k];
    }
}

/* ---- cells of a window ---- */

/* Sets the cell of the middle step, and the strain of the other cells relative to it. */
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

/* Sets `r` to the position of atom i in step t, mapped to the cell of the middle step. */
static void place(const struct g4 *g, size_t i, size_t t, double r[3])
{
    const struct g4_lists *n = g->lists;
    double at[3];
    for (size_t k = 0; k < 3; k++)
        at[k] = real_at(g->window, g->p.dtype == FRAME_F64, g4_row(g, i, k) + t);
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

/* Sorts the atoms into cells. The cells are at least far / ACROSS thick, and there are at most
 * about as many cells as atoms. Returns 0, or -1 if out of memory. */
static int sort_atoms(struct g4_lists *n, size_t natoms)
{
    struct near_grid *g = &n->grid;
    double wide[3], s[3];
    for (int k = 0; k < 3; k++) {
        g->pbc[k] = n->cell.pbc[k];
        g->low[k] = g->pbc[k] ? 0.0 : HUGE_VAL;
        g->high[k] = g->pbc[k] ? 1.0 : -HUGE_VAL;
        for (size_t i = 0; !g->pbc[k] && i < natoms; i++) {
            s[k] = box_fraction(&n->cell, n->atom[i].r, k);
            g->low[k] = fmin(g->low[k], s[k]);
            g->high[k] = fmax(g->high[k], s[k]);
        }
        wide[k] = (g->high[k] - g->low[k]) * box_width(&n->cell, k);
    }
    near_grid_fit(g, wide, n->far, ACROSS, cbrt(2.0 * (double)natoms) + 1.0);
    if (near_grid_reserve(g, natoms))
        return -1;
    for (size_t i = 0; i < natoms; i++) {
        for (int k = 0; k < 3; k++) {
            s[k] = box_fraction(&n->cell, n->atom[i].r, k);
            s[k] -= g->pbc[k] ? floor(s[k]) : 0.0;
        }
        g->cell[i] = (uint32_t)near_grid_cell(g, s);
    }
    near_grid_sort(g);
    for (size_t k = 0; k < natoms; k++)
        n->sorted[k] = n->atom[g->order[k]];
    return 0;
}

int g4_lists_begin(struct g4 *g, size_t span)
{
    struct g4_lists *n = g->lists;
    if (lists_alloc(g))
        return -1;
    n->steps = span;
    lists_cell(g, span);
    pool_pieces(g->pool, place_task, g, g->natoms, 256);
    double max = 0.0;
    for (size_t i = 0; i < g->natoms; i++)
        max = fmax(max, n->atom[i].d);
    n->far = n->reach * n->stretch + 2.0 * max + n->margin;
    if (sort_atoms(n, g->natoms))
        return err_memory(&g->err, "cells");
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
    t->function = g->p.factors && g->p.factors->function.cells ? &g->p.factors->function : NULL;
}

/* ---- the list of an atom ---- */

/* Appends the sorted atoms that may be in range of atom a to the `have` atoms in `near`. */
static size_t candidates(const struct g4_lists *n, const struct placed *a, struct near_range range,
                         uint32_t *near, size_t have)
{
    for (const struct placed *b = n->sorted + range.from, *end = n->sorted + range.to; b < end;
         b++) {
        double d[3] = {a->r[0] - b->r[0], a->r[1] - b->r[1], a->r[2] - b->r[2]};
        double far = n->reach * n->stretch + n->margin + a->d + b->d;
        box_image(&n->cell, d);
        near[have] = b->id;
        have += b != a && (far > n->half || d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= far * far);
    }
    return have;
}

/* Moves the neighbours that form a selected pair to the front, in order. Returns their number. */
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
    struct near_range range[NEAR_RANGES];
    size_t have = 0, ranges = near_grid_ranges(&n->grid, n->grid.cell[a->id], false, range);
    for (size_t m = 0; m < ranges; m++) {
        size_t want = have + (range[m].to - range[m].from) + 1;
        if (want > n->capacity[thread]) {
            size_t capacity = 2 * want > NEAR_FIRST ? 2 * want : NEAR_FIRST;
            uint32_t *v = realloc(n->near[thread], capacity * sizeof *v);
            if (!v)
                return SIZE_MAX;
            n->near[thread] = v;
            n->capacity[thread] = capacity;
        }
        have = candidates(n, a, range[m], n->near[thread], have);
    }
    *i = a->id;
    *near = n->near[thread];
    have = SIMD_PICK(g4_near_keep)(t, a->id, *near, have);
    have = counting(g->p.factors, a->id, *near, have);
    __atomic_fetch_add(&n->listed, have, __ATOMIC_RELAXED);
    return have;
}
