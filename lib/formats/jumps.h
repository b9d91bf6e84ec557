/* SPDX-License-Identifier: MIT */
/* jumps.h: atoms without ids that changed places, told by how far they seem to have moved. */
#ifndef MBF_JUMPS_H
#define MBF_JUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts as zeros. */
struct jumps {
    bool has_extent;
    double extent[3]; /* of the first frame, Å, where there is no cell */
};

/* Did many of n atoms jump between these two frames [n][3], the later one in this box? 0, or -1 with
 * the reason; every: only each so many frames are looked at. */
int jumps_check(struct jumps *j, const struct box *box, size_t n, bool f64, const void *before,
                const void *now, uint64_t every, struct err *e) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
