/* SPDX-License-Identifier: MIT */
/*
 * md_brick.h: large systems: data that the host plans and the persistent kernel uses.
 *
 * Space is divided into cells of half the list radius, and cells are grouped into bricks. Atoms are
 * sorted by brick, then by cell. A block owns one brick, or several in turn. In each step a block
 * copies its brick and the cells up to two away into shared memory (staging). The block then uses a
 * Verlet list of 16-bit places in the staged set, or the cells themselves. There is one launch-wide
 * wait per step. The wait also reports to all blocks whether any atom has moved half the skin; if
 * so, all blocks sort and build lists again within the same kernel.
 */
#ifndef MBF_MD_BRICK_H
#define MBF_MD_BRICK_H

#include "md/md_pair.cuh"

#define BRICK_THREADS 768 /* threads per block of the general kernel */
/* Threads per block of the kernel with one brick per block; smaller blocks have more registers per
 * thread. */
#define SINGLE_THREADS 768 /* several per atom */
#define SINGLE_FEW 640     /* one per atom, lists in shared memory */
#define SINGLE_MANY 896    /* one per atom, lists in the L2 cache */
#define BRICK_BEYOND 3     /* places that a search may read after the last staged atom */
#define LOCAL_CELLS 2048   /* largest number of cells with two launch-wide waits fewer per build */

enum brick_mode { BRICK_LIST, BRICK_CELLS, BRICK_ALL };

struct brick_plan {
    enum brick_mode mode;
    int nc[3], nb[3],
        halo[3]; /* cells, bricks; halo: 2 staged cells per side, or 0 if the whole axis is
                    staged */
    int ncells, nbricks, blocks, rounds;
    int lanes;                          /* threads per atom */
    int staged_cap, own_cap, hcell_cap; /* capacities of one brick */
    int warps_cap, words_cap; /* lists of a brick: warps of atoms, and entry pairs per lane */
    int threads;
    int single; /* one brick per block, one atom per thread: md_gpu_single.cu */
    /* lists of a brick fit into shared memory: they stay there (single) or are built there */
    int resident;
    int local;              /* few cells: each block sums over all of them in shared memory */
    float list_r2, move_r2; /* (cutoff + skin)², (skin/2)², position units² */
    size_t shared;
};

/* Device memory of a launch. Arrays of atoms are in sorted order, [3][natoms] if they have axes. */
struct brick_memory {
    void *pos[2], *ref; /* P::pos; w is the number of the atom */
    double *r[2], *v[2];
    long long *f;              /* with a thermostat: forces between the half steps */
    int *count, *start, *sums; /* [ncells], [ncells + 1], [blocks] */
    uint2 *where;              /* cell, and place in the cell */
    uint32_t *map;             /* [brick][staged_cap]: sorted place of a staged atom */
    uint16_t *own;             /* [brick][own_cap]: staged place of an atom of the brick */
    uint16_t *cells;           /* [brick][hcell_cap + 1]: first staged place of each staged cell */
    uint32_t *lists;           /* [brick][warps_cap][words_cap][32], unless single and resident */
    uint16_t *words;           /* [brick][warps_cap]: words in use */
    int4 *info;                /* [brick] first atom, number of atoms, staged atoms */
    unsigned long long *turns; /* launch-wide wait: two counters, 128 bytes apart */
    long long *v2;             /* [3] sums of v² */
    int *held;                 /* halves of pos, and of r and v, that are current after a launch */
};

struct brick_args {
    struct brick_plan plan;
    struct brick_memory mem;
    int go_on; /* general kernel: memory holds r_in and v_in, sorted, and their lists */
};

#endif
