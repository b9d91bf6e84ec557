/* SPDX-License-Identifier: MIT */
/* reduce.h: the same lattice by short vectors. */
#ifndef MBF_REDUCE_H
#define MBF_REDUCE_H

#include "base/box.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A box of the same images as b, whose periodic vectors are as short as taking whole multiples of one
 * from another makes them, so that box_half_width is as large as it gets. Where an axis is not
 * periodic its vector becomes perpendicular to those that are, so that images are found whatever the
 * distance along it. Not periodic at all: b. (I. Semaev, Cryptography and Lattices, LNCS 2146 (2001)
 * 181, without the last step.)
 */
void reduce_box(const struct box *b, struct box *to);

#ifdef __cplusplus
}
#endif
#endif
