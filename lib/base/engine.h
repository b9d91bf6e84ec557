/* SPDX-License-Identifier: MIT */
/* engine.h: finds and describes the CPU or GPU on which a program computes. Programs named X-cpu
 * are linked with lib/base/engine.c, and programs named X-gpu with cuda/base/gpu.cu. */
#pragma once

#include "base/err.h"

C_LINKAGE_BEGIN

/* Returns a static text that names the CPU or GPU for -v and --version, such as "CPU, x86-64-v4
 * (AVX-512)" or "NVIDIA H200, CUDA 13.0". */
const char *engine_name(void);
/* Checks, without reading input, that a usable CPU or GPU exists. The argument `devices` has the
 * form of gpu_probe, but is ignored on a CPU. Returns the number of devices (1 on a CPU), or -1 and
 * sets *e. */
int engine_probe(const char *devices, struct err *e) MUST_USE;

C_LINKAGE_END
