/* SPDX-License-Identifier: MIT */
/*
 * Method fft: all lags at once. Two real series make one complex one, z = x + i y, and the real part of the correlation
 * of z with itself is the sum of both: the products conj(Z_b) Z (Z: the whole series, Z_b: its origins of block b) of all
 * pairs are added up and transformed back once. Batches of series are dealt to a
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
#define LANES 2 /* streams a device, so that one fills the gaps of the other */
#define FFT_BATCH_BYTES ((size_t)80 << 20) /* smaller ones would fit the L2 cache, but their launches do not fill the device */

struct fft_device {
    int device;
    void *raw, *pos, *box, *box32;
};

struct fft_lane {
    struct fft_device *on;
    cudaStream_t stream;
    int plan;
    double2 *z, *part;
};

/* A group of batches: where they run, and the sums of their products [blocks][m]. */
struct fft_group {
    struct fft_lane *lane;
    double2 *sum;
};

struct fft_run {
    struct gpu_err *e;
    const struct g4_params *p;
    struct g4_blocks *blocks;
    const struct box *box;
    size_t steps, lags, origins, ld, m, nblocks, npairs, step_values;
    int batch, plain, is64, cell, ndev, comp;
    struct fft_device dev[GPU_MAX_DEVICES];
    struct fft_lane lane[GPU_MAX_DEVICES * LANES];
    struct fft_group group[GROUPS];
    double *d_a;   /* on device 0: [natoms + 1][ld] */
    double2 *d_all; /* on device 0: sums of all groups */
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
    size_t need = gpu_add(gpu_add(gpu_mul(LANES, z), gpu_mul(2 * GROUPS, sums)), gpu_add(gpu_add(raw, pos), gpu_mul(row, p->natoms + 20)));
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

static int lane_open(struct fft_run *f, struct fft_lane *l, struct fft_device *on)
{
    size_t work, z = (size_t)f->batch * f->m * sizeof(double2);
    l->on = on;
    TRY(f->e, cudaSetDevice(on->device));
    TRY(f->e, cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
    if (gpu_alloc(f->e, (void **)&l->z, z, "series") || gpu_alloc(f->e, (void **)&l->part, f->plain ? 0 : z, "series"))
        return -1;
    TRY(f->e, cudaMemset(l->z, 0, z));
    if (!f->plain)
        TRY(f->e, cudaMemset(l->part, 0, z));
    return cufft_plan(f->e, &l->plan, f->m, f->batch, l->stream, &work);
}

static int group_open(struct fft_run *f, int k)
{
    struct fft_group *g = &f->group[k];
    int d = k % f->ndev;
    g->lane = &f->lane[d * LANES + k / f->ndev % LANES];
    TRY(f->e, cudaSetDevice(f->dev[d].device));
    return gpu_alloc(f->e, (void **)&g->sum, f->nblocks * f->m * sizeof(double2), "spectra");
}

/* Series of a batch into z, steps [from, to) of them. kind: 0 pairs, 1 rows of a. n: series. */
static int fill(struct fft_run *f, struct fft_lane *g, int kind, struct fft_args a, int n)
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
static int batch_run(struct fft_run *f, struct fft_group *group, int kind, struct fft_args a, int n)
{
    struct fft_lane *g = group->lane;
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
        fft_power_kernel<<<blocks, 128, 0, g->stream>>>(part, g->z, f->m, n, group->sum + b * f->m);
        TRY_LAUNCH(f->e, "fft_power_kernel");
    }
    return 0;
}

/* Sums of the groups, in their order, back to lags, into function fn of the blocks. */
static int reduce(struct fft_run *f, int fn)
{
    size_t per = f->nblocks * f->m;
    struct fft_lane *g = &f->lane[0];
    std::vector<double2> out(f->lags);
    for (int k = 0; k < GROUPS; k++) {
        int from = f->group[k].lane->on->device;
        TRY(f->e, cudaSetDevice(from));
        TRY(f->e, cudaMemcpyPeerAsync(f->d_all + (size_t)k * per, f->dev[0].device, f->group[k].sum, from,
                                      per * sizeof(double2), f->group[k].lane->stream));
    }
    for (int d = 0; d < f->ndev * LANES; d++)
        TRY(f->e, cudaStreamSynchronize(f->lane[d].stream));
    TRY(f->e, cudaSetDevice(f->dev[0].device));
    for (size_t b = 0; b < f->nblocks; b++) {
        fft_total_kernel<<<(unsigned)((f->m + 127) / 128), 128, 0, g->stream>>>(f->d_all + b * f->m, per, GROUPS, f->m, g->z);
        TRY_LAUNCH(f->e, "fft_total_kernel");
        if (cufft_run(f->e, g->plan, g->z, 1))
            return -1;
        TRY(f->e, cudaMemcpyAsync(out.data(), g->z, f->lags * sizeof(double2), cudaMemcpyDeviceToHost, g->stream));
        TRY(f->e, cudaStreamSynchronize(g->stream));
        double *row = g4_blocks_at(f->blocks, block_begin(f, b));
        for (size_t l = 0; l < f->lags; l++)
            row[(l * (size_t)f->p->ncomp + (size_t)f->comp) * G4_NFUNCTIONS + (size_t)fn] += out[l].x / (double)f->m;
    }
    return 0;
}

/* All series of one kind. src, ld, rows as in fft_args, for pairs on each device its own. */
static int all_series(struct fft_run *f, int kind, const double *rows_src, size_t rows, int fn)
{
    int tiled = !kind && f->p->input == FRAME_POSN;
    size_t per = tiled ? (size_t)f->batch / 4 : (size_t)f->batch;
    size_t items = tiled ? fft_tiles(rows) : (rows + 1) / 2;
    for (int k = 0; k < GROUPS; k++) {
        TRY(f->e, cudaSetDevice(f->group[k].lane->on->device));
        TRY(f->e, cudaMemsetAsync(f->group[k].sum, 0, f->nblocks * f->m * sizeof(double2), f->group[k].lane->stream));
    }
    for (size_t b = 0, first = 0; first < items; b++, first += per) {
        struct fft_group *g = &f->group[b % GROUPS];
        size_t n = items - first < per ? items - first : per, real = f->is64 ? 8 : 4;
        const char *raw = (const char *)g->lane->on->raw + (size_t)f->comp * f->npairs * real;
        struct fft_args a = {kind ? (const void *)rows_src : tiled ? g->lane->on->pos : (const void *)raw,
                             kind || tiled ? f->ld : f->step_values, rows, f->m, first, 0, 0, NULL, f->beta};
        a.beta.cell = f->is64 ? g->lane->on->box : g->lane->on->box32;
        if (batch_run(f, g, kind, a, (int)(tiled ? 4 * n : n)))
            return -1;
    }
    return reduce(f, fn);
}

/* Start A_i and S of all steps on device 0, beside the transforms of the pairs. */
static int atoms_start(struct fft_run *f)
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
    return sums_total(f->e, &s, 0);
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
    for (int k = 0; k < f->ndev * LANES; k++)
        if (lane_open(f, &f->lane[k], &f->dev[k / LANES]))
            return -1;
    for (int k = 0; k < GROUPS; k++)
        if (group_open(f, k))
            return -1;
    TRY(f->e, cudaSetDevice(list[0]));
    if (gpu_alloc(f->e, (void **)&f->d_a, (f->p->natoms + 1) * f->ld * sizeof(double), "sums of atoms") ||
        gpu_alloc(f->e, (void **)&f->d_all, GROUPS * f->nblocks * f->m * sizeof(double2), "spectra"))
        return -1;
    size_t n = f->p->natoms, rows = f->p->input == FRAME_POSN ? n : f->npairs;
    auto t0 = std::chrono::steady_clock::now();
    for (f->comp = 0; f->comp < f->p->ncomp; f->comp++) {
        f->cell = slot_beta(&f->beta, f->p, f->comp, f->box, f->steps);
        if (atoms_start(f) || all_series(f, 0, NULL, rows, G4_G2))
            return -1;
        TRY(f->e, cudaSetDevice(list[0]));
        TRY(f->e, cudaStreamSynchronize(0));
        if (all_series(f, 1, f->d_a, n, 2) || all_series(f, 1, f->d_a + n * f->ld, 1, G4_G))
            return -1;
    }
    f->work_ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    return 0;
}

static void fft_close(struct fft_run *f)
{
    for (int k = 0; k < f->ndev * LANES && f->lane[k].on; k++) {
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
    for (int k = 0; k < GROUPS && f->group[k].lane; k++) {
        cudaSetDevice(f->group[k].lane->on->device);
        cudaFree(f->group[k].sum);
    }
    for (int d = 0; d < f->ndev; d++) {
        void *p[] = {f->dev[d].raw, f->dev[d].pos, f->dev[d].box, f->dev[d].box32};
        cudaSetDevice(f->dev[d].device);
        for (void *v : p)
            cudaFree(v);
    }
    cudaSetDevice(f->dev[0].device);
    cudaFree(f->d_a);
    cudaFree(f->d_all);
}

int fft_check(struct gpu_err *e, const struct g4_params *p, const int *list, int ndev, size_t steps, size_t lags)
{
    struct fft_run *f = (struct fft_run *)calloc(1, sizeof *f);
    if (!f)
        return gpu_fail(e, 3, "out of memory");
    f->e = e;
    f->p = p;
    f->steps = steps;
    f->lags = lags;
    f->ndev = ndev;
    f->is64 = p->dtype == FRAME_F64;
    for (int d = 0; d < ndev; d++)
        f->dev[d].device = list[d];
    int rc = fft_sizes(f);
    free(f);
    return rc;
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
    for (int k = 0; k < ndev * LANES; k++)
        f->lane[k].plan = -1;
    int rc = run(f, list, raw);
    if (work_ms)
        *work_ms = f->work_ms;
    fft_close(f);
    free(f);
    return rc;
}
