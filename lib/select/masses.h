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

/* Fills the array mass[names->nspecies]. The text `what` names the quantity that needs masses, for
 * error messages. If a species has no mass, a mass is negative, all masses are 0, or a name is not
 * a species, returns -1 with an error message in e. Otherwise, returns 0. */
int masses_find(const struct weights *given, const struct pair_names *names, const char *what,
                double *mass, struct err *e) MUST_USE;
/* Sets the mass of each species that is not in the list `of`, such as "A,B", to 0. If a name is not
 * a species, or if fewer than two atoms or no mass remain, returns -1 and sets e. Otherwise,
 * returns 0. */
int masses_drift_of(const char *of, const struct pair_names *names, double *mass,
                    struct err *e) MUST_USE;
