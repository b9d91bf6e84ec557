/* SPDX-License-Identifier: MIT */
/* md_brick.h: defines the arguments of the molecular dynamics kernel for large systems, which runs
 * all time steps of a launch.
 *
 * The simulation cell is divided into small cells half as wide as the radius of the neighbour
 * lists, and small cells are grouped into bricks. Atoms are sorted by brick, and within a brick by
 * cell. A block of threads owns one brick, or processes several bricks in turn. In each time step,
 * a block copies the atoms of its brick and of the two surrounding layers of cells to shared
 * memory; the copied atoms are called staged. A block finds pairs from a Verlet list of 16-bit
 * indices of staged atoms, or from the cells. Once per time step, all blocks synchronise and test
 * whether any atom has moved more than half the skin. After a larger displacement, the blocks sort
 * the atoms and rebuild the Verlet lists within the same kernel. */
#pragma once

#include "md/md_pair.cuh"

#define BRICK_THREADS 768 /* general kernel */
/* Threads per block if each block owns one brick; fewer threads leave more registers per thread. */
#define SINGLE_THREADS 768 /* several threads per atom */
#define SINGLE_FEW 640     /* lists in shared memory */
#define SINGLE_MANY 896    /* lists in the L2 cache */
#define BRICK_BEYOND 3     /* Kernels may read up to three entries after the last entry. */
#define LOCAL_CELLS 2048   /* largest number of cells of a `local` system */

enum brick_mode { BRICK_LIST, BRICK_CELLS, BRICK_ALL };

struct brick_plan {
    enum brick_mode mode;
    /* Numbers of cells and of bricks along each axis. The halo is 2 cells wide, or 0 if the brick
     * extends over the whole axis. */
    int nc[3], nb[3], halo[3];
    int ncells, nbricks, blocks, rounds;
    int lanes;                          /* threads per atom */
    int staged_cap, own_cap, hcell_cap; /* capacities per brick */
    int warps_cap, words_cap;           /* warps per brick; words with two entries per lane */
    int threads;
    int single; /* Each block owns one brick (md_gpu_single.cu). */
    /* lists in shared memory */
    int resident;
    int local; /* ncells <= LOCAL_CELLS */
    float list_r2,
        move_r2; /* (cutoff + skin)² and (skin/2)² in Å², times fixed.pos_scale[0]² (lj.h) */
    size_t shared;
};

/* Device arrays in the order of the sorted atoms, with vectors stored as [3][natoms]. */
struct brick_memory {
    void *pos[2], *ref; /* P::pos, whose component w is the index of the atom */
    double *r[2], *v[2];
    long long *f;              /* forces of the current step, for the thermostat */
    int *count, *start, *sums; /* [cells], [cells], [blocks] */
    uint2 *where;              /* cell of each atom, and index of the atom in the cell */
    uint32_t *map;             /* [brick][staged_cap], sorted index of each staged atom */
    uint16_t *own;             /* [brick][own_cap], staged index of each atom of a brick */
    uint16_t *cells;           /* [brick][hcell_cap + 1], first staged atom of each cell */
    uint32_t *lists;           /* [brick][warps_cap][words_cap][32], neighbour lists */
    uint16_t *words;           /* [brick][warps_cap], words in use */
    int4 *info;                /* first atom, number of atoms and of staged atoms of a brick */
    unsigned long long *turns; /* two counters, 128 bytes apart in memory */
    long long *v2;             /* [3], sums of v² */
    int *held;                 /* current index in pos[]; current index in r[] and v[] */
};

struct brick_args {
    struct brick_plan plan;
    struct brick_memory mem;
    int go_on; /* The device memory holds the current state. */
};
