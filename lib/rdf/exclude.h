/* SPDX-License-Identifier: MIT */
/*
 * exclude.h: pairs of atoms that a histogram leaves out, such as those within a molecule.
 *
 * The engines count all pairs; what these pairs added is taken off again, to the integer, since
 * distance and bin are hist.h's to the last bit. So every engine, algorithm and device excludes
 * alike, for the cost of the excluded pairs alone.
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
    int *set;         /* [nspecies * nspecies]: the set of a pair of species; -1: of none */
    uint64_t *of_set; /* [npairs]: how many of the pairs a set holds */
    /* own */
    struct rdf_params p;
    void *place; /* [natoms][3], bin widths */
};

/*
 * text, meta: as for pair_list_open. p as for rdf_open; its pointers must outlive x. 0, or -1 with e;
 * exclude_close in every case.
 */
int exclude_open(struct exclude *x, const char *text, const struct meta *meta,
                 const struct rdf_params *p, struct err *e) FRAME_MUST;
/* Take the pairs of one step, pos [natoms][3] (Å), from counts [npairs][bins]; modulo 2^64, so that
 * it may come before the engine's own counts. */
void exclude_step(struct exclude *x, const struct box *box, const void *pos, uint64_t *counts);
void exclude_close(struct exclude *x); /* of zeros is allowed */

#ifdef __cplusplus
}
#endif
#endif
