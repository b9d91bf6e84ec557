/* SPDX-License-Identifier: MIT */
/*
 * alpha_solve.h: Pi of one step, computed by one thread. Private to lib/alpha.
 * All orders: conjugate gradients with a table of T in single precision solve (1 - s T s) nu = s E.
 * The residual is then computed with the exact T (alpha_field.h) in double, and the solution is
 * refined until the residual is small enough. The remaining residual affects Pi in second order.
 * Without a table, or if the table is not accurate enough, the gradients use the exact T.
 */
#ifndef MBF_ALPHA_SOLVE_H
#define MBF_ALPHA_SOLVE_H

#include "alpha/alpha_cells.h"
#include "alpha/alpha_field.h"

/* A damped pair, i <= j: the difference between its damped and its bare T. */
struct alpha_damped {
    uint32_t i, j;
    double t[ALPHA_TENSOR];
};

/* T in single precision; from NULL: no table. */
struct alpha_table {
    const float *from;
    float trace, own[ALPHA_TENSOR]; /* trace/3 of every pair; T of a site's own images */
    float *mu, *y;                  /* [9][stride] each */
};

/* Workspace of one thread, for consecutive steps. */
struct alpha_job {
    const struct alpha_params *p;
    struct alpha_field *field;
    struct alpha_table table;
    struct alpha_damped *damped;
    size_t ndamped, room;
    double *size; /* [n], for damping */
    struct alpha_cells cells;
    size_t n, stride, set; /* set: number of values for one direction of E */
    const double *s, *pos;
    const struct box *box;
    double *mem, *b, *x, *r, *q, *mu,
        *y; /* [3 set] each: right-hand side, solution, residual, direction */
};

#define ALPHA_JOB_VECTORS 6 /* vectors [9][stride] in mem */

/* Finds the pairs whose T --thole changes by more than `error`. Returns 0, or -1: out of memory. */
int alpha_damp_pairs(struct alpha_job *j, double error);

/* Computes Pi (parts) of the step from s, damped pairs, table and field. Returns 0, -1 if the
 * matrix is not positive or two sites coincide, or -2 if the iteration does not converge. */
int alpha_solve(struct alpha_job *j, double *out);

#endif
