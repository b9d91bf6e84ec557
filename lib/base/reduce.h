/* SPDX-License-Identifier: MIT */
/* reduce.h: reduction of a lattice to short vectors. */
#ifndef MBF_REDUCE_H
#define MBF_REDUCE_H

#include "base/box.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *to to a box with the same images as b and with periodic vectors as short as adding integer
 * multiples of one vector to another can make them, so that box_half_width is as large as possible.
 * The vector of a non-periodic axis becomes perpendicular to the periodic ones, so that images are
 * found at any distance along it. A box without periodic axes is copied. (I. Semaev, Cryptography
 * and Lattices, LNCS 2146 (2001) 181, without the last step.) */
void reduce_box(const struct box *b, struct box *to);

#ifdef __cplusplus
}
#endif
#endif
