/* SPDX-License-Identifier: MIT */
/*
 * waves.h: the wave vectors of a periodic cell in shells of |q|, and the choice of vectors to sum.
 * A wave vector is q = 2 pi (h a* + k b* + l c*) for whole h, k, l, where a*, b*, c* are the
 * columns of box.inv: the waves that fit the cell. The vectors q and -q have the same |rho(q)|², so
 * one vector represents both: h > 0, or h = 0 and k > 0, or h = k = 0 and l > 0. Shell n holds n
 * step <= |q| < (n + 1) step.
 * If there are more than `most` vectors, every shell keeps the same number c of them (or all, if it
 * has fewer). The number c is as large as `most` allows, and at least 1. A shell keeps its first c
 * vectors on the rods (h, k), which are ordered by frac(0.7548776662 h + 0.5698402910 k); on a rod
 * the order is l = 0, 1, -1, 2, -2, ... Such rods are spread evenly over the plane, so the vectors
 * are spread over all directions. Many vectors share h and k, which makes their sum cheap. The
 * choice depends only on the cell and the parameters. Both factors are powers of the inverse of the
 * plastic number.
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

/* Atoms of one species are summed in pieces of this size (waves_sum.h). */
#define WAVES_PIECE 256

struct waves {
    size_t n;           /* chosen */
    int32_t (*hkl)[3];  /* [n] by h, then k, then l = 0, 1, -1, 2, -2, ... */
    uint32_t *shell;    /* [n] */
    double *q;          /* [n] |q|, 1/Å */
    uint64_t all;       /* number in the shells, chosen or not */
    int32_t highest[3]; /* largest |h|, |k|, |l| chosen */
};

/* Chooses vectors for the cell b, which must have a volume. The struct w must be zero or an earlier
 * choice, which is replaced. The limit max_mem is in bytes; 0: no limit. Returns 0, or -1 and sets
 * e: more than 10^10 indices to examine, or out of memory. */
int waves_choose(struct waves *w, const struct box *b, size_t shells, double step, size_t most,
                 uint64_t max_mem, struct err *e) __attribute__((warn_unused_result));
/* Chooses the multiples of the shortest wave along hkl (whole numbers, not all 0) up to |q| = qmax,
 * each in its own shell, in the above order. Returns 0, or -1 and sets e: none, or no memory. */
int waves_line(struct waves *w, const struct box *b, const int32_t hkl[3], double qmax,
               struct err *e) __attribute__((warn_unused_result));
/* Removes empty shells and renumbers the others. Returns the number of remaining shells. */
size_t waves_close_up(struct waves *w);
void waves_free(struct waves *w);

#ifdef __cplusplus
}
#endif
#endif
