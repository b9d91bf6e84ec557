/* SPDX-License-Identifier: MIT */
/* engine.h: finds and describes the CPU or GPU on which the engines of a program run. X-cpu
 * programs link lib/base/engine.c, and X-gpu programs link cuda/base/gpu.cu. */
#pragma once

#include "base/err.h"

C_LINKAGE_BEGIN

/* Returns the name of the engine for -v and --version, such as "CPU, x86-64-v4 (AVX-512)" or
 * "NVIDIA H200, CUDA 13.0". The text is static. */
const char *engine_name(void);
/* Checks that a usable CPU or GPU exists, without reading input. The argument `devices` has the
 * form that gpu_probe expects, and is ignored on a CPU. Returns the number of devices, which is 1
 * on a CPU, or -1 with an error message in e. */
int engine_probe(const char *devices, struct err *e) MUST_USE;

C_LINKAGE_END
