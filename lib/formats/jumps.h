/* SPDX-License-Identifier: MIT */
/* jumps.h: detects from large displacements that the order of atoms without ids has changed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

/* Set to zeros before the first call. */
struct jumps {
    bool has_extent;
    double extent[3]; /* of the first frame, Å; without a cell */
};

/* Checks whether many of the n atoms jumped between the frames before[n][3] and now[n][3]. The cell
 * `box` belongs to the later frame, and `every` is the stride C of --select A:B:C. Returns 0, or -1
 * with an error message in *e. */
int jumps_check(struct jumps *j, const struct box *box, size_t n, bool f64, const void *before,
                const void *now, uint64_t every, struct err *e) MUST_USE;
