/* SPDX-License-Identifier: MIT */
/* fqt_cpu.c: the CPU engine of fqt_engine.h, which is fqt_engine.c with waves_sum.c. */
#include <stdio.h>

#include "base/simd.h"
#include "fqt/fqt_engine.h"

const char *fqt_engine_name(void)
{
    static char text[64];
    snprintf(text, sizeof text, "CPU, %s", simd_name());
    return text;
}

int fqt_probe(const char *devices, struct err *e)
{
    (void)devices;
    (void)e;
    return 0;
}
