/* SPDX-License-Identifier: MIT */
/* Compares the CPU engine of g4 with a naive enumeration, and with itself for other pieces and
 * threads. */
#include <stdlib.h>
#include <string.h>

#include "beta_plain.h"
#include "g4/g4.h"
#include "tap.h"

static uint64_t seed = 12345;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

struct system {
    size_t n, steps;
    float *f;
    double *d;
    struct box *box;
};

/* Atoms on a wide lattice with random shifts that vary with time, so that no two atoms come
 * close. */
static struct system system_new(size_t n, size_t steps, int tri)
{
    struct system s = {n, steps, malloc(3 * n * steps * sizeof(float)),
                       malloc(3 * n * steps * sizeof(double)), malloc(steps * sizeof(struct box))};
    size_t side = 1;
    while (side * side * side < n)
        side++;
    double len = 4.0 * (double)side;
    for (size_t t = 0; t < steps; t++) {
        double l = len * (1 + 0.001 * (double)(t % 7));
        double cell[9] = {l, 0, 0, tri ? 0.3 * l : 0, l, 0, tri ? -0.2 * l : 0, tri ? 0.1 * l : 0,
                          l};
        box_init(&s.box[t], cell, (const int[3]){1, 1, 1});
        for (size_t a = 0; a < n; a++)
            for (size_t c = 0; c < 3; c++) {
                size_t at = (t * n + a) * 3 + c,
                       cellc[3] = {a % side, a / side % side, a / side / side};
                double lattice = 4.0 * (double)cellc[c] + 0.7;
                double before = t ? s.d[at - 3 * n] - lattice : 0;
                s.d[at] = lattice + 0.9 * before + 0.3 * (uniform() - 0.5);
                s.f[at] = (float)s.d[at];
            }
    }
    return s;
}

static void system_free(struct system *s)
{
    free(s->f);
    free(s->d);
    free(s->box);
}

static struct g4_params params(const struct system *s, enum frame_dtype dtype, size_t lags)
{
    struct g4_params p = {.input = FRAME_POSN,
                          .dtype = dtype,
                          .natoms = s->n,
                          .ncomp = 2,
                          .sum.rc2 = HUGE_VAL,
                          .method = G4_FACTORED,
                          .lags = lags,
                          .threads = 1};
    p.component[0] = BETA_XZ;
    p.component[1] = BETA_ZZ;
    p.coef[0] = beta_coef(BETA_XZ, 3.4, 3);
    p.coef[1] = beta_coef(BETA_ZZ, 3.4, 3);
    return p;
}

/* Runs the engine and pushes `cut` steps at a time. Returns 0, or -1 and prints the message. */
static int engine(const struct g4_params *p, size_t steps, const void *data, size_t step_bytes,
                  const struct box *box, size_t cut, struct g4_result *r)
{
    struct err e;
    int rc = -1;
    struct g4_params own = *p;
    struct g4 *g = g4_open(&own, steps ? data : NULL, steps ? box : NULL, &e);
    memset(r, 0, sizeof *r);
    if (!g) {
        printf("# open: %s\n", e.text);
        return -1;
    }
    rc = 0;
    for (size_t t = 0; t < steps && !rc; t += cut)
        rc = g4_push(g, cut < steps - t ? cut : steps - t, (const char *)data + t * step_bytes,
                     box ? box + t : NULL);
    if (!rc)
        rc = g4_finish(g, r);
    if (rc)
        printf("# %s\n", g4_error(g)->text);
    g4_close(g);
    return rc;
}

static int engine_posn(const struct g4_params *p, const struct system *s, size_t cut,
                       struct g4_result *r)
{
    int f64 = p->dtype == FRAME_F64;
    return engine(p, s->steps, f64 ? (void *)s->d : (void *)s->f, 3 * s->n * (f64 ? 8 : 4), s->box,
                  cut, r);
}

/* Computes the pair table of component k by the formulas of beta.h and box.h, pair by pair. */
static double *pair_table(const struct g4_params *p, const struct system *s, int k)
{
    size_t n = s->n, np = n * (n - 1) / 2, at = 0;
    double *b = malloc(s->steps * np * sizeof *b), *w = malloc(3 * n * sizeof *w);
    for (size_t t = 0; t < s->steps; t++) {
        struct box_f32 bf;
        box_round_f32(&s->box[t], &bf);
        for (size_t a = 0; a < n; a++) {
            for (size_t c = 0; c < 3; c++)
                w[3 * a + c] = p->dtype == FRAME_F64 ? s->d[(t * n + a) * 3 + c]
                                                     : (double)s->f[(t * n + a) * 3 + c];
            box_wrap(&s->box[t], w + 3 * a);
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) {
                if (p->dtype == FRAME_F64) {
                    double d[3] = {w[3 * i] - w[3 * j], w[3 * i + 1] - w[3 * j + 1],
                                   w[3 * i + 2] - w[3 * j + 2]};
                    box_image(&s->box[t], d);
                    b[at++] = beta_f64(p->component[k], p->coef[k], d[0], d[1], d[2], p->sum.rc2);
                    continue;
                }
                float d[3];
                for (int c = 0; c < 3; c++)
                    d[c] = (float)w[3 * i + (size_t)c] - (float)w[3 * j + (size_t)c];
                if (s->box[t].ortho)
                    for (int c = 0; c < 3; c++)
                        d[c] = box_image_f32(d[c], bf.h[c][c], bf.inv[c][c]);
                else
                    box_image_tri_f32(&bf, d, d + 1, d + 2);
                b[at++] = beta_f32(p->component[k], (float)p->coef[k], d[0], d[1], d[2],
                                   (float)p->sum.rc2);
            }
    }
    free(w);
    return b;
}

/* Sets out to G, G2, G3, G4 at a lag, summed over origins [o0, o1) by enumeration. */
static void naive(const double *b, size_t n, size_t o0, size_t o1, size_t lag, double out[4])
{
    size_t np = n * (n - 1) / 2;
    memset(out, 0, 4 * sizeof *out);
    for (size_t o = o0; o < o1; o++) {
        const double *x = b + o * np, *y = b + (o + lag) * np;
        for (size_t i = 0, p = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++, p++)
                for (size_t k = 0, q = 0; k < n; k++)
                    for (size_t l = k + 1; l < n; l++, q++) {
                        int shared = (i == k) + (i == l) + (j == k) + (j == l);
                        out[3 - shared] += x[p] * y[q];
                        out[0] += x[p] * y[q];
                    }
    }
}

/* Returns the largest deviation from the enumeration, relative to G2(0), over blocks whose origins
 * r itself states. */
static double deviation(const struct g4_params *p, const struct system *s,
                        const struct g4_result *r)
{
    double worst = 0;
    for (int k = 0; k < p->ncomp; k++) {
        double *b = pair_table(p, s, k), scale = 0, v[4];
        size_t first = 0;
        for (size_t blk = 0; blk < r->blocks; blk++) {
            for (size_t l = 0; l < r->lags; l++) {
                naive(b, s->n, first, first + r->counts[blk * r->lags + l], l, v);
                scale = l == 0 ? fabs(v[1]) : scale;
                const double *got =
                    r->sums + ((blk * r->lags + l) * (size_t)p->ncomp + (size_t)k) * G4_NFUNCTIONS;
                for (int f = 0; f < 4; f++) {
                    double e = fabs(got[f] - v[f]) / (scale > 0 ? scale : 1);
                    worst = e > worst || isnan(e) ? e : worst;
                }
            }
            first += r->counts[blk * r->lags];
        }
        free(b);
    }
    return worst;
}

static int same(const struct g4_result *a, const struct g4_result *b)
{
    size_t n = a->blocks * a->lags;
    return a->blocks == b->blocks && a->lags == b->lags &&
           !memcmp(a->counts, b->counts, n * sizeof *a->counts) &&
           !memcmp(a->sums, b->sums, n * (size_t)a->ncomp * G4_NFUNCTIONS * sizeof *a->sums);
}

/* Sums of a few thousand doubles that cancel to 1/60 have an error of 1e-12 of G2(0). */
#define SUM_TOL 1e-12

static void test_method(enum g4_method m, const char *name, size_t n, size_t steps,
                        enum frame_dtype dtype, int tri, size_t blocks, size_t origins)
{
    struct system s = system_new(n, steps, tri);
    struct g4_params p = params(&s, dtype, steps < 9 ? steps : 9);
    struct g4_result r, r2;
    p.method = m;
    p.blocks = blocks;
    p.origins = origins;
    p.sum.rc2 = tri ? 5.5 * 5.5 : HUGE_VAL;
    int rc = engine_posn(&p, &s, 5, &r);
    double e = rc ? NAN : deviation(&p, &s, &r);
    tap_ok(e <= SUM_TOL, "%s N=%zu T=%zu %s%s blocks=%zu origins=%zu: enumeration", name, n, steps,
           dtype == FRAME_F64 ? "f64" : "f32", tri ? " triclinic" : "", blocks, origins);
    if (!(e <= SUM_TOL))
        printf("# deviation %g\n", e);
    p.threads = 2;
    rc |= engine_posn(&p, &s, 7, &r2);
    tap_ok(!rc && same(&r, &r2), "  same bits with two threads and other cuts");
    g4_result_free(&r);
    g4_result_free(&r2);
    system_free(&s);
}

int main(void)
{
    const char *names[] = {"factored", "fft", "direct"};
    enum g4_method methods[] = {G4_FACTORED, G4_FFT, G4_DIRECT};
    for (int m = 0; m < 3; m++) {
        test_method(methods[m], names[m], 5, 12, FRAME_F32, 0, 0, 0);
        test_method(methods[m], names[m], 2, 1, FRAME_F64, 0, 0, 0);
        test_method(methods[m], names[m], 16, 9, FRAME_F32, 0, 0, 0);
        test_method(methods[m], names[m], 17, 30, FRAME_F32, 0, 0, 0);
        test_method(methods[m], names[m], 19, 40, FRAME_F64, 1, 3, 0);
        test_method(methods[m], names[m], 19, 40, FRAME_F32, 1, 4, 30);
        test_method(methods[m], names[m], 35, 20, FRAME_F32, 0, 2, 5);
    }
    test_method(G4_FACTORED, "factored", 4, 1300, FRAME_F32, 0, 0, 0);
    test_method(G4_FACTORED, "factored", 4, 1300, FRAME_F64, 0, 2, 0);
    test_method(G4_FACTORED, "factored", 4, 1300, FRAME_F32, 0, 5, 1000);
    return tap_done();
}
