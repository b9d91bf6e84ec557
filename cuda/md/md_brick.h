/* SPDX-License-Identifier: MIT */
/* md_brick.h: data that the host prepares for the persistent kernel for large systems.
 *
 * Space is divided into cells half as wide as the list radius, and cells are grouped into bricks.
 * Atoms are sorted by brick, and within a brick by cell. A block of threads owns one brick, or
 * processes several bricks in turn. In each step, a block copies the atoms of its brick and of the
 * two surrounding layers of cells to shared memory. These atoms are the staged atoms. The block
 * then finds pairs from a Verlet list of 16-bit indices of staged atoms, or from the cells. Once
 * per step, all blocks synchronise and test whether any atom has moved more than half the skin. If
 * an atom has moved that far, the blocks sort the atoms and rebuild their lists within the same
 * kernel. */
#pragma once

#include "md/md_pair.cuh"

#define BRICK_THREADS 768 /* threads per block of the general kernel */
/* Number of threads per block if each block owns one brick. With fewer threads, each thread has
 * more registers. */
#define SINGLE_THREADS 768 /* used if several threads process an atom */
#define SINGLE_FEW 640     /* used if the lists are in shared memory */
#define SINGLE_MANY 896    /* used if the lists are in the L2 cache */
#define BRICK_BEYOND 3     /* number of entries that may be read after the last entry */
#define LOCAL_CELLS 2048   /* largest number of cells if `local` is set */

enum brick_mode { BRICK_LIST, BRICK_CELLS, BRICK_ALL };

struct brick_plan {
    enum brick_mode mode;
    /* Numbers of cells and bricks. The halo has 2 cells, or 0 if the whole axis is staged. */
    int nc[3], nb[3], halo[3];
    int ncells, nbricks, blocks, rounds;
    int lanes;                          /* threads per atom */
    int staged_cap, own_cap, hcell_cap; /* capacities per brick */
    int warps_cap, words_cap;           /* capacities per brick, in warps and in words of two
                                         * entries per lane */
    int threads;
    int single; /* whether each block owns one brick (md_gpu_single.cu) */
    /* Whether the lists of a brick fit into shared memory. */
    int resident;
    int local;              /* whether there are at most LOCAL_CELLS cells */
    float list_r2, move_r2; /* (cutoff + skin)² and (skin/2)², in position units² */
    size_t shared;
};

/* Device memory of a launch. Atoms are in sorted order. Arrays with axes are [3][natoms]. */
struct brick_memory {
    void *pos[2], *ref; /* positions of type P::pos; the component w is the atom number */
    double *r[2], *v[2];
    long long *f;              /* forces, needed for the thermostat */
    int *count, *start, *sums; /* per cell; `sums` is per block */
    uint2 *where;              /* cell of each atom, and index of the atom in this cell */
    uint32_t *map;             /* sorted position of each staged atom, [brick][staged_cap] */
    uint16_t *own;             /* staged position of each atom of the brick, [brick][own_cap] */
    uint16_t *cells;           /* first staged position of each cell, [brick][hcell_cap + 1] */
    uint32_t *lists;           /* [brick][warps_cap][words_cap][32], not used if single and resident
                                * are set */
    uint16_t *words;           /* number of words in use, [brick][warps_cap] */
    int4 *info;                /* index of the first atom, and numbers of own and staged atoms */
    unsigned long long *turns; /* two counters, 128 bytes apart */
    long long *v2;             /* sums of v², [3] */
    int *held;                 /* current buffer of positions, and current buffer of the state */
};

struct brick_args {
    struct brick_plan plan;
    struct brick_memory mem;
    int go_on; /* whether the memory holds the present state */
};
