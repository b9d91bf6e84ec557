/* SPDX-License-Identifier: MIT */
/* rdf_gpu_small.cu: counts many small frames, with whole steps per block and without sorting. */
#include "rdf/rdf_gpu_pair.cuh"

#define THREADS 256

/* Adds the histogram of the block to its counts and clears it. Row `bins` belongs to the last bin.
 * Synchronises before and after. */
__device__ static void flush(uint32_t *s_hist, uint32_t bins, uint32_t lanes,
                             unsigned long long *counts)
{
    __syncthreads();
    for (uint32_t k = threadIdx.x; k <= bins; k += blockDim.x) {
        unsigned long long sum = 0;
        for (uint32_t c = 0; c < lanes; c++) {
            sum += s_hist[k * lanes + c];
            s_hist[k * lanes + c] = 0;
        }
        if (sum)
            atomicAdd(&counts[k < bins ? k : bins - 1], sum);
    }
    __syncthreads();
}

/* Block b counts steps [b steps / blocks, (b + 1) steps / blocks), one pair of species after the
 * other. A warp processes a row i, and its lanes process the columns. Dynamic shared memory
 * contains the atoms of the step and then the histogram. Sums are integers, so the result is
 * deterministic. */
template <typename REAL, bool TRICLINIC>
__global__ void __launch_bounds__(THREADS)
    rdf_small_kernel(const __grid_constant__ struct rdf_small p)
{
    extern __shared__ __align__(16) char s_mem[];
    struct rdf_vec<REAL> *s_atom = (struct rdf_vec<REAL> *)s_mem;
    struct rdf_vec<REAL> *s_late = p.late ? s_atom + p.n : s_atom;
    uint32_t *s_hist = (uint32_t *)(s_late + p.n);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32,
                   copy = threadIdx.x & (p.lanes - 1);
    const uint32_t begin = (uint32_t)((uint64_t)blockIdx.x * p.steps / gridDim.x);
    const uint32_t end = (uint32_t)((uint64_t)(blockIdx.x + 1) * p.steps / gridDim.x);
    for (uint32_t k = threadIdx.x; k < (p.bins + 1) * p.lanes; k += blockDim.x)
        s_hist[k] = 0;
    for (uint32_t step = begin; step < end; step++) {
        const struct hist_frame &f = p.geo[p.ngeo > 1 ? step : 0];
        const REAL limit = (REAL)(f.closed ? f.bins + 1 : f.bins);
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < (p.late ? 2 : 1) * p.n; k += blockDim.x) {
            const REAL *r = (const REAL *)(k < p.n ? p.pos : p.late) +
                            3 * ((size_t)step * p.n + p.order[k < p.n ? k : k - p.n]);
            REAL in[3] = {r[0], r[1], r[2]}, out[3];
            rdf_place(f, in, out);
            struct rdf_vec<REAL> v = {
                out[0], out[1], out[2], 0
            };
            s_atom[k] = v;
        }
        __syncthreads();
        for (uint32_t q = 0; q < p.npairs; q++) {
            struct rdf_range range;
            for (int o = 0; o < 2 && rdf_sets_order(&p.range[q], p.late, o, &range); o++)
                for (uint32_t i = range.a0 + warp; i < range.a1; i += THREADS / 32) {
                    const struct rdf_vec<REAL> a = s_atom[i];
                    for (uint32_t j = (range.like ? i + 1 : range.b0) + lane; j < range.b1;
                         j += 32) {
                        const struct rdf_vec<REAL> c = s_late[j];
                        REAL t = rdf_distance<TRICLINIC>(f, a.x - c.x, a.y - c.y, a.z - c.z, true);
                        if (t < limit)
                            atomicAdd(&s_hist[(uint32_t)t * p.lanes + copy], 1u);
                    }
                }
            const bool last = step + 1 == end || p.slot[step + 1] != p.slot[step] || p.npairs > 1 ||
                              (step - begin) % 256 == 255;
            if (last)
                flush(s_hist, p.bins, p.lanes,
                      p.counts + ((size_t)p.slot[step] * p.npairs + q) * p.bins);
        }
    }
}

template <typename REAL, bool TRICLINIC>
static int launch(struct err *e, const struct rdf_small *p, int sms, cudaStream_t s)
{
    int blocks = 1;
    size_t bytes = (p->late ? 2 : 1) * p->n * sizeof(struct rdf_vec<REAL>) +
                   ((size_t)p->bins + 1) * p->lanes * 4;
    auto kernel = rdf_small_kernel<REAL, TRICLINIC>;
    if (TRY(e, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)bytes)) ||
        TRY(e, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, bytes)))
        return -1;
    uint32_t grid = (uint32_t)(sms * (blocks > 0 ? blocks : 1));
    grid = grid < p->steps ? grid : p->steps;
    kernel<<<grid, THREADS, bytes, s>>>(*p);
    return TRY_LAUNCH(e, "rdf_small_kernel");
}

int rdf_gpu_count_small(struct err *e, const struct rdf_small *p, int f32, int triclinic, int sms,
                        cudaStream_t s)
{
    if (f32)
        return triclinic ? launch<float, true>(e, p, sms, s) : launch<float, false>(e, p, sms, s);
    return triclinic ? launch<double, true>(e, p, sms, s) : launch<double, false>(e, p, sms, s);
}
