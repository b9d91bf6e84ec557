/* SPDX-License-Identifier: MIT */
/*
 * masses.h: the mass of each species, g/mol: as given by --masses A=M,..., else by its name, where
 * that is the symbol of an element. 0 is the mass of a site that only carries charge.
 */
#ifndef MBF_MASSES_H
#define MBF_MASSES_H

#include "stats/pair_names.h"
#include "stats/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Standard atomic weight of an element, g/mol (IUPAC 2021, abridged; T. Prohaska et al., Pure Appl.
 * Chem. 94 (2022) 573); D is hydrogen 2. NaN: no such symbol, or no stable isotope. */
double masses_of(const char *symbol);

/* mass[names->nspecies]; what: who needs them. 0, or -1 with e: a species without one, a mass below 0, none
 * above 0, a name that is no species. */
int masses_find(const struct weights *given, const struct pair_names *names, const char *what,
                double *mass, struct err *e) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
