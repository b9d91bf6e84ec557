/* SPDX-License-Identifier: MIT */
/* masses.h: finds the mass of each species, in g/mol. Masses are taken from the option --masses
 * A=M,... or, for names that are element symbols, from a table. A site that has only a charge has
 * the mass 0. */
#pragma once

#include "select/pair_names.h"
#include "select/weights.h"

/* Returns the standard atomic weight of an element in g/mol. The table contains the abridged values
 * of IUPAC 2021 (Prohaska and others, Pure Appl Chem 94 (2022) 573), and D for deuterium. For
 * unknown symbols, and for elements without a stable isotope such as Tc, returns NaN. */
double masses_of(const char *symbol);

/* Fills mass[names->nspecies], g/mol. The text `what` names the quantity that needs masses, for
 * error messages. Returns 0, or -1 with an error message in e if a species has no mass, a mass is
 * negative, all masses are 0, or a name in `given` is not a species. */
int masses_find(const struct weights *given, const struct pair_names *names, const char *what,
                double *mass, struct err *e) MUST_USE;
/* Sets the mass of each species that is not in the list `of`, such as "A,B", to 0. Returns 0, or -1
 * with an error message in e if a name is not a species, or if fewer than two atoms or no mass
 * remain. */
int masses_drift_of(const char *of, const struct pair_names *names, double *mass,
                    struct err *e) MUST_USE;
