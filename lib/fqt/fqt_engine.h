/* SPDX-License-Identifier: MIT */
/*
 * fqt_engine.h: engine interface of fqt-cpu and fqt-gpu: products in time of density waves, of
 * currents and of the phases of single atoms,
 *
 *     rho_A(q,t) = sum_{i of A} exp(i q r_i(t))        e_i(q,t) = exp(i q r_i(t))
 *     j_A(q,t)   = sum_{i of A} v_i(t) exp(i q r_i(t)) = its part along q and two across
 *
 * (waves_sum.h has phases and order of the sums). A channel is a species, or the total with weights,
 * sum_A f_A(q) rho_A. One function is, for a lag k and a row of vectors (waves.shell),
 *
 *     sum over origins t of a chunk, over vectors q of the row:  Re conj(a(q,t)) b(q,t + k)
 *
 * with these a and b, in this order (fqt_functions counts them):
 *     F          a = b = rho of the total
 *     F_AB       of each pair of species, half of (rho_A, rho_B) and (rho_B, rho_A)
 *     C_L, C_L_AB...  (currents) the same of q j/|q|
 *     C_T, C_T_AB...  (currents) half of the sum over the two directions across q
 *     F_s_A      (self) of each species, sum over its atoms of e_i with itself, over the vectors of
 *                the row that self[] marks
 *
 * Origins are dealt in chunks of `chunk` steps; a product reaches into the chunks behind, and where
 * the trajectory ends there is none. What a chunk's sums are made of is chunks c to c + J, J =
 * ceil(lags/chunk), each as a whole, and nothing else: who is given those steps alone, from the first
 * of chunk c on, makes the same bits as who has all. Sums over vectors and atoms are in an order that
 * follows from the setup. So an engine gives the same bits every time, for every number of threads,
 * and however the steps are handed in; two engines agree to 1e-12 of what is summed (1e-7 of 1 for
 * F_s where positions are f32, as they are).
 *
 * lags 0: as many as there are steps, known at fqt_finish; chunk is fqt_chunk of that, too, and all
 * steps are held until then. Else steps are dropped as soon as no origin needs them.
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
    const unsigned char *self; /* [w->n] 1: in the self part; NULL: there is none */
    size_t lags;               /* 0: all */
    size_t chunk;              /* origins of a chunk, >= 1; lags 0: of fqt_chunk(steps, parts) */
    size_t parts;
    uint64_t expected; /* steps to come; 0: not known. No promise: room is made for them */
    uint64_t
        origins; /* only so many steps from the first are origins, whole chunks; UINT64_MAX: all */
    int threads;
    uint64_t max_mem;    /* bytes the engine may hold, host or device; 0: no limit */
    const char *devices; /* GPU: as of --devices; CPU: ignored */
    /* The sums of chunk c (0: the first step given), origins [c chunk, c chunk + origins), which are
     * the engine's: sums[lags][rows][functions]. In the order of chunks. 0, or -1: no memory. */
    int (*take)(void *ctx, uint64_t c, size_t origins, size_t lags, const double *sums);
    void *ctx;
};

static inline size_t fqt_functions(const struct fqt_setup *p)
{
    return (1 + p->npairs) * (p->currents ? 3 : 1) + (p->self ? (size_t)p->nspecies : 0);
}

/* Origins of a chunk, so that `lags` are at least `parts` of them; twice that has no prime factor
 * above 7. */
static inline size_t fqt_chunk(size_t lags, size_t parts)
{
    size_t n = lags / parts > 1 ? lags / parts : 1;
    while (smooth_length(n) != n)
        n--;
    return n;
}

struct fqt_engine;

/* What the engine is, for -v and --version. Static. */
const char *fqt_engine_name(void);
/* Is there a machine to run on? 0, or -1 with one clear message. Touches no input. */
int fqt_probe(const char *devices, struct err *e);

/* Copies p itself; what it points to stays the caller's, unchanged. NULL with e: memory, device. */
struct fqt_engine *fqt_open(const struct fqt_setup *p, struct err *e);
/* The next steps: pos[nsteps][natoms][3], Å, and, for currents, vel, Å/ps (else NULL). 0, or -1:
 * fqt_error(). */
int fqt_add(struct fqt_engine *s, size_t nsteps, const void *pos, const void *vel) FRAME_MUST;
/* All steps are in: what is left goes to take. 0, or -1: fqt_error(). */
int fqt_finish(struct fqt_engine *s) FRAME_MUST;
const struct err *fqt_error(const struct fqt_engine *s);
void fqt_close(struct fqt_engine *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
