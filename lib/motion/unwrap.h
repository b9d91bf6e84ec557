/* SPDX-License-Identifier: MIT */
/*
 * unwrap.h: positions without jumps across the cell.
 *
 * The toroidal-view-preserving scheme,
 *     u(n + 1) = u(n) + [w(n + 1) - w(n)],
 * [ ]: the nearest image in the cell of step n + 1 (J. T. Bullerjahn, S. von Buelow, M. Heidari,
 * J. Henin, G. Hummer, J. Chem. Theory Comput. 19 (2023) 3406). Adding whole cells to w instead is the same
 * in a cell that stays, and where it breathes makes atoms diffuse by the cell's own motion (S. von
 * Buelow, J. T. Bullerjahn, G. Hummer, J. Chem. Phys. 153 (2020) 021101).
 *
 * The nearest image is that in the reduced cell (base/reduce.h), right for all that goes less than
 * half of its smallest width in a step; in an orthorhombic cell each component counts as a part of the
 * width along its own axis. An atom that seems to go further could be anywhere: that is refused. Beyond UNWRAP_FAR of that half there is a warning: others may have gone further unseen.
 *
 * Where META says that positions follow images of the cell, these are taken off first.
 *
 * Molecules are made whole: the first atom of each goes as above, and each other one is the nearest
 * image to the atom before it.
 */
#ifndef MBF_UNWRAP_H
#define MBF_UNWRAP_H

#include <stdbool.h>

#include "base/pool.h"
#include "stats/weights.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

#define UNWRAP_FAR 0.4 /* of half the smallest width */

enum unwrap_scheme { UNWRAP_TOR, UNWRAP_IMAGES };
extern const char *const unwrap_schemes[]; /* "tor", "images", NULL */

struct unwrap_choice {
    int scheme;            /* images: positions are unwrapped by the images of the input already */
    int subtract;          /* the motion of the centre of mass of all atoms is taken off */
    const char *molecules; /* M|FILE; NULL: none */
    struct weights masses;
};

struct unwrap;
/* Of the trajectory with this info and META. NULL with e: no such molecules, masses; images that are
 * not there. */
struct unwrap *unwrap_open(const struct unwrap_choice *c, const struct traj_info *info,
                           const struct meta *m, int threads, struct err *e);
/* A trajectory of its own begins. */
void unwrap_begin(struct unwrap *u);
/* The steps of b into to [nsteps][natoms][3], dtype of info. 0, or -1 with e: too far. */
int unwrap_steps(struct unwrap *u, const struct traj_block *b, void *to, struct err *e) FRAME_MUST;
/* data.* of the output: those of the input, and data.unwrapped. 0 or -1. */
int unwrap_meta(const struct unwrap *u, const struct meta *from, struct meta *m) FRAME_MUST;
/* What there is to say, in order; NULL: nothing more. Valid until the next call. */
const char *unwrap_says(struct unwrap *u);
void unwrap_close(struct unwrap *u);

#ifdef __cplusplus
}
#endif
#endif
