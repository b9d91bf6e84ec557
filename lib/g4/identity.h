/* SPDX-License-Identifier: MIT */
/* identity.h: computes the three- and four-body functions from sums over pairs and over atoms. The
 * sums take N² operations per step and lag instead of N⁴ (Dawid 2019, equations 2 to 6).
 *
 * Let p be an unordered pair of atoms i < j, S = sum_p beta_p, and A_i = sum_j beta_ij. A prime
 * marks a value one time lag later. The sum of beta_p beta'_q over all p and q has three parts:
 *   - G2 = sum_p beta_p beta'_p contains the terms with p = q.
 *   - G3 contains the terms in which the pairs p and q share one atom.
 *   - G4 contains the terms in which the pairs p and q share no atom.
 * The product S S' contains each combination (p, q) of two pairs once. The sum of A_i A'_i contains
 * each combination (p, q) once per shared atom. Therefore
 *     S S'           =   G2 + G3 + G4  =  G and
 *     sum_i A_i A'_i = 2 G2 + G3.
 * The two identities give the functions that are expensive to enumerate,
 *     G3 = sum_i A_i A'_i - 2 G2 and
 *     G4 = S S' - sum_i A_i A'_i + G2. */
#pragma once

#include "base/hd.h"

/* The entry G4_ATOMS of a result contains sum_i A_i A'_i until identity_apply is called. */
enum { G4_G, G4_G2, G4_G3, G4_G4, G4_NFUNCTIONS, G4_ATOMS = G4_G3 };

/* Replaces S S', G2 and sum_i A_i A'_i in v by G, G2, G3 and G4. */
HD void identity_apply(double v[G4_NFUNCTIONS])
{
    double g2 = v[G4_G2], aa = v[G4_ATOMS];
    v[G4_G3] = aa - 2.0 * g2;
    v[G4_G4] = (v[G4_G] - aa) + g2;
}
