// SPDX-License-Identifier: MIT
// alpha_switch.cc: EMU_ALPHA=mesh: the emulated alpha-gpu takes a mesh for few sites, too.
#include <cstdlib>
#include <cstring>

extern size_t alpha_gpu_pairs_max;

__attribute__((constructor)) static void choose()
{
    const char *how = getenv("EMU_ALPHA");
    if (how && !strcmp(how, "mesh"))
        alpha_gpu_pairs_max = 1;
}
