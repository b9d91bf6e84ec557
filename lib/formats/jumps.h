/* SPDX-License-Identifier: MIT */
/* jumps.h: detects from large displacements that atoms without ids changed their order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

/* Initialise to zeros. */
struct jumps {
    bool has_extent;
    double extent[3]; /* Extent of the first frame in Å, if there is no cell. */
};

/* Checks whether many of the n atoms jumped between the two frames before[n][3] and now[n][3]. The
 * argument `box` is the cell of the later frame. The argument `every` is the stride of --select.
 * Returns 0 on success, or -1 with an error message in *e. */
int jumps_check(struct jumps *j, const struct box *box, size_t n, bool f64, const void *before,
                const void *now, uint64_t every, struct err *e) MUST_USE;
