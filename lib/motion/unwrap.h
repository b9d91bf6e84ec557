/* SPDX-License-Identifier: MIT */
/* unwrap.h: removes the jumps of positions that cross a face of the periodic cell.
 *
 * The toroidal-view-preserving scheme is
 *     u(n + 1) = u(n) + [w(n + 1) - w(n)],
 * where [ ] denotes the minimum image in the cell of step n + 1 (Bullerjahn, von Buelow, Heidari,
 * Henin and Hummer, J Chem Theory Comput 19 (2023) 3406). In a constant cell, adding whole cells to
 * w gives the same positions. If whole cells were added in a fluctuating cell, atoms would diffuse
 * with the motion of the cell (von Buelow, Bullerjahn and Hummer, J Chem Phys 153 (2020) 021101).
 *
 * The minimum image in the reduced cell (base/lattice_reduce.h) is correct if an atom moves less
 * than half the smallest width of the cell per step. In an orthorhombic cell, each component of a
 * displacement is compared with the width of the cell along its axis. If an atom seems to move
 * farther, its image is ambiguous, and the input is refused. A displacement above UNWRAP_FAR times
 * half the smallest width causes a warning, because other atoms may have moved too far unnoticed.
 *
 * If META states that positions were unwrapped with image flags, they are first wrapped again.
 *
 * If molecules are given, every molecule is made whole. The first atom of each molecule is
 * unwrapped like a single atom. Every other atom of a molecule is placed at the image nearest to
 * the preceding atom. */
#pragma once

#include "select/weights.h"
#include "stats/analysis.h"

#define UNWRAP_FAR 0.4 /* fraction of half the width above which a displacement causes a warning */

enum unwrap_scheme { UNWRAP_TOR, UNWRAP_IMAGES };
extern const char *const unwrap_schemes[]; /* "tor", "images", NULL */

struct unwrap_choice {
    int scheme;            /* UNWRAP_IMAGES accepts input that was unwrapped with its image flags */
    int subtract;          /* whether the drift is subtracted */
    const char *drift_of;  /* list "A,B" to subtract the drift of these species, or NULL for all
                            * atoms */
    const char *molecules; /* value of --molecules, M|FILE, or NULL if molecules are not given */
    struct weights masses;
};

/* The analysis of the program unwrap, whose options are a struct unwrap_choice. The analysis fails
 * if molecules, masses or image flags that it needs are missing, or if an atom moved too far. */
extern const struct stepwise unwrap_stepwise;
