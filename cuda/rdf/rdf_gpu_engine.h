/* SPDX-License-Identifier: MIT */
/* rdf_gpu_engine.h: the state of the CUDA engine of rdf.h, shared by rdf_gpu.cu and
 * rdf_gpu_open.cu. */
#ifndef MBF_RDF_GPU_ENGINE_H
#define MBF_RDF_GPU_ENGINE_H

#include "rdf/rdf_gpu.h"

/* One device. Steps come in through two pinned buffers and two device buffers that take turns. */
struct rdf_device {
    int id, sms;
    size_t shared; /* bytes a block may have */
    uint32_t lanes;
    cudaStream_t copy, work;
    struct gpu_pair in;
    void *d_in[2];
    cudaEvent_t used[2]; /* d_in was read */
    unsigned char *d_species;
    void *d_placed, *d_scratch;
    size_t scratch;
    uint32_t *d_key[2], *d_index[2], *d_next;
    struct rdf_sorted_gpu sorted; /* its super boxes: [nspecies + 1] sets, super_places each */
    uint32_t super_places;
    uint32_t *d_order, *d_slot[2];
    struct hist_frame *d_geo[2];
    struct rdf_small::rdf_range *d_range;
    unsigned long long *d_counts; /* [slots][npairs][bins] */
};

struct rdf {
    struct rdf_params p;
    unsigned char *species;
    struct rdf_pair *pairs;
    uint32_t *order;
    size_t *begin;
    size_t real, step_bytes, buffer,
        batch; /* batch: small frames that fit the buffer; 0: frames are large */
    int species_bits, ndevices;
    struct rdf_set *set; /* [nspecies + 1]: the last is all places */
    struct rdf_device *device;
    unsigned long long *host; /* counts of one device */
    struct hist_frame *geo;   /* [batch] */
    uint32_t *slot;           /* [batch] */
    struct err e;
};

static inline uint32_t rdf_round_up(size_t n, uint32_t to)
{
    return (uint32_t)((n + to - 1) / to * to);
}

/* Bytes of the counts [slots][npairs][bins]. */
size_t rdf_gpu_counts_bytes(const struct rdf *r);

#endif
