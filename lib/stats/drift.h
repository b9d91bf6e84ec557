/* SPDX-License-Identifier: MIT */
/*
 * drift.h: did the sample change while it was measured? A mean that differs before and after some
 * moment by more than its errors allow: a run that froze, melted, evaporated or was not yet in
 * equilibrium. Standard errors hold for what is stationary, and are too small, or not known, there.
 *
 * A number is a ratio of sums over blocks in the order of time (blocks.h). DRIFT_PIECES pieces of
 * equal length are made of them, and cut in two at every place from an eighth to seven eighths: half
 * against half is one, and the cut nearest to a sudden change leaves none of it inside of a part.
 * With m of each part, d_i the deviation of a piece from that of its part as a share of the whole,
 * and r their correlation of neighbours less what two means take from it,
 *     t = (m_after - m_before) / (se sqrt(n / n_before + n / n_after)),  n what was counted,
 *     se² = sum d_i² P/(P - 2) (1 + 2 max(0, r)),  P = DRIFT_PIECES,
 * of Student's distribution with P - 2 degrees of freedom. Few long pieces, and not the blocks and
 * levels of errors.h, since a memory of up to the length of a piece then makes no alarm, and eight
 * blocks of a level have too few degrees of freedom left to be sure of anything. Of the cuts the
 * least likely counts, and its probability times the number of cuts is what is said to be its chance
 * (Bonferroni; neighbouring cuts have most pieces in common, so that it is too large).
 *
 * Measured (argon): 2 alarms of 2,400 series (U, G2(0), r^-6, S of the peak, 100 ps), liquids of
 * 64, 108 and 256 atoms, a gas and a crystal; of 120 runs of 125 atoms at 66 K, rho* 0.88, 200 ps
 * from random places, 64 froze within the run, of which U tells 58, and 7 in its last eighth, of
 * which it tells 3. What froze before, or will, is a stationary sample.
 */
#ifndef MBF_DRIFT_H
#define MBF_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DRIFT_PIECES 16   /* fewer blocks tell nothing */
#define DRIFT_CHANCE 1e-3 /* below it a sample is said to have changed */

struct drift {
    double part;          /* of what was counted that lies before the cut */
    double before, after; /* the ratios */
    double t;             /* their difference in its standard errors; NaN: not known */
    double chance;        /* of such a t at any cut; 1: not known */
};

/* y, n [blocks]: sums and what was counted, in any unit that is one of length. */
void drift_find(struct drift *d, size_t blocks, const double *y, const double *n);
/* The sentence for a user, where the sample changed: what ("U an atom, meV,") is by how much less or
 * more in which part. false: nothing to say, text is "". */
bool drift_say(const struct drift *d, const char *what, char *text, size_t size);

/*
 * The same of one run's sums as CORR and HIST hold them (series.h), m their META. CORR: G2(0), all
 * components together; along an axis of q, S where it is largest; nothing of other functions. HIST:
 * sum of r^-6 over all pairs a step, which is G2(0) of an isotropic fluid but for a factor;
 * steps[b * stride] of block b.
 */
bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size);
bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text,
                size_t size);

#ifdef __cplusplus
}
#endif
#endif
