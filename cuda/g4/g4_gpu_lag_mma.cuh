/* SPDX-License-Identifier: MIT */
/* g4_gpu_lag_mma.cuh: computes lag products of 16 or 32 series by one warp, with 49 lags per pass,
 * in fp64 on the matrix unit.
 *
 * Time is divided into blocks of 8 steps. All operands of the 16 x 8 x 16 product have the same
 * layout. The lane is 4 * time + series, and there is one register for each group of four series. A
 * block of steps x_n is therefore four registers, and can be the left operand (origins) or the
 * right operand. Lag tile j is the 8 x 8 matrix c_j = sum_n x_n^T x_(n+j). Lag t is a diagonal of
 * tiles t / 8 and t / 8 + 1.
 *
 * Seven tiles would need seven products per block. Separate even and odd blocks e_k and o_k save a
 * quarter of these products (two-parallel fast FIR, Parhi, VLSI Digital Signal Processing Systems,
 * 1999, ch. 9). With P_m = sum e_k^T e_(k+m), Q_m = sum o_k^T o_(k+m) and D_m = sum (e_k + o_k)^T
 * (o_(k+m) + e_(k+m+1)),
 *     c_2m = P_m + Q_m,   c_2m+1 = D_m - P_(m+1) - Q_m,
 * with P and Q for m = 0..3 and D for m = 0..2. These are 11 products (and one unused product) for
 * two blocks, computed as 6 pairs. The 16 rows of the left operand are the newest block and the
 * previous block. Terms that cancel are no larger than the sums, so the error is 1e-15 of lag 0. */
#pragma once

#include "base/gpu_mma.cuh"
#include "g4/g4_gpu_gram.cuh"

#include <climits>

#define SUMS_BLOCK (16 * 64) /* number of doubles in the sums of a block of steps */
#define SUMS_SHARED(buffers) ((buffers)*4 * SUMS_BLOCK + 128)

/* The function put() sums the 4 x 4 pairs of a set over j and over i, on the matrix unit. After
 * every four blocks of 8 steps, share() combines the 16 sets in shared memory, and the warps write
 * the sums of 16 + 16 atoms. With two buffers, one barrier is enough. */
struct tile_sums {
    /* shared [1 or 2][4 blocks][4 i][4 j][8 steps][4 atoms of i, 4 of j], then 2 x 32 double2 */
    double *s;
    double *out; /* [32][ld]: atoms of i, then of j */
    size_t ld;
    int end;  /* columns >= end belong to another task */
    int flip; /* offset between the buffers, or 0 */
    int turn; /* current buffer, in double2 */
    double2 *mine,
        *select; /* place of this lane in set 0 of this warp, block 0; pairs included in a sum */

    __device__ __forceinline__ void open(int buffers)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32, n = lane / 4;
        flip = buffers == 2 ? 2 * SUMS_BLOCK : 0;
        turn = 0;
        mine = (double2 *)s + (warp / 4 * 8 + warp % 4) * 32 +
               (lane ^ (lane >> 2 & 2)); /* rows alternate their halves to avoid bank conflicts */
        select = (double2 *)(s + buffers * 4 * SUMS_BLOCK) + lane;
        for (int q = 0; q < 4; q++) /* every warp writes the same values */
            ((double *)(select + q / 2 * 32))[q % 2] =
                (n < 4 ? q == n : lane % 4 == n - 4) ? 1.0 : 0.0;
        __syncthreads();
    }
    /* Adds set k of this warp. The upper half is block number `block` + 2 of four blocks, and the
     * lower half is block number `block`. */
    __device__ __forceinline__ void put(int block, int k, const double (&upper)[4],
                                        const double (&lower)[4])
    {
        double2 x = select[0], y = select[32],
                *to = mine + turn + block * (SUMS_BLOCK / 2) + k * 128;
        double b[4] = {x.x, x.y, y.x, y.y}, c[4] = {};
        mma_16x8x16(c, upper, lower, b);
        to[0] = make_double2(c[2], c[3]);
        to[SUMS_BLOCK] = make_double2(c[0], c[1]);
    }
    __device__ __forceinline__ void put_zero()
    {
        for (int k = 0; k < 8; k++)
            mine[turn + k / 2 * (SUMS_BLOCK / 2) + k % 2 * 128] = make_double2(0.0, 0.0);
    }
    /* Finishes four blocks, starting with column t. A warp sums four atoms i or four atoms j. */
    __device__ __forceinline__ void share(int t)
    {
        __syncthreads();
        write(t);
        if (!flip)
            __syncthreads();
        turn ^= flip;
    }
    __device__ __forceinline__ void write(int t) const
    {
        int lane = threadIdx.x & 31, m = threadIdx.x / 32, r = lane / 4;
        int n = (lane % 4 + (m < 4 ? 0 : 4)) ^ (r & 2 ? 4 : 0), stride = m < 4 ? 64 : 256;
        const double *f = s + 2 * turn + (m < 4 ? m * 256 : (m - 4) * 64) + r * 8 + n;
        double *to = out + (size_t)(4 * m + lane % 4) * ld + (t += r);
#pragma unroll
        for (int u = 0; u < 4; u++, f += SUMS_BLOCK)
            if (t + 8 * u < end)
                to[8 * u] = (f[0] + f[stride]) + (f[2 * stride] + f[3 * stride]);
    }
};

#define TILES 7                                     /* lag tiles per pass */
#define LAG_MMA_STASH(near) ((near ? 8 : 10) * 128) /* doubles of shared memory for 16 series */
#define LAG_TILES 42                                /* doubles per time origin in lag_sums */
#define LAG_SUMS (8 + 8 * LAG_TILES + 3 * 64)       /* doubles of shared memory for lag_sums */

/* The lag sums of tasks. Each warp sums the diagonals of its own lag tiles, without a barrier.
 * After the next barrier, the last two warps add these sums over the warps, in order. In a piece,
 * products of the next task follow: at the first column after a task, half of the accumulators of
 * lag_mma belong to that task only, after the first pair of a step. The other half does so one step
 * later, because their origins are two pairs older. All tasks but the last are therefore whole
 * steps. */
template <int WARPS, int STRIDE> struct lag_sums {
    /* shared, of each warp, STRIDE doubles apart: 8 zeros, four lag tiles as [8 origins][32 columns
     * and 10 zeros], and then [3 tasks][64 lags from -7 on] */
    double *shared;
    int task, end; /* the first task that has not ended, and its last column + 1 */
    int ended;     /* bits 0 and 1: the first and the second half were put in this step */

    __device__ __forceinline__ double *tiles() const
    {
        return shared + threadIdx.x / 32 * STRIDE + 8;
    }
    /* Returns the place of lag 0 of a task, from tiles() on. */
    static __device__ __forceinline__ int lags_of(int number)
    {
        return 8 * LAG_TILES + number % 3 * 64 + 7;
    }
    __device__ __forceinline__ void clear() const
    {
        __syncwarp();
        for (int k = threadIdx.x % 32; k < LAG_SUMS; k += 32)
            tiles()[k - 8] = 0.0;
        __syncwarp();
    }
    __device__ __forceinline__ void open(const gram_args &a, int first)
    {
        clear();
        task = first;
        end = a.tasks[task].last;
        ended = 0;
    }
    /* Sums the diagonals of acc[ODD], acc[ODD + 2] and acc[ODD + 4], and clears these accumulators.
     * The first half gives P_0 + Q_0, (D_0 - P_1) - Q_0, P_1 + Q_1 and -Q_1, which are tiles 0 to
     * 3. The second half gives D_1 - P_2, P_2 + Q_2, (D_2 - P_3) - Q_2 and P_3 + Q_3, which are
     * tiles 3 to 6. */
    template <int ODD>
    __device__ __forceinline__ void put(const gram_args &a, int number, double (&acc)[6][4]) const
    {
        int lane = threadIdx.x % 32;
        double *to = tiles() + 2 * LAG_TILES * (lane % 4) + lane / 4;
#pragma unroll
        for (int k = 0; k < 2; k++, to += LAG_TILES) {
            double p = acc[ODD][2 + k], q = acc[ODD + 2][2 + k], d = acc[4 + ODD][k],
                   p1 = acc[ODD][k], q1 = acc[ODD + 2][k];
            to[ODD ? 8 : 0] = p + q;
            to[ODD ? 16 : 8] = (d - p1) - q;
            to[ODD ? 24 : 16] = p1 + q1;
            to[ODD ? 0 : 24] = ODD ? acc[5][2 + k] - p : -q1;
        }
        for (int k = 0; k < 4; k++)
            acc[ODD][k] = acc[ODD + 2][k] = acc[ODD + 4][k] = 0.0;
        __syncwarp();
        /* without other passes, 32 of the 39 diagonals are enough */
        bool all = a.lags > GRAM_LAGS;
        int t = lane - (ODD || all ? 7 : 0);
        double *lags = tiles() + lags_of(number) + (ODD ? 24 : 0);
        do {
            const double *c = tiles() + t;
            double sum[4];
#pragma unroll
            for (int o = 0; o < 4; o++)
                sum[o] = c[2 * o * (LAG_TILES + 1)] + c[(2 * o + 1) * (LAG_TILES + 1)];
            double v = (sum[0] + sum[1]) + (sum[2] + sum[3]);
            lags[t] = ODD && t < 8 ? lags[t] + v : v;
        } while (all && (t += 32) < 32);
        __syncwarp();
    }
    /* Begins the step of column t of a piece that ends at column `last`. */
    __device__ __forceinline__ void advance(const gram_args &a, int t, int last)
    {
        ended = (ended << 1 & 2) | (t >= end);
        if (ended & 1) {
            task++;
            bool more = end < last;
            end = INT_MAX;
            if (more)
                end = a.tasks[task].last;
        }
    }
    /* Puts the halves that are complete after the first pair of the step. */
    __device__ __forceinline__ void put_ended(const gram_args &a, double (&acc)[6][4]) const
    {
        if (ended & 1)
            put<0>(a, task - 1, acc);
        if (ended & 2)
            put<1>(a, task - 1 - (ended & 1), acc);
    }
    /* Adds the sums of a task over the warps to part[lags], after a barrier. No thread waits
     * for part[], and the order of additions is fixed because launches follow each other. */
    __device__ __forceinline__ void add(const gram_args &a, int number, double *part) const
    {
        int k = threadIdx.x - 32 * (WARPS - 2), t = a.tile0 ? 8 * a.tile0 - 7 + k : k;
        if (k < 0 || t >= a.lags || t >= 8 * (a.tile0 + TILES))
            return;
        const double *c = shared + 8 + lags_of(number) + k - (a.tile0 ? 7 : 0);
        double sum = c[0];
#pragma unroll
        for (int w = 1; w < WARPS; w++)
            sum += c[w * STRIDE];
        atomicAdd(part + t, sum);
    }
    /* Adds the sums of the task that became complete in this step. */
    __device__ __forceinline__ void add_ended(const gram_args &a) const
    {
        int number = task - 1 - (ended & 1);
        if (ended & 2)
            add(a, number, a.part + ((size_t)number * a.slots + blockIdx.x) * a.lags);
    }
};

/* One warp that processes SETS x 16 series. Pair k of blocks is the left operand. Its blocks, the
 * new block and the previous block, are the partners. The left operand is multiplied with the
 * origins k - 1 and k - 3 in shared memory (right operand). Each lane reads only data that it wrote
 * itself, so no synchronization is needed. Shared-memory traffic limits the speed of the kernel, so
 * each value is read as rarely as the registers allow. The values of the next block are computed
 * between the products of the current block. */
template <bool NEAR, int SETS, class SRC> struct lag_mma {
    typedef double values[SETS][4];
    enum {
        EVEN,
        ODD,
        BLOCK = 128 * SETS,
        SLOT = 2 * BLOCK,
        SUM = 3 * SLOT,
        PARTNER = SUM + 2 * BLOCK
    };
    SRC src, origin;
    double acc[6][4]; /* P, P, Q, Q, D, D: rows of the newer and the older block */
    values even, odd; /* the current block and the block being made */
    values joint;     /* partners o_(k-2) + e_(k-1) */
    double *stash, *k1, *k2,
        *k3; /* origins [3][even, odd][SETS][4][32] of pairs k - 1, k - 2, k - 3; [2] of their
                sums; !NEAR: partners of k - 1 [even, odd] */

    static __device__ __forceinline__ void keep(double *at, const double (&v)[4])
    {
#pragma unroll
        for (int q = 0; q < 4; q++)
            at[q * 32] = v[q];
    }
    static __device__ __forceinline__ void recall(const double *at, double (&v)[4])
    {
#pragma unroll
        for (int q = 0; q < 4; q++)
            v[q] = at[q * 32];
    }
    static __device__ __forceinline__ void copy(double (&v)[4], const double (&w)[4])
    {
#pragma unroll
        for (int q = 0; q < 4; q++)
            v[q] = w[q];
    }
    static __device__ __forceinline__ void add(double (&v)[4], const double (&w)[4])
    {
#pragma unroll
        for (int q = 0; q < 4; q++)
            v[q] += w[q];
    }
    /* Processes block `which` of pair k - 1 at column t, with b as origins and `old` as partners.
     * If END is set, origins in column `last` and later columns do not count. */
    template <bool END>
    __device__ __forceinline__ void recall_both(int which, int set, int t, int last, double (&b)[4],
                                                double (&old)[4]) const
    {
        recall(k1 + which * BLOCK + set * 128, b);
        if (NEAR)
            copy(old, b);
        else
            recall(stash + PARTNER + which * BLOCK + set * 128, old);
        mask<END>(t, last, b);
    }
    template <bool END> static __device__ __forceinline__ void mask(int t, int last, double (&b)[4])
    {
        if (END && t + (int)(threadIdx.x & 31) / 4 >= last)
            b[0] = b[1] = b[2] = b[3] = 0.0;
    }

    __device__ __forceinline__ void open(const SRC &from, const gram_args &a, int first,
                                         double *shared)
    {
        int col = first + 8 * a.tile0;
        src = origin = from;
        stash = k1 = shared + (threadIdx.x & 31);
        k2 = k1 + SLOT, k3 = k2 + SLOT;
        for (int n = 0; n < 4 * SETS; n++) {
            joint[n / 4][n % 4] = 0.0;
            src.load(a, col, n);
        }
#pragma unroll
        for (int n = 0; n < 4 * SETS; n++) {
            even[n / 4][n % 4] = src.make(a, col, n);
            src.load(a, col + 8, n);
        }
        for (int n = 0; n < SETS * LAG_MMA_STASH(NEAR) / 32; n++)
            stash[n * 32] = 0.0;
    }

    /* Stores v at column t as origins, after its products with earlier origins. */
    __device__ __forceinline__ void retire(const gram_args &a, int which, int set, int t,
                                           const double (&v)[4])
    {
        int at = which * BLOCK + set * 128;
        if (NEAR) {
            keep(k3 + at, v);
            return;
        }
        double b[4];
        keep(stash + PARTNER + at, v);
#pragma unroll
        for (int q = 0; q < 4; q++) {
            origin.load(a, t, 4 * set + q);
            b[q] = origin.make(a, t, 4 * set + q);
        }
        keep(k3 + at, b);
    }

    /* Processes half of pair k, with k % 2 = K. The current block is v at column t, and `next` is
     * computed. If END is set, origins may be after the last valid origin. If SUMS is set, v and
     * the block of the previous pair are added to the sums. Products 0 and 1 are P or Q of set 0,
     * products 2 and 3 are D of one set per half, and products 4 and 5 are P or Q of set 1. */
    template <bool END, bool SUMS, int WHICH, int K>
    __device__ __forceinline__ void half(const gram_args &a, int t, int last, const values &v,
                                         values &next, tile_sums &sums)
    {
        const int cross = WHICH == EVEN ? 0
                          : SETS > 1    ? 1
                                        : -1; /* the set whose D is computed here, while e_k is in
                                       registers */
        const int col = t + 8 * a.tile0 + 8, te = WHICH == EVEN ? t : t - 8;
        values old, b;
        double w[4], x[4], y[4];
#pragma unroll
        for (int n = 0; n < 4 * SETS; n++) {
            const int k = n / 4;
            if (n % 4 == 0) {
                if (!(WHICH == ODD && k == cross))
                    recall_both<END>(WHICH, k, t - 16, last, b[k], old[k]);
                mma_16x8x16(acc[2 * WHICH], v[k], old[k], b[k]);
            }
            if (n % 4 == 1) {
                recall(k3 + WHICH * BLOCK + k * 128, x);
                mask<END>(t - 48, last, x);
                mma_16x8x16(acc[2 * WHICH + 1], v[k], old[k], x);
                retire(a, WHICH, k, t, v[k]);
            }
            if (n == 2 && cross == 0) { /* b: e_(k-1) */
                recall_both<END>(ODD, 0, te - 8, last, x, w);
                add(x, b[0]);
                add(w, v[0]);
            }
            if (n == 2 && cross == 1) {
                recall_both<END>(ODD, 1, te - 8, last, b[1], old[1]);
                recall(k1 + EVEN * BLOCK + 128, x);
                mask<END>(te - 16, last, x);
                add(x, b[1]);
                copy(w, old[1]);
                add(w, next[1]); /* still e_k */
            }
            if (n == 2 && cross >= 0) {
                mma_16x8x16(acc[4], w, joint[cross],
                            x); /* D_0; the result for the older rows is not used */
                recall(stash + SUM + K * BLOCK + cross * 128, y);
                keep(stash + SUM + K * BLOCK + cross * 128, x);
            }
            if (n == 3 && cross >= 0) {
                mma_16x8x16(acc[5], w, joint[cross], y); /* D_2, D_1 */
                copy(joint[cross], w);
            }
            if (SUMS && n % 4 >= 2 && n >= 4 * SETS - 2)
                sums.put(WHICH, n % 4 - 2, v[n % 4 - 2], old[n % 4 - 2]);
            next[n / 4][n % 4] = src.make(a, col, n);
            src.load(a, col + 8, n);
        }
    }

    /* Processes two blocks, starting with column t. */
    template <bool END, bool SUMS, int K>
    __device__ __forceinline__ void pair(const gram_args &a, int t, int last, tile_sums &sums)
    {
        half<END, SUMS, EVEN, K>(a, t, last, even, odd, sums);
        half<END, SUMS, ODD, K>(a, t + 8, last, odd, even, sums);
        double *k = k3;
        k3 = k2, k2 = k1, k1 = k;
    }

    template <bool END, bool SUMS, bool PIECES, class LAGS>
    __device__ __forceinline__ void step(const gram_args &a, bool active, int t, int last,
                                         tile_sums &sums, LAGS &lags)
    {
        if constexpr (PIECES)
            lags.advance(a, t, last);
        if (active) {
            pair<END, false, 0>(a, t, last, sums);
            if constexpr (PIECES)
                lags.put_ended(a, acc);
            pair<END, SUMS, 1>(a, t + 16, last, sums);
        } else if (SUMS) {
            sums.put_zero();
        }
        if (SUMS && t < sums.end)
            sums.share(t);
        else if (PIECES)
            __syncthreads();
        if constexpr (PIECES)
            lags.add_ended(a);
    }

    /* Processes all origins of a task or of a piece, whose first column is t. All sources give
     * zeros for steps after the window. If SUMS is set, columns up to sums.end are added to the
     * sums. A warp whose tile has no pairs is not active. Such a warp adds zeros in the same loop,
     * so that all warps of a block reach the same barriers. */
    template <bool SUMS, bool PIECES, class LAGS>
    __device__ __forceinline__ void run(const gram_args &a, bool active, int t, int last,
                                        tile_sums &sums, LAGS &lags)
    {
        /* P_3, Q_3 and D_2 need three later pairs, and those of a piece end after another one */
        int end = PIECES ? t + (last - t + 31) / 32 * 32 + 64 : t + (last - t + 15) / 16 * 16 + 48;
        if (SUMS && end < sums.end)
            end = sums.end;
        for (; t + 32 <= last; t += 32)
            step<false, SUMS, PIECES>(a, active, t, last, sums, lags);
        for (; t < end; t += 32)
            step<true, SUMS, PIECES>(a, active, t, last, sums, lags);
    }

    /* Adds the products of the warps of a block, in order, to part[lags]. The shared memory of
     * `lags` may be the array `stash` of open(). */
    template <class LAGS>
    __device__ __forceinline__ void finish(const gram_args &a, const LAGS &lags, double *part)
    {
        lags.clear();
        lags.template put<0>(a, 0, acc);
        lags.template put<1>(a, 0, acc);
        __syncthreads();
        lags.add(a, 0, part);
    }
};
