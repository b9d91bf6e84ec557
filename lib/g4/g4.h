/* SPDX-License-Identifier: MIT */
/*
 * g4.h: engine interface of g4-cpu and g4-gpu: lag products of the pair anisotropy, split by the
 * number of atoms.
 *
 * The functions G, G2, G3, G4 and the identity between them: identity.h. Method direct enumerates
 * pairs of pairs instead (Algorithm 1 of Dawid 2019) and never uses the identity.
 *
 * Numbers: beta in the dtype of the run (beta.h: bit-identical on every engine), everything else in
 * double. Sums run over time origins: lag t has one product for each origin tau with tau + t < T,
 * or tau < K with origins K. The result does not depend on threads, launch shape, devices or how
 * the steps were cut into blocks of g4_push.
 *
 * Both lib/g4/g4_cpu.c and cuda/g4/g4_gpu.cu implement these functions; a program links one of them.
 */
#ifndef MBF_G4_H
#define MBF_G4_H

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

#ifdef __cplusplus
extern "C" {
#endif

enum g4_method { G4_FACTORED, G4_FFT, G4_DIRECT };

struct g4_params {
    enum frame_type input;           /* FRAME_POSN or FRAME_PAIR */
    enum frame_dtype dtype;          /* of the input and of beta: FRAME_F32 or FRAME_F64 */
    size_t natoms;                   /* >= 2 */
    int ncomp;                       /* 1..BETA_NCOMPONENTS */
    int component[BETA_NCOMPONENTS]; /* POSN: enum beta_component; PAIR: ignored */
    double coef[BETA_NCOMPONENTS];   /* POSN: beta_coef() of each */
    struct sum sum;                  /* POSN: which images count */
    struct factors *factors;         /* POSN: of every beta, NULL: 1; outlives the engine */
    enum g4_method method;
    size_t lags;         /* >= 1; with G4_FFT, 0: as many as there are steps */
    size_t origins;      /* 0: all */
    size_t blocks;       /* of origins, 1: none; 0: those of g4_result.h, for errors.h */
    uint64_t steps_hint; /* number of steps expected, 0: unknown; may not change the result */
    /* CPU: of a long pass, or of fft's transforms, told in the caller's thread; NULL: nobody asks */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    int threads;
    /*
     * A share of the origins, of a run of share.total steps; total 0: all. Then steps
     * [from, share.last + lags - 1) are pushed, as far as there are, more behind them or not, and
     * the result is that of the share's blocks, bit for bit as in the whole. from: share.first, or
     * the begin of the window before its own (g4_lists.h) where beta ends. Not with fft, origins or blocks.
     */
    struct stats_share share;
    uint64_t from;
    size_t max_mem;      /* bytes the engine may hold, host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "all", "0,2" (visible devices); CPU: ignored */
    int accumulate_f32;  /* GPU, factored, f32 input: products of 16 steps added in f32; CPU:
                           ignored */
};

/*
 * Result. counts[blocks][lags]: origins in each sum. sums[blocks][lags][ncomp][G4_NFUNCTIONS]: sums
 * over origins. Blocks are contiguous ranges of origins, in order. isotropy etc. are derived
 * elsewhere (series.h).
 */
struct g4_result {
    size_t blocks, lags;
    int ncomp;
    uint64_t *counts;
    double *sums;
    uint64_t steps; /* steps seen */
    double listed;  /* pairs in the neighbour list of a window of steps, their mean; 0: all pairs */
    int mesh;       /* A from a mesh (mesh.h), G2 of tapered pairs: g4_tail.h is to be added */
};
void g4_result_free(struct g4_result *r);

struct g4;

/*
 * What the engine is, for -v and --version: "CPU, AVX-512, 2 threads" or "NVIDIA H200, CUDA 13.0".
 * Static.
 */
const char *g4_engine_name(void);

/*
 * Is there a machine to run on? 0, or -1 with one clear message (ERR_MACHINE: no device, driver too
 * old). Touches no input. devices as in g4_params.
 */
int g4_probe(const char *devices, struct err *e) FRAME_MUST;

/* Origins of a window of neighbour lists (g4_lists.h): shares take whole ones. */
size_t g4_window(const struct g4_params *p);

/*
 * Memory is checked here against max_mem (and the device), before anything is read. Returns NULL
 * with e: ERR_BAD (parameters that cannot be), ERR_MEMORY, ERR_MACHINE.
 */
struct g4 *g4_open(const struct g4_params *p, struct err *e);

/*
 * Push nsteps consecutive steps: POSN [nsteps][natoms][3] (Å) with box[nsteps], which must have
 * passed pairs_check_cells, PAIR [nsteps][ncomp][natoms(natoms-1)/2]. The data is copied or used
 * before the call returns. nsteps 0, of a share, first of all: data and box are step 0 of the whole,
 * which decides on lists (else the first step pushed does). 0, or -1: g4_error().
 */
int g4_push(struct g4 *g, size_t nsteps, const void *data, const struct box *box) FRAME_MUST;

/*
 * All steps are in: finish and hand over the result. 0, or -1: g4_error() (fewer steps than lags,
 * memory, device, sums that are not finite).
 */
int g4_finish(struct g4 *g, struct g4_result *r) FRAME_MUST;

const struct err *g4_error(const struct g4 *g);
void g4_close(struct g4 *g); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
