/* SPDX-License-Identifier: MIT */
/*
 * acf_invariant.h: rotational invariants of a tensor's correlation, as sums over derived columns.
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
#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACF_INVARIANTS 8 /* of a list, at most */
#define ACF_DERIVED 6    /* columns of a tensor: five components and a */

/* Pairs of tensors, each with ACF_DERIVED pairs of columns, and functions that are sums over them. */
struct acf_invariant {
    size_t nsets, nfunctions; /* 0: none is wanted */
    struct {
        size_t at[2][6]; /* columns xx xy xz yy yz zz of the tensors now and later */
        size_t ntensors; /* 1: both are one */
        size_t column;   /* the first derived one */
    } set[ACF_INVARIANTS];
    struct {
        char name[SERIES_NAME]; /* VH, or VH_PART-LATER */
        size_t set;
        double five, mean; /* factors of the sum over the five components, of <a a'> */
    } f[ACF_INVARIANTS];
};

/*
 * "WHICH,WHICH:PART,...": of columns PART_xx ..., "WHICH:PART-LATER". s has the columns of the input. 0,
 * or -1 with e: no such invariant, or columns, one twice, too many.
 */
int acf_invariant_find(struct acf_invariant *v, const char *text, const struct acf_series *s,
                       struct err *e) FRAME_MUST;
/* Names of the derived columns, into s, and their pairs; the number of pairs, or -1 with e. */
int acf_invariant_columns(const struct acf_invariant *v, struct acf_series *s,
                          struct acf_pair *pair, struct err *e) FRAME_MUST;
/* Of a row of the input, the derived columns. */
void acf_invariant_row(const struct acf_invariant *v, const double *row, double *to);
/* The functions to[nfunctions] of the sums over origins of all pairs. */
void acf_invariant_sum(const struct acf_invariant *v, const double *sums, double *to);

#ifdef __cplusplus
}
#endif
#endif
