/* SPDX-License-Identifier: MIT */
/* current.h: computes sums over the charges q_i of all atoms, for each step of a trajectory.
 *
 *     J = sum_i q_i v_i, the charge current, in e Å/ps.
 *     M = sum_i q_i r_i, the dipole moment, in e Å, so that J = dM/dt.
 *
 * Charges come from the scalar "charge" or "q" of the atoms (scalars.h), in units of e, and may
 * change with time. The charges must add up to 0. Otherwise, J and M depend on the motion of the
 * centre of mass and on the origin. Positions must be unwrapped, because M changes by q times the
 * cell vector if an ion jumps across the cell. The dipole moments of neutral molecules are computed
 * from minimum images instead, so positions may then be wrapped. Sums are in f64, in the order of
 * the atoms.
 *
 * The output is SERI with the columns jx jy jz, mx my mz or all six, as green-kubo and acf expect
 * them. If the unit of the charges in the input is unknown ("-"), the unit in the output is also
 * unknown. Alternatively, M is written as the position of one atom (POSN, sys.point = dipole). The
 * program msd-cpu computes its mean square displacement, and einstein converts this to a
 * conductivity. */
#pragma once

#include "motion/tracks.h"

enum current_quantity { CURRENT_J, CURRENT_M, CURRENT_BOTH, CURRENT_POINT };
extern const char *const current_quantities[]; /* names in the order of the enum, then NULL */

struct current_choice {
    int quantity;          /* enum current_quantity */
    bool unwrapped;        /* whether positions are known to be unwrapped, so that jumps are not
                            * searched for */
    bool charged;          /* whether to accept charges that do not add up to 0 */
    const char *molecules; /* value of --molecules if M is a sum over whole neutral molecules, or
                            * NULL for a sum over atoms */
};

/* The analysis, whose options are a struct current_choice. The analysis fails if the input has no
 * positions or no charges, or if the charges are in units other than e. The analysis also fails if
 * a charge or the velocities are missing, if the charges do not add up to 0, or if positions are
 * wrapped. */
extern const struct stepwise current_stepwise;
