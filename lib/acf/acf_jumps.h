/* SPDX-License-Identifier: MIT */
/*
 * acf_jumps.h: find jumps of a series to another level, as a dipole moment has them when an ion that
 * is wrapped into the cell crosses its face: the moment changes by charge times edge, and such jumps
 * are most of its correlation function.
 *
 * A jump is a step, or a few within JUMPS_APART of each other, that is JUMPS_TYPICAL times the median step
 * and JUMPS_GAP times the largest ordinary step, is rare, and after which the series stays at another level:
 * the medians of the stretches on both sides, up to the next jumps, differ by half of it, and so does that of
 * the last quarter of the later one. At least half of the jumps must do so. Therefore these have no
 * jumps: noise of any distribution, which comes back at once; pulses and shot noise, which come back within
 * their stretch; two levels, whose median step is 0 or whose jumps alternate; quantised series that
 * mostly stay. Positions of which most steps cross a face are not found either: no step is typical.
 */
#ifndef MBF_ACF_JUMPS_H
#define MBF_ACF_JUMPS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct acf_jumps {
    size_t n, first;      /* jumps, and the step after the first */
    double size, typical; /* smallest jump, median step; both > 0 */
};

/* Has x[n] jumps? False without memory, too. */
bool acf_jumps(const double *x, size_t n, struct acf_jumps *j);
/* "COLUMN: ..." for a warning, into text. */
void acf_jumps_text(const struct acf_jumps *j, const char *column, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
