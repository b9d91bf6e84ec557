/* SPDX-License-Identifier: MIT */
/* unwrap.h: removes the jumps of positions that cross a face of the periodic cell.
 *
 * The toroidal-view-preserving scheme is
 *     u(n + 1) = u(n) + [w(n + 1) - w(n)],
 * where [ ] denotes the minimum image in the cell of step n + 1 (Bullerjahn, von Buelow, Heidari,
 * Henin and Hummer, J Chem Theory Comput 19 (2023) 3406). In a constant cell, adding whole cells to
 * w gives the same positions. In a fluctuating cell, adding whole cells would make atoms diffuse
 * with the motion of the cell (von Buelow, Bullerjahn and Hummer, J Chem Phys 153 (2020) 021101).
 *
 * The minimum image in the reduced cell (base/lattice_reduce.h) is correct if an atom moves less
 * than half the smallest width of the cell per step, or in an orthorhombic cell, less than half the
 * width along each axis. If an atom seems to move farther, its image is ambiguous, and the input is
 * refused. A displacement above UNWRAP_FAR times half the smallest width causes a warning, because
 * other atoms may have moved too far unnoticed. If META states that positions were unwrapped with
 * image flags, the positions are first wrapped again. If molecules are given, the first atom of
 * each molecule is unwrapped like a single atom, and every other atom is placed at the image
 * nearest to the preceding atom. */
#pragma once

#include "select/weights.h"
#include "stats/analysis.h"

#define UNWRAP_FAR 0.4 /* of half the width */

enum unwrap_scheme { UNWRAP_TOR, UNWRAP_IMAGES };
extern const char *const unwrap_schemes[]; /* "tor", "images", NULL */

struct unwrap_choice {
    /* If `scheme` is UNWRAP_IMAGES, input that was unwrapped with image flags is accepted. */
    int scheme;
    int subtract;          /* subtract the drift */
    const char *drift_of;  /* "A,B"; NULL: all atoms */
    const char *molecules; /* M|FILE, or NULL */
    struct weights masses;
};

/* The options of the program unwrap are a struct unwrap_choice. An error is reported if molecules,
 * masses or image flags that are needed are missing, or if an atom moved too far. */
extern const struct stepwise unwrap_stepwise;
