/* SPDX-License-Identifier: MIT */
/*
 * series.h: from the sums in CORR, HIST and SPEC segments to columns of numbers. Normalisation
 * happens here, once.
 *
 * CORR segment: sums of F functions of the lag, over time origins
 *   array 1 u64 [B, L]: origins a block and lag
 *   array 2 f64 [B, L, C, F]: sums over those origins, C components, F functions
 *   data.functions: F names, space separated, 1..64 ("G G2 G3 G4"); absent in streams of 0.1.0,
 *     which hold those four
 *   data.component: C names ("xz xy"), needed when they stay apart
 *   data.average: "apart": components stay apart; else their plain mean is taken
 *   data.integral: "trapezoid": behind the functions come their running integrals, "int_G ...",
 *     times in ps; the deviations are integrated too, so that errors know how lags hang together
 *   data.response: a temperature, K: behind those comes -(1/kT) dC/dt, "response_G ...", times in ps
 *     and kT in meV, of functions that are even in time: the derivative of fourth order (of second at
 *     the last two lags), of the deviations too
 *   Function = sum of sums / sum of counts. Columns "t_ps origins G G2 ...", or "G_xz G2_xz ..." of
 *   components apart; then, where B >= 2, their standard errors "G_se ...". Lag k is at
 *   k * sys.dt_ps. Any function of a lag that is a mean over origins fits: velocity and stress
 *   correlation, mean square displacement, F(q,t) with the q as components.
 *   data.excess: "alpha2:msd ...": function alpha2 is shown as (sum/count of its own) / (that of
 *   msd)² - 1, its deviations to first order
 *   data.axis: name of another axis than time ("q_A-1"). The first function then is the axis itself,
 *   whose average over what was counted is the first column; rows where nothing was counted are
 *   left out; data.axis.counts names the second column ("vectors").
 *   data.axis2: name of a second axis ("q_A-1"); its C values, data.axis2.values, are the components.
 *   Columns "t_ps q_A-1 origins F ...": all lags of the first value, then those of the second, ...
 * HIST segment
 *   array 1 u64 [B, Q, n]: pairs counted a block, species pair and bin
 *   array 2 f64 [B, Q, n]: pairs expected of an ideal gas, summed over steps
 *   array 3 f64 [B]: number of steps
 *   data.pairs names the species pairs, "A-B ..."; absent or "all": every pair. g = count /
 *     expected.
 *   data.rmax, data.bins give the axis, bin centres (k + 1/2) * rmax / bins. n is the running
 *   coordination number up to the upper edge of the bin, straight from the counts:
 *   n = (A = B ? 2 : 1) sum count / (steps N_A). Columns "count g n" for one pair,
 *   "count_A-B g_A-B n_A-B" for several ("all" stays without a suffix).
 * SPEC segment
 *   one array f64 [rows, columns], names in data.columns (space separated, as the text legend shows
 *   them, NAME_se is the standard error of NAME); column 0 is the axis. data.axis2: column 1 is a
 *   second axis, and rows with one value of it follow each other, as many for each value.
 *
 * Standard errors are those of errors.h from the deviations of blocks.h: columns are ratios, sums
 * or pairs counted over origins or pairs expected. Any linear transform F of a column has the
 * deviations F dev_b, correlations between rows included.
 *   data.errors "blocking": what blocks remember of each other is found row by row; NaN where
 *     the run is too short to know. Absent: the blocks are what was asked for (--blocks).
 *   Blocks of a "mean-square-displacement" (data.quantity) share steps up to the lag (errors_walk).
 *   data.runs: "79 40": blocks of several runs side by side; absent: they are of one run.
 */
#ifndef MBF_SERIES_H
#define MBF_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/errors.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SERIES_NAME 48       /* longest column name, with its NUL */
#define SERIES_COMPONENTS 64 /* of a PAIR segment, at most; beta.h has five */
#define SERIES_FUNCTIONS 64  /* of a CORR segment, at most */
#define SERIES_WORD 21       /* longest name of a function or component, with its NUL */
#define SERIES_FIRST 2       /* column of the first function of a CORR segment with one axis */

struct series {
    enum frame_type type; /* FRAME_CORR, FRAME_HIST, FRAME_SPEC */
    size_t rows, cols;
    size_t axes; /* columns that are axes, the first ones: 1, or 2 */
    size_t
        groups; /* values of the second axis: rows [g rows/groups, (g + 1) rows/groups) have one; else 1 */
    char (*name)[SERIES_NAME]; /* [cols] legend names, "t_ps", "origins", "G", ..., "G_se" */
    double *v;                 /* [rows][cols]; NaN: not defined */
    uint64_t **count;          /* [cols]: exact integers of an integer column ([rows]), else NULL */
    int *se;                   /* [cols]: column that holds the standard error of this one, or -1 */
    size_t nfunctions, nsets;  /* CORR: columns series_first on are nsets (components apart, or 1)
                                  times nfunctions, then their integrals, if any; else 0 */
    size_t blocks;             /* blocks behind the standard errors; 0: none, or not known (SPEC) */
    double *dev; /* [blocks][rows][cols]: dev_b of the columns that have an error, else 0; NULL:
                    no blocks */
    double *dof; /* [rows][cols]: degrees of freedom behind the error of a value, 0: not known;
                    NULL: no blocks */
    struct errors errors; /* how the blocks make an error, of these or of what is linear in them */
};

/*
 * Read the next segment of r (META already seen or not) and normalise it. Returns 1, 0 at the end
 * of the stream, -1 with e. The segment's END has been seen and verified when 1 is returned. The
 * META is frame_meta(r) until the next call. series_free releases what s holds.
 */
int series_read(struct frame_reader *r, struct series *s, struct err *e) FRAME_MUST;
/* The same when the segment's first array was already read by the caller's frame_next (first may be
 * NULL). */
int series_read_from(struct frame_reader *r, const struct frame *first, struct series *s,
                     struct err *e) FRAME_MUST;
/* The same of a CORR segment; others are refused: "expected WHAT, found ...". */
int series_read_corr(struct frame_reader *r, const char *what, struct series *s,
                     struct err *e) FRAME_MUST;
void series_free(struct series *s);
int series_column(const struct series *s, const char *name); /* index or -1 */
/* Column of the first function of a CORR segment: behind the axes and what was counted. */
static inline size_t series_first(const struct series *s)
{
    return s->axes + 1;
}
/* Rows of one value of the second axis; all, where there is none. */
static inline size_t series_group(const struct series *s)
{
    return s->groups ? s->rows / s->groups : s->rows;
}

/* Word i of a space separated list into word[size]: 1, or 0 past the end, -1 when it is longer than
 * size - 1 or holds a control character. */
int series_word(const char *list, size_t i, char *word, size_t size);

/* The unit of column or function `name` in a list of data.unit.of, "NAME:UNIT ...", into unit; false:
 * its unit is data.unit. A NULL list has none. */
bool series_unit_of(const char *list, const char *name, char *unit, size_t size);

/* Names of the functions of a CORR segment with this META, as in data.functions. */
const char *series_functions(const struct meta *m);

/* The error of row and column `col` (one that has a column of errors) from its deviations; n: what
 * each block holds, NULL: all hold something. Into its column of errors and dof. */
void series_error(struct series *s, size_t row, size_t col, const double *n);
/* Rows whose error in this column of errors is not known although the value is. */
size_t series_unknown(const struct series *s, size_t col);

/*
 * What the distance of the lags does to a running integral: a third of what taking every second one
 * does to it at *row, the last even one of group g. That is right where the function begins with a bend, as
 * exp(-t) does; a smoother one has less. col: of the function; its integral is series_integral(col).
 */
double series_coarse(const struct series *s, size_t g, size_t col, size_t *row);
static inline size_t series_integral(const struct series *s, size_t col)
{
    return col + s->nfunctions * s->nsets;
}

/*
 * Make room for rows x cols, all NaN, unnamed, with one axis, without errors, and for the deviations of that many
 * blocks (0: none), which are what was asked for (data.errors absent). 0, or -1 when out of memory (s is then empty).
 */
int series_alloc(struct series *s, enum frame_type type, size_t rows, size_t cols,
                 size_t blocks) FRAME_MUST;

/* The rows of group g of s as a series of one axis, with errors that are made like those of s; NaN
 * and no error where s has them. 0, or -1 when out of memory (out is then empty). series_free. */
int series_slice(const struct series *s, size_t g, struct series *out) FRAME_MUST;

/* Write a CORR segment's two arrays, or a SPEC segment's one. 0 or -1 (frame_writer_error). */
int series_put_corr(struct frame_writer *w, size_t blocks, size_t lags, size_t ncomp,
                    size_t nfunctions, const uint64_t *counts, const double *sums) FRAME_MUST;
int series_put_spec(struct frame_writer *w, size_t rows, size_t cols, const double *v) FRAME_MUST;

/*
 * A cursor over the steps of one POSN, PAIR or SERI segment, for tools that print or compare what is in a
 * stream (analyses use traj.h). Fill r and start; everything else is the cursor's. No memory of its
 * own but one block's times, cells and velocities.
 */
struct series_steps {
    struct frame_reader *r;
    struct frame first; /* first array when the caller has read it already, else first.data NULL */
    enum frame_type type;   /* FRAME_POSN, FRAME_PAIR, FRAME_SERI; FRAME_END: it holds no step */
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms, nvalues; /* values a step: 3 natoms, columns * pairs, or columns */
    size_t ncols;           /* 3, components of PAIR, or columns of SERI */
    uint64_t index;         /* of the step */
    double time;            /* ps; NaN: unknown */
    const void *data;   /* POSN [natoms][3], PAIR [ncols][pairs]; the caller may not change it */
    const double *cell; /* nine numbers, Å, or NULL: none */
    const void *velocities; /* POSN [natoms][3], Å/ps, as data, or NULL: none */
    struct {
        struct frame f;
        double dt, cell[9], *times, *cells; /* times, cells: of the block, NULL when it has none */
        void *velo;
        struct frame_desc velo_desc;
        size_t at, nsteps;
        bool has_cell, started;
    } own;
};
/* Next step of the segment: 1, 0 at its (verified) end, -1 with e. */
int series_steps_next(struct series_steps *s, struct err *e) FRAME_MUST;
void series_steps_free(struct series_steps *s);

#ifdef __cplusplus
}
#endif
#endif
