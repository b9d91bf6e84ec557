/* SPDX-License-Identifier: MIT */
/* rng.h: computes random numbers from a counter (Philox4x32-10), with identical results on CPU and
 * GPU. The generator has no state and needs no tables. The method is described by Salmon, Moraes,
 * Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11 (Random123). */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/hd.h"

/* Purposes of random numbers. The purpose is a part of the counter, so that the random numbers of
 * two purposes never overlap, even for the same seed. */
enum rng_stream { RNG_VELOCITY = 1, RNG_POSITION = 2, RNG_PUSH = 3, RNG_TEST = 4 };

struct rng4 {
    uint32_t v[4];
};

/* Applies ten rounds of Philox4x32 to a 128-bit counter c with a 64-bit key (k0, k1). */
HD struct rng4 rng_philox(struct rng4 c, uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c.v[0], p1 = (uint64_t)0xCD9E8D57u * c.v[2];
        uint32_t x1 = c.v[1], x3 = c.v[3];
        c.v[0] = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
        c.v[1] = (uint32_t)p1;
        c.v[2] = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
        c.v[3] = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

HD struct rng4 rng_at(uint64_t seed, enum rng_stream stream, uint64_t n, uint32_t draw)
{
    struct rng4 c;
    c.v[0] = (uint32_t)n;
    c.v[1] = (uint32_t)(n >> 32);
    c.v[2] = (uint32_t)stream;
    c.v[3] = draw;
    return rng_philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
}

/* Converts two 32-bit words to a double with 52 random bits that is above 0 and below 1. */
HD double rng_unit(uint32_t hi, uint32_t lo)
{
    uint64_t u = (((uint64_t)hi << 32) | lo) >> 12;
    return ((double)u + 0.5) * (1.0 / 4503599627370496.0);
}

/* Computes two normal deviates from four random 32-bit words (Box and Muller 1958). If results must
 * be identical, call this function only on the host, as md_init.c does, because libraries round
 * log, sqrt, cos and sin differently. */
HD void rng_normal2(struct rng4 w, double out[2])
{
    double r = sqrt(-2.0 * log(rng_unit(w.v[0], w.v[1])));
    double a = 6.28318530717958647692 * rng_unit(w.v[2], w.v[3]);
    out[0] = r * cos(a);
    out[1] = r * sin(a);
}
