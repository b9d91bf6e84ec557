/* SPDX-License-Identifier: MIT */
/* Computes tables of beta, tile by tile, for gram_posn. All components are computed at once,
 * because they share r, r⁻⁵ and the images that are added one by one. Tables are used for lattice
 * sums, and for cases that would need too much code in the sliding kernels (g4_gpu_lag_mma.cuh):
 * double precision, and more lags than one pass has.
 *
 * A table is [component][tile][8 warps][2 sets of 4 atoms i][ld columns][4 atoms j] vectors of the
 * 4 atoms i, in the order in which the warps of a tile read it (table_source). */
#include "pair/pair_gpu_tiles.cuh"

#define THREADS 256
#define COLUMNS 8 /* columns of a block at a time; a warp has one set of a tile's warp */

/* Place of a thread in its tile. */
template <class T> struct table_place {
    typedef typename vec4<T>::type V;
    size_t i, j; /* i: first of the four atoms */
    const V *xi, *xj;
    size_t out; /* place of column 0, without the component */

    /* false if no pair of this thread counts or is read */
    template <class A> __device__ bool open(const A &a)
    {
        int lane = threadIdx.x & 31, set = threadIdx.x / 32 + 8 * (blockIdx.z & 1), warp = set / 2;
        size_t r, c;
        tile_place(a.list, a.natoms, a.first_tile + blockIdx.x, &r, &c);
        size_t i0 = 16 * r + 8 * (warp / 4);
        i = i0 + 4 * (set % 2);
        j = 16 * c + 4 * (warp % 4) + lane % 4;
        xi = (const V *)a.src + i * a.ld;
        xj = (const V *)a.src + j / 4 * 4 * a.ld + j % 4;
        out = ((size_t)blockIdx.x * 16 + set) * 4 * a.ld + lane % 4;
        return i0 <= j / 4 * 4 + 3;
    }
};

__device__ __forceinline__ float &part(float4 &v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}
__device__ __forceinline__ double &part(double4_16 &v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}

/* Orthorhombic cells of one fit, in single precision; components [FIRST, FIRST + N). Their
 * polynomials are of degree D or, for five components, of degree E for the even ones (beta.h).
 * Block (tile x, columns y, half z of the sets): thread = (set, column, j), four atoms i. The
 * polynomials are parameters, so they are operands and not loads. With one component, a thread
 * continues to other columns with its loaded data. With five components, this would spill
 * registers. */
template <int FIRST, int N, int D, int E>
__global__
__launch_bounds__(THREADS) void table_corners_kernel(const __grid_constant__ table_args a)
{
    table_place<float> p;
    int col = blockIdx.y * COLUMNS + (threadIdx.x & 31) / 4;
    if (col >= a.columns || !p.open(a))
        return;
    do {
        const struct ewald_f32 *e = &a.cell[col].ewald_f32;
        const float len[3] = {e->h[0][0], e->h[1][1], e->h[2][2]},
                    inv[3] = {e->inv[0][0], e->inv[1][1], e->inv[2][2]};
        const int all[] = {BETA_EACH(BETA_ENUM, )};
        float4 xj = p.xj[4 * (size_t)col], out;
        float s[4][3], sum[4][N];
        bool on[4];
#pragma unroll
        for (int m = 0; m < 4; m++) {
            float4 xi = p.xi[4 * (size_t)col + m];
            float x = xi.x - xj.x;
            on[m] = p.i + m < p.j && x == x; /* padding is NaN */
            ewald_corners_f32(len, inv, N, all + FIRST, x, xi.y - xj.y, xi.z - xj.z, s[m], sum[m]);
        }
#pragma unroll
        for (int k = 0; k < N; k++) {
#pragma unroll
            for (int m = 0; m < 4; m++) {
                float v = ewald_p3(!beta_even(FIRST + k) || N == 1 ? D : E, a.poly[k],
                                   s[m][0] * s[m][0], s[m][1] * s[m][1], s[m][2] * s[m][2]),
                      one = EWALD_PARITY(FIRST + k, 1, s[m][0], s[m][1], s[m][2], 1.0f),
                      q = BETA_FMA(v, one * e->scale, sum[m][k]);
                part(out, m) = on[m] ? a.coef_f[k] * q : 0.0f;
            }
            ((float4 *)a.out)[k * a.stride + p.out + 4 * (size_t)col] = out;
        }
        col += gridDim.y * COLUMNS;
    } while (N == 1 && col < a.columns);
}

/* Computes beta of N components for one image, as in beta_of, or 0 if the pair does not count. */
template <enum sum_form FORM, int N>
__device__ __forceinline__ void table_nearest(const table_args &a, const struct sum_cell *c,
                                              float4 p, float4 r, bool on, float (&q)[N])
{
    float x = p.x - r.x, y = p.y - r.y, z = p.z - r.z, rm5, f;
    beta_image(&c->f, x, y, z);
    float r2 = beta_r2_f32(x, y, z);
    pair_radial_f32(FORM, &c->taper_f32, NULL, r2, &rm5, &f);
    on = on && r2 <= (FORM == SUM_NEAREST ? a.rc2_f : c->taper_f32.rc2);
#pragma unroll
    for (int k = 0; k < N; k++)
        q[k] = pair_end_f32(a.coef_f[k] * beta_form_f32(N > 1 ? k : a.component[0], x, y, z), rm5,
                            f, on);
}

template <enum sum_form FORM, int N>
__device__ __forceinline__ void table_nearest(const table_args &a, const struct sum_cell *c,
                                              double4_16 p, double4_16 r, bool on, double (&q)[N])
{
    double d[3] = {p.x - r.x, p.y - r.y, p.z - r.z}, rm5, f;
    box_image(&c->d, d);
    double r2 = beta_r2_f64(d[0], d[1], d[2]);
    pair_radial_f64(FORM, &c->taper_f64, NULL, r2, &rm5, &f);
    on = on && r2 <= (FORM == SUM_NEAREST ? a.rc2 : c->taper_f64.rc2);
#pragma unroll
    for (int k = 0; k < N; k++)
        q[k] = pair_end_f64(a.coef[k] * beta_form_f64(N > 1 ? k : a.component[0], d[0], d[1], d[2]),
                            rm5, f, on);
}

/* Computes the minimum image in cells of any shape, for one component or for all. */
template <class T, enum sum_form FORM, int N>
__global__
__launch_bounds__(THREADS) void table_nearest_kernel(const __grid_constant__ table_args a)
{
    typedef typename vec4<T>::type V;
    table_place<T> p;
    if (!p.open(a))
        return;
    for (int col = blockIdx.y * COLUMNS + (threadIdx.x & 31) / 4; col < a.columns;
         col += gridDim.y * COLUMNS) {
        V xj = p.xj[4 * (size_t)col], out[N];
#pragma unroll
        for (int m = 0; m < 4; m++) {
            T q[N];
            table_nearest<FORM, N>(a, &a.cell[col], p.xi[4 * (size_t)col + m], xj, p.i + m < p.j,
                                   q);
#pragma unroll
            for (int k = 0; k < N; k++)
                part(out[k], m) = q[k];
        }
#pragma unroll
        for (int k = 0; k < N; k++)
            ((V *)a.out)[k * a.stride + p.out + 4 * (size_t)col] = out[k];
    }
}

__device__ __forceinline__ const struct ewald_f32 *ewald_of(const struct sum_cell *c, float)
{
    return &c->ewald_f32;
}
__device__ __forceinline__ const struct ewald_f64 *ewald_of(const struct sum_cell *c, double)
{
    return &c->ewald_f64;
}

/* Computes lattice sums in cells of any shape from their records, in loops. */
template <class T>
__global__ __launch_bounds__(THREADS) void table_any_kernel(const __grid_constant__ table_args a)
{
    typedef typename vec4<T>::type V;
    table_place<T> p;
    if (!p.open(a))
        return;
    for (int col = blockIdx.y * COLUMNS + (threadIdx.x & 31) / 4; col < a.columns;
         col += gridDim.y * COLUMNS) {
        V xj = p.xj[4 * (size_t)col], out[BETA_NCOMPONENTS];
        for (int m = 0; m < 4; m++) {
            V xi = p.xi[4 * (size_t)col + m];
            T q[BETA_NCOMPONENTS];
            beta_ewald(ewald_of(&a.cell[col], (T)0), a.ncomp, a.component, xi.x - xj.x, xi.y - xj.y,
                       xi.z - xj.z, q);
            for (int k = 0; k < a.ncomp; k++)
                part(out[k], m) = p.i + m < p.j ? (T)a.coef[k] * q[k] : (T)0;
        }
        for (int k = 0; k < a.ncomp; k++)
            ((V *)a.out)[k * a.stride + p.out + 4 * (size_t)col] = out[k];
    }
}

/* Launches the kernel for one component of degree D, or for all components of degrees D and E, with
 * the corners. Then returns 1 from corners(), which returns 0 if no kernel fits. */
#define CORNERS(D, E)                                                                              \
    if (N == 1 ? a.degree[FIRST] == D : a.degree[BETA_XZ] == D && a.degree[BETA_ZZ] == E) {        \
        table_corners_kernel<FIRST, N, D, E><<<grid, THREADS, 0, stream>>>(a);                     \
        return 1;                                                                                  \
    }
template <int FIRST, int N> static int corners(const table_args &a, dim3 grid, cudaStream_t stream)
{
    CORNERS(4, 4)
    CORNERS(5, 5)
    CORNERS(6, 6)
    CORNERS(7, 7)
    CORNERS(8, 8)
    if constexpr (N > 1) {
        CORNERS(4, 5)
        CORNERS(5, 6)
        CORNERS(6, 7)
        CORNERS(7, 8)
    }
    return 0;
}

/* Returns whether the fast kernel can be used. */
static int fast(const table_args &a, dim3 grid, cudaStream_t stream)
{
    for (int c = 0; a.ncomp == BETA_NCOMPONENTS && c < BETA_NCOMPONENTS; c++)
        if (a.degree[c] != a.degree[beta_even(c) ? BETA_ZZ : BETA_XZ])
            return 0;
#define CORNERS_CASE(C, NAME, WORDS, EVEN, NONE)                                                   \
    case C: return corners<C, 1>(a, grid, stream);
    switch (a.ncomp == 1 ? a.component[0] : a.ncomp == BETA_NCOMPONENTS ? a.ncomp : -1) {
        BETA_EACH(CORNERS_CASE, )
    case BETA_NCOMPONENTS: return corners<0, BETA_NCOMPONENTS>(a, grid, stream);
    default: return 0;
    }
}

/* Computes all components at once, or one after the other. */
template <class T, enum sum_form FORM>
static void nearest(table_args a, dim3 grid, cudaStream_t stream)
{
    int ncomp = a.ncomp;
    if (ncomp == BETA_NCOMPONENTS)
        table_nearest_kernel<T, FORM, BETA_NCOMPONENTS><<<grid, THREADS, 0, stream>>>(a);
    for (int k = 0; ncomp < BETA_NCOMPONENTS && k < ncomp; k++) {
        table_nearest_kernel<T, FORM, 1><<<grid, THREADS, 0, stream>>>(a);
        a.component[0] = a.component[k + 1 < ncomp ? k + 1 : k];
        a.coef[0] = a.coef[k + 1 < ncomp ? k + 1 : k];
        a.coef_f[0] = (float)a.coef[0];
        a.out = (typename vec4<T>::type *)a.out + a.stride;
    }
}

template <class T> static void table_of_form(const table_args &a, dim3 grid, cudaStream_t stream)
{
#define TABLE_CASE(FORM)                                                                           \
    case FORM: nearest<T, FORM>(a, grid, stream); break;
    switch (a.form) {
        PAIR_EACH_FORM(TABLE_CASE)
    default:
        if (sizeof(T) == 8 || !a.corners || !fast(a, grid, stream))
            table_any_kernel<T><<<grid, THREADS, 0, stream>>>(a);
    }
}

/* Applies the pair function, the factor of each pair and the contribution of own images (factors.h)
 * to existing tables, rounded as on the host. The threads are those of the kernels above. */
template <class T>
__global__ __launch_bounds__(THREADS) void table_weigh_kernel(const __grid_constant__ table_weigh a)
{
    typedef typename vec4<T>::type V;
    table_place<T> p;
    const struct pair_function *fn = &a.factors.function;
    double f[4], own[4];
    size_t atom[4], other = 0;
    if (!p.open(a))
        return;
    for (int m = 0; m < 4; m++) {
        size_t row = p.i + m;
        long i = a.perm ? a.perm[row] : (long)row, j = a.perm ? a.perm[p.j] : (long)p.j;
        size_t n = a.factors.natoms;
        f[m] = own[m] = 0.0;
        atom[m] = (size_t)i;
        other = (size_t)j;
        if (row < p.j && i >= 0 && j >= 0 && (size_t)i < n && (size_t)j < n)
            f[m] = factors_at(&a.factors, (size_t)i, (size_t)j, own + m);
    }
    for (int col = blockIdx.y * COLUMNS + (threadIdx.x & 31) / 4; col < a.columns;
         col += gridDim.y * COLUMNS) {
        V xj = p.xj[4 * (size_t)col];
        for (int k = 0; k < a.ncomp; k++) {
            V *v = (V *)a.out + k * a.stride + p.out + 4 * (size_t)col;
            double self = xj.x == xj.x ? a.coef[k] * a.cell[col].self[a.component[k]] : 0.0;
            V b = *v;
            for (int m = 0; fn->cells && m < 4; m++)
                if (f[m] != 0.0)
                    part(b, m) = function_add(fn, &a.cell[col], a.component[k], atom[m], other,
                                              p.xi[4 * (size_t)col + m], xj, part(b, m));
            for (int m = 0; m < 4; m++)
                part(b, m) = f[m] != 0.0 ? part(b, m) * (T)f[m] + (T)(own[m] * self) : (T)0;
            *v = b;
        }
    }
}

/* Adds the pair function, if all factors are 1, to existing tables in single precision. Vectors of
 * values that the function does not reach are not read. */
__global__ __launch_bounds__(THREADS) void table_add_kernel(const __grid_constant__ table_weigh a)
{
    table_place<float> p;
    const struct beta_function &f = a.function;
    unsigned first[4];
    if (!p.open(a))
        return;
    for (int m = 0; m < 4; m++)
        first[m] = function_first(f, p.i + m, p.j);
    for (int col = blockIdx.y * COLUMNS + (threadIdx.x & 31) / 4; col < a.columns;
         col += gridDim.y * COLUMNS) {
        const struct box_f32 *box = &a.cell[col].f;
        float4 xj = p.xj[4 * (size_t)col];
        float d[4][3], u[4];
        bool near[4], any = false;
#pragma unroll
        for (int m = 0; m < 4; m++) {
            float4 xi = p.xi[4 * (size_t)col + m];
            float x = xi.x - xj.x, y = xi.y - xj.y, z = xi.z - xj.z;
            beta_image(box, x, y, z);
            float r2 = beta_r2_f32(x, y, z);
            d[m][0] = x, d[m][1] = y, d[m][2] = z;
            near[m] = p.i + m < p.j && r2 <= f.end2; /* padding is NaN */
            u[m] = function_value(f, f.rank, first[m], r2);
            any |= near[m];
        }
        for (int k = 0; any && k < a.ncomp; k++) {
            float4 *v = (float4 *)a.out + k * a.stride + p.out + 4 * (size_t)col, b = *v;
            for (int m = 0; m < 4; m++)
                if (near[m])
                    part(b, m) += pair_function_value_f32(f.rank, a.component[k], d[m][0], d[m][1],
                                                          d[m][2], u[m]);
            *v = b;
        }
    }
}

size_t table_values(size_t ld)
{
    return 16 * 16 * ld;
}

const void *table_of(const struct table_args *a, int is64, int c)
{
    return (const char *)a->out + (size_t)c * a->stride * 4 * (is64 ? 8 : 4);
}

int table_make(struct err *e, struct table_args a, int is64, size_t first_tile, size_t ntiles,
               cudaStream_t stream)
{
    int groups = (a.columns + COLUMNS - 1) / COLUMNS;
    dim3 grid((unsigned)ntiles, (unsigned)(groups < 64 || a.ncomp > 1 ? groups : 64), 2);
    a.first_tile = first_tile;
    (is64 ? table_of_form<double> : table_of_form<float>)(a, grid, stream);
    if (TRY_LAUNCH(e, "table_make"))
        return -1;
    if (!a.weigh)
        return 0;
    struct table_weigh w = *a.weigh;
    w.src = a.src;
    w.out = a.out;
    w.ld = a.ld;
    w.natoms = a.natoms;
    w.stride = a.stride;
    w.columns = a.columns;
    w.cell = a.cell;
    w.list = a.list;
    w.first_tile = first_tile;
    w.ncomp = a.ncomp;
    memcpy(w.component, a.component, sizeof w.component);
    memcpy(w.coef, a.coef, sizeof w.coef);
    weigh_function(&w.factors, w.perm, &w.function);
    if (!is64 && w.function.c && w.function.did)
        table_add_kernel<<<grid, THREADS, 0, stream>>>(w);
    else if (is64)
        table_weigh_kernel<double><<<grid, THREADS, 0, stream>>>(w);
    else
        table_weigh_kernel<float><<<grid, THREADS, 0, stream>>>(w);
    return TRY_LAUNCH(e, "table_weigh_kernel");
}
