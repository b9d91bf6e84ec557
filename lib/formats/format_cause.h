/* SPDX-License-Identifier: MIT */
/* format_cause.h: explains why the time between two frames differs from the stride of the
 * trajectory. Private to lib/formats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/traj_given.h"

enum { CAUSE_BEFORE = 8, CAUSE_AFTER = 24, CAUSE_KEYS = CAUSE_BEFORE + 1 + CAUSE_AFTER };

/* The keys (steps or times) of successive frames, of which frame `at` was rejected. */
struct format_cause {
    double key[CAUSE_KEYS];
    size_t n, at;                   /* 0 < at < n */
    bool steps;                     /* The keys are MD steps, not times in ps. */
    uint64_t number;                /* number of frame `at` in the input */
    const struct traj_given *given; /* --select */
    double want;                    /* expected key, or NaN if any later key is accepted */
    const char *joins;              /* Name of the preceding file if the rejected frame is the first
                                     * frame of a file, or NULL. */
    bool restarts;                  /* Steps are computed from file headers, so that each file
                                     * starts again. */
    bool drift; /* The time of the rejected frame differs from the expected time by less than a
                 * tenth of a stride. */
};

/* Sets *e to the reason, such as "expected step 200 after 100, found 300: ...", and returns -1. */
int format_cause(const struct format_cause *c, struct err *e);
