/* SPDX-License-Identifier: MIT */
/*
 * pairs.h: pair tables of the anisotropy, step by step: what beta-gen writes, and the checks that
 * both g4 engines share.
 */
#ifndef MBF_PAIRS_H
#define MBF_PAIRS_H

#include "base/box.h"
#include "base/simd.h"
#include "g4/beta.h"
#include "stream/frame.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * May beta be computed in this cell with this squared cutoff (Å², HUGE_VAL: none)? 0, or -1 with
 * the reason: a cutoff beyond half the smallest width of the cell, or a triclinic cell without a
 * cutoff (there the nearest image would need a search, and pairs beyond half the width would jump).
 */
int pairs_check_box(const struct box *b, double rc2, char *err, size_t errlen);

/* What a pair table is made of. */
struct pairs {
    size_t natoms;
    enum frame_dtype source; /* of the positions: FRAME_F32 or FRAME_F64 */
    enum frame_dtype dtype;  /* of beta, and in which it is computed */
    int ncomp;
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS]; /* beta_coef() of each */
    double rc2;                    /* squared cutoff, Å², HUGE_VAL: none */
};

/* Options that choose beta, as given on the command line. */
enum { PAIRS_ALL = BETA_NCOMPONENTS }; /* component: all five */
struct pairs_choice {
    int component;                   /* enum beta_component or PAIRS_ALL, -1: not given (xz) */
    double sigma, cutoff, prefactor; /* Å, Å, 1; NaN: not given (META, none, 3) */
};
#define PAIRS_CHOICE_NONE                                                                          \
    {                                                                                              \
        -1, NAN, NAN, NAN                                                                          \
    }

/* Names of the components with "all", NULL at the end: choices of --component. */
extern const char *const pairs_component_names[];

/* Parameters for positions. 0, or -1 with err: no sigma here nor there. *sigma: the one that is
 * used, Å. */
int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, char *err, size_t errlen);

/* Is any of the options given? Its name, or NULL. */
const char *pairs_given(const struct pairs_choice *c);

/* Keys data.component, data.prefactor, data.sigma and data.cutoff of m: of a choice, or copied from
 * other META. 0 or -1. */
int pairs_describe(const struct pairs_choice *c, const struct pairs *p, double sigma,
                   struct meta *m);
int pairs_describe_like(const struct meta *from, struct meta *m);

/* Elements of scratch (dtype) that pairs_step needs, and elements beyond its table that it may
 * overwrite. */
size_t pairs_scratch(size_t natoms);
#define PAIRS_SLACK 32

/*
 * beta of one step: pos[natoms][3] (Å) in cell b -> out[ncomp][natoms (natoms - 1) / 2], rows i,
 * columns j > i. Up to PAIRS_SLACK elements behind the table are overwritten. Returns 0, or -1 when
 * two atoms are at the same place: *bi < *bj are the first such pair.
 */
int pairs_step(const struct pairs *p, const struct box *b, const void *pos, void *scratch,
               void *out, size_t *bi, size_t *bj) FRAME_MUST;

/* Kernels of pairs_step, pairs_simd.c: positions wrapped into scratch [3][natoms + slack]; a table,
 * 1 if all finite. */
SIMD_DECLARE(void, pairs_wrap,
             (const struct pairs *p, const struct box *b, const void *pos, void *scratch));
SIMD_DECLARE(int, pairs_table,
             (const struct pairs *p, int comp, const struct box *b, const void *scratch,
              void *out));

#ifdef __cplusplus
}
#endif
#endif
