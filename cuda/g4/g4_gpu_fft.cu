/* SPDX-License-Identifier: MIT */
/* The method `fft` computes all lags at once, only from power spectra.
 *
 * The products of steps t and t + lag with origin t in [from, to) are all products in the window
 * [from, to + lags - 1) minus all products in its tail [to, to + lags - 1), because products with
 * an origin from `to` on are in both. A block of origins is therefore the difference of two
 * autocorrelations, each of which is the transform of a sum of power spectra (g4_gpu_power.cuh).
 * The same applies to a piece of a trajectory that is too long for one transform. Two real series
 * form one complex series z = x + i y. The real part of the transform of |Z|^2 is the sum of both
 * autocorrelations.
 *
 * Batches of series are assigned to a fixed number of groups, each with its own sums, and groups
 * are assigned to lanes (streams) of devices. All sums are in a fixed order, so the result does not
 * depend on the devices. */
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "g4/g4_gpu.h"
#include "g4/g4_gpu_power.cuh"

#define FFT_GROUPS 8
#define FFT_LANES 2  /* streams per device, which fill each other's gaps */
#define FFT_BATCH 10 /* series per batch, in units of power_parts */
#define FFT_TOGETHER ((size_t)FFT_BATCH * POWER_SUMS) /* number of values between passes */

struct fft_device {
    int device;
    void *raw, *pos, *factors;
    struct g4_cells cells;
    double2 *table; /* twiddles of all lengths, consecutive */
};

struct fft_lane {
    struct fft_device *on;
    cudaStream_t stream;
    double2 *z; /* values between the two passes */
};

/* A group of batches, with its lane and the sums of its spectra. */
struct fft_group {
    struct fft_lane *lane;
    double *sums; /* [power_parts][m], then their sum [m] */
};

struct fft_run {
    struct err *e;
    const struct g4_params *p;
    struct stats_blocks *blocks;
    const struct box *box;
    size_t steps, lags, origins, ld, npairs, step_values, series;
    size_t piece; /* largest number of origins of a window */
    size_t max;   /* longest transform */
    int is64, ndev, comp;
    struct fft_device dev[GPU_MAX_DEVICES];
    struct fft_lane lane[GPU_MAX_DEVICES * FFT_LANES];
    struct fft_group group[FFT_GROUPS];
    double *d_a;   /* [natoms + 1][ld] on device 0 */
    double *d_all; /* on device 0: sums of groups [FFT_GROUPS][m], spectra [6][m], lags [3][lags] */
    double work_ms;
};

/* Steps [begin, begin + n), their transform of length m = 4096 ra, and the resulting lags. */
struct fft_window {
    size_t begin, n, m, lags;
    int ra;
};

static struct fft_window window_of(const struct fft_run *f, size_t begin, size_t end)
{
    size_t n = end - begin, lags = f->lags < n ? f->lags : n;
    int ra = power_radix(n + lags - 1);
    return {begin, n, (size_t)ra * 4096, lags, ra};
}

/* Divides the origins into windows, which depend only on the parameters. */
static int cut(struct fft_run *f)
{
    const struct g4_params *p = f->p;
    f->origins = p->origins ? (size_t)p->origins : f->steps;
    if (p->origins && f->origins + f->lags - 1 < f->steps)
        f->steps = f->origins + f->lags - 1;
    /* the sub-blocks of a block differ by one; each has at most a 32nd of its origins */
    struct stats_blocks b;
    g4_blocks_init(&b, p, f->lags);
    stats_blocks_settle(&b, f->origins);
    size_t a_block =
        p->blocks > 1 ? f->origins / p->blocks + f->origins / p->blocks / 16 + 2 : (size_t)b.s;
    f->piece = a_block < f->origins ? a_block : f->origins;
    size_t window = gpu_add(f->piece, f->lags - 1);
    window = window < f->steps ? window : f->steps;
    if (window + (f->lags < window ? f->lags : window) - 1 > POWER_MAX_LENGTH) {
        if (2 * f->lags > POWER_MAX_LENGTH)
            return err_bad(f->e,
                           "--method fft on a GPU: expected at most %d lags for %zu steps, found "
                           "%zu (use --method factored or fewer --lags)",
                           POWER_MAX_LENGTH / 2, f->steps, f->lags);
        f->piece = POWER_MAX_LENGTH - 2 * (f->lags - 1);
        window = f->piece + f->lags - 1;
    }
    f->max = window_of(f, 0, window).m;
    return 0;
}

/* Returns the number of values of a lane between the passes. */
static size_t lane_values(const struct fft_run *f)
{
    size_t n = f->series < 3 ? 3 : f->series; /* 3 spectra are transformed back */
    return n < FFT_TOGETHER / f->max ? n * f->max : FFT_TOGETHER;
}

static size_t all_values(const struct fft_run *f)
{
    return (FFT_GROUPS + 6) * f->max + 3 * f->lags;
}

/* Computes sizes and checks that they fit on every device. */
static int fft_sizes(struct fft_run *f)
{
    const struct g4_params *p = f->p;
    size_t real = f->is64 ? 8 : 4;
    int posn = p->input == FRAME_POSN;
    if (cut(f))
        return -1;
    f->npairs = p->natoms * (p->natoms - 1) / 2;
    f->series = posn ? power_series(p->natoms) : (f->npairs + 1) / 2;
    f->step_values = posn ? 3 * p->natoms : f->npairs * (size_t)p->ncomp;
    f->ld = (f->steps + 31) / 32 * 32;
    size_t raw = gpu_mul(gpu_mul(f->steps, f->step_values), real),
           pos =
               posn ? gpu_mul(f->ld, gpu_add(gpu_mul(4 * real, p->natoms), sizeof(struct sum_cell)))
                    : 0,
           rows = gpu_mul(f->ld, gpu_mul(p->natoms + 20, sizeof(double))),
           sums = (FFT_GROUPS * (POWER_SUMS + f->max) + all_values(f)) * sizeof(double),
           z = (FFT_LANES * lane_values(f) + POWER_TABLE) * sizeof(double2),
           weights = posn && p->factors ? weigh_bytes(p->factors) : 0,
           need = gpu_add(gpu_add(raw, pos), gpu_add(rows, sums + z + weights));
    for (int d = 0; d < f->ndev; d++) {
        int shared = 0;
        size_t avail;
        if (TRY(f->e, cudaSetDevice(f->dev[d].device)) || gpu_free_bytes(f->e, &avail) ||
            TRY(f->e, cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                             f->dev[d].device)))
            return -1;
        if ((size_t)shared < POWER_SHARED)
            return err_set(f->e, ERR_MACHINE,
                           "--method fft needs %zu KiB of shared memory per block, but device %d "
                           "has %d KiB (use --method factored)",
                           POWER_SHARED / 1024, f->dev[d].device, shared / 1024);
        size_t limit = p->max_mem && p->max_mem < avail ? p->max_mem : avail;
        if (need > limit)
            return err_set(
                f->e, ERR_MEMORY,
                "--method fft with %zu steps and %zu lags needs %.1f MiB of GPU memory, but at "
                "most %.1f MiB is available (use --method factored or fewer --lags)",
                f->steps, f->lags, (double)need / 1048576, (double)limit / 1048576);
    }
    return 0;
}

static int device_open(struct fft_run *f, struct fft_device *d, const void *raw,
                       const double2 *table)
{
    size_t real = f->is64 ? 8 : 4, n = f->p->natoms, bytes = f->steps * f->step_values * real;
    int posn = f->p->input == FRAME_POSN;
    struct factors view;
    if (TRY(f->e, cudaSetDevice(d->device)) || gpu_alloc(f->e, &d->raw, bytes, "input") ||
        gpu_alloc(f->e, &d->pos, posn ? n * f->ld * 4 * real : 0, "positions") ||
        gpu_alloc(f->e, &d->table, POWER_TABLE * sizeof(double2), "twiddles") ||
        TRY(f->e, cudaMemcpy(d->raw, raw, bytes, cudaMemcpyHostToDevice)) ||
        TRY(f->e,
            cudaMemcpy(d->table, table, POWER_TABLE * sizeof(double2), cudaMemcpyHostToDevice)) ||
        TRY(f->e, cudaStreamSynchronize(0))) /* complete before non-blocking streams use it */
        return -1;
    if (!posn)
        return 0;
    if (f->p->factors && (gpu_alloc(f->e, &d->factors, weigh_bytes(f->p->factors), "weights") ||
                          weigh_copy(f->e, f->p->factors, d->factors, &view)))
        return -1;
    g4_pairs(f->p, &d->cells.p);
    d->cells.weighed = f->p->factors != NULL;
    d->cells.factors = weigh_view(f->p->factors, d->factors);
    d->cells.h = (struct sum_cell *)malloc(f->ld * sizeof *d->cells.h);
    if (!d->cells.h)
        return err_memory(f->e, "cells");
    if (gpu_alloc(f->e, &d->cells.d, f->ld * sizeof *d->cells.d, "cells") ||
        cells_make(f->e, &d->cells, f->box, 0, f->steps, f->ld, 1) ||
        TRY(f->e, cudaMemcpy(d->cells.d, d->cells.h, d->cells.n * sizeof *d->cells.h,
                             cudaMemcpyHostToDevice)))
        return -1;
    struct sums_args s = {};
    s.raw = d->raw;
    s.p = d->pos;
    s.natoms = n;
    s.ld = f->ld;
    s.step = f->step_values;
    s.cols = (int)f->steps;
    s.cell = d->cells.d;
    s.plain = 1;
    return sums_wrap(f->e, &s, f->is64, 0) || TRY(f->e, cudaDeviceSynchronize()) ? -1 : 0;
}

/* Allocates everything except the input. */
static int run_open(struct fft_run *f)
{
    for (int k = 0; k < f->ndev * FFT_LANES; k++) {
        struct fft_lane *l = &f->lane[k];
        l->on = &f->dev[k / FFT_LANES];
        if (TRY(f->e, cudaSetDevice(l->on->device)) ||
            TRY(f->e, cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking)) ||
            gpu_alloc(f->e, &l->z, lane_values(f) * sizeof(double2), "series"))
            return -1;
    }
    for (int k = 0; k < FFT_GROUPS; k++) {
        struct fft_group *g = &f->group[k];
        g->lane = &f->lane[k % f->ndev * FFT_LANES + k / f->ndev % FFT_LANES];
        if (TRY(f->e, cudaSetDevice(g->lane->on->device)) ||
            gpu_alloc(f->e, &g->sums, (POWER_SUMS + f->max) * sizeof(double), "spectra"))
            return -1;
    }
    if (TRY(f->e, cudaSetDevice(f->dev[0].device)) ||
        gpu_alloc(f->e, &f->d_a, (f->p->natoms + 1) * f->ld * sizeof(double), "sums of atoms") ||
        gpu_alloc(f->e, &f->d_all, all_values(f) * sizeof(double), "spectra"))
        return -1;
    return 0;
}

static void run_close(struct fft_run *f)
{
    for (int k = 0; k < f->ndev * FFT_LANES && f->lane[k].on; k++) {
        struct fft_lane *l = &f->lane[k];
        cudaSetDevice(l->on->device);
        if (l->stream) {
            cudaStreamSynchronize(l->stream);
            cudaStreamDestroy(l->stream);
        }
        cudaFree(l->z);
    }
    for (int k = 0; k < FFT_GROUPS && f->group[k].lane; k++) {
        cudaSetDevice(f->group[k].lane->on->device);
        cudaFree(f->group[k].sums);
    }
    for (int d = 0; d < f->ndev; d++) {
        struct g4_cells *c = &f->dev[d].cells;
        void *p[] = {f->dev[d].raw, f->dev[d].pos, f->dev[d].table, c->d, f->dev[d].factors};
        cudaSetDevice(f->dev[d].device);
        free(c->h);
        cells_free(c);
        for (void *v : p)
            cudaFree(v);
    }
    cudaSetDevice(f->dev[0].device);
    cudaFree(f->d_a);
    cudaFree(f->d_all);
}

/* Computes A_i of one step, with partners in order, and stores it in a[atom][ld]. Positions are
 * [atom][ld]. Each thread processes one step and 4 atoms. The result is deterministic, and threads
 * do not synchronise. */
template <class T, int COMP, int CELL>
__global__ void fft_atoms_kernel(const void *pos, size_t natoms, size_t ld, int steps, double *a,
                                 const __grid_constant__ beta_args beta)
{
    typedef typename vec4<T>::type V;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    size_t i0 = (size_t)blockIdx.y * 4;
    if (t >= steps)
        return;
    const V *x = (const V *)pos + t;
    V xi[4];
    double sum[4] = {};
    for (int k = 0; k < 4; k++)
        xi[k] = x[(i0 + k < natoms ? i0 + k : natoms - 1) * ld];
    for (size_t j = 0; j < natoms; j++) {
        V xj = x[j * ld];
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum[k] += (double)beta_ordered<COMP, CELL>(
                beta, i0 + k < natoms ? i0 + k : natoms - 1, j, xi[k], xj,
                i0 + k == j ? (T)-1 : beta_rc2(beta, (T)0), t);
    }
    for (int k = 0; k < 4 && i0 + k < natoms; k++)
        a[(i0 + k) * ld + t] = sum[k];
}

template <class T>
static void (*fft_atoms(int cell))(const void *, size_t, size_t, int, double *, beta_args)
{
#define G4_EACH(CELL)                                                                              \
    case CELL: return fft_atoms_kernel<T, -1, CELL>;
    switch (cell) {
        G4_EACH_FIXED
        G4_EACH_ANY
    default: return fft_atoms_kernel<T, -1, G4_WEIGHED>;
    }
#undef G4_EACH
}

/* Starts A_i and S of all steps on device 0, to d_a. */
static int atoms_start(struct fft_run *f, cudaStream_t stream)
{
    struct fft_device *d = &f->dev[0];
    size_t n = f->p->natoms, real = f->is64 ? 8 : 4;
    dim3 grid((unsigned)((f->steps + 127) / 128), (unsigned)((n + 3) / 4));
    struct sums_args s = {};
    s.raw = (char *)d->raw + (size_t)f->comp * f->npairs * real;
    s.a = f->d_a;
    s.natoms = n;
    s.ld = f->ld;
    s.step = f->step_values;
    s.cols = (int)f->steps;
    if (TRY(f->e, cudaSetDevice(d->device)))
        return -1;
    if (f->p->input == FRAME_PAIR)
        return sums_atoms(f->e, &s, f->is64, stream) || sums_total(f->e, &s, stream) ? -1 : 0;
    int cell = d->cells.cell;
    int xz = f->p->component[f->comp] == BETA_XZ && cell == G4_CELL_FIXED;
    auto kernel = f->is64 ? fft_atoms<double>(cell)
                  : xz    ? fft_atoms_kernel<float, BETA_XZ, G4_CELL_FIXED>
                          : fft_atoms<float>(cell);
    struct beta_args beta;
    cells_beta(&d->cells, f->comp, &beta);
    kernel<<<grid, 128, 0, stream>>>(d->pos, n, f->ld, (int)f->steps, f->d_a, beta);
    return TRY_LAUNCH(f->e, "fft_atoms_kernel") || sums_total(f->e, &s, stream) ? -1 : 0;
}

typedef void (*power_kernel)(power_args);

template <int RA> static power_kernel columns(int cell, const power_args &a, size_t *bytes)
{
    *bytes = power_shape<RA>::bytes;
    bool half = a.steps <= RA * 2048, posn = a.kind <= POWER_POSN_F64;
    const int Q = (RA + 1) / 2;
    if (posn && cell == G4_CELL_FIXED && half && a.beta.component == BETA_XZ)
        return power_columns_kernel<RA, power_source_posn<BETA_XZ, G4_CELL_FIXED, Q>, true>;
#define G4_EACH(CELL)                                                                              \
    if (posn && cell == (CELL) && half)                                                            \
        return power_columns_kernel<RA, power_source_posn<-1, CELL, Q>, true>;
    G4_EACH_FIXED
#undef G4_EACH
    if (posn && cell == G4_WEIGHED)
        return power_columns_kernel<RA, power_source_any<G4_WEIGHED>, false>;
#define G4_EACH(CELL)                                                                              \
    if (posn && G4_FORM(cell) == G4_FORM(CELL))                                                    \
        return power_columns_kernel<RA, power_source_any<CELL>, false>;
    G4_EACH_ANY
#undef G4_EACH
    return power_columns_kernel<RA, power_source_any<G4_CELL_ANY>, false>;
}

static power_kernel columns_of(int ra, int cell, const power_args &a, size_t *bytes)
{
    switch (ra) {
    case 1: return columns<1>(cell, a, bytes);
    case 2: return columns<2>(cell, a, bytes);
    case 4: return columns<4>(cell, a, bytes);
    case 5: return columns<5>(cell, a, bytes);
    case 8: return columns<8>(cell, a, bytes);
    case 10: return columns<10>(cell, a, bytes);
    default: return columns<16>(cell, a, bytes);
    }
}

/* Does both passes over a batch on the current device. If `back` is set, stores real parts in
 * a.out, or else adds |X|^2 to a.sums. The first pass has as many blocks as run at a time. */
static int passes(struct fft_run *f, int ra, struct power_args a, int back, struct fft_lane *l)
{
    int sms = 0, together = 16 / ra;
    size_t bytes;
    a.y = l->z;
    a.table = l->on->table + power_table_at(ra);
    power_kernel first = columns_of(ra, l->on->cells.cell, a, &bytes),
                 second = back ? power_rows_kernel<true> : power_rows_kernel<false>;
    if (TRY(f->e, cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, l->on->device)) ||
        TRY(f->e, cudaFuncSetAttribute((const void *)first,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes)) ||
        TRY(f->e,
            cudaFuncSetAttribute((const void *)second, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)POWER_ROWS_BYTES)))
        return -1;
    int blocks = (sms < 8 ? 8 : sms) / 8;
    a.per = (a.count + blocks - 1) / blocks;
    a.per = (a.per + together - 1) / together * together;
    first<<<dim3(16, (unsigned)((a.count + a.per - 1) / a.per)), POWER_THREADS, bytes, l->stream>>>(
        a);
    if (TRY_LAUNCH(f->e, "power_columns_kernel"))
        return -1;
    second<<<dim3((unsigned)ra, back ? (unsigned)a.count : (unsigned)power_parts(ra)),
             POWER_THREADS, POWER_ROWS_BYTES, l->stream>>>(a);
    return TRY_LAUNCH(f->e, "power_rows_kernel");
}

/* Sets out[m] to the sum of n arrays, added in order. With `scatter`, the result is sorted by
 * frequency, or else in the stored order. */
static int total(struct fft_run *f, int ra, const double *in, int n, int scatter, double *out,
                 cudaStream_t stream)
{
    power_total_kernel<<<(unsigned)ra * 16, 256, 0, stream>>>(in, n, ra * 4096, scatter, out);
    return TRY_LAUNCH(f->e, "power_total_kernel");
}

static int zero(struct fft_run *f, const struct fft_group *g)
{
    return TRY(f->e, cudaSetDevice(g->lane->on->device)) ||
                   TRY(f->e,
                       cudaMemsetAsync(g->sums, 0, POWER_SUMS * sizeof(double), g->lane->stream))
               ? -1
               : 0;
}

/* Adds one batch, which is the series of `all` that begin with `first`, to the sums of a group. The
 * source of the series is a. */
static int batch(struct fft_run *f, const struct fft_window *w, struct fft_group *g,
                 struct power_args a, size_t first, size_t all)
{
    size_t n = (size_t)FFT_BATCH * power_parts(w->ra);
    if (TRY(f->e, cudaSetDevice(g->lane->on->device)))
        return -1;
    a.steps = (int)w->n;
    a.first = first;
    a.count = (int)(all - first < n ? all - first : n);
    a.sums = g->sums;
    return passes(f, w->ra, a, 0, g->lane);
}

/* Starts the power spectra of all pairs, group by group, and sends their sums to device 0. */
static int pairs_start(struct fft_run *f, const struct fft_window *w)
{
    size_t real = f->is64 ? 8 : 4, per = (size_t)FFT_BATCH * power_parts(w->ra);
    int posn = f->p->input == FRAME_POSN;
    for (int k = 0; k < FFT_GROUPS; k++)
        if (zero(f, &f->group[k]))
            return -1;
    for (size_t b = 0; b * per < f->series; b++) {
        struct fft_group *g = &f->group[b % FFT_GROUPS];
        struct fft_device *d = g->lane->on;
        struct power_args a = {};
        a.rows = posn ? f->p->natoms : f->npairs;
        a.ld = posn ? f->ld : f->step_values;
        a.src = posn ? (char *)d->pos + w->begin * 4 * real
                     : (char *)d->raw + (w->begin * a.ld + (size_t)f->comp * f->npairs) * real;
        a.kind = posn      ? (f->is64 ? POWER_POSN_F64 : POWER_POSN_F32)
                 : f->is64 ? POWER_PAIR_F64
                           : POWER_PAIR_F32;
        if (posn) {
            cells_beta(&d->cells, f->comp, &a.beta);
            a.beta.cell += w->begin;
        }
        if (batch(f, w, g, a, b * per, f->series))
            return -1;
    }
    for (int k = 0; k < FFT_GROUPS; k++) {
        struct fft_lane *l = f->group[k].lane;
        double *sums = f->group[k].sums, *sum = sums + POWER_SUMS;
        if (TRY(f->e, cudaSetDevice(l->on->device)) ||
            total(f, w->ra, sums, power_parts(w->ra), 0, sum, l->stream))
            return -1;
        if (TRY(f->e, cudaMemcpyPeerAsync(f->d_all + (size_t)k * w->m, f->dev[0].device, sum,
                                          l->on->device, w->m * sizeof(double), l->stream)))
            return -1;
    }
    return 0;
}

/* Writes the sum of the power spectra of n rows of d_a to out, in lane 0 after its group 0. */
static int rows_start(struct fft_run *f, const struct fft_window *w, const double *rows, size_t n,
                      double *out)
{
    struct power_args a = {};
    size_t per = (size_t)FFT_BATCH * power_parts(w->ra), all = (n + 1) / 2;
    a.src = rows + w->begin;
    a.ld = f->ld;
    a.rows = n;
    a.kind = POWER_ROWS;
    if (zero(f, &f->group[0]))
        return -1;
    for (size_t first = 0; first < all; first += per)
        if (batch(f, w, &f->group[0], a, first, all))
            return -1;
    return total(f, w->ra, f->group[0].sums, power_parts(w->ra), 1, out, f->lane[0].stream);
}

/* Computes sums of products of two steps of a window, [3][f->lags], for pairs, A A' and S S'. The
 * sums are 0 for larger lags. */
static int window(struct fft_run *f, const struct fft_window *w, double *out)
{
    size_t n = f->p->natoms;
    struct fft_lane *l = &f->lane[0];
    double *spectra = f->d_all + FFT_GROUPS * w->m, *lags = spectra + 6 * w->m;
    if (pairs_start(f, w) || rows_start(f, w, f->d_a, n, spectra + 2 * w->m) ||
        rows_start(f, w, f->d_a + n * f->ld, 1, spectra + 4 * w->m))
        return -1;
    for (int k = 1; k < f->ndev * FFT_LANES; k++)
        if (TRY(f->e, cudaStreamSynchronize(f->lane[k].stream)))
            return -1;
    if (TRY(f->e, cudaSetDevice(f->dev[0].device)) ||
        total(f, w->ra, f->d_all, FFT_GROUPS, 1, spectra, l->stream))
        return -1;
    struct power_args a = {}; /* every second row is zero */
    for (int k = 1; k < 6; k += 2)
        if (TRY(f->e, cudaMemsetAsync(spectra + k * w->m, 0, w->m * sizeof(double), l->stream)))
            return -1;
    a.src = spectra;
    a.ld = w->m;
    a.rows = 6;
    a.kind = POWER_ROWS;
    a.steps = (int)w->m;
    a.count = 3;
    a.out = lags;
    a.lags = (int)w->lags;
    if (passes(f, w->ra, a, 1, l))
        return -1;
    std::fill(out, out + 3 * f->lags, 0.0);
    for (size_t k = 0; k < 3; k++)
        if (TRY(f->e, cudaMemcpyAsync(out + k * f->lags, lags + k * w->lags,
                                      w->lags * sizeof(double), cudaMemcpyDeviceToHost, l->stream)))
            return -1;
    if (TRY(f->e, cudaStreamSynchronize(l->stream)))
        return -1;
    for (size_t k = 0; k < 3 * f->lags; k++)
        out[k] /= (double)w->m;
    return 0;
}

/* Adds the sums of origins [from, to) to their sub-block. On entry, `tail` has the tail and the
 * steps of the previous piece, which are the window of this piece if the lags extend to the last
 * step. On return, it has those of this piece. */
static int piece(struct fft_run *f, size_t from, size_t to, std::vector<double> *tail,
                 struct fft_window *of)
{
    static const int fn[3] = {G4_G2, G4_ATOMS, G4_G};
    size_t last = gpu_add(to, f->lags - 1), end = last < f->steps ? last : f->steps;
    std::vector<double> sums(3 * f->lags);
    struct fft_window w = window_of(f, from, end);
    if (of->n == w.n && of->begin == from)
        sums = *tail;
    else if (window(f, &w, sums.data()))
        return -1;
    *of = {};
    if (to < end) {
        *of = window_of(f, to, end);
        if (window(f, of, tail->data()))
            return -1;
    }
    double *row = stats_blocks_at(f->blocks, from);
    for (size_t k = 0; k < 3; k++)
        for (size_t t = 0; t < f->lags; t++)
            row[(t * (size_t)f->p->ncomp + (size_t)f->comp) * G4_NFUNCTIONS + (size_t)fn[k]] +=
                sums[k * f->lags + t] - (to < end ? (*tail)[k * f->lags + t] : 0.0);
    return 0;
}

/* Computes all functions of component f->comp. */
static int component(struct fft_run *f)
{
    size_t nblocks = g4_blocks_want(f->blocks, f->p, f->origins);
    std::vector<double> tail(3 * f->lags);
    struct fft_window of = {};
    if (atoms_start(f, f->lane[0].stream))
        return -1;
    for (size_t b = 0; b < nblocks; b++) {
        size_t end = stats_blocks_bound(f->blocks, f->origins, nblocks, b + 1), to;
        for (size_t from = stats_blocks_bound(f->blocks, f->origins, nblocks, b); from < end;
             from = to) {
            to = end - from < f->piece ? end : from + f->piece;
            if (piece(f, from, to, &tail, &of))
                return -1;
        }
    }
    return 0;
}

static int run(struct fft_run *f, const void *raw)
{
    std::vector<double2> table(POWER_TABLE);
    power_tables(table.data());
    if (fft_sizes(f))
        return -1;
    for (int d = 0; d < f->ndev; d++)
        if (device_open(f, &f->dev[d], raw, table.data()))
            return -1;
    if (run_open(f))
        return -1;
    auto t0 = std::chrono::steady_clock::now();
    for (f->comp = 0; f->comp < f->p->ncomp; f->comp++)
        if (component(f))
            return -1;
    f->work_ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    return 0;
}

/* Makes a run for this number of steps and lags, without allocations. Returns NULL if memory runs
 * out. */
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
    int rc = run(f, raw);
    if (work_ms)
        *work_ms = f->work_ms;
    run_close(f);
    free(f);
    return rc;
}
