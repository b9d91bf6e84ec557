/* SPDX-License-Identifier: MIT */
/* fqt_engine.h: defines the engine of fqt-cpu and fqt-gpu, which computes time-lagged products of
 * density waves, of currents and of the phases of single atoms. The phases and the order of
 * summation are the same as in waves_sum.h. The signals are
 *     rho_A(q,t) = sum_{i of A} exp(i q r_i(t)),       e_i(q,t) = exp(i q r_i(t)) and
 *     j_A(q,t)   = sum_{i of A} v_i(t) exp(i q r_i(t)).
 * A channel is a species, or the weighted total sum_A f_A(q) rho_A. For a time lag k and a group of
 * wave vectors (waves.shell), each function is the sum of
 *     Re conj(a(q,t)) b(q,t + k)
 * over time origins t and wave vectors q. The functions, in their order, use the following signals
 * a and b.
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
 * Time origins are grouped in chunks of `chunk` steps. A product may need steps of later chunks, up
 * to the end of the trajectory. The sums of chunk c depend only on the steps of the chunks c to c +
 * J, where J = ceil(lags/chunk). An engine that receives only the chunks c to c + J therefore gives
 * the same bits as an engine that receives all steps. The setup determines the order of the sums
 * over vectors and atoms. The bits of the result therefore depend neither on the number of threads
 * nor on how the steps are divided between calls. The engines of fqt-cpu and fqt-gpu agree to
 * within 1e-12 of the summed terms. For F_s with f32 positions, both engines agree to within 1e-7,
 * relative to the value 1 at lag 0.
 *
 * If `uneven` is set, each lag is a row of pairs of steps, which are multiplied one by one. In this
 * case, a chunk holds the pairs whose first step is in the chunk. All steps are kept.
 *
 * If `lags` is 0, there are as many lags as steps. If `lags` is 0, all steps are kept until
 * fqt_finish, and fqt_chunk() computes the length of the chunks from the number of steps. If `lags`
 * is above 0, steps that no time origin needs are dropped.
 *
 * The functions of waves_sum.h and fqt_transform.h have separate versions for the CPU and for the
 * GPU, with which fqt-cpu and fqt-gpu are linked. */
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
    struct box box;               /* cell, which is the same for all steps */
    const struct waves *w;        /* The shells w->shell are the rows of the result, and no shell is
                                   * empty. */
    size_t rows;
    const double *f;                  /* weights [w->n][nspecies] */
    const struct species_pair *pairs; /* [npairs] */
    size_t npairs;
    bool currents;
    const unsigned char *self;   /* [w->n] flags, or NULL */
    const struct uneven *uneven; /* rows of steps at uneven times, or NULL. The caller sets the rows
                                  * of uneven steps before fqt_finish. */
    size_t lags;                 /* 0: all */
    size_t chunk;                /* origins per chunk, >= 1 */
    size_t parts;
    uint64_t expected; /* expected number of steps, or 0 if unknown, which does not change the
                        * result */
    uint64_t origins;  /* number of leading steps that are time origins, in whole chunks, or
                        * UINT64_MAX for all steps */
    int threads;
    uint64_t max_mem;    /* bytes; 0: no limit */
    const char *devices; /* value of --devices, which only fqt-gpu uses */
    /* Function that receives sums[lags][rows][functions] of chunk c, which has the given number of
     * time origins. The engine calls take() for the chunks in order, from c = 0. The engine owns
     * the array of sums. Returns 0, or -1 if memory runs out. */
    int (*take)(void *ctx, uint64_t c, size_t origins, size_t lags, const double *sums);
    void *ctx;
};

static inline size_t fqt_functions(const struct fqt_setup *p)
{
    return (1 + p->npairs) * (p->currents ? 3 : 1) + (p->self ? (size_t)p->nspecies : 0);
}

/* Returns the number of time origins per chunk. The number n of time origins per chunk is at most
 * lags/parts but at least 1, and 2 n has no prime factor above 7. */
static inline size_t fqt_chunk(size_t lags, size_t parts)
{
    size_t n = lags / parts > 1 ? lags / parts : 1;
    while (fft_size(n) != n)
        n--;
    return n;
}

struct fqt_engine;

/* Creates an engine. The engine copies *p, but not the arrays to which p points. The caller owns
 * the arrays and must not change them. Returns NULL with an error message in e if memory runs out
 * or a device fails. */
struct fqt_engine *fqt_open(const struct fqt_setup *p, struct err *e);
/* Returns the memory per stored step, in bytes. */
double fqt_step_bytes(const struct fqt_engine *s);
/* Processes the next steps, whose positions are pos[nsteps][natoms][3] in Å. If currents are
 * requested, `vel` holds the velocities in Å/ps. Otherwise `vel` is NULL. Returns 0 on success, or
 * -1 on failure (see fqt_error). */
int fqt_add(struct fqt_engine *s, size_t nsteps, const void *pos, const void *vel) FRAME_MUST;
/* Completes the run after the last step and passes all remaining sums to `take`. Returns 0, or -1
 * on failure. */
int fqt_finish(struct fqt_engine *s) FRAME_MUST;
const struct err *fqt_error(const struct fqt_engine *s);
void fqt_close(struct fqt_engine *s); /* NULL is allowed */
