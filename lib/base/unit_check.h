/* SPDX-License-Identifier: MIT */
/* unit_check.h: detects values that are probably in another unit, such as a cell in nm or a time in
 * fs. The functions only write warnings, because some valid systems exceed the limits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

/* Returns true and writes a warning to `text` if a cell with n atoms has more than one atom per Å³
 * (diamond has 0.18). */
bool unit_check_cell(const struct box *b, size_t n, char *text, size_t capacity);

/* Returns true and writes a warning to `text` if atoms move too slowly or too fast. The positions
 * before[n][3] and now[n][3] in Å have the type f32 or f64, and were taken dt ps apart. If dt is
 * NaN, nothing is checked. The motion is too slow if the root mean square displacement in 5 ps or
 * more is below 0.6 Å, because atoms of a fluid move farther. The motion is too fast if the speed
 * exceeds 200 Å/ps, four times the speed of hydrogen at 300 K. */
bool unit_check_dt(const struct box *b, size_t n, bool f64, const void *before, const void *now,
                   double dt, char *text, size_t capacity);
