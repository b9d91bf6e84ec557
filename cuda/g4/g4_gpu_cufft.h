/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu_cufft.h: the few entries of cuFFT that method fft uses, found at run time, so that no
 * program needs the library to start.
 */
#ifndef MBF_G4_GPU_CUFFT_H
#define MBF_G4_GPU_CUFFT_H

#include "base/gpu.h"

/* Load the library (once a process). 0, or -1 with a message that names what was looked for. */
int cufft_load(struct err *e);
/*
 * Plan of `batch` complex double transforms of length m, one behind the other, in stream. Bytes of
 * its work area in *work.
 */
int cufft_plan(struct err *e, int *plan, size_t m, int batch, cudaStream_t stream, size_t *work);
/* In place; inverse leaves out 1/m. */
int cufft_run(struct err *e, int plan, void *d_z, int inverse);
void cufft_free(int plan);

#endif
