/* SPDX-License-Identifier: MIT */
/* fqt_transform.h: computes the discrete Fourier transform X_k = sum_j x_j exp(-2 pi i jk/n), with
 * separate real and imaginary parts. Host programs use FFTW. Programs that use the CUDA runtime
 * must not be linked with GPL code and therefore use cuda/fqt/fqt_gpu_transform.cu. The two
 * implementations agree to about 1e-16 log n. */
#pragma once

#include <stddef.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

struct fqt_transform;
/* Plans a transform of n numbers. The imaginary parts begin m elements after the real parts, where
 * m >= n. Returns NULL if memory runs out or n is too large. */
struct fqt_transform *fqt_transform_open(size_t n, size_t m);
/* Transforms in[2][m] to out[2][m], and overwrites `in`. Any thread may use the plan t. */
void fqt_transform_run(const struct fqt_transform *t, double *in, double *out);
void fqt_transform_close(struct fqt_transform *t); /* NULL is allowed */

C_LINKAGE_END
