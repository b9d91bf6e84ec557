/* SPDX-License-Identifier: MIT */
/*
 * rdf_sq.h: the static structure factor S(q) from a pair-distance histogram (HIST, series.h), with
 * its errors.
 *
 * Let c_k be the pairs counted and e_k those expected of an ideal gas in bin k, for T steps and N
 * atoms. Let j_k(q) be the mean of sin(qr)/(qr) over the shell r_k <= r < r_k + dr, which is 3 [sin
 * qr - qr cos qr] / (q³ [r³]) between its ends. Then
 *
 *     transform  S(q) = 1 + 2/(N T) sum_k (c_k - e_k) W(r_k) j_k(q)
 *                     = 1 + 4 pi rho int r² [g - 1] W sin(qr)/(qr) dr      (rho = (N-1)/V, as in g)
 *     debye      S(q) = 1 + 2/(N T) sum_k  c_k j_k(q)
 *                Debye's sum over all pairs, for a body in empty space.
 *
 * The two differ exactly by the scattering of the homogeneous body, 2/(N T) sum e_k j_k. W is 1 or
 * Lorch's sin(pi r/R)/(pi r/R), with R = rmax and r at the middle of the bin (Lorch, J. Phys. C 2,
 * 229, 1969). Partials are those of Ashcroft and Langreth: like pairs as above with N_A; unlike
 * pairs 1/(sqrt(N_A N_B) T) sum (c_k - e_k) W j_k.
 *
 * The effect of the end of g(r) at R on S is estimated by the change of S when the end moves,
 *
 *     cut(q) = max - min of S with an end from 3/4 R to R, + |S with W - S without|
 *
 * (g oscillates several times in a quarter of R, and the rest of the integral varies about as
 * much.) A flag is the sum of 1: q < 2 pi / L; 2: S < 0, or cut > S/2.
 *
 * Errors: S is linear in the counts, so its deviation in a block is exact: dev_b of blocks.h, where
 * y_b is the sum of the block and n_b its number of steps. The error from errors.h thus includes
 * correlations between bins.
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

/* Reads the next HIST segment of r up to its END. Returns 1, 0 at the end, or -1 and sets e. */
int sq_read(struct frame_reader *r, struct sq_hist *h, struct err *e) FRAME_MUST;
void sq_free(struct sq_hist *h);

struct sq_params {
    enum sq_method method;
    enum sq_window window; /* transform only */
    size_t nq;
    double qstep; /* Å⁻¹: q = qstep, 2 qstep, ... */
    int threads;
};

/* Computes s[nq][pairs], cut[nq][pairs] and dev[blocks][nq][pairs] (may be NULL). Returns 0, or -1
 * and sets e: transform without a cell, or out of memory. */
int sq_compute(const struct sq_hist *h, const struct sq_params *p, double *s, double *cut,
               double *dev, struct err *e);

/* Does g of some pair continue unchanged beyond rmax, as in a crystal? The cut is then no measure
 * of the effect of the end on S. The criterion is the rms of r (g - 1) in the last quarter of rmax
 * over that in the third quarter. Measured: 0.41 to 0.91 in liquid argon of 64 to 500 atoms, 0.98
 * to 1.24 in crystals of 108 to 864 atoms. A gas has only noise, 0.98, and an rms g - 1 of 0.009;
 * the crystals have 0.19 or more. */
#define SQ_DAMPED 0.95
#define SQ_FLAT 0.05
bool sq_undamped(const struct sq_hist *h);

/* Mean of sin(qr)/(qr) over the shell a <= r < b; 1 at q = 0. */
double sq_shell(double q, double a, double b);

/* Slope at small q: least squares of ln S against ln q over lo <= q <= hi with equal weights, so
 * S(q) ~ q^slope and the fractal dimension is -slope. The argument pair is a column of s. The error
 * follows from the deviations by the same linear fit. Returns the number of points, or -1 if there
 * are fewer than 3 or some S <= 0. */
struct sq_fit {
    double slope, slope_se, amplitude;
};
long sq_fit(const struct sq_hist *h, const struct sq_params *p, size_t pair, const double *s,
            const double *dev, double lo, double hi, struct sq_fit *f);

/* Returns the rows of a SPEC array: q, S of every pair, their errors (with dev), their cut, and the
 * sum of all flags that occur: [nq][2 + pairs (dev ? 3 : 2)], to be freed. Writes the names into
 * columns, which has room for 48 bytes per column. Returns NULL if out of memory. */
double *sq_table(const struct sq_hist *h, const struct sq_params *p, const double *s,
                 const double *cut, const double *dev, char *columns);

#ifdef __cplusplus
}
#endif
#endif
