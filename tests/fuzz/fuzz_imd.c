/* SPDX-License-Identifier: MIT */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz(data, size, "imd");
}
