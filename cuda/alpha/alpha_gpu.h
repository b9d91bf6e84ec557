/* SPDX-License-Identifier: MIT */
/*
 * alpha_gpu.h: collective polarizabilities of a batch of steps, from alpha_gpu.cu (memory, order) to
 * alpha_gpu_table.cu and alpha_gpu_solve.cu (kernels).
 *
 * T of all pairs of a step lies as a full matrix of a high and a low half in single precision, whose
 * sum is it in double. Conjugate gradients multiply by the high half; the residual that counts is
 * that of both. A step that this does not solve is solved with both halves throughout.
 */
#ifndef MBF_ALPHA_GPU_H
#define MBF_ALPHA_GPU_H

#include "alpha/alpha_cell.h"
#include "base/gpu.h"
#include "pair/pair_gpu.h"

#define ALPHA_TILE 32        /* sites; rows of sites are so many times as long */
#define ALPHA_COMPS 5        /* of T: xz xy yz (xx-yy)/2 zz, without trace */
#define ALPHA_COMPS_DAMPED 6 /* and a third of its trace, where pairs differ in it */
#define ALPHA_VECTORS 9      /* numbers of a site: three directions of E, three axes */

enum alpha_phase {
    ALPHA_ACTIVE,   /* conjugate gradients go on */
    ALPHA_SETTLED,  /* as far as they see */
    ALPHA_DONE,     /* in truth, too */
    ALPHA_NEGATIVE, /* a direction of negative curvature */
    ALPHA_ENDLESS   /* they do not settle */
};

/* Where the solution of a step stands. */
struct alpha_state {
    double rr[3], goal[3], stop[3]; /* residual squared; wanted; where the high half ends */
    int phase, steps, rounds;
};

/* What the kernels know of a batch. Arrays are [steps of it] of what is said; a row has `stride`
 * sites, those behind `sites` are 0. */
struct alpha_batch {
    size_t sites, stride, comps;
    /* input */
    const double *pos, *s;       /* [sites][3] Å; [sites][6] */
    const struct sum_cell *cell; /* of the steps */
    const struct alpha_cell *own;
    /* damping */
    const struct box *box; /* as the input has it */
    const int *layers;     /* [3] */
    int thole;
    double a, reach;
    /* made */
    double *wrapped;           /* [3][stride] */
    double *root;              /* [6][stride]: s */
    double *size;              /* [stride] */
    float *high, *low;         /* [comps][stride][stride] */
    double *b, *x, *r, *q, *y; /* [9][stride] */
    double *mu, *sum;          /* [9][stride], and over all sites: [9] */
    double *part;              /* [stride / ALPHA_TILE][3]: of q y */
    struct alpha_state *state;
    unsigned long long *same; /* the first pair at one place: i sites + j; else all bits */
    int *left;                /* of the batch: steps in each phase, [5] */
    double *out;              /* [parts][6] */
};

/* All are queued in `stream`, for n steps; 0, or -1 with e. */

/* wrapped, root, size, b, same. */
int alpha_gpu_place(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* high and low. Terms of the largest polynomial of cells that are bricks, and of those that are not; 0:
 * there is none; both: free clusters. */
int alpha_gpu_table(struct err *e, const struct alpha_batch *b, size_t n, size_t bricks,
                    size_t others, cudaStream_t stream);

/* mu and sum of a vector v, of steps in this phase; -1: all. */
int alpha_gpu_dipoles(struct err *e, const struct alpha_batch *b, const double *v, int phase,
                      size_t n, cudaStream_t stream);
/* y = s T mu of steps in this phase; part = q y. wide: by both halves. */
int alpha_gpu_field(struct err *e, const struct alpha_batch *b, int wide, int phase, size_t n,
                    cudaStream_t stream);
/* x = 0, r = q = b, mu of it, of steps in this phase (-1: all), which become ACTIVE. */
int alpha_gpu_begin(struct err *e, const struct alpha_batch *b, int wide, int phase,
                    double tolerance, size_t n, cudaStream_t stream);
/* A step of conjugate gradients with y, where ACTIVE. */
int alpha_gpu_descend(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* With y of x: the true residual; where SETTLED that is DONE, or ACTIVE with q = r. */
int alpha_gpu_judge(struct err *e, const struct alpha_batch *b, int wide, size_t n,
                    cudaStream_t stream);
/* left[] on the device. */
int alpha_gpu_count(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);
/* to[step][parts][6], part `part`: = or += u . v of each two directions, symmetric. */
int alpha_gpu_form(struct err *e, const struct alpha_batch *b, const double *u, const double *v,
                   int add, size_t part, size_t parts, size_t n, cudaStream_t stream);
/* Parts 0, 1, 2 -> 0, 1 and what part 2 is more than both. */
int alpha_gpu_beyond(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream);

#endif
