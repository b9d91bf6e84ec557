/* SPDX-License-Identifier: MIT */
/* series.h: converts CORR, HIST and SPEC segments to columns of numbers. All sums are normalised in
 * this module only.
 *
 * A CORR segment contains sums over time origins of F functions of the time lag.
 *   - Array 1, u64 [B, L], holds the number of time origins per block and lag.
 *   - Array 2, f64 [B, L, C, F], holds the sums over time origins for C components and F functions.
 *   - The key data.functions lists the names of the F functions (1 to 64), separated by blanks ("G
 *     G2 G3 G4"). Streams of version 0.1.0 do not have the key data.functions, and contain these
 *     four functions.
 *   - The key data.component lists the names of the C components ("xz xy"). The key data.component
 *     is needed if the components are separate.
 *   - The key data.average has the value "apart" if the components are separate. If the components
 *     are not separate, the columns are means over the components.
 *   - If the key data.integral has the value "trapezoid", the running integrals of the functions
 *     over time in ps are added as columns "int_G ...". Deviations are integrated in the same way,
 *     so that errors include the correlations between lags.
 *   - The key data.response contains a temperature in K. The responses -(1/kT) dC/dt at this
 *     temperature are added as columns "response_G ...", with times in ps and kT in meV. The
 *     functions must be even in time if the key data.response is given. The derivative dC/dt is
 *     accurate to fourth order, and at the last two lags to second order. Deviations are
 *     differentiated in the same way as the functions.
 *   - The value of a function is the total of its sums over all blocks, divided by the total of the
 *     counts. The columns are "t_ps origins G G2 ...", or "G_xz G2_xz ..." for separate components.
 *     If there are two or more blocks, columns with the standard errors "G_se ..." follow. The time
 *     of lag k is k * sys.dt_ps. Any function of the lag that is a mean over time origins can be
 *     stored in a CORR segment. For example, F(q,t) has the values of q as components.
 *   - If the key data.excess has the value "alpha2:msd ...", the function alpha2 is shown as
 *     (sum/count of alpha2) / (sum/count of msd)² - 1. The deviations of alpha2 are correct to
 *     first order.
 *   - The key data.axis names an axis other than time ("q_A-1"). If data.axis is given, the first
 *     function holds the values of the axis, and its mean is the first column. Rows without counts
 *     are omitted.
 *   - The key data.axis.counts contains the name of the second column ("vectors").
 *   - The key data.axis2 names a second axis ("q_A-1"). The C values of the second axis
 *     (data.axis2.values) are the components. The columns are then "t_ps q_A-1 origins F ...", and
 *     all lags for one value of the second axis precede the next value.
 * A HIST segment contains counts of pairs.
 *   - Array 1, u64 [B, Q, n], holds the number of pairs that were counted per block, species pair
 *     and bin.
 *   - Array 2, f64 [B, Q, n], holds the number of pairs that an ideal gas would have, summed over
 *     steps.
 *   - Array 3, f64 [B], holds the number of steps per block.
 *   - The key data.pairs lists the species pairs, "A-B ...". If there is a single histogram of all
 *     atoms, data.pairs is "all" or missing.
 *   - The keys data.rmax and data.bins define the axis, whose values are the bin centres (k + 1/2)
 *     * rmax / bins.
 *   - The column g is the count divided by the expected count. The column n is the coordination
 *     number up to the upper edge of the bin. The coordination number is the sum of count / (steps
 *     N_A) over the bins, or twice this sum if A = B. The columns are "count g n" if there is one
 *     pair, and "count_A-B g_A-B n_A-B" if there are several. The names for the pair "all" have no
 *     suffix.
 *   - The key data.lags lists the time lags of van Hove functions, which are the second axis (see
 *     mbf(5)).
 *   - The key data.self lists the species of histograms of displacements, whose columns are
 *     "count_s G_s n_s" or "count_s_A ...".
 * A SPEC segment contains one array f64 [rows, columns], with the axis in column 0.
 *   - The key data.columns lists the names of the columns, separated by blanks. The column NAME_se
 *     contains the standard error of the column NAME.
 *   - If there is a key data.axis2, column 1 is a second axis. Rows with the same value of the
 *     second axis are consecutive, and each value has the same number of rows.
 *
 * The module errors.h computes standard errors from the deviations that blocks.h defines. A column
 * is a sum divided by the number of time origins, or a number of counted pairs divided by the
 * number of expected pairs. Any linear transform F of a column has the deviations F dev_b. The
 * deviations of a transform include the correlations between rows.
 *   - The key data.errors has the value "blocking" if the correlation between blocks is estimated
 *     for each column. If the run is too short to estimate the correlation, the errors are NaN. The
 *     key data.errors is missing if the number of blocks was requested with --blocks.
 *   - The key data.runs lists the number of blocks of each run, such as "79 40". If there is a
 *     single run, the key data.runs is missing.
 *   - The key data.scatter lists the scatter of mean square displacements between points (mbf(5)).
 *   - If data.quantity is "mean-square-displacement", time origins in different blocks have steps
 *     in common. The errors of mean square displacements take this overlap into account
 *     (errors_column). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/errors.h"
#include "stream/traj.h"

C_LINKAGE_BEGIN

#define SERIES_NAME 48      /* largest length of the name of a column, with its NUL */
#define SERIES_FUNCTIONS 64 /* largest number of functions of a CORR segment */
/* largest length of the name of a function or component, with its NUL */
#define SERIES_WORD 21
#define SERIES_FIRST                                                                               \
    2 /* index of the column of the first function in a CORR segment with one axis */

struct series {
    enum frame_type type; /* type of the segment: FRAME_CORR, FRAME_HIST or FRAME_SPEC */
    size_t rows, cols;
    size_t axes;               /* number of columns at the start that are axes */
    size_t groups;             /* number of values of the second axis, or 1 */
    char (*name)[SERIES_NAME]; /* names of the columns [cols], such as "t_ps" or "G_se" */
    double *v;                 /* values [rows][cols], which are NaN if undefined */
    uint64_t **count;          /* exact integers [rows] of a column of integers, otherwise NULL */
    int *se;                   /* index of the column with the standard error of each column, or
                                * -1 */
    size_t nfunctions, nsets;  /* The columns of the functions begin at series_first(), in nsets
                                * sets of nfunctions columns each. */
    size_t blocks;             /* number of blocks, or 0 if there are none or the number is
                                * unknown */
    double *dev; /* deviations dev_b [blocks][rows][cols], or NULL if there are no blocks. For
                  * columns without errors, the deviations are 0. */
    double *dof; /* degrees of freedom of the errors [rows][cols], which are 0 if unknown. The
                  * pointer dof is NULL if there are no blocks. */
    /* For each column [cols], `samples` is the smallest number of independent samples in any row
     * that has an error. The member `lacking` is the number of independent samples in the first row
     * without an error, or INFINITY if there is no such row. */
    double *samples, *lacking;
    double span;          /* length of the run in ps, or 0 if unknown */
    struct errors errors; /* correlations of blocks */
};

/* Reads and normalises the next segment of r, whose META may have been read already. Returns 1 if
 * the segment was read up to its END and verified, 0 at the end of the stream, or -1 with an error
 * message in e. The function frame_meta(r) returns the META of this segment until the next call.
 * Free s with series_free. */
int series_read(struct frame_reader *r, struct series *s, struct err *e) FRAME_MUST;
/* Works like series_read if the caller has already read the first array of the segment with
 * frame_next. The pointer `first` to this array may be NULL. */
int series_read_from(struct frame_reader *r, const struct frame *first, struct series *s,
                     struct err *e) FRAME_MUST;
/* Works like series_read, but accepts only CORR segments. For any other segment, the error message
 * is "expected WHAT, found ...". */
int series_read_corr(struct frame_reader *r, const char *what, struct series *s,
                     struct err *e) FRAME_MUST;
void series_free(struct series *s);
int series_column(const struct series *s, const char *name); /* returns the index or -1 */
/* Returns true if the function in column `col` of a CORR segment has decayed at the last lag. A
 * function has decayed if its value is below 1 % of the value at lag 0, or is 0 within three
 * standard errors. */
bool series_decayed(const struct series *s, size_t col);
/* Returns the index of the column of the first function in a CORR segment, after the axes and the
 * counts. */
static inline size_t series_first(const struct series *s)
{
    return s->axes + 1;
}
/* Returns the number of rows per value of the second axis, or the number of all rows if there is no
 * second axis. */
static inline size_t series_group(const struct series *s)
{
    return s->groups ? s->rows / s->groups : s->rows;
}

/* Copies word i of a list, in which blanks separate the words, into word[size]. Returns 1 on
 * success, or 0 if the list has no such word. If the word is too long or contains a control
 * character, returns -1. */
int series_word(const char *list, size_t i, char *word, size_t size);

/* Finds the unit of the column or function `name` in a list "NAME:UNIT ..." from data.unit.of. If
 * the list is NULL or does not contain the name, returns false. Then data.unit applies. */
bool series_unit_of(const char *list, const char *name, char *unit, size_t size);

/* Returns the names of the functions of a CORR segment, in the form of data.functions. */
const char *series_functions(const struct meta *m);

/* Computes the column of errors that belongs to column `col`, and their degrees of freedom, from
 * the values and deviations of this column. The argument `kind` describes the samples (errors.h).
 * The argument `block` is the number of lags per block, or 0 if the rows are not time lags. Returns
 * 0, or -1 if memory runs out. */
int series_errors(struct series *s, size_t col, enum errors_kind kind, double block) FRAME_MUST;
/* Returns a text "NAME:N ..." with the numbers of independent samples of the columns whose errors
 * come from the default blocks, or an empty text if there is no such column. The caller frees this
 * text. If memory runs out, returns NULL. */
char *series_samples(const struct series *s) FRAME_MUST;
/* Returns the number of rows in which the value of this column is known but its error is not. */
size_t series_unknown(const struct series *s, size_t col);

/* Returns an estimate of the error that the lag spacing causes in the running integral of the
 * function `col`, at the last even row of group g. Sets *row to this row. The estimated error is a
 * third of the change of the integral if only every second lag is used. The estimate is correct for
 * a function with a cusp at t = 0, such as exp(-|t|), and too large for a smoother function. The
 * column with the index series_integral(col) contains the integral. */
double series_coarse(const struct series *s, size_t g, size_t col, size_t *row);
static inline size_t series_integral(const struct series *s, size_t col)
{
    return col + s->nfunctions * s->nsets;
}

/* Allocates rows x cols values with one axis and without errors. All values are NaN, and the
 * columns have no names. If `blocks` is above 0, the deviations are also allocated, and errors are
 * computed as for independent blocks. Returns 0 on success. If memory runs out, empties s and
 * returns -1. */
int series_alloc(struct series *s, enum frame_type type, size_t rows, size_t cols,
                 size_t blocks) FRAME_MUST;

/* Copies the rows of group g of s to a series `out` with one axis, whose errors are computed in the
 * same way as in s. Returns 0 on success. If memory runs out, empties `out` and returns -1. The
 * caller frees `out` with series_free. */
int series_slice(const struct series *s, size_t g, struct series *out) FRAME_MUST;

/* The following functions write the two arrays of a CORR segment, or the array of a SPEC segment.
 * The functions that write arrays return 0 on success, or -1 on failure (see
 * frame_writer_error). */
int series_put_corr(struct frame_writer *w, size_t blocks, size_t lags, size_t ncomp,
                    size_t nfunctions, const uint64_t *counts, const double *sums) FRAME_MUST;
int series_put_spec(struct frame_writer *w, size_t rows, size_t cols, const double *v) FRAME_MUST;

/* Reads the steps of one POSN, PAIR or SERI segment in order (traj_segment), for tools that print
 * or compare streams. The caller sets only the members r and `first`. */
struct series_steps {
    struct frame_reader *r;
    struct frame first;     /* first array of the segment, or END, as it was read */
    enum frame_type type;   /* type of the arrays, or FRAME_POSN if the segment has no array */
    const char *code;       /* code of `type` */
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms, nvalues; /* number of values per step (nvalues) */
    size_t ncols;           /* components or columns */
    uint64_t index;         /* index of the step */
    double time;            /* ps; NaN: unknown */
    const void *data;       /* values of the step, which the caller must not change. The shape of
                             * these values is [natoms][3] for POSN and [ncols][pairs] for PAIR. */
    const double *cell;     /* Å; NULL: no cell */
    const void *velocities; /* velocities in Å/ps, in the same form as `data`, or NULL */
    size_t nscalars;        /* number of scalars per atom (scalars.h), for POSN */
    const void *scalars;    /* scalars [natoms][nscalars] of the same type as `data`, or NULL */
    const char *left_out;   /* result of the function traj_left_out() */
    struct {
        struct traj_reader *t;
        struct traj_block b;
        size_t at;
    } own;
};
/* Reads the next step of the segment. Returns 1 if a step was read, 0 at the verified end of the
 * segment, or -1 with an error message in e. */
int series_steps_next(struct series_steps *s, struct err *e) FRAME_MUST;
void series_steps_free(struct series_steps *s);

C_LINKAGE_END
