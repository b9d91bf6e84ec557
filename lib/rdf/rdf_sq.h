/* SPDX-License-Identifier: MIT */
/* rdf_sq.h: computes the static structure factor S(q) and its standard errors from a pair-distance
 * histogram (a HIST segment, see series.h).
 *
 * Let c_k be the number of pairs in bin k for T steps and N atoms, and let e_k be the number of
 * pairs that is expected for an ideal gas. Let j_k(q) be the mean of sin(qr)/(qr) over the shell
 * r_k <= r < r_k + dr. The method `transform` is
 *     S(q) = 1 + 2/(N T) sum_k (c_k - e_k) W(r_k) j_k(q)
 *          = 1 + 4 pi rho int r² [g - 1] W sin(qr)/(qr) dr.
 * The method `debye` is S(q) = 1 + 2/(N T) sum_k c_k j_k(q). In these formulas for S(q), rho is
 * (N-1)/V, as in g(r). The method `debye` is Debye's sum over all pairs of a body in empty space.
 * With W = 1, the methods `debye` and `transform` differ by 2/(N T) sum e_k j_k, the scattering of
 * a homogeneous body. The window W is 1, or sin(pi r/R)/(pi r/R) with R = rmax and r at the middle
 * of the bin (Lorch, J Phys C 2 (1969) 229). Partial structure factors are defined as by Ashcroft
 * and Langreth. For pairs of a single species A, N is replaced by N_A. For pairs of two species A
 * and B, S_AB is sum (c_k - e_k) W j_k divided by T sqrt(N_A N_B).
 *
 * The truncation of g(r) at R causes an error of S(q). To estimate this error, the end of g(r) is
 * moved from 3/4 R to R. The estimate cut(q) is the largest minus the smallest S, plus the absolute
 * change of S that the window W causes. Between 3/4 R and R, g(r) oscillates several times, and S
 * changes by about the missing part of the integral. The flag of a value of q is the sum of 1 if q
 * < 2 pi / L, and 2 if S < 0 or cut > S/2.
 *
 * S is a linear function of the counts. Therefore the deviation of S in a block is exactly dev_b of
 * blocks.h, where y_b is the sum over the block and n_b is the number of steps. The standard error
 * (errors.h) thus includes the correlations between bins. */
#pragma once

#include <stdbool.h>

#include "select/pair_names.h"
#include "stats/series_source.h"

enum sq_method { SQ_TRANSFORM, SQ_DEBYE };
enum sq_window { SQ_NONE, SQ_LORCH };

struct sq_hist {
    struct series_hist in;
    double qmin; /* 2 pi / L in Å⁻¹ */
    bool plane;  /* g(r) of atoms in a plane */
    struct pair_names names;
};

/* Reads the next HIST segment of r, up to END. Sets h->qmin to 2 pi divided by the smallest width L
 * of the cell along a periodic axis, or to 0 if no axis is periodic. Returns 1 after reading a
 * segment, 0 at the end of the input, or -1 with an error message in e. */
int sq_read(struct frame_reader *r, struct sq_hist *h, struct err *e) FRAME_MUST;
void sq_free(struct sq_hist *h);

struct sq_params {
    enum sq_method method;
    enum sq_window window; /* for SQ_TRANSFORM */
    size_t nq;
    double qstep; /* q = qstep, 2 qstep, ..., in Å⁻¹ */
    int threads;
};

/* Computes S(q) in s[nq][pairs], cut(q) in cut[nq][pairs] and, unless `dev` is NULL, the deviations
 * dev[blocks][nq][pairs]. Returns 0, or -1 with an error message in e if memory runs out, or if
 * the method `transform` is used without a cell or for atoms in a plane. */
int sq_compute(const struct sq_hist *h, const struct sq_params *p, double *s, double *cut,
               double *dev, struct err *e);

/* Returns true if g(r) of some pair of species does not decay before rmax, as in a crystal, so that
 * cut(q) does not measure the effect of the truncation. The criterion is the ratio of two rms
 * values of r (g - 1): in the last quarter of the range from 0 to rmax, and in the third quarter.
 * The ratio of the rms values was 0.41 to 0.91 in liquid argon with 64 to 500 atoms, and 0.98 to
 * 1.24 in crystals with 108 to 864 atoms. In a gas, noise also gives a ratio of 0.98, but the rms
 * of g - 1 is only 0.009, compared with 0.19 or more in a crystal. */
#define SQ_DAMPED 0.95
#define SQ_FLAT 0.05
bool sq_undamped(const struct sq_hist *h);

/* Returns the mean of sin(qr)/(qr) over the shell a <= r < b, which is 1 at q = 0. For q > 0, the
 * mean is the difference between the values of 3 (sin qr - qr cos qr) / q³ at r = b and r = a,
 * divided by b³ - a³. */
double sq_shell(double q, double a, double b);

/* Fits S(q) ~ q^slope for lo <= q <= hi, by least squares of ln S against ln q with equal weights.
 * The fractal dimension of the sample equals -slope. The argument `pair` is the index of a column
 * of s. The standard error of the slope follows from the same linear fit to the deviations dev.
 * Returns the number of points in the fit, or -1 if there are fewer than 3 points or a value of S
 * is not positive. */
struct sq_fit {
    double slope, slope_se;
};
long sq_fit(const struct sq_hist *h, const struct sq_params *p, size_t pair, const double *s,
            const double *dev, double lo, double hi, struct sq_fit *f);

/* Returns the rows of a SPEC array, which the caller frees, or NULL if memory runs out. The columns
 * are q, S of every pair of species, the standard errors (if `dev` is not NULL), cut(q), and the
 * sum of all flags. Writes the names of the columns to `columns`, which must have room for 48 bytes
 * per column. */
double *sq_table(const struct sq_hist *h, const struct sq_params *p, const double *s,
                 const double *cut, const double *dev, char *columns);
