/* SPDX-License-Identifier: MIT */
/* dipole.h: finds the charges of atoms among their scalars (scalars.h), and computes the dipole
 * moments of molecules. */
#pragma once

#include <stdbool.h>

#include "base/box.h"
#include "base/real.h"
#include "select/molecules.h"

#define DIPOLE_NEUTRAL 1e-6 /* largest ratio |sum q| / sum |q| for a neutral molecule */

struct dipole {
    size_t at, each; /* index of the charge among the scalars of an atom, and number of scalars per
                      * atom */
    bool unknown;    /* whether the charges have no unit; if they have one, it is e */
};

/* Finds the scalar "charge" or "q" of the atoms. If there is no such scalar, or if its unit is not
 * e, returns -1 with an error message in e. Otherwise, returns 0. */
int dipole_open(struct dipole *c, const struct meta *m, struct err *e) MUST_USE;
/* Returns the charge of atom i. The argument `scalars` holds the scalars of all atoms in a step. */
static inline double dipole_charge(const struct dipole *c, const void *scalars, bool f64, size_t i)
{
    return real_at(scalars, f64, i * c->each + c->at);
}
/* Sets d to the dipole moment of molecule k, for the positions `step`. Each atom is placed at the
 * image that is nearest to the previous atom of the molecule. Returns the charge of the molecule,
 * which is exactly 0 if the molecule is neutral, or NaN if a charge is unknown. */
double dipole_of(const struct dipole *c, const struct molecules *m, size_t k, const void *step,
                 const void *scalars, bool f64, const struct box *box, double d[3]);
