/* SPDX-License-Identifier: MIT */
/* test_track.c: codec 3 restores every bit at every SIMD level, and refuses data that it did not
 * write. Streams of codec 2 are in tests/golden/track. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_track.h"
#include "tap.h"

enum { MAX = 1 << 18 };

static float x[MAX], back[MAX + 1];
static uint32_t scratch[2 * MAX + 64];
static unsigned char packed[4 * MAX];
static struct err err;

static float from_bits(uint32_t b)
{
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}

/* Makes wrapped oscillating atoms that drift through a cell of edge L, with or without a grid of
 * 1/per. */
static void make(size_t rows, size_t row, double dt, double edge, double per)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < row; c++) {
            double t = (double)r * dt, k = (double)c,
                   p = fmod(7.13 * k, edge) + 0.3 * sin(k + 6 * t) + 0.1 * cos(11 * t + k * k) +
                       (fmod(k, 7) - 3) * t;
            p -= edge * floor(p / edge);
            x[r * row + c] = (float)(per > 0 ? rint(p * per) / per : p);
        }
}

/* Rounds the first n numbers as %g of printf() does. */
static void six_digits(size_t n)
{
    for (size_t k = 0; k < n; k++) {
        char text[32];
        snprintf(text, sizeof text, "%g", (double)x[k]);
        x[k] = strtof(text, NULL);
    }
}

/* Packs, unpacks and compares n numbers of x. Returns the stored length, 0 if compression is not
 * worthwhile, or SIZE_MAX if the numbers differ. */
static size_t round_trip(size_t n, size_t row, uint64_t at, double edge)
{
    float e[3] = {(float)edge, (float)(at ? 2 * edge : edge), (float)edge}; /* longer on one axis */
    size_t len = track_pack(e, row, at, x, 4 * n, packed, scratch);
    memset(back, 0xee, sizeof back);
    if (len == 0)
        return 0;
    if (track_unpack(3, row, at, packed, len, back, 4 * n, scratch, &err) ||
        memcmp(x, back, 4 * n) != 0)
        return SIZE_MAX;
    uint32_t behind;
    memcpy(&behind, &back[n], sizeof behind);
    return behind == 0xeeeeeeee ? len : SIZE_MAX;
}

static double ratio(size_t rows, size_t row, double edge)
{
    size_t len = round_trip(rows * row, row, 0, edge);
    return len && len != SIZE_MAX ? 4.0 * (double)(rows * row) / (double)len : 0;
}

/* Makes the atoms 1 and 2 of each three stay 1 Å from atom 0, as in rigid water that turns. */
static void bind(size_t rows, size_t row, double edge, double per)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < row; c++) {
            size_t k = c / 3 % 3, o = r * row + c - 3 * k;
            double turn = (double)(c / 3 * (c / 3) % 97) + 0.9 * (double)r,
                   z = sin((double)(c / 3) + 0.7 * turn),
                   xy = sqrt(1 - z * z) * (c % 3 ? sin(turn) : cos(turn)),
                   p = (double)x[o] + (!k           ? 0
                                       : c % 3 == 2 ? z
                                                    : xy);
            p -= edge * floor(p / edge);
            x[r * row + c] = (float)(per > 0 ? rint(p * per) / per : p);
        }
}

static void test_links(void)
{
    int wrong = 0, linked = 0, lengths = 0;
    static const size_t rows[] = {1, 2, 3, 9, 20};
    for (int per = 0; per <= 100; per += 100)
        for (size_t i = 0; i < 5; i++)
            for (size_t more = 0; more < 900; more += 299)
                for (uint64_t at = 0; at < (rows[i] == 1 ? 3 : 1); at++) {
                    make(rows[i] + 1, 900, 0.3, 25, 0);
                    bind(rows[i] + 1, 900, 25, per);
                    for (size_t k = 0; at && k < 900; k++) /* begins with another axis */
                        x[k] = x[k + at];
                    size_t n = rows[i] * 900 + more, len;
                    if (rows[i] == 1)
                        n -= more;
                    len = round_trip(n, 900, at, 25);
                    wrong += len == SIZE_MAX;
                    linked += len && packed[1] > 1;
                    lengths += len && packed[3] > 1;
                }
    tap_ok(wrong == 0 && linked > 30 && lengths > 0,
           "linked atoms come back, in parts of any shape: %d, %d lengths", linked, lengths);
    make(60, 900, 3, 25, 0);
    bind(60, 900, 25, 100);
    double with = ratio(60, 900, 25);
    unsigned generations = packed[1];
    for (size_t r = 0; r < 60; r++) /* no atom 0 next to its other atoms */
        for (size_t c = 0; c < 450; c++) {
            float swap = x[r * 900 + c];
            x[r * 900 + c] = c / 3 % 3 ? x[r * 900 + c + 450] : swap;
            x[r * 900 + c + 450] = c / 3 % 3 ? swap : x[r * 900 + c + 450];
        }
    double without = ratio(60, 900, 25);
    tap_ok(generations == 3 && with > 1.15 * without,
           "links make a part shorter: %.2f times, and %.2f times without", with, without);
}

static void test_ratios(void)
{
    make(200, 900, 0.05, 20, 1e4);
    double grid = ratio(200, 900, 20);
    tap_ok(grid > 2.5 && packed[0] == TRACK_GRID && packed[2] == 1,
           "four decimals: %.2f times shorter", grid);
    make(200, 900, 0.05, 20, 0);
    double floats = ratio(200, 900, 20);
    tap_ok(packed[44] == TRACK_ORDER, "from as many steps before as there can be: %d", packed[44]);
    tap_ok(floats > 1.7 && packed[0] == TRACK_FLOATS, "all bits of floats: %.2f times", floats);
    tap_ok(grid > floats && ratio(200, 900, 0) < floats, "the edge of the cell helps");
    make(200, 900, 0.05, 120, 0);
    six_digits(200 * 900);
    double digits = ratio(200, 900, 120);
    tap_ok(digits > 2 && packed[0] == TRACK_GRID && packed[2] > 1, "six digits: %.2f times",
           digits);
    for (size_t k = 0; k < 200 * 900; k++)
        x[k] = (float)(k % 900);
    tap_ok(ratio(200, 900, 0) > 20, "what does not move: %.2f times", ratio(200, 900, 0));
}

static void test_shapes(void)
{
    int wrong = 0, paid = 0;
    static const size_t rows[] = {1, 2, 3, 4, 7, 8, 9, 33}, row[] = {1, 3, 24, 255, 256, 257, 3000};
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 7; j++)
            for (size_t more = 0; more < row[j]; more += row[j] / 2 + 1)
                for (int per = 0; per <= 1000; per += 1000) {
                    make(rows[i] + 1, row[j], 0.01, 9, per);
                    size_t len = round_trip(rows[i] * row[j] + more, row[j], j, 9);
                    wrong += len == SIZE_MAX;
                    paid += len > 0;
                }
    tap_ok(wrong == 0 && paid > 60, "parts of any shape: %d of them packed", paid);
}

static void test_odd_values(void)
{
    static const uint32_t odd[] = {0x80000000, 1,          0x807fffff, 0x7f7fffff,
                                   0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                   0x7f800001, 0xffffffff, 0x00800000};
    int wrong = 0, paid = 0;
    for (int per = 0; per <= 10000; per += 10000)
        for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
            make(60, 300, 0.02, 15, per);
            x[7 * 300 + 11] = from_bits(odd[k]);
            size_t len = round_trip(60 * 300, 300, 0, 15);
            wrong += len == SIZE_MAX;
            paid += len > 0;
        }
    tap_ok(wrong == 0 && paid >= 8, "-0, denormals, NaN and infinity come back, or are refused");
    make(60, 300, 0.02, 15, 10000);
    x[4000] = -0.0f;
    x[4001] = from_bits(1);
    size_t len = round_trip(60 * 300, 300, 0, 15);
    tap_ok(len != SIZE_MAX && packed[0] == TRACK_GRID && packed[4] == 2,
           "two numbers that are not on the grid are two exceptions");
    for (size_t k = 0; k < 18000; k++)
        x[k] = from_bits((uint32_t)k * 2654435761u);
    tap_ok(round_trip(18000, 300, 0, 15) == 0, "noise is left alone");
}

static void test_levels(void)
{
    enum { ROW = 1500, COUNT = 10 * ROW - 17, ATOMS = ROW / 3 }; /* more than one tile each */
    static const unsigned grids[] = {0, 1, 4};
    static const char *const level[] = {"v2", "v3", "v4"};
    __typeof__(track_alone_v2) *const alone[3] = {SIMD_LEVELS(track_alone)};
    __typeof__(track_linked_v2) *const linked[3] = {SIMD_LEVELS(track_linked)};
    enum { PARTS = TRACK_GENERATIONS * TRACK_SECTIONS };
    static uint32_t part[2][PARTS][COUNT];
    static unsigned char link[ATOMS], depth[ATOMS];
    static uint32_t a[3][COUNT], b[COUNT], atom[ATOMS];
    static float y[COUNT], restored[COUNT];
    struct track t = {.kind = TRACK_GRID,
                      .levels = 4,
                      .base = 1000000,
                      .per = 1e6,
                      .edge = {20, 21, 22},
                      .middle = {10, 11, 12},
                      .count = COUNT,
                      .link = link,
                      .atom = atom};
    int wrong = 0;
    size_t most = 0;
    make(10, ROW, 0.03, 20, 1e4);
    for (int k = 0; k < COUNT; k++)
        x[k] = x[k] < 1 ? x[k] + 1 : x[k];
    six_digits(COUNT);
    for (int k = 0; k < ATOMS; k++)
        link[k] = (unsigned char)(k % 5 ? 1 + (k % 5 > 2) : 0);
    for (int g = 0; g < TRACK_GENERATIONS; g++)
        for (int q = 0; q < TRACK_ORDER; q++) {
            t.model[g].stay[q + 1] = -0.1f * (float)q;
            for (int k = 0; k <= q; k++)
                t.model[g].coef[q][k] = (float)(k % 2 ? -0.7 : 1.3) / (float)(k + 1);
        }
    track_levels(&t);
    track_shape(&t, ROW);
    t.generations = TRACK_GENERATIONS;
    bool sorted = track_sort(&t, depth);
    for (int grid = 0; grid < 3; grid++)
        for (unsigned order = 0; order <= TRACK_ORDER; order++) {
            t.kind = grid ? TRACK_GRID : TRACK_FLOATS;
            t.levels = grids[grid];
            for (unsigned g = 0; g < TRACK_GENERATIONS; g++)
                t.model[g].order = order;
            for (int l = 0; l <= simd_level() - 2; l++) {
                t.generations = 1;
                alone[l](&t, x, y, a[l]);
                wrong += memcmp(a[0], a[l], sizeof b) != 0 || memcmp(x, y, sizeof y) != 0;
                memcpy(b, a[l], sizeof b);
                alone[l](&t, NULL, (float *)(void *)b, b);
                wrong += memcmp(b, x, sizeof b) != 0;
            }
            for (int k = 0; k < 2 * (simd_level() - 1); k++) {
                int levels = simd_level() - 1, l = k % levels, lengths = k / levels;
                uint32_t *v[TRACK_GENERATIONS][TRACK_SECTIONS];
                size_t lost = 0, missed = 0;
                t.generations = TRACK_GENERATIONS;
                for (unsigned g = 1; g < t.generations; g++)
                    t.model[g].length2 = lengths ? 0.5f : 0;
                memset(part[1], 0, sizeof part[1]);
                for (int undoes = 0; undoes < 2; undoes++) {
                    for (int i = 0; i < PARTS; i++)
                        v[i / TRACK_SECTIONS][i % TRACK_SECTIONS] = part[1][i];
                    linked[l](&t, undoes ? NULL : x, undoes ? restored : y, v);
                    if (l == 0 && !undoes)
                        memcpy(part[0], part[1], sizeof part[0]);
                    wrong += !undoes && memcmp(part[0], part[1], sizeof part[0]) != 0;
                }
                for (size_t i = 0; i < COUNT; i++) {
                    bool whole = i % ROW < 3 * ATOMS && i < COUNT - COUNT % ROW % 3;
                    missed += whole && memcmp(&y[i], &restored[i], 4) != 0;
                    lost += whole && memcmp(&x[i], &y[i], 4) != 0;
                }
                wrong += missed > 0 || lost > (lengths ? COUNT / 100 : 0);
                most = lost > most ? lost : most;
            }
        }
    tap_ok(sorted && wrong == 0, "residuals are the same up to %s, and all undo them; %zu lost",
           level[simd_level() - 2], most);
}

/* Any other bytes must fail or give other numbers, without access out of bounds (ASan). */
static void test_damage(bool linked)
{
    static unsigned char good[4096];
    int accepted = 0;
    make(20, 60, 0.02, 15, 1e4);
    if (linked)
        bind(20, 60, 15, 100);
    size_t len = round_trip(1200, 60, 0, 15), refused = 0;
    memcpy(good, packed, len < sizeof good ? len : 0);
    for (size_t n = 0; n < len; n++) {
        unsigned char *cut = malloc(n + 1);
        memcpy(cut, good, n);
        refused += track_unpack(3, 60, 0, cut, n, back, 4800, scratch, &err) != 0;
        free(cut);
    }
    tap_ok(len < sizeof good && refused == len && (good[3] > 0) == linked,
           "cut anywhere, it is refused: %s", err.text);
    for (size_t k = 0; k < len; k++)
        for (int bit = 0; bit < 8; bit++) {
            unsigned char *bad = malloc(len);
            memcpy(bad, good, len);
            bad[k] ^= (unsigned char)(1 << bit);
            accepted += track_unpack(3, 60, 0, bad, len, back, 4800, scratch, &err) == 0 &&
                        memcmp(back, x, 4800) == 0;
            free(bad);
        }
    /* unused coefficients, edges that nobody crosses, and bits behind a lane's last change
     * nothing */
    tap_ok(accepted < (int)len, "flipped anywhere, it is another part or none: %d of %zu are not",
           accepted, 8 * len);
}

/* Tests a head with one invalid field. */
static void test_heads(void)
{
    static const struct {
        int at, n;
        uint64_t value;
        const char *words;
    } bad[] = {{0, 1, 2, "decimal grid, or plain floats without a grid, found kind 2"},
               {1, 1, 0, "expected a valid header of a predicted part"},
               {1, 1, TRACK_GENERATIONS + 1, "expected a valid header of a predicted part"},
               {1, 1, 2, "expected a valid header of a predicted part"}, /* without links */
               {2, 1, 0, "expected a valid decimal grid"},
               {2, 1, TRACK_LEVELS + 1, "expected a valid decimal grid"},
               {3, 1, 1, "expected a valid decimal grid"},
               {3, 1, 2, "expected a valid decimal grid"}, /* lengths without links */
               {4, 4, 1201, "expected at most 1200 exceptions from the prediction, found 1201"},
               {4, 4, 1000, "expected at most 1200 exceptions from the prediction, found 1000"},
               {8, 4, 100000010, "expected a valid decimal grid"},
               {8, 4, 15, "expected a valid decimal grid"},
               {24, 8, 0, "expected a valid decimal grid"},
               {24, 8, 0x431c6bf526340001, "expected a valid decimal grid"}, /* above 2e15 */
               {44, 1, TRACK_ORDER + 1, "expected a valid header of a predicted part"},
               {48, 4, 1, "expected a valid header of a predicted part"},
               {48, 4, UINT32_MAX, "expected a valid header of a predicted part"}};
    make(20, 60, 0.02, 15, 1e4);
    size_t len = round_trip(1200, 60, 0, 15);
    tap_ok(len > TRACK_HEAD && len < 8000 && packed[0] == TRACK_GRID, "a part with a grid");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        unsigned char *p = malloc(len);
        memcpy(p, packed, len);
        memcpy(p + bad[k].at, &bad[k].value, (size_t)bad[k].n);
        int rc = track_unpack(3, 60, 0, p, len, back, 4800, scratch, &err);
        tap_ok(rc != 0 && strstr(err.text, bad[k].words), "byte %d: %s", bad[k].at, err.text);
        free(p);
    }
}

int main(void)
{
    test_ratios();
    test_links();
    test_shapes();
    test_odd_values();
    test_levels();
    test_damage(false);
    test_damage(true);
    test_heads();
    return tap_done();
}
