/* SPDX-License-Identifier: MIT */
/* g4_gpu_power.cuh: computes sums of the power spectra of many series in two passes, with two real
 * series as one complex series, and transforms them back to lags.
 *
 * The length is L = 256 R with R = 16 RA and RA = 1, 2, 4, 5, 8, 10 or 16. The step is t = 4096 q +
 * 256 b + c (q < RA, b < 16). The frequency is k = k1 + R k2 with k1 = ka + RA kb. The first pass
 * computes the values (beta from positions, or numbers from memory), transforms over q and over b,
 * multiplies by the twiddle factors and writes y[series][k1][c]. The second pass transforms each
 * row of 256 values as 16 x 16 and sums |X|^2 in registers over the series of its part. Series and
 * spectra are not written to memory. All sums are in a fixed order. */
#pragma once

#include <cmath>

#include "base/units.h"
#include "g4/g4_gpu.h"
#include "g4/g4_gpu_dft.cuh"

#define POWER_MAX_LENGTH 65536
#define POWER_SUMS (256 * (size_t)4096)    /* doubles in the sums of all parts of a batch */
#define POWER_TABLE (46 * (size_t)4096)    /* number of twiddle factors of all lengths */
#define POWER_SHARED power_shape<8>::bytes /* shared memory for the length that needs the most */

enum power_kind { POWER_POSN_F32, POWER_POSN_F64, POWER_PAIR_F32, POWER_PAIR_F64, POWER_ROWS };

struct power_args {
    const void *src; /* positions [atom][ld], pairs [step][ld] or rows [row][ld] of double */
    size_t ld, rows; /* rows: atoms, pairs or rows */
    /* number of the first series of the batch. A series consists of two rows or two pairs (for
     * positions, see power_start) */
    size_t first;
    int count;            /* number of series of the batch */
    int kind, steps;      /* enum power_kind; values from `steps` on are 0 */
    double2 *y;           /* [count][L / 256][256] */
    double *sums;         /* [power_parts][L / 256][256], incremented */
    const double2 *table; /* [L]: exp(-2 pi i n / L) */
    double *out;          /* [count][lags] */
    int lags;
    int per; /* set by the launchers: series per block */
    beta_args beta;
};

/* If the input is positions, a series consists of the pairs (i, j) and (i + 1, j) with i even and i
 * < j. Series are ordered in squares of 16 x 16 atoms, one column of squares after another, so that
 * few positions are in use at once. The columns of squares before column J have 64 J^2 series. */
struct power_walk {
    unsigned i, j;
    unsigned begin, end; /* columns of the square, [begin, end) */
};

HD size_t power_series(size_t natoms)
{
    size_t full = natoms / 16, rest = natoms % 16, sum = 64 * full * full + full * 8 * rest;
    for (size_t i = 0; i + 1 < rest; i += 2)
        sum += rest - 1 - i;
    return sum;
}

HD void power_start(struct power_walk *w, unsigned natoms, size_t s)
{
    size_t column = (size_t)sqrt((double)s / 64.0), full = natoms / 16;
    while (64 * column * column > s)
        column--;
    while (64 * (column + 1) * (column + 1) <= s)
        column++;
    column = column < full ? column : full;
    w->begin = 16 * (unsigned)column;
    w->end = w->begin + 16 < natoms ? w->begin + 16 : natoms;
    size_t width = w->end - w->begin, rest = s - 64 * column * column;
    if (rest < 8 * width * column) { /* above the diagonal */
        w->i = 2 * (unsigned)(rest / width);
        w->j = w->begin + (unsigned)(rest % width);
        return;
    }
    rest -= 8 * width * column;
    for (w->i = w->begin; w->i + 2 < w->end && rest >= w->end - w->i - 1; w->i += 2)
        rest -= w->end - w->i - 1;
    w->j = w->i + 1 + (unsigned)rest;
}

/* Advances to the next series. Returns true if i changes. */
HD bool power_next(struct power_walk *w, unsigned natoms)
{
    if (++w->j < w->end)
        return false;
    w->i += 2;
    if (w->i + 1 >= w->end) { /* end of the diagonal square */
        w->i = 0;
        w->begin = w->end;
        w->end = w->begin + 16 < natoms ? w->begin + 16 : natoms;
    }
    w->j = w->i < w->begin ? w->begin : w->i + 1;
    return true;
}

/* Returns RA of the shortest transform of at least `need` values (at most POWER_MAX_LENGTH). */
static inline int power_radix(size_t need)
{
    static const int radix[] = {1, 2, 4, 5, 8, 10, 16};
    for (int ra : radix)
        if (need <= (size_t)ra * 4096)
            return ra;
    return 16;
}

/* Returns the offset of the twiddle factors of a length in the common table. */
static inline size_t power_table_at(int ra)
{
    return (size_t)(ra > 10  ? 30
                    : ra > 8 ? 20
                    : ra > 5 ? 12
                    : ra > 4 ? 7
                    : ra > 2 ? 3
                             : ra - 1) *
           4096;
}

/* Fills table[POWER_TABLE] with exp(-2 pi i n / L) of every length. Only an eighth of the circle is
 * computed. The rest follows by symmetry, so that symmetries are exact. */
static inline void power_tables(double2 *table)
{
    for (int ra : {1, 2, 4, 5, 8, 10, 16}) {
        int length = 4096 * ra, q = length / 4;
        double2 *t = table + power_table_at(ra);
        for (int n = 0; n <= length / 8; n++) {
            double x = 2.0 * UNITS_PI * (double)n / (double)length, c = cos(x), s = sin(x);
            int at[8] = {n,         q - n,     q + n,     2 * q - n,
                         2 * q + n, 3 * q - n, 3 * q + n, (4 * q - n) % length};
            double re[8] = {c, s, -s, -c, -c, -s, s, c}, im[8] = {s, c, c, s, -s, -c, -c, -s};
            for (int k = 0; k < 8; k++)
                t[at[k]] = make_double2(re[k], -im[k]);
        }
    }
}

/* Returns the number of arrays of L sums among which a batch is divided. */
static inline int power_parts(int ra)
{
    return 256 / ra;
}

#define POWER_THREADS 256
#define POWER_ROW 17 /* 16, plus one to keep columns in different banks */

/* Number of series that a block of the first pass processes together, and whether their twiddle
 * factors are in shared memory. */
template <int RA> struct power_shape {
    static const int together = 16 / RA, table = RA <= 10;
    static const size_t bytes =
        sizeof(double2) * 256 * (size_t)(together * RA + (table ? RA - 1 : 0) + 1);
};
#define POWER_ROWS_BYTES (sizeof(double2) * (256 + 16 * 16 * POWER_ROW))

/* Returns two values at step t. They are the values of rows or pairs 2 s and 2 s + 1, or of the
 * pairs (i, j) and (i + 1, j). */
template <int CELL> struct power_source_any {
    const power_args &a;
    __device__ power_source_any(const power_args &args) : a(args)
    {
    }
    __device__ void open(const power_walk &, int)
    {
    }
    template <class T> __device__ __forceinline__ double2 posn(const power_walk &w, size_t t) const
    {
        typedef typename vec4<T>::type V;
        const V *x = (const V *)a.src + t;
        V xj = x[w.j * a.ld];
        T rc2 = beta_rc2(a.beta, (T)0);
        size_t i = (size_t)w.i, j = (size_t)w.j;
        return make_double2((double)beta_ordered<-1, CELL>(a.beta, i, j, x[i * a.ld], xj, rc2, t),
                            (double)beta_ordered<-1, CELL>(a.beta, i + 1, j, x[(i + 1) * a.ld], xj,
                                                           i + 1 < j ? rc2 : (T)-1, t));
    }
    template <class T> __device__ __forceinline__ double2 pair(size_t s, size_t t) const
    {
        const T *v = (const T *)a.src + t * a.ld;
        return make_double2((double)v[2 * s], 2 * s + 1 < a.rows ? (double)v[2 * s + 1] : 0.0);
    }
    __device__ __forceinline__ double2 value(const power_walk &w, size_t s, int, int step) const
    {
        size_t t = (size_t)step;
        const double *v = (const double *)a.src + 2 * s * a.ld + t;
        switch (a.kind) {
        case POWER_POSN_F32: return posn<float>(w, t);
        case POWER_POSN_F64: return posn<double>(w, t);
        case POWER_PAIR_F32: return pair<float>(s, t);
        case POWER_PAIR_F64: return pair<double>(s, t);
        default: return make_double2(v[0], 2 * s + 1 < a.rows ? v[a.ld] : 0.0);
        }
    }
};

/* Positions in one orthorhombic cell. The positions of atoms i and i + 1 stay in registers while j
 * advances. */
template <int COMP, int CELL, int Q> struct power_source_posn {
    const power_args &a;
    float x[2][Q][3];
    __device__ power_source_posn(const power_args &args) : a(args)
    {
    }
    __device__ __forceinline__ void open(const power_walk &w, int m)
    {
        const float4 *p = (const float4 *)a.src + w.i * a.ld + m;
#pragma unroll
        for (int q = 0; q < Q; q++)
            for (int k = 0; k < 2; k++) {
                float4 v = q * 4096 + m < a.steps ? p[k * a.ld + q * 4096]
                                                  : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                x[k][q][0] = v.x, x[k][q][1] = v.y, x[k][q][2] = v.z;
            }
    }
    __device__ __forceinline__ double2 value(const power_walk &w, size_t, int q, int t) const
    {
        float4 xj = ((const float4 *)a.src + w.j * a.ld)[t];
        float4 x0 = {x[0][q][0], x[0][q][1], x[0][q][2], 0.0f},
               x1 = {x[1][q][0], x[1][q][1], x[1][q][2], 0.0f};
        return make_double2(
            (double)beta_of<COMP, CELL>(a.beta, x0, xj, a.beta.rc2_f, t),
            (double)beta_of<COMP, CELL>(a.beta, x1, xj, w.i + 1 < w.j ? a.beta.rc2_f : -1.0f, t));
    }
};

/* First pass. A block of 256 threads processes 16 columns c (blockIdx.x) of `per` series, from
 * series blockIdx.y * per of the batch. It takes `together` series at a time. Thread (b, c)
 * computes the values and transforms them over q. After an exchange through shared memory, thread
 * (series, ka, c) transforms over b. If HALF is set, there are no values at step L / 2 and
 * later. */
template <int RA, class SOURCE, bool HALF>
__global__ void __launch_bounds__(POWER_THREADS, 2)
    power_columns_kernel(const __grid_constant__ power_args a)
{
    typedef power_shape<RA> shape;
    extern __shared__ double2 s_power[];
    double2 *s_x = s_power,
            *s_w = s_x + shape::together * RA * 256; /* row 0: exp(-2 pi i b c / 4096), k: exp(-2
                                                       pi i k m / L) */
    int tid = threadIdx.x, c = tid & 15, b = tid >> 4, column = blockIdx.x * 16 + c,
        m = 256 * b + column;
    int s = blockIdx.y * a.per, end = s + a.per < a.count ? s + a.per : a.count;
    if (s >= end)
        return;
    s_w[tid] = a.table[RA * b * column];
    for (int k = 1; shape::table && k < RA; k++)
        s_w[k * 256 + tid] = a.table[k * m];
    __syncthreads();
    SOURCE source(a);
    power_walk w = {};
    if (a.kind <= POWER_POSN_F64)
        power_start(&w, (unsigned)a.rows, a.first + s);
    bool fresh = true;
    for (; s < end; s += shape::together) {
#pragma unroll 1
        for (int n = 0; n < shape::together && s + n < end; n++) {
            double2 v[RA];
            if (fresh)
                source.open(w, m);
#pragma unroll
            for (int q = 0; q < (HALF ? (RA + 1) / 2 : RA); q++)
                v[q] = q * 4096 + m < a.steps ? source.value(w, a.first + s + n, q, q * 4096 + m)
                                              : make_double2(0.0, 0.0);
            dft<RA, HALF>(v);
            s_x[n * RA * 256 + tid] = v[0];
#pragma unroll
            for (int k = 1; k < RA; k++)
                s_x[(n * RA + k) * 256 + tid] =
                    dft_mul(v[k], shape::table ? s_w[k * 256 + tid] : a.table[k * m]);
            fresh = a.kind <= POWER_POSN_F64 && power_next(&w, (unsigned)a.rows);
        }
        __syncthreads();
        if (b < shape::together * RA && s + b / RA < end) {
            double2 v[16], *y = a.y + (size_t)(s + b / RA) * (RA * 4096) + b % RA * 256 + column;
#pragma unroll
            for (int k = 0; k < 16; k++)
                v[k] = s_x[(b * 16 + k) * 16 + c];
            dft_16(v);
            y[0] = v[0];
#pragma unroll
            for (int k = 1; k < 16; k++)
                y[k * RA * 256] = dft_mul(v[k], s_w[k * 16 + c]);
        }
        __syncthreads();
    }
}

/* Second pass. A block of 256 threads processes 16 rows k1 (blockIdx.x) of the series blockIdx.y,
 * blockIdx.y + gridDim.y, ... of the batch, with one row per half warp. Adds |X|^2 to
 * sums[blockIdx.y][k1][k2] or, if REAL is set, writes the real part of frequency k < lags to
 * out[series][lags]. */
template <bool REAL>
__global__ void __launch_bounds__(POWER_THREADS, 2)
    power_rows_kernel(const __grid_constant__ power_args a)
{
    extern __shared__ double2 s_power[];
    int tid = threadIdx.x, e = tid & 15, k1 = blockIdx.x * 16 + (tid >> 4), rows = gridDim.x * 16;
    double2 *s_tw = s_power, *s_x = s_power + 256 + (tid >> 4) * 16 * POWER_ROW;
    double *sums = a.sums + ((size_t)blockIdx.y * rows + k1) * 256 + e, sum[16];
    s_tw[tid] = a.table[rows * ((tid & 15) * (tid >> 4))];
#pragma unroll
    for (int k = 0; !REAL && k < 16; k++)
        sum[k] = sums[16 * k];
    __syncthreads();
    for (int s = blockIdx.y; s < a.count; s += gridDim.y) {
        const double2 *y = a.y + ((size_t)s * rows + k1) * 256 + e;
        double2 v[16];
#pragma unroll
        for (int k = 0; k < 16; k++)
            v[k] = y[16 * k];
        dft_16(v);
        s_x[e] = v[0];
#pragma unroll
        for (int k = 1; k < 16; k++)
            s_x[k * POWER_ROW + e] = dft_mul(v[k], s_tw[k * 16 + e]);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < 16; k++)
            v[k] = s_x[e * POWER_ROW + k];
        __syncwarp();
        dft_16(v);
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int f = k1 + rows * (e + 16 * k);
            if (!REAL)
                sum[k] = fma(v[k].x, v[k].x, fma(v[k].y, v[k].y, sum[k]));
            else if (f < a.lags)
                a.out[(size_t)s * a.lags + f] = v[k].x;
        }
    }
#pragma unroll
    for (int k = 0; !REAL && k < 16; k++)
        sums[16 * k] = sum[k];
}

/* Sets out[] to the sum over n arrays of length L, in order, with one thread per frequency. If
 * `scatter` is set, the input is [k1][k2] and the output is in the order of frequencies. */
__global__ void power_total_kernel(const double *in, int n, int length, int scatter, double *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, rows = length / 256;
    double sum = 0.0;
    if (x >= length)
        return;
    for (int k = 0; k < n; k++)
        sum += in[(size_t)k * length + x];
    out[scatter ? x / 256 + rows * (x % 256) : x] = sum;
}
