/* SPDX-License-Identifier: MIT */
/* uneven.h: sorts the pairs of steps by their time lag, for steps at uneven times. Each row holds
 * the pairs of one lag. Two lags count as equal if they differ by less than the fraction
 * STRIDE_PRINTED of the smallest time between two steps. Initialise to zeros. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

#define UNEVEN_HELP "a shorter --tmax, or fewer frames"

struct uneven {
    double *time; /* [steps] ps */
    size_t steps, capacity;
    struct uneven_pair {
        double lag; /* ps */
        uint32_t then, now;
    } * pair;    /* pairs of steps, in the order of their lags */
    size_t *row; /* index of the first pair of each row, [lags + 1]. The lag of this first pair is
                  * the lag of the row. */
    size_t lags;
    uint64_t sum; /* checksum of the lags, so that only results with equal lags are merged */
};

/* Reports that an option cannot be combined with uneven times. Sets e and returns -1. */
int uneven_refuse(const char *option, struct err *e);
/* Appends a step. If the time is not later than the previous time, returns -1 and sets e, and
 * otherwise returns 0. */
int uneven_add(struct uneven *u, double time, struct err *e) MUST_USE;
/* Sorts the pairs of steps that are up to tmax ps apart, or all pairs if tmax is NaN. The caller
 * already holds `kept` bytes, which count towards the memory limit max_mem. Returns 0 on success,
 * or -1 after setting e. */
int uneven_rows(struct uneven *u, double tmax, double kept, uint64_t max_mem,
                struct err *e) MUST_USE;
/* Returns the memory of the sorted pairs, in bytes. */
double uneven_bytes(const struct uneven *u);
/* Sets the keys that describe the first function of a CORR segment, which is the lag. Returns 0 or
 * -1. */
int uneven_meta(const struct uneven *u, struct meta *m);
/* Sets data.times to the times of the steps after the first step, from which einstein computes
 * covariances. Removes data.times if there are more than UNEVEN_TIMES steps. Returns 0 or -1. */
#define UNEVEN_TIMES 2000
int uneven_times(const struct uneven *u, struct meta *m);
void uneven_close(struct uneven *u);
