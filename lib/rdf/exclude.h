/* SPDX-License-Identifier: MIT */
/*
 * exclude.h: pairs of atoms that a histogram excludes, such as those within a molecule.
 *
 * The engines count all pairs, and the counts of the excluded pairs are then subtracted. This is
 * exact, because hist.h defines distance and bin to the last bit. The result is the same for every
 * engine, algorithm and device, and the cost is proportional to the number of excluded pairs.
 */
#ifndef MBF_EXCLUDE_H
#define MBF_EXCLUDE_H

#include "rdf/rdf.h"
#include "stats/pair_list.h"

#ifdef __cplusplus
extern "C" {
#endif

struct exclude {
    struct pair_list list;
    int *set;         /* [nspecies * nspecies]: the set of a pair of species; -1: no set */
    uint64_t *of_set; /* [npairs]: number of excluded pairs in each set */
    /* internal */
    struct rdf_params p;
    void *place; /* [natoms][3], bin widths */
};

/* text and meta are as for pair_list_open, p as for rdf_open; the pointers in p must outlive x.
 * Returns 0, or -1 and sets e; call exclude_close in either case. */
int exclude_open(struct exclude *x, const char *text, const struct meta *meta,
                 const struct rdf_params *p, struct err *e) FRAME_MUST;
/* Subtracts the pairs of one step, pos [natoms][3] (Å), from counts [npairs][bins] modulo 2^64, so
 * it may be called before the engine adds its own counts. */
void exclude_step(struct exclude *x, const struct box *box, const void *pos, uint64_t *counts);
void exclude_close(struct exclude *x); /* x may be all zero */

#ifdef __cplusplus
}
#endif
#endif
