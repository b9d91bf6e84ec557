/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "alpha/alpha_cell.h"
#include "alpha/alpha_solve.h"

struct damping {
    struct alpha_job *j;
    double reach; /* range in units of the size of a pair */
};

/* Adds a pair to the list if it is damped. Returns 0, or -1 if out of memory. */
static int damp_pair(const struct damping *d, size_t a, size_t b)
{
    struct alpha_job *j = d->j;
    const struct alpha_params *p = j->p;
    const double *pa = j->pos + 3 * a, *pb = j->pos + 3 * b;
    double at[3] = {pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]};
    struct alpha_damped t = {(uint32_t)a, (uint32_t)b, {0}};
    box_image(j->box, at);
    if (!alpha_damp_images((int)p->thole, p->a, j->box, at, a == b, d->reach,
                           sqrt(j->size[a] * j->size[b]), t.t))
        return 0;
    if (j->ndamped == j->capacity) {
        size_t capacity = 2 * j->capacity + 256;
        struct alpha_damped *more = realloc(j->damped, capacity * sizeof *more);
        if (!more)
            return -1;
        j->damped = more;
        j->capacity = capacity;
    }
    j->damped[j->ndamped++] = t;
    return 0;
}

/* If there are many sites, uses cells to find each pair within the distance `far` once. All images
 * in range are minimum images. */
static int damp_cells(const struct damping *d, const struct box *cell, double far)
{
    struct alpha_job *j = d->j;
    struct near_grid *c = &j->cells;
    struct near_range r[ALPHA_RANGES];
    double *at = j->mem; /* not yet in use */
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = 0; k < 3; k++) {
            const double *x = j->pos + 3 * i;
            double s = box_fraction(cell, x, k);
            at[k * j->stride + i] = s - floor(s);
        }
    if (alpha_sort(c, j->n, j->stride, at, cell, far))
        return -1;
    for (size_t k = 0; k < near_grid_cells(c); k++) {
        size_t ranges = near_grid_ranges(c, k, false, r);
        for (size_t i = c->start[k]; i < c->start[k + 1]; i++)
            for (size_t m = 0; m < ranges; m++)
                for (size_t o = r[m].from > i ? r[m].from : i + 1; o < r[m].to; o++)
                    if (damp_pair(d, c->order[i], c->order[o]))
                        return -1;
    }
    return 0;
}

int alpha_damp_pairs(struct alpha_job *j, double reach)
{
    const struct alpha_params *p = j->p;
    struct damping d = {.j = j, .reach = reach};
    double max = 0.0;
    j->ndamped = 0;
    if (p->thole == ALPHA_BARE)
        return 0;
    if (!j->size && !(j->size = malloc(j->n * sizeof *j->size)))
        return -1;
    for (size_t i = 0; i < j->n; i++) {
        j->size[i] = alpha_size(j->s + ALPHA_TENSOR * i);
        max = fmax(max, j->size[i]);
    }
    if (p->periodic && j->n > ALPHA_PAIRS_MAX && d.reach * max <= box_half_width(j->cell))
        return damp_cells(&d, j->cell, d.reach * max);
    for (size_t a = 0; a < j->n; a++)
        for (size_t b = a; b < j->n; b++)
            if (damp_pair(&d, a, b))
                return -1;
    return 0;
}
