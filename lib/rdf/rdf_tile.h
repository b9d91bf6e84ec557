/* SPDX-License-Identifier: MIT */
/* rdf_tile.h: declares the inner loop of rdf-cpu, which counts all pairs of two lists of atoms in a
 * histogram of 32-bit integers.
 *
 * The histogram has bins + 1 + RDF_BEYOND counts. If rmax is the largest possible distance (member
 * `closed` of struct hist_frame), distances that round up to rmax are counted at the index `bins`.
 * Larger distances are counted in the last RDF_BEYOND counts in turn. The histogram has RDF_COPIES
 * copies, so that consecutive pairs in the same bin do not wait for each other. The caller adds the
 * copies together before any count can reach 2^32. */
#pragma once

#include "base/simd.h"
#include "rdf/hist.h"

#define RDF_COPIES 4
#define RDF_CHUNK 512
#define RDF_BEYOND 16 /* power of two */
#define RDF_ROWS(bins) ((size_t)(bins) + 1 + RDF_BEYOND)

/* Coordinates in units of the bin width, [n]. */
struct rdf_list {
    const void *x, *y, *z; /* float or double */
    size_t n;
};

/* If `triangle` is set, the lists i and j are equal, and only pairs with i < j are counted. The
 * copies of the histogram in hist[] begin `stride` counts apart. */
struct rdf_tile {
    const struct hist_frame *frame;
    struct rdf_list i, j;
    int triangle;
    uint32_t *hist;
    size_t stride;
};

SIMD_DECLARE(void, rdf_tile_f32, (const struct rdf_tile *t));
SIMD_DECLARE(void, rdf_tile_f64, (const struct rdf_tile *t));
