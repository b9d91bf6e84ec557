/* SPDX-License-Identifier: MIT */
/*
 * sq_engine.h: engine interface of sq-cpu and sq-gpu: density waves of each species,
 *     rho_A(q) = sum_{i of A} exp(i q r_i) = sum_i exp(2 pi i (h s_i + k t_i + l u_i)),
 * where s, t, u are the fractional coordinates of atom i in the cell of its step, in double
 * (phase.h). The error of a term is below 1e-15 (|h| + |k| + |l|), in addition to that of the
 * positions. Atoms of one species are summed in input order in pieces whose length depends only on
 * the number of atoms, and the pieces in order. An engine therefore gives the same bits for every
 * number of threads and every SIMD level; the two engines agree to within that error. The sums are
 * used by sq_run.h.
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
    uint64_t max_mem;    /* bytes that the engine may use on the host or device; 0: no limit */
    const char *devices; /* GPU: NULL or "0", "3" (a visible device); CPU: ignored */
};

struct sq_engine;

/* Returns the static name of the engine, for -v and --version. */
const char *sq_engine_name(void);
/* Checks that there is a machine to run on; reads no input. Returns 0, or -1 and sets e. */
int sq_probe(const char *devices, struct err *e);

/* Copies what p points to. Returns NULL and sets e: ERR_MEMORY or ERR_MACHINE (device). */
struct sq_engine *sq_open(const struct sq_setup *p, struct err *e);
/* Sets the vectors. The caller owns w and must not change it until the next sq_waves. Returns 0, or
 * -1 (see sq_error). */
int sq_waves(struct sq_engine *s, const struct waves *w) FRAME_MUST;
/* Computes rho[nsteps][nspecies][w->n][2] (real part, imaginary part) from pos[nsteps][natoms][3]
 * in Å in box[nsteps]. Returns 0, or -1 (see sq_error). */
int sq_sum(struct sq_engine *s, size_t nsteps, const void *pos, const struct box *box,
           double *rho) FRAME_MUST;
const struct err *sq_error(const struct sq_engine *s);
void sq_close(struct sq_engine *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
