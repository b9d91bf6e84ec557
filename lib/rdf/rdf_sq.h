/* SPDX-License-Identifier: MIT */
/*
 * rdf_sq.h: the static structure factor S(q) from a pair-distance histogram (HIST, series.h), with
 * its errors.
 *
 * With c_k pairs counted and e_k expected of an ideal gas in bin k, T steps, N atoms and j_k(q) the
 * mean of sin(qr)/(qr) over the shell r_k <= r < r_k + dr, 3 [sin qr - qr cos qr] / (q³ [r³])
 * between its ends:
 *
 *     transform  S(q) = 1 + 2/(N T) sum_k (c_k - e_k) W(r_k) j_k(q)
 *                     = 1 + 4 pi rho int r² [g - 1] W sin(qr)/(qr) dr       (rho = (N-1)/V, as in g)
 *     debye      S(q) = 1 + 2/(N T) sum_k  c_k j_k(q)
 *                Debye's sum over all pairs, for a body in empty space
 *
 * The two differ by the scattering of the homogeneous body, 2/(N T) sum e_k j_k, exactly. W is 1 or
 * Lorch's sin(pi r/R)/(pi r/R), R = rmax, r at the middle of the bin (Lorch, J. Phys. C 2, 229,
 * 1969). Partials are those of Ashcroft and Langreth: like pairs as above with N_A; unlike:
 * 1/(sqrt(N_A N_B) T) sum (c_k - e_k) W j_k.
 *
 * The end of g(r) at R: what it does to S is estimated by how far S moves while the end does,
 *
 *     cut(q) = max - min of S with an end from 3/4 R to R, + |S with W - S without|
 *
 * (g oscillates several times in a quarter of R, and the rest of the integral about as much.) A
 * flag is the sum of 1: q < 2 pi / L; 2: S < 0, or cut > S/2.
 *
 * Errors: S is linear in the counts, so its deviation in a block is exact: dev_b of blocks.h with
 * y_b the block's sum and n_b its steps; its error is that of errors.h. Correlations between bins are thereby
 * included.
 */
#ifndef MBF_RDF_SQ_H
#define MBF_RDF_SQ_H

#include <stdbool.h>

#include "stats/pair_names.h"
#include "stats/series_source.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sq_method { SQ_TRANSFORM, SQ_DEBYE };
enum sq_window { SQ_NONE, SQ_LORCH };

/* A HIST segment. */
struct sq_hist {
    struct series_hist in; /* as it came */
    double qmin; /* 2 pi / L, Å⁻¹, L the smallest width over periodic axes; 0: no periodic axis */
    struct pair_names names;
};

/* Next HIST segment of r: 1, 0 at the end, -1 with e. Its END has been verified. */
int sq_read(struct frame_reader *r, struct sq_hist *h, struct err *e) FRAME_MUST;
void sq_free(struct sq_hist *h);

struct sq_params {
    enum sq_method method;
    enum sq_window window; /* transform only */
    size_t nq;
    double qstep; /* Å⁻¹: q = qstep, 2 qstep, ... */
    int threads;
};

/*
 * s[nq][pairs], cut[nq][pairs], dev[blocks][nq][pairs] (NULL: not wanted). 0, or -1 with e: transform without a
 * cell, out of memory.
 */
int sq_compute(const struct sq_hist *h, const struct sq_params *p, double *s, double *cut,
               double *dev, struct err *e);

/*
 * Does g of some pair go on beyond rmax as it is, as in a crystal? Then the cut is no measure of what
 * the end does to S. rms of r (g - 1) in the last quarter of rmax over that in the third, measured:
 * liquid argon of 64 to 500 atoms 0.41 to 0.91, crystals of 108 to 864 0.98 to 1.24; a gas has noise
 * alone, 0.98, and rms g - 1 of 0.009, where those crystals have 0.19 and more.
 */
#define SQ_DAMPED 0.95
#define SQ_FLAT 0.05
bool sq_undamped(const struct sq_hist *h);

/* Mean of sin(qr)/(qr) over the shell a <= r < b; 1 at q = 0. */
double sq_shell(double q, double a, double b);

/*
 * Small-q slope: least squares of ln S against ln q over lo <= q <= hi, each point with the same
 * weight; S(q) ~ q^slope, fractal dimension -slope. Column `pair` of s. Its error is the
 * deviations' through the same linear fit. Returns the number of points, or -1: fewer than 3, or S
 * <= 0 among them.
 */
struct sq_fit {
    double slope, slope_se, amplitude;
};
long sq_fit(const struct sq_hist *h, const struct sq_params *p, size_t pair, const double *s,
            const double *dev, double lo, double hi, struct sq_fit *f);

/*
 * Rows of a SPEC array: q, S of every pair, with dev their errors, their cut, the sum of the flags
 * that any of them has: [nq][2 + pairs (dev ? 3 : 2)], malloc'ed; names into columns, which has
 * room for 48 bytes a column. NULL: out of memory.
 */
double *sq_table(const struct sq_hist *h, const struct sq_params *p, const double *s,
                 const double *cut, const double *dev, char *columns);

#ifdef __cplusplus
}
#endif
#endif
