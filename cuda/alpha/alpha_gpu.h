/* SPDX-License-Identifier: MIT */
/* alpha_gpu.h: declares the CUDA kernels that compute the collective polarizability of a batch of
 * time steps.
 *
 * The dipole tensors T of all pairs of sites of a step form a full matrix. Each matrix element is
 * stored as the sum of two floats, a high half and a low half, which together have nearly double
 * precision. The conjugate-gradient iteration multiplies by the high half only, unless a step does
 * not converge. The convergence test computes the residual with the sum of the two halves. */
#pragma once

#include "alpha/alpha_cell.h"
#include "alpha/alpha_split.h"
#include "base/gpu.h"
#include "pair/pair_gpu.h"

#define ALPHA_TILE 32 /* The rows of T are padded to a multiple of 32 elements. */
#define ALPHA_COMPS 5
#define ALPHA_COMPS_DAMPED 6 /* plus trace / 3 */
#define ALPHA_VECTORS 9      /* 3 fields [3 axes] */

enum alpha_phase {
    ALPHA_ACTIVE,
    ALPHA_SETTLED,  /* converged with the high half of T */
    ALPHA_DONE,     /* converged with the two halves of T */
    ALPHA_NEGATIVE, /* not positive definite */
    ALPHA_ENDLESS
};

struct alpha_state {
    /* Squared residuals: the current value, the required value, and the value at which the
     * iteration in single precision ends. */
    double rr[3], goal[3], stop[3];
    int phase, steps, rounds;
};

/* Each array has one entry per time step, whose shape is in brackets. A row has one element per
 * site and is padded with zeros to `stride` elements. */
struct alpha_batch {
    size_t sites, stride, comps;
    /* input */
    const double *pos, *s; /* [sites][3] Å; [sites][6] */
    const struct sum_cell *cell;
    const struct alpha_cell *own;
    /* for damping */
    const struct box *box;
    int thole;
    double a, reach;
    /* computed */
    double *wrapped;           /* [3][stride] */
    double *root;              /* [6][stride], equals s */
    double *size;              /* [stride] */
    float *high, *low;         /* [comps][stride][stride] */
    double *b, *x, *r, *q, *y; /* [9][stride] */
    double *mu, *sum;          /* [9][stride]; [9] */
    double *part;              /* [stride / ALPHA_TILE][3] */
    struct alpha_state *state;
    /* The lowest i * sites + j of two sites i and j at the same position, or ~0 without such
     * sites. */
    unsigned long long *same;
    int *left;   /* [5 phases] */
    double *out; /* [parts][6], or [parts][3] for M */
};

/* Permanent sites closer than `radius` (Å) to a polarizable site are summed as pairs. */
struct alpha_source_cell {
    struct box box;
    double radius;
};

/* The permanent charges, dipoles and quadrupoles that act on the polarizable sites of a batch.
 * Without a mesh, the lattice sum of the permanent moments is split at the distance `radius`
 * (alpha_split.h). With a mesh, the batch has one time step, and the permanent sites are sorted by
 * grid cell. */
struct alpha_sources {
    size_t n, waves;
    int periodic, max[3]; /* max: wave indices */
    double reach;         /* of damping */
    struct alpha_split split;
    const struct alpha_permanent *from; /* [n] */
    const uint2 *own;                   /* alpha_params.own */
    const struct alpha_source_cell *cell;
    double2 *sum;             /* [waves] */
    const int *order, *first; /* mesh: sorted by cell */
    double *c;                /* [3][stride], s times the field */
    unsigned long long *same; /* first site at the position of a permanent site, or ~0 */
};

/* Each function below queues the work of n time steps in the CUDA stream `stream`, and returns 0,
 * or -1 and sets *e. */

/* Wraps the positions into the cell, and computes the right-hand sides b of the linear
 * equations. */
int alpha_gpu_place(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the matrix T as two halves, `high` and `low`. The Ewald sum has at most `bricks`
 * polynomial terms in orthorhombic cells and `others` in other cells, or 0 without cells of this
 * kind. */
int alpha_gpu_table(struct err *e, const struct alpha_batch *b, size_t n, size_t bricks,
                    size_t others, cudaStream_t stream);

/* Computes the dipoles mu = s v and their sum for every step in the phase `phase` (-1: all
 * steps). */
int alpha_gpu_dipoles(struct err *e, const struct alpha_batch *b, const double *v, int phase,
                      size_t n, cudaStream_t stream);
/* Computes y = s T mu and partial sums of q y for every step in the phase `phase`. If `wide` is
 * set, the product uses T in double precision (both halves), and otherwise in single precision. */
int alpha_gpu_field(struct err *e, const struct alpha_batch *b, int wide, int phase, size_t n,
                    cudaStream_t stream);
/* Starts the iteration with x = 0 and r = q = b for every step in the phase `phase`, or for all
 * steps if `phase` is -1. */
int alpha_gpu_begin(struct err *e, const struct alpha_batch *b, int wide, int phase,
                    double tolerance, size_t n, cudaStream_t stream);
/* Performs one conjugate-gradient iteration for every step in the phase ALPHA_ACTIVE. */
int alpha_gpu_descend(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the residual of the solution x. A step in the phase ALPHA_SETTLED becomes ALPHA_DONE if
 * its residual is small enough, and otherwise continues as ALPHA_ACTIVE with q = r. */
int alpha_gpu_judge(struct err *e, const struct alpha_batch *b, int wide, size_t n,
                    cudaStream_t stream);
/* Stores the number of steps in each phase in `left`. */
int alpha_gpu_count(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Stores the scalar products u . v of all pairs of axes, made symmetric, in part `part` of `out`,
 * or adds them to the part if `add` is set. */
int alpha_gpu_form(struct err *e, const struct alpha_batch *b, const double *u, const double *v,
                   int add, size_t part, size_t parts, size_t n, cudaStream_t stream);
/* Subtracts orders 0 and 1 from part 2 of `out`, which then contains only higher orders. */
int alpha_gpu_beyond(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the field of the permanent sites at the polarizable sites. */
int alpha_gpu_sources(struct err *e, const struct alpha_batch *b, const struct alpha_sources *p,
                      size_t n, cudaStream_t stream);
/* Stores `factor` times the scalar products c . v of the three axes in vector `part` of `out`, or
 * adds them to the vector if `add` is set. */
int alpha_gpu_moment(struct err *e, const struct alpha_batch *b, const double *c, const double *v,
                     double factor, int add, size_t part, size_t parts, size_t n,
                     cudaStream_t stream);
