/* SPDX-License-Identifier: MIT */
/* alpha_solve.h: computes Pi of one step with one thread. For all orders, the method of conjugate
 * gradients solves (1 - s T s) nu = s E with a table of T in single precision. The residual is then
 * computed with the exact T (alpha_field.h) in double precision, and the solution is refined until
 * the residual is small enough. The remaining residual affects Pi in second order. If no
 * sufficiently accurate table exists, the iteration uses the exact T. */
#pragma once

#include "alpha/alpha_field.h"

/* A damped pair with i <= j. The member t is the damped T minus the undamped T. */
struct alpha_damped {
    uint32_t i, j;
    double t[ALPHA_TENSOR];
};

/* The tensor T in single precision. If `from` is NULL, there is no table. */
struct alpha_table {
    const float *from;
    float trace, own[ALPHA_TENSOR]; /* as in alpha_cell.h */
    float *mu, *y;                  /* [9][stride] each */
};

/* Workspace of one thread. */
struct alpha_job {
    const struct alpha_params *p;
    struct alpha_field *field;
    struct alpha_table table;
    struct alpha_damped *damped;
    size_t ndamped, capacity;
    double *size; /* [n], for damping */
    struct near_grid cells;
    size_t n, stride, set; /* set: values per field */
    const double *s, *pos;
    double *field0, *c;           /* field of the permanent sites, [3][stride], and s times this
                                   * field; NULL if Pi is computed */
    const struct box *box, *cell; /* of the step, and reduced */
    double *mem, *b, *x, *r, *q, *mu, *y; /* [3 set] */
};

#define ALPHA_JOB_VECTORS 6 /* in mem */

/* Finds the pairs for which damping changes T by more than `error`. Returns 0, or -1 if memory runs
 * out. */
int alpha_damp_pairs(struct alpha_job *j, double error);

/* Computes the polarizability Pi of the step, or its contributions order by order, or M. The job j
 * contains the inputs: s, the field of the permanent sites, the damped pairs, the table and the
 * field method. Returns 0 on success. Returns -1 if the matrix is not positive or two sites
 * coincide, and -2 if the iteration does not converge. */
int alpha_solve(struct alpha_job *j, double *out);
