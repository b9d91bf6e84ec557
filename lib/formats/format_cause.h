/* SPDX-License-Identifier: MIT */
/* format_cause.h: explains why a frame does not follow the preceding frame by one stride. Private
 * to lib/formats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/traj_given.h"

enum { CAUSE_BEFORE = 8, CAUSE_AFTER = 24, CAUSE_KEYS = CAUSE_BEFORE + 1 + CAUSE_AFTER };

/* The steps or times of successive frames. The frame with the index `at` was rejected. */
struct format_cause {
    double key[CAUSE_KEYS];
    size_t n, at;    /* 0 < at < n */
    bool steps;      /* Whether the keys are MD steps. Otherwise the keys are times in ps. */
    uint64_t number; /* Number of frame `at` in the input. */
    const struct traj_given *given; /* --select */
    double want;                    /* expected key, or NaN for any later key */
    const char *joins;              /* Name of the preceding file if frame `at` is the first frame
                                     * of a file. Otherwise NULL. */
    bool restarts;                  /* Whether the steps come from file headers and start again in
                                     * each file. */
    bool drift; /* Whether the time of the frame differs from the expected time by less than a tenth
                 * of a stride. */
};

/* Sets *e to a message such as "expected step 200 after 100, found 300: ..." that includes the
 * reason. Returns -1. */
int format_cause(const struct format_cause *c, struct err *e);
