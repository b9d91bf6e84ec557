/* SPDX-License-Identifier: MIT */
/*
 * g4.h: engine interface of g4-cpu and g4-gpu, which correlate the pair anisotropy in time and
 * split the result by the number of atoms involved.
 *
 * The header identity.h defines the functions G, G2, G3 and G4 and the identity between them. The
 * method direct enumerates pairs of pairs instead (Algorithm 1 of Dawid 2019) and never uses the
 * identity.
 *
 * Beta has the dtype of the run and the same bits on every engine (beta.h). All other values are
 * double. Sums run over time origins: lag t has one product for each origin tau with tau + t < T,
 * or with tau < K if K origins are requested. The result does not depend on the number of threads,
 * the launch shape, the devices or how the caller divided the steps between calls of g4_push.
 *
 * Both lib/g4/g4_cpu.c and cuda/g4/g4_gpu.cu implement these functions; a program links one of
 * them.
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
    enum frame_dtype dtype;          /* dtype of the input and of beta: FRAME_F32 or FRAME_F64 */
    size_t natoms;                   /* >= 2 */
    int ncomp;                       /* 1..BETA_NCOMPONENTS */
    int component[BETA_NCOMPONENTS]; /* POSN: enum beta_component; PAIR: ignored */
    double coef[BETA_NCOMPONENTS];   /* POSN: beta_coef() of each */
    struct sum sum;                  /* POSN: which images count */
    struct factors *factors; /* POSN: factors of every beta, NULL: 1; must outlive the engine */
    enum g4_method method;
    size_t lags;    /* at least 1; 0 with G4_FFT: one lag per step */
    size_t origins; /* number of time origins; 0: all */
    size_t blocks;  /* blocks of time origins, 1: none; 0: the automatic blocks of g4_result.h */
    uint64_t steps_hint; /* expected number of steps, 0: unknown; does not affect the result */
    /* CPU: called in the caller's thread during a long pass or fft's transforms; may be NULL */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    int threads;
    /* Part of the time origins of a run of share.total steps; total 0 means all origins. The caller
     * pushes steps [from, share.last + lags - 1), or fewer if the run ends there; later steps are
     * allowed. The result consists of the blocks of this part, bit for bit as in the whole run. The
     * first step, from, is share.first, or the start of the preceding window (g4_lists.h) if beta
     * has a finite range. Not available with fft, origins or blocks. */
    struct stats_share share;
    uint64_t from;
    size_t max_mem;      /* bytes that the engine may use on the host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "all", "0,2" (visible devices); CPU: ignored */
    int accumulate_f32;  /* GPU, factored, f32 input: add products of 16 steps in f32 */
};

/* The number of origins in each sum is counts[blocks][lags]; the sums over origins are
 * sums[blocks][lags][ncomp][G4_NFUNCTIONS]. Blocks are contiguous ranges of origins in ascending
 * order. The header series.h derives the isotropy and other properties. */
struct g4_result {
    size_t blocks, lags;
    int ncomp;
    uint64_t *counts;
    double *sums;
    uint64_t steps; /* number of steps seen */
    double listed;  /* mean number of listed pairs in a window of steps; 0: all pairs */
    int mesh; /* A comes from a mesh (mesh.h), G2 from tapered pairs: add the tail of g4_tail.h */
};
void g4_result_free(struct g4_result *r);

struct g4;

/* Returns the static name of the engine for -v and --version, for example "CPU, AVX-512, 2 threads"
 * or "NVIDIA H200, CUDA 13.0". */
const char *g4_engine_name(void);

/* Checks that there is a machine to run on, without reading any input. Returns 0, or -1 and sets e
 * (ERR_MACHINE: no device, or driver too old). The argument devices is as in g4_params. */
int g4_probe(const char *devices, struct err *e) FRAME_MUST;

/* Returns the number of origins in a window of neighbour lists (g4_lists.h); a part of a run
 * (--shard) consists of whole windows. */
size_t g4_window(const struct g4_params *p);

/* Opens an engine and checks its memory against max_mem (and the device) before any input is read.
 * Returns NULL and sets e on failure: ERR_BAD (invalid parameters), ERR_MEMORY or ERR_MACHINE. */
struct g4 *g4_open(const struct g4_params *p, struct err *e);

/* Pushes nsteps consecutive steps: POSN [nsteps][natoms][3] (Å) with box[nsteps], which must have
 * passed pairs_check_cells, or PAIR [nsteps][ncomp][natoms(natoms-1)/2]. The data is copied or used
 * before the call returns. The first step pushed decides whether neighbour lists are used. For a
 * part of a run, first call with nsteps 0 and step 0 of the whole run, which then decides instead.
 * Returns 0, or -1 (see g4_error). */
int g4_push(struct g4 *g, size_t nsteps, const void *data, const struct box *box) FRAME_MUST;

/* Finishes after the last step and hands over the result. Returns 0, or -1 (see g4_error): fewer
 * steps than lags, out of memory, device failure, or sums that are not finite. */
int g4_finish(struct g4 *g, struct g4_result *r) FRAME_MUST;

const struct err *g4_error(const struct g4 *g);
void g4_close(struct g4 *g); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
