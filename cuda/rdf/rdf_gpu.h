/* SPDX-License-Identifier: MIT */
/* rdf_gpu.h: declarations shared by the source files of the CUDA engine of rdf.h.
 *
 * On the device, the positions of a frame are rounded to a grid (hist.h), and the atoms of each
 * species are sorted along a Hilbert curve. Each species is padded with NaN to a multiple of 128
 * atoms. A cluster is 32 consecutive atoms, a group is 4 clusters, and a supercluster ("super") is
 * 32 clusters. Clusters, groups and superclusters have bounding boxes. A warp holds one group in
 * registers, with four atoms per lane, and loops over the clusters of possible partners. The boxes
 * show whether a cluster can be skipped, whether all its pairs use the same periodic image, and
 * whether distances must be compared with rmax. Shifts by a cell edge are exact (hist.h), so the
 * counts do not depend on which images are used or which clusters are skipped.
 *
 * A batch of frames is sorted at once, in one array. Successive frames of a batch are counted in
 * one launch if they have the same geometry and the same slot. The devices count batches in turn.
 * If only one frame fits into a batch, all devices sort it, and each device counts some groups. */
#pragma once

#include "base/gpu.h"
#include "rdf/rdf.h"

#define RDF_CLUSTER 32u
#define RDF_GROUP 128u
#define RDF_SUPER 1024u
#define RDF_SMALL 1536u /* largest number of atoms of a frame that a single thread block counts */

/* Position of one atom, in units of the bin width. The member w is unused. */
template <typename REAL> struct alignas(16) rdf_vec {
    REAL x, y, z, w;
};

/* Bounding box of a set of atoms, in units of the bin width. The member hi.w is the number of atoms
 * in the box. */
struct rdf_bounds {
    float4 *lo, *hi;
};

/* A set of atoms in the padded arrays, starting at index `first`. */
struct rdf_set {
    uint32_t first, atoms; /* index of the first atom, a multiple of RDF_GROUP */
    uint32_t super;        /* index of the first supercluster */
};

/* The atoms of a cluster, or the clusters of a group or supercluster. */
struct rdf_span {
    uint32_t first, n;
};

/* Sorted and padded frames on a device, with their bounding boxes. The arrays d_key[1] and
 * d_index[1] are in sorted order. The sizes of arrays in brackets are for one frame, and the frames
 * are stored one after another. */
struct rdf_sorting {
    int f32, species_bits;
    uint32_t atoms, places, supers;   /* `places` is a multiple of RDF_GROUP */
    const struct rdf_span *d_cluster; /* atoms of each cluster, in sorted order, [places / 32] */
    const struct rdf_span *d_group, *d_super; /* clusters of each group and supercluster */
    unsigned char *d_species;   /* species of each atom, unused if species_bits is 0 */
    void *d_placed, *d_scratch; /* positions in the order of the input, rdf_vec<REAL>[atoms] */
    size_t scratch;             /* size of d_scratch, in bytes */
    uint32_t *d_key[2], *d_index[2];
    void *atom; /* rdf_vec<REAL>[places] */
    struct rdf_bounds cluster, group, super;
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

/* Arguments of one launch of the counting kernel. */
struct rdf_pass {
    const void *atom_i, *atom_j;
    struct rdf_bounds group, cluster, super;
    uint32_t groups, clusters, supers; /* number of groups of atoms i, and numbers of clusters and
                                        * of superclusters of atoms j, in each frame */
    uint32_t frames;
    /* The distances in all arrays from one frame to the next */
    uint32_t frame_groups, frame_clusters, frame_supers;
    /* A unit of work consists of one group and a part of the clusters in reach in `chunk`
     * superclusters. These clusters are dealt in turn to `parts` units, a power of two. */
    uint32_t chunk, chunks, parts;
    uint32_t units;           /* number of units of work of this device */
    uint32_t device, devices; /* index of this device, which counts the groups g with g % devices ==
                               * device */
    uint32_t share;           /* number of these groups in a frame */
    /* Number of clusters after which a warp stops, so that the counts cannot overflow. */
    uint32_t max;
    uint32_t *next;             /* number of units of work that have been started */
    unsigned long long *counts; /* [bins] */
    int like;                   /* whether to count only the pairs with i < j */
    uint32_t lanes, fraction;   /* number of histograms (a power of two), and log2 of 4 times the
                                 * number of lanes */
};

/* The following host functions start all work in the given CUDA stream. Each of these functions
 * returns 0 on success, or -1 with an error message in e. */

/* Wraps, sorts and pads the positions d_pos [frames][atoms][3], and computes the bounding boxes.
 * Frame k has the geometry d_geo[k % ngeo], in device memory. */
int rdf_gpu_sort(struct err *e, const struct hist_frame *d_geo, uint32_t ngeo, const void *d_pos,
                 uint32_t frames, const struct rdf_sorting *to, cudaStream_t s);
/* Returns the scratch memory that n atoms in all frames need, in bytes, or 0 if it cannot be
 * determined. */
size_t rdf_gpu_scratch_bytes(uint32_t n);
/* Counts pairs. Sets pass->max and launches the kernel until every unit of work is done. On entry,
 * the counter *pass->next must be 0. */
int rdf_gpu_count(struct err *e, const struct hist_frame *f, int f32, struct rdf_pass *pass,
                  int sms, cudaStream_t s);
/* Returns the number of copies of the histogram that fit into `shared` bytes of shared memory. If
 * the result is 0, the histogram must be in global memory. */
uint32_t rdf_gpu_lanes(uint32_t bins, size_t shared);

/* Holds the arguments of rdf_gpu_count_small, which counts pairs in small frames. One thread block
 * counts all pairs of a step. The array geo[ngeo] has either a single entry or one entry per step.
 * The array slot[] has one entry for each step. */
struct rdf_small {
    const void *pos, *late;        /* positions [steps][n][3]; `late` is NULL if both atoms of a
                                    * pair are at the same time */
    const struct hist_frame *geo;  /* device memory */
    const uint32_t *slot, *order;  /* device memory */
    const struct rdf_range *range; /* [npairs], device memory */
    unsigned long long *counts;    /* [slots][npairs][bins] */
    uint32_t steps, n, npairs, bins, ngeo, lanes;
};
int rdf_gpu_count_small(struct err *e, const struct rdf_small *p, int f32, int triclinic, int sms,
                        cudaStream_t s);
