/* SPDX-License-Identifier: MIT */
/* rdf_cpu.h: what the files of the CPU engine (rdf_cpu*.c) share. Nobody else includes it. */
#ifndef MBF_RDF_CPU_H
#define MBF_RDF_CPU_H

#include "rdf/rdf.h"
#include "rdf/rdf_cells.h"
#include "rdf/rdf_tile.h"

#define WHOLE_FRAMES 3000 /* up to so many atoms a thread takes whole frames */

/* One frame, placed: coordinates by axis in the order of rdf_sort_species (or by cell within each
 * set). */
struct rdf_frame {
    struct hist_frame geo;
    void *x, *y, *z; /* [natoms] float or double */
};

/* Private to a thread. */
struct rdf_worker {
    uint32_t *hist;         /* RDF_COPIES copies of RDF_ROWS(bins), padded to `stride` */
    uint64_t pairs;         /* in hist at most */
    struct rdf_frame frame; /* its own frame, when threads take whole frames; else unused */
    void *gather[3];        /* partners of a cell, [room] */
    size_t room;
};

/* Sorted atoms of one set, for cells. */
struct rdf_sorted {
    void *x, *y, *z;
    size_t *start; /* [ncells + 1] */
};

struct rdf {
    struct rdf_params p; /* species and pairs: own copies */
    unsigned char *species;
    struct rdf_pair *pairs;
    uint32_t *order;           /* [natoms] */
    size_t *begin;             /* [nspecies + 1] */
    size_t real, stride;       /* bytes of a coordinate; counts of a copy */
    uint64_t *counts;          /* [slots][npairs][bins] */
    struct rdf_worker *worker; /* [threads] */
    struct rdf_frame shared;
    struct rdf_sorted sorted[2];
    uint32_t *cell_of; /* [natoms] */
    void (*tile)(const struct rdf_tile *t);
    int status;
    char err[FRAME_ERR_BYTES];
};

/* Count a tile into the worker's histogram; counts is where it is emptied when full: [bins] of the
 * slot and pair. */
void rdf_cpu_tile(struct rdf *r, struct rdf_worker *w, const struct rdf_tile *t, uint64_t *counts);
void rdf_cpu_flush(struct rdf *r, struct rdf_worker *w, uint64_t *counts);
struct rdf_list rdf_cpu_list(const struct rdf *r, void *const xyz[3], size_t from, size_t to);

/* Count pair q of a frame with cells, all threads of the team: 1 done, 0 cells are not to be had or
 * dearer, -1 error. */
int rdf_cpu_cells(struct rdf *r, const struct rdf_frame *f, size_t q, uint64_t *counts);
void rdf_cpu_cells_free(struct rdf *r);

#endif
