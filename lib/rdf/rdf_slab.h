/* SPDX-License-Identifier: MIT */
/* rdf_slab.h: determines the width of a sample along non-periodic axes, because the ideal gas with
 * which g(r) is compared must fill the same space as the atoms. Along a non-periodic axis, the cell
 * may be the box in which the atoms move, may include a vacuum, or may have an arbitrary length.
 *
 * The width of N atoms is therefore taken to be (N + 1)/(N - 1) times the distance between the
 * outermost atoms. For randomly placed atoms, the mean of the estimated width is the true width.
 * For atoms in one plane, g(r) is compared with a two-dimensional ideal gas in the area of the
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
/* Names in META, indexed by rdf_slab_width. The entry of a value without a name is NULL. */
extern const char *const rdf_slab_names[];

struct rdf_slab {
    enum rdf_slab_width how;
    double given;   /* --thickness, Å */
    double was, is; /* Å, cell and atoms */
    size_t natoms;
    bool f64;
    /* Whether the atoms of the first step lie in a plane, although 1 or 3 axes are periodic. */
    bool flat;
};

/* Decides from the first step how the width of the sample is determined in this run. The argument
 * `given` is the value of --thickness in Å, or NaN if the user did not give this option. If the
 * atoms fill the cell, the width of the cell is used. The width of the atoms in each step is used
 * if atoms lie outside the cell, or if the atoms leave more of the cell empty than an ideal gas
 * would in 1 of 1000 cases. If the atoms lie in one plane parallel to the two periodic axes, the
 * area of the cell is used. Returns 0, or -1 with an error message in e if a thickness is given but
 * the number of non-periodic axes is not 1. */
int rdf_slab_begin(struct rdf_slab *s, double given, const struct traj_info *info,
                   const struct box *b, const void *pos, struct err *e) FRAME_MUST;
/* Sets *to to the cell that the ideal gas fills in a step. Returns 0, or -1 with an error message
 * in e if the atoms are spread over more than the given thickness or, with RDF_SLAB_PLANE, do not
 * lie in one plane. */
int rdf_slab_box(const struct rdf_slab *s, const struct box *b, const void *pos, struct box *to,
                 struct err *e) FRAME_MUST;
