/* SPDX-License-Identifier: MIT */
/*
 * sq_gpu.h: density waves as a product of matrices, from sq_gpu.cu (memory, order) to
 * sq_gpu_tile.cu (kernels).
 *
 * exp(i q r) = X(h, k) Z(l): a rod (h, k) is a row, |l| a column, and the sum over atoms that of a
 * matrix product, real and imaginary parts apart (two rows, two columns). SQ_RODS x SQ_COLUMNS of
 * them are a tile, which a block of threads sums over a piece of atoms of one species.
 */
#ifndef MBF_SQ_GPU_H
#define MBF_SQ_GPU_H

#include "base/gpu.h"

#define SQ_RODS 64
#define SQ_COLUMNS 32
#define SQ_TILE (4 * SQ_RODS * SQ_COLUMNS) /* numbers of a tile */
#define SQ_SHARE 5                         /* s, t, u and exp(2 pi i u) of an atom */

/* Up to a fixed number of atoms of one species. */
struct sq_piece {
    uint32_t first, atoms;
};

/* Where a vector's sums are. */
struct sq_place {
    uint32_t tile, rod, column; /* the tile among those at work; place in the tile */
    uint32_t minus;             /* it is -l */
    uint32_t vector;
};

struct sq_device {
    void *pos;              /* [steps][atoms][3] */
    double *inv;            /* [steps][3][3] of the cells */
    double *share;          /* [steps][SQ_SHARE][atoms], by species */
    double *part;           /* [steps][tiles at work][pieces][SQ_TILE] */
    double *rho;            /* [steps][nspecies][vectors][2] */
    uint32_t *order;        /* [atoms] */
    struct sq_piece *piece; /* [pieces] */
    uint32_t *species;      /* [nspecies + 1]: its first piece */
    int2 *rod;              /* [rows of tiles * SQ_RODS]: h, k */
    int2 *tile;             /* [tiles]: row, column */
    struct sq_place *place; /* [vectors] by tile */
    uint32_t atoms, pieces, nspecies, vectors;
};

/* All queued in the default stream; 0, or -1 with e. */

/* d->share of so many steps. */
int sq_gpu_share(struct err *e, const struct sq_device *d, int f32, uint32_t steps);
/* Tiles first to first + n of so many steps, whose vectors are d->place[from] to [to). */
int sq_gpu_tiles(struct err *e, const struct sq_device *d, uint32_t steps, uint32_t first,
                 uint32_t n, uint32_t from, uint32_t to);

#endif
