/* SPDX-License-Identifier: MIT */
/* Which pair spoiled the sums: the search by cells against all pairs of all steps, and the words.
 */
#include <stdlib.h>
#include <string.h>

#include "g4/g4_blame.h"
#include "tap.h"

static uint64_t seed = 2026;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

#define STEPS 9
#define NMAX 600

static double pos[STEPS][NMAX][3];
static float posf[STEPS][NMAX][3];
static struct box box[STEPS];

static struct g4_params params(size_t n, enum frame_dtype dtype)
{
    struct g4_params p = {
        .input = FRAME_POSN, .dtype = dtype, .natoms = n, .ncomp = 2, .rc2 = HUGE_VAL};
    p.component[1] = BETA_ZZ;
    p.coef[0] = beta_coef(BETA_XZ, 3.4, 3);
    p.coef[1] = beta_coef(BETA_ZZ, 3.4, 3);
    return p;
}

/* Random atoms, also outside the cell; kind: 0 cubic, 1 triclinic, 2 film, 3 free, 4 a column. */
static void fill(size_t n, int kind)
{
    double l = 3.5 * cbrt((double)n);
    double cell[9] = {l, 0, 0, kind == 1 ? 0.3 * l : 0, l, 0, kind == 1 ? -0.2 * l : 0, 0, 1.3 * l};
    const int pbc[3] = {kind != 3, kind != 3, kind < 2};
    if (kind == 3)
        memset(cell, 0, sizeof cell);
    for (size_t t = 0; t < STEPS; t++) {
        box_init(&box[t], cell, pbc);
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                pos[t][i][k] = kind == 4 && k < 2 ? 1.0 : 3 * l * (uniform() - 0.5);
    }
}

static void pack(size_t n, float *f, double *d)
{
    for (size_t t = 0, at = 0; t < STEPS; t++)
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++, at++)
                f[at] = (float)(d[at] = pos[t][i][k]);
}

/* Put atom b of step t where atom a is, or at its image. */
static void collide(size_t t, size_t a, size_t b, const int image[3])
{
    for (int k = 0; k < 3; k++) {
        pos[t][b][k] = pos[t][a][k];
        for (int v = 0; v < 3; v++)
            pos[t][b][k] += image[v] * box[t].h[v][k];
    }
}

static int is(const struct g4_bad *b, size_t t, size_t i, size_t j)
{
    if (b->step != t || b->i != i || b->j != j)
        printf("# step %zu atoms %zu %zu\n", b->step, b->i, b->j);
    return b->step == t && b->comp == 0 && b->i == i && b->j == j;
}

static void test_find(size_t n, int kind, enum frame_dtype dtype)
{
    static const char *const names[] = {"cubic", "triclinic", "film", "free", "column"};
    float *f = malloc(sizeof posf);
    double *d = malloc(sizeof pos);
    struct g4_params p = params(n, dtype);
    struct g4_bad at = {0};
    const void *data = dtype == FRAME_F64 ? (void *)d : (void *)f;
    fill(n, kind);
    pack(n, f, d);
    int none = g4_bad_find(&p, STEPS, data, box, &at);
    tap_ok(none == 0, "N=%zu %s %s: nothing to be found", n, names[kind],
           dtype == FRAME_F64 ? "f64" : "f32");
    /* on the faces, where rounding decides which image an atom is */
    for (int k = 0; k < 3; k++)
        pos[5][n - 2][k] = kind == 3 ? 0.0 : k == 0 ? box[5].h[0][0] : 0.0;
    collide(5, n - 2, n - 1, (const int[3]){kind != 3 && dtype == FRAME_F64 ? -1 : 0, 0, 0});
    collide(6, 0, 1, (const int[3]){0, 0, 0});
    pack(n, f, d);
    int found = g4_bad_find(&p, STEPS, data, box, &at);
    tap_ok(found == 1 && is(&at, 5, n - 2, n - 1), "  at a face of the cell, last two atoms");
    for (int k = 0; k < 3; k++)
        pos[2][n / 2][k] = pos[2][0][k] = 0;
    pos[2][n / 2][2] = dtype == FRAME_F64 ? 1e-110 : 1e-9;
    pack(n, f, d);
    found = g4_bad_find(&p, STEPS, data, box, &at);
    tap_ok(found == 1 && is(&at, 2, 0, n / 2), "  not quite the same place");
    free(f);
    free(d);
}

/* Every step has such a pair, at any place: none may be missed. */
static void test_every(int kind)
{
    size_t n = NMAX, missed = 0;
    float *f = malloc(sizeof posf);
    double *d = malloc(sizeof pos);
    struct g4_params p = params(n, FRAME_F32);
    for (int round = 0; round < 20; round++) {
        fill(n, kind);
        for (size_t t = 0; t < STEPS; t++)
            collide(t, t * 7 + (size_t)round, 300 + t, (const int[3]){0, 0, 0});
        pack(n, f, d);
        for (size_t t = 0; t < STEPS; t++) {
            struct g4_bad at = {0};
            int found = g4_bad_find(&p, 1, f + t * n * 3, box + t, &at);
            missed += found != 1 || !is(&at, 0, t * 7 + (size_t)round, 300 + t);
        }
    }
    tap_ok(missed == 0, "none of %d collisions is missed", 20 * STEPS);
    free(f);
    free(d);
}

static void test_far(void)
{
    struct g4_params p = params(4, FRAME_F32);
    struct g4_bad at = {0};
    float x[2][4][3] = {{{0, 0, 0}, {3, 3, 3}, {0, 3, 3}, {3, 0, 0}}};
    memcpy(x[1], x[0], sizeof x[0]);
    fill(4, 3);
    x[1][2][0] = 3e25f;
    tap_ok(g4_bad_find(&p, 2, x, box, &at) == 1 && at.step == 1 && at.i == 0 && at.j == 2,
           "a position beyond the range of r²");
    x[1][2][0] = 0;
    p.coef[1] = 1e300;
    tap_ok(g4_bad_find(&p, 2, x, box, &at) == 1 && at.step == 0 && at.comp == 1,
           "a coefficient beyond the range");
}

/* Two atoms on both sides of the face between two cells, or of the face of the periodic cell. */
static void test_faces(void)
{
    struct g4_params p = params(8, FRAME_F32);
    struct g4_bad at = {0};
    float x[8][3] = {{-9, -9, -9}, {9, 9, 9}, {5, 5, -5}, {5, -5, 5}, {-5, 5, 5}, {-5, -5, 5}};
    double cell[9] = {20.1, 0, 0, 0, 20.3, 0, 0, 0, 20.7};
    for (int k = 0; k < 3; k++) {
        fill(8, 3);
        for (int c = 0; c < 3; c++)
            x[6][c] = x[7][c] = 2;
        x[6][k] = -1e-9f;
        x[7][k] = 1e-9f;
        tap_ok(g4_bad_find(&p, 1, x, box, &at) == 1 && at.i == 6, "across a face inside, axis %d",
               k);
        box_init(&box[0], cell, (const int[3]){1, 1, 1});
        tap_ok(g4_bad_find(&p, 1, x, box, &at) == 1 && at.i == 6, "across a periodic face, axis %d",
               k);
    }
}

static void test_pair(void)
{
    struct g4_params p = {.input = FRAME_PAIR, .dtype = FRAME_F64, .natoms = 4, .ncomp = 2};
    struct g4_bad at = {0};
    double v[3][2][6] = {{{0}}};
    char text[128];
    tap_ok(g4_bad_find(&p, 3, v, NULL, &at) == 0, "pairs: nothing to be found");
    v[2][0][0] = INFINITY;
    v[1][1][4] = NAN; /* row 1: (1,2) (1,3) */
    tap_ok(g4_bad_find(&p, 3, v, NULL, &at) == 1 && at.step == 1 && at.comp == 1 && at.i == 1 &&
               at.j == 3,
           "pairs: the first step, whatever the component");
    g4_bad_text(&p, 100 + at.step, &at, text, sizeof text);
    tap_ok(!strcmp(text, "frame 101: atoms 1 and 3 (from 0) have a pair value that is not finite"),
           "the words: %s", text);
    p.input = FRAME_POSN;
    g4_bad_text(&p, 7, &at, text, sizeof text);
    tap_ok(!strcmp(text, "frame 7: atoms 1 and 3 (from 0) are at the same place"), "the words: %s",
           text);
    g4_bad_text(&p, 7, NULL, text, sizeof text);
    tap_ok(strstr(text, "too large") != NULL, "the words: %s", text);
    tap_ok(g4_bad_none(v[0][0], 12) && !g4_bad_none(v[0][0], 24), "finite or not");
}

int main(void)
{
    for (int kind = 0; kind < 5; kind++) {
        test_find(3, kind, FRAME_F64);
        test_find(60, kind, FRAME_F32);
        test_find(NMAX, kind, FRAME_F64);
        test_every(kind);
    }
    test_faces();
    test_far();
    test_pair();
    return tap_done();
}
