/* SPDX-License-Identifier: MIT */
/* series.h: normalises CORR, HIST and SPEC segments, and converts them to columns of numbers.
 *
 * A CORR segment contains sums over time origins of F functions of the time lag, for B blocks, L
 * lags and C components.
 *   - Array 1 contains the numbers of time origins, u64 [B, L].
 *   - Array 2 contains the sums over time origins, f64 [B, L, C, F].
 *   - The key data.functions lists the names of the F functions (1 to 64), separated by blanks ("G
 *     G2 G3 G4"). Streams of version 0.1.0 lack this key and contain the functions G, G2, G3 and
 *     G4.
 *   - The key data.component lists the names of the C components ("xz xy"), and is required for
 *     separate components.
 *   - The key data.average has the value "apart" if the components are separate. Otherwise, the
 *     columns are means over the components.
 *   - If the key data.integral has the value "trapezoid", the running integrals of the functions
 *     over time in ps are added as columns "int_G ...". Deviations are integrated in the same way,
 *     so that errors include the correlations between lags.
 *   - The key data.response contains a temperature in K. The responses -(1/kT) dC/dt at this
 *     temperature are added as columns "response_G ...", with times in ps and kT in meV. The
 *     functions C must then be even in time. The derivative dC/dt is accurate to fourth order, and
 *     at the last two lags to second order. Deviations are differentiated in the same way as the
 *     functions.
 *   - The value of a function is its sum over all blocks, divided by the number of time origins in
 *     all blocks. The columns are "t_ps origins G G2 ...", or "G_xz G2_xz ..." for separate
 *     components. For two or more blocks, columns with the standard errors "G_se ..." follow. The
 *     time of lag k is k * sys.dt_ps. A CORR segment can contain any function of the lag that is a
 *     mean over time origins. For example, F(q,t) has the values of q as components.
 *   - If the key data.excess has the value "alpha2:msd ...", the function alpha2 is shown as
 *     (sum/count of alpha2) / (sum/count of msd)² - 1. The deviations of alpha2 are correct to
 *     first order.
 *   - The key data.axis names an axis other than time ("q_A-1"). The first function then contains
 *     the values of the axis, and its mean is the first column. Rows without counts are omitted.
 *   - The key data.axis.counts contains the name of the second column ("vectors").
 *   - The key data.axis2 names a second axis ("q_A-1"). The C values of the second axis
 *     (data.axis2.values) are the components. The columns are then "t_ps q_A-1 origins F ...", and
 *     all lags for one value of the second axis precede the next value.
 * A HIST segment contains counts of pairs, for B blocks, Q pairs of species and n bins.
 *   - Array 1 contains the numbers of pairs, u64 [B, Q, n].
 *   - Array 2 contains the numbers of pairs that are expected for an ideal gas, summed over steps,
 *     f64 [B, Q, n].
 *   - Array 3 contains the numbers of steps, f64 [B].
 *   - The key data.pairs lists the pairs of species, "A-B ...". For a single histogram of all
 *     atoms, data.pairs is "all" or missing.
 *   - The keys data.rmax and data.bins define the axis, which consists of the bin centres (k + 1/2)
 *     * rmax / bins.
 *   - The column g is the count divided by the expected count. The column n is the coordination
 *     number up to the upper edge of the bin: the sum of count / (steps N_A) over the bins, or
 *     twice this sum if A = B. The columns are "count g n" for a single pair, and "count_A-B g_A-B
 *     n_A-B" for several pairs. The names for the pair "all" have no suffix.
 *   - The key data.lags lists the time lags of van Hove functions, which are the second axis (see
 *     mbf(5)).
 *   - The key data.self lists the species of histograms of displacements, whose columns are
 *     "count_s G_s n_s" or "count_s_A ...".
 * A SPEC segment contains one array f64 [rows, columns], with the axis in column 0.
 *   - The key data.columns lists the names of the columns, separated by blanks. The column NAME_se
 *     contains the standard error of the column NAME.
 *   - With a key data.axis2, column 1 is a second axis. Rows with the same value of the second axis
 *     are consecutive, and each value has the same number of rows.
 *
 * The module errors.h computes standard errors from the deviations that blocks.h defines. A column
 * is a sum divided by the number of time origins, or a number of pairs divided by the number of
 * expected pairs. A linear transform F of a column has the deviations F dev_b, which include the
 * correlations between rows.
 *   - The key data.errors has the value "blocking" if the correlation between blocks is estimated
 *     for each column. If the run is too short to estimate this correlation, the errors are NaN.
 *     The key data.errors is missing if the user requested a number of blocks (--blocks).
 *   - The key data.runs lists the number of blocks of each run, such as "79 40", and is missing for
 *     a single run.
 *   - The key data.scatter lists the scatter between points of mean square displacements, F_s, C_1,
 *     C_2 and velocity correlations (mbf(5)), which is a second estimate of their errors.
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

#define SERIES_NAME 48      /* bytes, with the NUL */
#define SERIES_FUNCTIONS 64 /* of a CORR segment */
/* bytes of the name of a function or component, with the NUL */
#define SERIES_WORD 21
#define SERIES_FIRST 2 /* column of the first function, with a single axis */

struct series {
    enum frame_type type; /* FRAME_CORR, FRAME_HIST or FRAME_SPEC */
    size_t rows, cols;
    size_t axes;               /* columns that are axes */
    size_t groups;             /* of the second axis, or 1 */
    char (*name)[SERIES_NAME]; /* [cols], such as "G_se" */
    double *v;                 /* [rows][cols]; NaN: undefined */
    uint64_t **count;          /* [cols]: exact counts [rows], or NULL */
    int *se;                   /* [cols], column of the error, or -1 */
    /* The columns [nsets][nfunctions] of the functions begin at series_first(). */
    size_t nfunctions, nsets;
    size_t blocks; /* 0: none, or unknown */
    /* The deviations dev_b [blocks][rows][cols] are 0 in columns without errors, and the degrees of
     * freedom [rows][cols] are 0 if unknown. Without blocks, both pointers are NULL. */
    double *dev;
    double *dof;
    /* Numbers of independent samples [cols]. For each column, `samples` is the smallest number in
     * the rows with an error, and `lacking` is the number in the first row without an error. Either
     * is INFINITY if there is no such row. */
    double *samples, *lacking;
    double span; /* of the run, ps; 0: unknown */
    struct errors errors;
};

/* Reads and normalises the next segment of r, whose META may have been read already. Returns 1 if
 * the segment was read up to its END and verified, 0 at the end of the stream, or -1 with an error
 * message in e. Until the next call, frame_meta(r) returns the META of the segment. Free s with
 * series_free. */
int series_read(struct frame_reader *r, struct series *s, struct err *e) FRAME_MUST;
/* Works like series_read after the caller has read the first array of the segment with frame_next.
 * The pointer `first` to this array may be NULL. */
int series_read_from(struct frame_reader *r, const struct frame *first, struct series *s,
                     struct err *e) FRAME_MUST;
/* Works like series_read, but accepts only CORR segments. For any other segment, the error message
 * is "expected WHAT, found ...". */
int series_read_corr(struct frame_reader *r, const char *what, struct series *s,
                     struct err *e) FRAME_MUST;
void series_free(struct series *s);
int series_column(const struct series *s, const char *name); /* index or -1 */
/* Returns true if the function in column `col` of a CORR segment has decayed at the last lag, to
 * below 1 % of its value at lag 0 or to 0 within three standard errors. */
bool series_decayed(const struct series *s, size_t col);
/* Returns the index of the first column that contains a function. In a CORR segment, the axes and
 * the column of counts precede this column. */
static inline size_t series_first(const struct series *s)
{
    return s->axes + 1;
}
/* Returns the number of rows per value of the second axis, or of all rows without a second axis. */
static inline size_t series_group(const struct series *s)
{
    return s->groups ? s->rows / s->groups : s->rows;
}

/* Copies word i of a list of words separated by blanks into word[size]. Returns 1 on success, 0 if
 * the list has at most i words, or -1 if word i is too long or contains a control character. */
int series_word(const char *list, size_t i, char *word, size_t size);

/* Finds the unit of the column or function `name` in a list "NAME:UNIT ..." from data.unit.of.
 * Returns false if the list is NULL or does not contain the name, so that data.unit applies. */
bool series_unit_of(const char *list, const char *name, char *unit, size_t size);

/* Returns the names of the functions of a CORR segment, separated by blanks. */
const char *series_functions(const struct meta *m);

/* Computes the errors of column `col` and their degrees of freedom from its values and deviations.
 * The argument `block` is the number of lags per block, or 0 if the rows are not time lags. Returns
 * 0, or -1 if memory runs out. */
int series_errors(struct series *s, size_t col, enum errors_kind kind, double block) FRAME_MUST;
/* Returns a text "NAME:N ..." with the number of independent samples of each column whose errors
 * come from the default blocks. The text, which the caller frees, may be empty. Returns NULL if
 * memory runs out. */
char *series_samples(const struct series *s) FRAME_MUST;
/* Returns the number of rows in which the error in column `col` is NaN but its value is known. */
size_t series_unknown(const struct series *s, size_t col);

/* Estimates the error that the spacing of the lags causes in the running integral of the function
 * in column `col`, at the last even row of group g, and sets *row to this row. The estimate is a
 * third of the change of the integral if only every second lag is used. The estimate is correct for
 * a function with a cusp at t = 0, such as exp(-|t|), and too large for a smoother function. The
 * integral is in column series_integral(col). */
double series_coarse(const struct series *s, size_t g, size_t col, size_t *row);
static inline size_t series_integral(const struct series *s, size_t col)
{
    return col + s->nfunctions * s->nsets;
}

/* Allocates a series with one axis, no errors, values that are NaN and columns without names. If
 * `blocks` is above 0, the deviations are also allocated, and errors are computed as for
 * independent blocks. Returns 0, or empties s and returns -1 if memory runs out. */
int series_alloc(struct series *s, enum frame_type type, size_t rows, size_t cols,
                 size_t blocks) FRAME_MUST;

/* Copies the rows of group g of s to a series `out` with one axis, whose errors are computed in the
 * same way as for s. Returns 0, or empties `out` and returns -1 if memory runs out. The caller
 * frees `out` with series_free. */
int series_slice(const struct series *s, size_t g, struct series *out) FRAME_MUST;

/* Writes the arrays of a CORR segment, or the array of a SPEC segment. Returns 0 on success, or -1
 * on failure (see frame_writer_error). */
int series_put_corr(struct frame_writer *w, size_t blocks, size_t lags, size_t ncomp,
                    size_t nfunctions, const uint64_t *counts, const double *sums) FRAME_MUST;
int series_put_spec(struct frame_writer *w, size_t rows, size_t cols, const double *v) FRAME_MUST;

/* Reads the steps of a POSN, PAIR or SERI segment in order (traj_segment), for programs that print
 * or compare streams. The caller sets only the members r and `first`. */
struct series_steps {
    struct frame_reader *r;
    struct frame first;   /* array, or END */
    enum frame_type type; /* of the arrays; FRAME_POSN: no array */
    const char *code;
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms, nvalues; /* nvalues: values per step */
    size_t ncols;           /* components or columns */
    uint64_t index;         /* of the step */
    double time;            /* ps; NaN: unknown */
    const void *data;       /* values of the step: POSN [natoms][3], PAIR [ncols][pairs] */
    const double *cell;     /* Å; NULL: no cell */
    const void *velocities; /* Å/ps, as `data`, or NULL */
    size_t nscalars;        /* POSN: per atom */
    const void *scalars;    /* [natoms][nscalars] or NULL */
    const char *left_out;   /* from traj_left_out() */
    struct {
        struct traj_reader *t;
        struct traj_block b;
        size_t at;
    } own;
};
/* Returns 1 after reading a step, 0 at the verified end of the segment, or -1 with an error in
 * e. */
int series_steps_next(struct series_steps *s, struct err *e) FRAME_MUST;
void series_steps_free(struct series_steps *s);

C_LINKAGE_END
