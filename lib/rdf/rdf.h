/* SPDX-License-Identifier: MIT */
/*
 * rdf.h: engine interface of rdf-cpu and rdf-gpu: exact histograms of pair distances.
 *
 * A histogram counts the pairs i < j of one set of atoms, or the pairs of one atom of A and one of
 * B, whose distance falls in each of `bins` equal bins over [0, rmax). The header hist.h defines
 * distance and bin to the last bit, so the counts are the same integers for every engine,
 * algorithm, SIMD level, number of threads or devices, and launch shape.
 *
 * Counts are kept in separate slots, one for each run of steps that the caller wants to distinguish
 * (blocks for standard errors). The normalisation by the expected pairs of an ideal gas is in
 * rdf_run.h.
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

/* RDF_AUTO takes the cheaper algorithm, frame by frame. RDF_CELLS falls back to all pairs if the
 * cell or rmax does not permit cells. */
enum rdf_algorithm { RDF_AUTO, RDF_ALL_PAIRS, RDF_CELLS };

struct rdf_params {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;          /* 0 and 1 are allowed: no pairs */
    size_t bins;            /* 1..HIST_MAX_BINS */
    double rmax; /* Å, > 0; triclinic: at most half the smallest width, checked by rdf_push */
    const unsigned char *species;     /* [natoms], values < nspecies; NULL: one species */
    int nspecies;                     /* 1..256 */
    const struct species_pair *pairs; /* [npairs] */
    size_t npairs;                    /* >= 1 */
    size_t slots;                     /* >= 1 */
    enum rdf_algorithm algorithm;
    int threads;
    size_t max_mem;      /* bytes that the engine may use on the host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "all", "0,2" (visible devices); CPU: ignored */
};

struct rdf;

/* Returns the static name of the engine, for -v and --version, for example "CPU, AVX-512" or
 * "NVIDIA H200, CUDA 13.0". */
const char *rdf_engine_name(void);

/* Checks that there is a machine to run on, without reading any input. Returns 0, or -1 and sets e.
 * The argument devices is as in rdf_params. */
int rdf_probe(const char *devices, struct err *e);

/* Checks the memory and copies what p points to. Returns NULL and sets e: ERR_BAD (parameters),
 * ERR_MEMORY, or ERR_MACHINE (device). */
struct rdf *rdf_open(const struct rdf_params *p, struct err *e);

/* Counts nsteps steps, pos [nsteps][natoms][3] (Å) with box[nsteps], into slot[nsteps] (< slots).
 * The positions are copied or used before the call returns, but a device may still be counting.
 * Returns 0, or -1 (see rdf_error). */
int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const struct box *box,
             const size_t *slot) FRAME_MUST;

/* Waits, adds everything counted since the last call to counts [slots][npairs][bins], and starts
 * again from 0. The argument slots is the number of slots used. Returns 0, or -1 (see
 * rdf_error). */
int rdf_collect(struct rdf *r, uint64_t *counts, size_t slots) FRAME_MUST;

const struct err *rdf_error(const struct rdf *r);
void rdf_close(struct rdf *r); /* NULL is allowed */

/* ---- shared by the engines (rdf_sets.c) */

/* Sides of a pair of species in sorted order: [a0, a1), [b0, b1); like: same species, i < j. */
struct rdf_range {
    uint32_t a0, a1, b0, b1;
    int like;
};

/* Atoms in a stable sort by species; order[k] is the k-th atom. */
struct rdf_sets {
    uint32_t *order;         /* [natoms] */
    uint32_t *begin;         /* [nspecies + 1]: species s occupies [begin[s], begin[s + 1]) */
    struct rdf_range *range; /* [npairs] */
};
/* s must be zero. Returns 0, or -1 if out of memory; close s in either case. */
int rdf_sets_open(struct rdf_sets *s, const struct rdf_params *p) FRAME_MUST;
void rdf_sets_close(struct rdf_sets *s);
/* Returns 0, or -1 and sets e if a parameter is out of range. */
int rdf_check(const struct rdf_params *p, struct err *e);
/* The same for a frame: fails if rmax is too large for a triclinic cell. */
int rdf_check_box(const struct box *b, double rmax, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
