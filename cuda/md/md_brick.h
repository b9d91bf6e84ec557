/* SPDX-License-Identifier: MIT */
/*
 * md_brick.h: large systems: what the host plans and the persistent kernel works with.
 *
 * Space is cut into cells of half the list radius, cells into bricks; atoms are sorted by brick,
 * then cell. A block owns one brick (or several, in turn). Each step it stages its brick and the
 * cells two around it in shared memory and works from there: a Verlet list of 16-bit places in the
 * staged set, or the cells themselves. One launch-wide wait a step; that wait also tells everybody
 * whether an atom anywhere has used up its half of the skin, and then all blocks sort and build
 * anew, within the same kernel.
 */
#ifndef MBF_MD_BRICK_H
#define MBF_MD_BRICK_H

#include "md/md_pair.cuh"

#define BRICK_THREADS 768 /* of the general kernel */
/* Of a block of the kernel of one brick a block: fewer have more registers. */
#define SINGLE_THREADS 768 /* several an atom */
#define SINGLE_FEW 640     /* one an atom, lists in shared memory */
#define SINGLE_MANY 896    /* one an atom, lists from the second cache */
#define BRICK_BEYOND 3     /* places that a search may read beyond the last staged atom */
#define LOCAL_CELLS 2048   /* at most so many: two launch-wide waits less a build */

enum brick_mode { BRICK_LIST, BRICK_CELLS, BRICK_ALL };

struct brick_plan {
    enum brick_mode mode;
    int nc[3], nb[3],
        halo[3]; /* cells, bricks; cells staged around a brick: 2, or 0 on an axis staged as a
                    whole */
    int ncells, nbricks, blocks, rounds;
    int lanes;                          /* threads an atom */
    int staged_cap, own_cap, hcell_cap; /* of one brick */
    int warps_cap,
        words_cap; /* lists of a brick: warps' worth of atoms, and pairs of entries a lane */
    int threads;
    int single;   /* one brick a block, one atom a thread: md_gpu_single.cu */
    int resident; /* room for a brick's lists in shared memory: kept there (single), or built
                     there */
    int local;    /* few cells: each block adds up all of them, in shared memory */
    float list_r2, move_r2; /* (cutoff + skin)², (skin/2)², position units² */
    size_t shared;
};

/*
 * Device memory of a launch. Arrays of atoms are in sorted order, [3][natoms] where they have
 * axes.
 */
struct brick_memory {
    void *pos[2], *ref; /* P::pos; w holds the number of the atom */
    double *r[2], *v[2];
    long long *f;              /* with a thermostat: forces between the two halves of a step */
    int *count, *start, *sums; /* [ncells], [ncells + 1], [blocks] */
    uint2 *where;              /* cell and place in it */
    uint32_t *map;             /* [brick][staged_cap]: sorted place of a staged atom */
    uint16_t *own;             /* [brick][own_cap]: staged place of an own atom */
    uint16_t *cells;           /* [brick][hcell_cap + 1]: first staged place of each staged cell */
    uint32_t *lists;           /* [brick][warps_cap][words_cap][32], unless single and resident */
    uint16_t *words;           /* [brick][warps_cap]: words in use */
    int4 *info;                /* [brick] first own atom, own atoms, atoms staged */
    unsigned long long *turns; /* launch-wide wait: two counters, 128 bytes apart */
    long long *v2;             /* [3] sums of v² */
    int *held;                 /* which halves of pos, and of r and v, a launch left current */
};

struct brick_args {
    struct brick_plan plan;
    struct brick_memory mem;
    int go_on; /* general kernel: memory holds the state that r_in, v_in are, sorted, with its lists */
};

#endif
