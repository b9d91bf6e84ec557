/* SPDX-License-Identifier: MIT */
/*
 * waves_gpu.h: density waves and currents as a product of matrices, from waves_gpu.cu (memory, order) to
 * waves_gpu_tile.cu (kernels).
 *
 * exp(i q r) = X(h, k) Z(l): a rod (h, k) is a row, |l| a column, and the sum over atoms that of a
 * matrix product, real and imaginary parts apart (two rows, two columns). WAVES_RODS x WAVES_COLUMNS of
 * them are a tile, which a block of threads sums over a piece of atoms of one species.
 */
#ifndef MBF_WAVES_GPU_H
#define MBF_WAVES_GPU_H

#include "base/gpu.h"

#define WAVES_RODS 64
#define WAVES_COLUMNS 32
#define WAVES_TILE (4 * WAVES_RODS * WAVES_COLUMNS) /* numbers of a tile */
#define WAVES_SHARE                                                                                \
    5 /* s, t, u and exp(2 pi i u) of an atom; behind, where there are, velocities */

/* Up to a fixed number of atoms of one species. */
struct waves_piece {
    uint32_t first, atoms;
};

/* Where a vector's sums are. */
struct waves_place {
    uint32_t tile, rod, column; /* the tile among those at work; place in the tile */
    uint32_t minus;             /* it is -l */
    uint32_t vector;
};

struct waves_device {
    void *pos, *vel;           /* [steps][atoms][3]; vel NULL: no currents */
    double *inv;               /* [steps][3][3] of the cells */
    double *share;             /* [steps][shares][atoms], by species */
    double *part;              /* [steps][tiles at work][pieces][WAVES_TILE] */
    double *rho;               /* [steps][nspecies][kinds][vectors][2] */
    uint32_t *order;           /* [atoms] */
    struct waves_piece *piece; /* [pieces] */
    uint32_t *species;         /* [nspecies + 1]: its first piece */
    int2 *rod;                 /* [rows of tiles * WAVES_RODS]: h, k */
    int2 *tile;                /* [tiles]: row, column */
    struct waves_place *place; /* [vectors] by tile */
    uint32_t atoms, pieces, nspecies, vectors;
    uint32_t kinds, shares; /* 1, or 4 with currents; WAVES_SHARE, or 3 more */
};

/* All queued in the default stream; 0, or -1 with e. */

/* d->share of so many steps. */
int waves_gpu_share(struct err *e, const struct waves_device *d, int f32, uint32_t steps);
/* Tiles first to first + n of so many steps, whose vectors are d->place[from] to [to), of a kind: 0
 * density, 1 to 3 a component of the current. */
int waves_gpu_tiles(struct err *e, const struct waves_device *d, uint32_t kind, uint32_t steps,
                    uint32_t first, uint32_t n, uint32_t from, uint32_t to);

#endif
