/* SPDX-License-Identifier: MIT */
/*
 * identity.h: the three- and four-body functions from sums over pairs and over atoms. This takes N²
 * operations per step and lag instead of N⁴ (Dawid 2019, Eqs. 2-6). For host and device.
 *
 * Let p = (i<j) be unordered pairs, S = sum_p beta_p and A_i = sum_j beta_ij; primes denote values
 * one time lag later. Sort the ordered pairs of pairs (p, q) by the number of atoms that p and q
 * share:
 *     two (p = q)   G2 = sum_p beta_p beta'_p
 *     one           G3
 *     none          G4.
 * The product S S' contains each (p, q) once. The sum of A_i A'_i contains (p, q) once per shared
 * atom. Therefore
 *     S S'           =   G2 + G3 + G4  =  G
 *     sum_i A_i A'_i = 2 G2 + G3
 * and the expensive functions follow as
 *     G3 = sum_i A_i A'_i - 2 G2
 *     G4 = S S' - sum_i A_i A'_i + G2.
 */
#ifndef MBF_IDENTITY_H
#define MBF_IDENTITY_H

#include "base/hd.h"

/* Indices of the functions in a result, and of sum_i A_i A'_i before identity_apply. */
enum { G4_G, G4_G2, G4_G3, G4_G4, G4_NFUNCTIONS, G4_ATOMS = G4_G3 };

/* {S S', G2, sum_i A_i A'_i, -} becomes {G, G2, G3, G4}. */
HD void identity_apply(double v[G4_NFUNCTIONS])
{
    double g2 = v[G4_G2], aa = v[G4_ATOMS];
    v[G4_G3] = aa - 2.0 * g2;
    v[G4_G4] = (v[G4_G] - aa) + g2;
}

#endif
