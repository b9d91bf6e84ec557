/* SPDX-License-Identifier: MIT */
/*
 * waves_sum.h: density waves and currents of each species, on the processor (waves_sum.c) or on
 * CUDA devices (waves_gpu.cu):
 *
 *     rho_A(q) = sum_{i of A} exp(i q r_i) = sum_i exp(2 pi i (h s_i + k t_i + l u_i)),
 *     j_A(q) = sum_{i of A} v_i exp(i q r_i),
 *
 * s, t, u the fractional coordinates of atom i in the cell of its step, in double (phase.h): the
 * error of a term is below 1e-15 (|h| + |k| + |l|), besides that of the positions. Atoms of one
 * species are summed in the order of the input in pieces of WAVES_PIECE, and pieces in their order:
 * the same bits every time, for every number of threads and SIMD level.
 */
#ifndef MBF_WAVES_SUM_H
#define MBF_WAVES_SUM_H

#include <stdbool.h>

#include "stream/frame.h"
#include "waves/waves.h"

#ifdef __cplusplus
extern "C" {
#endif

struct waves_setup {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;
    const unsigned char *species; /* [natoms], values < nspecies */
    int nspecies;                 /* 1..256 */
    bool velocities;              /* currents, too */
    int threads;
    uint64_t max_mem;    /* bytes it may hold, host or device; 0: no limit */
    const char *devices; /* GPU: as of --devices; CPU: ignored */
};

struct waves_sum;

/* So many bytes of rho at a time are best. */
size_t waves_sum_bytes(void);

/* Copies what p points to. NULL with e: memory, device. */
struct waves_sum *waves_sum_open(const struct waves_setup *p, struct err *e);
/* The vectors from now on; w stays the caller's, unchanged until the next call. 0, or -1:
 * waves_sum_error(). */
int waves_sum_waves(struct waves_sum *s, const struct waves *w) FRAME_MUST;
/* rho[nsteps][nspecies][kinds][w->n][2] (real part, imaginary part) of pos and vel
 * [nsteps][natoms][3], Å and Å/ps, in box[nsteps]. kinds: 1, vel is ignored; with velocities 4: rho
 * and the three components of j. 0, or -1: waves_sum_error(). */
int waves_sum_steps(struct waves_sum *s, size_t nsteps, const void *pos, const void *vel,
                    const struct box *box, double *rho) FRAME_MUST;
const struct err *waves_sum_error(const struct waves_sum *s);
void waves_sum_close(struct waves_sum *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
