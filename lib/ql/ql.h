/* SPDX-License-Identifier: MIT */
/* ql.h: bond-order parameters of atoms, which describe the directions of the bonds to neighbours.
 *
 * Atom i has n_i bonds to its neighbours j, with directions r_ij. For each order l,
 *     q_lm(i) = (1/n_i) sum_j Y_lm(r_ij)
 *     q_l(i)  = sqrt(4 pi/(2l+1) sum_m |q_lm|²)
 *     w_l(i)  = sum over m1+m2+m3=0 of (l l l; m1 m2 m3) q_lm1 q_lm2 q_lm3 / (sum_m |q_lm|²)^(3/2)
 * with spherical harmonics Y_lm and Wigner 3j symbols. Rotations do not change q_l and w_l. For odd
 * l, w_l is 0. The averaged form replaces q_lm(i) by (q_lm(i) + sum_j q_lm(j)) / (n_i + 1).
 * Sources: P. J. Steinhardt, D. R. Nelson, M. Ronchetti, Phys. Rev. B 28 (1983) 784; averaged form:
 * W. Lechner, C. Dellago, J. Chem. Phys. 129 (2008) 114707.
 *
 * An atom without neighbours has q_l = w_l = 0 and is left out of the means over atoms. Where q_l
 * is below QL_ZERO, only rounding remains, and w_l is set to 0. */
#pragma once

#include "stats/analysis.h"

#define QL_MIN 2
#define QL_MAX 12
#define QL_ORDERS (QL_MAX - QL_MIN + 1)               /* largest number of orders */
#define QL_VALUES (QL_ORDERS * (QL_MIN + QL_MAX + 2)) /* 2 (l + 1) numbers for each order */
#define QL_ZERO 1e-12

struct ql_choice {
    size_t n;            /* number of orders, at least 1 */
    double l[QL_ORDERS]; /* integers, ascending, QL_MIN to QL_MAX */
    double rmax;         /* neighbours are closer than rmax, Å; NaN: use nearest */
    uint64_t nearest;    /* number of nearest neighbours; 0: use rmax */
    bool averaged, w;    /* use the averaged form; also compute w_l */
};
extern const struct analysis ql_analysis;

/* Returns the Wigner 3j symbol (l l l; m1 m2 -m1-m2) for 0 <= l <= QL_MAX and |m| <= l. The sum of
 * Racah's formula is an exact integer here, sum_t (-1)^t C(l,t) C(l,t+m1) C(l,t-m2). */
double ql_wigner(int l, int m1, int m2);

/* Tables for the orders of one run. For m >= 0, the recurrences for U_lm = sqrt(4 pi/(2l+1)) Y_lm
 * of the unit vector (x, y, z) are U_00 = 1, U_mm = c_m (x + iy) U_m-1,m-1 and, for l > m,
 *     U_lm = a_lm z U_l-1,m - b_lm U_l-2,m,
 *     a_lm = (2l-1)/sqrt(l²-m²), b_lm = sqrt(((l-1)²-m²)/(l²-m²)), c_m = -sqrt((2m-1)/2m). */
struct ql_tables {
    size_t n, values;   /* orders; numbers per atom: values/2 real parts, then imaginary parts */
    int l[QL_ORDERS];   /* as in ql_choice */
    int at[QL_MAX + 1]; /* place of U_l0, which U_l1 to U_ll follow, or -1 */
    double a[QL_MAX + 1][QL_MAX + 1], b[QL_MAX + 1][QL_MAX + 1], c[QL_MAX + 1]; /* [l][m], [m] */
    double wigner[QL_ORDERS][2 * QL_MAX + 1][2 * QL_MAX + 1]; /* [order][l + m1][l + m2] */
};
void ql_tables_init(struct ql_tables *t, const struct ql_choice *c);
/* Adds U_lm of the vector d, which must not be 0, to sum[values]. */
void ql_bond(const struct ql_tables *t, const double d[3], double *sum);
/* Computes q[n] and, if w is not NULL, w[n] from the mean U_lm of an atom, mean[values]. */
void ql_invariants(const struct ql_tables *t, const double *mean, double *q, double *w);
