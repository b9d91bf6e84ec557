/* SPDX-License-Identifier: MIT */
/* g4_lists.h: decides on neighbour lists for pair sums whose range is much smaller than the cell,
 * for both engines of g4.h.
 *
 * A window consists of consecutive time origins and the lags - 1 steps after the last origin. A
 * pair is listed in a window if it is in range in any step of the window. Beta is exactly 0 beyond
 * its range, so the listed pairs give all products of the window. Only positions and A_i are kept
 * from one window to the next. */
#pragma once

#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "g4/g4.h"

/* Returns true if neighbour lists are possible, so that g4_open decides from the first step. */
static inline int g4_lists_may(const struct g4_params *p)
{
    return p->method == G4_FACTORED && p->input == FRAME_POSN && !isinf(sum_reach(&p->sum));
}

/* Returns the number of pairs closer than `reach` (in Å) if natoms atoms are spread evenly over a
 * volume of `volume` Å³, but at most the number of all pairs. */
static inline double g4_lists_pairs(size_t natoms, double volume, double reach)
{
    double all = 0.5 * (double)natoms * ((double)natoms - 1.0);
    double share = 4.0 / 3.0 * UNITS_PI * reach * reach * reach / volume;
    return share < 1.0 ? share * all : all;
}

/* Costs below are divided by the cost of a pair in the Ewald sum. */
#define G4_MESH_PAIR 2.0   /* per pair in range */
#define G4_MESH_ATOM 300.0 /* per atom */
#define G4_MESH_BUT 20.0   /* per listed pair (factors.h) */
#define G4_MESH_GAIN 4.0   /* smallest speed-up */

/* Decides whether a run uses a mesh, if the sum allows a mesh. The cell of the first step is `box`,
 * or NULL if there is no step. All engines decide by the costs on a CPU, so that every engine
 * computes the same functions. */
static inline void g4_lists_mesh(struct g4_params *p, const struct box *box)
{
    const struct factors *f = p->factors;
    double n = (double)p->natoms, all = 0.5 * n * (n - 1.0), atoms = f ? n * (double)f->groups : n;
    double but = f && f->listed ? 0.5 * (double)f->begin[p->natoms] : 0.0;
    struct err none;
    if (!box || p->sum.mesh == SUM_MESH_NO || !g4_lists_may(p))
        return;
    double pairs = g4_lists_pairs(p->natoms, fabs(box_volume(box)), sum_reach(&p->sum)),
           cost = pairs * G4_MESH_PAIR + atoms * G4_MESH_ATOM + but * G4_MESH_BUT;
    if (p->sum.mesh == SUM_MESH_MAY) {
        p->sum.mesh = SUM_MESH;
        if (!(G4_MESH_GAIN * cost < all) || sum_check(&p->sum, box, &none))
            p->sum.mesh = SUM_MESH_NO;
    }
    if (p->sum.mesh == SUM_MESH) { /* images belong to atoms */
        p->sum.natoms = 0;
        p->sum.self = 0;
        p->sum.pairs = but > 0.0;
    }
}
