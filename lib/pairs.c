/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int pairs_check_box(const struct box *b, double rc2, char *err, size_t errlen)
{
    double half = box_half_width(b), rc = sqrt(rc2);
    if (!isinf(rc2) && rc > half * (1 + 1e-12)) {
        snprintf(err, errlen,
                 "a cutoff of %g Å is beyond half the smallest width of the cell, %g Å, where the nearest image ends", rc,
                 half);
        return -1;
    }
    if (isinf(rc2) && !b->ortho && (b->pbc[0] || b->pbc[1] || b->pbc[2])) {
        snprintf(err, errlen,
                 "a triclinic cell needs a cutoff of at most half its smallest width, %g Å: farther pairs have no one "
                 "nearest image that is found by rounding",
                 half);
        return -1;
    }
    return 0;
}
