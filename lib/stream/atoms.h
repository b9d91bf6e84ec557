/* SPDX-License-Identifier: MIT */
/* atoms.h: selects atoms of a trajectory by species, by number or by both.
 *
 * The function atoms_choose changes META to describe only the selected atoms. After a call of
 * traj_writer_gather, a writer receives whole steps but writes only the selected atoms. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

struct atoms {
    const char *species;        /* such as "O,H"; NULL: all */
    uint64_t first, stop, step; /* Atoms first, first + step, ... below stop. */
    size_t n;                   /* set by atoms_choose */
    uint32_t *row;              /* [n], ascending; NULL: all */
};
#define ATOMS_ALL                                                                                  \
    {                                                                                              \
        .stop = UINT64_MAX, .step = 1                                                              \
    }

/* Selects atoms of the trajectory that the META m describes, and sets the members n and `row`. Sets
 * sys.natoms and sys.species in m and, unless all atoms are selected, sys.selected_of. Returns 0,
 * or -1 with an error message in e if a name is unknown, m contains no names, or no atom is
 * selected. The caller frees `row` with atoms_free. */
int atoms_choose(struct atoms *a, struct meta *m, struct err *e) MUST_USE;
void atoms_free(struct atoms *a);

C_LINKAGE_END
