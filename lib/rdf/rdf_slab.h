/* SPDX-License-Identifier: MIT */
/* rdf_slab.h: determines the width of a sample along non-periodic axes. The ideal gas with which
 * g(r) is compared must fill the same space as the atoms. Along a non-periodic axis, the length of
 * the cell may be the length of the box in which the atoms move, may include a vacuum, or may have
 * no meaning.
 *
 * The width of N atoms is therefore taken to be (N + 1)/(N - 1) times the distance between the
 * outermost atoms. For randomly placed atoms, the mean of the estimated width is the true width.
 * Atoms in one plane have no width, so g(r) is compared with an ideal gas in the area of the
 * cell. */
#pragma once

#include <stdbool.h>

#include "stream/traj.h"

enum rdf_slab_width {
    RDF_SLAB_NONE,
    RDF_SLAB_CELL,
    RDF_SLAB_ATOMS,
    RDF_SLAB_GIVEN,
    RDF_SLAB_PLANE
};
/* The names for META, indexed by the enum. If a value has no name, its entry is NULL. */
extern const char *const rdf_slab_names[];

struct rdf_slab {
    enum rdf_slab_width how;
    double given;   /* value of --thickness, Å */
    double was, is; /* width of the cell (was) and of the atoms (is), in Å */
    size_t natoms;
    bool f64;
    bool flat; /* whether the atoms of the first step lie in a plane although one or three axes are
                * periodic */
};

/* Decides, from the first step, how the widths in this run are determined. The argument `given` is
 * the value of --thickness, or NaN if the option was not given. If the atoms fill the cell, the
 * width of the cell is used. The width of the atoms in each step is used if atoms lie beyond the
 * cell, or if they leave more of the cell empty than an ideal gas would in 1 of 1000 cases. If the
 * atoms lie in one plane parallel to the two periodic axes, the area of the cell is used. If a
 * thickness is given but the number of non-periodic axes is not 1, returns -1 with an error message
 * in e. Otherwise, returns 0. */
int rdf_slab_begin(struct rdf_slab *s, double given, const struct traj_info *info,
                   const struct box *b, const void *pos, struct err *e) FRAME_MUST;
/* Computes the cell that the ideal gas fills in this step. Returns 0 on success. If atoms lie
 * beyond the given thickness or, with RDF_SLAB_PLANE, do not lie in one plane, returns -1 with an
 * error message in e. */
int rdf_slab_box(const struct rdf_slab *s, const struct box *b, const void *pos, struct box *to,
                 struct err *e) FRAME_MUST;
