/* SPDX-License-Identifier: MIT */
/* Tests blocks of samples: boundaries, merging during a stream, grouping, and standard errors. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/analysis.h"
#include "stats/blocks.h"
#include "tap.h"

#define ROUNDING 1e-14 /* a few operations on numbers of order one */

/* Adds samples 0, 1, 2, ... one by one. The sums of i, i² and 1 in B blocks must be exact. */
static void stream(uint64_t samples, size_t max, size_t want)
{
    struct stats_blocks b;
    int same = 1, edges = 1;
    stats_blocks_init(&b, max, 2, 1);
    for (uint64_t i = 0; i < samples; i++) {
        int merges = stats_blocks_merges(&b, i + 1);
        uint64_t s = b.s;
        same &= stats_blocks_reach(&b, i + 1) == 0 && merges == (b.s > s) && b.n <= max;
        double *v = stats_blocks_at(&b, i);
        v[0] += (double)i;
        v[1] += (double)(i * i);
        b.c[stats_blocks_index(&b, i)]++;
        same &= i < stats_blocks_end(&b, i) && stats_blocks_end(&b, i) - i <= b.s &&
                stats_blocks_end(&b, i) % b.s == 0;
    }
    uint64_t n = (samples + b.s - 1) / b.s;
    for (size_t k = 0; k < want; k++) { /* the definition with exact integers */
        uint64_t edge = (2 * k * n + want) / (2 * want) * b.s;
        edges &= stats_blocks_bound(&b, samples, want, k) == edge;
    }
    edges &= stats_blocks_bound(&b, samples, want, want) == samples;
    same &= stats_blocks_group(&b, samples, want) == 0 && b.n == want;
    for (size_t k = 0; same && k < want; k++) {
        uint64_t from = stats_blocks_bound(&b, samples, want, k),
                 to = stats_blocks_bound(&b, samples, want, k + 1), sum = 0, squares = 0;
        for (uint64_t i = from; i < to; i++) {
            sum += i;
            squares += i * i;
        }
        same &= b.v[2 * k] == (double)sum && b.v[2 * k + 1] == (double)squares &&
                b.c[k] == to - from && to > from;
    }
    tap_ok(same, "%llu samples, at most %zu sub-blocks, %zu blocks: sums and counts",
           (unsigned long long)samples, max, want);
    tap_ok(edges, "%llu samples, at most %zu sub-blocks, %zu blocks: boundaries",
           (unsigned long long)samples, max, want);
    stats_blocks_free(&b);
}

static void limits(void)
{
    struct stats_blocks b;
    stats_blocks_init(&b, 4, 3, 0);
    tap_ok(stats_blocks_reach(&b, (uint64_t)1 << 50) == 0 && b.n == 4 && b.s == (uint64_t)1 << 48,
           "a leap of 2^50 samples merges at once");
    tap_ok(stats_blocks_group(&b, (uint64_t)1 << 50, 5) == -1, "more blocks than sub-blocks");
    stats_blocks_free(&b);
    stats_blocks_init(&b, 1, SIZE_MAX / 4, 0);
    tap_ok(stats_blocks_reach(&b, 1) == -1, "a row that cannot be allocated");
    stats_blocks_free(&b);
    tap_ok(stats_blocks_max(0) == 1 && stats_blocks_max(1) == 1 && stats_blocks_max(3) == 192 &&
               stats_blocks_max(SIZE_MAX / 2) == SIZE_MAX,
           "sub-blocks to keep");
    tap_ok(stats_blocks_bytes(10, 3) == 240 && stats_blocks_bytes(SIZE_MAX / 8, 2) == SIZE_MAX,
           "bytes");
}

/* A part of a run counts the steps that END states. */
static void shares(void)
{
    for (uint64_t k = 1; k <= 3; k++)
        for (int off = -2; off <= 1; off++) {
            struct analysis_options o = {.shard = {.k = k, .n = 3, .total = 90}};
            struct run_base r = {.shared = &o};
            struct analysis_input in;
            struct err e = {0};
            stats_blocks_init_steps(&r.blocks, 0, 2, 0);
            run_begin(&r, &in);
            uint64_t end = in.last + (uint64_t)off;
            int rc = stats_blocks_reach(&r.blocks, end) || stats_blocks_reach(&r.blocks, 90)
                         ? 1
                         : run_take(&r, end, &e);
            tap_ok(off ? rc == -1 &&
                             strstr(e.text, "steps, as the end mark (END) states, found only")
                       : rc == 0,
                   "share %d of 3, %+d steps: %s", (int)k, off, e.text);
            stats_blocks_free(&r.blocks);
        }
}

static void ratio(void)
{
    const double y[4] = {2.0, 9.0, 0.0, 4.0}, n[4] = {1.0, 3.0, 0.0, 2.0};
    double se = 0.0, dev[8] = {0}, sum = 0.0, want = 0.0, m = 15.0 / 6.0;
    tap_near(stats_ratio(4, y, n, &se, dev, 2), m, ROUNDING, "mean of unequal blocks");
    for (int b = 0; b < 4; b++) { /* three blocks hold samples */
        want += 3.0 / 2.0 * (y[b] - m * n[b]) * (y[b] - m * n[b]) / 36.0;
        sum += dev[2 * b] * dev[2 * b];
    }
    tap_near(se, sqrt(want), ROUNDING, "its standard error");
    tap_near(sqrt(sum), se, ROUNDING, "the deviations square to it");
    const double means[3] = {1.0, 2.0, 6.0}, one[3] = {1.0, 1.0, 1.0};
    stats_ratio(3, means, one, &se, NULL, 0);
    tap_near(se, sqrt((4.0 + 1.0 + 9.0) / 2.0 / 3.0), ROUNDING,
             "equal blocks: the standard error of the mean");
    stats_ratio(2, y + 1, n + 1, &se, NULL, 0);
    tap_ok(isnan(se), "one block with samples: no error");
    tap_ok(isnan(stats_ratio(1, y + 2, n + 2, NULL, NULL, 0)), "nothing counted: not a number");
}

int main(void)
{
    stream(1, 1, 1);
    stream(1000, 1, 1);
    stream(5, stats_blocks_max(5), 5);
    stream(127, stats_blocks_max(2), 2);
    stream(129, stats_blocks_max(2), 2);
    stream(10000, stats_blocks_max(3), 3);
    stream(999, stats_blocks_max(7), 7);
    stream(1000, 64, 63);
    stream(65, 64, 33);
    limits();
    shares();
    ratio();
    return tap_done();
}
