/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu_fft.h: inside of method fft. A run has the positions or pairs on every device; series go
 * in batches to a fixed number of groups, each with sums of its own, and groups to lanes (streams)
 * of devices. Two ways do the transforms: the own one of g4_gpu_power.h, for power spectra of up to
 * 65,536 steps and lags, and cuFFT for the rest.
 */
#ifndef MBF_G4_GPU_FFT_H
#define MBF_G4_GPU_FFT_H

#include "g4/g4_gpu.h"

#define FFT_GROUPS 8
#define FFT_LANES 2 /* streams a device, so that one fills the gaps of the other */

struct fft_device {
    int device;
    void *raw, *pos, *box, *box32;
    double2 *table; /* own: twiddles */
};

struct fft_lane {
    struct fft_device *on;
    cudaStream_t stream;
    int plan;
    double2 *z, *part; /* own: z alone, what lies between the passes */
};

/* A group of batches: where they run, and the sums of their products. */
struct fft_group {
    struct fft_lane *lane;
    double2 *sum;  /* cuFFT: [blocks][m] */
    double *power; /* own: [power_parts][m], then their sum [m] */
};

struct fft_run {
    struct err *e;
    const struct g4_params *p;
    struct stats_blocks *blocks;
    const struct box *box;
    size_t steps, lags, origins, ld, m, nblocks, npairs, step_values;
    int batch, plain, is64, cell, ndev, comp;
    int radix; /* own: m = 4096 radix; 0: cuFFT */
    struct fft_device dev[GPU_MAX_DEVICES];
    struct fft_lane lane[GPU_MAX_DEVICES * FFT_LANES];
    struct fft_group group[FFT_GROUPS];
    double *d_a; /* on device 0: [natoms + 1][ld] */
    void *d_all; /* on device 0: sums of all groups; own: [FFT_GROUPS][m], then spectra [6][m],
                    then results [3][lags] */
    double work_ms;
    struct beta_args beta;
};

/*
 * For tests and measurements: own 0 takes cuFFT, 1 the own transform; radix, batch_bytes: not 0: in
 * place of what would be chosen.
 */
extern struct fft_choice {
    int own, radix;
    size_t batch_bytes;
} fft_choice;

/* First origin of block k. */
size_t fft_block_begin(const struct fft_run *f, size_t k);
/* Start A_i and S of all steps on device 0 into d_a. */
int fft_atoms_start(struct fft_run *f, cudaStream_t stream);

/*
 * By cuFFT: batch and length; bytes of a device beside the input; what a lane and a group need; all
 * functions of component f->comp.
 */
void fft_lib_plan(struct fft_run *f);
size_t fft_lib_bytes(const struct fft_run *f);
int fft_lib_open(struct fft_run *f);
int fft_lib_component(struct fft_run *f);

/* The same by the own transform. fft_own_plan: 0 when it does not serve this run. */
int fft_own_plan(struct fft_run *f);
size_t fft_own_bytes(const struct fft_run *f);
int fft_own_open(struct fft_run *f);
int fft_own_component(struct fft_run *f);

#endif
