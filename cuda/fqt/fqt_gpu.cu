/* SPDX-License-Identifier: MIT */
/* fqt_gpu.cu: the CUDA engine of fqt_engine.h: waves and currents on devices (waves_gpu.cu), and
 * their products in time as in fqt-cpu (fqt_engine.c). */
#include "base/gpu.h"
#include "fqt/fqt_engine.h"

extern "C" const char *fqt_engine_name(void)
{
    return gpu_name(0);
}

extern "C" int fqt_probe(const char *devices, struct err *e)
{
    return gpu_probe(devices, NULL, e) < 0 ? -1 : 0;
}
