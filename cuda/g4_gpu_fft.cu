/* SPDX-License-Identifier: MIT */
/*
 * Method fft: all lags at once. Two real series make one complex one, z = x + i y, and the real part of the correlation
 * of z with itself is the sum of both: the products conj(Z_b) Z (Z: the whole series, Z_b: its origins of block b) of all
 * pairs are added up and transformed back once. Batches are small enough to stay in the L2 cache. They are dealt to a
 * fixed number of groups, each added in order, and the groups in order in the end: devices do not matter.
 */
#include "g4_gpu_fft.cuh"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "g4_gpu_cufft.h"

#define GROUPS 8
#ifndef FFT_BATCH_BYTES
#define FFT_BATCH_BYTES ((size_t)24 << 20)
#endif

struct fft_device {
    int device;
    void *raw, *pos, *box, *box32;
};

/* A group of batches: its stream, plan, series, and the sums of its products [blocks][m]. */
struct fft_group {
    struct fft_device *on;
    cudaStream_t stream;
    int plan;
    double2 *z, *part, *sum;
};

struct fft_run {
    struct gpu_err *e;
    const struct g4_params *p;
    struct g4_blocks *blocks;
    const struct box *box;
    size_t steps, lags, origins, ld, m, nblocks, npairs, step_values;
    int batch, plain, is64, cell, ndev, comp;
    struct fft_device dev[GPU_MAX_DEVICES];
    struct fft_group group[GROUPS];
    double *d_a; /* on device 0: [natoms + 1][ld] */
    double work_ms;
    struct beta_args beta;
};

static size_t fft_length(size_t need)
{
    for (size_t m = need;; m++) {
        size_t r = m;
        for (size_t f = 2; f <= 7; f += f == 2 ? 1 : 2)
            while (r % f == 0)
                r /= f;
        if (r == 1)
            return m;
    }
}

static size_t block_begin(const struct fft_run *f, size_t k)
{
    if (f->nblocks == 1)
        return k ? f->origins : 0;
    uint64_t s = f->blocks->s, n = (f->origins + s - 1) / s, o = (2 * k * n + f->nblocks) / (2 * f->nblocks) * s;
    return o < f->origins ? (size_t)o : f->origins;
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
    f->m = fft_length(f->steps + f->lags - 1);
    f->nblocks = p->blocks > 1 ? p->blocks : 1;
    f->plain = f->nblocks == 1 && f->origins == f->steps;
    size_t one = gpu_mul(f->m, sizeof(double2));
    f->batch = one == SIZE_MAX ? 16 : (int)(FFT_BATCH_BYTES / one / 16 * 16);
    f->batch = f->batch < 16 ? 16 : f->batch > 1024 ? 1024 : f->batch;
    size_t z = gpu_mul(one, (size_t)f->batch * (f->plain ? 2 : 3)), sums = gpu_mul(one, f->nblocks + 1);
    size_t raw = gpu_mul(gpu_mul(f->steps, f->step_values), real), row = gpu_mul(f->ld, sizeof(double));
    size_t pos = p->input == FRAME_POSN ? gpu_mul(gpu_mul(f->ld, 4 * real), p->natoms) : 0;
    size_t need = gpu_add(gpu_mul(GROUPS, gpu_add(z, sums)), gpu_add(gpu_add(raw, pos), gpu_mul(row, p->natoms + 20)));
    for (int d = 0; d < f->ndev; d++) {
        TRY(f->e, cudaSetDevice(f->dev[d].device));
        size_t avail = gpu_free_bytes(), limit = p->max_mem && p->max_mem < avail ? p->max_mem : avail;
        if (need > limit)
            return gpu_fail(f->e, 3, "fft of %zu steps and %zu lags needs %.1f MiB of GPU memory, at most %.1f MiB can be had: "
                            "--method factored or fewer --lags", f->steps, f->lags, (double)need / 1048576,
                            (double)limit / 1048576);
    }
    return 0;
}

static int device_open(struct fft_run *f, struct fft_device *d, const void *raw)
{
    size_t real = f->is64 ? 8 : 4, n = f->p->natoms, bytes = f->steps * f->step_values * real;
    int posn = f->p->input == FRAME_POSN;
    TRY(f->e, cudaSetDevice(d->device));
    if (gpu_alloc(f->e, &d->raw, bytes, "input") || gpu_alloc(f->e, &d->pos, posn ? n * f->ld * 4 * real : 0, "positions") ||
        gpu_alloc(f->e, &d->box, posn ? f->ld * sizeof(struct box) : 0, "cells") ||
        gpu_alloc(f->e, &d->box32, posn ? f->ld * sizeof(struct box_f32) : 0, "cells"))
        return -1;
    TRY(f->e, cudaMemcpy(d->raw, raw, bytes, cudaMemcpyHostToDevice));
    if (!posn)
        return 0;
    TRY(f->e, cudaMemset(d->box, 0, f->ld * sizeof(struct box)));
    TRY(f->e, cudaMemcpy(d->box, f->box, f->steps * sizeof(struct box), cudaMemcpyHostToDevice));
    struct sums_args s = {d->raw, d->pos, NULL, n, f->ld, f->step_values, (int)f->steps, (const struct box *)d->box, 0, 1, {}};
    if (sums_wrap(f->e, &s, f->is64, 0) || sums_cells(f->e, &s, (struct box_f32 *)d->box32, 0))
        return -1;
    TRY(f->e, cudaDeviceSynchronize());
    return 0;
}

static int group_open(struct fft_run *f, struct fft_group *g, struct fft_device *on)
{
    size_t work, z = (size_t)f->batch * f->m * sizeof(double2);
    g->on = on;
    TRY(f->e, cudaSetDevice(on->device));
    TRY(f->e, cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
    if (gpu_alloc(f->e, (void **)&g->z, z, "series") || gpu_alloc(f->e, (void **)&g->part, f->plain ? 0 : z, "series") ||
        gpu_alloc(f->e, (void **)&g->sum, f->nblocks * f->m * sizeof(double2), "spectra"))
        return -1;
    TRY(f->e, cudaMemset(g->z, 0, z));
    if (!f->plain)
        TRY(f->e, cudaMemset(g->part, 0, z));
    return cufft_plan(f->e, &g->plan, f->m, f->batch, g->stream, &work);
}

/* Series of a batch into z, steps [from, to) of them. kind: 0 pairs, 1 rows of a. n: series. */
static int fill(struct fft_run *f, struct fft_group *g, int kind, struct fft_args a, int n)
{
    dim3 grid((unsigned)((f->m + 127) / 128), (unsigned)n), tiles(grid.x, (unsigned)(n / 4));
    dim3 pairs((unsigned)((f->m + 31) / 32), (unsigned)((n + 15) / 16));
    if (kind)
        fft_rows_kernel<<<grid, 128, 0, g->stream>>>(a);
    else if (f->p->input == FRAME_PAIR && f->is64)
        fft_pair_kernel<double><<<pairs, dim3(32, 8), 0, g->stream>>>(a);
    else if (f->p->input == FRAME_PAIR)
        fft_pair_kernel<float><<<pairs, dim3(32, 8), 0, g->stream>>>(a);
    else if (f->is64)
        fft_posn_kernel<double, -1, G4_CELL_ANY><<<tiles, 128, 0, g->stream>>>(a);
    else if (f->cell == G4_CELL_ANY)
        fft_posn_kernel<float, -1, G4_CELL_ANY><<<tiles, 128, 0, g->stream>>>(a);
    else if (a.beta.component == BETA_XZ)
        fft_posn_kernel<float, BETA_XZ, G4_CELL_FIXED><<<tiles, 128, 0, g->stream>>>(a);
    else
        fft_posn_kernel<float, -1, G4_CELL_FIXED><<<tiles, 128, 0, g->stream>>>(a);
    TRY_LAUNCH(f->e, "fft_fill_kernel");
    return 0;
}

/* One batch of n series: transforms and products, added to the group's sums. */
static int batch_run(struct fft_run *f, struct fft_group *g, int kind, struct fft_args a, int n)
{
    unsigned blocks = (unsigned)((f->m + 127) / 128);
    TRY(f->e, cudaSetDevice(g->on->device));
    a.z = g->z;
    a.from = 0;
    a.to = (int)f->steps;
    if (fill(f, g, kind, a, n) || cufft_run(f->e, g->plan, g->z, 0))
        return -1;
    for (size_t b = 0; b < f->nblocks; b++) {
        const double2 *part = g->z;
        if (!f->plain) {
            a.z = g->part;
            a.from = (int)block_begin(f, b);
            a.to = (int)block_begin(f, b + 1);
            part = g->part;
            if (fill(f, g, kind, a, n) || cufft_run(f->e, g->plan, g->part, 0))
                return -1;
        }
        fft_power_kernel<<<blocks, 128, 0, g->stream>>>(part, g->z, f->m, n, g->sum + b * f->m);
        TRY_LAUNCH(f->e, "fft_power_kernel");
    }
    return 0;
}

/* Sums of the groups, back to lags, into function fn of the blocks. */
static int reduce(struct fft_run *f, int fn)
{
    size_t bytes = f->nblocks * f->m * sizeof(double2);
    std::vector<double2> total(f->nblocks * f->m), one(total.size());
    for (int k = 0; k < GROUPS; k++) {
        struct fft_group *g = &f->group[k];
        TRY(f->e, cudaSetDevice(g->on->device));
        TRY(f->e, cudaMemcpyAsync(one.data(), g->sum, bytes, cudaMemcpyDeviceToHost, g->stream));
        TRY(f->e, cudaStreamSynchronize(g->stream));
        for (size_t i = 0; i < one.size(); i++) {
            total[i].x += one[i].x;
            total[i].y += one[i].y;
        }
    }
    TRY(f->e, cudaSetDevice(f->dev[0].device));
    for (size_t b = 0; b < f->nblocks; b++) {
        struct fft_group *g = &f->group[0];
        TRY(f->e, cudaMemcpyAsync(g->z, total.data() + b * f->m, f->m * sizeof(double2), cudaMemcpyHostToDevice, g->stream));
        if (cufft_run(f->e, g->plan, g->z, 1))
            return -1;
        TRY(f->e, cudaMemcpyAsync(one.data(), g->z, f->lags * sizeof(double2), cudaMemcpyDeviceToHost, g->stream));
        TRY(f->e, cudaStreamSynchronize(g->stream));
        double *row = g4_blocks_at(f->blocks, block_begin(f, b));
        for (size_t l = 0; l < f->lags; l++)
            row[(l * (size_t)f->p->ncomp + (size_t)f->comp) * G4_NFUNCTIONS + (size_t)fn] += one[l].x / (double)f->m;
    }
    return 0;
}

/* All series of one kind. src, ld, rows as in fft_args, for pairs on each device its own. */
static int all_series(struct fft_run *f, int kind, const double *rows_src, size_t rows, int fn)
{
    int tiled = !kind && f->p->input == FRAME_POSN, groups = kind ? 1 : GROUPS;
    size_t per = tiled ? (size_t)f->batch / 4 : (size_t)f->batch;
    size_t items = tiled ? fft_tiles(rows) : (rows + 1) / 2;
    for (int k = 0; k < GROUPS; k++) {
        TRY(f->e, cudaSetDevice(f->group[k].on->device));
        TRY(f->e, cudaMemsetAsync(f->group[k].sum, 0, f->nblocks * f->m * sizeof(double2), f->group[k].stream));
    }
    for (size_t b = 0, first = 0; first < items; b++, first += per) {
        struct fft_group *g = &f->group[b % (size_t)groups];
        size_t n = items - first < per ? items - first : per, real = f->is64 ? 8 : 4;
        const char *raw = (const char *)g->on->raw + (size_t)f->comp * f->npairs * real;
        struct fft_args a = {kind ? (const void *)rows_src : tiled ? g->on->pos : (const void *)raw,
                             kind || tiled ? f->ld : f->step_values, rows, f->m, first, 0, 0, NULL, f->beta};
        a.beta.cell = f->is64 ? g->on->box : g->on->box32;
        if (batch_run(f, g, kind, a, (int)(tiled ? 4 * n : n)))
            return -1;
    }
    return reduce(f, fn);
}

static int atoms(struct fft_run *f)
{
    struct fft_device *d = &f->dev[0];
    size_t n = f->p->natoms, real = f->is64 ? 8 : 4;
    dim3 grid((unsigned)((f->steps + 127) / 128), (unsigned)((n + 3) / 4));
    struct sums_args s = {(char *)d->raw + (size_t)f->comp * f->npairs * real, NULL, f->d_a, n, f->ld, f->step_values,
                          (int)f->steps, NULL, 0, 1, {}};
    TRY(f->e, cudaSetDevice(d->device));
    f->beta.cell = f->is64 ? d->box : d->box32;
    if (f->p->input == FRAME_PAIR) {
        if (sums_atoms(f->e, &s, f->is64, 0))
            return -1;
    } else if (f->is64)
        fft_atoms_kernel<double, -1, G4_CELL_ANY><<<grid, 128>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    else if (f->cell == G4_CELL_ANY)
        fft_atoms_kernel<float, -1, G4_CELL_ANY><<<grid, 128>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    else if (f->beta.component == BETA_XZ)
        fft_atoms_kernel<float, BETA_XZ, G4_CELL_FIXED><<<grid, 128>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    else
        fft_atoms_kernel<float, -1, G4_CELL_FIXED><<<grid, 128>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, f->beta);
    TRY_LAUNCH(f->e, "fft_atoms_kernel");
    if (sums_total(f->e, &s, 0))
        return -1;
    TRY(f->e, cudaDeviceSynchronize());
    return 0;
}

static int run(struct fft_run *f, const int *list, const void *raw)
{
    for (int d = 0; d < f->ndev; d++)
        f->dev[d].device = list[d];
    if (cufft_load(f->e) || fft_sizes(f))
        return -1;
    for (int d = 0; d < f->ndev; d++)
        if (device_open(f, &f->dev[d], raw))
            return -1;
    for (int k = 0; k < GROUPS; k++)
        if (group_open(f, &f->group[k], &f->dev[k % f->ndev]))
            return -1;
    TRY(f->e, cudaSetDevice(list[0]));
    if (gpu_alloc(f->e, (void **)&f->d_a, (f->p->natoms + 1) * f->ld * sizeof(double), "sums of atoms"))
        return -1;
    size_t n = f->p->natoms, rows = f->p->input == FRAME_POSN ? n : f->npairs;
    auto t0 = std::chrono::steady_clock::now();
    for (f->comp = 0; f->comp < f->p->ncomp; f->comp++) {
        f->cell = slot_beta(&f->beta, f->p, f->comp, f->box, f->steps);
        if (all_series(f, 0, NULL, rows, G4_G2) || atoms(f) || all_series(f, 1, f->d_a, n, 2) ||
            all_series(f, 1, f->d_a + n * f->ld, 1, G4_G))
            return -1;
    }
    f->work_ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    return 0;
}

int fft_finish(struct gpu_err *e, const struct g4_params *p, const int *list, int ndev, const void *raw,
               const struct box *box, size_t steps, size_t lags, struct g4_blocks *blocks, double *work_ms)
{
    struct fft_run *f = (struct fft_run *)calloc(1, sizeof *f);
    if (!f)
        return gpu_fail(e, 3, "out of memory");
    f->e = e;
    f->p = p;
    f->blocks = blocks;
    f->box = box;
    f->steps = steps;
    f->lags = lags;
    f->ndev = ndev;
    f->is64 = p->dtype == FRAME_F64;
    for (int k = 0; k < GROUPS; k++)
        f->group[k].plan = -1;
    int rc = run(f, list, raw);
    if (work_ms)
        *work_ms = f->work_ms;
    for (int k = 0; k < GROUPS; k++) {
        struct fft_group *g = &f->group[k];
        if (!g->on)
            continue;
        cudaSetDevice(g->on->device);
        if (g->stream)
            cudaStreamSynchronize(g->stream);
        cufft_free(g->plan);
        cudaFree(g->z), cudaFree(g->part), cudaFree(g->sum);
        if (g->stream)
            cudaStreamDestroy(g->stream);
    }
    for (int d = 0; d < ndev; d++) {
        cudaSetDevice(f->dev[d].device);
        cudaFree(f->dev[d].raw), cudaFree(f->dev[d].pos), cudaFree(f->dev[d].box), cudaFree(f->dev[d].box32);
    }
    cudaSetDevice(list[0]);
    cudaFree(f->d_a);
    free(f);
    return rc;
}
