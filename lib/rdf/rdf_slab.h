/* SPDX-License-Identifier: MIT */
/*
 * rdf_slab.h: how wide a sample is along axes that are not periodic, which the ideal gas of g(r) must
 * fill as the atoms do. The cell's vector there may be anything: the box that the atoms move in, vacuum
 * around them, or a length without a meaning.
 *
 * From atoms: extent * (N + 1)/(N - 1), which is the width on average of N atoms anywhere in it.
 */
#ifndef MBF_RDF_SLAB_H
#define MBF_RDF_SLAB_H

#include <stdbool.h>

#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rdf_slab_width { RDF_SLAB_NONE, RDF_SLAB_CELL, RDF_SLAB_ATOMS, RDF_SLAB_GIVEN };
/* For META, by enum: NULL, "cell", "atoms", NULL. */
extern const char *const rdf_slab_names[];

struct rdf_slab {
    enum rdf_slab_width how;
    double given;   /* Å, of the only axis that is not periodic */
    double was, is; /* Å: widths of the cell and of its atoms where they differ in the first step */
    size_t natoms;
    bool f64;
};

/*
 * How the widths of a run are chosen, by its first step. given: --thickness; NaN: not. The cell's where
 * the atoms fill it. Else, where atoms lie beyond it, or leave more of it empty than atoms of an ideal
 * gas would once in a thousand times, those of the atoms of each step. 0, or -1 with e: not one axis for
 * a thickness.
 */
int rdf_slab_begin(struct rdf_slab *s, double given, const struct traj_info *info,
                   const struct box *b, const void *pos, struct err *e) FRAME_MUST;
/* The cell of a step that the ideal gas fills. 0, or -1 with e: atoms beyond the thickness given. */
int rdf_slab_box(const struct rdf_slab *s, const struct box *b, const void *pos, struct box *to,
                 struct err *e) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
