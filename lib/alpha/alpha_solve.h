/* SPDX-License-Identifier: MIT */
/*
 * alpha_solve.h: Pi of one step, by one thread. Private to lib/alpha.
 *
 * All orders: (1 - s T s) nu = s E by conjugate gradients with a table of T in single precision, then
 * the residual of that with the exact T (alpha_field.h) in double, and again where that is not small
 * enough: refinement. What is left of it enters Pi squared. Without a table, or where a table will
 * not do, the gradients take the exact T.
 */
#ifndef MBF_ALPHA_SOLVE_H
#define MBF_ALPHA_SOLVE_H

#include "alpha/alpha_cells.h"
#include "alpha/alpha_field.h"

/* A damped pair, i <= j: what its T is more than the bare one. */
struct alpha_damped {
    uint32_t i, j;
    double t[ALPHA_TENSOR];
};

/* T in single precision; from: NULL: there is none. */
struct alpha_table {
    const float *from;
    float trace, own[ALPHA_TENSOR]; /* of every pair: a third; T of a site's own images */
    float *mu, *y;                  /* [9][stride] each */
};

/* Of a thread, for one step after the other. */
struct alpha_job {
    const struct alpha_params *p;
    struct alpha_field *field;
    struct alpha_table table;
    struct alpha_damped *damped;
    size_t ndamped, room;
    double *size; /* [n], for damping */
    struct alpha_cells cells;
    size_t n, stride, set; /* set: numbers of one direction of E */
    const double *s, *pos;
    const struct box *box;
    double *mem, *b, *x, *r, *q, *mu,
        *y; /* [3 set] each: right side, solution, residual, direction */
};

#define ALPHA_JOB_VECTORS 6 /* in mem, [9][stride] */

/* The pairs that --thole changes, of this step, by more than `error` of their T. 0, or -1: out of
 * memory. */
int alpha_damp_pairs(struct alpha_job *j, double error);

/* Pi (parts) of the step whose s, damped pairs, table and field are there. 0, -1: not positive, or two
 * sites at one place, -2: does not end. */
int alpha_solve(struct alpha_job *j, double *out);

#endif
