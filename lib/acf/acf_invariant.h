/* SPDX-License-Identifier: MIT */
/*
 * acf_invariant.h: rotational invariants of a tensor's correlation, as means over derived columns.
 *
 * Of symmetric tensors Pi with a = Tr Pi/3 and the five components b_k: xz, xy, yz, (xx-yy)/2,
 * (2zz-xx-yy)/(2 sqrt 3), which are alike in an isotropic sample:
 *     vh     <b b'>, the mean over the five: depolarized scattering, VH
 *     aniso  15 vh: the anisotropy squared, of one axial molecule (alpha_par - alpha_perp)²
 *     iso    <a a'>
 *     vv     iso + 4/3 vh
 * (B. J. Berne, R. Pecora, Dynamic Light Scattering, 1976, 7.1.)
 */
#ifndef MBF_ACF_INVARIANT_H
#define MBF_ACF_INVARIANT_H

#include "acf/acf.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACF_DERIVED 6 /* columns of a tensor, at most */

struct acf_invariant {
    const char *name;  /* of the function; NULL: none is wanted */
    size_t at[2][6];   /* columns xx xy xz yy yz zz of the tensors now and later */
    size_t ntensors;   /* 1: both are one */
    size_t n;          /* derived columns of each */
    double five, mean; /* factors of the five components, of a; 0: not wanted */
};

/*
 * "WHICH" or "WHICH:PART", columns PART_xx ...; "WHICH:PART-LATER". s has the columns of the input. 0,
 * or -1 with e: no such invariant, or columns.
 */
int acf_invariant_find(struct acf_invariant *v, const char *text, const struct acf_series *s,
                       struct err *e) FRAME_MUST;
/* Names of the derived columns, into s, and their pairs; the number of pairs, or -1 with e. */
int acf_invariant_columns(const struct acf_invariant *v, struct acf_series *s,
                          struct acf_pair *pair, struct err *e) FRAME_MUST;
/* Of a row of the input, to[ntensors * n]. */
void acf_invariant_row(const struct acf_invariant *v, const double *row, double *to);

#ifdef __cplusplus
}
#endif
#endif
