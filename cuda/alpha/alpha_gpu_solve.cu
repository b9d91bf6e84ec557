/* SPDX-License-Identifier: MIT */
/* alpha_gpu_solve.cu: dipole fields and conjugate gradients of many steps at a time. The order of
 * sums depends only on the number of sites. */
#include "alpha/alpha_gpu_finish.cuh"

#define THREADS FINISH_THREADS
#define WARPS FINISH_WARPS
#define MANY_THREADS 1024 /* threads of a block that processes a step of many sites */
#define MANY_SITES 2048
#define STAGE 128 /* sites with dipoles in shared memory */
#define MINE (STAGE / WARPS)
#define MAX 9             /* largest number of sums per block at once */
#define HIGH_ENDS 2.5e-13 /* fraction of the squared residual at a restart; limit of f32 */
#define ROUNDS 6          /* number of true residuals (a larger number does not help) */

/* ---- sums of a block */

/* Sums v[k] over all threads. Every thread gets the result. */
template <int N> static __device__ void total(double (&v)[N])
{
    __shared__ double warp[MANY_THREADS / 32][MAX];
#pragma unroll
    for (int k = 0; k < N; k++)
        for (int s = 16; s; s /= 2)
            v[k] += __shfl_xor_sync(~0u, v[k], s);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < N; k++)
            warp[threadIdx.x / 32][k] = v[k];
    __syncthreads();
    for (int k = 0; k < N; k++) {
        v[k] = 0.0;
        for (int w = 0; w < (int)blockDim.x / 32; w++)
            v[k] += warp[w][k];
    }
}

/* Computes u . v for each direction. */
static __device__ void dots(const double *u, const double *v, size_t w, double (&to)[3])
{
    for (int d = 0; d < 3; d++) {
        to[d] = 0.0;
        for (size_t k = threadIdx.x; k < 3 * w; k += blockDim.x)
            to[d] = fma(u[3 * d * w + k], v[3 * d * w + k], to[d]);
    }
    total(to);
}

/* Computes mu = s v and its sums in one block. */
static __device__ void dipoles(const alpha_batch &b, size_t step, const double *v)
{
    size_t w = b.stride;
    const double *s = b.root + ALPHA_TENSOR * step * w;
    double *mu = b.mu + ALPHA_VECTORS * step * w, sum[ALPHA_VECTORS] = {};
    for (size_t i = threadIdx.x; i < w; i += blockDim.x) {
        double t[ALPHA_TENSOR];
        for (int k = 0; k < ALPHA_TENSOR; k++)
            t[k] = s[k * w + i];
#pragma unroll
        for (int d = 0; d < 3; d++) {
            const double *at = v + 3 * d * w + i;
            double x = at[0], y = at[w], z = at[2 * w], *to = mu + 3 * d * w + i;
            double m[3] = {fma(t[2], z, fma(t[1], y, t[0] * x)),
                           fma(t[4], z, fma(t[3], y, t[1] * x)),
                           fma(t[5], z, fma(t[4], y, t[2] * x))};
            for (int k = 0; k < 3; k++) {
                to[k * w] = m[k];
                sum[3 * d + k] += m[k];
            }
        }
    }
    total(sum);
    if (threadIdx.x < ALPHA_VECTORS)
        b.sum[ALPHA_VECTORS * step + threadIdx.x] = sum[threadIdx.x];
}

/* Uses one block per step. */
static __global__ void __launch_bounds__(MANY_THREADS)
    dipoles_kernel(const __grid_constant__ alpha_batch b, const double *v, int phase)
{
    size_t step = blockIdx.x;
    if (phase < 0 || b.state[step].phase == phase)
        dipoles(b, step, v + ALPHA_VECTORS * step * b.stride);
}

/* ---- fields */

/* Adds the fields of three dipoles through the tensor of a pair to three fields, in numbers of type
 * T. */
template <class T>
static __device__ __forceinline__ void add_field(const T *t, bool damped, const T *m, T *f)
{
    T half = (T)0.5 * t[BETA_ZZ], xx = t[BETA_XX_YY] - half, yy = -t[BETA_XX_YY] - half,
      zz = t[BETA_ZZ];
    if (damped) {
        xx += t[ALPHA_COMPS];
        yy += t[ALPHA_COMPS];
        zz += t[ALPHA_COMPS];
    }
#pragma unroll
    for (int d = 0; d < 9; d += 3) {
        T x = m[d], y = m[d + 1], z = m[d + 2];
        f[d] = fma(xx, x, fma(t[BETA_XY], y, fma(t[BETA_XZ], z, f[d])));
        f[d + 1] = fma(t[BETA_XY], x, fma(yy, y, fma(t[BETA_YZ], z, f[d + 1])));
        f[d + 2] = fma(t[BETA_XZ], x, fma(t[BETA_YZ], y, fma(zz, z, f[d + 2])));
    }
}

/* Loads tensors of rows j, j + 1, ... of a column, from the high half or both halves. */
template <int COMPS>
static __device__ __forceinline__ void load(const float *high, const float *, size_t matrix,
                                            float *t)
{
#pragma unroll
    for (int c = 0; c < COMPS; c++)
        t[c] = high[c * matrix];
}
template <int COMPS>
static __device__ __forceinline__ void load(const float *high, const float *low, size_t matrix,
                                            double *t)
{
#pragma unroll
    for (int c = 0; c < COMPS; c++)
        t[c] = (double)high[c * matrix] + (double)low[c * matrix];
}

/* Block (x, y) processes 32 sites of step y, one per lane. The warps divide the partners of each
 * site. */
template <class T, int COMPS>
static __global__ void __launch_bounds__(THREADS)
    field_kernel(const __grid_constant__ alpha_batch b, int phase)
{
    __shared__ __align__(16) T mu[STAGE][ALPHA_VECTORS + 3];
    __shared__ T part[WARPS][ALPHA_VECTORS][ALPHA_TILE];
    __shared__ double f[ALPHA_VECTORS][ALPHA_TILE];
    size_t step = blockIdx.y, w = b.stride, matrix = w * w;
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    if (phase >= 0 && b.state[step].phase != phase)
        return;
    size_t at = step * COMPS * matrix + (size_t)blockIdx.x * ALPHA_TILE + lane;
    const double *from = b.mu + ALPHA_VECTORS * step * w;
    T g[ALPHA_VECTORS] = {};
    for (size_t first = 0; first < w; first += STAGE) {
        size_t n = w - first < STAGE ? w - first : STAGE;
        __syncthreads();
        for (size_t k = threadIdx.x; k < ALPHA_VECTORS * STAGE; k += THREADS) {
            size_t j = k % STAGE, c = k / STAGE;
            mu[j][c] = j < n ? (T)from[c * w + first + j] : (T)0;
        }
        __syncthreads();
        size_t row = first + warp * MINE;
        const float *high = b.high + at + row * w, *low = b.low + at + row * w;
        if (row >= w)
            continue;
#pragma unroll 4
        for (int j = 0; j < MINE; j++) {
            T t[ALPHA_COMPS_DAMPED];
            load<COMPS>(high + j * w, low + j * w, matrix, t);
            add_field(t, COMPS > ALPHA_COMPS, mu[warp * MINE + j], g);
        }
    }
    for (int k = 0; k < ALPHA_VECTORS; k++)
        part[warp][k][lane] = g[k];
    __syncthreads();
    for (int k = threadIdx.x; k < ALPHA_VECTORS * ALPHA_TILE; k += THREADS) {
        double sum = 0.0;
        for (int v = 0; v < WARPS; v++)
            sum += (double)part[v][k / ALPHA_TILE][k % ALPHA_TILE];
        f[k / ALPHA_TILE][k % ALPHA_TILE] = sum;
    }
    __syncthreads();
    finish(b, step, NULL, f);
}

/* ---- conjugate gradients, one block per step */

/* Restarts with residual r: q = r, and new goals. */
static __device__ void restart(const alpha_batch &b, size_t step, int wide, const double (&rr)[3])
{
    size_t w = b.stride, base = ALPHA_VECTORS * step * w;
    for (size_t k = threadIdx.x; k < ALPHA_VECTORS * w; k += blockDim.x)
        b.q[base + k] = b.r[base + k];
    __syncthreads();
    dipoles(b, step, b.q + base);
    if (threadIdx.x < 3) {
        struct alpha_state *s = b.state + step;
        int d = threadIdx.x;
        double ends = wide ? 0.0 : HIGH_ENDS * rr[d];
        s->rr[d] = rr[d];
        s->stop[d] = fmax(0.5 * s->goal[d], ends);
    }
}

static __global__ void __launch_bounds__(MANY_THREADS)
    begin_kernel(const __grid_constant__ alpha_batch b, int wide, int phase, double tolerance)
{
    size_t step = blockIdx.x, w = b.stride, base = ALPHA_VECTORS * step * w;
    struct alpha_state *s = b.state + step;
    double rr[3];
    if (phase >= 0 && s->phase != phase)
        return;
    for (size_t k = threadIdx.x; k < ALPHA_VECTORS * w; k += blockDim.x) {
        b.x[base + k] = 0.0;
        b.r[base + k] = b.b[base + k];
    }
    __syncthreads();
    dots(b.b + base, b.b + base, w, rr);
    if (threadIdx.x == 0) {
        for (int d = 0; d < 3; d++)
            s->goal[d] = 0.05 * tolerance * rr[d];
        s->phase = ALPHA_ACTIVE;
        s->steps = s->rounds = 0;
    }
    __syncthreads();
    restart(b, step, wide, rr);
}

/* Updates x, r and then q for one direction of E that has not converged. */
static __device__ void descend(const alpha_batch &b, size_t base, const double (&go)[3])
{
    size_t w = b.stride;
    for (int d = 0; d < 3; d++)
        for (size_t k = threadIdx.x; go[d] != 0.0 && k < 3 * w; k += blockDim.x) {
            size_t at = base + 3 * d * w + k;
            double q = b.q[at];
            b.x[at] = fma(go[d], q, b.x[at]);
            b.r[at] = fma(-go[d], q - b.y[at], b.r[at]);
        }
    __syncthreads();
}

static __global__ void __launch_bounds__(MANY_THREADS)
    descend_kernel(const __grid_constant__ alpha_batch b)
{
    size_t step = blockIdx.x, w = b.stride, base = ALPHA_VECTORS * step * w, tiles = w / ALPHA_TILE;
    struct alpha_state *s = b.state + step;
    double qaq[3], go[3], rr[3], old[3];
    int negative = 0, left = 0;
    if (s->phase != ALPHA_ACTIVE)
        return;
    dots(b.q + base, b.q + base, w, qaq);
    for (int d = 0; d < 3; d++) {
        double qy = 0.0;
        for (size_t k = 0; k < tiles; k++)
            qy += b.part[(step * tiles + k) * 3 + d];
        old[d] = s->rr[d];
        qaq[d] -= qy;
        go[d] = old[d] > s->stop[d] ? old[d] / qaq[d] : 0.0;
        negative |= go[d] != 0.0 && !(qaq[d] > 0.0);
    }
    if (negative) {
        __syncthreads();
        if (threadIdx.x == 0)
            s->phase = ALPHA_NEGATIVE;
        return;
    }
    descend(b, base, go);
    dots(b.r + base, b.r + base, w, rr);
    for (int d = 0; d < 3; d++) {
        for (size_t k = threadIdx.x; go[d] != 0.0 && k < 3 * w; k += blockDim.x) {
            size_t at = base + 3 * d * w + k;
            b.q[at] = fma(rr[d] / old[d], b.q[at], b.r[at]);
        }
        rr[d] = go[d] != 0.0 ? rr[d] : old[d];
        left |= rr[d] > s->stop[d];
    }
    __syncthreads();
    dipoles(b, step, b.q + base);
    if (threadIdx.x == 0) {
        for (int d = 0; d < 3; d++)
            s->rr[d] = rr[d];
        s->steps++;
        s->phase = !left ? ALPHA_SETTLED : s->steps == ALPHA_ITERATIONS ? ALPHA_ENDLESS : s->phase;
    }
}

static __global__ void __launch_bounds__(MANY_THREADS)
    judge_kernel(const __grid_constant__ alpha_batch b, int wide)
{
    size_t step = blockIdx.x, w = b.stride, base = ALPHA_VECTORS * step * w;
    struct alpha_state *s = b.state + step;
    double rr[3];
    int left = 0;
    if (s->phase != ALPHA_SETTLED)
        return;
    for (size_t k = base + threadIdx.x; k < base + ALPHA_VECTORS * w; k += blockDim.x)
        b.r[k] = (b.b[k] - b.x[k]) + b.y[k];
    __syncthreads();
    dots(b.r + base, b.r + base, w, rr);
    for (int d = 0; d < 3; d++)
        left |= !(rr[d] <= s->goal[d]);
    int rounds = s->rounds + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        s->rounds = rounds;
        s->phase = !left ? ALPHA_DONE : rounds < ROUNDS ? ALPHA_ACTIVE : ALPHA_ENDLESS;
    }
    if (left && rounds < ROUNDS)
        restart(b, step, wide, rr);
}

/* Uses a single block. */
static __global__ void count_kernel(const __grid_constant__ alpha_batch b, int n)
{
    __shared__ int left[5];
    if (threadIdx.x < 5)
        left[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        atomicAdd(&left[b.state[k].phase], 1);
    __syncthreads();
    if (threadIdx.x < 5)
        b.left[threadIdx.x] = left[threadIdx.x];
}

/* ---- results */

static __global__ void __launch_bounds__(MANY_THREADS)
    form_kernel(const __grid_constant__ alpha_batch b, const double *u, const double *v, int add,
                size_t part, size_t parts)
{
    size_t step = blockIdx.x, w = b.stride, base = ALPHA_VECTORS * step * w;
    double sum[ALPHA_VECTORS] = {};
    for (size_t k = threadIdx.x; k < 3 * w; k += blockDim.x)
        for (int d = 0; d < 3; d++)
            for (int c = 0; c < 3; c++)
                sum[3 * d + c] =
                    fma(u[base + 3 * d * w + k], v[base + 3 * c * w + k], sum[3 * d + c]);
    total(sum);
    if (threadIdx.x == 0)
        for (int d = 0, k = 0; d < 3; d++)
            for (int c = d; c < 3; c++, k++) {
                double *to = b.out + (step * parts + part) * ALPHA_TENSOR + k;
                *to = (add ? *to : 0.0) + 0.5 * (sum[3 * d + c] + sum[3 * c + d]);
            }
}

static __global__ void __launch_bounds__(MANY_THREADS)
    moment_kernel(const __grid_constant__ alpha_batch b, const double *c, const double *v,
                  double factor, int add, size_t part, size_t parts)
{
    size_t step = blockIdx.x, w = b.stride;
    double sum[3] = {};
    for (size_t k = threadIdx.x; k < 3 * w; k += blockDim.x)
        for (int d = 0; d < 3; d++)
            sum[d] = fma(c[3 * step * w + k], v[(ALPHA_VECTORS * step + 3 * d) * w + k], sum[d]);
    total(sum);
    if (threadIdx.x < 3) {
        double *to = b.out + (step * parts + part) * 3 + threadIdx.x;
        *to = (add ? *to : 0.0) + factor * sum[threadIdx.x];
    }
}

/* Uses one thread per element of a step. */
static __global__ void beyond_kernel(const __grid_constant__ alpha_batch b, size_t n)
{
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double *to = b.out + k / ALPHA_TENSOR * 3 * ALPHA_TENSOR + k % ALPHA_TENSOR;
    if (k < n * ALPHA_TENSOR)
        to[2 * ALPHA_TENSOR] = (to[2 * ALPHA_TENSOR] - to[0]) - to[ALPHA_TENSOR];
}

/* ---- launches */

/* Returns the number of threads of a block that processes one step. */
static unsigned threads_of(const struct alpha_batch *b)
{
    return b->stride < MANY_SITES ? THREADS : MANY_THREADS;
}

int alpha_gpu_dipoles(struct err *e, const struct alpha_batch *b, const double *v, int phase,
                      size_t n, cudaStream_t stream)
{
    dipoles_kernel<<<(unsigned)n, threads_of(b), 0, stream>>>(*b, v, phase);
    return TRY_LAUNCH(e, "dipoles_kernel");
}

int alpha_gpu_field(struct err *e, const struct alpha_batch *b, int wide, int phase, size_t n,
                    cudaStream_t stream)
{
    dim3 grid((unsigned)(b->stride / ALPHA_TILE), (unsigned)n);
    auto kernel =
        b->comps == ALPHA_COMPS
            ? (wide ? field_kernel<double, ALPHA_COMPS> : field_kernel<float, ALPHA_COMPS>)
            : (wide ? field_kernel<double, ALPHA_COMPS_DAMPED>
                    : field_kernel<float, ALPHA_COMPS_DAMPED>);
    kernel<<<grid, THREADS, 0, stream>>>(*b, phase);
    return TRY_LAUNCH(e, "field_kernel");
}

int alpha_gpu_begin(struct err *e, const struct alpha_batch *b, int wide, int phase,
                    double tolerance, size_t n, cudaStream_t stream)
{
    begin_kernel<<<(unsigned)n, threads_of(b), 0, stream>>>(*b, wide, phase, tolerance);
    return TRY_LAUNCH(e, "begin_kernel");
}

int alpha_gpu_descend(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream)
{
    descend_kernel<<<(unsigned)n, threads_of(b), 0, stream>>>(*b);
    return TRY_LAUNCH(e, "descend_kernel");
}

int alpha_gpu_judge(struct err *e, const struct alpha_batch *b, int wide, size_t n,
                    cudaStream_t stream)
{
    judge_kernel<<<(unsigned)n, threads_of(b), 0, stream>>>(*b, wide);
    return TRY_LAUNCH(e, "judge_kernel");
}

int alpha_gpu_count(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream)
{
    count_kernel<<<1, THREADS, 0, stream>>>(*b, (int)n);
    return TRY_LAUNCH(e, "count_kernel");
}

int alpha_gpu_form(struct err *e, const struct alpha_batch *b, const double *u, const double *v,
                   int add, size_t part, size_t parts, size_t n, cudaStream_t stream)
{
    form_kernel<<<(unsigned)n, threads_of(b), 0, stream>>>(*b, u, v, add, part, parts);
    return TRY_LAUNCH(e, "form_kernel");
}

int alpha_gpu_moment(struct err *e, const struct alpha_batch *b, const double *c, const double *v,
                     double factor, int add, size_t part, size_t parts, size_t n,
                     cudaStream_t stream)
{
    moment_kernel<<<(unsigned)n, threads_of(b), 0, stream>>>(*b, c, v, factor, add, part, parts);
    return TRY_LAUNCH(e, "moment_kernel");
}

int alpha_gpu_beyond(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream)
{
    beyond_kernel<<<(unsigned)((n * ALPHA_TENSOR + 127) / 128), 128, 0, stream>>>(*b, n);
    return TRY_LAUNCH(e, "beyond_kernel");
}
