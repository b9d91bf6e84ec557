/* SPDX-License-Identifier: MIT */
/*
 * fqt_products.h: products over lags of signals that are cut into chunks of n steps, by FFT.
 *
 * A_c is the transform of chunk c behind which n zeros stand, of length m = 2n. The lags j n to
 * j n + n - 1 of the origins of chunk c are in
 *
 *     conj(A_c) (A_{c+j} + (-1)^k A_{c+j+1}),      k: place in the transform,
 *
 * since a shift by n is that sign. So a signal is transformed once, whatever the number of lags, and
 * the products conj(A_c) A_{c+j}, j = 0..J, J = ceil(lags/n), are added over signals before one
 * transform back makes lags of their sum. For the processor; used by fqt_engine.c.
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

#define FQT_AT_ONCE 8 /* signals */
#define FQT_TILE 16   /* places of a transform; m is a multiple, behind 2n are zeros */

struct fqt_products {
    size_t n, m, lags, reach; /* chunk, 2n, L, J */
    size_t chunks, origins;   /* there are; with origins */
    size_t *first;            /* [origins + 1]: place of product (c, c), then (c, c+1), ... */
    struct fqt_transform *forth;
    void (*add)(size_t m, size_t signals, const double *a, const double *b, size_t stride,
                double *to);
};

/* 0, or -1: no memory. */
int fqt_products_open(struct fqt_products *p, size_t n, size_t lags)
    __attribute__((warn_unused_result));
/* So many steps are there, `origins` of them origins (or more). 0, or -1: no memory. */
int fqt_products_steps(struct fqt_products *p, size_t steps, size_t origins)
    __attribute__((warn_unused_result));
void fqt_products_close(struct fqt_products *p);

/* Doubles of the transforms of a signal, [chunks][2][m], and of all its products. */
size_t fqt_products_signal(const struct fqt_products *p);
size_t fqt_products_all(const struct fqt_products *p);

/* The products of `signals` (up to FQT_AT_ONCE) pairs of signals a + s stride, b + s stride to those in
 * `to`: one pass over that, whatever their number. */
void fqt_products_add(const struct fqt_products *p, size_t signals, const double *a,
                      const double *b, size_t stride, double *to);
/* Of chunk c, all lags: scale times the real parts, lag k to out[k * stride]. scratch: [4][m]. */
void fqt_products_lags(const struct fqt_products *p, const double *sums, size_t c, double scale,
                       double *scratch, double *out, size_t stride);

/* Of FQT_TILE places of a and b [2][m], to[2][FQT_TILE] += sum over signals of conj(a) b. */
SIMD_DECLARE(void, fqt_multiply,
             (size_t m, size_t signals, const double *a, const double *b, size_t stride,
              double *to));
/* exp(2 pi i (h s + k t + l u)) of n places [3][stride], to out: real parts, then at +m imaginary ones. */
SIMD_DECLARE(void, fqt_phases,
             (size_t n, const double *places, size_t stride, const int *hkl, double *out,
              size_t m));

#ifdef __cplusplus
}
#endif
#endif
