/* SPDX-License-Identifier: MIT */
/* test_track.c: codec 2 restores every bit at every SIMD level, and refuses data that it did not
 * write. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_track.h"
#include "tap.h"

enum { MAX = 1 << 18 };

static float x[MAX], back[MAX + 1];
static uint32_t scratch[MAX];
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
    if (track_unpack(row, at, packed, len, back, 4 * n, &err) || memcmp(x, back, 4 * n) != 0)
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

static void test_ratios(void)
{
    make(200, 900, 0.05, 20, 1e4);
    double grid = ratio(200, 900, 20);
    tap_ok(grid > 2.5 && packed[0] == TRACK_GRID && packed[2] == 1,
           "four decimals: %.2f times shorter", grid);
    make(200, 900, 0.05, 20, 0);
    double floats = ratio(200, 900, 20);
    tap_ok(packed[1] == TRACK_ORDER, "from as many steps before as there can be: %d", packed[1]);
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
    static const char *const level[] = {"v2", "v3", "v4"};
    __typeof__(track_apply_v2) *const apply[3] = {SIMD_LEVELS(track_apply)};
    __typeof__(track_undo_v2) *const undo[3] = {SIMD_LEVELS(track_undo)};
    struct track t = {.kind = TRACK_GRID,
                      .order = 6,
                      .levels = 4,
                      .base = 1000000,
                      .per = 1e6,
                      .edge = {20, 21, 22}};
    static uint32_t a[3][5000], b[5000];
    int wrong = 0;
    make(10, 500, 0.03, 20, 1e4);
    for (int k = 0; k < 5000; k++)
        x[k] = x[k] < 1 ? x[k] + 1 : x[k];
    six_digits(5000);
    for (int q = 0; q < TRACK_ORDER; q++)
        for (int k = 0; k <= q; k++)
            t.coef[q][k] = (float)(k % 2 ? -0.7 : 1.3) / (float)(k + 1);
    track_levels(&t);
    for (int kind = TRACK_FLOATS; kind <= TRACK_GRID; kind++)
        for (t.order = 0; t.order <= TRACK_ORDER; t.order++) {
            t.kind = (enum track_kind)kind;
            for (int l = 0; l <= simd_level() - 2; l++) {
                apply[l](&t, x, a[l], 5000, 500);
                wrong += memcmp(a[0], a[l], sizeof b) != 0;
            }
            for (int l = 0; l <= simd_level() - 2; l++) {
                memcpy(b, a[0], sizeof b);
                undo[l](&t, b, 5000, 500);
                wrong += memcmp(b, x, sizeof b) != 0;
            }
        }
    tap_ok(wrong == 0, "residuals are the same up to %s, and all undo them",
           level[simd_level() - 2]);
}

/* Any other bytes must fail or give other numbers, without access out of bounds (ASan). */
static void test_damage(void)
{
    static unsigned char good[4096];
    int accepted = 0;
    make(20, 60, 0.02, 15, 1e4);
    size_t len = round_trip(1200, 60, 0, 15), refused = 0;
    memcpy(good, packed, len < sizeof good ? len : 0);
    for (size_t n = 0; n < len; n++) {
        unsigned char *cut = malloc(n + 1);
        memcpy(cut, good, n);
        refused += track_unpack(60, 0, cut, n, back, 4800, &err) != 0;
        free(cut);
    }
    tap_ok(len < sizeof good && refused == len, "cut anywhere, it is refused: %s", err.text);
    for (size_t k = 0; k < len; k++)
        for (int bit = 0; bit < 8; bit++) {
            unsigned char *bad = malloc(len);
            memcpy(bad, good, len);
            bad[k] ^= (unsigned char)(1 << bit);
            accepted +=
                track_unpack(60, 0, bad, len, back, 4800, &err) == 0 && memcmp(back, x, 4800) == 0;
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
    } bad[] = {{0, 1, 2, "expected a valid decimal grid or plain floats, found kind 2"},
               {1, 1, TRACK_ORDER + 1, "expected the header of a predicted part"},
               {2, 1, 0, "expected a valid decimal grid"},
               {2, 1, TRACK_LEVELS + 1, "expected a valid decimal grid"},
               {3, 1, 1, "expected a valid decimal grid"},
               {4, 4, 1201, "expected at most 1200 exceptions from the prediction, found 1201"},
               {4, 4, 1000, "expected at most 1200 exceptions from the prediction, found 1000"},
               {8, 4, 100000010, "expected a valid decimal grid"},
               {8, 4, 15, "expected a valid decimal grid"},
               {24, 8, 0, "expected a valid decimal grid"},
               {24, 8, 0x431c6bf526340001, "expected a valid decimal grid"}}; /* above 2e15 */
    make(20, 60, 0.02, 15, 1e4);
    size_t len = round_trip(1200, 60, 0, 15);
    tap_ok(len > TRACK_HEAD && len < 8000 && packed[0] == TRACK_GRID, "a part with a grid");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        unsigned char *p = malloc(len);
        memcpy(p, packed, len);
        memcpy(p + bad[k].at, &bad[k].value, (size_t)bad[k].n);
        int rc = track_unpack(60, 0, p, len, back, 4800, &err);
        tap_ok(rc != 0 && strstr(err.text, bad[k].words), "byte %d: %s", bad[k].at, err.text);
        free(p);
    }
}

int main(void)
{
    test_ratios();
    test_shapes();
    test_odd_values();
    test_levels();
    test_damage();
    test_heads();
    return tap_done();
}
