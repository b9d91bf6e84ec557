/* SPDX-License-Identifier: MIT */
/* md_brick.h: data that the host prepares for the persistent kernel for large systems.
 *
 * Space is divided into cells half as wide as the list radius, and cells are grouped into bricks.
 * Atoms are sorted by brick, and within a brick by cell. A block of threads owns one brick, or
 * processes several bricks in turn. In each step, a block copies the atoms of its brick and of the
 * two surrounding layers of cells to shared memory; these atoms are called staged. The block then
 * finds pairs from a Verlet list of 16-bit indices of staged atoms, or from the cells. Once per
 * step, all blocks synchronise and test whether any atom has moved more than half the skin. If an
 * atom has moved that far, the blocks sort the atoms and rebuild their lists within the same
 * kernel. */
#pragma once

#include "md/md_pair.cuh"

#define BRICK_THREADS 768 /* number of threads per block in the general kernel */
/* Number of threads per block if each block owns one brick. Fewer threads leave more registers for
 * each thread. */
#define SINGLE_THREADS 768 /* kernel in which several threads process one atom */
#define SINGLE_FEW 640     /* kernel that keeps the neighbour lists in shared memory */
#define SINGLE_MANY 896    /* kernel that keeps the neighbour lists in the L2 cache */
#define BRICK_BEYOND 3     /* number of entries that a kernel may read beyond the last entry */
#define LOCAL_CELLS 2048   /* largest number of cells of a system whose flag `local` is set */

enum brick_mode { BRICK_LIST, BRICK_CELLS, BRICK_ALL };

struct brick_plan {
    enum brick_mode mode;
    /* Numbers of cells and of bricks along each axis. The halo is 2 cells wide, or 0 if the brick
     * extends over the whole axis. */
    int nc[3], nb[3], halo[3];
    int ncells, nbricks, blocks, rounds;
    int lanes;                          /* threads per atom */
    int staged_cap, own_cap, hcell_cap; /* capacities per brick */
    int warps_cap, words_cap;           /* capacities of a brick, as numbers of warps and of words
                                         * with two entries per lane */
    int threads;
    int single; /* whether each block owns one brick (md_gpu_single.cu) */
    /* Whether the neighbour lists of a brick fit into shared memory. */
    int resident;
    int local;              /* whether the system has at most LOCAL_CELLS cells */
    float list_r2, move_r2; /* (cutoff + skin)² and (skin/2)², in position units² */
    size_t shared;
};

/* Device memory of one launch. The arrays are in the order of the sorted atoms. Arrays of values
 * along the axes have the shape [3][natoms]. */
struct brick_memory {
    void *pos[2], *ref; /* positions of type P::pos, whose component w is the number of the atom */
    double *r[2], *v[2];
    long long *f;              /* forces of the present step, for the thermostat */
    int *count, *start, *sums; /* per cell; `sums` is per block */
    uint2 *where;              /* number of the cell of each atom, and index of the atom within this
                                * cell */
    uint32_t *map;             /* sorted index of each staged atom, [brick][staged_cap] */
    uint16_t *own;             /* staged index of each atom of the brick, [brick][own_cap] */
    uint16_t *cells;           /* staged index of the first atom of each cell, [brick][hcell_cap +
                                * 1] */
    uint32_t *lists;           /* neighbour lists [brick][warps_cap][words_cap][32], unused if both
                                * `single` and `resident` are set */
    uint16_t *words;           /* number of words used by each warp, [brick][warps_cap] */
    int4 *info;                /* index of the first atom of a brick, and numbers of its own and of
                                * its staged atoms */
    unsigned long long *turns; /* two counters that are 128 bytes apart in memory */
    long long *v2;             /* sums of v², [3] */
    int *held;                 /* index of the current buffer of positions, and index of the current
                                * buffer of the state */
};

struct brick_args {
    struct brick_plan plan;
    struct brick_memory mem;
    int go_on; /* whether the device memory holds the present state */
};
