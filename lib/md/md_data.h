/* SPDX-License-Identifier: MIT */
/*
 * md_data.h: LAMMPS data files as the start or the final state of a run: cell, mass, pair
 * potential, positions and velocities. Molecules, several atom types and tilted cells are refused.
 *
 * Files may use LAMMPS units metal (Å, ps, eV), lj, or, for reading only, real (Å, fs, kcal/mol).
 * The first line names the units ("units = metal", as write_data does); otherwise the units of the
 * run are assumed. The layout follows the LAMMPS manual, read_data.
 */
#ifndef MBF_MD_DATA_H
#define MBF_MD_DATA_H

#include "md/md_start.h"

/* Starts from the file (NULL or "-": stdin; gzip is accepted). Sets p, b and the fields of s that
 * were not given. Atoms are sorted by id, and image flags are applied; without velocities, new ones
 * are drawn. Returns 0, or -1 and sets e, which names file and line. */
int md_data_read(const char *path, struct md_setup *s, struct md_params *p,
                 struct md_start_state *b, struct err *e);

/* Writes the state of m as lines to put(to, line). Every number reads back as the same bits, except
 * that an atom beyond a periodic face is written inside the box with its image flags. Returns 0, or
 * -1 and sets e. */
int md_data_write(struct md *m, const struct md_setup *s, const struct md_params *p,
                  const char *made_by, void (*put)(void *to, const char *line), void *to,
                  struct err *e);

#endif
