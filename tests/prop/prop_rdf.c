/* SPDX-License-Identifier: MIT */
/*
 * Laws of pair counts for random systems, whose seed is printed. Counts do not change if atoms are
 * moved by whole cells or reordered, or if steps are divided differently. Partial counts add up,
 * rmax at the corner counts every pair, and all pairs and cells agree.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rdf/rdf.h"
#include "tap.h"

enum { BINS = 64, ROUNDS = 30 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static const struct species_pair pairs[4] = {
    {SPECIES_EVERY, SPECIES_EVERY}, {0, 0}, {0, 1}, {1, 1}};

/* Computes the counts [4][BINS] of nsteps steps, added `cut` at a time. Returns 0 or -1. */
static int count(struct rdf_params p, const float *pos, const struct box *b, size_t nsteps,
                 size_t cut, enum rdf_algorithm algorithm, uint64_t *h)
{
    int rc = 0;
    size_t slot[8] = {0};
    struct box boxes[8];
    for (int k = 0; k < 8; k++)
        boxes[k] = *b;
    p.algorithm = algorithm;
    memset(h, 0, 4 * BINS * sizeof *h);
    struct rdf *r = rdf_open(&p, NULL);
    for (size_t s = 0; r && rc == 0 && s < nsteps; s += cut)
        rc = rdf_push(r, s + cut < nsteps ? cut : nsteps - s, pos + 3 * p.natoms * s, NULL, boxes,
                      slot);
    rc = !r || rc || rdf_collect(r, h, p.slots) ? -1 : 0;
    rdf_close(r);
    return rc;
}

static int same(const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, 4 * BINS * sizeof *a) == 0;
}

static int round_of(int k)
{
    enum { STEPS = 5 };
    uint64_t h[4 * BINS], g[4 * BINS], sum = 0;
    size_t n = 2 + (size_t)(400 * uniform());
    double edge[3] = {4 + 20 * uniform(), 4 + 20 * uniform(), 4 + 20 * uniform()}, cell[9] = {0};
    int pbc[3] = {1, 1, 1}, good = 1, corner = k % 3 == 0;
    struct box b;
    for (int a = 0; a < 3; a++)
        cell[4 * a] = edge[a];
    box_init(&b, cell, pbc);
    unsigned char *species = malloc(n);
    float *pos = malloc(3 * n * STEPS * sizeof *pos),
          *other = malloc(3 * n * STEPS * sizeof *other);
    for (size_t i = 0; i < n; i++)
        species[i] = uniform() < 0.5;
    for (size_t i = 0; i < 3 * n * STEPS; i++)
        pos[i] = (float)((3 * uniform() - 1) * edge[i % 3]);
    struct rdf_params p = {.dtype = FRAME_F32,
                           .natoms = n,
                           .bins = BINS,
                           .species = species,
                           .nspecies = 2,
                           .pairs = pairs,
                           .npairs = 4,
                           .slots = 1,
                           .threads = 1 + k % 2};
    p.rmax = corner ? hist_corner(&b) : hist_half(&b) * (0.3 + uniform());
    good &= count(p, pos, &b, STEPS, STEPS, RDF_ALL_PAIRS, h) == 0;
    for (int i = 0; i < BINS; i++) {
        good &= h[i] == h[BINS + i] + h[2 * BINS + i] + h[3 * BINS + i];
        sum += h[i];
    }
    good &= !corner || sum == STEPS * n * (n - 1) / 2;
    good &= count(p, pos, &b, STEPS, 2, RDF_CELLS, g) == 0 && same(g, h);
    for (size_t s = 0; s < STEPS;
         s++) /* moves every atom, with its species, to another place in the list */
        for (size_t i = 0; i < n; i++)
            memcpy(other + 3 * (s * n + n - 1 - i), pos + 3 * (s * n + i), 3 * sizeof *pos);
    for (size_t i = 0; i < n / 2; i++) {
        unsigned char t = species[i];
        species[i] = species[n - 1 - i];
        species[n - 1 - i] = t;
    }
    good &= count(p, other, &b, STEPS, 1, RDF_AUTO, g) == 0 && same(g, h);
    free(species);
    free(pos);
    free(other);
    return good;
}

/* Positions and edges are exact in f32, so that a shift by whole cells changes no bit. */
static int shifted(void)
{
    enum { N = 100 };
    uint64_t h[4 * BINS], g[4 * BINS];
    float pos[3 * N], other[3 * N];
    const double cell[9] = {8, 0, 0, 0, 16, 0, 0, 0, 8};
    const int pbc[3] = {1, 1, 1};
    unsigned char species[N] = {0};
    struct box b;
    box_init(&b, cell, pbc);
    for (int i = 0; i < 3 * N; i++) {
        pos[i] = (float)floor(uniform() * 1024) / 128.0f;
        other[i] = pos[i] + (float)(cell[4 * (i % 3)] * floor(7 * uniform() - 3));
    }
    struct rdf_params p = {.dtype = FRAME_F32,
                           .natoms = N,
                           .bins = BINS,
                           .rmax = 4.0,
                           .species = species,
                           .nspecies = 2,
                           .pairs = pairs,
                           .npairs = 4,
                           .slots = 1,
                           .threads = 1};
    return count(p, pos, &b, 1, 1, RDF_AUTO, h) == 0 &&
           count(p, other, &b, 1, 1, RDF_AUTO, g) == 0 && same(g, h);
}

int main(void)
{
    const char *seed = getenv("SEED");
    state = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("# SEED=%llu\n", (unsigned long long)state);
    int good = 1;
    for (int k = 0; k < ROUNDS; k++)
        good &= round_of(k);
    tap_ok(good, "sums, order, cuts and algorithms, %d random systems", ROUNDS);
    tap_ok(shifted(), "whole cells");
    return tap_done();
}
