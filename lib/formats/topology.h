/* SPDX-License-Identifier: MIT */
/*
 * topology.h: names and residues of atoms from a GRO or a PDB file, for a trajectory that lacks
 * them. Only the first frame or model is read.
 *
 * Names are those of the element columns where every atom of a PDB file has one (Na, of NA), else
 * the names of the atoms (OW, HW1). Residues are runs of atoms of one residue number, name,
 * chain and insertion code, without a TER between them.
 */
#ifndef MBF_TOPOLOGY_H
#define MBF_TOPOLOGY_H

#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names of info->natoms atoms into info->species and names, as types that --species may name
 * otherwise; the residues of two atoms or
 * more, a line of atoms counted from 0 each, into that file (NULL: nowhere).
 * 0, or -1 with "PATH: line N: expected ..., found ...". */
int topology_read(const char *path, const char *molecules, struct format_info *info, struct err *e)
    __attribute__((warn_unused_result));
/* The molecules of two atoms or more into that file, a line of atoms counted from 0 each, by the number
 * of each atom's molecule; 0: in none. 0, or -1 with e. */
int topology_molecules(const char *path, const int64_t *molecule, size_t natoms, struct err *e)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
