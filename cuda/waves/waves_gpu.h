/* SPDX-License-Identifier: MIT */
/*
 * waves_gpu.h: density waves and currents as a matrix product: interface of waves_gpu.cu (memory,
 * order) to waves_gpu_tile.cu (kernels).
 *
 * exp(i q r) = X(h, k) Z(l). A row is a rod (h, k), a column is |l|, and the sum over atoms is a
 * matrix product, with real and imaginary parts separate (two rows, two columns). A tile has
 * WAVES_RODS rods and WAVES_COLUMNS columns; a block of threads sums it over a piece of atoms of
 * one species.
 */
#ifndef MBF_WAVES_GPU_H
#define MBF_WAVES_GPU_H

#include "base/gpu.h"

#define WAVES_RODS 64
#define WAVES_COLUMNS 32
#define WAVES_TILE (4 * WAVES_RODS * WAVES_COLUMNS) /* numbers per tile */
#define WAVES_SHARE 5 /* s, t, u and exp(2 pi i u) of an atom; then velocities, if any */

/* A piece: up to a fixed number of atoms of one species. */
struct waves_piece {
    uint32_t first, atoms;
};

/* Place of the sums of a vector. */
struct waves_place {
    uint32_t tile, rod, column; /* tile among those in work; place in the tile */
    uint32_t minus;             /* the column is -l */
    uint32_t vector;
};

struct waves_device {
    void *pos, *vel;           /* [steps][atoms][3]; vel NULL: no currents */
    double *inv;               /* [steps][3][3] inverses of the cells */
    double *share;             /* [steps][shares][atoms], by species */
    double *part;              /* [steps][tiles in work][pieces][WAVES_TILE] */
    double *rho;               /* [steps][nspecies][kinds][vectors][2] */
    uint32_t *order;           /* [atoms] */
    struct waves_piece *piece; /* [pieces] */
    uint32_t *species;         /* [nspecies + 1]: first piece of each species */
    int2 *rod;                 /* [rows of tiles * WAVES_RODS]: h, k */
    int2 *tile;                /* [tiles]: row, column */
    struct waves_place *place; /* [vectors] sorted by tile */
    uint32_t atoms, pieces, nspecies, vectors;
    uint32_t kinds, shares; /* kinds: 1, or 4 with currents; shares: WAVES_SHARE, or 3 more */
};

/* The functions below queue work in the default stream and return 0, or -1 and set e. */

/* Computes d->share of `steps` steps. */
int waves_gpu_share(struct err *e, const struct waves_device *d, int f32, uint32_t steps);
/* Sums tiles first to first + n of `steps` steps, whose vectors are d->place[from] to [to), for one
 * kind: 0 is the density, 1 to 3 are the components of the current. */
int waves_gpu_tiles(struct err *e, const struct waves_device *d, uint32_t kind, uint32_t steps,
                    uint32_t first, uint32_t n, uint32_t from, uint32_t to);

#endif
