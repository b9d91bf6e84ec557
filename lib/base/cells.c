/* SPDX-License-Identifier: MIT */
#include "base/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/box.h"

#define CELLS_PIECE 16384 /* atoms per task */

static size_t cells_index(const struct cells *c, const double *r)
{
    size_t at = 0;
    for (int k = 0; k < 3; k++) {
        double s = r[k] / c->box[k];
        if (c->periodic)
            s -= floor(s);
        double m = s * c->n[k];
        int n = m > 0.0 ? m < c->n[k] ? (int)m : c->n[k] - 1 : 0;
        at = at * (size_t)c->n[k] + (size_t)n;
    }
    return at;
}

/* Uses at most as many cells as atoms, so that an empty box does not cost memory. */
static void cells_shape(struct cells *c, double width)
{
    double want[3], total = 1.0;
    for (int k = 0; k < 3; k++) {
        want[k] = fmax(1.0, fmin(floor(c->box[k] / width), 1e6));
        total *= want[k];
    }
    double shrink = total > (double)c->natoms ? cbrt((double)c->natoms / total) : 1.0;
    for (int k = 0; k < 3; k++)
        c->n[k] = (int)fmax(1.0, floor(want[k] * shrink));
}

/* The cell of each atom. */
struct cells_find {
    const struct cells *c;
    const double *r;
    size_t *at;
};

static void cells_find(void *ctx, size_t from, size_t to, int thread)
{
    struct cells_find *f = ctx;
    (void)thread;
    for (size_t i = from; i < to; i++)
        f->at[i] = cells_index(f->c, f->r + 3 * i);
}

int cells_build(struct cells *c, size_t natoms, const double *r, const double box[3], int periodic,
                double width, struct pool *pool)
{
    memset(c, 0, sizeof *c);
    c->natoms = natoms;
    c->periodic = periodic;
    memcpy(c->box, box, sizeof c->box);
    cells_shape(c, width);
    size_t n = (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
    c->start = calloc(n + 2, sizeof *c->start);
    c->atom = malloc((natoms + 1) * sizeof *c->atom);
    struct cells_find f = {c, r, malloc((natoms + 1) * sizeof *f.at)};
    if (c->start == NULL || c->atom == NULL || f.at == NULL) {
        free(f.at);
        cells_free(c);
        return -1;
    }
    pool_pieces(pool, cells_find, &f, natoms, CELLS_PIECE);
    for (size_t i = 0; i < natoms; i++)
        c->start[f.at[i] + 2]++;
    for (size_t k = 2; k < n + 2; k++)
        c->start[k] += c->start[k - 1];
    for (size_t i = 0; i < natoms; i++)
        c->atom[c->start[f.at[i] + 1]++] = i;
    free(f.at);
    return 0;
}

void cells_free(struct cells *c)
{
    free(c->start);
    free(c->atom);
    memset(c, 0, sizeof *c);
}

/* Lists the neighbouring cell numbers along one axis, each once, and returns their number. */
static int cells_along(const struct cells *c, int axis, int at, int out[3])
{
    int n = c->n[axis], count = 0;
    for (int s = -1; s <= 1; s++) {
        int m = at + s;
        if (c->periodic)
            m = (m + n) % n;
        else if (m < 0 || m >= n)
            continue;
        int seen = 0;
        for (int k = 0; k < count; k++)
            seen |= out[k] == m;
        if (!seen)
            out[count++] = m;
    }
    return count;
}

static int cells_in(const struct cells *c, const double *r, double rc2, size_t i, size_t cell,
                    cells_pair pair, void *ctx)
{
    for (size_t k = c->start[cell]; k < c->start[cell + 1]; k++) {
        size_t j = c->atom[k];
        if (j <= i)
            continue;
        double d[3], r2 = 0.0;
        for (int a = 0; a < 3; a++) {
            d[a] = r[3 * i + (size_t)a] - r[3 * j + (size_t)a];
            if (c->periodic)
                d[a] = box_image_f64(d[a], c->box[a], 1.0 / c->box[a]);
            r2 += d[a] * d[a];
        }
        int stop = r2 < rc2 ? pair(ctx, i, j, d, r2) : 0;
        if (stop)
            return stop;
    }
    return 0;
}

int cells_each(const struct cells *c, const double *r, double rc2, size_t from, size_t to,
               cells_pair pair, void *ctx)
{
    for (size_t i = from; i < to; i++) {
        size_t cell = cells_index(c, r + 3 * i), n1 = (size_t)c->n[1], n2 = (size_t)c->n[2];
        int at[3] = {(int)(cell / (n1 * n2)), (int)(cell / n2 % n1), (int)(cell % n2)}, near[3][3],
            count[3];
        for (int a = 0; a < 3; a++)
            count[a] = cells_along(c, a, at[a], near[a]);
        for (int k = 0; k < count[0] * count[1] * count[2]; k++) {
            size_t x = (size_t)near[0][k / (count[1] * count[2])],
                   y = (size_t)near[1][k / count[2] % count[1]];
            int stop = cells_in(c, r, rc2, i, (x * n1 + y) * n2 + (size_t)near[2][k % count[2]],
                                pair, ctx);
            if (stop)
                return stop;
        }
    }
    return 0;
}
