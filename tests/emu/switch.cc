// SPDX-License-Identifier: MIT
// switch.cc: which of its kernels the emulated g4-gpu takes. EMU_G4=small: those for devices with little shared memory.
#include <cstdlib>
#include <cstring>

extern int g4_gpu_small;

__attribute__((constructor)) static void choose()
{
    const char *how = getenv("EMU_G4");
    if (how)
        g4_gpu_small = !strcmp(how, "small");
}
