/* SPDX-License-Identifier: MIT */
/* uneven.h: sorts the pairs of steps at uneven times by their time lag. Each row holds the pairs of
 * one lag. Two lags are equal if they differ by less than STRIDE_PRINTED of the smallest time
 * between two steps. Initialise to zeros. */
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
    } * pair;    /* in the order of their lags */
    size_t *row; /* [lags + 1] first pair of each row. The lag of this pair is the lag of the row */
    size_t lags;
    uint64_t sum; /* checksum of the lags, so that only results with equal lags are merged */
};

/* Refuses an option that cannot be combined with uneven times. Sets e and returns -1. */
int uneven_refuse(const char *option, struct err *e);
/* Appends a step. Returns 0, or -1 and sets e if the time is not later than the previous time. */
int uneven_add(struct uneven *u, double time, struct err *e) MUST_USE;
/* Sorts the pairs up to tmax ps apart (NaN: all pairs). The caller holds `kept` bytes, which count
 * towards the memory limit max_mem. Returns 0, or -1 and sets e. */
int uneven_rows(struct uneven *u, double tmax, double kept, uint64_t max_mem,
                struct err *e) MUST_USE;
/* Returns the memory of the sorted pairs in bytes. */
double uneven_bytes(const struct uneven *u);
/* Sets the keys that describe the first function of a CORR segment, which is the lag. Returns 0 or
 * -1. */
int uneven_meta(const struct uneven *u, struct meta *m);
void uneven_close(struct uneven *u);
