/* SPDX-License-Identifier: MIT */
/*
 * sq_engine.h: engine interface of sq-cpu and sq-gpu: density waves of each species,
 *
 *     rho_A(q) = sum_{i of A} exp(i q r_i) = sum_i exp(2 pi i (h s_i + k t_i + l u_i)),
 *
 * s, t, u the fractional coordinates of atom i in the cell of its step, in double (phase.h): the
 * error of a term is below 1e-15 (|h| + |k| + |l|), besides that of the positions. Atoms of one
 * species are summed in the order of the input in pieces whose length is a function of their number
 * alone, and pieces in their order, so an engine gives the same bits every time, for every number
 * of threads and SIMD level; the two agree to that error. What is made of the sums is sq_run.h's.
 *
 * Both sq_cpu.c and sq_gpu.cu implement these functions; a program links one of them.
 */
#ifndef MBF_SQ_ENGINE_H
#define MBF_SQ_ENGINE_H

#include "base/box.h"
#include "base/err.h"
#include "stream/frame.h"
#include "waves/waves.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sq_setup {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;
    const unsigned char *species; /* [natoms], values < nspecies */
    int nspecies;                 /* 1..256 */
    int threads;
    uint64_t max_mem;    /* bytes the engine may hold, host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "3" (a visible device); CPU: ignored */
};

struct sq_engine;

/* What the engine is, for -v and --version. Static. */
const char *sq_engine_name(void);
/* Is there a machine to run on? 0, or -1 with one clear message. Touches no input. */
int sq_probe(const char *devices, struct err *e);

/* Copies what p points to. NULL with e: ERR_MEMORY, ERR_MACHINE (device). */
struct sq_engine *sq_open(const struct sq_setup *p, struct err *e);
/* The vectors from now on; w stays the caller's, unchanged until the next sq_waves. 0, or -1:
 * sq_error(). */
int sq_waves(struct sq_engine *s, const struct waves *w) FRAME_MUST;
/* rho[nsteps][nspecies][w->n][2] (real part, imaginary part) of pos[nsteps][natoms][3], Å, in
 * box[nsteps]. 0, or -1: sq_error(). */
int sq_sum(struct sq_engine *s, size_t nsteps, const void *pos, const struct box *box,
           double *rho) FRAME_MUST;
const struct err *sq_error(const struct sq_engine *s);
void sq_close(struct sq_engine *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
