/* SPDX-License-Identifier: MIT */
#pragma once

#include "base/box.h"

/* Stores in *to a cell with the same periodic images as b and the shortest possible cell vectors,
 * for which box_half_width is largest. Integer multiples of one periodic vector are added to
 * another as long as a vector becomes shorter. The vector of a non-periodic axis becomes
 * perpendicular to the periodic vectors, so that minimum images are correct at any distance along
 * the axis. A cell without periodic axes is copied unchanged. The method, without its last step, is
 * described by Semaev, Cryptography and Lattices, LNCS 2146 (2001) 181. */
void lattice_reduce(const struct box *b, struct box *to);
