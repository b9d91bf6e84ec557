/* SPDX-License-Identifier: MIT */
/*
 * rdf_gpu.h: what the files of the CUDA engine of rdf.h share. Nobody else includes it.
 *
 * A frame on the device: atoms are placed (hist.h), sorted along a Hilbert curve within each
 * species, and padded to whole groups of 128 with NaN. 32 consecutive atoms are a cluster, 4
 * clusters a group, 32 clusters a super; each has a bounding box. A warp holds a group in
 * registers, four atoms a lane, and meets the clusters of the other side one by one: boxes tell
 * whether a cluster can be skipped, whether one shift by an edge serves all its pairs, and whether
 * the distance must be compared with rmax at all. Shifts are exact (hist.h), so every way gives the
 * same counts.
 */
#ifndef MBF_RDF_GPU_H
#define MBF_RDF_GPU_H

#include "base/gpu.h"
#include "rdf/rdf.h"

#define RDF_CLUSTER 32u
#define RDF_GROUP 128u
#define RDF_SUPER 1024u
#define RDF_SMALL 2048u /* up to so many atoms a block counts a whole frame */

/* One atom, bin widths; w is not used. */
template <typename REAL> struct alignas(16) rdf_vec {
    REAL x, y, z, w;
};

/* Bounding boxes, bin widths; hi.w: number of atoms, the rest of the places is padding. */
struct rdf_bounds {
    float4 *lo, *hi;
};

/* One set of atoms within the padded arrays. */
struct rdf_set {
    uint32_t first, atoms; /* first place (a multiple of RDF_GROUP); atoms */
};

/* Sorted, padded atoms of a frame with their boxes. */
struct rdf_sorted_gpu {
    void *atom; /* rdf_vec<REAL>[places] */
    struct rdf_bounds cluster, group, super;
    uint32_t places; /* a multiple of RDF_GROUP */
};

/* One launch of the counting kernel. */
struct rdf_pass {
    const void *atom_i, *atom_j;
    struct rdf_bounds group, cluster, super;
    uint32_t groups, clusters, supers; /* group: of side i; cluster, super: of side j */
    uint32_t chunk, chunks;            /* supers of a unit; units of a group */
    uint32_t units;           /* unit u is group u / chunks of this device, chunk u % chunks */
    uint32_t device, devices; /* groups g with g % devices == device */
    uint32_t
        most; /* a warp that met so many clusters takes no further unit: no count may overflow */
    uint32_t *next;             /* units taken */
    unsigned long long *counts; /* [bins] */
    int like;                   /* both sides are one set: i < j */
    uint32_t lanes,
        fraction; /* copies of the histogram in shared memory (power of two); log2(4 lanes) */
};

/* Host functions; e holds the error, -1 is returned. All work is queued in the stream. */

/* Positions to placed atoms [n] (in input order) with sort keys; species may be NULL. */
int rdf_gpu_place(struct err *e, const struct hist_frame *f, int f32, const void *d_pos,
                  const unsigned char *d_species, int species_bits, uint32_t n, void *d_placed,
                  uint32_t *d_key, uint32_t *d_index, cudaStream_t s);
int rdf_gpu_key_bits(uint32_t n, int species_bits);
/* Sort keys with their indices; scratch as rdf_gpu_sort_bytes says. Result in key[1], index[1]. */
size_t rdf_gpu_sort_bytes(uint32_t n);
int rdf_gpu_sort(struct err *e, void *d_scratch, size_t bytes, uint32_t *const key[2],
                 uint32_t *const index[2], uint32_t n, int bits, cudaStream_t s);
/* Fill the padded arrays from the sorted order and find the boxes. set: [nsets] on the host. */
int rdf_gpu_gather(struct err *e, int f32, const void *d_placed, const uint32_t *d_index,
                   const struct rdf_set *set, int nsets, struct rdf_sorted_gpu *out,
                   cudaStream_t s);
/* Boxes of `ratio` consecutive clusters each. */
int rdf_gpu_bounds(struct err *e, struct rdf_bounds cluster, uint32_t clusters, uint32_t ratio,
                   struct rdf_bounds to, cudaStream_t s);
/*
 * Count. *pass->next is 0 before. Launches often enough that every unit is taken in spite of
 * pass->most, which it sets.
 */
int rdf_gpu_count(struct err *e, const struct hist_frame *f, int f32, struct rdf_pass *pass,
                  int sms, cudaStream_t s);
/* Shared memory a block may have, and the copies that fit: 0 when not even one does (histogram in
 * global memory). */
uint32_t rdf_gpu_lanes(uint32_t bins, size_t shared);

/* Small frames: one block counts whole steps. geo: [ngeo], 1 for all or one each; slot: [steps]. */
struct rdf_small {
    const void *pos;              /* [steps][n][3] */
    const struct hist_frame *geo; /* device memory */
    const uint32_t *slot, *order; /* device memory */
    const struct rdf_range {
        uint32_t a0, a1, b0, b1;
        int like;
    } * range;                  /* [npairs], device memory */
    unsigned long long *counts; /* [slots][npairs][bins] */
    uint32_t steps, n, npairs, bins, ngeo, lanes;
};
int rdf_gpu_count_small(struct err *e, const struct rdf_small *p, int f32, int triclinic, int sms,
                        cudaStream_t s);

/*
 * For the benchmark: the last large frame again, so many times, on the first device, whose
 * positions are there already. ms[2 times]: device time of sorting and of counting, ms. All axes
 * periodic.
 */
int rdf_gpu_again(struct rdf *r, const struct box *b, int times, float *ms);

#endif
