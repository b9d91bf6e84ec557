/* SPDX-License-Identifier: MIT */
/* topology.h: reads names and residues of atoms from a GRO, PDB or PSF file, for a trajectory
 * without names. Only the first frame or model of the file is read. If every atom in a PDB file has
 * an element, the atoms are named by element, such as Na for NA. If any element is missing, the
 * atom names are used, such as OW and HW1. A residue consists of consecutive atoms with the same
 * residue number, name, chain and insertion code, and ends at a TER record. */
#pragma once

#include "formats/format.h"

/* Stores the names of the info->natoms atoms in info->species and info->names, as types that
 * --species can rename. If `elements` is set, the names are the elements of the atoms (elements.h).
 * Unless `molecules` is NULL, writes one line per residue of two or more atoms to the file
 * `molecules`. Each line lists the indices of the atoms, counted from 0. Returns 0, or -1 with an
 * error message in *e. */
int topology_read(const char *path, const char *molecules, bool elements, struct format_info *info,
                  struct err *e) MUST_USE;
/* Writes one line to the file `path` for each molecule of two or more atoms. Each line lists the
 * indices of the atoms, counted from 0. The array molecule[natoms] holds the number of the molecule
 * of each atom, or 0 for an atom in no molecule. Returns 0, or -1 with an error message in *e. */
int topology_molecules(const char *path, const int64_t *molecule, size_t natoms,
                       struct err *e) MUST_USE;
