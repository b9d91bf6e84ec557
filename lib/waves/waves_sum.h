/* SPDX-License-Identifier: MIT */
/*
 * waves_sum.h: density waves and currents of each species, on the host (waves_sum.c) or on CUDA
 * devices (waves_gpu.cu):
 *     rho_A(q) = sum_{i of A} exp(i q r_i) = sum_i exp(2 pi i (h s_i + k t_i + l u_i)),
 *     j_A(q) = sum_{i of A} v_i exp(i q r_i).
 * Here s, t, u are the fractional coordinates of atom i in the cell of its step, in double
 * (phase.h). The error of a term is below 1e-15 (|h| + |k| + |l|), in addition to that of the
 * positions. Atoms of one species are summed in input order in pieces of WAVES_PIECE, and the
 * pieces in order. The bits are therefore the same for every number of threads and every SIMD
 * level.
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
    bool velocities;              /* compute currents as well */
    int threads;
    uint64_t max_mem;    /* bytes that may be used on the host or device; 0: no limit */
    const char *devices; /* GPU: as in --devices; CPU: ignored */
};

struct waves_sum;

/* Best number of bytes of rho per call. */
size_t waves_sum_bytes(void);

/* Copies what p points to. Returns NULL and sets e: out of memory, or device failure. */
struct waves_sum *waves_sum_open(const struct waves_setup *p, struct err *e);
/* Sets the vectors. The caller owns w and must not change it until the next call. Returns 0, or -1
 * (see waves_sum_error). */
int waves_sum_waves(struct waves_sum *s, const struct waves *w) FRAME_MUST;
/* Computes rho[nsteps][nspecies][kinds][w->n][2] (real part, imaginary part) from pos and vel
 * [nsteps][natoms][3], in Å and Å/ps, in box[nsteps]. The number of kinds is 1, and vel is ignored;
 * with velocities it is 4: rho and the three components of j. Returns 0, or -1 (see
 * waves_sum_error). */
int waves_sum_steps(struct waves_sum *s, size_t nsteps, const void *pos, const void *vel,
                    const struct box *box, double *rho) FRAME_MUST;
const struct err *waves_sum_error(const struct waves_sum *s);
void waves_sum_close(struct waves_sum *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
