/* SPDX-License-Identifier: MIT */
/*
 * rdf_tile.h: the inner loop of the CPU engine: counts all pairs of two lists of atoms in a
 * histogram of 32-bit integers.
 *
 * Private to rdf_cpu.c and rdf_simd.c. The histogram has bins + 1 + RDF_BEYOND rows. Row `bins`
 * receives distances that round to rmax in a closed frame; the last rows receive, in turn,
 * everything beyond. There are RDF_COPIES copies, so that neighbouring pairs in one bin do not wait
 * for each other. The caller adds them up before any count can reach 2^32.
 */
#ifndef MBF_RDF_TILE_H
#define MBF_RDF_TILE_H

#include "base/simd.h"
#include "rdf/hist.h"

#define RDF_COPIES 4
#define RDF_CHUNK 512
#define RDF_BEYOND 16 /* power of two */
#define RDF_ROWS(bins) ((size_t)(bins) + 1 + RDF_BEYOND)

/* Coordinates by axis, in bin widths. */
struct rdf_list {
    const void *x, *y, *z; /* float or double */
    size_t n;
};

/* i: rows, j: columns; triangle: both are the same list and only i < j counts. The member hist
 * holds copies that are `stride` counts apart. */
struct rdf_tile {
    const struct hist_frame *frame;
    struct rdf_list i, j;
    int triangle;
    uint32_t *hist;
    size_t stride;
};

SIMD_DECLARE(void, rdf_tile_f32, (const struct rdf_tile *t));
SIMD_DECLARE(void, rdf_tile_f64, (const struct rdf_tile *t));

#endif
