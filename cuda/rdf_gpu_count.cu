/* SPDX-License-Identifier: MIT */
/* rdf_gpu_count.cu: the counting kernel: a warp's group of atoms against the clusters that can be near it. */
#include "rdf_gpu_pair.cuh"

#define MARGIN 1e-5f /* of squared distances between boxes: covers all rounding in them and in the pairs */
#define I 4          /* atoms a lane holds: a group is I * 32 */

/* What a cluster needs; 0: nothing, it is out of reach. */
enum { MEET = 1, IMAGE = 2, TEST = 4, DIAGONAL = 8, SHIFT = 16 };

/* Along one axis: nearest and farthest |difference| of two intervals, and the shift (0: none, 1: move i, 2: move j, 3: mixed). */
__device__ static int meet_axis(float ilo, float ihi, float jlo, float jhi, float len, float *nearest, float *farthest)
{
    float lo = ilo - jhi, hi = ihi - jlo, half = 0.5f * len;
    int shift = 0;
    if (lo >= half) {
        lo -= len;
        hi -= len;
        shift = 1;
    } else if (hi <= -half) {
        lo += len;
        hi += len;
        shift = 2;
    } else if (hi > half || lo < -half) {
        float a = fmaxf(0.0f, fmaxf(lo, -hi)), b = fmaxf(fabsf(lo), fabsf(hi));
        *nearest = fmaxf(0.0f, fminf(a, len - b));
        *farthest = half;
        return 3;
    }
    *nearest = fmaxf(0.0f, fmaxf(lo, -hi));
    *farthest = fmaxf(fabsf(lo), fabsf(hi));
    return shift;
}

/* A lane's verdict on one cluster (or super) of side j. */
template <bool PLAIN>
__device__ static int classify(const struct hist_frame &f, float4 ilo, float4 ihi, float4 jlo, float4 jhi, float beyond2,
                               float inside2)
{
    if (!(jhi.w > 0.0f))
        return 0;
    if (!f.ortho)
        return MEET | IMAGE | TEST;
    float n[3], m[3];
    int sx = meet_axis(ilo.x, ihi.x, jlo.x, jhi.x, f.lenf[0], &n[0], &m[0]);
    int sy = meet_axis(ilo.y, ihi.y, jlo.y, jhi.y, f.lenf[1], &n[1], &m[1]);
    int sz = meet_axis(ilo.z, ihi.z, jlo.z, jhi.z, f.lenf[2], &n[2], &m[2]);
    if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > beyond2)
        return 0;
    if (PLAIN)
        return MEET | IMAGE | TEST;
    int c = MEET | (sx + 4 * sy + 16 * sz) * SHIFT;
    if (sx == 3 || sy == 3 || sz == 3)
        c |= IMAGE;
    if (m[0] * m[0] + m[1] * m[1] + m[2] * m[2] > inside2 || ihi.w < (float)RDF_GROUP || jhi.w < (float)RDF_CLUSTER)
        c |= TEST;
    return c;
}

/* The histogram of a block. */
struct rdf_bins {
    float magic;      /* adding it leaves bin << fraction in the low bits */
    uint32_t mask, lane; /* bytes */
    uint32_t rows;    /* bins + 1 */
};

__device__ __forceinline__ static void count_bin(char *s_hist, const struct rdf_bins &b, float t)
{
    uint32_t at = (__float_as_uint(__fadd_rz(t, b.magic)) & b.mask) | b.lane;
    atomicAdd((uint32_t *)(s_hist + at), 1u);
}

__device__ __forceinline__ static void count_bin(char *s_hist, const struct rdf_bins &b, double t)
{
    uint32_t at = ((uint32_t)t * (b.mask & -b.mask)) | b.lane;
    atomicAdd((uint32_t *)(s_hist + at), 1u);
}

/* One cluster (in shared memory) against the lane's atoms. */
template <typename REAL, bool TRICLINIC, bool SHARED, bool IMAGED, bool TESTED, bool DIAG>
__device__ __forceinline__ static void meet(const struct hist_frame &f, const REAL (&x)[I], const REAL (&y)[I],
                                            const REAL (&z)[I], const struct rdf_vec<REAL> *s_j, char *s_hist,
                                            const struct rdf_bins &b, REAL limit, uint32_t i0, uint32_t j0,
                                            unsigned long long *counts)
{
#pragma unroll 4
    for (uint32_t j = 0; j < RDF_CLUSTER; j++) {
        struct rdf_vec<REAL> p = s_j[j];
#pragma unroll
        for (int k = 0; k < I; k++) {
            REAL t = rdf_distance<TRICLINIC>(f, x[k] - p.x, y[k] - p.y, z[k] - p.z, IMAGED);
            bool in = (!TESTED || t < limit) && (!DIAG || j0 + j > i0 + 32u * k);
            if (in) {
                if (SHARED)
                    count_bin(s_hist, b, t);
                else
                    atomicAdd(&counts[min((uint32_t)t, b.rows - 2u)], 1ull);
            }
        }
    }
}

/* Sum the copies and add them to the counts; row `bins` (what rounded up to rmax) belongs to the last bin. */
__device__ static void flush(const char *s_hist, uint32_t rows, uint32_t lanes, unsigned long long *counts)
{
    __syncthreads();
    for (uint32_t k = threadIdx.x / 32; k < rows; k += blockDim.x / 32) {
        uint32_t lane = threadIdx.x % 32, v = lane < lanes ? ((const uint32_t *)s_hist)[k * lanes + lane] : 0;
        unsigned long long sum = v;
        for (int d = 16; d; d /= 2)
            sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0 && sum)
            atomicAdd(&counts[k < rows - 1 ? k : rows - 2], sum);
    }
}

/*
 * Warps take units (a group and a range of supers of the other side) until none is left. Shared: a histogram a block
 * (SHARED; else straight into counts), a cluster a warp. Integer sums: deterministic. Dynamic shared memory: histogram,
 * then one cluster for each warp.
 */
template <typename REAL, bool TRICLINIC, bool SHARED, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
    rdf_count_kernel(const __grid_constant__ struct hist_frame f, const __grid_constant__ struct rdf_pass p)
{
    extern __shared__ char s_hist[];
    constexpr bool PLAIN = TRICLINIC || sizeof(REAL) == 8; /* always with image and test */
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = (uint32_t)f.bins + 1u;
    const uint32_t words = SHARED ? rows * p.lanes : 0;
    struct rdf_vec<REAL> *s_j = (struct rdf_vec<REAL> *)(s_hist + (words * 4 + 15) / 16 * 16) + 32 * warp;
    if constexpr (SHARED)
        for (uint32_t k = threadIdx.x; k < words; k += blockDim.x)
            ((uint32_t *)s_hist)[k] = 0;
    __syncthreads();

    struct rdf_bins b;
    b.magic = (float)(1u << (23 - p.fraction));
    b.mask = 0x7fffffu & ~((1u << p.fraction) - 1u);
    b.lane = (lane & (p.lanes - 1u)) * 4u;
    b.rows = rows;
    const REAL limit = (REAL)(f.closed ? f.bins + 1 : f.bins);
    const float beyond2 = (float)limit * (float)limit * (1.0f + MARGIN), inside2 = f.closed ? HUGE_VALF : (float)limit * (float)limit * (1.0f - MARGIN);
    const struct rdf_vec<REAL> *atom_i = (const struct rdf_vec<REAL> *)p.atom_i, *atom_j = (const struct rdf_vec<REAL> *)p.atom_j;

    for (uint32_t met = 0; met < p.most;) {
        uint32_t u = 0;
        if (lane == 0)
            u = atomicAdd(p.next, 1u);
        u = __shfl_sync(~0u, u, 0);
        if (u >= p.units)
            break;
        const uint32_t g = u / p.chunks * p.devices + p.device, own = p.like ? g * I : 0;
        uint32_t s0 = u % p.chunks * p.chunk, s1 = min(s0 + p.chunk, p.supers);
        if (g >= p.groups)
            continue;
        s0 = max(s0, own / 32);
        if (s0 >= s1)
            continue;
        const float4 ilo = p.group.lo[g], ihi = p.group.hi[g];
        REAL x[I], y[I], z[I];
#pragma unroll
        for (int k = 0; k < I; k++) {
            struct rdf_vec<REAL> v = atom_i[g * RDF_GROUP + 32u * k + lane];
            x[k] = v.x;
            y[k] = v.y;
            z[k] = v.z;
        }
        float mx = 0.0f, my = 0.0f, mz = 0.0f; /* how far side i is moved now */
        for (uint32_t sb = s0; sb < s1; sb += 32) {
            uint32_t mine = sb + lane;
            int near = mine < s1 && classify<true>(f, ilo, ihi, p.super.lo[mine], p.super.hi[mine], beyond2, inside2);
            for (uint32_t supers = __ballot_sync(~0u, near); supers; supers &= supers - 1) {
                const uint32_t c0 = (sb + (uint32_t)__ffs((int)supers) - 1u) * 32u, cl = c0 + lane;
                int c = 0;
                if (cl < p.clusters && cl >= own) {
                    c = classify<PLAIN>(f, ilo, ihi, p.cluster.lo[cl], p.cluster.hi[cl], beyond2, inside2);
                    if (c && p.like && cl < own + I)
                        c |= DIAGONAL | IMAGE | TEST;
                }
                uint32_t clusters = __ballot_sync(~0u, c != 0);
                met += (uint32_t)__popc(clusters);
                for (; clusters; clusters &= clusters - 1) {
                    const int src = __ffs((int)clusters) - 1;
                    const int cls = __shfl_sync(~0u, c, src);
                    const uint32_t cj = c0 + (uint32_t)src;
                    struct rdf_vec<REAL> v = atom_j[cj * RDF_CLUSTER + lane];
                    if (!PLAIN) {
                        const bool moved = !(cls & IMAGE);
                        const int sx = moved ? cls / SHIFT & 3 : 0, sy = moved ? cls / SHIFT >> 2 & 3 : 0,
                                  sz = moved ? cls / SHIFT >> 4 & 3 : 0;
                        const float wx = sx == 1 ? f.lenf[0] : 0.0f, wy = sy == 1 ? f.lenf[1] : 0.0f,
                                    wz = sz == 1 ? f.lenf[2] : 0.0f;
                        v.x -= sx == 2 ? f.lenf[0] : 0.0f;
                        v.y -= sy == 2 ? f.lenf[1] : 0.0f;
                        v.z -= sz == 2 ? f.lenf[2] : 0.0f;
                        if (wx != mx || wy != my || wz != mz) {
#pragma unroll
                            for (int k = 0; k < I; k++) { /* exact: on the grid, within its reach */
                                x[k] += mx - wx;
                                y[k] += my - wy;
                                z[k] += mz - wz;
                            }
                            mx = wx;
                            my = wy;
                            mz = wz;
                        }
                    }
                    s_j[lane] = v;
                    __syncwarp();
                    const uint32_t i0 = g * RDF_GROUP + lane, j0 = cj * RDF_CLUSTER;
                    if (PLAIN && !(cls & DIAGONAL))
                        meet<REAL, TRICLINIC, SHARED, true, true, false>(f, x, y, z, s_j, s_hist, b, limit, i0, j0, p.counts);
                    else if (cls & DIAGONAL)
                        meet<REAL, TRICLINIC, SHARED, true, true, true>(f, x, y, z, s_j, s_hist, b, limit, i0, j0, p.counts);
                    else if (cls & IMAGE && cls & TEST)
                        meet<REAL, TRICLINIC, SHARED, true, true, false>(f, x, y, z, s_j, s_hist, b, limit, i0, j0, p.counts);
                    else if (cls & IMAGE)
                        meet<REAL, TRICLINIC, SHARED, true, false, false>(f, x, y, z, s_j, s_hist, b, limit, i0, j0, p.counts);
                    else if (cls & TEST)
                        meet<REAL, TRICLINIC, SHARED, false, true, false>(f, x, y, z, s_j, s_hist, b, limit, i0, j0, p.counts);
                    else
                        meet<REAL, TRICLINIC, SHARED, false, false, false>(f, x, y, z, s_j, s_hist, b, limit, i0, j0, p.counts);
                    __syncwarp();
                }
            }
        }
    }
    if (SHARED)
        flush(s_hist, rows, p.lanes, p.counts);
}

uint32_t rdf_gpu_lanes(uint32_t bins, size_t shared)
{
    const size_t clusters = 16384 + 16; /* of the warps */
    for (uint32_t lanes = 32; lanes; lanes /= 2)
        if (shared > clusters && ((size_t)bins + 1) * lanes * 4 <= shared - clusters && bins < 1u << (21 - __builtin_ctz(lanes)))
            return lanes;
    return 0;
}

template <typename REAL, bool TRICLINIC, bool SHARED>
static int launch(struct gpu_err *e, const struct hist_frame *f, struct rdf_pass *p, int sms, cudaStream_t s)
{
    constexpr int threads = sizeof(REAL) == 4 ? 1024 : 512;
    int blocks = 1;
    size_t words = SHARED ? ((size_t)f->bins + 1) * p->lanes : 0;
    size_t bytes = (words * 4 + 15) / 16 * 16 + (size_t)threads * sizeof(struct rdf_vec<REAL>);
    auto kernel = rdf_count_kernel<REAL, TRICLINIC, SHARED, threads>;
    TRY(e, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    TRY(e, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes));
    blocks = sms * (blocks > 0 ? blocks : 1);
    /* pairs of a block in one copy of one bin stay below 2^32, units included */
    const double full = SHARED ? 2147483648.0 * p->lanes / (threads / 32) / (RDF_GROUP * RDF_CLUSTER) : 4e9;
    p->most = (uint32_t)(full < 1.0 ? 1.0 : full);
    double clusters = (double)p->groups * p->clusters, launches = clusters / ((double)p->most * blocks * (threads / 32)) + 1.0;
    for (int k = 0; k < (int)launches; k++) {
        kernel<<<blocks, threads, bytes, s>>>(*f, *p);
        TRY_LAUNCH(e, "rdf_count_kernel");
    }
    return 0;
}

int rdf_gpu_count(struct gpu_err *e, const struct hist_frame *f, int f32, struct rdf_pass *p, int sms, cudaStream_t s)
{
    if (f32 && f->ortho)
        return p->lanes ? launch<float, false, true>(e, f, p, sms, s) : launch<float, false, false>(e, f, p, sms, s);
    if (f32)
        return p->lanes ? launch<float, true, true>(e, f, p, sms, s) : launch<float, true, false>(e, f, p, sms, s);
    if (f->ortho)
        return p->lanes ? launch<double, false, true>(e, f, p, sms, s) : launch<double, false, false>(e, f, p, sms, s);
    return p->lanes ? launch<double, true, true>(e, f, p, sms, s) : launch<double, true, false>(e, f, p, sms, s);
}
