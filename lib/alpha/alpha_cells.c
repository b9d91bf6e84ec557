/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_cells.h"

#include <stdlib.h>
#include <string.h>

size_t alpha_cells_count(const struct alpha_cells *c)
{
    return (size_t)c->cells[0] * (size_t)c->cells[1] * (size_t)c->cells[2];
}

void alpha_cells_free(struct alpha_cells *c)
{
    free(c->start);
    free(c->order);
}

static size_t cell_of(const struct alpha_cells *c, size_t stride, const double *at, size_t i)
{
    size_t k = 0;
    for (size_t a = 0; a < 3; a++) {
        int n = (int)(at[a * stride + i] * c->cells[a]);
        k = k * (size_t)c->cells[a] + (size_t)(n < c->cells[a] ? n : c->cells[a] - 1);
    }
    return k;
}

/* Offsets from..to along an axis that cover all cells in range, each once. */
static void offsets(const struct alpha_cells *c, int axis, int *from, int *to)
{
    int all = c->cells[axis], side = c->reach[axis];
    *from = 2 * side + 1 >= all ? 0 : -side;
    *to = 2 * side + 1 >= all ? all - 1 : side;
}

size_t alpha_cells_short_range(const struct alpha_cells *c, size_t k,
                               struct alpha_range r[ALPHA_CELLS_RANGES])
{
    const int *n = c->cells;
    int at[3] = {(int)(k / ((size_t)n[1] * (size_t)n[2])), (int)(k / (size_t)n[2]) % n[1],
                 (int)(k % (size_t)n[2])};
    int from[3], to[3];
    size_t ranges = 0;
    for (int a = 0; a < 3; a++)
        offsets(c, a, &from[a], &to[a]);
    int low = from[2] ? at[2] + from[2] : 0, high = from[2] ? at[2] + to[2] : n[2] - 1;
    for (int i = from[0]; i <= to[0]; i++)
        for (int j = from[1]; j <= to[1]; j++) {
            size_t x = (size_t)((at[0] + i + n[0]) % n[0]), y = (size_t)((at[1] + j + n[1]) % n[1]);
            const size_t *column = c->start + (x * (size_t)n[1] + y) * (size_t)n[2];
            int first = low < 0 ? 0 : low, last = high >= n[2] ? n[2] - 1 : high;
            r[ranges++] = (struct alpha_range){column[first], column[last + 1]};
            if (low < 0)
                r[ranges++] = (struct alpha_range){column[low + n[2]], column[n[2]]};
            if (high >= n[2])
                r[ranges++] = (struct alpha_range){column[0], column[high - n[2] + 1]};
        }
    return ranges;
}

static int cells_room(struct alpha_cells *c, size_t n)
{
    size_t cells = alpha_cells_count(c);
    if (!c->order && !(c->order = malloc(n * sizeof *c->order)))
        return -1;
    if (cells + 1 > c->capacity) {
        free(c->start);
        c->start = malloc((cells + 1) * sizeof *c->start);
        c->capacity = c->start ? cells + 1 : 0;
    }
    return c->start ? 0 : -1;
}

int alpha_cells_sort(struct alpha_cells *c, size_t n, size_t stride, const double *at,
                     const struct box *b, double reach)
{
    struct alpha_range r[ALPHA_CELLS_RANGES];
    c->n = n;
    for (int a = 0; a < 3; a++) {
        double width = box_width(b, a), max = cbrt((double)n) + 1.0;
        c->cells[a] = (int)fmax(1.0, fmin(floor(2.0 * width / reach), 4.0 * max));
        c->reach[a] = (int)ceil(reach * c->cells[a] / width);
    }
    if (cells_room(c, n))
        return -1;
    size_t cells = alpha_cells_count(c);
    memset(c->start, 0, (cells + 1) * sizeof *c->start);
    for (size_t i = 0; i < n; i++)
        c->start[cell_of(c, stride, at, i) + 1]++;
    for (size_t k = 0; k < cells; k++)
        c->start[k + 1] += c->start[k];
    for (size_t i = 0; i < n; i++)
        c->order[c->start[cell_of(c, stride, at, i)]++] = (uint32_t)i;
    memmove(c->start + 1, c->start, cells * sizeof *c->start);
    c->start[0] = 0;
    c->pairs = c->ranges = 0;
    for (size_t k = 0; k < cells; k++) {
        size_t ranges = alpha_cells_short_range(c, k, r), pairs = 0;
        for (size_t m = 0; m < ranges; m++)
            pairs += r[m].to - r[m].from;
        c->pairs = pairs > c->pairs ? pairs : c->pairs;
        c->ranges = ranges > c->ranges ? ranges : c->ranges;
    }
    return 0;
}
