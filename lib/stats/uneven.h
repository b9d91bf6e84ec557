/* SPDX-License-Identifier: MIT */
/* uneven.h: sorts the pairs of steps by their time lag, for steps at uneven times. A row contains
 * the pairs with the same lag. Lags count as equal if they differ by less than the fraction
 * STRIDE_PRINTED of the smallest time between two steps. */
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
    } * pair;    /* in the order of the lags */
    size_t *row; /* [lags + 1]. The lag of row k is pair[row[k]].lag. */
    size_t lags;
    uint64_t sum; /* Checksum of the lags, because only results with equal lags are merged. */
};

/* Reports in e that an option cannot be combined with uneven times, and returns -1. */
int uneven_refuse(const char *option, struct err *e);
/* Appends a step to u, which must initially be zero. Returns 0, or -1 with an error message in e if
 * the time is not later than the time of the previous step. */
int uneven_add(struct uneven *u, double time, struct err *e) MUST_USE;
/* Sorts the pairs of steps that are up to tmax ps apart, or all pairs if tmax is NaN. The caller
 * has already allocated `kept` bytes, which count towards the memory limit max_mem in bytes.
 * Returns 0, or -1 with an error message in e. */
int uneven_rows(struct uneven *u, double tmax, double kept, uint64_t max_mem,
                struct err *e) MUST_USE;
/* Returns the memory of the sorted pairs, bytes. */
double uneven_bytes(const struct uneven *u);
/* Sets the keys for a CORR segment whose first function is the time lag. Returns 0 or -1. */
int uneven_meta(const struct uneven *u, struct meta *m);
/* Sets the key data.times, from which einstein computes covariances, to the times since the first
 * step, or removes the key for more than UNEVEN_TIMES steps. Returns 0 or -1. */
#define UNEVEN_TIMES 2000
int uneven_times(const struct uneven *u, struct meta *m);
void uneven_close(struct uneven *u);
