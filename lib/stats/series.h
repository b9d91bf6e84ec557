/* SPDX-License-Identifier: MIT */
/*
 * series.h: converts the sums of CORR, HIST and SPEC segments to columns of numbers. Sums are
 * normalised only in this module.
 *
 * CORR segment: sums of F functions of the lag over time origins.
 *   Array 1, u64 [B, L]: time origins per block and lag.
 *   Array 2, f64 [B, L, C, F]: sums over the time origins, for C components and F functions.
 *   Key data.functions: F names, separated by spaces, 1..64 ("G G2 G3 G4"); streams of 0.1.0 lack
 *     this key and contain these four functions.
 *   Key data.component: C names ("xz xy"), needed if components are separate.
 *   Key data.average: "apart" keeps components separate; otherwise their plain mean is taken.
 *   Key data.integral: "trapezoid" adds the running integrals of the functions, "int_G ...", with
 *     times in ps. Deviations are also integrated, so that errors include correlations of lags.
 *   Key data.response: a temperature, K, adds the responses -(1/kT) dC/dt, "response_G ...", with
 *     times in ps and kT in meV, of functions that are even in time. The derivative is of fourth
 *     order (second order at the last two lags) and is also taken of the deviations.
 *   Function = sum of sums / sum of counts. The columns are "t_ps origins G G2 ...", or
 *   "G_xz G2_xz ..." for separate components. If B >= 2, the standard errors "G_se ..." follow.
 *   Lag k is at k * sys.dt_ps. Any function of a lag that is a mean over time origins fits:
 *   velocity and stress correlation, mean square displacement, F(q,t) with q as components.
 *   Key data.excess: "alpha2:msd ..." shows function alpha2 as (sum/count of alpha2) / (sum/count
 *     of msd)² - 1, with deviations to first order.
 *   Key data.axis: name of an axis other than time ("q_A-1"). The first function is then this axis,
 *     its average over the counts is the first column, and rows without counts are left out.
 *   Key data.axis.counts: name of the second column ("vectors").
 *   Key data.axis2: name of a second axis ("q_A-1"), whose C values, data.axis2.values, are the
 *     components. The columns are "t_ps q_A-1 origins F ...", all lags of one value, then the next.
 * HIST segment: pair counts.
 *   Array 1, u64 [B, Q, n]: pairs counted per block, species pair and bin.
 *   Array 2, f64 [B, Q, n]: pairs expected in an ideal gas, summed over steps.
 *   Array 3, f64 [B]: number of steps.
 *   Key data.pairs: names of the species pairs, "A-B ..."; absent or "all" for every pair.
 *   Keys data.rmax, data.bins: the axis, with bin centres (k + 1/2) * rmax / bins.
 *   The column g is count / expected. The column n is the running coordination number up to the
 *   upper edge of the bin, n = (A = B ? 2 : 1) sum count / (steps N_A), from the counts. The
 *   columns are "count g n" for one pair, "count_A-B g_A-B n_A-B" for several ("all": no suffix).
 * SPEC segment: one array f64 [rows, columns] with the axis in column 0.
 *   Key data.columns: names, separated by spaces; NAME_se is the standard error of NAME.
 *   Key data.axis2: column 1 is a second axis. Rows with one value of this axis are consecutive,
 *     and each value has the same number of rows.
 *
 * Standard errors are computed by errors.h from the deviations of blocks.h. Columns are ratios of
 * sums over time origins, or of pairs counted over pairs expected. Any linear transform F of a
 * column has the deviations F dev_b, which include the correlations between rows.
 *   Key data.errors: "blocking" estimates the correlation between blocks row by row; NaN if the run
 *     is too short. Without this key, the blocks are those requested with --blocks.
 *   Key data.runs: "79 40" are the blocks of several runs side by side; absent for one run.
 *   Blocks of a "mean-square-displacement" (data.quantity) share steps up to the lag (errors_walk).
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

#define SERIES_NAME 48       /* longest column name, including NUL */
#define SERIES_COMPONENTS 64 /* components of a PAIR segment, at most; beta.h has five */
#define SERIES_FUNCTIONS 64  /* functions of a CORR segment, at most */
#define SERIES_WORD 21       /* longest name of a function or component, including NUL */
#define SERIES_FIRST 2       /* column of the first function of a CORR segment with one axis */

struct series {
    enum frame_type type; /* FRAME_CORR, FRAME_HIST, FRAME_SPEC */
    size_t rows, cols;
    size_t axes; /* leading columns that are axes: 1 or 2 */
    size_t
        groups; /* values of the second axis (value g: rows [g rows/groups, (g + 1) rows/groups)),
                   or 1 */
    char (*name)[SERIES_NAME]; /* [cols] legend names, "t_ps", "origins", "G", ..., "G_se" */
    double *v;                 /* [rows][cols]; NaN: undefined */
    uint64_t **count;          /* [cols]: exact integers of an integer column ([rows]), else NULL */
    int *se;                   /* [cols]: column with the standard error of each column, or -1 */
    size_t nfunctions, nsets;  /* CORR: nsets (separate components, or 1) times nfunctions columns
                                  from series_first on, then their integrals, if any; else 0 */
    size_t blocks;             /* blocks for the standard errors; 0: none, or unknown (SPEC) */
    double *dev; /* [blocks][rows][cols]: dev_b of columns with an error, else 0; NULL: no blocks */
    double *dof; /* [rows][cols]: degrees of freedom of the error of a value; 0: unknown; NULL: no
                    blocks */
    struct errors errors; /* how blocks give errors of columns or linear transforms */
};

/* Reads and normalises the next segment of r, whose META may have been read already. Returns 1
 * after END was read and verified, 0 at the end of the stream, or -1 and sets e. The META is
 * frame_meta(r) until the next call. Free s with series_free. */
int series_read(struct frame_reader *r, struct series *s, struct err *e) FRAME_MUST;
/* Like series_read, if the caller's frame_next has already read the segment's first array (first
 * may be NULL). */
int series_read_from(struct frame_reader *r, const struct frame *first, struct series *s,
                     struct err *e) FRAME_MUST;
/* Like series_read, but refuses segments other than CORR: "expected WHAT, found ...". */
int series_read_corr(struct frame_reader *r, const char *what, struct series *s,
                     struct err *e) FRAME_MUST;
void series_free(struct series *s);
int series_column(const struct series *s, const char *name); /* index or -1 */
/* Returns the column of the first function of a CORR segment, after the axes and the counts. */
static inline size_t series_first(const struct series *s)
{
    return s->axes + 1;
}
/* Returns the number of rows per value of the second axis, or of all rows without a second axis. */
static inline size_t series_group(const struct series *s)
{
    return s->groups ? s->rows / s->groups : s->rows;
}

/* Copies word i of a space-separated list into word[size]. Returns 1, 0 past the end, or -1 if the
 * word is longer than size - 1 or contains a control character. */
int series_word(const char *list, size_t i, char *word, size_t size);

/* Gets the unit of column or function `name` from a list data.unit.of, "NAME:UNIT ...". Returns
 * false if the name is not in the list (NULL: empty list), so that data.unit applies. */
bool series_unit_of(const char *list, const char *name, char *unit, size_t size);

/* Returns the names of the functions of a CORR segment with this META, as in data.functions. */
const char *series_functions(const struct meta *m);

/* Computes and stores the error and dof of a value, in a column that has a column of errors, from
 * its deviations. The array n gives the content of each block; n is NULL if no block is empty. */
void series_error(struct series *s, size_t row, size_t col, const double *n);
/* Returns the number of rows in which a value is known but its error, in this column, is not. */
size_t series_unknown(const struct series *s, size_t col);

/* Returns the effect of the lag spacing on a running integral: a third of the change caused by
 * taking only every second lag, at *row, the last even row of group g. The estimate is right for a
 * function that begins with a kink, as exp(-t) does, and too large for a smoother function. The
 * integral of function col is series_integral(col). */
double series_coarse(const struct series *s, size_t g, size_t col, size_t *row);
static inline size_t series_integral(const struct series *s, size_t col)
{
    return col + s->nfunctions * s->nsets;
}

/* Allocates rows x cols, all NaN and unnamed, with one axis and no errors, and the deviations of
 * the given number of blocks (0: none), with errors as without data.errors. Returns 0, or -1 if
 * memory runs out (s is then empty). */
int series_alloc(struct series *s, enum frame_type type, size_t rows, size_t cols,
                 size_t blocks) FRAME_MUST;

/* Copies the rows of group g of s to a series with one axis, with errors computed as in s. Returns
 * 0, or -1 if memory runs out (out is then empty). Free out with series_free. */
int series_slice(const struct series *s, size_t g, struct series *out) FRAME_MUST;

/* Write the two arrays of a CORR segment, or the array of a SPEC segment. Return 0 or -1
 * (frame_writer_error). */
int series_put_corr(struct frame_writer *w, size_t blocks, size_t lags, size_t ncomp,
                    size_t nfunctions, const uint64_t *counts, const double *sums) FRAME_MUST;
int series_put_spec(struct frame_writer *w, size_t rows, size_t cols, const double *v) FRAME_MUST;

/* A cursor over the steps of one POSN, PAIR or SERI segment, for tools that print or compare
 * streams (analyses use traj.h). Set r and first; all other fields belong to the cursor. A cursor
 * allocates only the times, cells and velocities of one block. */
struct series_steps {
    struct frame_reader *r;
    struct frame first;     /* first array, if the caller has already read it; else first.data is
                           NULL */
    enum frame_type type;   /* FRAME_POSN, FRAME_PAIR or FRAME_SERI; FRAME_END: no step */
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms, nvalues; /* values per step: 3 natoms, columns * pairs, or columns */
    size_t ncols;           /* 3, components of PAIR, or columns of SERI */
    uint64_t index;         /* index of the step */
    double time;            /* ps; NaN: unknown */
    const void *data;       /* POSN [natoms][3], PAIR [ncols][pairs]; read-only for the caller */
    const double *cell;     /* nine numbers, Å, or NULL: none */
    const void *velocities; /* POSN [natoms][3], Å/ps, like data; NULL: none */
    struct {
        struct frame f;
        double dt, cell[9], *times, *cells; /* times, cells: of the block; NULL: none */
        void *velo;
        struct frame_desc velo_desc;
        size_t at, nsteps;
        bool has_cell, started;
    } own;
};
/* Reads the next step of the segment. Returns 1, 0 at the verified end of the segment, or -1 and
 * sets e. */
int series_steps_next(struct series_steps *s, struct err *e) FRAME_MUST;
void series_steps_free(struct series_steps *s);

#ifdef __cplusplus
}
#endif
#endif
