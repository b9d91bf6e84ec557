/* SPDX-License-Identifier: MIT */
/* format_cell.h: converts the cell of a file to the form that streams use. Private to lib/formats.
 * The converted cell is right-handed and has three vectors, even for a slab. Cell vectors along the
 * axes are put in the order x, y, z. The conversion changes neither the lattice nor the
 * positions. */
#pragma once

/* Changes that were made. */
enum { FORMAT_CELL_COMPLETED = 1, FORMAT_CELL_REORDERED = 2, FORMAT_CELL_NEGATED = 4 };

/* Normalises the cell vectors cell[9] (rows) and the periodicity flags pbc[3] (one per vector) in
 * place. A zero vector along a non-periodic axis is replaced by a normal vector of length 1 Å.
 * Vectors along x, y and z in another order or direction are rearranged into a diagonal matrix, and
 * pbc[3] is reordered accordingly. Any other left-handed cell is made right-handed by negating one
 * vector. Returns the changes that were made. Invalid cells are detected later, by box_init(). */
int format_cell(double cell[9], int pbc[3]);
/* Returns a sentence for the user that describes the changes, or NULL without changes. */
const char *format_cell_changed(int changed);

/* Computes cell vectors as box_from_edges does, but an edge of 0 gives a zero vector. */
int format_cell_edges(const double edge[3], const double angle[3], double cell[9]);
