/* SPDX-License-Identifier: MIT */
/* fft_size.h: finds array lengths for which Fourier transforms are fast. */
#pragma once

#include <stddef.h>

/* Returns the smallest m >= n (n >= 1) without a prime factor above 7. */
static inline size_t fft_size(size_t n)
{
    static const size_t primes[] = {2, 3, 5, 7};
    for (;; n++) {
        size_t rest = n;
        for (int i = 0; i < 4; i++)
            while (rest % primes[i] == 0)
                rest /= primes[i];
        if (rest == 1)
            return n;
    }
}
