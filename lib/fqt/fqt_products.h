/* SPDX-License-Identifier: MIT */
/*
 * fqt_products.h: time-lagged products of signals by FFT; a signal is divided into chunks of n
 * steps.
 *
 * A_c is the transform of chunk c followed by n zeros, with length m = 2n. The lags j n to j n + n
 * - 1 of the origins of chunk c are in
 *     conj(A_c) (A_{c+j} + (-1)^k A_{c+j+1}),      k: index in the transform,
 * because a shift by n gives that sign. A signal is therefore transformed only once, whatever the
 * number of lags. The products conj(A_c) A_{c+j}, j = 0..J, J = ceil(lags/n), are added over
 * signals before a single inverse transform gives the lags of their sum. For the host; used by
 * fqt_engine.c.
 */
#ifndef MBF_FQT_PRODUCTS_H
#define MBF_FQT_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/simd.h"
#include "fqt/fqt_transform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FQT_AT_ONCE 8 /* signals processed together */
#define FQT_TILE 16   /* indices of a transform per tile; m is a multiple, with zeros after 2n */

struct fqt_products {
    size_t n, m, lags, reach; /* chunk, 2n, L, J */
    size_t chunks, origins;   /* number of chunks, and of those with origins */
    size_t *first;            /* [origins + 1]: index of product (c, c), then (c, c+1), ... */
    struct fqt_transform *forth;
    void (*add)(size_t m, size_t signals, const double *a, const double *b, size_t stride,
                double *to);
};

/* Returns 0, or -1 if out of memory. */
int fqt_products_open(struct fqt_products *p, size_t n, size_t lags)
    __attribute__((warn_unused_result));
/* Sets the number of steps; the first `origins` of them (or slightly more) are origins. Returns 0,
 * or -1 if out of memory. */
int fqt_products_steps(struct fqt_products *p, size_t steps, size_t origins)
    __attribute__((warn_unused_result));
void fqt_products_close(struct fqt_products *p);

/* Doubles needed for the transforms of a signal, [chunks][2][m], and for all its products. */
size_t fqt_products_signal(const struct fqt_products *p);
size_t fqt_products_all(const struct fqt_products *p);

/* Adds the products of up to FQT_AT_ONCE pairs of signals a + s stride, b + s stride to `to` in one
 * pass. */
void fqt_products_add(const struct fqt_products *p, size_t signals, const double *a,
                      const double *b, size_t stride, double *to);
/* Sets out[k * stride] to scale times the real part at lag k of chunk c. scratch: [4][m]. */
void fqt_products_lags(const struct fqt_products *p, const double *sums, size_t c, double scale,
                       double *scratch, double *out, size_t stride);

/* to[2][FQT_TILE] += sum over signals of conj(a) b, for FQT_TILE indices of a and b [2][m]. */
SIMD_DECLARE(void, fqt_multiply,
             (size_t m, size_t signals, const double *a, const double *b, size_t stride,
              double *to));
/* Computes exp(2 pi i (h s + k t + l u)) of n positions [3][stride]; out holds the real parts, then
 * at +m the imaginary parts. */
SIMD_DECLARE(void, fqt_phases,
             (size_t n, const double *places, size_t stride, const int *hkl, double *out,
              size_t m));

#ifdef __cplusplus
}
#endif
#endif
