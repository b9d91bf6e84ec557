/* SPDX-License-Identifier: MIT */
/* masses.h: finds the mass of each species in g/mol. Masses come from the option --masses A=M,...
 * or, if names are element symbols, from a table. A site that has only a charge has mass 0. */
#pragma once

#include "select/pair_names.h"
#include "select/weights.h"

/* Returns the standard atomic weight of an element in g/mol. The table contains the abridged values
 * of IUPAC 2021 (Prohaska and others, Pure Appl Chem 94 (2022) 573), and D for deuterium. Returns
 * NaN for unknown symbols and elements without a stable isotope, such as Tc. */
double masses_of(const char *symbol);

/* Fills mass[names->nspecies]. The text `what` names the quantity that needs masses, for messages.
 * Returns 0 on success, or -1 with an error message in e if a species has no mass, a mass is
 * negative, all masses are 0, or a name is not a species. */
int masses_find(const struct weights *given, const struct pair_names *names, const char *what,
                double *mass, struct err *e) MUST_USE;
/* Sets to 0 the mass of each species that is not in the list `of`, "A,B". Returns 0, or -1 and sets
 * e if a name is not a species, or if fewer than two atoms or no mass are left. */
int masses_drift_of(const char *of, const struct pair_names *names, double *mass,
                    struct err *e) MUST_USE;
