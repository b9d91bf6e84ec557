/* SPDX-License-Identifier: MIT */
/* charges.h: finds the charge of each atom, in units of e, from the value of --charges, which is a
 * list A=Q,... or a file. */
#pragma once

#include "base/err.h"
#include "stream/meta.h"

/* Fills charge[natoms]. The argument `text` is a list "A=Q,B=Q..." with the charge of each species
 * in m. If `text` is not a list, it is the path of a file with one charge per line, in the order of
 * the atoms. Empty lines in this file and text after '#' are ignored. In a PQR file, the charge of
 * an atom is the word before the last one in its ATOM or HETATM line. The file may also be a
 * GROMACS topology. Returns 0 on success. Returns -1 with an error message in e if a species or an
 * atom has no charge, if the file has more charges than atoms, or if a name is not a species. A
 * charge that is not a number between -1e6 and 1e6 is also an error, and so is a PQR file in which
 * every charge is 1. */
int charges_find(const char *text, const struct meta *m, size_t natoms, double *charge,
                 struct err *e) MUST_USE;
