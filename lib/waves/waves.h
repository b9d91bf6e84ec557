/* SPDX-License-Identifier: MIT */
/* waves.h: finds the wave vectors of a periodic cell, sorts them into shells of |q|, and chooses
 * the vectors to be summed. A wave vector is q = 2 pi (h a* + k b* + l c*) with integers h, k and
 * l, where a*, b* and c* are the columns of box.inv. Because q and -q have the same |rho(q)|², only
 * vectors with h > 0, or h = 0 and k > 0, or h = k = 0 and l > 0 are used. Shell n contains the
 * vectors with n step <= |q| < (n + 1) step.
 *
 * If there are more than `max` vectors, only the first c vectors of every shell are kept. The
 * number c is as large as the limit `max` allows, but at least 1. A rod consists of the vectors
 * with the same h and k, and rods are ordered by frac(0.7548776662 h + 0.5698402910 k). The factors
 * of h and k are powers of the inverse of the plastic number, so that the rods are spread evenly
 * over the plane, and the vectors evenly over all directions. On a rod, the order of the vectors is
 * l = 0, 1, -1, 2, -2, and so on. Many vectors are on the same rod, which makes their sum fast to
 * compute. The choice of vectors depends only on the cell and the parameters. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

C_LINKAGE_BEGIN

/* Number of atoms of a species whose terms are summed separately (waves_sum.h). */
#define WAVES_PIECE 256

struct waves {
    size_t n;           /* chosen vectors */
    int32_t (*hkl)[3];  /* [n], in the order above */
    uint32_t *shell;    /* [n] */
    double *q;          /* [n], |q|, 1/Å */
    uint64_t all;       /* before the choice */
    int32_t highest[3]; /* largest |h|, |k|, |l| */
};

/* Chooses wave vectors for the cell b, whose volume must not be 0, with `step` in 1/Å. On entry, w
 * must be zero or contain an earlier choice, which is replaced. The memory limit max_mem is in
 * bytes, and 0 means no limit. Returns 0, or -1 with an error message in e if more than 10^10
 * indices must be examined or memory runs out. */
int waves_choose(struct waves *w, const struct box *b, size_t shells, double step, size_t max,
                 uint64_t max_mem, struct err *e) MUST_USE;
/* Chooses the multiples of the shortest wave vector along hkl (not 0, 0, 0), up to |q| = qmax in
 * 1/Å. Each multiple has its own shell. Returns 0, or -1 with an error message in e if qmax is
 * below the shortest vector, if there are too many multiples, or if memory runs out. */
int waves_line(struct waves *w, const struct box *b, const int32_t hkl[3], double qmax,
               struct err *e) MUST_USE;
/* Removes empty shells, renumbers all other shells, and returns their number. */
size_t waves_close_up(struct waves *w);
void waves_free(struct waves *w);

C_LINKAGE_END
