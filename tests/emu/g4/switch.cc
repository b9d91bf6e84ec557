// SPDX-License-Identifier: MIT
// switch.cc: which way the emulated g4-gpu takes. EMU_G4=small: kernels for devices with little shared memory; groups: tables of
// beta in several groups of tiles; lists: lists of neighbours whatever they cost, in short windows.
#include <cstdlib>
#include <cstring>

extern int g4_gpu_small, g4_gpu_groups, g4_gpu_lists;

__attribute__((constructor)) static void choose()
{
    const char *how = getenv("EMU_G4");
    if (how) {
        g4_gpu_small = !strcmp(how, "small");
        g4_gpu_groups = !strcmp(how, "groups");
        g4_gpu_lists = !strcmp(how, "lists");
    }
}
