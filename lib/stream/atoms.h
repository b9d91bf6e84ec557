/* SPDX-License-Identifier: MIT */
/*
 * atoms.h: selects atoms of a trajectory by species, by number or both.
 *
 * The function atoms_choose reads the atoms from META and rewrites META for the selected atoms.
 * The function traj_writer_gather then takes whole steps and writes only the selected atoms.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

struct atoms {
    const char *species;        /* the selected species, such as "O,H", or NULL for all */
    uint64_t first, stop, step; /* the atoms first, first + step, ... below stop */
    size_t n;                   /* set by atoms_choose */
    uint32_t *row;              /* [n] numbers of the selected atoms, ascending, or NULL for all */
};
#define ATOMS_ALL                                                                                  \
    {                                                                                              \
        .stop = UINT64_MAX, .step = 1                                                              \
    }

/* Selects atoms of the trajectory that m describes. Fills n and row. The caller frees row with
 * atoms_free. Sets sys.natoms and sys.species of m, and also sys.selected_of if not all atoms are
 * selected. Returns 0, or -1 and sets e if names are unknown or missing in m, or if no atom is
 * left. */
int atoms_choose(struct atoms *a, struct meta *m, struct err *e) MUST_USE;
void atoms_free(struct atoms *a);

C_LINKAGE_END
