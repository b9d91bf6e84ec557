/* SPDX-License-Identifier: MIT */
/* Method fft by cuFFT: any length, and products with the spectra of blocks of origins. */
#include "g4/g4_gpu_fft.cuh"

#include <vector>

#include "g4/g4_gpu_cufft.h"
#include "g4/g4_gpu_fft.h"

#define LIB_BATCH_BYTES                                                                            \
    ((size_t)80                                                                                    \
     << 20) /* smaller ones would fit the L2 cache, but their launches do not fill the device */

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

void fft_lib_plan(struct fft_run *f)
{
    f->m = fft_length(f->steps + f->lags - 1);
    size_t one = gpu_mul(f->m, sizeof(double2));
    f->batch = one == SIZE_MAX ? 16 : (int)(LIB_BATCH_BYTES / one / 16 * 16);
    f->batch = f->batch < 16 ? 16 : f->batch > 1024 ? 1024 : f->batch;
}

size_t fft_lib_bytes(const struct fft_run *f)
{
    size_t one = gpu_mul(f->m, sizeof(double2));
    size_t z = gpu_mul(one, (size_t)f->batch * (f->plain ? 2 : 3)),
           sums = gpu_mul(one, f->nblocks + 1);
    return gpu_add(gpu_mul(FFT_LANES, z), gpu_mul(2 * FFT_GROUPS, sums));
}

static int lane_open(struct fft_run *f, struct fft_lane *l)
{
    size_t work, z = (size_t)f->batch * f->m * sizeof(double2);
    if (TRY(f->e, cudaSetDevice(l->on->device)))
        return -1;
    if (gpu_alloc(f->e, (void **)&l->z, z, "series") ||
        gpu_alloc(f->e, (void **)&l->part, f->plain ? 0 : z, "series"))
        return -1;
    if (TRY(f->e, cudaMemset(l->z, 0, z)))
        return -1;
    if (!f->plain && TRY(f->e, cudaMemset(l->part, 0, z)))
        return -1;
    return cufft_plan(f->e, &l->plan, f->m, f->batch, l->stream, &work);
}

int fft_lib_open(struct fft_run *f)
{
    if (cufft_load(f->e))
        return -1;
    for (int k = 0; k < f->ndev * FFT_LANES; k++)
        if (lane_open(f, &f->lane[k]))
            return -1;
    for (int k = 0; k < FFT_GROUPS; k++) {
        if (TRY(f->e, cudaSetDevice(f->group[k].lane->on->device)))
            return -1;
        if (gpu_alloc(f->e, (void **)&f->group[k].sum, f->nblocks * f->m * sizeof(double2),
                      "spectra"))
            return -1;
    }
    if (TRY(f->e, cudaSetDevice(f->dev[0].device)))
        return -1;
    return gpu_alloc(f->e, &f->d_all, FFT_GROUPS * f->nblocks * f->m * sizeof(double2), "spectra");
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
    return TRY_LAUNCH(f->e, "fft_fill_kernel");
}

/* One batch of n series: transforms and products, added to the group's sums. */
static int batch_run(struct fft_run *f, struct fft_group *group, int kind, struct fft_args a, int n)
{
    struct fft_lane *g = group->lane;
    unsigned blocks = (unsigned)((f->m + 127) / 128);
    if (TRY(f->e, cudaSetDevice(g->on->device)))
        return -1;
    a.z = g->z;
    a.from = 0;
    a.to = (int)f->steps;
    if (fill(f, g, kind, a, n) || cufft_run(f->e, g->plan, g->z, 0))
        return -1;
    for (size_t b = 0; b < f->nblocks; b++) {
        const double2 *part = g->z;
        if (!f->plain) {
            a.z = g->part;
            a.from = (int)fft_block_begin(f, b);
            a.to = (int)fft_block_begin(f, b + 1);
            part = g->part;
            if (fill(f, g, kind, a, n) || cufft_run(f->e, g->plan, g->part, 0))
                return -1;
        }
        fft_power_kernel<<<blocks, 128, 0, g->stream>>>(part, g->z, f->m, n, group->sum + b * f->m);
        if (TRY_LAUNCH(f->e, "fft_power_kernel"))
            return -1;
    }
    return 0;
}

/* Sums of the groups, in their order, back to lags, into function fn of the blocks. */
static int reduce(struct fft_run *f, int fn)
{
    size_t per = f->nblocks * f->m;
    struct fft_lane *g = &f->lane[0];
    std::vector<double2> out(f->lags);
    for (int k = 0; k < FFT_GROUPS; k++) {
        int from = f->group[k].lane->on->device;
        if (TRY(f->e, cudaSetDevice(from)) ||
            TRY(f->e, cudaMemcpyPeerAsync((double2 *)f->d_all + (size_t)k * per, f->dev[0].device,
                                          f->group[k].sum, from, per * sizeof(double2),
                                          f->group[k].lane->stream)))
            return -1;
    }
    for (int d = 0; d < f->ndev * FFT_LANES; d++)
        if (TRY(f->e, cudaStreamSynchronize(f->lane[d].stream)))
            return -1;
    if (TRY(f->e, cudaSetDevice(f->dev[0].device)))
        return -1;
    for (size_t b = 0; b < f->nblocks; b++) {
        fft_total_kernel<<<(unsigned)((f->m + 127) / 128), 128, 0, g->stream>>>(
            (double2 *)f->d_all + b * f->m, per, FFT_GROUPS, f->m, g->z);
        if (TRY_LAUNCH(f->e, "fft_total_kernel"))
            return -1;
        if (cufft_run(f->e, g->plan, g->z, 1))
            return -1;
        if (TRY(f->e, cudaMemcpyAsync(out.data(), g->z, f->lags * sizeof(double2),
                                      cudaMemcpyDeviceToHost, g->stream)) ||
            TRY(f->e, cudaStreamSynchronize(g->stream)))
            return -1;
        double *row = stats_blocks_at(f->blocks, fft_block_begin(f, b));
        for (size_t l = 0; l < f->lags; l++)
            row[(l * (size_t)f->p->ncomp + (size_t)f->comp) * G4_NFUNCTIONS + (size_t)fn] +=
                out[l].x / (double)f->m;
    }
    return 0;
}

/* All series of one kind. src, ld, rows as in fft_args, for pairs on each device its own. */
static int all_series(struct fft_run *f, int kind, const double *rows_src, size_t rows, int fn)
{
    int tiled = !kind && f->p->input == FRAME_POSN;
    size_t per = tiled ? (size_t)f->batch / 4 : (size_t)f->batch;
    size_t items = tiled ? fft_tiles(rows) : (rows + 1) / 2;
    for (int k = 0; k < FFT_GROUPS; k++) {
        if (TRY(f->e, cudaSetDevice(f->group[k].lane->on->device)) ||
            TRY(f->e, cudaMemsetAsync(f->group[k].sum, 0, f->nblocks * f->m * sizeof(double2),
                                      f->group[k].lane->stream)))
            return -1;
    }
    for (size_t b = 0, first = 0; first < items; b++, first += per) {
        struct fft_group *g = &f->group[b % FFT_GROUPS];
        size_t n = items - first < per ? items - first : per, real = f->is64 ? 8 : 4;
        const char *raw = (const char *)g->lane->on->raw + (size_t)f->comp * f->npairs * real;
        struct fft_args a = {kind    ? (const void *)rows_src
                             : tiled ? g->lane->on->pos
                                     : (const void *)raw,
                             kind || tiled ? f->ld : f->step_values,
                             rows,
                             f->m,
                             first,
                             0,
                             0,
                             NULL,
                             f->beta};
        a.beta.cell = f->is64 ? g->lane->on->box : g->lane->on->box32;
        if (batch_run(f, g, kind, a, (int)(tiled ? 4 * n : n)))
            return -1;
    }
    return reduce(f, fn);
}

int fft_lib_component(struct fft_run *f)
{
    size_t n = f->p->natoms, rows = f->p->input == FRAME_POSN ? n : f->npairs;
    if (fft_atoms_start(f, 0) || all_series(f, 0, NULL, rows, G4_G2))
        return -1;
    if (TRY(f->e, cudaSetDevice(f->dev[0].device)) || TRY(f->e, cudaStreamSynchronize(0)))
        return -1;
    return all_series(f, 1, f->d_a, n, G4_ATOMS) || all_series(f, 1, f->d_a + n * f->ld, 1, G4_G)
               ? -1
               : 0;
}
