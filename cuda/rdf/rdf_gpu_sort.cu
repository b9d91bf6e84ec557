/* SPDX-License-Identifier: MIT */
/* rdf_gpu_sort.cu: sorts and pads positions and makes bounding boxes. */
#include <cub/device/device_radix_sort.cuh>

#include "rdf/rdf_gpu_pair.cuh"

#define AXIS_BITS 10

/* Index along a three-dimensional Hilbert curve of 2^bits cells per axis (Skilling, AIP Conf. Proc.
 * 707, 381, 2004). */
__device__ static uint32_t hilbert(uint32_t x, uint32_t y, uint32_t z, int bits)
{
    uint32_t v[3] = {x, y, z}, key = 0, t;
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        for (int a = 0; a < 3; a++) {
            uint32_t low = q - 1;
            if (v[a] & q) {
                v[0] ^= low;
            } else {
                t = (v[0] ^ v[a]) & low;
                v[0] ^= t;
                v[a] ^= t;
            }
        }
    v[1] ^= v[0];
    v[2] ^= v[1];
    t = 0;
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        if (v[2] & q)
            t ^= q - 1;
    for (int a = 0; a < 3; a++)
        v[a] ^= t;
    for (int b = bits - 1; b >= 0; b--)
        for (int a = 0; a < 3; a++)
            key = key << 1 | (v[a] >> b & 1u);
    return key;
}

/* Uses one thread per atom, with any launch shape. There are `cell` Hilbert cells per bin width.
 * The key is the species, followed by the index along the curve. */
template <typename REAL>
__global__ void rdf_place_kernel(const struct hist_frame f, const REAL *pos,
                                 const unsigned char *species, uint32_t n, int bits, float3 low,
                                 float cell, struct rdf_vec<REAL> *placed, uint32_t *key,
                                 uint32_t *index)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        REAL in[3] = {pos[3 * (size_t)i], pos[3 * (size_t)i + 1], pos[3 * (size_t)i + 2]}, out[3];
        rdf_place(f, in, out);
        struct rdf_vec<REAL> v = {
            out[0], out[1], out[2], 0
        };
        placed[i] = v;
        float top = (float)((1u << bits) - 1u);
        uint32_t x = (uint32_t)fminf(fmaxf(((float)out[0] - low.x) * cell, 0.0f), top);
        uint32_t y = (uint32_t)fminf(fmaxf(((float)out[1] - low.y) * cell, 0.0f), top);
        uint32_t z = (uint32_t)fminf(fmaxf(((float)out[2] - low.z) * cell, 0.0f), top);
        key[i] = hilbert(x, y, z, bits) | (species ? (uint32_t)species[i] << 3 * bits : 0u);
        index[i] = i;
    }
}

/* Returns the Hilbert bits per axis. More than 8 cells per atom have no advantage. */
static int axis_bits(uint32_t n, int species_bits)
{
    int bits = 1, max = (32 - species_bits) / 3;
    while (bits < AXIS_BITS && bits < max && ((uint64_t)1 << 3 * bits) < 8 * (uint64_t)n)
        bits++;
    return bits;
}

/* Start and extent of the coordinates, bin widths. */
static float3 reach(const struct hist_frame *f, float *widest)
{
    double low[3] = {0.0, 0.0, 0.0}, wide = 1e-30;
    for (int a = 0; a < 3; a++) {
        double span = f->len[a];
        if (!f->ortho) {
            span = 0.0;
            for (int k = 0; k < 3; k++) {
                double h = f->box.h[k][a] * f->scale;
                low[a] += h < 0.0 ? h : 0.0;
                span += fabs(h);
            }
        }
        wide = span > wide ? span : wide;
    }
    *widest = (float)wide;
    return make_float3((float)low[0], (float)low[1], (float)low[2]);
}

static int place(struct err *e, const struct hist_frame *f, const void *d_pos,
                 const struct rdf_sorting *to, cudaStream_t s)
{
    float widest;
    float3 low = reach(f, &widest);
    uint32_t n = to->atoms, blocks = (n + 255) / 256;
    int bits = axis_bits(n, to->species_bits);
    float cell = (float)(1u << bits) / widest;
    const unsigned char *sp = to->species_bits ? to->d_species : NULL;
    if (to->f32)
        rdf_place_kernel<float><<<blocks, 256, 0, s>>>(*f, (const float *)d_pos, sp, n, bits, low,
                                                       cell, (struct rdf_vec<float> *)to->d_placed,
                                                       to->d_key[0], to->d_index[0]);
    else
        rdf_place_kernel<double><<<blocks, 256, 0, s>>>(
            *f, (const double *)d_pos, sp, n, bits, low, cell,
            (struct rdf_vec<double> *)to->d_placed, to->d_key[0], to->d_index[0]);
    return TRY_LAUNCH(e, "rdf_place_kernel");
}

__device__ static float down(float x)
{
    return x;
}
__device__ static float down(double x)
{
    return __double2float_rd(x);
}
__device__ static float up(float x)
{
    return x;
}
__device__ static float up(double x)
{
    return __double2float_ru(x);
}

/* Processes one set, with one warp per cluster. Places after the atoms become NaN. A warp reduction
 * finds the boxes of clusters, where fminf and fmaxf ignore the NaN of padding. Whole warps must be
 * launched. */
template <typename REAL>
__global__ void rdf_gather_kernel(const struct rdf_vec<REAL> *placed, const uint32_t *index,
                                  uint32_t first_atom, uint32_t atoms, uint32_t first,
                                  struct rdf_vec<REAL> *out, struct rdf_bounds box)
{
    uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    uint32_t places = (atoms + RDF_GROUP - 1) / RDF_GROUP * RDF_GROUP;
    if (k - lane >= places)
        return;
    REAL none = (REAL)__int_as_float(0x7fffffff);
    struct rdf_vec<REAL> v = {
        none, none, none, 0
    };
    if (k < atoms)
        v = placed[index[first_atom + k]];
    out[first + k] = v;
    float lo[3] = {down(v.x), down(v.y), down(v.z)}, hi[3] = {up(v.x), up(v.y), up(v.z)};
    for (int a = 0; a < 3; a++)
        for (int d = 16; d; d /= 2) {
            lo[a] = fminf(lo[a], __shfl_xor_sync(~0u, lo[a], d));
            hi[a] = fmaxf(hi[a], __shfl_xor_sync(~0u, hi[a], d));
        }
    uint32_t inside = k - lane >= atoms ? 0 : atoms - (k - lane) < 32 ? atoms - (k - lane) : 32;
    if (!inside)
        for (int a = 0; a < 3; a++) {
            lo[a] = HUGE_VALF;
            hi[a] = -HUGE_VALF;
        }
    if (lane == 0) {
        box.lo[(first + k) / 32] = make_float4(lo[0], lo[1], lo[2], 0.0f);
        box.hi[(first + k) / 32] = make_float4(hi[0], hi[1], hi[2], (float)inside);
    }
}

/* Computes the boxes that enclose `ratio` consecutive boxes each, with one thread per result. */
__global__ void rdf_bounds_kernel(const struct rdf_bounds from, uint32_t n, uint32_t ratio,
                                  struct rdf_bounds to)
{
    uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= (n + ratio - 1) / ratio)
        return;
    float4 lo = make_float4(HUGE_VALF, HUGE_VALF, HUGE_VALF, 0.0f),
           hi = make_float4(-HUGE_VALF, -HUGE_VALF, -HUGE_VALF, 0.0f);
    for (uint32_t i = k * ratio; i < (k + 1) * ratio && i < n; i++) {
        float4 a = from.lo[i], b = from.hi[i];
        lo = make_float4(fminf(lo.x, a.x), fminf(lo.y, a.y), fminf(lo.z, a.z), 0.0f);
        hi = make_float4(fmaxf(hi.x, b.x), fmaxf(hi.y, b.y), fmaxf(hi.z, b.z), hi.w + b.w);
    }
    to.lo[k] = lo;
    to.hi[k] = hi;
}

template <typename REAL>
static int gather(struct err *e, const struct rdf_sorting *to, cudaStream_t s)
{
    uint32_t done = 0;
    for (int k = 0; k < to->nsets; k++) {
        const struct rdf_set *set = &to->set[k];
        uint32_t blocks = (set->atoms + RDF_GROUP - 1) / RDF_GROUP;
        if (!blocks)
            continue;
        rdf_gather_kernel<REAL><<<blocks, RDF_GROUP, 0, s>>>(
            (const struct rdf_vec<REAL> *)to->d_placed, to->d_index[1], done, set->atoms,
            set->first, (struct rdf_vec<REAL> *)to->atom, to->cluster);
        if (TRY_LAUNCH(e, "rdf_gather_kernel"))
            return -1;
        done += set->atoms;
    }
    return 0;
}

static int bounds(struct err *e, struct rdf_bounds cluster, uint32_t clusters, uint32_t ratio,
                  struct rdf_bounds to, cudaStream_t s)
{
    uint32_t n = (clusters + ratio - 1) / ratio;
    rdf_bounds_kernel<<<(n + 127) / 128, 128, 0, s>>>(cluster, clusters, ratio, to);
    return TRY_LAUNCH(e, "rdf_bounds_kernel");
}

size_t rdf_gpu_scratch_bytes(uint32_t n)
{
    size_t bytes = 0;
    uint32_t *p = NULL;
    if (cub::DeviceRadixSort::SortPairs(NULL, bytes, p, p, p, p, (int)n) != cudaSuccess)
        return 0;
    return bytes + 256;
}

int rdf_gpu_sort(struct err *e, const struct hist_frame *f, const void *d_pos,
                 const struct rdf_sorting *to, cudaStream_t s)
{
    size_t scratch = to->scratch;
    int bits = 3 * axis_bits(to->atoms, to->species_bits) + to->species_bits;
    if (place(e, f, d_pos, to, s) ||
        TRY(e, cub::DeviceRadixSort::SortPairs(to->d_scratch, scratch, to->d_key[0], to->d_key[1],
                                               to->d_index[0], to->d_index[1], (int)to->atoms, 0,
                                               bits, s)) ||
        (to->f32 ? gather<float> : gather<double>)(e, to, s) ||
        bounds(e, to->cluster, to->places / RDF_CLUSTER, 4, to->group, s))
        return -1;
    for (int k = 0; k <= to->nsets; k++) {
        uint32_t clusters = rdf_round_up(to->set[k].atoms, RDF_GROUP) / RDF_CLUSTER;
        if (clusters && bounds(e, rdf_boxes(to->cluster, to->set[k].first / RDF_CLUSTER), clusters,
                               32, rdf_supers(to, k), s))
            return -1;
    }
    return 0;
}
