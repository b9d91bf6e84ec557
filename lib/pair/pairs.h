/* SPDX-License-Identifier: MIT */
/*
 * pairs.h: beta of all pairs, step by step: options, META, supported cells, and tables computed by
 * several threads.
 */
#ifndef MBF_PAIRS_H
#define MBF_PAIRS_H

#include "base/box.h"
#include "base/err.h"
#include "base/simd.h"
#include "pair/beta.h"
#include "pair/factors.h"
#include "pair/sum.h"
#include "stream/frame.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Describes how a pair table is computed. */
struct pairs {
    size_t natoms;
    enum frame_dtype source; /* dtype of the positions: FRAME_F32 or FRAME_F64 */
    enum frame_dtype dtype;  /* dtype of beta and of its computation */
    int ncomp;
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS]; /* beta_coef() of each */
    struct sum sum;                /* which images count */
    struct factors *factors;       /* factors of every beta; NULL: 1 */
    const char *they;              /* name of the atoms in messages; NULL: "atoms" */
};

/* Options that choose beta, as given on the command line. */
enum { PAIRS_ALL = BETA_NCOMPONENTS }; /* component: all five */
struct pairs_choice {
    int component;                   /* enum beta_component or PAIRS_ALL, -1: not given (xz) */
    double sigma, cutoff, prefactor; /* Å, Å, 1; NaN: not given (from META, none, 3) */
    const char *sum;                 /* as on the command line; NULL: the default */
    struct factors_choice factors;
};
/* The default sum (sum_choose) depends on the cell in META. Periodic axes do not change within a
 * stream, so every part of a run (--shard), and every program that computes its pairs, uses the
 * same sum. */
#define PAIRS_CHOICE_NONE                                                                          \
    {                                                                                              \
        .component = -1, .sigma = NAN, .cutoff = NAN, .prefactor = NAN                             \
    }

/* Names of the components with "all", terminated by NULL: the choices of --component. */
extern const char *const pairs_component_names[];

/* Sets the parameters for positions, and *sigma to the value used (Å). Returns 0, or -1 and sets e:
 * no sigma in the options or META, an invalid sum, or a cutoff with a sum other than mic. */
int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, struct err *e) FRAME_MUST;

/* Sets the weights and the selection for the atoms of m, after pairs_choose. Returns 0, or -1 and
 * sets e: see factors_open, or a mesh that does not support the selection. Call pairs_close(p) in
 * either case. */
int pairs_select(const struct pairs_choice *c, const struct meta *m, size_t max_mem,
                 struct pairs *p, struct err *e) FRAME_MUST;
void pairs_close(struct pairs *p); /* p may be all zero */

/* Returns the name of an option that was given, or NULL. */
const char *pairs_given(const struct pairs_choice *c);

/* Sets the keys data.component, data.prefactor, data.sigma, data.cutoff, data.sum, data.taper and
 * the keys of factors.h in m, from the options or copied from other META. Returns 0 or -1. */
int pairs_describe(const struct pairs_choice *c, const struct pairs *p, double sigma,
                   struct meta *m);
int pairs_describe_like(const struct meta *from, struct meta *m);
/* Describes the images of data.sum, for data.convention; a missing key (mbf 0.1) means mic. */
const char *pairs_images(const struct meta *m);

/* Warns if a taper ends so early in this cell that the total G of a dense liquid is inaccurate.
 * Returns 1 and writes the message to text, or returns 0. At or above the limit, G(0) of liquid
 * argon is accurate to 1 %; below it the error changes sign three times (see the table in
 * g4-cpu(1)). */
#define PAIRS_TAPER_LEAST 4.5
int pairs_short_taper(const struct pairs *p, double sigma, const struct box *b, char *text,
                      size_t n);

/*
 * Warns of bonded atoms. Beta of a pair scales as r^-3, so pairs within molecules dominate all
 * other pairs (water: G2(0) is 435 per atom, dense argon: 2). Both functions return 1 and write the
 * message to text, or return 0:
 *     near: the closest pair among atoms at most PAIRS_BOND_SPAN apart in file order is closer than
 *       PAIRS_BOND sigma (a liquid at 400 K reaches 0.85); positions [natoms][3] of one frame
 *     g2: G2(0) per atom, with prefactor 3, is above PAIRS_BOND_G2
 */
#define PAIRS_BOND 0.6
#define PAIRS_BOND_SPAN 16
#define PAIRS_BOND_G2 30.0
int pairs_bonded_near(const struct pairs *p, double sigma, const void *pos, const struct box *b,
                      uint64_t frame, char *text, size_t n);
int pairs_bonded_g2(double g2, char *text, size_t n);

/* Checks that beta can be computed in the cells of n frames from `frame` on. Returns 0, or -1 and
 * sets e to the reason of sum_check and the frame. */
int pairs_check_cells(const struct sum *sum, size_t n, const struct box *box, uint64_t frame,
                      struct err *e) FRAME_MUST;

/* Several threads that compute tables of beta or their sums. */
enum pairs_make { PAIRS_TABLES, PAIRS_SUMS };
struct pairs_team;
/* Bytes needed; SIZE_MAX: too many pairs. Sums need no table and only O(natoms) per thread. */
size_t pairs_team_bytes(const struct pairs *p, enum pairs_make what, int threads);
struct pairs_team *pairs_team_new(const struct pairs *p, enum pairs_make what,
                                  int threads); /* NULL: out of memory */
void pairs_team_free(struct pairs_team *t);     /* NULL is allowed */

/* n steps pos[n][natoms][3] in p->source (Å), cells box[n]; frame is the index of the first. */
struct pairs_steps {
    size_t n;
    const struct box *box;
    const void *pos;
    uint64_t frame;
};

/* Receives the table of step s: beta [ncomp][natoms (natoms - 1) / 2] in p->dtype, rows i, columns
 * j > i. The table is valid only during the call. */
typedef void (*pairs_use)(void *ctx, size_t s, const void *table);

/* pairs_team_tables passes each table of a PAIRS_TABLES team to `use`, in any order and from
 * several threads. pairs_team_sums computes sums[n][ncomp] of a PAIRS_SUMS team, S = sum_p beta_p,
 * in double in a fixed order. Both return 0, or -1 if two atoms coincide: e (ERR_BAD) names the
 * first such frame and its first such pair; later steps may be skipped. */
int pairs_team_tables(struct pairs_team *t, const struct pairs_steps *s, pairs_use use, void *ctx,
                      struct err *e) FRAME_MUST;
int pairs_team_sums(struct pairs_team *t, const struct pairs_steps *s, double *sums,
                    struct err *e) FRAME_MUST;

/* Elements after each row of positions, and after a table, that the kernels may overwrite. */
#define PAIRS_SLACK 32

/* Kernels of pairs_simd.c. pairs_wrap wraps positions into scratch [3][natoms + slack]. pairs_table
 * computes a table and returns the first row that is not finite, where it stops, or natoms; with
 * `sum` it reuses the memory of one row and adds up all rows. pairs_sum computes the same sum from
 * a table. */
SIMD_DECLARE(void, pairs_wrap,
             (const struct pairs *p, const struct box *b, const void *pos, void *scratch));
SIMD_DECLARE(size_t, pairs_table,
             (const struct pairs *p, int comp, const struct sum_cell *c, const void *scratch,
              void *out, double *sum));
SIMD_DECLARE(size_t, pairs_tables, /* tables of all components, consecutive */
             (const struct pairs *p, const struct sum_cell *c, const void *scratch, void *out));
SIMD_DECLARE(double, pairs_sum, (enum frame_dtype dtype, size_t natoms, const void *table));

#ifdef __cplusplus
}
#endif
#endif
