/* SPDX-License-Identifier: MIT */
/* Tests the wave vectors of a cell: all vectors, and a selection with correct numbers in all
 * directions. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "tap.h"
#include "waves/waves.h"

#define EDGE 100.0
#define STEP 0.1
enum { SHELLS = 20 };

static struct box cube(void)
{
    struct box b;
    static const double cell[9] = {EDGE, 0, 0, 0, EDGE, 0, 0, 0, EDGE};
    static const int pbc[3] = {1, 1, 1};
    tap_ok(box_init(&b, cell, pbc) == 0, "a cell");
    return b;
}

/* Checks the vectors of every shell, and finds the largest deviation of the mean of (q_a/q)^2 from
 * 1/3. */
static double directions(const struct waves *w, size_t n[SHELLS])
{
    double sum[SHELLS][3] = {{0}}, worst = 0.0;
    memset(n, 0, SHELLS * sizeof *n);
    for (size_t v = 0; v < w->n; v++) {
        n[w->shell[v]]++;
        for (int a = 0; a < 3; a++)
            sum[w->shell[v]][a] += pow(w->hkl[v][a] * 2 * UNITS_PI / EDGE / w->q[v], 2);
    }
    for (int s = 0; s < SHELLS; s++)
        for (int a = 0; a < 3; a++)
            worst = tap_max(worst, fabs(sum[s][a] / (double)n[s] - 1.0 / 3));
    return worst;
}

/* Checks the order by h, k and |l|, l before -l, in the half space, with each vector once. */
static int ordered(const struct waves *w)
{
    for (size_t v = 1; v < w->n; v++) {
        const int32_t *a = w->hkl[v - 1], *b = w->hkl[v];
        int32_t x = 2 * abs(a[2]) + (a[2] < 0), y = 2 * abs(b[2]) + (b[2] < 0);
        if (a[0] != b[0] ? a[0] > b[0] : a[1] != b[1] ? a[1] > b[1] : x >= y)
            return 0;
    }
    return w->hkl[0][0] == 0 && w->hkl[0][1] == 0 && w->hkl[0][2] == 1;
}

/* A line of vectors begins at the shortest vector along its direction. The first nonzero component
 * of this vector is positive. */
static void lines(const struct box *b)
{
    static const int32_t given[][3] = {{2, -4, 6}, {-2, 4, -6}, {-3, 3, 0}, {0, -4, 4},
                                       {0, 3, -6}, {0, 0, -5},  {0, 0, 2}},
                         first[][3] = {{1, -2, 3}, {1, -2, 3}, {1, -1, 0}, {0, 1, -1},
                                       {0, 1, -2}, {0, 0, 1},  {0, 0, 1}};
    struct waves w = {0};
    struct err e;
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        int good = waves_line(&w, b, given[k], 1.0, &e) == 0 && w.n > 3;
        for (size_t v = 0; v < w.n; v++)
            for (int a = 0; a < 3; a++)
                good &= w.hkl[v][a] == (int32_t)(v + 1) * first[k][a] && w.shell[v] == v;
        tap_ok(good, "a line along %d %d %d", given[k][0], given[k][1], given[k][2]);
    }
    waves_free(&w);
}

/* The limits on the number of vectors, and the largest q that the messages state. */
static void limits(const struct box *b)
{
    static const int32_t along[3] = {0, 0, 1};
    struct waves w = {0};
    struct err e;
    tap_ok(waves_choose(&w, b, 20000, STEP, 10, 0, &e) == -1 &&
               strstr(e.text, "wave vectors with q up to 2000 1/A are too many"),
           "too many vectors: %s", e.text);
    tap_ok(waves_line(&w, b, along, 6e4, &e) == 0 && w.n == 954929, "a line of 954929 vectors");
    tap_ok(waves_line(&w, b, along, 1e5, &e) == -1 &&
               strstr(e.text, "1.59e+06 wave vectors with q up to 100000 1/A are too many"),
           "a line of too many vectors: %s", e.text);
    waves_free(&w);
}

int main(void)
{
    struct box b = cube();
    struct waves all = {0}, some = {0};
    size_t n[SHELLS], m[SHELLS], max = 0;
    struct err e;
    int good = 1;
    tap_ok(waves_choose(&all, &b, SHELLS, STEP, SIZE_MAX / 4, 0, &e) == 0 && all.n == all.all,
           "all of them");
    /* half of the points in a sphere of radius 2 L/(2 pi), except the one at 0. 4 % are at its
     * surface */
    tap_near((double)all.n, 2 * UNITS_PI / 3 * pow(SHELLS * STEP * EDGE / 2 / UNITS_PI, 3),
             0.01 * (double)all.n, "as many as the sphere holds");
    tap_ok(ordered(&all), "in order");
    directions(&all, n);
    tap_ok(waves_choose(&some, &b, SHELLS, STEP, 2000, 0, &e) == 0 && some.n <= 2000 &&
               some.all == all.n,
           "2000 at most");
    tap_ok(ordered(&some), "in order");
    /* 100 unordered vectors would deviate from 1/3 by 0.03, and by three times that somewhere */
    tap_ok(directions(&some, m) < 0.15, "they point everywhere");
    for (int s = 0; s < SHELLS; s++)
        max = m[s] > max ? m[s] : max;
    for (int s = 0; s < SHELLS; s++)
        good &= m[s] == (n[s] < max ? n[s] : max);
    tap_ok(good, "the same number of every shell, or all it has");
    waves_free(&all);
    waves_free(&some);
    lines(&b);
    limits(&b);
    return tap_done();
}
