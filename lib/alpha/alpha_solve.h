/* SPDX-License-Identifier: MIT */
/* alpha_solve.h: computes the polarizability Pi of one step with one thread. For all orders,
 * conjugate gradients solve (1 - s T s) nu = s E with a table of T in single precision. The
 * residual is computed with the exact T (alpha_field.h) in double precision, and the solution is
 * refined until the residual is small enough. The residual that remains affects Pi only in second
 * order. If no table is accurate enough, the iteration uses the exact T. */
#pragma once

#include "alpha/alpha_field.h"

/* A pair of sites with i <= j that damping affects. The member t is the damped tensor T minus the
 * undamped tensor T. */
struct alpha_damped {
    uint32_t i, j;
    double t[ALPHA_TENSOR];
};

/* The tensor T in single precision. If `from` is NULL, no table is used. */
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
    double *field0, *c;           /* field of the permanent sites, [3][stride], and the same field
                                   * multiplied by s. NULL if Pi is computed */
    const struct box *box, *cell; /* of the step, and reduced */
    double *mem, *b, *x, *r, *q, *mu, *y; /* [3 set] */
};

#define ALPHA_JOB_VECTORS 6 /* in mem */

/* Finds the pairs of sites that are closer than `reach` times their size, and their damping.
 * Returns 0, or -1 if memory runs out. */
int alpha_damp_pairs(struct alpha_job *j, double reach);

/* Computes the polarizability Pi of the step, its contributions order by order, or the dipole
 * moment M. The job j contains the input: s, the field of the permanent sites, the damped pairs,
 * the table and the field method. Returns 0 on success. Returns -1 if the matrix is not positive
 * definite or two sites coincide, and -2 if the iteration does not converge. */
int alpha_solve(struct alpha_job *j, double *out);
