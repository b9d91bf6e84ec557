/* SPDX-License-Identifier: MIT */
/* rdf_gpu_count.cu: the counting kernel, in which a warp compares its group of atoms with the
 * clusters within reach. */
#include "rdf/rdf_gpu_pair.cuh"

/* ---- conclusions from two bounding boxes about all pairs of their atoms */

#define MARGIN                                                                                     \
    1e-5f      /* margin of squared distances between boxes, for all rounding in boxes and pairs */
#define HELD 4 /* atoms per lane, so that a group has HELD * 32 atoms */

/* Returns the operations that a cluster needs, or 0 if it is out of reach. */
enum { MEET = 1, IMAGE = 2, TEST = 4, DIAGONAL = 8, SHIFT = 16 };

/* Computes for one axis the smallest and largest |difference| of two intervals, and the shift,
 * which is 0 for no shift, 1 to move i, 2 to move j, or 3 if mixed. */
__device__ static int meet_axis(float ilo, float ihi, float jlo, float jhi, float len,
                                float *nearest, float *farthest)
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

/* The decision of a lane about one cluster (or super) of side j. */
template <bool PLAIN>
__device__ static int classify(const struct hist_frame &f, float4 ilo, float4 ihi, float4 jlo,
                               float4 jhi, float beyond2, float inside2)
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
    if (m[0] * m[0] + m[1] * m[1] + m[2] * m[2] > inside2 || ihi.w < (float)RDF_GROUP ||
        jhi.w < (float)RDF_CLUSTER)
        c |= TEST;
    return c;
}

/* ---- the kernel */

/* The histogram of a block. */
struct rdf_bins {
    float magic;         /* adding it leaves bin << fraction in the low bits */
    uint32_t mask, lane; /* sizes in bytes */
    uint32_t rows;       /* bins + 1 */
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

/* Compares one cluster (in shared memory) with the atoms of the lane. */
template <typename REAL, bool TRICLINIC, bool SHARED, bool IMAGED, bool TESTED, bool DIAG>
__device__ __forceinline__ static void
meet(const struct hist_frame &f, const REAL (&x)[HELD], const REAL (&y)[HELD],
     const REAL (&z)[HELD], const struct rdf_vec<REAL> *s_j, char *s_hist, const struct rdf_bins &b,
     REAL limit, uint32_t i0, uint32_t j0, unsigned long long *counts)
{
#pragma unroll 4
    for (uint32_t j = 0; j < RDF_CLUSTER; j++) {
        struct rdf_vec<REAL> p = s_j[j];
#pragma unroll
        for (int k = 0; k < HELD; k++) {
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

/* Adds up the copies and adds the result to the counts. Row `bins`, with values rounded up to rmax,
 * belongs to the last bin. */
__device__ static void flush(const char *s_hist, uint32_t rows, uint32_t lanes,
                             unsigned long long *counts)
{
    __syncthreads();
    for (uint32_t k = threadIdx.x / 32; k < rows; k += blockDim.x / 32) {
        uint32_t lane = threadIdx.x % 32,
                 v = lane < lanes ? ((const uint32_t *)s_hist)[k * lanes + lane] : 0;
        unsigned long long sum = v;
        for (int d = 16; d; d /= 2)
            sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0 && sum)
            atomicAdd(&counts[k < rows - 1 ? k : rows - 2], sum);
    }
}

/* State of a warp: its group, the present shift of the group, and the place of its cluster. */
template <typename REAL> struct rdf_side {
    REAL x[HELD], y[HELD], z[HELD];
    float mx, my, mz;
    uint32_t group, lane; /* group: index in the groups of all frames */
    struct rdf_vec<REAL> *s_j;
};

/* A unit of work: the superclusters [s0, s1) of a frame, and every parts-th of their clusters. */
struct rdf_unit {
    uint32_t frame, s0, s1, part;
};

/* Shifts the group as cls requires, and returns the atom v of the cluster, also shifted. Shifts are
 * exact, because positions are on the grid and within its range. */
template <typename REAL>
__device__ __forceinline__ static struct rdf_vec<REAL>
shift(const struct hist_frame &f, struct rdf_side<REAL> &w, int cls, struct rdf_vec<REAL> v) {
    const int code = cls & IMAGE ? 0 : cls / SHIFT, sx = code & 3, sy = code >> 2 & 3,
              sz = code >> 4 & 3;
    const float wx = sx == 1 ? f.lenf[0] : 0.0f, wy = sy == 1 ? f.lenf[1] : 0.0f,
                wz = sz == 1 ? f.lenf[2] : 0.0f;
    v.x -= sx == 2 ? f.lenf[0] : 0.0f;
    v.y -= sy == 2 ? f.lenf[1] : 0.0f;
    v.z -= sz == 2 ? f.lenf[2] : 0.0f;
    if (wx != w.mx || wy != w.my || wz != w.mz) {
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            w.x[k] += w.mx - wx;
            w.y[k] += w.my - wy;
            w.z[k] += w.mz - wz;
        }
        w.mx = wx;
        w.my = wy;
        w.mz = wz;
    }
    return v;
}

/* Compares the group with cluster cj, by the variant that the decision requires. The whole warp
 * must call it, and is synchronised. */
template <typename REAL, bool TRICLINIC, bool SHARED>
__device__ __forceinline__ static void
meet_cluster(const struct hist_frame &f, const struct rdf_pass &p, struct rdf_side<REAL> &w,
             uint32_t cj, int cls, char *s_hist, const struct rdf_bins &b, REAL limit)
{
    constexpr bool PLAIN = TRICLINIC || sizeof(REAL) == 8;
    struct rdf_vec<REAL> v = ((const struct rdf_vec<REAL> *)p.atom_j)[cj * RDF_CLUSTER + w.lane];
    if (!PLAIN)
        v = shift(f, w, cls, v);
    w.s_j[w.lane] = v;
    __syncwarp();
    const uint32_t i0 = w.group * RDF_GROUP + w.lane, j0 = cj * RDF_CLUSTER;
#define MEET(IMAGED, TESTED, DIAG)                                                                 \
    meet<REAL, TRICLINIC, SHARED, IMAGED, TESTED, DIAG>(f, w.x, w.y, w.z, w.s_j, s_hist, b, limit, \
                                                        i0, j0, p.counts)
    if (cls & DIAGONAL)
        MEET(true, true, true);
    else if (PLAIN || ((cls & IMAGE) && (cls & TEST)))
        MEET(true, true, false);
    else if (cls & IMAGE)
        MEET(true, false, false);
    else if (cls & TEST)
        MEET(false, true, false);
    else
        MEET(false, false, false);
#undef MEET
    __syncwarp();
}

/* Processes unit u of group w.group. Lanes test 32 supers at once, and then 32 clusters of each
 * near super. Then the whole warp processes the clusters of its part, one after the other. Returns
 * the number of clusters processed. */
template <typename REAL, bool TRICLINIC, bool SHARED, bool WHOLE>
__device__ __forceinline__ static uint32_t
count_unit(const struct hist_frame &f, const struct rdf_pass &p, struct rdf_side<REAL> &w,
           struct rdf_unit u, char *s_hist, const struct rdf_bins &b, REAL limit)
{
    constexpr bool PLAIN = TRICLINIC || sizeof(REAL) == 8; /* always with image and test */
    const float reach2 = (float)limit * (float)limit, beyond2 = reach2 * (1.0f + MARGIN);
    const float inside2 = f.closed ? HUGE_VALF : reach2 * (1.0f - MARGIN);
    const float4 ilo = p.group.lo[w.group], ihi = p.group.hi[w.group];
    const uint32_t first = WHOLE ? 0 : u.frame * p.frame_clusters,
                   super = WHOLE ? 0 : u.frame * p.frame_supers;
    const uint32_t own = p.like ? w.group * HELD : 0; /* first cluster that belongs to the group */
    uint32_t met = 0;
    for (uint32_t sb = u.s0; sb < u.s1; sb += 32) {
        uint32_t mine = sb + w.lane;
        int near = mine < u.s1 && classify<true>(f, ilo, ihi, p.super.lo[super + mine],
                                                 p.super.hi[super + mine], beyond2, inside2);
        for (uint32_t supers = __ballot_sync(~0u, near); supers; supers &= supers - 1) {
            const uint32_t c0 = first + (sb + (uint32_t)__ffs((int)supers) - 1u) * 32u,
                           cl = c0 + w.lane;
            int c = 0;
            if (cl < first + p.clusters && cl >= own &&
                (WHOLE || (w.lane & (p.parts - 1u)) == u.part)) {
                c = classify<PLAIN>(f, ilo, ihi, p.cluster.lo[cl], p.cluster.hi[cl], beyond2,
                                    inside2);
                if (c && p.like && cl < own + HELD)
                    c |= DIAGONAL | IMAGE | TEST;
            }
            uint32_t clusters = __ballot_sync(~0u, c != 0);
            met += (uint32_t)__popc(clusters);
            for (; clusters; clusters &= clusters - 1) {
                const int src = __ffs((int)clusters) - 1;
                meet_cluster<REAL, TRICLINIC, SHARED>(f, p, w, c0 + (uint32_t)src,
                                                      __shfl_sync(~0u, c, src), s_hist, b, limit);
            }
        }
    }
    return met;
}

/* Warps take units until none is left, or until they have processed p.max clusters. With SHARED,
 * each block has a histogram in shared memory. Otherwise pairs are counted directly in `counts`.
 * With WHOLE, there is one frame, and units are not divided into parts. Sums are integers, so the
 * result is deterministic. Dynamic shared memory contains the histogram and then one cluster per
 * warp. */
template <typename REAL, bool TRICLINIC, bool SHARED, bool WHOLE, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
    rdf_count_kernel(const __grid_constant__ struct hist_frame f,
                     const __grid_constant__ struct rdf_pass p)
{
    extern __shared__ __align__(16) char s_hist[];
    const uint32_t lane = threadIdx.x % 32, rows = (uint32_t)f.bins + 1u,
                   words = SHARED ? rows * p.lanes : 0;
    const REAL limit = (REAL)(f.closed ? f.bins + 1 : f.bins);
    if constexpr (SHARED)
        for (uint32_t k = threadIdx.x; k < words; k += blockDim.x)
            ((uint32_t *)s_hist)[k] = 0;
    __syncthreads();

    struct rdf_bins b;
    b.magic = (float)(1u << (23 - p.fraction));
    b.mask = 0x7fffffu & ~((1u << p.fraction) - 1u);
    b.lane = (lane & (p.lanes - 1u)) * 4u;
    b.rows = rows;
    struct rdf_side<REAL> w;
    w.lane = lane;
    w.s_j = (struct rdf_vec<REAL> *)(s_hist + (words * 4 + 15) / 16 * 16) + 32 * (threadIdx.x / 32);
    for (uint32_t met = 0; met < p.max;) {
        uint32_t u = lane == 0 ? atomicAdd(p.next, 1u) : 0;
        u = __shfl_sync(~0u, u, 0);
        if (u >= p.units)
            break;
        struct rdf_unit unit;
        const uint32_t chunk = WHOLE ? u : u / p.parts, row = chunk / p.chunks;
        unit.part = WHOLE ? 0 : u & (p.parts - 1u);
        unit.frame = WHOLE ? 0 : row / p.share;
        const uint32_t group = (row - unit.frame * p.share) * p.devices + p.device,
                       from = (chunk - row * p.chunks) * p.chunk;
        unit.s0 = p.like ? max(from, group * HELD / 32u) : from;
        unit.s1 = min(from + p.chunk, p.supers);
        if (group >= p.groups || unit.s0 >= unit.s1)
            continue;
        w.group = WHOLE ? group : unit.frame * p.frame_groups + group;
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            struct rdf_vec<REAL> v =
                ((const struct rdf_vec<REAL> *)p.atom_i)[w.group * RDF_GROUP + 32u * k + lane];
            w.x[k] = v.x;
            w.y[k] = v.y;
            w.z[k] = v.z;
        }
        w.mx = w.my = w.mz = 0.0f;
        met += count_unit<REAL, TRICLINIC, SHARED, WHOLE>(f, p, w, unit, s_hist, b, limit);
    }
    if (SHARED)
        flush(s_hist, rows, p.lanes, p.counts);
}

uint32_t rdf_gpu_lanes(uint32_t bins, size_t shared)
{
    const size_t clusters = 16384 + 16; /* clusters of the warps */
    for (uint32_t lanes = 32; lanes; lanes /= 2)
        if (shared > clusters && ((size_t)bins + 1) * lanes * 4 <= shared - clusters &&
            bins < 1u << (21 - __builtin_ctz(lanes)))
            return lanes;
    return 0;
}

template <typename REAL, bool TRICLINIC, bool SHARED, bool WHOLE>
static int launch_units(struct err *e, const struct hist_frame *f, struct rdf_pass *p, int sms,
                        cudaStream_t s)
{
    constexpr int threads = sizeof(REAL) == 4 ? 1024 : 512;
    int blocks = 1;
    size_t words = SHARED ? ((size_t)f->bins + 1) * p->lanes : 0;
    size_t bytes = (words * 4 + 15) / 16 * 16 + (size_t)threads * sizeof(struct rdf_vec<REAL>);
    auto kernel = rdf_count_kernel<REAL, TRICLINIC, SHARED, WHOLE, threads>;
    if (TRY(e, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)bytes)) ||
        TRY(e, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes)))
        return -1;
    blocks = sms * (blocks > 0 ? blocks : 1);
    /* pairs of a block in one copy of one bin stay below 2^32, including units */
    const double full =
        SHARED ? 2147483648.0 * p->lanes / (threads / 32) / (RDF_GROUP * RDF_CLUSTER) : 4e9;
    p->max = (uint32_t)(full < 1.0 ? 1.0 : full);
    double clusters = (double)p->frames * p->groups * p->clusters,
           launches = clusters / ((double)p->max * blocks * (threads / 32)) + 1.0;
    for (int k = 0; k < (int)launches; k++) {
        kernel<<<blocks, threads, bytes, s>>>(*f, *p);
        if (TRY_LAUNCH(e, "rdf_count_kernel"))
            return -1;
    }
    return 0;
}

template <typename REAL, bool TRICLINIC, bool SHARED>
static int launch(struct err *e, const struct hist_frame *f, struct rdf_pass *p, int sms,
                  cudaStream_t s)
{
    return p->frames == 1 && p->parts == 1
               ? launch_units<REAL, TRICLINIC, SHARED, true>(e, f, p, sms, s)
               : launch_units<REAL, TRICLINIC, SHARED, false>(e, f, p, sms, s);
}

int rdf_gpu_count(struct err *e, const struct hist_frame *f, int f32, struct rdf_pass *p, int sms,
                  cudaStream_t s)
{
    if (f32 && f->ortho)
        return p->lanes ? launch<float, false, true>(e, f, p, sms, s)
                        : launch<float, false, false>(e, f, p, sms, s);
    if (f32)
        return p->lanes ? launch<float, true, true>(e, f, p, sms, s)
                        : launch<float, true, false>(e, f, p, sms, s);
    if (f->ortho)
        return p->lanes ? launch<double, false, true>(e, f, p, sms, s)
                        : launch<double, false, false>(e, f, p, sms, s);
    return p->lanes ? launch<double, true, true>(e, f, p, sms, s)
                    : launch<double, true, false>(e, f, p, sms, s);
}
