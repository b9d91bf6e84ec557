/* SPDX-License-Identifier: MIT */
/* rdf.h: defines the engine of rdf-cpu and rdf-gpu, which computes exact distance histograms.
 *
 * For each of `bins` equal bins from 0 to rmax, a histogram contains the number of pairs of atoms
 * whose distance is in this bin. The pairs are either all pairs i < j of one species, or all pairs
 * of an atom of species A and an atom of species B. The counts are the same for every engine,
 * algorithm, SIMD level, launch shape, and number of threads or devices, because the distance of a
 * pair is always computed with the same bits (hist.h).
 *
 * For van Hove functions, the distance of a pair is measured from one atom at an earlier time to
 * the other atom at a later time. Each pair of atoms is counted twice, because either atom may be
 * at the earlier time, and an atom also forms a pair with itself.
 *
 * The caller assigns each step to a set of counts (`slot`), for example to a block for standard
 * errors. The counts are later divided by the counts that are expected for an ideal gas
 * (rdf_run.h).
 *
 * The engine is implemented by rdf_cpu.c and by rdf_gpu.cu. A program is linked with one file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "rdf/hist.h"
#include "select/pair_names.h"
#include "stream/frame.h"

C_LINKAGE_BEGIN

/* RDF_AUTO chooses the faster algorithm for each frame. RDF_CELLS searches a grid of cells for
 * neighbours, or compares all pairs if the cell of the frame or rmax does not allow a grid. */
enum rdf_algorithm { RDF_AUTO, RDF_ALL_PAIRS, RDF_CELLS };

struct rdf_params {
    enum frame_dtype dtype;           /* FRAME_F32 or FRAME_F64 */
    size_t natoms;                    /* may be 0 or 1 */
    size_t bins;                      /* 1..HIST_MAX_BINS */
    double rmax;                      /* Å, > 0 */
    const unsigned char *species;     /* [natoms]; NULL: one species */
    int nspecies;                     /* 1..256 */
    const struct species_pair *pairs; /* [npairs] */
    size_t npairs;                    /* >= 1 */
    size_t slots;                     /* >= 1 */
    enum rdf_algorithm algorithm;
    int threads;
    bool lags;           /* allow pairs between two times */
    size_t max_mem;      /* bytes; 0: no limit */
    const char *devices; /* as in gpu_probe */
};

struct rdf;

/* Opens an engine with copies of all data to which p points. On failure, returns NULL and sets e to
 * ERR_BAD for invalid parameters, ERR_MEMORY if memory runs out or the limit is exceeded, or
 * ERR_MACHINE if a device fails. */
struct rdf *rdf_open(const struct rdf_params *p, struct err *e);

/* Counts the pairs of nsteps steps with the positions pos[nsteps][natoms][3] in Å and the cells
 * box[nsteps]. The pairs of step k are added to the set of counts slot[k] < p->slots. If `late` is
 * not NULL, pairs are counted between step k of `pos` and step k of late[nsteps][natoms][3]. The
 * caller may overwrite `pos` and `late` after the call, even if a device is still counting. In a
 * triclinic cell, rmax must not exceed half the smallest width. Returns 0 on success, or -1 on
 * failure (see rdf_error). */
int rdf_push(struct rdf *r, size_t nsteps, const void *pos, const void *late, const struct box *box,
             const size_t *slot) FRAME_MUST;

/* Waits for the engine, and adds all counts since the last call to counts[slots][npairs][bins].
 * Every slot[k] since the last call must be less than the argument `slots`. Returns 0 on success,
 * or -1 on failure (see rdf_error). */
int rdf_collect(struct rdf *r, uint64_t *counts, size_t slots) FRAME_MUST;

const struct err *rdf_error(const struct rdf *r);
void rdf_close(struct rdf *r); /* r may be NULL */

/* ---- rdf_sets.c */

/* The atoms of a pair of species, as the ranges a0..a1 - 1 and b0..b1 - 1 in the order of rdf_sets.
 * If both species are the same, `like` is 1, and only pairs with i < j are counted. For pairs
 * between two times, the atoms a0..a1 - 1 are at the earlier time, and `like` is 0. */
struct rdf_range {
    uint32_t a0, a1, b0, b1;
    int like;
};

/* The atoms in a stable sort by species: the atoms of species s are order[begin[s]] to
 * order[begin[s + 1] - 1]. */
struct rdf_sets {
    uint32_t *order;         /* [natoms] */
    uint32_t *begin;         /* [nspecies + 1] */
    struct rdf_range *range; /* [npairs] */
};
/* Sorts the atoms. All members of s must be zero on entry. Returns 0, or -1 if memory runs out.
 * Call rdf_sets_close afterwards, even after an error. */
int rdf_sets_open(struct rdf_sets *s, const struct rdf_params *p) FRAME_MUST;
void rdf_sets_close(struct rdf_sets *s);
/* Sets *to to the pairs of s, but between two times. For order 0, the atoms of the first species
 * are at the earlier time, and for order 1 the atoms of the second species. If `late` is false,
 * order 0 gives s itself, the pairs at a single time. Returns 0 if order 1 is not needed, and
 * otherwise 1. */
HD int rdf_sets_order(const struct rdf_range *s, bool late, int order, struct rdf_range *to)
{
    *to = *s;
    to->like = s->like && !late;
    if (order) {
        to->a0 = s->b0, to->a1 = s->b1;
        to->b0 = s->a0, to->b1 = s->a1;
    }
    return order == 0 || (late && !s->like);
}
/* Returns 0, or -1 with an error message in e if a parameter is out of range. */
int rdf_check(const struct rdf_params *p, struct err *e);
/* Returns 0, or -1 with an error message in e if rmax is too large for a triclinic cell b. */
int rdf_check_box(const struct box *b, double rmax, struct err *e);

C_LINKAGE_END
