/* SPDX-License-Identifier: MIT */
/* g4.h: defines the engine of g4-cpu and g4-gpu, which computes the time correlation of the pair
 * anisotropy and splits this correlation into two-, three- and four-body parts.
 *
 * The functions G, G2, G3 and G4 and the identity between them are defined in identity.h. The
 * method `direct` enumerates pairs of pairs (Dawid 2019, Algorithm 1) instead of using the
 * identity.
 *
 * Beta has the number type of the run and is the same, bit for bit, in every engine (beta.h). All
 * other real numbers are doubles. In a run of T steps, the time lag t has one product for every
 * time origin tau < T - t. If K time origins are requested, only the origins tau < K are used. The
 * result does not depend on the number of threads, the launch shape, the devices, or how the caller
 * divides the steps between calls of g4_push.
 *
 * A program is linked with g4_cpu.c or with g4_gpu.cu. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "g4/identity.h"
#include "pair/beta.h"
#include "pair/factors.h"
#include "pair/sum.h"
#include "stats/blocks.h"
#include "stream/frame.h"

C_LINKAGE_BEGIN

enum g4_method { G4_FACTORED, G4_FFT, G4_DIRECT };

struct g4_params {
    enum frame_type input;           /* FRAME_POSN or FRAME_PAIR */
    enum frame_dtype dtype;          /* of input and beta */
    size_t natoms;                   /* >= 2 */
    int ncomp;                       /* 1..BETA_NCOMPONENTS */
    int component[BETA_NCOMPONENTS]; /* used for POSN input */
    double coef[BETA_NCOMPONENTS];   /* POSN: beta_coef() */
    struct sum sum;                  /* POSN: images */
    struct factors *factors;         /* weights, must outlive the engine; NULL: all 1 */
    enum g4_method method;
    size_t lags;         /* 0 (with G4_FFT): all */
    size_t origins;      /* 0: all */
    size_t blocks;       /* 0: automatic */
    uint64_t steps_hint; /* expected steps, only a hint; 0: unknown */
    /* Reports progress during long sums and transforms on a CPU, in the thread of the caller, or is
     * NULL. */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    int threads;
    /* Only the time origins of `share` are processed, as a part of a run of share.total steps. If
     * share.total is 0, all time origins are used. The caller passes the steps from `from` to
     * share.last + lags - 2, as far as they exist, and may pass later steps. The step `from` is
     * share.first or, if beta has a finite range, the start of the preceding window (g4_lists.h).
     * The blocks of a part are equal, bit for bit, to the same blocks of the whole run. A part of a
     * run cannot be combined with the method `fft` or with the members `origins` and `blocks`. */
    struct stats_share share;
    uint64_t from;
    size_t max_mem;      /* bytes; 0: no limit */
    const char *devices; /* as in gpu_probe */
    /* If `accumulate_f32` is set, a GPU sums the products of 16 steps in f32, for f32 input and the
     * method G4_FACTORED. */
    int accumulate_f32;
};

/* Holds sums over time origins in sums[blocks][lags][ncomp][G4_NFUNCTIONS], and the number of time
 * origins of each sum in counts[blocks][lags]. Blocks are contiguous ranges of time origins in
 * ascending order. With SUM_MESH, a mesh gives the sums A_i (split.h), but G2 contains only tapered
 * pairs. The caller must therefore add the contribution of distant pairs to G2 (g4_tail.h). */
struct g4_result {
    size_t blocks, lags;
    int ncomp;
    uint64_t *counts;
    double *sums;
    uint64_t steps;
    double listed; /* mean pairs in the lists of a window; 0: no lists */
};
void g4_result_free(struct g4_result *r);

struct g4;

/* Returns the number of time origins in a window of neighbour lists (g4_lists.h). A part of a run
 * (--shard) consists of whole windows. */
size_t g4_window(const struct g4_params *p);

/* Opens an engine, if its memory does not exceed max_mem and the memory of the device. The
 * arguments `data` and `box` are step 0 of the whole run, or NULL if the input consists of pairs or
 * has no steps. Step 0 determines whether neighbour lists and a mesh are used. On return, p->sum
 * contains the chosen mesh. On failure, returns NULL with an error message in e. The status of an
 * error is ERR_BAD for invalid parameters, ERR_MEMORY for a lack of memory, or ERR_MACHINE for a
 * device that failed. */
struct g4 *g4_open(struct g4_params *p, const void *data, const struct box *box, struct err *e);

/* Processes nsteps consecutive steps. The data of POSN are positions [nsteps][natoms][3] in Å, with
 * the cells box[nsteps]. The data of PAIR have the shape [nsteps][ncomp][natoms(natoms-1)/2]. The
 * engine copies the data. Returns 0, or -1 on failure (see g4_error), as when sum_check() rejects a
 * cell. */
int g4_push(struct g4 *g, size_t nsteps, const void *data, const struct box *box) FRAME_MUST;

/* Completes the sums after the last step and stores the result in *r. Returns -1 (see g4_error) if
 * there are fewer steps than lags, if memory runs out, if a device fails, or if a sum is not
 * finite. Otherwise, returns 0. */
int g4_finish(struct g4 *g, struct g4_result *r) FRAME_MUST;

const struct err *g4_error(const struct g4 *g);
void g4_close(struct g4 *g); /* NULL is allowed */

C_LINKAGE_END
