/* SPDX-License-Identifier: MIT */
/* Compares the conversion of decimals to numbers and back with printf, strtod and strtof. */
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/decimal.h"
#include "tap.h"

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t random_u64(void) /* splitmix64 */
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Compares both parsers with the C library, whose strtod and strtof round correctly. */
static int agrees(const char *s)
{
    double v;
    float x;
    double want = strtod(s, NULL);
    float want32 = strtof(s, NULL);
    int ok = isfinite(want) ? decimal_get_f64(s, strlen(s), DECIMAL_FORTRAN, &v) == 0 &&
                                  memcmp(&v, &want, 8) == 0
                            : decimal_get_f64(s, strlen(s), DECIMAL_FORTRAN, &v) != 0;
    ok = ok && (isfinite(want32) ? decimal_get_f32(s, strlen(s), DECIMAL_FORTRAN, &x) == 0 &&
                                       memcmp(&x, &want32, 4) == 0
                                 : decimal_get_f32(s, strlen(s), DECIMAL_FORTRAN, &x) != 0);
    if (!ok)
        printf("# %s: f64 %.17g f32 %.9g\n", s, want, (double)want32);
    return ok;
}

static void test_reading(void)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "+1",
                                       "1.",
                                       ".5",
                                       "-.5e1",
                                       "21.419300",
                                       "1e5",
                                       "1E-5",
                                       "1e+22",
                                       "1e-22",
                                       "9007199254740993",
                                       "9007199254740993.0",
                                       "0.1",
                                       "123456789012345678901234567890",
                                       "0.000000000000000000000000000000000000001",
                                       "1.7976931348623157e308",
                                       "4.9406564584124654e-324",
                                       "1e-400",
                                       "8388609.5",
                                       "16777217",
                                       "16777219",
                                       "33554434.9999999",
                                       "1.00000005960464477539062499",
                                       "1.00000005960464477539062500",
                                       "1.00000005960464477539062501",
                                       "1e39",
                                       "1e400",
                                       "3.4028235677973366e38",
                                       "7.0064923216240854e-46",
                                       "1.401298464324817e-45",
                                       "000000000000000000000000012.5",
                                       "0.30000000000000004",
                                       "9999999999999999999",
                                       "18446744073709551615",
                                       "18446744073709551616e-5",
                                       "6.86483359336853",
                                       "2.73436176776886",
                                       "8.62885332107544"};
    static const char *const bad[] = {"",     "-",   "+",         ".",     "-.",    "e5",
                                      "1e",   "1e+", "1-",        "1.2.3", "1,5",   "nan",
                                      "NaN",  "inf", "-Infinity", "0x1p3", "0x10",  "****",
                                      "1.0f", "1 ",  "--1",       "1e5.0", "1e5e5", "abc"};
    int ok = 1;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        ok &= agrees(good[k]);
    tap_ok(ok, "chosen numbers are those of strtod and strtof");
    ok = 1;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double v;
        float x;
        if (decimal_get_f64(bad[k], strlen(bad[k]), DECIMAL_FORTRAN, &v) == 0 ||
            decimal_get_f32(bad[k], strlen(bad[k]), DECIMAL_FORTRAN, &x) == 0)
            ok = 0, printf("# taken: '%s'\n", bad[k]);
    }
    tap_ok(ok, "what is no number is refused");
    double v;
    tap_ok(decimal_get_f64("1.0D-03", 7, DECIMAL_FORTRAN, &v) == 0 && v == 1.0e-3, "Fortran's D");
    tap_ok(decimal_get_f64("0.14-270", 8, DECIMAL_FORTRAN, &v) == 0 && v == 0.14e-270,
           "Fortran's exponent without a letter");
    tap_ok(decimal_get_f64("-2.5+100", 8, DECIMAL_FORTRAN, &v) == 0 && v == -2.5e100,
           "the same with a plus");
    tap_ok(decimal_get_f64("1.5q2", 5, DECIMAL_FORTRAN, &v) == 0 && v == 150.0, "Fortran's Q");
    static const char *const fortran[] = {"1.0D-03", "0.14-270", "-2.5+100", "1.5q2", "NAN",
                                          "-nan",    "infinity", "0x1p3",    " 1",    "1e400"};
    ok = 1;
    for (size_t k = 0; k < sizeof fortran / sizeof *fortran; k++)
        if (decimal_get_f64(fortran[k], strlen(fortran[k]), DECIMAL_OURS, &v) == 0)
            ok = 0, printf("# taken: '%s'\n", fortran[k]);
    tap_ok(ok, "elsewhere they, and other spellings, are refused");
    tap_ok(decimal_get_f64("-inf", 4, DECIMAL_OURS, &v) == 0 && v == -HUGE_VAL &&
               decimal_get_f64("nan", 3, DECIMAL_OURS, &v) == 0 && isnan(v),
           "there nan and -inf are read as we write them");
}

static void test_random_reading(void)
{
    int ok = 1, ok_d = 1;
    for (int k = 0; k < 200000 && ok; k++) {
        char s[64];
        uint64_t r = random_u64();
        int digits = 1 + (int)(random_u64() % 20), exponent = (int)(random_u64() % 60) - 35;
        switch (k % 4) {
        case 0:
            snprintf(s, sizeof s, "%.*f", (int)(r % 11), (double)(int64_t)random_u64() * 0x1p-40);
            break;
        case 1:
            snprintf(s, sizeof s, "%llue%d", (unsigned long long)(r >> (3 * digits)), exponent);
            break;
        case 2: snprintf(s, sizeof s, "%.*e", digits, ldexp((double)r, exponent - 40)); break;
        default: { /* close to the midpoint of two f32, where rounding twice would give an error */
            float f = (float)(1.0 + (double)(r >> 12) * 0x1p-52) * (float)(1 << (r % 12));
            snprintf(s, sizeof s, "%.*f", 5 + digits,
                     ((double)f + (double)nextafterf(f, FLT_MAX)) / 2);
        }
        }
        ok = agrees(s);
        char *e = strpbrk(s, "eE");
        if (e) {
            double want = strtod(s, NULL), v;
            *e = 'D';
            ok_d &= !isfinite(want) ||
                    (decimal_get_f64(s, strlen(s), DECIMAL_FORTRAN, &v) == 0 && v == want);
        }
    }
    tap_ok(ok,
           "200000 random decimals, many next to f32 midpoints, are those of strtod and strtof");
    tap_ok(ok_d, "and with D for the exponent");
    for (int k = 0; k < 100000 && ok;
         k++) { /* 19 digits: ties that only the remainder of the division decides */
        char s[64];
        snprintf(s, sizeof s, "%llue-%d",
                 (unsigned long long)(random_u64() % 9000000000000000000u + 1000000000000000000u),
                 17 + (int)(random_u64() % 3));
        ok = agrees(s);
    }
    tap_ok(ok, "100000 numbers of 19 digits");
}

/* Tests whether buf has the fewest digits that read back as x, according to printf and strtod. */
static bool is_fewest(const char *buf, double x, bool f32)
{
    char t[64];
    bool tiny = x == 0.0 || fabs(x) < (f32 ? (double)FLT_MIN : DBL_MIN);
    for (int d = tiny ? 1 : f32 ? FLT_DIG : DBL_DIG;; d++) {
        snprintf(t, sizeof t, "%.*g", d, x);
        if (f32 ? strtof(t, NULL) == (float)x : strtod(t, NULL) == x)
            break;
    }
    return strtod(buf, NULL) == strtod(t, NULL) && signbit(strtod(buf, NULL)) == signbit(x);
}

/* Returns doubles of every size, like coordinates, with few decimals, tiny, or powers of two. */
static double sample(int k)
{
    uint64_t u = random_u64();
    double x = (double)(int64_t)u * 0x1p-56;
    switch (k % 6) {
    case 0: memcpy(&x, &u, 8); return x;
    case 1: return x;
    case 2: return round(x * 1e6) / 1e6;
    case 3:
        u &= 0x800fffffffffffffu;
        memcpy(&x, &u, 8);
        return x;
    case 4: return ldexp(x, -(int)(u % 80));
    default: return ldexp(1.0, (int)(u % 2098) - 1074);
    }
}

static void test_known(void)
{
    static const struct {
        double x;
        const char *text;
    } known[] = {{0.1, "0.1"},
                 {-0.0, "-0"},
                 {1e22, "1e+22"},
                 {123456.75, "123456.75"},
                 {1e-5, "1e-05"},
                 {0.0001, "0.0001"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1000, "1000"},
                 {-2.5, "-2.5"},
                 {9007199254740993.0, "9007199254740992"},
                 {2.2250738585072014e-308, "2.2250738585072014e-308"},
                 {1e15, "1000000000000000"},
                 {1e16, "1e+16"},
                 {0x1p-44, "5.6843418860808015e-14"},
                 {2.5e-7, "2.5e-07"},
                 {NAN, "nan"},
                 {-INFINITY, "-inf"}};
    char buf[DECIMAL_TEXT + 1];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        buf[decimal_put_f64(buf, known[k].x, 0)] = '\0';
        tap_ok(strcmp(buf, known[k].text) == 0, "%s is written %s", known[k].text, buf);
    }
    buf[decimal_put_f32(buf, 0.1f, 0)] = '\0';
    tap_ok(strcmp(buf, "0.1") == 0, "float 0.1 is written %s", buf);
    buf[decimal_put_u64(buf, UINT64_MAX)] = '\0';
    tap_ok(strcmp(buf, "18446744073709551615") == 0, "the largest integer is written %s", buf);
    tap_ok(decimal_put_f32(buf, -0.0f, 0) == 2 && memcmp(buf, "-0", 2) == 0,
           "minus zero keeps its sign");
}

static void test_writing(void)
{
    char s[DECIMAL_TEXT + 1], t[64];
    long back = 0, few = 0, back32 = 0, few32 = 0, asked = 0, decimals = 0;
    for (int k = 0; k < 300000; k++) {
        double x = sample(k), y;
        uint32_t u = (uint32_t)random_u64();
        float f = (float)x, g;
        if (k % 6 == 0 || k % 6 == 3) {
            u &= k % 6 ? 0x807fffffu : UINT32_MAX;
            memcpy(&f, &u, 4);
        }
        if (isfinite(x)) {
            s[decimal_put_f64(s, x, 0)] = '\0';
            back += decimal_get_f64(s, strlen(s), DECIMAL_OURS, &y) != 0 || memcmp(&x, &y, 8) != 0;
            few += !is_fewest(s, x, false);
            snprintf(t, sizeof t, "%.6f", x);
            decimals += k % 6 == 2 && (strlen(s) > strlen(t) || strtod(t, NULL) != x);
            int digits = 1 + (int)(u % 17);
            s[decimal_put_f64(s, x, digits)] = '\0';
            snprintf(t, sizeof t, "%.*g", digits, x);
            asked += strcmp(s, t) != 0;
        }
        if (isfinite(f)) {
            s[decimal_put_f32(s, f, 0)] = '\0';
            back32 +=
                decimal_get_f32(s, strlen(s), DECIMAL_OURS, &g) != 0 || memcmp(&f, &g, 4) != 0;
            few32 += !is_fewest(s, (double)f, true);
            int digits = 1 + (int)(u % 17);
            s[decimal_put_f32(s, f, digits)] = '\0';
            snprintf(t, sizeof t, "%.*g", digits, (double)f);
            asked += strcmp(s, t) != 0;
        }
    }
    tap_ok(back == 0, "300,000 doubles of every size read back exactly (%ld do not)", back);
    tap_ok(few == 0, "and have the fewest digits that do (%ld do not)", few);
    tap_ok(back32 == 0, "300,000 floats of every size read back exactly (%ld do not)", back32);
    tap_ok(few32 == 0, "and have the fewest digits that do (%ld do not)", few32);
    tap_ok(decimals == 0, "decimals of six places come back as they were (%ld do not)", decimals);
    tap_ok(asked == 0, "so many digits are those of printf (%ld are not)", asked);
}

int main(void)
{
    test_reading();
    test_random_reading();
    test_known();
    test_writing();
    return tap_done();
}
