/* SPDX-License-Identifier: MIT */
/* alpha_gpu.h: computes the collective polarizability of a batch of steps on a device. The file
 * alpha_gpu.cu manages memory. The kernels are in alpha_gpu_table.cu, alpha_gpu_permanent.cu and
 * alpha_gpu_solve.cu.
 *
 * The tensors T of all pairs of a step form a full matrix. Each element is the sum of two floats,
 * called the high half and the low half, which together have nearly double precision. The
 * conjugate-gradient iteration uses only the high half, unless a step does not converge. The
 * stopping test computes the residual with both halves. */
#pragma once

#include "alpha/alpha_cell.h"
#include "alpha/alpha_split.h"
#include "base/gpu.h"
#include "pair/pair_gpu.h"

#define ALPHA_TILE 32        /* Rows of T are padded to a multiple of this number. */
#define ALPHA_COMPS 5        /* number of independent components of T, which has no trace */
#define ALPHA_COMPS_DAMPED 6 /* number of components of a damped T, with a third of its trace */
#define ALPHA_VECTORS 9      /* number of right-hand sides, which are 3 fields with 3 axes each */

enum alpha_phase {
    ALPHA_ACTIVE,   /* the iteration continues */
    ALPHA_SETTLED,  /* The iteration with the high half has converged. */
    ALPHA_DONE,     /* The residual, from both halves, has converged. */
    ALPHA_NEGATIVE, /* The matrix is not positive definite. */
    ALPHA_ENDLESS   /* The iteration does not converge. */
};

/* State of the iteration for one step. */
struct alpha_state {
    /* Squares of the residual (rr), of the target for the residual (goal), and of the residual at
     * which the iteration with the high half stops (stop). */
    double rr[3], goal[3], stop[3];
    int phase, steps, rounds;
};

/* Kernel arguments for a batch of steps. Every array has one entry per step, and the comments below
 * give the shape of one entry. A row has `stride` elements, one per site, and elements after the
 * last site are 0. */
struct alpha_batch {
    size_t sites, stride, comps;
    /* input */
    const double *pos, *s;       /* [sites][3] Å; [sites][6] */
    const struct sum_cell *cell; /* cells of the steps */
    const struct alpha_cell *own;
    /* for damping */
    const struct box *box; /* box of the input */
    int thole;
    double a, reach;
    /* computed */
    double *wrapped;           /* [3][stride] */
    double *root;              /* [6][stride], a copy of s */
    double *size;              /* [stride] */
    float *high, *low;         /* [comps][stride][stride] */
    double *b, *x, *r, *q, *y; /* [9][stride] */
    double *mu, *sum;          /* [9][stride]; [9] */
    double *part;              /* [stride / ALPHA_TILE][3] */
    struct alpha_state *state;
    /* First pair of sites at the same place, stored as i * sites + j. If no sites coincide, all
     * bits of this number are set. */
    unsigned long long *same;
    int *left;   /* number of steps in each of the five phases */
    double *out; /* results of a step: [parts][6], or [parts][3] for the dipole moment M */
};

/* The input cell of a step, and the radius in Å within which permanent sites are summed as
 * pairs. */
struct alpha_source_cell {
    struct box box;
    double radius;
};

/* The permanent sites of a batch of steps, in the form of struct alpha_batch. The sum over all
 * images gives the field at the sites. Without a mesh, this sum is split at the distance `radius`
 * (alpha_split.h). With a mesh, the batch has one step, and the permanent sites are sorted by the
 * grid cells of the polarizable sites. */
struct alpha_sources {
    size_t n, waves;      /* number of permanent sites, and capacity of `sum` */
    int periodic, max[3]; /* largest index of a wave along each reciprocal vector, over all steps */
    double reach;         /* of damping */
    struct alpha_split split;
    const struct alpha_permanent *from;   /* [n] */
    const uint2 *own;                     /* values that are the same for all steps, as in struct
                                           * alpha_params */
    const struct alpha_source_cell *cell; /* cells of the steps */
    double2 *sum;                         /* [waves] */
    const int *order, *first; /* for a mesh, indices of the permanent sites, sorted by cell, and
                               * place in `order` of the first site of each cell */
    double *c;                /* s times the field, [3][stride] */
    unsigned long long *same; /* number of the first site that coincides with a moment,
                               * or all bits set if no site does */
};

/* The functions below start work for n steps in the CUDA stream `stream`. Each of these functions
 * returns 0 on success, or -1 with an error message in e. */

/* Computes the members `wrapped`, `root`, `size`, `b` and `same` of the batch. */
int alpha_gpu_place(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the high and the low half of T. The arguments `bricks` and `others` are the largest
 * numbers of polynomial terms in orthorhombic and in other cells, or 0 if there are no such
 * cells. */
int alpha_gpu_table(struct err *e, const struct alpha_batch *b, size_t n, size_t bricks,
                    size_t others, cudaStream_t stream);

/* Computes the dipoles mu of a vector v, and the sum of mu, for all steps in the phase `phase`, or
 * for every step if `phase` is -1. */
int alpha_gpu_dipoles(struct err *e, const struct alpha_batch *b, const double *v, int phase,
                      size_t n, cudaStream_t stream);
/* Computes y = s T mu and partial sums of q y for all steps in the phase `phase`. If `wide` is set,
 * the product uses both halves of T. */
int alpha_gpu_field(struct err *e, const struct alpha_batch *b, int wide, int phase, size_t n,
                    cudaStream_t stream);
/* Starts the iteration with x = 0 and r = q = b for all steps in the phase `phase`, or for every
 * step if `phase` is -1. The steps become ACTIVE. */
int alpha_gpu_begin(struct err *e, const struct alpha_batch *b, int wide, int phase,
                    double tolerance, size_t n, cudaStream_t stream);
/* Performs one conjugate-gradient iteration for every step in the phase ACTIVE. */
int alpha_gpu_descend(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the residual of the solution x. A step in the phase SETTLED becomes DONE if the residual
 * is small enough, and otherwise ACTIVE with q = r. */
int alpha_gpu_judge(struct err *e, const struct alpha_batch *b, int wide, size_t n,
                    cudaStream_t stream);
/* Counts, on the device, the steps in each phase. */
int alpha_gpu_count(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the symmetric scalar products u . v of all pairs of directions and stores them as part
 * number `part` of each step. If `add` is set, adds the products to the stored part instead. */
int alpha_gpu_form(struct err *e, const struct alpha_batch *b, const double *u, const double *v,
                   int add, size_t part, size_t parts, size_t n, cudaStream_t stream);
/* Subtracts parts 0 and 1 from part 2. */
int alpha_gpu_beyond(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the members `c` and `same` of the batch from its other members. */
int alpha_gpu_sources(struct err *e, const struct alpha_batch *b, const struct alpha_sources *p,
                      size_t n, cudaStream_t stream);
/* Multiplies the scalar products c . v for the three directions by `factor` and stores them as
 * vector number `part` of each step. If `add` is set, adds the products to the stored vector
 * instead. */
int alpha_gpu_moment(struct err *e, const struct alpha_batch *b, const double *c, const double *v,
                     double factor, int add, size_t part, size_t parts, size_t n,
                     cudaStream_t stream);
