/* SPDX-License-Identifier: MIT */
/* topology.h: reads names and residues of atoms from a GRO or PDB file, for a trajectory without
 * names. Only the first frame or model is read.
 *
 * If every atom of a PDB file has an element, names are the elements (Na for NA); otherwise they
 * are the atom names (OW, HW1). A residue is a sequence of atoms with the same residue number,
 * name, chain and insertion code and without a TER record between them. */
#ifndef MBF_TOPOLOGY_H
#define MBF_TOPOLOGY_H

#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the names of info->natoms atoms in info->species and info->names, as types that --species
 * can rename. Writes each residue of two or more atoms to the file `molecules` (unless NULL), as
 * one line of atom numbers from 0. Returns 0, or -1 and sets *e. */
int topology_read(const char *path, const char *molecules, struct format_info *info, struct err *e)
    __attribute__((warn_unused_result));
/* Writes each molecule of two or more atoms to a file, as one line of atom numbers from 0.
 * molecule[] is the molecule number of each atom; 0 means no molecule. Returns 0, or -1 and sets
 * *e. */
int topology_molecules(const char *path, const int64_t *molecule, size_t natoms, struct err *e)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
