/* SPDX-License-Identifier: MIT */
/*
 * g4_lists.h: a sum over pairs that ends at a radius well inside the cell, by neighbour lists
 * instead of all pairs: what both engines of g4.h share: where beta ends, how many pairs that
 * leaves, and when lists pay.
 *
 * Steps come in windows [first origin, last origin + lags). A pair belongs to a window if it is in
 * reach in any step of it; beta is 0 exactly beyond the reach, so that a window's pairs give all
 * its products, and nothing need be remembered from window to window but positions and A_i.
 */
#ifndef MBF_G4_LISTS_H
#define MBF_G4_LISTS_H

#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "g4/g4.h"

/* May a run come to lists? Its first step decides, for shares, too. */
static inline int g4_lists_may(const struct g4_params *p)
{
    return p->method == G4_FACTORED && p->input == FRAME_POSN && !isinf(sum_reach(&p->sum));
}

/* Pairs of natoms that are in reach, were they spread evenly over a volume (Å³); at most all. */
static inline double g4_lists_pairs(size_t natoms, double volume, double reach)
{
    double all = 0.5 * (double)natoms * ((double)natoms - 1.0);
    double share = 4.0 / 3.0 * UNITS_PI * reach * reach * reach / volume;
    return share < 1.0 ? share * all : all;
}

#define G4_MESH_PAIR 2.0   /* cost of a pair in reach beside a mesh, against one of all of ewald */
#define G4_MESH_ATOM 300.0 /* of an atom on the mesh */
#define G4_MESH_BUT 20.0   /* of a listed pair that is taken off */
#define G4_MESH_GAIN 4.0   /* how much cheaper it must be, since G2 then leaves something out */

/* A sum that may have a mesh: has it one in such a cell? By the costs of a CPU on every
 * engine, so that all have the same functions. */
static inline void g4_lists_mesh(struct g4_params *p, const struct box *box)
{
    const struct factors *f = p->factors;
    double n = (double)p->natoms, all = 0.5 * n * (n - 1.0), atoms = f ? n * (double)f->groups : n;
    double but = f && f->listed ? 0.5 * (double)f->begin[p->natoms] : 0.0;
    struct err none;
    if (p->sum.mesh == SUM_MESH_NO)
        return;
    double pairs = g4_lists_pairs(p->natoms, fabs(box_volume(box)), sum_reach(&p->sum)),
           cost = pairs * G4_MESH_PAIR + atoms * G4_MESH_ATOM + but * G4_MESH_BUT;
    if (p->sum.mesh == SUM_MESH_MAY) {
        p->sum.mesh = SUM_MESH;
        if (!(G4_MESH_GAIN * cost < all) || sum_check(&p->sum, box, &none))
            p->sum.mesh = SUM_MESH_NO;
    }
    if (p->sum.mesh == SUM_MESH) { /* own images are those of atoms, not of pairs */
        p->sum.natoms = 0;
        p->sum.self = 0;
        p->sum.pairs = but > 0.0;
    }
}

#endif
