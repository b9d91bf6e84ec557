/* SPDX-License-Identifier: MIT */
/* lattice_reduce.h: reduction of a lattice to short vectors. */
#pragma once

#include "base/box.h"

/* Stores in *to a box with the same periodic images as b but shorter vectors. Integer multiples of
 * one periodic vector are added to another until the vectors are as short as possible. With the
 * shortest vectors, box_half_width is as large as possible. The vector of a non-periodic axis
 * becomes perpendicular to the periodic vectors, so that minimum images are correct at any distance
 * along that axis. A box without periodic axes is copied unchanged. For the method, without its
 * last step, see Semaev, Cryptography and Lattices, LNCS 2146 (2001) 181. */
void lattice_reduce(const struct box *b, struct box *to);
