/* SPDX-License-Identifier: MIT */
/* unit_check.h: recognises values that are probably in another unit, such as a cell in nm or a time
 * in fs. The functions only write warnings, because some valid systems exceed the limits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

/* Checks that the number density of a cell with n atoms is at most one atom per Å³ (diamond has
 * 0.18). If the density is higher, returns true and writes a warning to `text`. Otherwise returns
 * false. */
bool unit_check_cell(const struct box *b, size_t n, char *text, size_t capacity);

/* Checks whether atoms move at a plausible speed. The positions before[n][3] and now[n][3] are in
 * Å, of type f32 or f64, and their times are dt ps apart. If dt is NaN, nothing is checked. The
 * motion is too slow if the root mean square displacement in 5 ps or more is below 0.6 Å, because
 * atoms of a fluid move farther. The motion is too fast if the speed is above 200 Å/ps, four times
 * the speed of hydrogen at 300 K. Returns true and writes a warning to `text` if the motion is too
 * slow or too fast. Otherwise returns false. */
bool unit_check_dt(const struct box *b, size_t n, bool f64, const void *before, const void *now,
                   double dt, char *text, size_t capacity);
