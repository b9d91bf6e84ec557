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

/* A frame on a device: placed, sorted, padded, with boxes. d_key[1] and d_index[1] hold the order.
 */
struct rdf_sorting {
    int f32;
    uint32_t atoms;
    const struct rdf_set *set; /* [nsets + 1], host memory: species, then all places */
    int nsets, species_bits;
    unsigned char *d_species;   /* [atoms]; not read where species_bits is 0 */
    void *d_placed, *d_scratch; /* rdf_vec<REAL>[atoms], in the order of input */
    size_t scratch;             /* bytes, of rdf_gpu_scratch_bytes */
    uint32_t *d_key[2], *d_index[2];
    void *atom;      /* rdf_vec<REAL>[places] */
    uint32_t places; /* a multiple of RDF_GROUP */
    struct rdf_bounds cluster, group, super;
    uint32_t super_places; /* super: [nsets + 1] sets, super_places each */
};

static inline uint32_t rdf_round_up(size_t n, uint32_t to)
{
    return (uint32_t)((n + to - 1) / to * to);
}

static inline struct rdf_bounds rdf_boxes(struct rdf_bounds b, size_t from)
{
    struct rdf_bounds c = {b.lo + from, b.hi + from};
    return c;
}

/* Boxes of the supers of a set. */
static inline struct rdf_bounds rdf_supers(const struct rdf_sorting *s, int set)
{
    return rdf_boxes(s->super, (size_t)s->super_places * (size_t)set);
}

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

/* Wrap, sort, pad and box the positions of a frame, d_pos [atoms][3]. */
int rdf_gpu_sort(struct err *e, const struct hist_frame *f, const void *d_pos,
                 const struct rdf_sorting *to, cudaStream_t s);
/* Scratch for so many atoms; 0: it cannot be told. */
size_t rdf_gpu_scratch_bytes(uint32_t n);
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
    const void *pos;               /* [steps][n][3] */
    const struct hist_frame *geo;  /* device memory */
    const uint32_t *slot, *order;  /* device memory */
    const struct rdf_range *range; /* [npairs], device memory */
    unsigned long long *counts;    /* [slots][npairs][bins] */
    uint32_t steps, n, npairs, bins, ngeo, lanes;
};
int rdf_gpu_count_small(struct err *e, const struct rdf_small *p, int f32, int triclinic, int sms,
                        cudaStream_t s);

#endif
