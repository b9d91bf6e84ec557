/* SPDX-License-Identifier: MIT */
/* charges_top.h: reads the charges of atoms from a GROMACS topology (TOP or ITP). */
#pragma once

#include <stdbool.h>

#include "io/lines.h"

#define CHARGES_MAX 1e6 /* units of e */

/* Sets *charge to the number in `text`. If the charge is not a number from -CHARGES_MAX to
 * CHARGES_MAX, returns -1 and sets e. Otherwise, returns 0. */
int charges_number(const char *text, double *charge, struct err *e) MUST_USE;

/* Returns whether the first line of a file that has content begins a topology. A topology begins
 * with a section, a comment after ';', or a preprocessor command of GROMACS. */
bool charges_top_begins(const char *line);
/* Reads the charges of the natoms atoms of a topology. The line in l is the first line of the
 * topology, and `l` is read to its end. Commands such as #include and #ifdef are evaluated as in
 * GROMACS without the options -D and -I. A file without the section [ molecules ] describes one
 * molecule of its only type. On failure, returns -1 and sets e to a message with the file and the
 * line. Otherwise, returns 0. Reference: For the format, see "Topology file" in the GROMACS
 * reference manual. */
int charges_top(struct lines *l, size_t natoms, double *charge, struct err *e) MUST_USE;
