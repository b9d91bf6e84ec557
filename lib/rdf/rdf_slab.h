/* SPDX-License-Identifier: MIT */
/*
 * rdf_slab.h: width of a sample along non-periodic axes, where the ideal gas of g(r) must fill the
 * same space as the atoms. The cell vector of such an axis may be anything: the box in which the
 * atoms move, a vacuum around them, or a meaningless length.
 *
 * The width from atoms is extent * (N + 1)/(N - 1), which on average is the width that N random
 * atoms fill.
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
    double given;   /* Å, of the only non-periodic axis */
    double was, is; /* Å: widths of the cell and of its atoms if they differ in the first step */
    size_t natoms;
    bool f64;
};

/* Decides from the first step how the widths of a run are chosen. The argument given is
 * --thickness, or NaN if not given. The width of the cell is used if the atoms fill it. If atoms
 * lie beyond the cell, or leave more of it empty than an ideal gas would in one of a thousand
 * cases, the width of the atoms of each step is used. Returns 0, or -1 and sets e if a thickness is
 * given and not exactly one axis is non-periodic. */
int rdf_slab_begin(struct rdf_slab *s, double given, const struct traj_info *info,
                   const struct box *b, const void *pos, struct err *e) FRAME_MUST;
/* Computes the cell of a step that the ideal gas fills. Returns 0, or -1 and sets e if atoms lie
 * beyond the given thickness. */
int rdf_slab_box(const struct rdf_slab *s, const struct box *b, const void *pos, struct box *to,
                 struct err *e) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
