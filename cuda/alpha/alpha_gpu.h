/* SPDX-License-Identifier: MIT */
/*
 * alpha_gpu.h: collective polarizabilities of a batch of steps: interface of alpha_gpu.cu (memory,
 * order) to alpha_gpu_table.cu and alpha_gpu_solve.cu (kernels).
 *
 * The tensors T of all pairs of a step are a full matrix, stored as a high and a low half in single
 * precision whose sum is T in double precision. Conjugate gradients multiply by the high half. The
 * residual of the stopping test is computed with both halves. A step that does not converge in this
 * way is solved with both halves throughout.
 */
#ifndef MBF_ALPHA_GPU_H
#define MBF_ALPHA_GPU_H

#include "alpha/alpha_cell.h"
#include "base/gpu.h"
#include "pair/pair_gpu.h"

#define ALPHA_TILE 32        /* rows of sites are padded to a multiple of this */
#define ALPHA_COMPS 5        /* components of T: xz xy yz (xx-yy)/2 zz, traceless */
#define ALPHA_COMPS_DAMPED 6 /* also a third of the trace, if it differs between pairs */
#define ALPHA_VECTORS 9      /* numbers per site: three directions of E, three axes */

enum alpha_phase {
    ALPHA_ACTIVE,   /* conjugate gradients continue */
    ALPHA_SETTLED,  /* converged by the high half */
    ALPHA_DONE,     /* converged by the true residual */
    ALPHA_NEGATIVE, /* found a direction of negative curvature */
    ALPHA_ENDLESS   /* does not converge */
};

/* State of the solution of a step. */
struct alpha_state {
    double rr[3], goal[3], stop[3]; /* squared residual; its goal; goal of the high half */
    int phase, steps, rounds;
};

/* Data of a batch for the kernels. Each array has one entry of the stated shape per step. A row has
 * `stride` sites; the sites from `sites` on are 0. */
struct alpha_batch {
    size_t sites, stride, comps;
    /* input */
    const double *pos, *s;       /* [sites][3] Å; [sites][6] */
    const struct sum_cell *cell; /* cells of the steps */
    const struct alpha_cell *own;
    /* damping */
    const struct box *box; /* box of the input */
    const int *layers;     /* [3] */
    int thole;
    double a, reach;
    /* computed */
    double *wrapped;           /* [3][stride] */
    double *root;              /* [6][stride]: s of the sites */
    double *size;              /* [stride] */
    float *high, *low;         /* [comps][stride][stride] */
    double *b, *x, *r, *q, *y; /* [9][stride] */
    double *mu, *sum;          /* [9][stride]; sum over all sites: [9] */
    double *part;              /* [stride / ALPHA_TILE][3]: partial sums of q y */
    struct alpha_state *state;
    unsigned long long *same; /* first pair at the same place, i sites + j; else all bits set */
    int *left;                /* steps of the batch in each phase, [5] */
    double *out;              /* [parts][6] */
};

/* The functions below queue work for n steps in `stream` and return 0, or -1 and set e. */

/* Computes wrapped, root, size, b and same. */
int alpha_gpu_place(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes high and low. `bricks` and `others` are the numbers of terms of the largest polynomial
 * for orthorhombic and for other cells (0: no such cell, both 0: non-periodic clusters). */
int alpha_gpu_table(struct err *e, const struct alpha_batch *b, size_t n, size_t bricks,
                    size_t others, cudaStream_t stream);

/* Computes mu and sum of a vector v for steps in this phase (-1: all steps). */
int alpha_gpu_dipoles(struct err *e, const struct alpha_batch *b, const double *v, int phase,
                      size_t n, cudaStream_t stream);
/* Computes y = s T mu and part = q y for steps in this phase. wide: with both halves. */
int alpha_gpu_field(struct err *e, const struct alpha_batch *b, int wide, int phase, size_t n,
                    cudaStream_t stream);
/* Sets x = 0, r = q = b and mu of q for steps in this phase (-1: all), which become ACTIVE. */
int alpha_gpu_begin(struct err *e, const struct alpha_batch *b, int wide, int phase,
                    double tolerance, size_t n, cudaStream_t stream);
/* Does one conjugate-gradient step with y in ACTIVE steps. */
int alpha_gpu_descend(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Computes the true residual from y of x. A SETTLED step becomes DONE, or ACTIVE with q = r. */
int alpha_gpu_judge(struct err *e, const struct alpha_batch *b, int wide, size_t n,
                    cudaStream_t stream);
/* Computes left[] on the device. */
int alpha_gpu_count(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* Sets (or, with add, increments) to[step][parts][6] of part `part` to the symmetric products u . v
 * of each two directions. */
int alpha_gpu_form(struct err *e, const struct alpha_batch *b, const double *u, const double *v,
                   int add, size_t part, size_t parts, size_t n, cudaStream_t stream);
/* Replaces parts 0, 1, 2 by parts 0, 1 and the excess of part 2 over their sum. */
int alpha_gpu_beyond(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);

#endif
