/* SPDX-License-Identifier: MIT */
/* format_cause.h: explains why a frame is not one stride after the previous frame. Private to
 * lib/formats. */
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

/* The steps or times of successive frames, of which frame `at` is refused. */
struct format_cause {
    double key[CAUSE_KEYS];
    size_t n, at;           /* 0 < at < n */
    bool steps;             /* keys are MD steps; otherwise times, ps */
    uint64_t number, every; /* input number of frame `at`, and stride of --select */
    uint64_t first, stop;   /* range of --select */
    double want;            /* expected key; NaN: any later key */
    const char *joins;      /* previous file if frame `at` begins a file, else NULL */
    bool restarts;          /* steps come from headers and restart in each file */
    bool drift;             /* the frame is off by less than a tenth of a stride */
};

/* Sets *e to "expected step 200 after 100, found 300: ..." and the reason. Returns -1. */
int format_cause(const struct format_cause *c, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
