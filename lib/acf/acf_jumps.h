/* SPDX-License-Identifier: MIT */
/* acf_jumps.h: detects jumps of a time series from one level to another. If an ion that crosses a
 * cell face is wrapped, the dipole moment of the cell jumps by the charge times the cell edge, and
 * these jumps dominate the correlation function.
 *
 * A jump consists of one large step, or of several large steps that are less than JUMPS_APART steps
 * apart. A large step exceeds JUMPS_TYPICAL times the median step, and JUMPS_GAP times the largest
 * ordinary step. Jumps of the dipole moment are rare, and after a jump the series stays at the new
 * level. The medians of the segments before and after a jump must differ by more than half the
 * height of the jump. The median of the last quarter of the segment after a jump must also differ
 * by more than half the height from the median before the jump. A series is reported only if at
 * least half of its jumps meet the two conditions on the medians. Noise and pulses are not
 * reported, because the series soon returns to its old level. Two-level signals are not reported,
 * because their median step is 0 or their jumps alternate. Series with few distinct values are not
 * reported, because they are mostly constant. If wrapped positions cross a face in most steps, the
 * series has no typical step and is not reported. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct acf_jumps {
    size_t n, first;      /* number of jumps; first step after the first jump */
    double size, typical; /* smallest jump and median step, each above 0 */
};

/* Returns whether the series x[n] has jumps, or false if memory runs out. */
bool acf_jumps(const double *x, size_t n, struct acf_jumps *j);
/* Writes a warning of the form "COLUMN: ..." to text[size]. */
void acf_jumps_text(const struct acf_jumps *j, const char *column, char *text, size_t size);
