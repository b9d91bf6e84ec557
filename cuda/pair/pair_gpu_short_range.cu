/* SPDX-License-Identifier: MIT */
/* Computes the short-range part of A_i that a mesh needs, from the tiles of the lists. Each pair is
 * computed twice, once for each atom, so that each sum belongs to one thread and has a fixed order.
 * A thread has some atoms of a group in one column. */
#include "pair/pair_gpu_tiles.cuh"

#define THREADS 128

/* Factors of pairs: all 1 without or with a pair function in single precision, or any. */
enum how { PLAIN, FUNCTION, WEIGH };

/* Adds the pair function of rows i and j to v, if there is one. */
template <int HOW, class V, class T>
__device__ __forceinline__ T short_range_function(const mesh_args &a, int c, size_t i, size_t j,
                                                  V p, V q, size_t col, T v)
{
    if (HOW == WEIGH && a.factors.function.cells)
        return function_add(&a.factors.function, &a.cell[a.fixed ? 0 : col], a.component[c],
                            (size_t)a.perm[i], (size_t)a.perm[j], p, q, v);
    return v;
}

/* Adds the short-range parts of N components of a pair of rows i and j, times f, to sum. If N is 1,
 * this is component number c. */
template <int CELL, int N, int HOW>
__device__ __forceinline__ void short_range_of(const mesh_args &a, int c, float f, size_t i,
                                               size_t j, float4 p, float4 q, size_t col,
                                               double (&sum)[N])
{
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, u = 0.0f;
    beta_image<CELL>(a.beta, x, y, z, col);
    float rc2 = G4_IS_FIXED(CELL) ? a.beta.rc2_f : a.cell[a.fixed ? 0 : col].taper_f32.rc2,
          r2 = beta_r2_f32(x, y, z);
    if (!(r2 <= rc2))
        return;
    const struct beta_function &fn = a.beta.function;
    bool near = HOW == FUNCTION && r2 <= fn.end2;
    if (near)
        u = function_value(fn, fn.rank, function_first(fn, i, j), r2);
    struct beta_taper_f32 t = {(float)(2.0 / a.plan.reach), 0.0f, rc2};
#pragma unroll
    for (int k = 0; k < N; k++) {
        int component = N > 1 ? k : a.component[c];
        float v =
            pair_beta_f32(SUM_NEAR, &t, &a.plan, component, (float)a.coef[N > 1 ? k : c], x, y, z);
        if (near)
            v += pair_function_value_f32(fn.rank, component, x, y, z, u);
        sum[k] += (double)(f * short_range_function<HOW>(a, c + k, i, j, p, q, col, v));
    }
}
template <int CELL, int N, int HOW>
__device__ __forceinline__ void short_range_of(const mesh_args &a, int c, double f, size_t i,
                                               size_t j, double4_16 p, double4_16 q, size_t col,
                                               double (&sum)[N])
{
    double d[3] = {p.x - q.x, p.y - q.y, p.z - q.z}, rc2 = a.cell[a.fixed ? 0 : col].taper_f64.rc2;
    box_image(&a.cell[a.fixed ? 0 : col].d, d);
    if (!(beta_r2_f64(d[0], d[1], d[2]) <= rc2))
        return;
    struct beta_taper_f64 t = {2.0 / a.plan.reach, 0.0, rc2};
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] += f * short_range_function<HOW>(
                          a, c + k, i, j, p, q, col,
                          pair_beta_f64(SUM_NEAR, &t, &a.plan, N > 1 ? k : a.component[c],
                                        a.coef[N > 1 ? k : c], d[0], d[1], d[2]));
}

/* Loads the factors of pairs of rows from `first` on with rows of group h, one pair per thread. */
template <class T, int I>
__device__ __forceinline__ void short_range_factors(const mesh_args &a, size_t first, size_t h,
                                                    T (&f)[16][I])
{
    int m = threadIdx.x / I, k = threadIdx.x % I;
    double own;
    __syncthreads(); /* waits until the previous factors have been used */
    if (m < 16) {
        int i = a.perm[first + k], j = a.perm[16 * h + m];
        f[m][k] = i >= 0 && j >= 0 ? (T)factors_at(&a.factors, (size_t)i, (size_t)j, &own) : (T)0;
    }
    __syncthreads();
}

/* Adds the short-range parts of the atoms of group h to atoms i from row `first` on. With WEIGH,
 * all threads of the block must call it. */
template <int CELL, int N, int I, int HOW, class V, class T>
__device__ __forceinline__ void short_range_tile(const mesh_args &a, int c, size_t first, size_t h,
                                                 size_t col, const V *i, T (&f)[16][I],
                                                 double (&sum)[I][N])
{
    const V *p = (const V *)a.pos;
    if constexpr (HOW == WEIGH)
        short_range_factors(a, first, h, f);
    for (int m = 0; m < 16; m++) {
        size_t j = 16 * h + m;
        V q = p[(j / 4 * a.ld + col) * 4 + j % 4];
#pragma unroll
        for (int k = 0; k < I; k++)
            if (HOW == WEIGH ? f[m][k] != 0 : first + k != j)
                short_range_of<CELL, N, HOW>(a, c, HOW == WEIGH ? f[m][k] : (T)1, first + k, j,
                                             i[k], q, col, sum[k]);
    }
}

/* A block processes I rows and, for N = 1, component z, with one thread per column. The row of
 * tiles of the group comes first, then its column. */
template <class T, int CELL, int N, int I, int HOW>
__global__ void short_range_kernel(const __grid_constant__ mesh_args a, int cols)
{
    typedef typename vec4<T>::type V;
    __shared__ T f[16][I];
    size_t first = (size_t)blockIdx.x * I, g = first / 16,
           col = (size_t)blockIdx.y * THREADS + threadIdx.x;
    bool on = col < (size_t)cols;
    const size_t *begin = a.list.begin, *column = a.list.begin + a.list.groups + 1;
    const V *p = (const V *)a.pos;
    int c = blockIdx.z;
    V i[I];
    double sum[I][N] = {};
    if (!on && HOW != WEIGH)
        return;
    col = on ? col : 0;
#pragma unroll
    for (int k = 0; k < I; k++)
        i[k] = p[((first + k) / 4 * a.ld + col) * 4 + (first + k) % 4];
    for (size_t k = begin[g]; k < begin[g + 1]; k++)
        short_range_tile<CELL, N, I, HOW>(a, c, first, (size_t)a.list.tile[k].y, col, i, f, sum);
    for (size_t k = column[g]; k < column[g + 1]; k++)
        short_range_tile<CELL, N, I, HOW>(a, c, first, (size_t)a.list.tile[a.list.entry[k]].x, col,
                                          i, f, sum);
    if (!on)
        return;
#pragma unroll
    for (int k = 0; k < I; k++)
#pragma unroll
        for (int n = 0; n < N; n++)
            a.atoms[((size_t)(c + n) * (a.rows + 1) + first + k) * a.ld + col] += sum[k][n];
}

/* Computes all components at once, or one after the other. */
template <class T, int CELL, int HOW>
static void short_range_launch(const struct mesh_args *a, int cols, cudaStream_t stream)
{
    dim3 grid((unsigned)(a->rows / 8), (unsigned)((cols + THREADS - 1) / THREADS),
              (unsigned)a->ncomp);
    if (a->ncomp < BETA_NCOMPONENTS)
        short_range_kernel<T, CELL, 1, 8, HOW><<<grid, THREADS, 0, stream>>>(*a, cols);
    else
        short_range_kernel<T, CELL, BETA_NCOMPONENTS, 4, HOW>
            <<<dim3(2 * grid.x, grid.y), THREADS, 0, stream>>>(*a, cols);
}

template <int HOW>
static void short_range_kinds(const struct mesh_args *a, int is64, int cell, int cols,
                              cudaStream_t stream)
{
    if (is64)
        short_range_launch<double, G4_TAPER_ANY, HOW == FUNCTION ? WEIGH : HOW>(a, cols, stream);
    else if (cell == G4_TAPER_FIXED)
        short_range_launch<float, G4_TAPER_FIXED, HOW>(a, cols, stream);
    else
        short_range_launch<float, G4_TAPER_ANY, HOW>(a, cols, stream);
}

int near_add(struct err *e, const struct mesh_args *a, int is64, int cell, int cols,
             cudaStream_t stream)
{
    (a->beta.function.c  ? short_range_kinds<FUNCTION>
     : a->factors.natoms ? short_range_kinds<WEIGH>
                         : short_range_kinds<PLAIN>)(a, is64, cell, cols, stream);
    return TRY_LAUNCH(e, "near_kernel");
}

/* ---- listed pairs */

/* Returns the position of an atom, wrapped as in its row. */
template <class T>
__device__ __forceinline__ void listed_place(const mesh_args &a, const struct box *b, size_t col,
                                             size_t atom, double r[3])
{
    const T *from = (const T *)a.raw + col * a.step + 3 * atom;
    for (int k = 0; k < 3; k++)
        r[k] = (double)from[k];
    box_wrap(b, r);
    for (int k = 0; k < 3; k++)
        r[k] = (double)(T)r[k];
}

/* Subtracts from A the part of the listed pairs that the mesh contains. Uses one thread per row,
 * for columns y, y + gridDim.y, ... */
template <class T>
__global__ void short_range_listed_kernel(const __grid_constant__ mesh_args a, size_t cols)
{
    const struct factors *f = &a.factors;
    size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    int i = row < a.rows ? a.perm[row] : -1;
    if (i < 0 || f->group[i] == f->groups)
        return;
    const double *charge = f->charge + f->group[i] * f->natoms;
    for (size_t col = blockIdx.y; col < cols; col += gridDim.y) {
        const struct sum_cell *cell = &a.cell[a.fixed ? 0 : col];
        double r[3], d[3];
        listed_place<T>(a, &cell->d, col, (size_t)i, r);
        for (size_t k = f->begin[i]; k < f->begin[i + 1]; k++) {
            double q = f->w[i] * charge[f->partner[k]];
            if (q == 0.0)
                continue;
            listed_place<T>(a, &cell->d, col, f->partner[k], d);
            for (int m = 0; m < 3; m++)
                d[m] = r[m] - d[m];
            for (int c = 0; c < a.ncomp; c++)
                a.atoms[((size_t)c * (a.rows + 1) + row) * a.ld + col] -=
                    a.coef[c] * q *
                    split_far_f64(&a.plan, &cell->ewald_f64, &cell->d, a.component[c], d);
        }
    }
}

int short_range_listed(struct err *e, const struct mesh_args *a, int is64, int cols,
                       cudaStream_t stream)
{
    dim3 grid((unsigned)((a->rows + THREADS - 1) / THREADS), (unsigned)(cols < 1024 ? cols : 1024));
    if (is64)
        short_range_listed_kernel<double><<<grid, THREADS, 0, stream>>>(*a, (size_t)cols);
    else
        short_range_listed_kernel<float><<<grid, THREADS, 0, stream>>>(*a, (size_t)cols);
    return TRY_LAUNCH(e, "near_listed_kernel");
}
