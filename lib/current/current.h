/* SPDX-License-Identifier: MIT */
/* current.h: computes sums over the charges q_i of all atoms, for each step of a trajectory.
 *
 *   - The charge current is J = sum_i q_i v_i, in e Å/ps.
 *   - The dipole moment is M = sum_i q_i r_i, in e Å, so that J = dM/dt.
 *
 * Charges come from the scalar "charge" or "q" of the atoms (scalars.h), in units of e, and may
 * change with time. The charges must add up to 0, because otherwise J and M depend on the motion of
 * the centre of mass and on the origin. Positions must be unwrapped, because M changes by q times
 * the cell vector if an ion jumps across the cell. The dipole moments of neutral molecules are
 * computed from minimum images, so that positions may be wrapped. The sums are computed in double
 * precision, in the order of the atoms.
 *
 * The output is a time series (SERI) with the columns jx jy jz, mx my mz or all six, for green-kubo
 * and acf. If the unit of the charges in the input is unknown ("-"), the unit in the output is also
 * unknown. M can also be written as the position of a single atom (POSN, sys.point = dipole). The
 * program msd-cpu computes the mean square displacement of this atom, and einstein converts it to a
 * conductivity. */
#pragma once

#include "motion/tracks.h"

enum current_quantity { CURRENT_J, CURRENT_M, CURRENT_BOTH, CURRENT_POINT };
extern const char *const current_quantities[]; /* names of the quantities in the order of the enum,
                                                * then NULL */

struct current_choice {
    int quantity;          /* enum current_quantity */
    bool unwrapped;        /* whether positions are known to be unwrapped, in which case jumps are
                            * not searched for */
    bool charged;          /* whether to accept charges that do not add up to 0 */
    const char *molecules; /* value of --molecules if M is a sum over whole neutral molecules, or
                            * NULL if it is a sum over atoms */
};

/* The analysis of the program current, whose options are a struct current_choice. The analysis
 * fails if the input has no positions or no charges, or if the unit of the charges is not e. The
 * analysis also fails if a charge or the velocities are missing, if the charges do not add up to 0,
 * or if positions are wrapped. */
extern const struct stepwise current_stepwise;
