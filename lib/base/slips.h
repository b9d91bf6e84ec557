/* SPDX-License-Identifier: MIT */
/*
 * slips.h: numbers that are right in another unit: a cell in nm, a time in fs. What is found is
 * worded for a warning, never refused: matter is richer than these bounds.
 */
#ifndef MBF_SLIPS_H
#define MBF_SLIPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Do n atoms fit into this cell? Diamond has 0.18 in a cubic angstrom; more than one is said. Return
 * false where all is well, else true with the words in text. */
bool slips_cell(const struct box *b, size_t n, char *text, size_t room);

/*
 * Do atoms move as atoms do? before, now: [n][3], Å, f32 or f64, dt ps apart (NaN: not looked at).
 * Slow: a root mean square below 0.6 Å in 5 ps or more, where fluids have moved by more than an
 * atom. Fast: above 200 Å/ps, four times hydrogen at 300 K. As slips_cell.
 */
bool slips_dt(const struct box *b, size_t n, bool f64, const void *before, const void *now,
              double dt, char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
