/* SPDX-License-Identifier: MIT */
/* masses.h: the mass of each species, g/mol, from --masses A=M,... or, if the name of the species
 * is an element symbol, from a table. A site that carries only charge has mass 0. */
#ifndef MBF_MASSES_H
#define MBF_MASSES_H

#include "stats/pair_names.h"
#include "stats/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the standard atomic weight of an element, g/mol (IUPAC 2021, abridged; Prohaska and
 * others, Pure Appl Chem 94 (2022) 573), where D is hydrogen 2. Returns NaN for symbols that are
 * not in the table. */
double masses_of(const char *symbol);

/* Fills mass[names->nspecies]; `what` names the quantity that needs masses. Returns 0, or -1 and
 * sets e: a species without a mass, a mass below 0, no mass above 0, or a name that is not a
 * species. */
int masses_find(const struct weights *given, const struct pair_names *names, const char *what,
                double *mass, struct err *e) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
