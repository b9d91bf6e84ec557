/* SPDX-License-Identifier: MIT */
/*
 * pairs.h: beta of all pairs, step by step: how it is chosen and described, which cells it can be
 * computed in, and tables of it by several threads.
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

/* What a pair table is made of. */
struct pairs {
    size_t natoms;
    enum frame_dtype source; /* of the positions: FRAME_F32 or FRAME_F64 */
    enum frame_dtype dtype;  /* of beta, and in which it is computed */
    int ncomp;
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS]; /* beta_coef() of each */
    struct sum sum;                /* which images count */
    struct factors *factors;       /* of every beta; NULL: 1 */
    const char *they;              /* what messages call the atoms; NULL: "atoms" */
};

/* Options that choose beta, as given on the command line. */
enum { PAIRS_ALL = BETA_NCOMPONENTS }; /* component: all five */
struct pairs_choice {
    int component;                   /* enum beta_component or PAIRS_ALL, -1: not given (xz) */
    double sigma, cutoff, prefactor; /* Å, Å, 1; NaN: not given (META, none, 3) */
    const char *sum;                 /* as on the command line; NULL: the default */
    struct factors_choice factors;
};
/* The default sum (sum_choose) goes by META's cell. Axes stay what META says of them all along a
 * stream, so every share of it, and whoever makes its pairs, has the same sum. */
#define PAIRS_CHOICE_NONE                                                                          \
    {                                                                                              \
        .component = -1, .sigma = NAN, .cutoff = NAN, .prefactor = NAN                             \
    }

/* Names of the components with "all", NULL at the end: choices of --component. */
extern const char *const pairs_component_names[];

/* Parameters for positions. 0, or -1 with e: no sigma here nor there, a sum that is none, a cutoff
 * with another sum than mic. *sigma: the one that is used, Å. */
int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, struct err *e) FRAME_MUST;

/* Then the weights and the selection, for the atoms of m. 0, or -1 with e: those of factors_open, a
 * mesh that has no such pairs. pairs_close(p) in every case. */
int pairs_select(const struct pairs_choice *c, const struct meta *m, size_t max_mem,
                 struct pairs *p, struct err *e) FRAME_MUST;
void pairs_close(struct pairs *p); /* of zeros is allowed */

/* Is any of the options given? Its name, or NULL. */
const char *pairs_given(const struct pairs_choice *c);

/* Keys data.component, data.prefactor, data.sigma, data.cutoff, data.sum, data.taper and those of
 * factors.h of m: of a choice, or copied from other META. 0 or -1. */
int pairs_describe(const struct pairs_choice *c, const struct pairs *p, double sigma,
                   struct meta *m);
int pairs_describe_like(const struct meta *from, struct meta *m);
/* The images that count by data.sum, in words for data.convention; absent (mbf 0.1): mic. */
const char *pairs_images(const struct meta *m);

/*
 * Does a taper end so early in this cell that the total G of a dense liquid suffers? 1, with what to
 * tell the user, or 0. From the bound on, G(0) of liquid argon is right to 1 %; below, the error
 * changes its sign three times: the table in g4-cpu(1).
 */
#define PAIRS_TAPER_LEAST 4.5
int pairs_short_taper(const struct pairs *p, double sigma, const struct box *b, char *text,
                      size_t n);

/*
 * Bonded atoms? beta of a pair goes as r^-3, so that the pairs inside of molecules drown all others
 * (water: G2(0) is 435 an atom, dense argon: 2). 1, with what to tell the user, or 0.
 *   near: of a frame's positions [natoms][3], the nearest pair among atoms at most PAIRS_BOND_SPAN
 *     apart in order, as bonded ones are: below PAIRS_BOND sigma; a liquid of 400 K has 0.85
 *   g2: G2(0) an atom, with prefactor 3: above PAIRS_BOND_G2
 */
#define PAIRS_BOND 0.6
#define PAIRS_BOND_SPAN 16
#define PAIRS_BOND_G2 30.0
int pairs_bonded_near(const struct pairs *p, double sigma, const void *pos, const struct box *b,
                      uint64_t frame, char *text, size_t n);
int pairs_bonded_g2(double g2, char *text, size_t n);

/*
 * May beta be computed in these cells, of n frames from `frame` on? 0, or -1 with the reason of
 * sum_check, which names the frame.
 */
int pairs_check_cells(const struct sum *sum, size_t n, const struct box *box, uint64_t frame,
                      struct err *e) FRAME_MUST;

/* Several threads that make tables of beta, or their sums. */
enum pairs_make { PAIRS_TABLES, PAIRS_SUMS };
struct pairs_team;
/* Bytes that it takes; SIZE_MAX: too many pairs. Sums need no table, so O(natoms) a thread. */
size_t pairs_team_bytes(const struct pairs *p, enum pairs_make what, int threads);
struct pairs_team *pairs_team_new(const struct pairs *p, enum pairs_make what,
                                  int threads); /* NULL: out of memory */
void pairs_team_free(struct pairs_team *t);     /* NULL is allowed */

/* n steps pos[n][natoms][3] in p->source (Å), in cells box[n]; frame: number of the first. */
struct pairs_steps {
    size_t n;
    const struct box *box;
    const void *pos;
    uint64_t frame;
};

/* Gets the table of step s, [ncomp][natoms (natoms - 1) / 2] beta in p->dtype, rows i, columns
 * j > i, which is gone afterwards. */
typedef void (*pairs_use)(void *ctx, size_t s, const void *table);

/*
 * Tables of a team of PAIRS_TABLES, each to `use`, in any order and from several threads; sums of a
 * team of PAIRS_SUMS: sums[n][ncomp], S = sum_p beta_p, added in double in a fixed order. 0, or -1
 * when two atoms are at the same place: e (ERR_BAD) names the first such frame and the first such
 * pair in it; steps behind it may be left out.
 */
int pairs_team_tables(struct pairs_team *t, const struct pairs_steps *s, pairs_use use, void *ctx,
                      struct err *e) FRAME_MUST;
int pairs_team_sums(struct pairs_team *t, const struct pairs_steps *s, double *sums,
                    struct err *e) FRAME_MUST;

/* Elements behind each row of positions, and behind a table, that the kernels may overwrite. */
#define PAIRS_SLACK 32

/*
 * Kernels, pairs_simd.c. pairs_wrap: positions wrapped into scratch [3][natoms + slack].
 * pairs_table: a table, or with `sum` one row of it after the other in its place, and the sum of
 * all; returns the first row that is not finite, where it stops, or natoms. pairs_sum: the same sum
 * of a table.
 */
SIMD_DECLARE(void, pairs_wrap,
             (const struct pairs *p, const struct box *b, const void *pos, void *scratch));
SIMD_DECLARE(size_t, pairs_table,
             (const struct pairs *p, int comp, const struct sum_cell *c, const void *scratch,
              void *out, double *sum));
SIMD_DECLARE(size_t, pairs_tables, /* of all components, one behind another */
             (const struct pairs *p, const struct sum_cell *c, const void *scratch, void *out));
SIMD_DECLARE(double, pairs_sum, (enum frame_dtype dtype, size_t natoms, const void *table));

#ifdef __cplusplus
}
#endif
#endif
