/* SPDX-License-Identifier: MIT */
/* exclude.h: excludes pairs of atoms from a histogram, such as pairs within a molecule.
 *
 * The engines count all pairs, and the counts of the excluded pairs are then subtracted. The
 * subtraction is exact, because the distance and the bin of a pair have the same bits everywhere
 * (hist.h). The result does not depend on the engine, the algorithm or the device, and the cost is
 * proportional to the number of excluded pairs. */
#pragma once

#include "rdf/rdf.h"
#include "select/pair_list.h"

struct exclude {
    struct pair_list list;
    int *set;         /* index of the histogram for two species, or -1, [nspecies * nspecies] */
    uint64_t *of_set; /* number of excluded pairs in each histogram, [npairs] */
    /* internal */
    struct rdf_params p;
    void *place; /* positions in units of the bin width, [natoms][3] */
};

/* The arguments `text` and `meta` are passed to pair_list_open, and p has the same meaning as in
 * rdf_open. If `text` is NULL, no pair is excluded. The arrays to which p points must exist as long
 * as x. Returns 0 on success, or -1 with an error message in e. Call exclude_close afterwards, also
 * after an error. */
int exclude_open(struct exclude *x, const char *text, const struct meta *meta,
                 const struct rdf_params *p, struct err *e) FRAME_MUST;
/* Subtracts the excluded pairs of one step, with positions pos[natoms][3] in Å, from
 * counts[npairs][bins]. Counts are modulo 2^64, so that this function may be called before the
 * engine adds its counts. */
void exclude_step(struct exclude *x, const struct box *box, const void *pos, uint64_t *counts);
/* Completes the counts of pairs between two times. Subtracts the excluded pairs in both orders and,
 * unless both times are the same, the pair of each atom with itself. Counts the displacement of
 * each atom, without periodic images, in the histogram self[q], where q is the histogram for pairs
 * of its species. Several threads may call this function with different counts. */
void exclude_between(const struct exclude *x, const int *self, const struct box *box,
                     const void *early, const void *late, uint64_t *counts);
void exclude_close(struct exclude *x); /* x may be all zero */
