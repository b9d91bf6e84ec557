/* SPDX-License-Identifier: MIT */
/*
 * acf_invariant.h: rotational invariants of the correlation of a tensor, as sums over derived
 * columns.
 *
 * A symmetric tensor Pi has the mean a = Tr Pi/3 and five components b_k: xz, xy, yz, (xx-yy)/2 and
 * (2zz-xx-yy)/(2 sqrt 3). The five components are equivalent in an isotropic sample.
 *     vh     <b b'>, the mean over the five: depolarized scattering, VH
 *     aniso  15 vh: the squared anisotropy (alpha_par - alpha_perp)² for one axial molecule
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

#define ACF_INVARIANTS 8 /* largest number of invariants in a list */
#define ACF_DERIVED 6    /* columns per tensor: five components and a */

/* Pairs of tensors with ACF_DERIVED pairs of columns each, and functions that are sums over these
 * pairs. */
struct acf_invariant {
    size_t nsets, nfunctions; /* 0: no invariant was requested */
    struct {
        size_t at[2][6]; /* columns xx xy xz yy yz zz of the first and the later tensor */
        size_t ntensors; /* 1: both tensors are the same */
        size_t column;   /* index of the first derived column */
    } set[ACF_INVARIANTS];
    struct {
        char name[SERIES_NAME]; /* VH, or VH_PART-LATER */
        size_t set;
        double five, mean; /* Factors of the sum over the five components and of <a a'>. */
    } f[ACF_INVARIANTS];
};

/* Parses a list "WHICH,WHICH:PART,..." of invariants, where PART selects the columns PART_xx to
 * PART_zz; "WHICH:PART-LATER" correlates two tensors. s holds the columns of the input. Returns 0,
 * or -1 and sets e if an invariant or a column is unknown, an invariant is given twice, or there
 * are too many. */
int acf_invariant_find(struct acf_invariant *v, const char *text, const struct acf_series *s,
                       struct err *e) FRAME_MUST;
/* Writes the names of the derived columns to s and their pairs to pair. Returns the number of
 * pairs, or -1 and sets e. */
int acf_invariant_columns(const struct acf_invariant *v, struct acf_series *s,
                          struct acf_pair *pair, struct err *e) FRAME_MUST;
/* Computes the derived columns from one row of the input. */
void acf_invariant_row(const struct acf_invariant *v, const double *row, double *to);
/* Computes the functions to[nfunctions] from the sums over origins of all pairs. */
void acf_invariant_sum(const struct acf_invariant *v, const double *sums, double *to);

#ifdef __cplusplus
}
#endif
#endif
