/* SPDX-License-Identifier: MIT */
/* waves_gpu.h: computes density waves and currents on a GPU as a matrix product.
 *
 * The phase factor exp(i q r) is a product X(h, k) Z(l), so that the sum over atoms is a matrix
 * product with one row for each rod (h, k) and one column for each |l|. The real and imaginary
 * parts have separate rows and columns. A block of threads computes a tile of WAVES_RODS rods and
 * WAVES_COLUMNS columns, summed over a group of atoms of one species. */
#pragma once

#include "base/gpu.h"

#define WAVES_RODS 64
#define WAVES_COLUMNS 32
#define WAVES_TILE (4 * WAVES_RODS * WAVES_COLUMNS) /* numbers per tile */
/* s, t and u (fractional coordinates), Re and Im of exp(2 pi i u), then any velocity */
#define WAVES_SHARE 5

/* Consecutive atoms of the same species. */
struct waves_piece {
    uint32_t first, atoms;
};

/* Location of the sum for one wave vector. */
struct waves_place {
    uint32_t tile, rod, column;
    uint32_t minus; /* The column is -l. */
    uint32_t vector;
};

struct waves_device {
    void *pos, *vel;           /* [steps][atoms][3]; vel: NULL without currents */
    double *inv;               /* inverse cells */
    double *share;             /* [steps][shares][atoms], sorted by species */
    double *part;              /* [steps][tiles][pieces][WAVES_TILE] */
    double *rho;               /* [steps][nspecies][kinds][vectors][2] */
    uint32_t *order;           /* [atoms] */
    struct waves_piece *piece; /* [pieces] */
    uint32_t *species;         /* [nspecies + 1], first piece of each species */
    int2 *rod;                 /* h, k of each rod */
    int2 *tile;                /* [tiles], row and column */
    struct waves_place *place; /* sorted by tile */
    uint32_t atoms, pieces, nspecies, vectors;
    uint32_t kinds, shares; /* Without currents 1 and WAVES_SHARE, with currents 4 and WAVES_SHARE +
                             * 3. */
};

/* Each function below queues work in the default CUDA stream, and returns 0, or -1 and sets *e. */

/* Computes d->share, the input of the other kernels, for the first `steps` time steps. */
int waves_gpu_share(struct err *e, const struct waves_device *d, int f32, uint32_t steps);
/* Computes the n tiles from tile `first` on for the first `steps` time steps. The wave vectors of
 * the n tiles are d->place[from] to d->place[to - 1]. The argument `kind` is 0 for the density and
 * 1 to 3 for the x, y and z components of the current. */
int waves_gpu_tiles(struct err *e, const struct waves_device *d, uint32_t kind, uint32_t steps,
                    uint32_t first, uint32_t n, uint32_t from, uint32_t to);
