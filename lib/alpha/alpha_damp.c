/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "alpha/alpha_cell.h"
#include "alpha/alpha_solve.h"

int alpha_damp_pairs(struct alpha_job *j)
{
    const struct alpha_params *p = j->p;
    j->ndamped = 0;
    if (p->thole == ALPHA_BARE)
        return 0;
    double most = 0.0, reach = alpha_reach(p);
    int layers[3];
    for (size_t i = 0; i < j->n; i++)
        most = fmax(most, alpha_size(j->s + ALPHA_TENSOR * i));
    alpha_layers(p, j->box, reach * most, layers);
    for (size_t a = 0; a < j->n; a++)
        for (size_t b = a; b < j->n; b++) {
            const double *pa = j->pos + 3 * a, *pb = j->pos + 3 * b;
            double at[3] = {pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]},
                   size = sqrt(alpha_size(j->s + ALPHA_TENSOR * a) *
                               alpha_size(j->s + ALPHA_TENSOR * b));
            struct alpha_damped d = {a, b, {0}};
            box_image(j->box, at);
            if (!alpha_damp_images((int)p->thole, p->a, j->box, at, layers, a == b, reach, size,
                                   d.t))
                continue;
            if (j->ndamped == j->room) {
                size_t room = 2 * j->room + 256;
                struct alpha_damped *more = realloc(j->damped, room * sizeof *more);
                if (!more)
                    return -1;
                j->damped = more;
                j->room = room;
            }
            j->damped[j->ndamped++] = d;
        }
    return 0;
}
