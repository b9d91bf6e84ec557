/* SPDX-License-Identifier: MIT */
/* unwrap.h: removes the jumps of positions across the periodic cell.
 *
 * The toroidal-view-preserving scheme is
 *     u(n + 1) = u(n) + [w(n + 1) - w(n)],
 * where [ ] denotes the minimum image in the cell of step n + 1 (Bullerjahn, von Buelow, Heidari,
 * Henin and Hummer, J Chem Theory Comput 19 (2023) 3406). Adding whole cells to w gives the same
 * positions in a constant cell. In a fluctuating cell, however, atoms would then diffuse with the
 * motion of the cell (von Buelow, Bullerjahn and Hummer, J Chem Phys 153 (2020) 021101).
 *
 * The minimum image in the reduced cell (base/lattice_reduce.h) is correct if an atom moves less
 * than half the smallest cell width per step. In an orthorhombic cell, each component of the
 * displacement is compared with the width along its own axis. An atom that seems to move farther
 * has an ambiguous image and is refused. A displacement above UNWRAP_FAR times half the smallest
 * width causes a warning, because other atoms may have moved too far without being detected.
 *
 * If META states that image flags were used to unwrap positions, they are first wrapped again.
 *
 * If molecules are given, every molecule is made whole. The first atom of each molecule is
 * unwrapped like a single atom. Every other atom is placed at the image nearest to the preceding
 * atom. */
#pragma once

#include "select/weights.h"
#include "stats/analysis.h"

#define UNWRAP_FAR 0.4 /* displacements above this fraction of half the width cause a warning */

enum unwrap_scheme { UNWRAP_TOR, UNWRAP_IMAGES };
extern const char *const unwrap_schemes[]; /* "tor", "images", NULL */

struct unwrap_choice {
    int scheme;            /* UNWRAP_IMAGES accepts input that was already unwrapped by its image
                            * flags */
    int subtract;          /* whether to subtract the drift */
    const char *drift_of;  /* "A,B" for the drift of these species, or NULL for all atoms */
    const char *molecules; /* M|FILE, or NULL if no molecules are given */
    struct weights masses;
};

/* The analysis, whose options are a struct unwrap_choice. The analysis fails if molecules, masses
 * or required image flags are missing, or if an atom moved too far. */
extern const struct stepwise unwrap_stepwise;
