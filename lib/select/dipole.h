/* SPDX-License-Identifier: MIT */
/* dipole.h: computes dipole moments of molecules from the charges of atoms (scalars.h). */
#pragma once

#include <stdbool.h>

#include "base/box.h"
#include "base/real.h"
#include "select/molecules.h"

#define DIPOLE_NEUTRAL 1e-6 /* largest |sum q|/sum |q| if neutral */

struct dipole {
    /* An atom has `each` scalars, and the scalar with the index `at` is its charge. */
    size_t at, each;
    bool unknown; /* no unit; otherwise e */
};

/* Finds the scalar "charge" or "q" of the atoms. Returns 0, or -1 with an error message in e if
 * this scalar is missing, or has a unit other than e. */
int dipole_open(struct dipole *c, const struct meta *m, struct err *e) MUST_USE;
/* Returns the charge of atom i, from the scalars of all atoms in a step. */
static inline double dipole_charge(const struct dipole *c, const void *scalars, bool f64, size_t i)
{
    return real_at(scalars, f64, i * c->each + c->at);
}
/* Sets d to the dipole moment of molecule k, for the positions `step`. Each atom is placed at the
 * periodic image nearest to the previous atom of the molecule. Returns the charge of the molecule,
 * which is exactly 0 for a neutral molecule, or NaN if the charge of an atom is unknown. */
double dipole_of(const struct dipole *c, const struct molecules *m, size_t k, const void *step,
                 const void *scalars, bool f64, const struct box *box, double d[3]);
