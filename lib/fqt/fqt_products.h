/* SPDX-License-Identifier: MIT */
/* fqt_products.h: computes time-lagged products of signals by FFT, in chunks of n steps.
 *
 * Let A_c be the transform of length m = 2n of chunk c, padded with n zeros. For the origins of
 * chunk c, the lags j n to j n + n - 1 follow from the inverse transform of
 *     conj(A_c) (A_{c+j} + (-1)^k A_{c+j+1}),
 * where k is the index in the transform. The sign (-1)^k comes from the shift of chunk c + j + 1 by
 * n steps. Each chunk of a signal is transformed only once, for any number of lags. The products
 * conj(A_c) A_{c+j} are added over all signals, for j = 0 to ceil(lags/n). A single inverse
 * transform then gives all lags of the sum over the signals. Only the CPU engine uses
 * fqt_products.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/simd.h"
#include "fqt/fqt_transform.h"

#define FQT_AT_ONCE 8 /* signals in a call */
#define FQT_TILE 16   /* divides m */

struct fqt_products {
    /* For n steps per chunk and L lags, m is 2n rounded up to a multiple of FQT_TILE, and `reach`
     * is J = ceil(L/n). */
    size_t n, m, lags, reach;
    size_t chunks, origins; /* all, with time origins */
    /* The products of chunk c < origins with itself and with later chunks have the indices first[c]
     * to first[c + 1] - 1. */
    size_t *first;
    struct fqt_transform *forth;
    void (*add)(size_t m, size_t signals, const double *a, const double *b, size_t stride,
                double *to);
};

/* Returns 0, or -1 if memory runs out. */
int fqt_products_open(struct fqt_products *p, size_t n, size_t lags) MUST_USE;
/* Sets the number of steps, of which the first `origins`, rounded up to whole chunks, are time
 * origins. Returns 0, or -1 if memory runs out. */
int fqt_products_steps(struct fqt_products *p, size_t steps, size_t origins) MUST_USE;
void fqt_products_close(struct fqt_products *p);

/* The transforms [chunks][2][m] of a signal take fqt_products_signal doubles, and the products of a
 * signal take fqt_products_all doubles. */
size_t fqt_products_signal(const struct fqt_products *p);
size_t fqt_products_all(const struct fqt_products *p);

/* Adds the products of up to FQT_AT_ONCE pairs of signals to the array to[]. Signal s begins at a +
 * s * stride. */
void fqt_products_add(const struct fqt_products *p, size_t signals, const double *a,
                      const double *b, size_t stride, double *to);
/* Sets out[k * stride] to the real part, times `scale`, of the product of chunk c at lag k. The
 * shape of `scratch` is [4][m]. */
void fqt_products_lags(const struct fqt_products *p, const double *sums, size_t c, double scale,
                       double *scratch, double *out, size_t stride);

/* Adds conj(a) b, summed over all signals, to to[2][FQT_TILE] for FQT_TILE indices of the
 * transform. */
SIMD_DECLARE(void, fqt_multiply,
             (size_t m, size_t signals, const double *a, const double *b, size_t stride,
              double *to));
/* Computes the phases exp(2 pi i (h s + k t + l u)) for n positions [3][stride]. Real parts begin
 * at out, and imaginary parts at out + m. */
SIMD_DECLARE(void, fqt_phases,
             (size_t n, const double *places, size_t stride, const int *hkl, double *out,
              size_t m));
