/* SPDX-License-Identifier: MIT */
/* Compares the CPU engine with a loop over all pairs that uses only hist.h, for all cell shapes. */
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf.h"
#include "rdf/rdf_tile.h"
#include "tap.h"

static uint64_t state = 12345;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

struct system {
    const char *name;
    double cell[9];
    int pbc[3];
    double rmax;
    size_t n;
};

static const struct system systems[] = {
    {"cube, half", {10, 0, 0, 0, 10, 0, 0, 0, 10}, {1, 1, 1}, 5.0, 200},
    {"cube, corner", {10, 0, 0, 0, 10, 0, 0, 0, 10}, {1, 1, 1}, 8.660254037844387, 200},
    {"brick, short", {20, 0, 0, 0, 31.7, 0, 0, 0, 47.11}, {1, 1, 1}, 3.0, 4000},
    {"brick, beyond the corner", {7, 0, 0, 0, 11, 0, 0, 0, 13}, {1, 1, 1}, 20.0, 100},
    {"slit", {20, 0, 0, 0, 20, 0, 0, 0, 9}, {1, 1, 0}, 2.5, 3500},
    {"no axis periodic", {12, 0, 0, 0, 12, 0, 0, 0, 12}, {0, 0, 0}, 4.0, 3100},
    {"no cell", {0}, {0, 0, 0}, 6.0, 300},
    {"triclinic", {20, 0, 0, 5, 18, 0, -4, 6, 17}, {1, 1, 1}, 3.0, 3200},
    {"triclinic slit", {20, 0, 0, 5, 18, 0, 0, 0, 17}, {1, 1, 0}, 8.0, 200},
};
enum { SYSTEMS = sizeof systems / sizeof *systems, BINS = 100 };

/* Computes the histogram of pair q by definition. */
static void reference(const struct rdf_params *p, const struct box *b, const void *pos,
                      const struct species_pair *q, uint64_t *h)
{
    struct hist_frame f;
    int f32 = p->dtype == FRAME_F32;
    hist_frame_init(&f, b, (int)p->bins, p->rmax, f32, p->natoms, pos, NULL);
    double *at = malloc(3 * p->natoms * sizeof *at);
    for (size_t i = 0; i < p->natoms; i++) {
        float out[3];
        if (f32)
            hist_place_f32(&f, (const float *)pos + 3 * i, out);
        else
            hist_place_f64(&f, (const double *)pos + 3 * i, at + 3 * i);
        for (int a = 0; a < 3 && f32; a++)
            at[3 * i + a] = out[a];
    }
    for (size_t i = 0; i < p->natoms; i++)
        for (size_t j = i + 1; j < p->natoms; j++) {
            int si = p->species[i], sj = p->species[j];
            if (q->a != SPECIES_EVERY && !(si == q->a && sj == q->b) && !(si == q->b && sj == q->a))
                continue;
            double d[3], t;
            for (int a = 0; a < 3; a++)
                d[a] = at[3 * i + a] - at[3 * j + a];
            if (f32) {
                float x = (float)d[0], y = (float)d[1], z = (float)d[2];
                if (f.ortho) {
                    x = hist_image_f32(x, f.lenf[0]);
                    y = hist_image_f32(y, f.lenf[1]);
                    z = hist_image_f32(z, f.lenf[2]);
                } else {
                    hist_triclinic_f32(&f, &x, &y, &z);
                }
                t = sqrtf(hist_r2_f32(x, y, z, f.quarter));
            } else {
                if (f.ortho)
                    for (int a = 0; a < 3; a++)
                        d[a] = box_image_f64(d[a], f.len[a], f.inv[a]);
                else
                    hist_triclinic_f64(&f, &d[0], &d[1], &d[2]);
                t = sqrt(hist_r2_f64(d[0], d[1], d[2]));
            }
            if (f.closed || t < BINS)
                h[(int)t < BINS ? (int)t : BINS - 1]++;
        }
    free(at);
}

static void *positions(const struct system *s, enum frame_dtype dtype)
{
    float *f = malloc(3 * s->n * sizeof(float));
    double *d = malloc(3 * s->n * sizeof(double));
    double wide = s->cell[0] > 0.0 ? 1.0 : 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double u[3];
        for (int k = 0; k < 3;
             k++) /* periodic axes are three cells wide, so that wrapping is needed */
            u[k] = s->pbc[k] ? 3.0 * uniform() - 1.0 : uniform();
        for (int a = 0; a < 3; a++) {
            double x = wide > 0.0
                           ? u[0] * s->cell[a] + u[1] * s->cell[3 + a] + u[2] * s->cell[6 + a]
                           : 15.0 * u[a] - 40.0;
            d[3 * i + a] = x;
            f[3 * i + a] = (float)x;
        }
    }
    if (s->n > 10)
        memcpy(f + 3, f, 12), memcpy(d + 3, d, 24); /* two atoms at the same place */
    if (dtype == FRAME_F32) {
        free(d);
        return f;
    }
    free(f);
    return d;
}

static void check(const struct system *s, enum frame_dtype dtype)
{
    struct box b;
    struct species_pair pairs[4] = {{SPECIES_EVERY, SPECIES_EVERY}, {0, 0}, {0, 1}, {1, 1}};
    unsigned char *species = malloc(s->n);
    uint64_t want[4 * BINS] = {0};
    void *pos = positions(s, dtype);
    box_init(&b, s->cell, s->pbc);
    for (size_t i = 0; i < s->n; i++)
        species[i] = uniform() < 0.3;
    struct rdf_params p = {.dtype = dtype,
                           .natoms = s->n,
                           .bins = BINS,
                           .rmax = s->rmax,
                           .species = species,
                           .nspecies = 2,
                           .pairs = pairs,
                           .npairs = 4,
                           .slots = 2};
    for (int q = 0; q < 4; q++)
        reference(&p, &b, pos, &pairs[q], want + q * BINS);
    uint64_t sum = 0;
    for (int k = 0; k < BINS; k++)
        sum += want[k];
    int same = sum > 0;
    for (int run = 0; run < 6 && same; run++) {
        uint64_t got[8 * BINS] = {0};
        size_t slot = run & 1;
        p.algorithm = (enum rdf_algorithm)(run % 3);
        p.threads = run < 3 ? 1 : 2;
        struct rdf *r = rdf_open(&p, NULL);
        same = r && rdf_push(r, 1, pos, NULL, &b, &slot) == 0 &&
               rdf_collect(r, got, p.slots) == 0 &&
               memcmp(got + slot * 4 * BINS, want, sizeof want) == 0;
        rdf_close(r);
    }
    tap_ok(same, "%s, %s: all pairs, cells and threads agree with the definition", s->name,
           dtype == FRAME_F32 ? "f32" : "f64");
    free(pos);
    free(species);
}

/* The three SIMD levels give the same bins. */
static void check_levels(void)
{
    enum { N = 777 };
    float x[3][N];
    uint32_t h[3][RDF_COPIES * 256];
    struct box b;
    struct hist_frame f;
    const int pbc[3] = {1, 1, 1};
    const double cell[9] = {10, 0, 0, 0, 10, 0, 0, 0, 10};
    box_init(&b, cell, pbc);
    hist_frame_init(&f, &b, BINS, 5.0, 1, 0, NULL, NULL);
    for (int i = 0; i < N; i++) {
        float pos[3] = {(float)(10 * uniform()), (float)(10 * uniform()), (float)(10 * uniform())},
              out[3];
        hist_place_f32(&f, pos, out);
        for (int a = 0; a < 3; a++)
            x[a][i] = out[a];
    }
    memset(h, 0, sizeof h);
    struct rdf_list l = {x[0], x[1], x[2], N};
    struct rdf_tile t = {&f, l, l, 1, h[0], 256};
    __typeof__(rdf_tile_f32_v2) *const tile[3] = {SIMD_LEVELS(rdf_tile_f32)};
    for (int k = 0; k <= simd_level() - 2; k++) {
        t.hist = h[k];
        tile[k](&t);
    }
    tap_ok(simd_level() < 3 || memcmp(h[0], h[1], sizeof h[0]) == 0, "x86-64-v3 counts as v2");
    tap_ok(simd_level() < 4 || memcmp(h[0], h[2], sizeof h[0]) == 0, "x86-64-v4 counts as v2");
}

/* On the grid, fma equals double arithmetic, which hist_sq_f32 uses without an fma instruction. */
static void check_fma(void)
{
    int bad = 0;
    for (int i = 0; i < 1000000; i++) {
        float a = (float)(int)(uniform() * 16777216.0), b = (float)(int)(uniform() * 16777216.0);
        float c = (float)(int)(uniform() * 16777216.0), s = fmaf(b, b, fmaf(c, c, 0.25f));
        bad += (float)((double)a * a + (double)s) != fmaf(a, a, s);
        bad += (float)((double)c * c + 0.25) != fmaf(c, c, 0.25f);
    }
    tap_ok(bad == 0, "double arithmetic rounds like fma on the grid");
}

static void check_edges(void)
{
    struct box b;
    const double cell[9] = {10, 0, 0, 0, 10, 0, 0, 0, 10};
    const int pbc[3] = {1, 1, 1};
    struct species_pair every = {SPECIES_EVERY, SPECIES_EVERY};
    struct err e;
    box_init(&b, cell, pbc);
    float pos[6] = {0.5f, 0.5f, 0.5f, 9.5f, 0.5f, 0.5f}; /* at a distance of 1 through the face */
    for (int bins = 1; bins <= 10; bins += 9) {
        uint64_t got[10] = {0};
        size_t slot = 0;
        struct rdf_params p = {.dtype = FRAME_F32,
                               .natoms = 2,
                               .bins = (size_t)bins,
                               .rmax = 5.0,
                               .nspecies = 1,
                               .pairs = &every,
                               .npairs = 1,
                               .slots = 1,
                               .threads = 1};
        struct rdf *r = rdf_open(&p, &e);
        int rc = rdf_push(r, 1, pos, NULL, &b, &slot) | rdf_collect(r, got, p.slots);
        tap_ok(rc == 0 && got[bins == 1 ? 0 : 2] == 1,
               "a distance on an edge belongs to the bin above, %d bins", bins);
        rdf_close(r);
    }
    float far[6] = {0, 0, 0, 5, 5, 5}; /* the corner itself */
    uint64_t got[60] = {0};
    size_t slot = 0;
    struct rdf_params p = {.dtype = FRAME_F32,
                           .natoms = 2,
                           .bins = 7,
                           .rmax = hist_corner(&b),
                           .nspecies = 1,
                           .pairs = &every,
                           .npairs = 1,
                           .slots = 1,
                           .threads = 1};
    struct rdf *r = NULL;
    int rc = 0;
    for (p.bins = 1; p.bins <= 60;
         p.bins++) { /* the distance rounds below rmax for some bins, and to rmax for others */
        memset(got, 0, sizeof got);
        r = rdf_open(&p, &e);
        rc |= rdf_push(r, 1, far, NULL, &b, &slot) | rdf_collect(r, got, p.slots) |
              (got[p.bins - 1] != 1);
        rdf_close(r);
    }
    tap_ok(rc == 0, "a pair in the corner is in the last bin, whatever the number of bins");
    p.bins = 7;
    for (size_t n = 0; n < 2; n++) {
        p.natoms = n;
        memset(got, 0, sizeof got);
        r = rdf_open(&p, &e);
        rc = rdf_push(r, 1, far, NULL, &b, &slot) | rdf_collect(r, got, p.slots);
        tap_ok(rc == 0 && got[0] + got[6] == 0, "%zu atoms: no pairs", n);
        rdf_close(r);
    }
    const double tri[9] = {10, 0, 0, 3, 10, 0, 0, 0, 10};
    box_init(&b, tri, pbc);
    p.natoms = 2;
    r = rdf_open(&p, &e);
    tap_ok(rdf_push(r, 1, far, NULL, &b, &slot) == -1 && rdf_error(r)->status == ERR_BAD,
           "triclinic beyond half its width is refused");
    rdf_close(r);
    p.rmax = NAN;
    tap_ok(rdf_open(&p, &e) == NULL && e.status == ERR_BAD, "rmax NaN is refused");
}

int main(void)
{
    for (int k = 0; k < SYSTEMS; k++) {
        check(&systems[k], FRAME_F32);
        check(&systems[k], FRAME_F64);
    }
    check_levels();
    check_fma();
    check_edges();
    return tap_done();
}
