/* SPDX-License-Identifier: MIT */
/*
 * format_cell.h: private to lib/formats. The cell of a file as a stream carries it: right-handed, along x,
 * y and z where its vectors lie along axes, and with a third vector where a slab has none. The lattice
 * of its periodic vectors is the same, and positions stay as they are.
 */
#ifndef MBF_FORMAT_CELL_H
#define MBF_FORMAT_CELL_H

#ifdef __cplusplus
extern "C" {
#endif

/* What was changed, as bits. */
enum { FORMAT_CELL_COMPLETED = 1, FORMAT_CELL_REORDERED = 2, FORMAT_CELL_NEGATED = 4 };

/*
 * cell (rows are vectors) and pbc (along them), in place. A vector of 0 along an axis that is not
 * periodic becomes the unit normal of the others, 1 Å long: it has no length of its own. Vectors along
 * x, y and z in another order, or backwards, become diagonal, and pbc follows them; those of another
 * left-handed cell are made right-handed by the negative of one. Returns what was changed; what cannot
 * be mended is left for box_init to refuse.
 */
int format_cell(double cell[9], int pbc[3]);
/* The sentence about it for a user; NULL: nothing was changed. */
const char *format_cell_changed(int changed);

/* As box_from_edges, but an edge of 0 gives a vector of 0. */
int format_cell_edges(const double edge[3], const double angle[3], double cell[9]);

#ifdef __cplusplus
}
#endif
#endif
