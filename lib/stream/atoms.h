/* SPDX-License-Identifier: MIT */
/* atoms.h: selects atoms of a trajectory by species, by number or both.
 *
 * The function atoms_choose selects atoms by META and changes META to describe only these atoms.
 * After a call of traj_writer_gather, a writer receives whole steps and writes only these atoms. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

struct atoms {
    const char *species;        /* the selected species, such as "O,H", or NULL for all species */
    uint64_t first, stop, step; /* the atoms first, first + step, ... below stop */
    size_t n;                   /* set by atoms_choose */
    uint32_t *row;              /* [n] numbers of the selected atoms, ascending; NULL: all */
};
#define ATOMS_ALL                                                                                  \
    {                                                                                              \
        .stop = UINT64_MAX, .step = 1                                                              \
    }

/* Selects atoms of the trajectory that m describes. Sets the members n and `row`. The caller frees
 * `row` with atoms_free. Also sets sys.natoms and sys.species of m, and sys.selected_of unless all
 * atoms are selected. Returns 0 on success, or -1 with an error message in e if a name is unknown,
 * if m has no names, or if no atom is selected. */
int atoms_choose(struct atoms *a, struct meta *m, struct err *e) MUST_USE;
void atoms_free(struct atoms *a);

C_LINKAGE_END
