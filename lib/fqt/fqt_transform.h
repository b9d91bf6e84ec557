/* SPDX-License-Identifier: MIT */
/*
 * fqt_transform.h: the complex transform X_k = sum_j x_j exp(-2 pi i jk/n), with separate real and
 * imaginary parts. Host programs use FFTW; programs with the CUDA runtime, which must not link GPL
 * code, use cuda/fqt/fqt_gpu_transform.cu. Both agree to about 1e-16 log n.
 */
#ifndef MBF_FQT_TRANSFORM_H
#define MBF_FQT_TRANSFORM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fqt_transform;
/* A transform of n numbers; imaginary parts are at + m (at least n). NULL: no memory or n too
 * large. */
struct fqt_transform *fqt_transform_open(size_t n, size_t m);
/* Transforms in[2][m], which is overwritten, to out[2][m]; may be called on any thread. */
void fqt_transform_run(const struct fqt_transform *t, double *in, double *out);
void fqt_transform_close(struct fqt_transform *t); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
