/* SPDX-License-Identifier: MIT */
/*
 * fqt_engine.h: engine interface of fqt-cpu and fqt-gpu: time-lagged products of density waves, of
 * currents and of the phases of single atoms,
 *     rho_A(q,t) = sum_{i of A} exp(i q r_i(t))        e_i(q,t) = exp(i q r_i(t))
 *     j_A(q,t)   = sum_{i of A} v_i(t) exp(i q r_i(t)) = its part along q and two across
 * (see waves_sum.h for phases and order of the sums). A channel is a species, or the weighted total
 * sum_A f_A(q) rho_A. For a lag k and a row of vectors (waves.shell), each function is
 *     sum over origins t of a chunk, over vectors q of the row:  Re conj(a(q,t)) b(q,t + k)
 * with these a and b, in this order (fqt_functions returns their number):
 *     F          a = b = rho of the total
 *     F_AB       of each pair of species, half of (rho_A, rho_B) and (rho_B, rho_A)
 *     C_L, C_L_AB...  (currents) the same of q j/|q|
 *     C_T, C_T_AB...  (currents) half of the sum over the two directions across q
 *     F_s_A      (self) of each species, sum over its atoms of e_i with itself, over the vectors of
 *                the row that self[] marks.
 *
 * Origins are grouped in chunks of `chunk` steps. Products extend into later chunks, up to the end
 * of the trajectory. The sums of chunk c depend only on chunks c to c + J, J = ceil(lags/chunk),
 * each as a whole. An engine that gets only those steps, starting with the first of chunk c,
 * therefore computes the same bits as one that gets all steps. Sums over vectors and atoms have an
 * order given by the setup, so the bits do not depend on the number of threads or on how steps are
 * divided between calls. Two engines agree to 1e-12 of the summed terms (for F_s with f32
 * positions: to 1e-7 of 1).
 *
 * Zero lags mean as many lags as steps, known only at fqt_finish; chunk is then fqt_chunk of that
 * number, and all steps are kept until the end. Otherwise steps are dropped as soon as no origin
 * needs them.
 *
 * Both fqt_cpu.c and fqt_gpu.cu implement these functions; a program links one of them.
 */
#ifndef MBF_FQT_ENGINE_H
#define MBF_FQT_ENGINE_H

#include <stdbool.h>

#include "base/box.h"
#include "base/err.h"
#include "base/smooth.h"
#include "stats/pair_names.h"
#include "stream/frame.h"
#include "waves/waves.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fqt_setup {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;
    const unsigned char *species; /* [natoms], values < nspecies */
    int nspecies;                 /* 1..256 */
    struct box box;               /* of every step */
    const struct waves *w;        /* row of vector v: w->shell[v], 0..rows-1, none empty */
    size_t rows;
    const double *f;                  /* [w->n][nspecies] weights of the total */
    const struct species_pair *pairs; /* [npairs] */
    size_t npairs;
    bool currents;
    const unsigned char *self; /* [w->n] 1: used in the self part; NULL: no self part */
    size_t lags;               /* 0: all */
    size_t chunk; /* origins per chunk, >= 1; lags 0: fqt_chunk(steps, parts) is used */
    size_t parts;
    uint64_t expected; /* expected number of steps, to allocate memory; 0: unknown; may be wrong */
    uint64_t origins;  /* number of origins from the first step on, whole chunks; UINT64_MAX: all */
    int threads;
    uint64_t max_mem;    /* bytes that the engine may use on the host or device; 0: no limit */
    const char *devices; /* GPU: as in --devices; CPU: ignored */
    /* Receives the sums of chunk c (0: the first step given) with origins [c chunk, c chunk +
     * origins): sums[lags][rows][functions], owned by the engine. Chunks come in order. Returns 0,
     * or -1 if out of memory. */
    int (*take)(void *ctx, uint64_t c, size_t origins, size_t lags, const double *sums);
    void *ctx;
};

static inline size_t fqt_functions(const struct fqt_setup *p)
{
    return (1 + p->npairs) * (p->currents ? 3 : 1) + (p->self ? (size_t)p->nspecies : 0);
}

/* Returns the number of origins per chunk, such that `lags` are at least `parts` chunks; twice this
 * number has no prime factor above 7. */
static inline size_t fqt_chunk(size_t lags, size_t parts)
{
    size_t n = lags / parts > 1 ? lags / parts : 1;
    while (smooth_length(n) != n)
        n--;
    return n;
}

struct fqt_engine;

/* Returns the static name of the engine, for -v and --version. */
const char *fqt_engine_name(void);
/* Checks that there is a machine to run on; reads no input. Returns 0, or -1 and sets e. */
int fqt_probe(const char *devices, struct err *e);

/* Copies p itself; the caller owns what it points to and must not change it. Returns NULL and sets
 * e: out of memory, or device failure. */
struct fqt_engine *fqt_open(const struct fqt_setup *p, struct err *e);
/* Adds the next steps: pos[nsteps][natoms][3] in Å and, for currents, vel in Å/ps (otherwise NULL).
 * Returns 0, or -1 (see fqt_error). */
int fqt_add(struct fqt_engine *s, size_t nsteps, const void *pos, const void *vel) FRAME_MUST;
/* Finishes after the last step and passes all remaining sums to take. Returns 0, or -1. */
int fqt_finish(struct fqt_engine *s) FRAME_MUST;
const struct err *fqt_error(const struct fqt_engine *s);
void fqt_close(struct fqt_engine *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
