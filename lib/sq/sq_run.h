/* SPDX-License-Identifier: MIT */
/*
 * sq_run.h: a whole run of sq-*: density waves of every step to sums a shell of |q|, in blocks of
 * steps, and the CORR segment with data.axis that holds them (series.h).
 *
 * With rho_A(q) of sq_engine.h, N_A atoms of species A, x_A = N_A/N, weights f_A(q) (1 where none
 * are given), <f> = sum x_A f_A, <f²> = sum x_A f_A²:
 *
 *     Ashcroft-Langreth  S    = |sum f_A rho_A|² / (N <f²>)
 *                        S_AB = Re rho_A rho_B* / sqrt(N_A N_B)
 *     Faber-Ziman        S    = 1 + (|sum f_A rho_A|² / N - <f²>) / <f>²
 *                        S_AB = 1 + (Re rho_A rho_B* / N - x_A [A = B]) / (x_A x_B)
 *
 * (Ashcroft and Langreth, Phys. Rev. 156, 685, 1967; Faber and Ziman, Phil. Mag. 11, 153, 1965.)
 * Both are linear in the products of waves, vector by vector, so they are summed; the average over
 * vectors and steps is taken when somebody reads the stream. The vectors are chosen anew where the
 * cell changes (waves.h).
 *
 * Blocks are those of stats/blocks.h with 64 sub-blocks a wanted block (4 where they are many);
 * without a wanted number at most 64 sub-blocks, and each is a block.
 */
#ifndef MBF_SQ_RUN_H
#define MBF_SQ_RUN_H

#include "sq/sq_engine.h"
#include "stats/shard.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/* f_A(q): a table with a column a species, straight lines between its rows. One row: the same at
 * every q. */
struct sq_factors {
    size_t rows, n;
    char (*name)[40]; /* [n] species */
    double *q;        /* [rows] ascending, 1/Å; one row: ignored */
    double *f;        /* [rows][n] */
};

struct sq_choice {
    struct sq_setup engine; /* dtype, natoms, species are set by sq_run_open */
    double qmax, qstep;     /* 1/Å; whole shells up to qmax */
    size_t most;            /* wave vectors a step (waves.h) */
    const char *const *names;
    size_t nnames;                    /* wanted pairs "A-B", or "all" */
    const struct sq_factors *factors; /* NULL: 1 */
    size_t blocks;                    /* wanted; 0: as the steps come */
    struct shard shard;               /* opened; n 0: all steps */
    bool faber_ziman;
};

struct sq_run;

/* Begin: m is the input's META. Copies what it needs, but for c->factors. NULL with e: ERR_BAD,
 * ERR_MEMORY, ERR_MACHINE. */
struct sq_run *sq_run_open(const struct sq_choice *c, const struct traj_info *info,
                           const struct meta *m, struct err *e);
/* Steps [first, last) are those to add, of a shard; else all. */
const struct stats_share *sq_run_share(const struct sq_run *r);
/* 0, or -1: sq_run_error(); a cell that is not periodic along all three vectors among others. */
int sq_run_add(struct sq_run *r, const struct traj_block *b) FRAME_MUST;
/* Group the blocks; set the data.* keys of m. 0, or -1: sq_run_error(). */
int sq_run_finish(struct sq_run *r, struct meta *m) FRAME_MUST;
/* The two arrays, and END. 0, or -1: frame_writer_error(). */
int sq_run_put(struct sq_run *r, struct frame_writer *w) FRAME_MUST;
const struct err *sq_run_error(const struct sq_run *r);
/* The vectors of the last step. */
const struct waves *sq_run_waves(const struct sq_run *r);
/* After sq_run_finish: that the sample changed (drift.h), or NULL. Of a share never. */
const char *sq_run_drift(const struct sq_run *r);
void sq_run_close(struct sq_run *r); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
