/* SPDX-License-Identifier: MIT */
/*
 * md_data.h: LAMMPS data files, of which a run is begun or to which it is left: cell, mass, pair,
 * positions, velocities. What md cannot do is refused: molecules, several types, tilted cells.
 *
 * Units: LAMMPS metal (Å, ps, eV), lj, and, to read, real (Å, fs, kcal/mol); a file says which in
 * its first line ("units = metal", as write_data has it) or is taken for those of the run. Source of
 * the layout: the LAMMPS manual, read_data.
 */
#ifndef MBF_MD_DATA_H
#define MBF_MD_DATA_H

#include "md/md_start.h"

/*
 * Start from the file (NULL or "-": stdin; gzip too): fills s (what was not given), p and b. Atoms
 * come in the order of their ids, image flags are counted in; without velocities they are fresh. 0,
 * or -1 with e, which names file and line.
 */
int md_data_read(const char *path, struct md_setup *s, struct md_params *p,
                 struct md_start_state *b, struct err *e);

/*
 * The state of m, line by line to put(to, line): every number reads back as the same bits, but an
 * atom beyond a periodic face is written inside, with its image flags. 0, or -1 with e.
 */
int md_data_write(struct md *m, const struct md_setup *s, const struct md_params *p,
                  const char *made_by, void (*put)(void *to, const char *line), void *to,
                  struct err *e);

#endif
