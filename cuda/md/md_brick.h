/* SPDX-License-Identifier: MIT */
/* md_brick.h: arguments of the molecular dynamics kernel for large systems, which runs all time
 * steps of a launch.
 *
 * The simulation cell is divided into small cells half as wide as the radius of the neighbour
 * lists, and small cells are grouped into bricks. Atoms are sorted by brick, and within a brick by
 * cell. A block of threads owns one brick, or processes several bricks in turn. In each time step,
 * a block copies the atoms of its brick and of the two surrounding layers of cells to shared
 * memory; the copied atoms are called staged. The block then finds pairs from a Verlet list of
 * 16-bit indices of staged atoms, or from the cells. Once per time step, all blocks synchronise and
 * test whether any atom has moved more than half the skin. After a larger displacement, the blocks
 * sort the atoms and rebuild the Verlet lists within the same kernel. */
#pragma once

#include "md/md_pair.cuh"

#define BRICK_THREADS 768 /* threads per block of the general kernel */
/* Threads per block of the kernels whose blocks own one brick: fewer threads leave more registers
 * for each thread. */
#define SINGLE_THREADS 768 /* several threads per atom */
#define SINGLE_FEW 640     /* lists in shared memory */
#define SINGLE_MANY 896    /* lists in the L2 cache */
#define BRICK_BEYOND 3     /* Kernels may read up to three entries after the last entry. */
#define LOCAL_CELLS 2048   /* largest `ncells` of a `local` system */

enum brick_mode { BRICK_LIST, BRICK_CELLS, BRICK_ALL };

struct brick_plan {
    enum brick_mode mode;
    /* Numbers of cells and of bricks along each axis. The halo is 2 cells wide, or 0 if the brick
     * extends over the whole axis. */
    int nc[3], nb[3], halo[3];
    int ncells, nbricks, blocks, rounds;
    int lanes;
    int staged_cap, own_cap, hcell_cap; /* largest numbers per brick */
    int warps_cap, words_cap;           /* warps per brick; words per warp */
    int threads;
    int single; /* Each block owns one brick (md_gpu_single.cu). */
    /* Whether the neighbour lists fit into shared memory. */
    int resident;
    int local;              /* ncells <= LOCAL_CELLS */
    float list_r2, move_r2; /* (cutoff + skin)² and (skin/2)², position units² */
    size_t shared;
};

/* Device arrays in the order of the sorted atoms, with vectors stored as [3][natoms]. */
struct brick_memory {
    void *pos[2], *ref; /* P::pos, with the atom's index in w */
    double *r[2], *v[2];
    long long *f;              /* forces, for the thermostat */
    int *count, *start, *sums; /* [cells], [cells], [blocks] */
    uint2 *where;              /* cell of each atom, and index within the cell */
    uint32_t *map;             /* [brick][staged_cap], sorted index of a staged atom */
    uint16_t *own;             /* [brick][own_cap], staged index of a brick's atom */
    uint16_t *cells;           /* [brick][hcell_cap + 1], first staged atom of a cell */
    uint32_t *lists;           /* [brick][warps_cap][words_cap][32], neighbour lists that are not in
                                * shared memory */
    uint16_t *words;           /* [brick][warps_cap], words used */
    int4 *info;                /* per brick: first atom, atoms, staged atoms */
    unsigned long long *turns; /* two counters, 128 bytes apart */
    long long *v2;             /* [3], sums of v² */
    int *held;                 /* current index in pos[], and in r[] and v[] */
};

struct brick_args {
    struct brick_plan plan;
    struct brick_memory mem;
    int go_on; /* The device memory holds the current state. */
};
