/* SPDX-License-Identifier: MIT */
/* sq_gpu_tile.cu: the kernels of sq_gpu.h. */
#include "base/gpu_mma.cuh"
#include "base/phase.h"
#include "sq/sq_gpu.h"

#define THREADS 256
#define CHUNK 32 /* atoms that lie in shared memory: a lane each */
#define STRIDE                                                                                     \
    (CHUNK + 2) /* numbers of a row: 16 bytes more, so that loads of 16 bytes meet no bank twice */
#define ROWS (2 * SQ_RODS)
#define COLUMNS (2 * SQ_COLUMNS)
#define WARPS (THREADS / 32)

/* h s less whole turns, in [-1/2, 1/2], rounded once. */
static __device__ double turn(double h, double s)
{
    return fma(h, s, -box_nint_f64(h * s));
}

template <class T>
static __global__ void share_kernel(const T *__restrict__ pos, const double *__restrict__ inv,
                                    const uint32_t *__restrict__ order, uint32_t atoms,
                                    double *__restrict__ share)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, step = blockIdx.y;
    if (i >= atoms)
        return;
    const T *at = pos + 3 * ((size_t)step * atoms + order[i]);
    const double *m = inv + 9 * step;
    double x = at[0], y = at[1], z = at[2], re, im;
    double *to = share + (size_t)step * SQ_SHARE * atoms + i;
    for (int a = 0; a < 3; a++)
        to[(size_t)a * atoms] = x * m[a] + y * m[3 + a] + z * m[6 + a];
    phase_of(to[(size_t)2 * atoms], &re, &im);
    to[(size_t)3 * atoms] = re;
    to[(size_t)4 * atoms] = im;
}

/* X of a lane's atom for the rods of its warp, and Z for its columns. */
static __device__ void operands(const double *__restrict__ share, size_t atoms, bool there,
                                const int2 *rod, int l, double *x, double *z)
{
    double s = 0, t = 0, u = 0, zr = 1, zi = 0, re, im;
    if (there) {
        s = share[0];
        t = share[atoms];
        u = share[2 * atoms];
        zr = share[3 * atoms];
        zi = share[4 * atoms];
    }
#pragma unroll 2
    for (int j = 0; j < SQ_RODS / WARPS; j++) {
        phase_of(turn(rod[j].x, s) + turn(rod[j].y, t), &re, &im);
        x[2 * j * STRIDE] = there ? re : 0.0;
        x[(2 * j + 1) * STRIDE] = there ? im : 0.0;
    }
    phase_of(turn(l, u), &re, &im);
#pragma unroll
    for (int j = 0; j < SQ_COLUMNS / WARPS; j++) {
        z[2 * j * STRIDE] = re;
        z[(2 * j + 1) * STRIDE] = im;
        double next = re * zr - im * zi;
        im = re * zi + im * zr;
        re = next;
    }
}

/* Block: piece x of the atoms, tile first + y, step z. Warp: 32 x 32 numbers of 128 x 64. */
static __global__ void __launch_bounds__(THREADS, 2)
    tile_kernel(const struct sq_device d, uint32_t first)
{
    extern __shared__ double room[];
    double *x = room, *z = room + ROWS * STRIDE;
    __shared__ int2 rod[SQ_RODS];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = 32 * (warp / 2),
        column = 32 * (warp & 1);
    const struct sq_piece piece = d.piece[blockIdx.x];
    const int2 tile = d.tile[first + blockIdx.y];
    const double *share = d.share + (size_t)blockIdx.z * SQ_SHARE * d.atoms + piece.first + lane;
    double c[2][4][4] = {};
    if (threadIdx.x < SQ_RODS)
        rod[threadIdx.x] = d.rod[tile.x * SQ_RODS + threadIdx.x];
    for (uint32_t at = 0; at < piece.atoms; at += CHUNK) {
        __syncthreads();
        operands(share + at, d.atoms, at + lane < piece.atoms, rod + warp * (SQ_RODS / WARPS),
                 tile.y * SQ_COLUMNS + warp * (SQ_COLUMNS / WARPS),
                 x + 2 * warp * (SQ_RODS / WARPS) * STRIDE + lane,
                 z + 2 * warp * (SQ_COLUMNS / WARPS) * STRIDE + lane);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < CHUNK; k += 16) { /* a lane: atoms k + 4 (lane % 4) + 0..3 */
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
    double *to =
        d.part + (((size_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * SQ_TILE;
    for (int m = 0; m < 2; m++)
        for (int n = 0; n < 4; n++) {
            double *p = to + (row + 16 * m + lane / 4) * COLUMNS + column + 8 * n + 2 * (lane & 3);
            *(double2 *)p = make_double2(c[m][n][0], c[m][n][1]);
            *(double2 *)(p + 8 * COLUMNS) = make_double2(c[m][n][2], c[m][n][3]);
        }
}

/* Thread: vector from + x; block y: species; z: step. Pieces in their order. */
static __global__ void sum_kernel(const struct sq_device d, uint32_t tiles, uint32_t from,
                                  uint32_t to)
{
    uint32_t v = from + blockIdx.x * blockDim.x + threadIdx.x, species = blockIdx.y,
             step = blockIdx.z;
    if (v >= to)
        return;
    const struct sq_place p = d.place[v];
    const double *part = d.part + ((size_t)step * tiles + p.tile) * d.pieces * SQ_TILE +
                         2 * p.rod * COLUMNS + 2 * p.column;
    double rr = 0, ri = 0, ir = 0, ii = 0;
    for (uint32_t k = d.species[species]; k < d.species[species + 1]; k++) {
        double2 re = *(const double2 *)&part[(size_t)k * SQ_TILE],
                im = *(const double2 *)&part[(size_t)k * SQ_TILE + COLUMNS];
        rr += re.x;
        ri += re.y;
        ir += im.x;
        ii += im.y;
    }
    double *rho = d.rho + (((size_t)step * d.nspecies + species) * d.vectors + p.vector) * 2;
    rho[0] = p.minus ? rr + ii : rr - ii;
    rho[1] = p.minus ? ir - ri : ri + ir;
}

int sq_gpu_share(struct err *e, const struct sq_device *d, int f32, uint32_t steps)
{
    dim3 grid((d->atoms + THREADS - 1) / THREADS, steps);
    if (f32)
        share_kernel<float>
            <<<grid, THREADS>>>((const float *)d->pos, d->inv, d->order, d->atoms, d->share);
    else
        share_kernel<double>
            <<<grid, THREADS>>>((const double *)d->pos, d->inv, d->order, d->atoms, d->share);
    return TRY_LAUNCH(e, "share_kernel");
}

int sq_gpu_tiles(struct err *e, const struct sq_device *d, uint32_t steps, uint32_t first,
                 uint32_t n, uint32_t from, uint32_t to)
{
    const size_t shared = (ROWS + COLUMNS) * STRIDE * sizeof(double);
    if (TRY(e, cudaFuncSetAttribute(tile_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)shared)))
        return -1;
    tile_kernel<<<dim3(d->pieces, n, steps), THREADS, shared>>>(*d, first);
    if (TRY_LAUNCH(e, "tile_kernel"))
        return -1;
    sum_kernel<<<dim3((to - from + 127) / 128, d->nspecies, steps), 128>>>(*d, n, from, to);
    return TRY_LAUNCH(e, "sum_kernel");
}
