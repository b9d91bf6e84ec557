/* SPDX-License-Identifier: MIT */
/* fqt_engine.h: defines the engine of fqt-cpu and fqt-gpu, which computes time-lagged products of
 * density waves, of currents and of the phases of single atoms. Phases are computed and summed as
 * in waves_sum.h. The signals are
 *     rho_A(q,t) = sum_{i of A} exp(i q r_i(t)),       e_i(q,t) = exp(i q r_i(t)) and
 *     j_A(q,t)   = sum_{i of A} v_i(t) exp(i q r_i(t)).
 * A channel is a species, or the weighted total sum_A f_A(q) rho_A. For a time lag k and a group of
 * wave vectors (waves.shell), each function is the sum of
 *     Re conj(a(q,t)) b(q,t + k)
 * over time origins t and wave vectors q. The output contains the following functions, in this
 * order.
 *   - F uses a = b = rho of the total.
 *   - F_AB is, for each pair of species, the mean of the products of (rho_A, rho_B) and of (rho_B,
 *     rho_A).
 *   - If currents are requested, C_L, C_L_AB... are the same products of the longitudinal part q
 *     j/|q|.
 *   - If currents are requested, C_T, C_T_AB... are the means over the two directions perpendicular
 *     to q.
 *   - F_s_A is, for each species, the sum over its atoms i of the product of e_i with itself, for
 *     the vectors in self[].
 *
 * Time origins are grouped in chunks of `chunk` steps. The sums of chunk c depend only on the steps
 * of the chunks c to c + J, where J = ceil(lags/chunk), and are the same bit for bit if the engine
 * receives no other steps. The result does not depend on the number of threads or on how the steps
 * are divided between calls. The engines of fqt-cpu and fqt-gpu agree to within 1e-12 of the summed
 * terms. For F_s with f32 positions, the two engines agree to within 1e-7 (F_s is 1 at lag 0).
 *
 * At uneven times, the caller sets the rows of `uneven` before fqt_finish. The pairs of steps of
 * each lag are multiplied one by one, a chunk holds the pairs whose first step is in the chunk, and
 * all steps are kept.
 *
 * If `lags` is 0, there are as many lags as steps, all steps are kept until fqt_finish, and the
 * number of steps determines the length of a chunk (fqt_chunk). If `lags` is above 0, steps that no
 * time origin needs are dropped.
 *
 * The programs fqt-cpu and fqt-gpu are linked with different implementations of waves_sum.h and
 * fqt_transform.h. */
#pragma once

#include <stdbool.h>

#include "base/box.h"
#include "base/err.h"
#include "base/fft_size.h"
#include "select/pair_names.h"
#include "stats/uneven.h"
#include "stream/frame.h"
#include "waves/waves.h"

struct fqt_setup {
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;
    const unsigned char *species; /* [natoms] < nspecies */
    int nspecies;                 /* 1..256 */
    struct box box;               /* of all steps */
    const struct waves *w;        /* rows are w->shell, none empty */
    size_t rows;
    const double *f;                  /* weights [w->n][nspecies] */
    const struct species_pair *pairs; /* [npairs] */
    size_t npairs;
    bool currents;
    const unsigned char *self;   /* [w->n] flags, or NULL */
    const struct uneven *uneven; /* NULL: evenly spaced */
    size_t lags;                 /* 0: all */
    size_t chunk;                /* origins per chunk, >= 1 */
    size_t parts;
    uint64_t expected; /* only a hint, or 0 */
    /* The first `origins` steps, in whole chunks, are time origins (UINT64_MAX for all steps). */
    uint64_t origins;
    int threads;
    uint64_t max_mem;    /* bytes; 0: no limit */
    const char *devices; /* only for fqt-gpu */
    /* Receives sums[lags][rows][functions] of each chunk c, in order from 0, with the number of
     * time origins. The engine owns the array of sums. Returns 0, or -1 if memory runs out. */
    int (*take)(void *ctx, uint64_t c, size_t origins, size_t lags, const double *sums);
    void *ctx;
};

static inline size_t fqt_functions(const struct fqt_setup *p)
{
    return (1 + p->npairs) * (p->currents ? 3 : 1) + (p->self ? (size_t)p->nspecies : 0);
}

/* Returns the largest number n of time origins per chunk up to lags/parts (at least 1) for which 2
 * n has no prime factor above 7. */
static inline size_t fqt_chunk(size_t lags, size_t parts)
{
    size_t n = lags / parts > 1 ? lags / parts : 1;
    while (fft_size(n) != n)
        n--;
    return n;
}

struct fqt_engine;

/* Copies *p, but not the arrays to which p points, which the caller owns and must not change.
 * Returns NULL with an error message in e if memory runs out or a device fails. */
struct fqt_engine *fqt_open(const struct fqt_setup *p, struct err *e);
double fqt_step_bytes(const struct fqt_engine *s);
/* Processes the next steps, whose positions are pos[nsteps][natoms][3] in Å. The velocities `vel`
 * in Å/ps are used for currents, and are NULL otherwise. Returns 0, or -1 on failure (see
 * fqt_error). */
int fqt_add(struct fqt_engine *s, size_t nsteps, const void *pos, const void *vel) FRAME_MUST;
/* Completes the sums after the last step and passes all remaining sums to `take`. Returns 0, or -1
 * on failure. */
int fqt_finish(struct fqt_engine *s) FRAME_MUST;
const struct err *fqt_error(const struct fqt_engine *s);
void fqt_close(struct fqt_engine *s); /* NULL is allowed */
