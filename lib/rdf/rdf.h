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
 * business: rdf_run.h.
 *
 * Both rdf_cpu.c and rdf_gpu.cu implement these functions; a program links one of them.
 */
#ifndef MBF_RDF_H
#define MBF_RDF_H

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "rdf/hist.h"
#include "stats/pair_names.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* RDF_AUTO takes the cheaper one, frame by frame. Cells that the cell or rmax does not allow fall
 * back to all pairs. */
enum rdf_algorithm { RDF_AUTO, RDF_ALL_PAIRS, RDF_CELLS };

struct rdf_params {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;          /* 0 and 1 are allowed: no pairs */
    size_t bins;            /* 1..HIST_MAX_BINS */
    double rmax; /* Å, > 0; triclinic cells: up to half the smallest width, which rdf_push checks */
    const unsigned char *species;     /* [natoms], values < nspecies; NULL: one species */
    int nspecies;                     /* 1..256 */
    const struct species_pair *pairs; /* [npairs] */
    size_t npairs;                    /* >= 1 */
    size_t slots;                     /* >= 1 */
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
int rdf_probe(const char *devices, struct err *e);

/* Memory is checked here. Copies what p points to. NULL with e: ERR_BAD (parameters), ERR_MEMORY,
 * ERR_MACHINE (device). */
struct rdf *rdf_open(const struct rdf_params *p, struct err *e);

/*
 * Count nsteps steps, pos [nsteps][natoms][3] (Å) with box[nsteps], into slot[nsteps] (< slots).
 * pos is copied or used before the call returns; a device may still be counting. 0, or -1:
 * rdf_error().
 */
int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const struct box *box,
             const size_t *slot) FRAME_MUST;

/* Wait, add everything counted since the last call to counts [slots][npairs][bins], and start again
 * from 0. slots: as many as were used. 0, or -1: rdf_error(). */
int rdf_collect(struct rdf *r, uint64_t *counts, size_t slots) FRAME_MUST;

const struct err *rdf_error(const struct rdf *r);
void rdf_close(struct rdf *r); /* NULL is allowed */

/* ---- shared by the engines (rdf_sets.c) */

/* Sides of a pair of species in the sorted order: [a0, a1) and [b0, b1); like: the same, i < j. */
struct rdf_range {
    uint32_t a0, a1, b0, b1;
    int like;
};

/* Atoms sorted by species, stably: atom order[k] comes k-th. */
struct rdf_sets {
    uint32_t *order;         /* [natoms] */
    uint32_t *begin;         /* [nspecies + 1]: species s takes [begin[s], begin[s + 1]) */
    struct rdf_range *range; /* [npairs] */
};
/* 0, or -1: out of memory. Close it in every case; it begins as zeros. */
int rdf_sets_open(struct rdf_sets *s, const struct rdf_params *p) FRAME_MUST;
void rdf_sets_close(struct rdf_sets *s);
/* 0, or -1 with e: a parameter out of range. */
int rdf_check(const struct rdf_params *p, struct err *e);
/* The same for a frame: a triclinic cell and rmax that do not go together. */
int rdf_check_box(const struct box *b, double rmax, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
