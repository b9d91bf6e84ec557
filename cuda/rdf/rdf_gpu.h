/* SPDX-License-Identifier: MIT */
/*
 * rdf_gpu.h: declarations shared by the files of the CUDA engine of rdf.h, and included only by
 * them.
 *
 * On the device, the atoms of a frame are placed (hist.h), sorted along a Hilbert curve within each
 * species, and padded with NaN to whole groups of 128. A cluster is 32 consecutive atoms, a group
 * is 4 clusters and a super is 32 clusters; each has a bounding box. A warp holds a group in
 * registers, four atoms per lane, and visits the clusters of the other side one by one. The boxes
 * decide whether a cluster can be skipped, whether one shift by an edge serves all its pairs, and
 * whether distances must be compared with rmax. Shifts are exact (hist.h), so every path gives the
 * same counts.
 */
#ifndef MBF_RDF_GPU_H
#define MBF_RDF_GPU_H

#include "base/gpu.h"
#include "rdf/rdf.h"

#define RDF_CLUSTER 32u
#define RDF_GROUP 128u
#define RDF_SUPER 1024u
#define RDF_SMALL 2048u /* up to this number of atoms, a block counts a whole frame */

/* One atom, in bin widths; w is unused. */
template <typename REAL> struct alignas(16) rdf_vec {
    REAL x, y, z, w;
};

/* Bounding boxes in bin widths. hi.w is the number of atoms; the other places are padding. */
struct rdf_bounds {
    float4 *lo, *hi;
};

/* One set of atoms within the padded arrays. */
struct rdf_set {
    uint32_t first, atoms; /* first place (a multiple of RDF_GROUP); number of atoms */
};

/* A frame on a device: placed, sorted and padded, with boxes. d_key[1] and d_index[1] hold the
 * order. */
struct rdf_sorting {
    int f32;
    uint32_t atoms;
    const struct rdf_set *set; /* [nsets + 1], host memory: species, then all places */
    int nsets, species_bits;
    unsigned char *d_species;   /* [atoms]; not read if species_bits is 0 */
    void *d_placed, *d_scratch; /* rdf_vec<REAL>[atoms], in input order */
    size_t scratch;             /* bytes, from rdf_gpu_scratch_bytes */
    uint32_t *d_key[2], *d_index[2];
    void *atom;      /* rdf_vec<REAL>[places] */
    uint32_t places; /* a multiple of RDF_GROUP */
    struct rdf_bounds cluster, group, super;
    uint32_t super_places; /* super: [nsets + 1] sets of super_places */
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

/* Returns the boxes of the supers of a set. */
static inline struct rdf_bounds rdf_supers(const struct rdf_sorting *s, int set)
{
    return rdf_boxes(s->super, (size_t)s->super_places * (size_t)set);
}

/* One launch of the counting kernel. */
struct rdf_pass {
    const void *atom_i, *atom_j;
    struct rdf_bounds group, cluster, super;
    uint32_t groups, clusters, supers; /* groups of side i; clusters and supers of side j */
    uint32_t chunk, chunks;            /* supers per unit; units per group */
    uint32_t units;           /* unit u is chunk u % chunks of group u / chunks of this device */
    uint32_t device, devices; /* this device has the groups g with g % devices == device */
    /* a warp takes no more units after this number of clusters, so counts cannot overflow */
    uint32_t most;
    uint32_t *next;             /* number of units taken */
    unsigned long long *counts; /* [bins] */
    int like;                   /* both sides are the same set: i < j */
    uint32_t lanes,
        fraction; /* histogram copies in shared memory (a power of two); log2(4 lanes) */
};

/* Host functions that queue all work in the stream and return 0, or -1 and set e. */

/* Wraps, sorts and pads the positions of a frame, d_pos [atoms][3], and makes boxes. */
int rdf_gpu_sort(struct err *e, const struct hist_frame *f, const void *d_pos,
                 const struct rdf_sorting *to, cudaStream_t s);
/* Returns the scratch bytes for n atoms, or 0 if they cannot be determined. */
size_t rdf_gpu_scratch_bytes(uint32_t n);
/* Counts pairs. *pass->next must be 0. Launches as often as needed to take every unit in spite of
 * pass->most, which it sets. */
int rdf_gpu_count(struct err *e, const struct hist_frame *f, int f32, struct rdf_pass *pass,
                  int sms, cudaStream_t s);
/* Functions of shared memory: the bytes that a block may use, and the number of histogram copies
 * that fit (0: none, the histogram is in global memory). */
uint32_t rdf_gpu_lanes(uint32_t bins, size_t shared);

/* Small frames: one block counts whole steps. geo: [ngeo], one for all steps or one each; slot:
 * [steps]. */
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
