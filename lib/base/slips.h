/* SPDX-License-Identifier: MIT */
/*
 * slips.h: recognises values that are probably in another unit, such as a cell in nm or a time in
 * fs. The result is the text of a warning; nothing is refused, because valid systems can exceed
 * these bounds.
 */
#ifndef MBF_SLIPS_H
#define MBF_SLIPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks whether n atoms fit into this cell: diamond has 0.18 atoms per Å³, and more than one is
 * reported. Returns false if all is well, else true with the warning in text. */
bool slips_cell(const struct box *b, size_t n, char *text, size_t room);

/* Checks whether atoms move at a plausible speed. before and now are [n][3] in Å, f32 or f64, dt ps
 * apart (NaN: not checked). Too slow is a root mean square displacement below 0.6 Å in 5 ps or
 * more, in which fluids move by more than an atom. Too fast is above 200 Å/ps, four times hydrogen
 * at 300 K. Returns as slips_cell. */
bool slips_dt(const struct box *b, size_t n, bool f64, const void *before, const void *now,
              double dt, char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
