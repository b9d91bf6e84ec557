/* SPDX-License-Identifier: MIT */
/*
 * atoms.h: some of the atoms of a trajectory, by species, by number, or both.
 *
 * atoms_choose reads who there is from META and rewrites META for those who stay;
 * traj_writer_gather (traj.h) then takes whole steps and writes the chosen rows.
 */
#ifndef MBF_ATOMS_H
#define MBF_ATOMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

struct atoms {
    const char *species;        /* wanted: "O,H"; NULL: all */
    uint64_t first, stop, step; /* wanted: atoms first, first + step, ... below stop, from 0 */
    size_t n;                   /* atoms that stay; set by atoms_choose */
    uint32_t *row;              /* [n] ascending: which those are; NULL: all of them */
};
#define ATOMS_ALL                                                                                  \
    {                                                                                              \
        .stop = UINT64_MAX, .step = 1                                                              \
    }

/*
 * The atoms of the trajectory that m describes: fills n and row (own; atoms_free), and sets
 * sys.natoms and sys.species of m to those, and sys.selected_of where some atom is left out. 0, or -1
 * with e: names that are not there, no names, no atom left.
 */
int atoms_choose(struct atoms *a, struct meta *m, struct err *e)
    __attribute__((warn_unused_result));
void atoms_free(struct atoms *a);

#ifdef __cplusplus
}
#endif
#endif
