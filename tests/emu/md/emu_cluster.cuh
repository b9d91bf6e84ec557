/* SPDX-License-Identifier: MIT */
/*
 * emu_cluster.cuh: for the emulated machine (tests/emu), what md_cluster.cuh in cuda/ does with
 * PTX: records into the shared memory of the blocks of a cluster, counted on mbarriers there.
 * An address is a block's rank and the place in its dynamic shared memory.
 */
#ifndef MBF_EMU_CLUSTER_H
#define MBF_EMU_CLUSTER_H

#include <stdint.h>

#include "md/md_pair.cuh"

#define MD_HAS_CLUSTER 1

/* An mbarrier of one arrival a phase. */
struct emu_bar {
    int32_t bytes; /* that are expected, less those that came; these may come first */
    uint16_t armed, phases;
};

MD_DEV unsigned md_shared_address(const void *p)
{
    return (unsigned)((const char *)p - (const char *)emu_dynamic());
}

MD_DEV unsigned md_remote(unsigned address, int rank)
{
    return (unsigned)rank << 24 | address;
}

MD_DEV void *emu_remote(unsigned at)
{
    return (char *)emu_dynamic_of(at >> 24) + (at & 0xffffff);
}

MD_DEV void emu_count(struct emu_bar *b, int bytes)
{
    b->bytes += bytes;
    if (b->armed && b->bytes == 0) {
        b->armed = 0;
        b->phases++;
    }
}

template <class T> MD_DEV void md_send(unsigned at, unsigned bar, const T &p)
{
    const int bytes = sizeof(T) == 32 ? 24 : sizeof(T); /* md_double4: three numbers */
    memcpy(emu_remote(at), &p, bytes);
    emu_count((struct emu_bar *)emu_remote(bar), -bytes);
}

MD_DEV void md_bar_init(uint64_t *bar)
{
    memset(bar, 0, sizeof *bar);
}

MD_DEV void md_bar_expect(uint64_t *bar, unsigned bytes)
{
    struct emu_bar *b = (struct emu_bar *)bar;
    if (b->armed)
        emu_die("an mbarrier armed twice in a phase");
    b->armed = 1;
    emu_count(b, (int)bytes);
}

MD_DEV void md_bar_wait(uint64_t *bar, unsigned parity)
{
    while ((((volatile struct emu_bar *)bar)->phases & 1) == parity)
        emu_poll();
}

MD_DEV void md_cluster_sync(void)
{
    emu_barrier_all();
}

#endif
