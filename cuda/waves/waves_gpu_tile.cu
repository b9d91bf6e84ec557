/* SPDX-License-Identifier: MIT */
/* waves_gpu_tile.cu: the kernels of waves_gpu.h. */
#include "base/cis.h"
#include "base/gpu_mma.cuh"
#include "waves/waves_gpu.h"

#define THREADS 256
#define CHUNK 32 /* atoms in shared memory, one per lane */
#define STRIDE                                                                                     \
    (CHUNK + 2) /* numbers per row, 16 bytes more so that 16-byte loads have no bank conflicts */
#define ROWS (2 * WAVES_RODS)
#define COLUMNS (2 * WAVES_COLUMNS)
#define WARPS (THREADS / 32)

/* Returns h s minus whole turns, in [-1/2, 1/2], rounded once. */
static __device__ double turn(double h, double s)
{
    return fma(h, s, -box_nint_f64(h * s));
}

template <class T>
static __global__ void share_kernel(const T *__restrict__ pos, const T *__restrict__ vel,
                                    const double *__restrict__ inv,
                                    const uint32_t *__restrict__ order, uint32_t atoms,
                                    uint32_t shares, double *__restrict__ share)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, step = blockIdx.y;
    if (i >= atoms)
        return;
    const T *at = pos + 3 * ((size_t)step * atoms + order[i]);
    const double *m = inv + 9 * step;
    double x = at[0], y = at[1], z = at[2], re, im;
    double *to = share + (size_t)step * shares * atoms + i;
    for (int a = 0; a < 3; a++)
        to[(size_t)a * atoms] = x * m[a] + y * m[3 + a] + z * m[6 + a];
    cis_2pi(to[(size_t)2 * atoms], &re, &im);
    to[(size_t)3 * atoms] = re;
    to[(size_t)4 * atoms] = im;
    for (int a = 0; vel && a < 3; a++)
        to[(size_t)(WAVES_SHARE + a) * atoms] =
            vel[3 * ((size_t)step * atoms + order[i]) + (size_t)a];
}

/* Computes X of the atom of a lane for the rods of its warp, times its weight, and Z for its
 * columns. */
template <bool WEIGHED>
static __device__ void operands(const double *__restrict__ share, size_t atoms, uint32_t kind,
                                bool there, const int2 *rod, int l, double *x, double *z)
{
    double s = 0, t = 0, u = 0, zr = 1, zi = 0, by = 1, re, im;
    if (there) {
        s = share[0];
        t = share[atoms];
        u = share[2 * atoms];
        zr = share[3 * atoms];
        zi = share[4 * atoms];
        by = WEIGHED ? share[(size_t)(WAVES_SHARE - 1 + kind) * atoms] : 1.0;
    }
#pragma unroll 2
    for (int j = 0; j < WAVES_RODS / WARPS; j++) {
        cis_2pi(turn(rod[j].x, s) + turn(rod[j].y, t), &re, &im);
        x[2 * j * STRIDE] = there ? WEIGHED ? by * re : re : 0.0;
        x[(2 * j + 1) * STRIDE] = there ? WEIGHED ? by * im : im : 0.0;
    }
    cis_2pi(turn(l, u), &re, &im);
#pragma unroll
    for (int j = 0; j < WAVES_COLUMNS / WARPS; j++) {
        z[2 * j * STRIDE] = re;
        z[(2 * j + 1) * STRIDE] = im;
        double next = re * zr - im * zi;
        im = re * zi + im * zr;
        re = next;
    }
}

/* Block (x, y, z) processes piece x of the atoms, tile first + y and step z. A warp has 32 x 32 of
 * the 128 x 64 numbers. */
template <bool WEIGHED>
static __global__ void __launch_bounds__(THREADS, 2)
    tile_kernel(const struct waves_device d, uint32_t kind, uint32_t first)
{
    extern __shared__ double capacity[];
    double *x = capacity, *z = capacity + ROWS * STRIDE;
    __shared__ int2 rod[WAVES_RODS];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = 32 * (warp / 2),
        column = 32 * (warp & 1);
    const struct waves_piece piece = d.piece[blockIdx.x];
    const int2 tile = d.tile[first + blockIdx.y];
    const double *share = d.share + (size_t)blockIdx.z * d.shares * d.atoms + piece.first + lane;
    double c[2][4][4] = {};
    if (threadIdx.x < WAVES_RODS)
        rod[threadIdx.x] = d.rod[tile.x * WAVES_RODS + threadIdx.x];
    for (uint32_t at = 0; at < piece.atoms; at += CHUNK) {
        __syncthreads();
        operands<WEIGHED>(share + at, d.atoms, kind, at + lane < piece.atoms,
                          rod + warp * (WAVES_RODS / WARPS),
                          tile.y * WAVES_COLUMNS + warp * (WAVES_COLUMNS / WARPS),
                          x + 2 * warp * (WAVES_RODS / WARPS) * STRIDE + lane,
                          z + 2 * warp * (WAVES_COLUMNS / WARPS) * STRIDE + lane);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < CHUNK; k += 16) { /* a lane has atoms k + 4 (lane % 4) + 0..3 */
            double b[4][4];
            const double *from = x + (row + lane / 4) * STRIDE + k + 4 * (lane & 3),
                         *by = z + (column + lane / 4) * STRIDE + k + 4 * (lane & 3);
#pragma unroll
            for (int n = 0; n < 4; n++)
#pragma unroll
                for (int q = 0; q < 4; q += 2)
                    *(double2 *)&b[n][q] = *(const double2 *)&by[8 * n * STRIDE + q];
#pragma unroll
            for (int m = 0; m < 2; m++) {
                double upper[4], lower[4];
#pragma unroll
                for (int q = 0; q < 4; q += 2) {
                    *(double2 *)&upper[q] = *(const double2 *)&from[16 * m * STRIDE + q];
                    *(double2 *)&lower[q] = *(const double2 *)&from[(16 * m + 8) * STRIDE + q];
                }
#pragma unroll
                for (int n = 0; n < 4; n++)
                    mma_16x8x16(c[m][n], upper, lower, b[n]);
            }
        }
    }
    double *to = d.part + (((size_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) *
                              WAVES_TILE;
    for (int m = 0; m < 2; m++)
        for (int n = 0; n < 4; n++) {
            double *p = to + (row + 16 * m + lane / 4) * COLUMNS + column + 8 * n + 2 * (lane & 3);
            *(double2 *)p = make_double2(c[m][n][0], c[m][n][1]);
            *(double2 *)(p + 8 * COLUMNS) = make_double2(c[m][n][2], c[m][n][3]);
        }
}

/* Sums the pieces in order. Uses one thread per vector, from vector `from` on. Block y is a
 * species, and block z a step. */
static __global__ void sum_kernel(const struct waves_device d, uint32_t kind, uint32_t tiles,
                                  uint32_t from, uint32_t to)
{
    uint32_t v = from + blockIdx.x * blockDim.x + threadIdx.x, species = blockIdx.y,
             step = blockIdx.z;
    if (v >= to)
        return;
    const struct waves_place p = d.place[v];
    const double *part = d.part + ((size_t)step * tiles + p.tile) * d.pieces * WAVES_TILE +
                         2 * p.rod * COLUMNS + 2 * p.column;
    double rr = 0, ri = 0, ir = 0, ii = 0;
    for (uint32_t k = d.species[species]; k < d.species[species + 1]; k++) {
        double2 re = *(const double2 *)&part[(size_t)k * WAVES_TILE],
                im = *(const double2 *)&part[(size_t)k * WAVES_TILE + COLUMNS];
        rr += re.x;
        ri += re.y;
        ir += im.x;
        ii += im.y;
    }
    double *rho =
        d.rho +
        ((((size_t)step * d.nspecies + species) * d.kinds + kind) * d.vectors + p.vector) * 2;
    rho[0] = p.minus ? rr + ii : rr - ii;
    rho[1] = p.minus ? ir - ri : ri + ir;
}

int waves_gpu_share(struct err *e, const struct waves_device *d, int f32, uint32_t steps)
{
    dim3 grid((d->atoms + THREADS - 1) / THREADS, steps);
    if (f32)
        share_kernel<float><<<grid, THREADS>>>((const float *)d->pos, (const float *)d->vel, d->inv,
                                               d->order, d->atoms, d->shares, d->share);
    else
        share_kernel<double><<<grid, THREADS>>>((const double *)d->pos, (const double *)d->vel,
                                                d->inv, d->order, d->atoms, d->shares, d->share);
    return TRY_LAUNCH(e, "share_kernel");
}

int waves_gpu_tiles(struct err *e, const struct waves_device *d, uint32_t kind, uint32_t steps,
                    uint32_t first, uint32_t n, uint32_t from, uint32_t to)
{
    const size_t shared = (ROWS + COLUMNS) * STRIDE * sizeof(double);
    auto tiles = kind ? tile_kernel<true> : tile_kernel<false>;
    if (TRY(e,
            cudaFuncSetAttribute(tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared)))
        return -1;
    tiles<<<dim3(d->pieces, n, steps), THREADS, shared>>>(*d, kind, first);
    if (TRY_LAUNCH(e, "tile_kernel"))
        return -1;
    sum_kernel<<<dim3((to - from + 127) / 128, d->nspecies, steps), 128>>>(*d, kind, n, from, to);
    return TRY_LAUNCH(e, "sum_kernel");
}
