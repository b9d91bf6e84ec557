/* SPDX-License-Identifier: MIT */
/* charges.h: finds the charge of each atom from the value of --charges, a list or a file. */
#pragma once

#include "base/err.h"
#include "stream/meta.h"

/* Fills charge[natoms], in units of e. The argument `text` is a list "A=Q,B=Q..." with the charge
 * of each species in m, or the path of a file with one charge per line, in the order of the atoms.
 * Empty lines in this file and text after '#' are ignored. The file may also be a GROMACS topology
 * or a PQR file, in which the charge of an atom is the last word but one in its ATOM or HETATM
 * line. Returns 0 on success. Returns -1 with an error message in e if a species or an atom has no
 * charge, if the file has more charges than atoms, or if a name is not a species. A charge that is
 * not a number between -1e6 and 1e6 is also an error, and so is a PQR file in which every charge is
 * 1. */
int charges_find(const char *text, const struct meta *m, size_t natoms, double *charge,
                 struct err *e) MUST_USE;
