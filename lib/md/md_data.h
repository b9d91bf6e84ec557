/* SPDX-License-Identifier: MIT */
/* md_data.h: reads the initial state of a run from a LAMMPS data file, and writes its final state
 * to a LAMMPS data file. The file contains the cell, the mass, the pair potential, the positions
 * and the velocities. Files with molecules, several atom types or tilted cells are refused.
 *
 * The files may use the LAMMPS unit styles `metal` (Å, ps, eV) or `lj`. Files that are read may
 * also use the style `real` (Å, fs, kcal/mol). The first line of a file may name the units, as
 * "units = metal" in files of write_data. If the first line names no units, the units of the run
 * are assumed. For the layout of the files, see read_data in the LAMMPS manual. */
#pragma once

#include "md/md_start.h"

/* Starts a run from a file, which may be compressed with gzip, or from stdin if `path` is NULL or
 * "-". Sets p, b and those members of s that the user did not give. Sorts the atoms by id, and
 * applies the image flags. If the file contains no velocities, generates random velocities. Returns
 * 0, or -1 with an error message in e that names the file and the line. */
int md_data_read(const char *path, struct md_setup *s, struct md_params *p,
                 struct md_start_state *b, struct err *e);

/* Writes the state of m as text, by calling put(to, line) for each line. Reading the file restores
 * all numbers bit for bit, except positions beyond a periodic face, which are written as positions
 * inside the box with image flags. Returns 0, or -1 with an error message in e. */
int md_data_write(struct md *m, const struct md_setup *s, const struct md_params *p,
                  const char *made_by, void (*put)(void *to, const char *line), void *to,
                  struct err *e);
