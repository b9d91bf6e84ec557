/* SPDX-License-Identifier: MIT */
#include "md/md_plan.h"

static int brick_go(struct md *m, const struct md_launch *j)
{
    const struct brick_args *a = brick_args_of(m);
    void *args[] = {(void *)j, (void *)a};
    const void *kernel = a->plan.single ? md_single_kernel_of(m) : md_brick_kernel_of(m);
    if (TRY(&m->err, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          (int)a->plan.shared)) ||
        TRY(&m->err,
            cudaMemsetAsync(a->mem.count, 0, sizeof(int) * (size_t)a->plan.ncells, m->stream)) ||
        TRY(&m->err, cudaMemsetAsync(a->mem.turns, 0, 512, m->stream)) /* v2 too */ ||
        TRY(&m->err, cudaLaunchCooperativeKernel(kernel, dim3((unsigned)a->plan.blocks),
                                                 dim3((unsigned)a->plan.threads), args,
                                                 a->plan.shared, m->stream)))
        return -1;
    return 0;
}

/* Replicas one after the other. */
int md_brick_launch(struct md *m, const struct md_launch *all)
{
    for (int k = 0; k < all->replicas; k++) {
        struct md_launch j = *all;
        size_t at = (size_t)k * 3 * (size_t)all->natoms;
        j.replica = k;
        j.r_in += at;
        j.v_in += at;
        j.r_out += at;
        j.v_out += at;
        if (j.forces)
            j.forces += at;
        if (brick_go(m, &j))
            return -1;
    }
    return 0;
}
