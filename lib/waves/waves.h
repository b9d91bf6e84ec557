/* SPDX-License-Identifier: MIT */
/*
 * waves.h: the wave vectors of a periodic cell, by shells of |q|, and which of them are summed.
 *
 * q = 2 pi (h a* + k b* + l c*) for whole h, k, l, where a*, b*, c* are the columns of box.inv: the
 * waves that fit the cell. q and -q have the same |rho(q)|², so one of the two stands for both:
 * h > 0, or h = 0 and k > 0, or h = k = 0 and l > 0. Shell n holds n step <= |q| < (n + 1) step.
 *
 * Where there are more than `most`, every shell keeps the same number c of its vectors (all, where
 * it has fewer), c as large as `most` allows, at least 1: the first c on the rods (h, k) in the order
 * of frac(0.7548776662 h + 0.5698402910 k), on a rod those of l = 0, 1, -1, 2, -2, ... Such rods
 * spread evenly over the plane, so that where they meet a sphere spreads over its directions, and
 * many vectors share h and k, which is what makes a sum over them cheap. The choice is a function
 * of the cell and the parameters alone. (Weights: the powers of the plastic number's inverse.)
 */
#ifndef MBF_WAVES_H
#define MBF_WAVES_H

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Atoms of one species are summed in pieces of so many (waves_sum.h). */
#define WAVES_PIECE 256

struct waves {
    size_t n;           /* chosen */
    int32_t (*hkl)[3];  /* [n] by h, then k, then l = 0, 1, -1, 2, -2, ... */
    uint32_t *shell;    /* [n] */
    double *q;          /* [n] |q|, 1/Å */
    uint64_t all;       /* in the shells, chosen or not */
    int32_t highest[3]; /* largest |h|, |k|, |l| chosen */
};

/*
 * Choose for the cell b, which has a volume. w begins as zeros or holds an earlier choice, which is
 * replaced. max_mem: bytes, 0: any. 0, or -1 with e: more than 10^10 indices to look at, memory.
 */
int waves_choose(struct waves *w, const struct box *b, size_t shells, double step, size_t most,
                 uint64_t max_mem, struct err *e) __attribute__((warn_unused_result));
/*
 * The multiples of the shortest wave along hkl (whole numbers, not all 0) up to |q| = qmax, each a
 * shell of its own, by the order above. 0, or -1 with e: none below qmax, memory.
 */
int waves_line(struct waves *w, const struct box *b, const int32_t hkl[3], double qmax,
               struct err *e) __attribute__((warn_unused_result));
/* Shells that hold no vector go, the others close up; returns how many are left. */
size_t waves_close_up(struct waves *w);
void waves_free(struct waves *w);

#ifdef __cplusplus
}
#endif
#endif
