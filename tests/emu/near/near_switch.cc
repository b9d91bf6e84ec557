// SPDX-License-Identifier: MIT
// near_switch.cc: EMU_NEAR=N: kernels on cuda/near have at most N blocks.
#include <cstdlib>

extern unsigned near_gpu_blocks_max;

__attribute__((constructor)) static void choose()
{
    const char *most = getenv("EMU_NEAR");
    if (most)
        near_gpu_blocks_max = (unsigned)atoi(most);
}
