/* SPDX-License-Identifier: MIT */
/* alpha_solve.h: computes the polarizability Pi of one time step with one thread. For all orders,
 * conjugate gradients solve (1 - s T s) nu = s E with a table of T in single precision. The
 * solution is refined until its residual, which is computed with the exact T (alpha_field.h) in
 * double precision, is small enough. The remaining residual changes Pi only in second order. If no
 * table is accurate enough, every product uses the exact T. */
#pragma once

#include "alpha/alpha_field.h"

/* A damped pair of sites with i <= j, where t is the damped minus the undamped tensor T. */
struct alpha_damped {
    uint32_t i, j;
    double t[ALPHA_TENSOR];
};

/* The tensor T in single precision, or from = NULL if no table is used. */
struct alpha_table {
    const float *from;
    float trace, own[ALPHA_TENSOR]; /* as in alpha_cell.h */
    float *mu, *y;                  /* [9][stride] each */
};

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
    double *field0, *c;                   /* [3][stride], F (alpha.h) and s F, or NULL for Pi */
    const struct box *box, *cell;         /* cell of the time step, and reduced cell */
    double *mem, *b, *x, *r, *q, *mu, *y; /* [3 set] */
};

#define ALPHA_JOB_VECTORS 6 /* in mem */

/* Lists the pairs of sites whose interaction is damped (alpha.h). The interaction of the sites i
 * and j is damped if their distance is less than the product of `reach` and (a_i a_j)^(1/6), where
 * a is a third of the trace of alpha. Returns 0, or -1 if memory runs out. */
int alpha_damp_pairs(struct alpha_job *j, double reach);

/* Computes the polarizability Pi of a time step, its contributions order by order, or the dipole
 * moment M. The struct j holds the input: s, the field of the permanent sites, the damped pairs,
 * the table and the field method. Returns 0, or -1 if the matrix is not positive definite or two
 * sites coincide, or -2 if the iteration does not converge. */
int alpha_solve(struct alpha_job *j, double *out);
