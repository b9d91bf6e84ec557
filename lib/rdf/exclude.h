/* SPDX-License-Identifier: MIT */
/* exclude.h: excludes pairs of atoms from a histogram, such as pairs within a molecule.
 *
 * The engines count all pairs, and the counts of the excluded pairs are then subtracted. The
 * subtraction is exact, because every engine, algorithm and device computes the distance and the
 * bin of a pair with the same bits (hist.h). The cost is proportional to the number of excluded
 * pairs. */
#pragma once

#include "rdf/rdf.h"
#include "select/pair_list.h"

struct exclude {
    struct pair_list list;
    int *set;         /* [nspecies²], index of the histogram, or -1 */
    uint64_t *of_set; /* excluded pairs, [npairs] */
    /* internal */
    struct rdf_params p;
    void *place; /* [natoms][3], bin widths */
};

/* Reads the pairs to exclude, with pair_list_open(text, meta). If `text` is NULL, no pair is
 * excluded. The parameters p are the same as for rdf_open, and the arrays to which p points must
 * exist as long as x. Returns 0 on success, or -1 with an error message in e. Call exclude_close
 * afterwards, also after an error. */
int exclude_open(struct exclude *x, const char *text, const struct meta *meta,
                 const struct rdf_params *p, struct err *e) FRAME_MUST;
/* Subtracts the excluded pairs of a step with positions pos[natoms][3] in Å from
 * counts[npairs][bins]. Counts are modulo 2^64, so the excluded pairs may be subtracted before the
 * engine adds its counts. */
void exclude_step(struct exclude *x, const struct box *box, const void *pos, uint64_t *counts);
/* Corrects the counts of pairs between an earlier and a later time. Subtracts the excluded pairs in
 * both orders in time and, unless `early` equals `late`, the pair of each atom with itself. Counts
 * the displacement of each atom, without periodic images, in the histogram self[q], where q is the
 * histogram for pairs of its species. Several threads may call exclude_between with different
 * counts. */
void exclude_between(const struct exclude *x, const int *self, const struct box *box,
                     const void *early, const void *late, uint64_t *counts);
void exclude_close(struct exclude *x); /* x may be all zero */
