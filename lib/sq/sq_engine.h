/* SPDX-License-Identifier: MIT */
/* sq_engine.h: engine interface of sq-cpu and sq-gpu, which compute density waves. For each species
 * A,
 *     rho_A(q) = sum_{i of A} exp(i q r_i) = sum_i exp(2 pi i (h s_i + k t_i + l u_i)).
 * Here s, t, u are the fractional coordinates of atom i in the cell of its step, in double
 * (cis.h). In addition to the error of the positions, each term has an error below 1e-15 (|h| +
 * |k| + |l|). Atoms of one species are summed in input order, in groups whose length depends only
 * on the number of atoms, and the groups are added in order. An engine therefore gives the same
 * bits for every number of threads and every SIMD level. The two engines agree to within the above
 * error.
 *
 * Both sq_cpu.c and sq_gpu.cu implement these functions; a program links one of them. */
#pragma once

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
    const unsigned char *species; /* [natoms] < nspecies */
    int nspecies;                 /* 1..256 */
    int threads;
    uint64_t max_mem;    /* bytes; 0: no limit */
    const char *devices; /* one device; GPU only */
};

struct sq_engine;

/* Returns the static name of the engine, for -v and --version. */
const char *sq_engine_name(void);
/* Checks that a usable machine exists, without reading input. Returns 0, or -1 and sets e. */
int sq_probe(const char *devices, struct err *e);

/* Copies all data to which p points. Returns NULL and sets e if memory runs out (ERR_MEMORY) or the
 * device fails (ERR_MACHINE). */
struct sq_engine *sq_open(const struct sq_setup *p, struct err *e);
/* Sets the wave vectors. The caller owns w and must not change it until the next call of sq_waves.
 * Returns 0, or -1 (see sq_error). */
int sq_waves(struct sq_engine *s, const struct waves *w) FRAME_MUST;
/* Computes rho[nsteps][nspecies][w->n][2], as real and imaginary parts, from the positions
 * pos[nsteps][natoms][3] in Å and the cells box[nsteps]. Returns 0, or -1 (see sq_error). */
int sq_sum(struct sq_engine *s, size_t nsteps, const void *pos, const struct box *box,
           double *rho) FRAME_MUST;
const struct err *sq_error(const struct sq_engine *s);
void sq_close(struct sq_engine *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
