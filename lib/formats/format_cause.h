/* SPDX-License-Identifier: MIT */
/* format_cause.h: private to lib/formats. Why a frame is not one stride after the one before it. */
#ifndef MBF_FORMAT_CAUSE_H
#define MBF_FORMAT_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CAUSE_BEFORE = 8, CAUSE_AFTER = 24, CAUSE_KEYS = CAUSE_BEFORE + 1 + CAUSE_AFTER };

/* The steps or times of frames that follow each other; frame `at` of them is refused. */
struct format_cause {
    double key[CAUSE_KEYS];
    size_t n, at;           /* 0 < at < n */
    bool steps;             /* they are steps, otherwise ps */
    uint64_t number, every; /* of frame `at` in the input, and between two of them */
    double want;            /* the expected key; NaN: any later one */
    const char *joins;      /* the file before, if frame `at` begins another one; NULL */
    bool restarts;          /* a header's steps, which begin anew in each file */
    bool drift;             /* the frame is off by less than a tenth of a stride */
};

/* "expected step 200, found 300: ..." Returns -1. */
int format_cause(const struct format_cause *c, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
