/* SPDX-License-Identifier: MIT */
/*
 * Method fft by the transforms of g4_gpu_power.h: power spectra alone, and nothing but sums of them
 * leaves the kernels.
 */
#include <vector>

#include "g4/g4_gpu_fft.h"
#include "g4/g4_gpu_power.h"

#define OWN_BATCH_BYTES ((size_t)160 << 20) /* between the passes */

int fft_own_plan(struct fft_run *f)
{
    int list[GPU_MAX_DEVICES];
    size_t need = f->steps + f->lags - 1;
    f->radix = 0;
    if (!fft_choice.own || !f->plain || need > POWER_MAX_LENGTH)
        return 0;
    for (int d = 0; d < f->ndev; d++)
        list[d] = f->dev[d].device;
    f->radix = power_radix(list, f->ndev, need);
    if (!f->radix)
        return 0;
    f->radix = fft_choice.radix > f->radix ? fft_choice.radix : f->radix;
    f->m = (size_t)f->radix * 4096;
    size_t parts = (size_t)power_parts(f->radix),
           bytes = fft_choice.batch_bytes ? fft_choice.batch_bytes : OWN_BATCH_BYTES;
    size_t n = f->p->natoms,
           most = f->p->input == FRAME_POSN ? power_series(n) : (f->npairs + 1) / 2;
    size_t batch = bytes / (f->m * sizeof(double2)) / parts * parts; /* so that every part has the
                                                                       same number */
    most = most < n ? n : most;
    batch = batch < parts ? parts : batch;
    f->batch = (int)(batch < most ? batch : most);
    f->batch = f->batch < 3 ? 3 : f->batch; /* the spectra on their way back */
    return 1;
}

size_t fft_own_bytes(const struct fft_run *f)
{
    size_t z = f->m * sizeof(double2) * (size_t)f->batch, row = f->m * sizeof(double);
    return FFT_LANES * z + row * (FFT_GROUPS * ((size_t)power_parts(f->radix) + 2) + 8) +
           3 * f->lags * sizeof(double);
}

int fft_own_open(struct fft_run *f)
{
    size_t parts = (size_t)power_parts(f->radix);
    std::vector<double2> table(f->m);
    power_table(table.data(), (int)f->m);
    for (int k = 0; k < f->ndev * FFT_LANES; k++) {
        if (TRY(f->e, cudaSetDevice(f->lane[k].on->device)))
            return -1;
        if (gpu_alloc(f->e, (void **)&f->lane[k].z, (size_t)f->batch * f->m * sizeof(double2),
                      "series"))
            return -1;
    }
    for (int d = 0; d < f->ndev; d++) {
        if (TRY(f->e, cudaSetDevice(f->dev[d].device)))
            return -1;
        if (gpu_alloc(f->e, (void **)&f->dev[d].table, f->m * sizeof(double2), "twiddles"))
            return -1;
        if (TRY(f->e, cudaMemcpy(f->dev[d].table, table.data(), f->m * sizeof(double2),
                                 cudaMemcpyHostToDevice)))
            return -1;
    }
    for (int k = 0; k < FFT_GROUPS; k++) {
        if (TRY(f->e, cudaSetDevice(f->group[k].lane->on->device)))
            return -1;
        if (gpu_alloc(f->e, (void **)&f->group[k].power, (parts + 1) * f->m * sizeof(double),
                      "spectra"))
            return -1;
    }
    if (TRY(f->e, cudaSetDevice(f->dev[0].device)))
        return -1;
    size_t bytes = ((FFT_GROUPS + 6) * f->m + 3 * f->lags) * sizeof(double);
    if (gpu_alloc(f->e, &f->d_all, bytes, "spectra"))
        return -1;
    if (TRY(f->e, cudaMemset(f->d_all, 0, bytes)) || TRY(f->e, cudaDeviceSynchronize()))
        return -1;
    return 0;
}

/* Series [first, first + n) into the sums of a group. */
static int batch_run(struct fft_run *f, struct fft_group *g, struct power_args a, size_t first,
                     size_t n)
{
    struct fft_lane *l = g->lane;
    if (TRY(f->e, cudaSetDevice(l->on->device)))
        return -1;
    a.first = first;
    a.count = (int)n;
    a.y = l->z;
    a.sums = g->power;
    a.table = l->on->table;
    return power_batch(f->e, f->radix, f->cell, a, l->stream);
}

static int zero(struct fft_run *f, struct fft_group *g)
{
    if (TRY(f->e, cudaSetDevice(g->lane->on->device)) ||
        TRY(f->e,
            cudaMemsetAsync(g->power, 0, (size_t)power_parts(f->radix) * f->m * sizeof(double),
                            g->lane->stream)))
        return -1;
    return 0;
}

/* Power spectra of all pairs, group by group, their sums on their way to device 0. */
static int pairs_start(struct fft_run *f)
{
    size_t real = f->is64 ? 8 : 4, n = f->p->natoms, parts = (size_t)power_parts(f->radix);
    int posn = f->p->input == FRAME_POSN;
    size_t series = posn ? power_series(n) : (f->npairs + 1) / 2, batch = (size_t)f->batch;
    for (int k = 0; k < FFT_GROUPS; k++)
        if (zero(f, &f->group[k]))
            return -1;
    for (size_t b = 0, first = 0; first < series; b++, first += batch) {
        struct fft_group *g = &f->group[b % FFT_GROUPS];
        struct fft_device *d = g->lane->on;
        struct power_args a = {};
        a.src = posn ? d->pos : (char *)d->raw + (size_t)f->comp * f->npairs * real;
        a.ld = posn ? f->ld : f->step_values;
        a.rows = posn ? n : f->npairs;
        a.kind = posn      ? (f->is64 ? POWER_POSN_F64 : POWER_POSN_F32)
                 : f->is64 ? POWER_PAIR_F64
                           : POWER_PAIR_F32;
        a.steps = (int)f->steps;
        a.beta = f->beta;
        a.beta.cell = f->is64 ? d->box : d->box32;
        if (batch_run(f, g, a, first, series - first < batch ? series - first : batch))
            return -1;
    }
    for (int k = 0; k < FFT_GROUPS; k++) {
        struct fft_lane *l = f->group[k].lane;
        double *sum = f->group[k].power + parts * f->m;
        if (TRY(f->e, cudaSetDevice(l->on->device)))
            return -1;
        if (power_total(f->e, f->radix, f->group[k].power, (int)parts, 0, sum, l->stream))
            return -1;
        if (TRY(f->e, cudaMemcpyPeerAsync((double *)f->d_all + (size_t)k * f->m, f->dev[0].device,
                                          sum, l->on->device, f->m * sizeof(double), l->stream)))
            return -1;
    }
    return 0;
}

/* Power spectra of n rows of d_a, in lane 0, whose group 0 is done, into out. */
static int rows_start(struct fft_run *f, const double *rows, size_t n, double *out)
{
    struct power_args a = {};
    a.src = rows;
    a.ld = f->ld;
    a.rows = n;
    a.kind = POWER_ROWS;
    a.steps = (int)f->steps;
    if (zero(f, &f->group[0]))
        return -1;
    for (size_t first = 0, all = (n + 1) / 2; first < all; first += (size_t)f->batch)
        if (batch_run(f, &f->group[0], a, first,
                      all - first < (size_t)f->batch ? all - first : (size_t)f->batch))
            return -1;
    return power_total(f->e, f->radix, f->group[0].power, power_parts(f->radix), 1, out,
                       f->lane[0].stream);
}

int fft_own_component(struct fft_run *f)
{
    size_t n = f->p->natoms;
    struct fft_lane *l = &f->lane[0];
    double *all = (double *)f->d_all, *spectra = all + FFT_GROUPS * f->m,
           *lags = spectra + 6 * f->m;
    std::vector<double> out(3 * f->lags);
    static const int fn[3] = {G4_G2, G4_ATOMS, G4_G};
    if (fft_atoms_start(f, l->stream) || pairs_start(f) ||
        rows_start(f, f->d_a, n, spectra + 2 * f->m) ||
        rows_start(f, f->d_a + n * f->ld, 1, spectra + 4 * f->m))
        return -1;
    for (int k = 1; k < f->ndev * FFT_LANES; k++)
        if (TRY(f->e, cudaStreamSynchronize(f->lane[k].stream)))
            return -1;
    if (TRY(f->e, cudaSetDevice(f->dev[0].device)))
        return -1;
    if (power_total(f->e, f->radix, all, FFT_GROUPS, 1, spectra, l->stream))
        return -1;
    struct power_args a = {};
    a.src = spectra;
    a.rows = 6;
    a.y = l->z;
    a.table = l->on->table;
    a.out = lags;
    a.lags = (int)f->lags;
    if (power_back(f->e, f->radix, a, l->stream))
        return -1;
    if (TRY(f->e, cudaMemcpyAsync(out.data(), lags, out.size() * sizeof(double),
                                  cudaMemcpyDeviceToHost, l->stream)) ||
        TRY(f->e, cudaStreamSynchronize(l->stream)))
        return -1;
    double *row = stats_blocks_at(f->blocks, 0);
    for (size_t t = 0; t < f->lags; t++)
        for (size_t k = 0; k < 3; k++)
            row[(t * (size_t)f->p->ncomp + (size_t)f->comp) * G4_NFUNCTIONS + (size_t)fn[k]] +=
                out[k * f->lags + t] / (double)f->m;
    return 0;
}
