/* SPDX-License-Identifier: MIT */
/*
 * rdf.h: engine interface of rdf-cpu and rdf-gpu: exact histograms of pair distances.
 *
 * A histogram counts the pairs i < j of one set of atoms, or the pairs of one atom of A and one of
 * B, whose distance falls in each of `bins` equal bins over [0, rmax). hist.h defines distance and
 * bin to the last bit, so counts are the same integers for every engine, algorithm, SIMD level,
 * number of threads or devices, and launch shape.
 *
 * Counts are kept apart in slots, one for each run of steps that the caller wants to tell apart
 * (blocks for standard errors). Normalisation (expected pairs of an ideal gas) is not the engine's
 * business: rdf_out.h.
 *
 * Both lib/rdf_cpu.c and cuda/rdf_gpu.cu implement these functions; a program links one of them.
 */
#ifndef MBF_RDF_H
#define MBF_RDF_H

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "rdf/hist.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* RDF_AUTO takes the cheaper one, frame by frame. Cells that the cell or rmax does not allow fall
 * back to all pairs. */
enum rdf_algorithm { RDF_AUTO, RDF_ALL_PAIRS, RDF_CELLS };

/* Species indices of a histogram; {RDF_EVERY, RDF_EVERY}: all atoms. a == b: like pairs, each once.
 */
struct rdf_pair {
    int a, b;
};
#define RDF_EVERY (-1)

struct rdf_params {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;          /* 0 and 1 are allowed: no pairs */
    size_t bins;            /* 1..HIST_MAX_BINS */
    double rmax; /* Å, > 0; triclinic cells: up to half the smallest width, which rdf_push checks */
    const unsigned char *species; /* [natoms], values < nspecies; NULL: one species */
    int nspecies;                 /* 1..256 */
    const struct rdf_pair *pairs; /* [npairs] */
    size_t npairs;                /* >= 1 */
    size_t slots;                 /* >= 1 */
    enum rdf_algorithm algorithm;
    int threads;
    size_t max_mem;      /* bytes the engine may hold, host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "all", "0,2" (visible devices); CPU: ignored */
};

struct rdf;

/* What the engine is, for -v and --version: "CPU, AVX-512" or "NVIDIA H200, CUDA 13.0". Static. */
const char *rdf_engine_name(void);

/* Is there a machine to run on? 0, or -1 with one clear message. Touches no input. devices as in
 * rdf_params. */
int rdf_probe(const char *devices, char *err, size_t errlen);

/* Memory is checked here. Copies what p points to. NULL with err; *status 2 (parameters) or 3
 * (memory, device). */
struct rdf *rdf_open(const struct rdf_params *p, int *status, char *err, size_t errlen);

/*
 * Count nsteps steps, pos [nsteps][natoms][3] (Å) with box[nsteps], into slot[nsteps] (< slots).
 * pos is copied or used before the call returns; a device may still be counting. 0, or -1:
 * rdf_error(), rdf_error_status().
 */
int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const struct box *box,
             const size_t *slot) FRAME_MUST;

/* Wait, add everything counted since the last call to counts [slots][npairs][bins], and start again
 * from 0. */
int rdf_collect(struct rdf *r, uint64_t *counts) FRAME_MUST;

const char *rdf_error(const struct rdf *r);
int rdf_error_status(const struct rdf *r);
void rdf_close(struct rdf *r); /* NULL is allowed */

/*
 * Shared by the engines (rdf_sets.c). Atoms sorted by species, stably: atom order[k] comes k-th;
 * species s takes [begin[s], begin[s+1]). order has room for natoms, begin for nspecies + 1.
 */
void rdf_sort_species(const struct rdf_params *p, uint32_t *order, size_t *begin);
/* Ranges of both sides of a pair in that order. */
void rdf_ranges(const struct rdf_pair *q, const size_t *begin, size_t natoms, size_t a[2],
                size_t b[2]);
/* 0, or -1 with err (status 2): a parameter out of range. */
int rdf_check(const struct rdf_params *p, char *err, size_t errlen);
/* The same for a frame: a triclinic cell and rmax that do not go together. */
int rdf_check_box(const struct box *b, double rmax, char *err, size_t errlen);
/*
 * --rmax, "half", "corner" or a length, in Å for a cell; note: a sentence worth telling, else "".
 * 0, or -1 with err (no cell for half and corner, corner of a triclinic cell).
 */
int rdf_choose_rmax(const char *text, const struct box *b, double *rmax, char *note, size_t notelen,
                    char *err, size_t errlen);
/* memcpy by several threads: one core does not keep up with a GPU. */
void rdf_copy(void *to, const void *from, size_t bytes, int threads);

#ifdef __cplusplus
}
#endif
#endif
