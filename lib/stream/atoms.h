/* SPDX-License-Identifier: MIT */
/* atoms.h: selects atoms of a trajectory by species, by number or by both.
 *
 * The function atoms_choose selects atoms with the help of META, and changes META to describe only
 * these atoms. After a call of traj_writer_gather, a writer receives whole steps but writes only
 * these atoms. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

struct atoms {
    const char *species;        /* selected species, such as "O,H", or NULL for all species */
    uint64_t first, stop, step; /* selected atoms: first, first + step, ... below stop */
    size_t n;                   /* set by atoms_choose */
    uint32_t *row;              /* numbers of the selected atoms in ascending order, [n]. NULL:
                                 * all */
};
#define ATOMS_ALL                                                                                  \
    {                                                                                              \
        .stop = UINT64_MAX, .step = 1                                                              \
    }

/* Selects atoms of the trajectory that the META m describes. Sets the members n and `row`. The
 * caller frees `row` with atoms_free. Also sets sys.natoms and sys.species in m and, unless all
 * atoms are selected, sys.selected_of. If a name is unknown, m contains no names, or no atom is
 * selected, returns -1 with an error message in e. Otherwise, returns 0. */
int atoms_choose(struct atoms *a, struct meta *m, struct err *e) MUST_USE;
void atoms_free(struct atoms *a);

C_LINKAGE_END
