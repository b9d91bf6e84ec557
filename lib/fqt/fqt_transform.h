/* SPDX-License-Identifier: MIT */
/*
 * fqt_transform.h: the complex transform X_k = sum_j x_j exp(-2 pi i jk/n), real and imaginary parts
 * apart. By FFTW in programs for the processor; by its own passes (cuda/fqt/fqt_gpu_transform.cu) in
 * those with the CUDA runtime, which the GPL of FFTW keeps apart. Equal to some 1e-16 log n.
 */
#ifndef MBF_FQT_TRANSFORM_H
#define MBF_FQT_TRANSFORM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fqt_transform;
/* Of n numbers, whose imaginary parts stand at + m (at least n). NULL: no memory, or n too large. */
struct fqt_transform *fqt_transform_open(size_t n, size_t m);
/* in[2][m], which is lost, to out[2][m]; on any thread. */
void fqt_transform_run(const struct fqt_transform *t, double *in, double *out);
void fqt_transform_close(struct fqt_transform *t); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
