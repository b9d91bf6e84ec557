/* SPDX-License-Identifier: MIT */
/* acf_invariant.h: computes the rotational invariants of the time correlation of a symmetric
 * tensor.
 *
 * A symmetric tensor Pi has the mean diagonal element a = Tr Pi/3 and five traceless components
 * b_k: xz, xy, yz, (xx-yy)/2 and (2zz-xx-yy)/(2 sqrt 3). In an isotropic sample, the five
 * components are equivalent.
 *   - Invariant "vh" is <b b'>, averaged over the five components (depolarized scattering, VH).
 *   - Invariant "aniso" is 15 vh, which is (alpha_par - alpha_perp)² for one axial molecule.
 *   - Invariant "iso" is <a a'>.
 *   - Invariant "vv" is iso + 4/3 vh.
 * The definitions follow Berne and Pecora, Dynamic Light Scattering, 1976, section 7.1. */
#pragma once

#include "acf/acf.h"
#include "stats/series.h"

#define ACF_INVARIANTS 8 /* largest number in a list */
#define ACF_PARTS 18     /* largest number of parts in a sum (--parts --order 16) */
#define ACF_DERIVED 6    /* five components b_k and the mean a */

/* Describes pairs of tensors and the functions that are computed from them. Each pair of tensors
 * needs ACF_DERIVED pairs of columns. */
struct acf_invariant {
    size_t nsets, nfunctions; /* both 0: no invariants */
    struct {
        /* Indices of the columns xx, xy, xz, yy, yz and zz of each part of the earlier and the
         * later tensor. Each tensor is the sum of nparts[] parts. */
        size_t at[2][ACF_PARTS][6], nparts[2];
        size_t ntensors; /* 1: a tensor with itself */
        size_t column;   /* first derived column of this pair of tensors */
    } set[ACF_INVARIANTS];
    struct {
        char name[SERIES_NAME]; /* VH, or VH_PART-LATER */
        size_t set;
        double five, mean; /* factors of the sum of <b b'> and of <a a'> */
    } f[ACF_INVARIANTS];
};

/* Parses a list of invariants, separated by commas. An invariant is written "WHICH" or
 * "WHICH:PART", where WHICH is the name of the invariant. The name PART selects the columns PART_xx
 * to PART_zz. If the input has no columns total_xx to total_zz, the part "total" is the sum of all
 * parts. If the input has no columns induced_xx to induced_zz, the part "induced" is the sum of all
 * parts except "permanent". The form "WHICH:PART-LATER" correlates two tensors. The names of the
 * input columns are in s. Returns 0, or -1 and sets *e for an unknown invariant or column, a
 * repeated invariant, or too many invariants. */
int acf_invariant_find(struct acf_invariant *v, const char *text, const struct acf_series *s,
                       struct err *e) FRAME_MUST;
/* Writes the names of the derived columns to s, and their pairs to pair[]. Returns the number of
 * pairs, or -1 and sets *e. */
int acf_invariant_columns(const struct acf_invariant *v, struct acf_series *s,
                          struct acf_pair *pair, struct err *e) FRAME_MUST;
/* Computes the derived columns of one row of the input. */
void acf_invariant_row(const struct acf_invariant *v, const double *row, double *to);
/* Computes the values to[nfunctions] of all functions from the sums over the time origins. */
void acf_invariant_sum(const struct acf_invariant *v, const double *sums, double *to);
