/* SPDX-License-Identifier: MIT */
/* waves_sum.h: computes density waves and currents on the host (waves_sum.c) or on CUDA devices
 * (waves_gpu.cu). For each species A,
 *     rho_A(q) = sum_{i of A} exp(i q r_i) = sum_i exp(2 pi i (h s_i + k t_i + l u_i)) and
 *     j_A(q) = sum_{i of A} v_i exp(i q r_i).
 * The numbers s, t and u are the fractional coordinates of atom i in the cell of its step, in
 * double precision (cis.h). Each term has a rounding error below 1e-15 (|h| + |k| + |l|), in
 * addition to the error of the positions. The atoms of a species are summed in the order of the
 * input, in groups of WAVES_PIECE, and the sums of the groups are added in order. The bits of the
 * result are therefore the same for every number of threads and every SIMD level. */
#pragma once

#include <stdbool.h>

#include "stream/frame.h"
#include "waves/waves.h"

C_LINKAGE_BEGIN

struct waves_setup {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;
    const unsigned char *species; /* [natoms] < nspecies */
    int nspecies;                 /* 1..256 */
    bool velocities;              /* compute currents */
    int threads;
    uint64_t max_mem;    /* bytes; 0: no limit */
    const char *devices; /* --devices, only for GPUs */
};

struct waves_sum;

/* Returns the size of rho in bytes for which a call of waves_sum_steps is most efficient. */
size_t waves_sum_bytes(void);

/* Copies all data to which p points. On failure, returns NULL with an error message in e. */
struct waves_sum *waves_sum_open(const struct waves_setup *p, struct err *e);
/* Sets the wave vectors w, which the caller owns and must not change until the next call of
 * waves_sum_waves. Returns 0 on success, or -1 on failure (see waves_sum_error). */
int waves_sum_waves(struct waves_sum *s, const struct waves *w) FRAME_MUST;
/* Computes rho[nsteps][nspecies][kinds][w->n][2], as real and imaginary parts, from positions in Å
 * and velocities in Å/ps, both [nsteps][natoms][3], in the cells box[nsteps]. Without velocities,
 * rho is the only kind of wave, and `vel` is ignored. With velocities, the four kinds of waves are
 * rho and the three components of j. Returns 0 on success, or -1 on failure (see
 * waves_sum_error). */
int waves_sum_steps(struct waves_sum *s, size_t nsteps, const void *pos, const void *vel,
                    const struct box *box, double *rho) FRAME_MUST;
const struct err *waves_sum_error(const struct waves_sum *s);
void waves_sum_close(struct waves_sum *s); /* s may be NULL */

C_LINKAGE_END
