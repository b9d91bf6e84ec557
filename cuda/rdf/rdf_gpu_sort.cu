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

/* Returns the smallest coordinates, in bin widths, and sets the largest extent. */
__device__ static float3 reach(const struct hist_frame &f, float *widest)
{
    double low[3] = {0.0, 0.0, 0.0}, wide = 1e-30;
    for (int a = 0; a < 3; a++) {
        double span = f.len[a];
        if (!f.ortho) {
            span = 0.0;
            for (int k = 0; k < 3; k++) {
                double h = f.box.h[k][a] * f.scale;
                low[a] += h < 0.0 ? h : 0.0;
                span += fabs(h);
            }
        }
        wide = span > wide ? span : wide;
    }
    *widest = (float)wide;
    return {(float)low[0], (float)low[1], (float)low[2]};
}

/* Uses one thread per atom of the n atoms in all frames, with any launch shape. The key is the
 * frame, followed by the species and the index along the curve. */
template <typename REAL>
__global__ void rdf_place_kernel(const struct hist_frame *geo, uint32_t ngeo, const REAL *pos,
                                 const unsigned char *species, uint32_t atoms, uint32_t n, int bits,
                                 int species_bits, struct rdf_vec<REAL> *placed, uint32_t *key,
                                 uint32_t *index)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t frame = i / atoms, kind = species ? species[i - frame * atoms] : 0;
        const struct hist_frame &f = geo[frame % ngeo];
        float widest;
        const float3 low = reach(f, &widest);
        const float cell = (float)(1u << bits) / widest; /* Hilbert cells per bin width */
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
        key[i] = hilbert(x, y, z, bits) | (frame << species_bits | kind) << 3 * bits;
        index[i] = i;
    }
}

/* Returns the Hilbert bits per axis for frames of n atoms, if a key has `other` bits of another
 * kind. More than 8 cells per atom have no advantage. */
static int axis_bits(uint32_t n, int other)
{
    int bits = 1, max = (32 - other) / 3;
    while (bits < AXIS_BITS && bits < max && ((uint64_t)1 << 3 * bits) < 8 * (uint64_t)n)
        bits++;
    return bits;
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

/* Stores the box that encloses the boxes of all lanes of the warp and contains n atoms. fminf and
 * fmaxf ignore the NaN of padding. A box without atoms is out of reach of every other box. */
__device__ static void store(struct rdf_bounds to, uint32_t k, float (&lo)[3], float (&hi)[3],
                             uint32_t n)
{
    for (int a = 0; a < 3; a++) {
        for (int d = 16; d; d /= 2) {
            lo[a] = fminf(lo[a], __shfl_xor_sync(~0u, lo[a], d));
            hi[a] = fmaxf(hi[a], __shfl_xor_sync(~0u, hi[a], d));
        }
        lo[a] = n ? lo[a] : HUGE_VALF;
        hi[a] = n ? hi[a] : -HUGE_VALF;
    }
    if (threadIdx.x % 32 == 0) {
        to.lo[k] = make_float4(lo[0], lo[1], lo[2], 0.0f);
        to.hi[k] = make_float4(hi[0], hi[1], hi[2], (float)n);
    }
}

/* Uses one warp per cluster, of n in all frames. Places after the atoms of a species become NaN. */
template <typename REAL>
__global__ void rdf_gather_kernel(const struct rdf_vec<REAL> *placed, const uint32_t *index,
                                  const struct rdf_span *atoms_of, uint32_t atoms,
                                  uint32_t clusters, uint32_t n, struct rdf_vec<REAL> *out,
                                  struct rdf_bounds box)
{
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, c = k / 32;
    if (c >= n)
        return;
    const uint32_t frame = c / clusters;
    const struct rdf_span of = atoms_of[c - frame * clusters];
    REAL none = (REAL)__int_as_float(0x7fffffff);
    struct rdf_vec<REAL> v = {
        none, none, none, 0
    };
    if (lane < of.n)
        v = placed[index[frame * atoms + of.first + lane]];
    out[k] = v;
    float lo[3] = {down(v.x), down(v.y), down(v.z)}, hi[3] = {up(v.x), up(v.y), up(v.z)};
    store(box, c, lo, hi, of.n);
}

/* Uses one warp per group or supercluster, of n in all frames and `per_frame` in each. */
__global__ void rdf_bounds_kernel(const struct rdf_bounds from, const struct rdf_span *clusters_of,
                                  uint32_t clusters, uint32_t per_frame, uint32_t n,
                                  struct rdf_bounds to)
{
    const uint32_t k = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (k >= n)
        return;
    const uint32_t frame = k / per_frame;
    const struct rdf_span of = clusters_of[k - frame * per_frame];
    /* the lanes after the last cluster repeat it */
    const uint32_t c = frame * clusters + of.first + min(lane, of.n - 1u);
    const float4 l = from.lo[c], h = from.hi[c];
    float lo[3] = {l.x, l.y, l.z}, hi[3] = {h.x, h.y, h.z};
    uint32_t atoms = lane < of.n ? (uint32_t)h.w : 0;
    for (int d = 16; d; d /= 2)
        atoms += __shfl_xor_sync(~0u, atoms, d);
    store(to, k, lo, hi, atoms);
}

size_t rdf_gpu_scratch_bytes(uint32_t n)
{
    size_t bytes = 0;
    uint32_t *p = NULL;
    if (cub::DeviceRadixSort::SortPairs(NULL, bytes, p, p, p, p, (int)n) != cudaSuccess)
        return 0;
    return bytes + 256;
}

static int bounds(struct err *e, const struct rdf_sorting *to, const struct rdf_span *spans,
                  uint32_t per_frame, uint32_t frames, struct rdf_bounds box, cudaStream_t s)
{
    uint32_t n = per_frame * frames;
    rdf_bounds_kernel<<<(n + 3) / 4, 128, 0, s>>>(to->cluster, spans, to->places / RDF_CLUSTER,
                                                  per_frame, n, box);
    return TRY_LAUNCH(e, "rdf_bounds_kernel");
}

template <typename REAL>
static int sort(struct err *e, const struct hist_frame *geo, uint32_t ngeo, const REAL *pos,
                uint32_t frames, const struct rdf_sorting *to, cudaStream_t s)
{
    const uint32_t n = frames * to->atoms, clusters = to->places / RDF_CLUSTER;
    struct rdf_vec<REAL> *placed = (struct rdf_vec<REAL> *)to->d_placed;
    size_t scratch = to->scratch;
    int other = to->species_bits;
    while (1u << (other - to->species_bits) < frames)
        other++;
    const int bits = axis_bits(to->atoms, other);
    rdf_place_kernel<REAL><<<(n + 255) / 256, 256, 0, s>>>(
        geo, ngeo, pos, to->species_bits ? to->d_species : NULL, to->atoms, n, bits,
        to->species_bits, placed, to->d_key[0], to->d_index[0]);
    if (TRY_LAUNCH(e, "rdf_place_kernel") ||
        TRY(e, cub::DeviceRadixSort::SortPairs(to->d_scratch, scratch, to->d_key[0], to->d_key[1],
                                               to->d_index[0], to->d_index[1], (int)n, 0,
                                               3 * bits + other, s)))
        return -1;
    rdf_gather_kernel<REAL><<<(frames * clusters + 3) / 4, 128, 0, s>>>(
        placed, to->d_index[1], to->d_cluster, to->atoms, clusters, frames * clusters,
        (struct rdf_vec<REAL> *)to->atom, to->cluster);
    return TRY_LAUNCH(e, "rdf_gather_kernel") ||
                   bounds(e, to, to->d_group, to->places / RDF_GROUP, frames, to->group, s) ||
                   bounds(e, to, to->d_super, to->supers, frames, to->super, s)
               ? -1
               : 0;
}

int rdf_gpu_sort(struct err *e, const struct hist_frame *d_geo, uint32_t ngeo, const void *d_pos,
                 uint32_t frames, const struct rdf_sorting *to, cudaStream_t s)
{
    return to->f32 ? sort(e, d_geo, ngeo, (const float *)d_pos, frames, to, s)
                   : sort(e, d_geo, ngeo, (const double *)d_pos, frames, to, s);
}
