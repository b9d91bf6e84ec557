/* SPDX-License-Identifier: MIT */
/* current.h: computes the charge current and the dipole moment of all atoms for each step of a
 * trajectory.
 *
 *   - The charge current is J = sum_i q_i v_i, in e Å/ps.
 *   - The dipole moment is M = sum_i q_i r_i, in e Å, so that J = dM/dt.
 *
 * The charges q_i are the scalar "charge" or "q" of the atoms (scalars.h) in units of e, and may
 * change with time. The charges must add up to 0, because otherwise J and M depend on the motion of
 * the centre of mass and on the origin. Positions must be unwrapped, because M changes by q times
 * the cell vector if an ion jumps across the cell. For neutral molecules, minimum images are used,
 * so that positions may be wrapped. The sums over atoms are computed in double precision, in the
 * order of the atoms.
 *
 * The output is a time series (SERI) with the columns jx jy jz, mx my mz or all six, for green-kubo
 * and acf. If the unit of the charges is unknown ("-"), the unit of the output is also unknown. M
 * can also be written as the position of a single atom (POSN, sys.point = dipole). From the mean
 * square displacement of this atom (msd-cpu), einstein computes a conductivity. */
#pragma once

#include "motion/tracks.h"

enum current_quantity { CURRENT_J, CURRENT_M, CURRENT_BOTH, CURRENT_POINT };
extern const char *const current_quantities[]; /* ends with NULL */

struct current_choice {
    int quantity;          /* enum current_quantity */
    bool unwrapped;        /* Positions are unwrapped, and are not searched for jumps. */
    bool charged;          /* Charges that do not add up to 0 are accepted. */
    const char *molecules; /* --molecules for M of neutral molecules, or NULL for all atoms */
};

/* The analysis of the program current, with the options struct current_choice. The input is refused
 * if it has no positions or no charges, if the unit of the charges is not e, if a charge or the
 * velocities are missing, if the charges do not add up to 0, or if positions are wrapped. */
extern const struct stepwise current_stepwise;
