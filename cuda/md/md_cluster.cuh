/* SPDX-License-Identifier: MIT */
/* md_cluster.cuh: exchanges small records between the blocks of a cluster without a barrier. This
 * header is for CUDA only.
 *
 * Every record is stored directly into the shared memory of each block of the cluster. The store
 * instruction (st.async) also counts its bytes on an mbarrier in that memory. A reader waits on its
 * own mbarrier for all bytes of the step. Two buffers alternate. A block that sends step n + 1 has
 * received all records of step n, so all blocks have finished reading step n - 1. Below sm_90, and
 * in clusters of one block, the same functions store locally and wait with __syncthreads(). */
#pragma once

#include <stdint.h>

#include "md/md_pair.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MD_HAS_CLUSTER 1
#else
#define MD_HAS_CLUSTER 0
#endif

MD_DEV unsigned md_shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#if MD_HAS_CLUSTER
MD_DEV unsigned md_remote(unsigned address, int rank)
{
    unsigned r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
    return r;
}

MD_DEV void md_send(unsigned at, unsigned bar, const int4 &p)
{
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%0], {%1,%2,%3,%4}, [%5];" ::
            "r"(at),
        "r"(p.x), "r"(p.y), "r"(p.z), "r"(p.w), "r"(bar)
        : "memory");
}

MD_DEV void md_send(unsigned at, unsigned bar, double a)
{
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.f64 [%0], %1, [%2];" ::"r"(at),
        "d"(a), "r"(bar)
        : "memory");
}

MD_DEV void md_send(unsigned at, unsigned bar, long long a)
{
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.s64 [%0], %1, [%2];" ::"r"(at),
        "l"(a), "r"(bar)
        : "memory");
}

MD_DEV void md_send(unsigned at, unsigned bar, const struct md_double4 &p)
{
    md_send(at, bar, p.x);
    md_send(at + 8, bar, p.y);
    md_send(at + 16, bar, p.z);
}

MD_DEV void md_bar_init(uint64_t *bar)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(md_shared_address(bar)) : "memory");
}

/* Starts the next phase of an mbarrier, which ends when `bytes` bytes have arrived. */
MD_DEV void md_bar_expect(uint64_t *bar, unsigned bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(md_shared_address(bar)),
        "r"(bytes)
        : "memory");
}

/* Waits for the end of a phase. Data of st.async are visible once their bytes are counted. */
MD_DEV void md_bar_wait(uint64_t *bar, unsigned parity)
{
    unsigned a = md_shared_address(bar), done;
    do {
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(a), "r"(parity)
                     : "memory");
    } while (!done);
}

MD_DEV void md_cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
#endif
