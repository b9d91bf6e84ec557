/* SPDX-License-Identifier: MIT */
/*
 * Method fft: all lags at once. Two real series make one complex one, z = x + i y, and the real
 * part of the correlation of z with itself is the sum of both: the products conj(Z_b) Z (Z: the
 * whole series, Z_b: its origins of block b) of all pairs are added up and transformed back once.
 * Batches of series are dealt to a fixed number of groups, each added in order, and the groups in
 * order in the end: devices do not matter.
 */
#include "g4/g4_gpu_fft.h"

#include <chrono>
#include <cstdlib>

#include "g4/g4_gpu_cufft.h"

#define FFT_OWN 1 /* 1: the own transform where it serves */

struct fft_choice fft_choice = {FFT_OWN, 0, 0};

size_t fft_block_begin(const struct fft_run *f, size_t k)
{
    return (size_t)stats_blocks_bound(f->blocks, f->origins, f->nblocks, k);
}

/* Sizes, and whether they fit on every device. */
static int fft_sizes(struct fft_run *f)
{
    const struct g4_params *p = f->p;
    size_t real = f->is64 ? 8 : 4;
    f->origins = p->origins ? (size_t)p->origins : f->steps;
    if (p->origins && f->origins + f->lags - 1 < f->steps)
        f->steps = f->origins + f->lags - 1;
    f->npairs = p->natoms * (p->natoms - 1) / 2;
    f->step_values = p->input == FRAME_POSN ? 3 * p->natoms : f->npairs * (size_t)p->ncomp;
    f->ld = (f->steps + 31) / 32 * 32;
    f->nblocks = p->blocks > 1 ? p->blocks : 1;
    f->plain = f->nblocks == 1 && f->origins == f->steps;
    if (!fft_own_plan(f))
        fft_lib_plan(f);
    size_t raw = gpu_mul(gpu_mul(f->steps, f->step_values), real),
           row = gpu_mul(f->ld, sizeof(double));
    size_t pos = p->input == FRAME_POSN ? gpu_mul(gpu_mul(f->ld, 4 * real), p->natoms) : 0;
    size_t need = gpu_add(f->radix ? fft_own_bytes(f) : fft_lib_bytes(f),
                          gpu_add(gpu_add(raw, pos), gpu_mul(row, p->natoms + 20)));
    for (int d = 0; d < f->ndev; d++) {
        if (TRY(f->e, cudaSetDevice(f->dev[d].device)))
            return -1;
        size_t avail = gpu_free_bytes(),
               limit = p->max_mem && p->max_mem < avail ? p->max_mem : avail;
        if (need > limit)
            return err_set(f->e, ERR_MEMORY,
                           "fft of %zu steps and %zu lags needs %.1f MiB of GPU memory, at most "
                           "%.1f MiB can be had: "
                           "--method factored or fewer --lags",
                           f->steps, f->lags, (double)need / 1048576, (double)limit / 1048576);
    }
    return 0;
}

static int device_open(struct fft_run *f, struct fft_device *d, const void *raw)
{
    size_t real = f->is64 ? 8 : 4, n = f->p->natoms, bytes = f->steps * f->step_values * real;
    int posn = f->p->input == FRAME_POSN;
    if (TRY(f->e, cudaSetDevice(d->device)))
        return -1;
    if (gpu_alloc(f->e, &d->raw, bytes, "input") ||
        gpu_alloc(f->e, &d->pos, posn ? n * f->ld * 4 * real : 0, "positions") ||
        gpu_alloc(f->e, &d->box, posn ? f->ld * sizeof(struct box) : 0, "cells") ||
        gpu_alloc(f->e, &d->box32, posn ? f->ld * sizeof(struct box_f32) : 0, "cells"))
        return -1;
    if (TRY(f->e, cudaMemcpy(d->raw, raw, bytes, cudaMemcpyHostToDevice)))
        return -1;
    if (!posn)
        return 0;
    if (TRY(f->e, cudaMemset(d->box, 0, f->ld * sizeof(struct box))) ||
        TRY(f->e,
            cudaMemcpy(d->box, f->box, f->steps * sizeof(struct box), cudaMemcpyHostToDevice)))
        return -1;
    struct sums_args s = {
        d->raw, d->pos, NULL, n, f->ld, f->step_values, (int)f->steps, (const struct box *)d->box,
        0,      1,      {}};
    if (sums_wrap(f->e, &s, f->is64, 0) || sums_cells(f->e, &s, (struct box_f32 *)d->box32, 0))
        return -1;
    return TRY(f->e, cudaDeviceSynchronize());
}

static int run(struct fft_run *f, const int *list, const void *raw)
{
    if (fft_sizes(f))
        return -1;
    for (int d = 0; d < f->ndev; d++)
        if (device_open(f, &f->dev[d], raw))
            return -1;
    for (int k = 0; k < f->ndev * FFT_LANES; k++) {
        struct fft_lane *l = &f->lane[k];
        l->on = &f->dev[k / FFT_LANES];
        if (TRY(f->e, cudaSetDevice(l->on->device)) ||
            TRY(f->e, cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking)))
            return -1;
    }
    for (int k = 0; k < FFT_GROUPS; k++)
        f->group[k].lane = &f->lane[k % f->ndev * FFT_LANES + k / f->ndev % FFT_LANES];
    if (TRY(f->e, cudaSetDevice(list[0])))
        return -1;
    if (gpu_alloc(f->e, (void **)&f->d_a, (f->p->natoms + 1) * f->ld * sizeof(double),
                  "sums of atoms") ||
        (f->radix ? fft_own_open(f) : fft_lib_open(f)))
        return -1;
    auto t0 = std::chrono::steady_clock::now();
    for (f->comp = 0; f->comp < f->p->ncomp; f->comp++) {
        f->cell = slot_beta(&f->beta, f->p, f->comp, f->box, f->steps);
        if (f->radix ? fft_own_component(f) : fft_lib_component(f))
            return -1;
    }
    f->work_ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    return 0;
}

static void fft_close(struct fft_run *f)
{
    for (int k = 0; k < f->ndev * FFT_LANES && f->lane[k].on; k++) {
        struct fft_lane *l = &f->lane[k];
        cudaSetDevice(l->on->device);
        if (l->stream)
            cudaStreamSynchronize(l->stream);
        cufft_free(l->plan);
        cudaFree(l->z);
        cudaFree(l->part);
        if (l->stream)
            cudaStreamDestroy(l->stream);
    }
    for (int k = 0; k < FFT_GROUPS && f->group[k].lane; k++) {
        cudaSetDevice(f->group[k].lane->on->device);
        cudaFree(f->group[k].sum);
        cudaFree(f->group[k].power);
    }
    for (int d = 0; d < f->ndev; d++) {
        void *p[] = {f->dev[d].raw, f->dev[d].pos, f->dev[d].box, f->dev[d].box32, f->dev[d].table};
        cudaSetDevice(f->dev[d].device);
        for (void *v : p)
            cudaFree(v);
    }
    cudaSetDevice(f->dev[0].device);
    cudaFree(f->d_a);
    cudaFree(f->d_all);
}

/* A run of so many steps and lags, nothing allocated yet; NULL: out of memory. */
static struct fft_run *fft_new(struct err *e, const struct g4_params *p, const int *list, int ndev,
                               size_t steps, size_t lags)
{
    struct fft_run *f = (struct fft_run *)calloc(1, sizeof *f);
    if (!f) {
        err_set(e, ERR_MEMORY, "out of memory");
        return NULL;
    }
    f->e = e;
    f->p = p;
    f->steps = steps;
    f->lags = lags;
    f->ndev = ndev;
    f->is64 = p->dtype == FRAME_F64;
    for (int d = 0; d < ndev; d++)
        f->dev[d].device = list[d];
    for (int k = 0; k < ndev * FFT_LANES; k++)
        f->lane[k].plan = -1;
    return f;
}

int fft_check(struct err *e, const struct g4_params *p, const int *list, int ndev, size_t steps,
              size_t lags)
{
    struct fft_run *f = fft_new(e, p, list, ndev, steps, lags);
    int rc = f ? fft_sizes(f) : -1;
    free(f);
    return rc;
}

int fft_finish(struct err *e, const struct g4_params *p, const int *list, int ndev, const void *raw,
               const struct box *box, size_t steps, size_t lags, struct stats_blocks *blocks,
               double *work_ms)
{
    struct fft_run *f = fft_new(e, p, list, ndev, steps, lags);
    if (!f)
        return -1;
    f->blocks = blocks;
    f->box = box;
    int rc = run(f, list, raw);
    if (work_ms)
        *work_ms = f->work_ms;
    fft_close(f);
    free(f);
    return rc;
}
