/* SPDX-License-Identifier: MIT */
/*
 * acf_jumps.h: detect jumps of a time series to another level. The dipole moment of a cell with
 * wrapped ions jumps by charge times edge at each crossing of a face. The jumps then dominate the
 * correlation function.
 *
 * A jump is one step, or a few steps within JUMPS_APART of each other. A jump is JUMPS_TYPICAL
 * times the median step, JUMPS_GAP times the largest ordinary step, and rare, and the series stays
 * at the new level. For this test, the medians of the segments on both sides, up to the next jumps,
 * must differ by half the jump; so must the median of the last quarter of the later segment. At
 * least half of the jumps must pass this test. Noise of any distribution has no jumps, because it
 * returns at once. Pulses and shot noise return within their segment. Two-level signals have a
 * median step of 0 or alternating jumps. Quantised series are mostly constant. Positions that cross
 * a face in most steps are not detected either, because they have no typical step.
 */
#ifndef MBF_ACF_JUMPS_H
#define MBF_ACF_JUMPS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct acf_jumps {
    size_t n, first;      /* number of jumps, and the step after the first jump */
    double size, typical; /* smallest jump and median step; both are positive */
};

/* Reports whether x[n] has jumps. Also returns false if memory runs out. */
bool acf_jumps(const double *x, size_t n, struct acf_jumps *j);
/* Writes "COLUMN: ..." to text, for a warning. */
void acf_jumps_text(const struct acf_jumps *j, const char *column, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
