/* SPDX-License-Identifier: MIT */
/* charges_top.h: reads the charges of atoms from a GROMACS topology (TOP or ITP). */
#pragma once

#include <stdbool.h>

#include "io/lines.h"

#define CHARGES_MAX 1e6 /* units of e */

/* Sets *charge to the number in `text`. Returns 0, or -1 and sets e if it is not a number from
 * -CHARGES_MAX to CHARGES_MAX. */
int charges_number(const char *text, double *charge, struct err *e) MUST_USE;

/* Returns whether the first line of a file with some content begins a topology: a section, a
 * comment after ';', or a preprocessor command of GROMACS. */
bool charges_top_begins(const char *line);
/* Reads the charges of the natoms atoms of a topology. The line in l is its first line, and `l` is
 * read to its end. Commands such as #include and #ifdef are evaluated as in GROMACS without -D and
 * -I. A file without [ molecules ] is one molecule of its only type. Returns 0, or -1 and sets e
 * with the file and the line. Reference: GROMACS reference manual, "Topology file". */
int charges_top(struct lines *l, size_t natoms, double *charge, struct err *e) MUST_USE;
