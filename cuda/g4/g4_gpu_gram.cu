/* SPDX-License-Identifier: MIT */
/* Computes sums of lag products of many series at once, sum_p b_p(tau) b_p(tau + t) for all t, as
 * banded Gram matrices in fp64. This file has the kernels that use g4_gpu_lag_mma.cuh, and their
 * launches. Every sum has a fixed order, which depends only on the problem size. */
#include "g4/g4_gpu_lag_mma.cuh"

/* The kernel for rows. Block (x, y, z) processes tiles x, x + slots, ... and slice z of the origins
 * of task y. Its sums are stored in slot x * gridDim.z + z. */
template <bool NEAR, class SRC>
__global__
    __launch_bounds__(32 *
                      GRAM_WARPS_ROWS) void gram_rows_kernel(const __grid_constant__ gram_args a)
{
    __shared__ double stash[GRAM_WARPS_ROWS * LAG_MMA_STASH(NEAR)];
    lag_mma<NEAR, 1, SRC> m = {};
    tile_sums none = {};
    lag_sums<GRAM_WARPS_ROWS, LAG_MMA_STASH(NEAR)> lags = {stash};
    struct g4_task task = a.tasks[blockIdx.y];
    int slice = ((task.last - task.first + (int)gridDim.z - 1) / (int)gridDim.z + 7) / 8 * 8;
    task.first += (int)blockIdx.z * slice;
    task.last = task.first + slice < task.last ? task.first + slice : task.last;
    for (size_t tile = blockIdx.x; tile < a.tiles && task.first < task.last; tile += gridDim.x) {
        SRC src;
        if (src.open(a, tile)) {
            m.open(src, a, task.first, stash + (threadIdx.x / 32) * LAG_MMA_STASH(NEAR));
            m.template run<false, false>(a, true, task.first, task.last, none, lags);
        }
    }
    m.finish(a, lags,
             a.part +
                 (((size_t)blockIdx.y * a.slots + blockIdx.x) * gridDim.z + blockIdx.z) * a.lags);
}

/* Adds the sums of tiles [first, last), in rows [row0, row1), to A, with one thread per atom and
 * column. The tiles in the row of the atom come first, then the tiles in its column, in order. */
__global__ void gram_atoms_kernel(const double *asum, size_t ld, size_t natoms, int cols,
                                  size_t first, size_t last, size_t row0, size_t row1,
                                  double *atoms)
{
    struct pair_tiles t = pair_tiles::of(natoms);
    size_t atom = blockIdx.y, b = atom / 16, col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= (size_t)cols)
        return;
    double sum = first ? atoms[atom * ld + col] : 0.0;
    size_t from = t.begin(b), to = t.begin(b + 1);
    const double *p = asum + atom % 16 * ld + col;
    for (size_t k = from > first ? from : first; k < to && k < last; k++)
        sum += p[(k - first) * GRAM_TILE_SUMS * ld];
    p += 16 * ld;
    for (size_t r = row0; r < row1 && r <= b; r++) {
        size_t k = t.begin(r) + b - r;
        if (k >= first && k < last)
            sum += p[(k - first) * GRAM_TILE_SUMS * ld];
    }
    atoms[atom * ld + col] = sum;
}

size_t gram_tiles(enum gram_source s, size_t rows)
{
    struct pair_tiles t = pair_tiles::of(rows);
    return s == GRAM_POSN_F32 || s == GRAM_POSN_F64
               ? t.begin(t.rows)
               : (rows + 16 * GRAM_WARPS_ROWS - 1) / (16 * GRAM_WARPS_ROWS);
}

size_t gram_slots(enum gram_source s, size_t rows, size_t group)
{
    size_t n = gram_tiles(s, rows), posn = s == GRAM_POSN_F32 || s == GRAM_POSN_F64,
           max = posn ? group : G4_MAX_BLOCKS;
    return (n < max ? n : max) * (posn ? 1 : GRAM_SLICES(s));
}

size_t gram_shared(int pieces)
{
    size_t lags = pieces ? GRAM_WARPS_POSN * LAG_SUMS : 0;
    return (16 * LAG_MMA_STASH(1) + SUMS_SHARED(pieces ? 2 : 1) + lags) * sizeof(double);
}

template <class SRC> static cudaError_t run_rows(const gram_args &a, dim3 grid, cudaStream_t stream)
{
    if (a.tile0 == 0)
        gram_rows_kernel<true, SRC><<<grid, 32 * GRAM_WARPS_ROWS, 0, stream>>>(a);
    else
        gram_rows_kernel<false, SRC><<<grid, 32 * GRAM_WARPS_ROWS, 0, stream>>>(a);
    return cudaGetLastError();
}

static cudaError_t run(enum gram_source s, int cell, const gram_args &a, dim3 grid,
                       cudaStream_t stream)
{
    if (s == GRAM_PAIR_F32)
        return run_rows<rows_source<float, true>>(a, grid, stream);
    if (s == GRAM_PAIR_F64)
        return run_rows<rows_source<double, true>>(a, grid, stream);
    if (s == GRAM_SERIES)
        return run_rows<rows_source<double, false>>(a, grid, stream);
    if (cell == G4_TABLE)
        return (a.npieces ? posn_table_pieces : posn_table)(s == GRAM_POSN_F64, a, grid, stream);
    if (a.beta.function.c && G4_FORM(cell) == SUM_TAPERED)
        return (a.npieces ? posn_taper_function_pieces : posn_taper_function)(cell, a, grid,
                                                                              stream);
    if (a.beta.function.c)
        return (a.npieces ? posn_mic_function_pieces : posn_mic_function)(cell, a, grid, stream);
    if (G4_FORM(cell) == SUM_TAPERED)
        return (a.npieces ? posn_taper_pieces : posn_taper)(cell, a, grid, stream);
    return (a.npieces ? posn_mic_pieces : posn_mic)(cell, a, grid, stream);
}

static_assert(GRAM_LAGS == 8 * TILES - 7, "lags of a pass");

/* Processes all lag tiles. */
static int passes(struct err *e, enum gram_source s, int cell, gram_args a, dim3 grid,
                  cudaStream_t stream)
{
    int last = (a.lags + 6) / 8; /* tile with the longest lag of the last row */
    for (a.tile0 = 0; a.tile0 <= last; a.tile0 += TILES)
        if (TRY(e, run(s, cell, a, grid, stream)))
            return -1;
    return 0;
}

int gram_rows(struct err *e, enum gram_source s, struct gram_args a, int ntasks,
              cudaStream_t stream)
{
    a.tiles = gram_tiles(s, a.rows);
    a.slots = gram_slots(s, a.rows, 0) / GRAM_SLICES(s);
    if (TRY(e, cudaMemsetAsync(a.part, 0,
                               (size_t)ntasks * a.slots * GRAM_SLICES(s) * a.lags * sizeof(double),
                               stream)))
        return -1;
    return passes(e, s, G4_CELL_ANY, a, dim3((unsigned)a.slots, (unsigned)ntasks, GRAM_SLICES(s)),
                  stream);
}

/* Runs gram_posn for one component and n tiles from a.first_tile on. */
static int posn_group(struct err *e, enum gram_source s, int cell, const gram_args &a, int ntasks,
                      size_t n, double *atoms, const struct g4_streams *at)
{
    struct pair_tiles t = pair_tiles::of(a.rows);
    if (TRY(e, cudaEventRecord(at->turn, at->stream)) ||
        TRY(e, cudaStreamWaitEvent(at->low, at->turn, 0)) ||
        passes(e, s, cell, a, dim3((unsigned)n, (unsigned)(a.npieces ? a.npieces : ntasks)),
               at->low) ||
        TRY(e, cudaEventRecord(at->turn, at->low)) ||
        TRY(e, cudaStreamWaitEvent(at->stream, at->turn, 0)))
        return -1;
    if (!atoms)
        return 0;
    if (a.list.tile)
        return lists_atoms(e, &a, n, atoms, at->stream);
    gram_atoms_kernel<<<dim3((unsigned)((a.cols + 127) / 128), (unsigned)a.rows), 128, 0,
                        at->stream>>>(a.asum, a.ld, a.rows, a.cols, a.first_tile, a.first_tile + n,
                                      t.row(a.first_tile), t.row(a.first_tile + n - 1) + 1, atoms);
    return TRY_LAUNCH(e, "gram_atoms_kernel");
}

int gram_posn(struct err *e, enum gram_source s, int cell, struct gram_args a, int ntasks,
              size_t group, struct table_args *table, double *atoms, const struct g4_streams *at)
{
    size_t tiles = a.list.tile ? a.list.tiles : gram_tiles(s, a.rows);
    int ncomp = table ? table->ncomp : 1;
    a.slots = gram_slots(s, a.rows, group);
    size_t part = (size_t)ntasks * a.slots * a.lags;
    if (TRY(e, cudaMemsetAsync(a.part, 0, (size_t)ncomp * part * sizeof(double), at->stream)))
        return -1;
    for (a.first_tile = 0; a.first_tile < tiles; a.first_tile += a.slots) {
        size_t n = tiles - a.first_tile < a.slots ? tiles - a.first_tile : a.slots;
        if (table && (TRY(e, cudaEventRecord(at->turn, at->stream)) ||
                      TRY(e, cudaStreamWaitEvent(at->low, at->turn, 0)) ||
                      table_make(e, *table, s == GRAM_POSN_F64, a.first_tile, n, at->low)))
            return -1;
        for (int c = 0; c < ncomp; c++) {
            gram_args b = a;
            b.src = table ? table_of(table, s == GRAM_POSN_F64, c) : a.src;
            b.part += (size_t)c * part;
            double *to = atoms ? atoms + (size_t)c * (a.rows + 1) * a.ld : NULL;
            if (posn_group(e, s, cell, b, ntasks, n, to, at))
                return -1;
        }
    }
    return 0;
}

/* Block (x, y) processes task x and 32 lags from 32 * y on, with a thread for each lag and slice.
 * The order of summation does not depend on the launch. */
__global__ void gram_reduce_kernel(const double *part, size_t nblocks, int lags, double *out)
{
    __shared__ double s[8][33];
    int lag = blockIdx.y * 32 + threadIdx.x;
    double sum = 0.0;
    if (lag < lags)
        for (size_t b = threadIdx.y; b < nblocks; b += 8)
            sum += part[((size_t)blockIdx.x * nblocks + b) * lags + lag];
    s[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && lag < lags) {
        for (int y = 1; y < 8; y++)
            sum += s[y][threadIdx.x];
        out[(size_t)blockIdx.x * lags + lag] = sum;
    }
}

int gram_reduce(struct err *e, const double *part, size_t nblocks, int ntasks, int lags,
                double *out, cudaStream_t stream)
{
    gram_reduce_kernel<<<dim3((unsigned)ntasks, (unsigned)((lags + 31) / 32)), dim3(32, 8), 0,
                         stream>>>(part, nblocks, lags, out);
    return TRY_LAUNCH(e, "gram_reduce_kernel");
}
