/* SPDX-License-Identifier: MIT */
/* Compares rng.h with the known answers of Random123 (kat_vectors of Salmon et al. 2011), and tests
 * the moments of its deviates. */
#include <string.h>

#include "base/rng.h"
#include "md/md.h"
#include "tap.h"

static void known(const struct rng4 c, uint32_t k0, uint32_t k1, const struct rng4 want,
                  const char *name)
{
    struct rng4 r = rng_philox(c, k0, k1);
    if (!tap_ok(memcmp(&r, &want, sizeof r) == 0, "philox4x32-10, %s", name))
        printf("# got %08x %08x %08x %08x\n", r.v[0], r.v[1], r.v[2], r.v[3]);
}

int main(void)
{
    known((struct rng4){{0, 0, 0, 0}}, 0, 0,
          (struct rng4){{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}, "zeros");
    known((struct rng4){{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u,
          (struct rng4){{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}, "ones");
    known((struct rng4){{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
          (struct rng4){{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}, "digits of pi");

    double sum = 0, sum2 = 0, sum4 = 0, low = 1, high = 0;
    int n = 200000;
    for (int i = 0; i < n; i++) {
        struct rng4 w = rng_at(7, RNG_TEST, (uint64_t)i, 0);
        double g[2], u = rng_unit(w.v[0], w.v[1]);
        rng_normal2(w, g);
        for (int k = 0; k < 2; k++) {
            sum += g[k];
            sum2 += g[k] * g[k];
            sum4 += g[k] * g[k] * g[k] * g[k];
        }
        low = u < low ? u : low;
        high = u > high ? u : high;
    }
    /* Limits: five standard errors of 400,000 deviates, 1, sqrt 2 and sqrt 96 over sqrt n. */
    tap_near(sum / (2.0 * n), 0.0, 0.008, "normal: mean");
    tap_near(sum2 / (2.0 * n), 1.0, 0.0112, "normal: variance");
    tap_near(sum4 / (2.0 * n), 3.0, 0.078, "normal: fourth moment");
    tap_ok(low > 0.0 && high < 1.0 && rng_unit(0, 0) > 0.0 && rng_unit(~0u, ~0u) < 1.0,
           "uniform: within (0, 1)");
    struct rng4 a = rng_at(1, RNG_VELOCITY, 5, 0), b = rng_at(1, RNG_POSITION, 5, 0),
                c = rng_at(2, RNG_VELOCITY, 5, 0);
    tap_ok(memcmp(&a, &b, sizeof a) && memcmp(&a, &c, sizeof a), "streams and seeds differ");

    double v[3 * 500], p[3] = {0}, k2 = 0;
    struct md_params q = {
        .natoms = 500, .replicas = 1, .mass = 2.0, .kb = 1.5, .mvv2e = 0.7, .temperature = 3.0};
    md_init_velocities(&q, 3, v, NULL);
    for (int i = 0; i < 1500; i++) {
        p[i % 3] += v[i];
        k2 += v[i] * v[i];
    }
    tap_near(0.5 * q.mass * q.mvv2e * k2 / (0.5 * 1497 * q.kb * q.temperature), 1.0, 1e-13,
             "temperature exact, 3N - 3");
    tap_near(fabs(p[0]) + fabs(p[1]) + fabs(p[2]), 0.0, 1e-10, "momentum removed");
    return tap_done();
}
