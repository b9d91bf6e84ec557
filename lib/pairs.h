/* SPDX-License-Identifier: MIT */
/*
 * pairs.h: pair tables of the anisotropy, step by step: what beta-gen writes, and the checks that both g4 engines share.
 */
#ifndef MBF_PAIRS_H
#define MBF_PAIRS_H

#include "beta.h"
#include "box.h"
#include "frame.h"
#include "simd.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * May beta be computed in this cell with this squared cutoff (Å², HUGE_VAL: none)? 0, or -1 with the reason: a cutoff
 * beyond half the smallest width of the cell, or a triclinic cell without a cutoff (there the nearest image would need a
 * search, and pairs beyond half the width would jump).
 */
int pairs_check_box(const struct box *b, double rc2, char *err, size_t errlen);

/* What a pair table is made of. */
struct pairs {
    size_t natoms;
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64, of positions and beta */
    int ncomp;
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS]; /* beta_coef() of each */
    double rc2;                    /* squared cutoff, Å², HUGE_VAL: none */
};

/* Elements of scratch (dtype) that pairs_step needs, and elements beyond its table that it may overwrite. */
size_t pairs_scratch(size_t natoms);
#define PAIRS_SLACK 16

/*
 * beta of one step: pos[natoms][3] (Å) in cell b -> out[ncomp][natoms (natoms - 1) / 2], rows i, columns j > i. Up to
 * PAIRS_SLACK elements behind the table are overwritten. Returns 0, or -1 when two atoms are at the same place:
 * *bi < *bj are the first such pair.
 */
int pairs_step(const struct pairs *p, const struct box *b, const void *pos, void *scratch, void *out, size_t *bi,
               size_t *bj) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
