/* SPDX-License-Identifier: MIT */
/* waves_gpu.h: computes density waves and currents as a matrix product. The file waves_gpu.cu
 * manages memory and the order of the work, and waves_gpu_tile.cu contains the kernels.
 *
 * The phase factor exp(i q r) is a product X(h, k) Z(l). The sum over atoms is therefore a matrix
 * product, with one row for each rod (h, k) and one column for each |l|. The real and imaginary
 * parts have separate rows and columns. A tile has WAVES_RODS rods and WAVES_COLUMNS columns. A
 * block of threads computes a tile, summed over a group of atoms of one species. */
#pragma once

#include "base/gpu.h"

#define WAVES_RODS 64
#define WAVES_COLUMNS 32
#define WAVES_TILE (4 * WAVES_RODS * WAVES_COLUMNS) /* numbers per tile */
#define WAVES_SHARE                                                                                \
    5 /* the fractional coordinates s, t and u and the two parts of exp(2 pi i u), and then the
       * velocities, if any */

/* A group of consecutive atoms of the same species. */
struct waves_piece {
    uint32_t first, atoms;
};

/* Location in memory of the sums for one wave vector. */
struct waves_place {
    uint32_t tile, rod, column; /* location of the sum */
    uint32_t minus;             /* whether the column is -l */
    uint32_t vector;
};

struct waves_device {
    void *pos, *vel;           /* positions and velocities [steps][atoms][3], where `vel` is NULL if
                                * no currents are computed */
    double *inv;               /* inverse cells */
    double *share;             /* input of the kernels [steps][shares][atoms], sorted by species */
    double *part;              /* [steps][tiles][pieces][WAVES_TILE] */
    double *rho;               /* [steps][nspecies][kinds][vectors][2] */
    uint32_t *order;           /* [atoms] */
    struct waves_piece *piece; /* [pieces] */
    uint32_t *species;         /* index of the first piece of each species, [nspecies + 1] */
    int2 *rod;                 /* h, k of each rod */
    int2 *tile;                /* row and column, [tiles] */
    struct waves_place *place; /* sorted by tile */
    uint32_t atoms, pieces, nspecies, vectors;
    uint32_t kinds, shares; /* with currents 4 and WAVES_SHARE + 3, otherwise 1 and WAVES_SHARE */
};

/* The functions below start work in the default CUDA stream. Each of these functions returns 0 on
 * success, or -1 with an error message in e. */

/* Computes the array d->share, which is the input of the kernels, for the first `steps` steps. */
int waves_gpu_share(struct err *e, const struct waves_device *d, int f32, uint32_t steps);
/* Computes n tiles, of which the first is `first`, for the first `steps` steps. The wave vectors of
 * the n tiles are d->place[from] to d->place[to - 1]. The argument `kind` is 0 for the density and
 * 1 to 3 for the components of the current. */
int waves_gpu_tiles(struct err *e, const struct waves_device *d, uint32_t kind, uint32_t steps,
                    uint32_t first, uint32_t n, uint32_t from, uint32_t to);
