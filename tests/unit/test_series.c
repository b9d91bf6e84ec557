/* SPDX-License-Identifier: MIT */
/* Tests columns from sums: averages, standard errors, names, and decimals that read back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/series.h"
#include "tap.h"

#define ROUNDING 1e-14 /* a few operations on numbers of order one */

/* Writes a segment with write(w, m) and reads it. Returns the result of series_read(). */
static int round_trip(int (*fill)(struct frame_writer *, struct meta *), struct series *s,
                      struct err *e)
{
    char path[] = "/tmp/test_series.XXXXXX";
    int rc = -1, fd = mkstemp(path);
    struct meta *m = meta_derive(NULL, "test_series", "0", "");
    struct frame_writer_opts o = {.tool = "test_series", .threads = 1, .force = true};
    struct frame_writer *w = frame_create(path, &o, NULL);
    if (fd >= 0 && m && w && fill(w, m) == 0 && frame_end(w, FRAME_COMPLETE, NULL, NULL) == 0 &&
        frame_close_writer(w, NULL) == 0) {
        struct frame_reader *r = frame_open(path, NULL);
        rc = series_read(r, s, e);
        struct series none;
        struct err more;
        if (rc == 1)
            tap_ok(series_read(r, &none, &more) == 0, "the stream ends after its segment");
        frame_close_reader(r);
    }
    close(fd);
    unlink(path);
    meta_free(m);
    return rc;
}

/* Three blocks of 4, 2, 0 origins at lag 1 (4, 4, 2 at lag 0), and two components. */
static const uint64_t counts[3 * 2] = {4, 4, 4, 2, 2, 0};
static const double sums[3 * 2 * 2 * 4] = {
    4, 8,  -12, 8, 8, 16, -24, 16, 2, 4, -6, 4, 2, 4, -6, 4, /* block 0: lag 0 xz, xy; lag 1 xz, xy
                                                              */
    8, 8,  -8,  8, 8, 8,  -8,  8,  4, 4, -4, 4, 4, 4, -4, 4, 1,
    2, -3, 2,   1, 2, -3, 2,   0,  0, 0, 0,  0, 0, 0, 0};
static const char *average;

static int fill_corr(struct frame_writer *w, struct meta *m)
{
    if (meta_set(m, "sys.dt_ps", "0.125") || meta_set(m, "data.component", "xz xy") ||
        (average && meta_set(m, "data.average", average)) || frame_put_meta(w, m))
        return -1;
    return series_put_corr(w, 3, 2, 2, 4, counts, sums);
}

static double at(const struct series *s, size_t row, const char *name)
{
    int c = series_column(s, name);
    return c < 0 ? NAN : s->v[row * s->cols + (size_t)c];
}

static void test_corr(void)
{
    struct series s;
    struct err e = {0};
    if (!tap_ok(round_trip(fill_corr, &s, &e) == 1, "CORR is read (%s)", e.text))
        return;
    tap_ok(s.rows == 2 && s.cols == 10 && s.blocks == 3, "two lags, ten columns, three blocks");
    tap_near(at(&s, 1, "t_ps"), 0.125, 0, "lag 1 is one step later");
    tap_ok(s.count[1] && s.count[1][0] == 10 && s.count[1][1] == 6, "origins add up as integers");
    /* block means at lag 0, over components: 6/4, 8/4, 1/2; weights 4, 4, 2: m = (6 + 8 + 1)/10 */
    tap_near(at(&s, 0, "G"), 1.5, ROUNDING,
             "average is sum of sums over sum of counts, mean over components");
    /* y - m n = 0, 2, -2; se = sqrt(3/2) sqrt(8)/10 */
    tap_near(at(&s, 0, "G_se"), sqrt(1.5 * 8.0) / 10.0, ROUNDING,
             "standard error of unequal blocks");
    /* lag 1: two blocks hold something: y = 2, 4; n = 4, 2: m = 1; residues -2, 2; se = sqrt(2/1)
     * sqrt(8)/6 */
    tap_near(at(&s, 1, "G"), 1.0, ROUNDING, "an empty block does not count");
    tap_near(at(&s, 1, "G_se"), sqrt(2.0 * 8.0) / 6.0, ROUNDING,
             "its error has one degree of freedom less");
    double var = 0.0, sum = 0.0;
    for (size_t b = 0; b < 3; b++) {
        double d = s.dev[(b * 2 + 0) * s.cols + (size_t)series_column(&s, "G2")];
        var += d * d;
        sum += d;
    }
    tap_near(sqrt(var), at(&s, 0, "G2_se"), ROUNDING,
             "squares of the deviations add up to the squared error");
    tap_near(sum, 0.0, ROUNDING, "deviations add up to nothing");
    series_free(&s);
    average = "apart";
    if (tap_ok(round_trip(fill_corr, &s, &e) == 1, "CORR apart is read (%s)", e.text)) {
        tap_ok(s.cols == 18 && strcmp(s.name[6], "G_xy") == 0,
               "components apart have their own columns");
        tap_near(at(&s, 0, "G_xz"), 1.3, ROUNDING, "and averages");
        tap_near(at(&s, 0, "G_xy"), 1.7, ROUNDING, "of their own");
        tap_ok(s.se[2] == series_column(&s, "G_xz_se"), "an error column belongs to its value");
        series_free(&s);
    }
    average = NULL;
}

/* For equal blocks, the error is the usual standard error of the mean of block means. */
static int fill_equal(struct frame_writer *w, struct meta *m)
{
    static const uint64_t n[4] = {5, 5, 5, 5};
    static const double y[16] = {5, 0, 0, 0, 10, 0, 0, 0, 15, 0, 0, 0, 30, 0, 0, 0};
    return meta_set(m, "data.component", "xz") || frame_put_meta(w, m)
               ? -1
               : series_put_corr(w, 4, 1, 1, 4, n, y);
}

static void test_equal(void)
{
    struct series s;
    struct err e = {0};
    if (!tap_ok(round_trip(fill_equal, &s, &e) == 1, "equal blocks are read (%s)", e.text))
        return;
    /* means 1, 2, 3, 6: mean 3, variance 14/3, standard error sqrt(14/3/4) */
    tap_near(at(&s, 0, "G_se"), sqrt(14.0 / 12.0), ROUNDING,
             "equal blocks: standard error of the mean");
    tap_ok(isnan(at(&s, 0, "t_ps")), "no dt, no times");
    series_free(&s);
}

/* Functions of another analysis, with sums 1, 2, 3 for lags 0 and 1 and one component. */
static const char *functions, *more[2]; /* more: another key of META and its value */
static int fill_functions(struct frame_writer *w, struct meta *m)
{
    static const uint64_t n[4] = {2, 2, 2, 2};
    static const double y[12] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
    return meta_set(m, "data.functions", functions) || (*more && meta_set(m, more[0], more[1])) ||
                   frame_put_meta(w, m)
               ? -1
               : series_put_corr(w, 2, 2, 1, 3, n, y);
}

static void test_functions(void)
{
    struct series s;
    struct err e = {0};
    functions = "msd Gauss C";
    if (tap_ok(round_trip(fill_functions, &s, &e) == 1, "three functions are read (%s)", e.text)) {
        tap_ok(s.nfunctions == 3 && s.nsets == 1 && s.cols == 8 && strcmp(s.name[2], "msd") == 0 &&
                   strcmp(s.name[4], "C") == 0 && strcmp(s.name[6], "Gauss_se") == 0,
               "columns are named after them");
        tap_near(at(&s, 1, "C"), 1.5, ROUNDING, "each has its average");
        series_free(&s);
    }
    char many[3 * (SERIES_FUNCTIONS + 1) + 1] = "";
    for (size_t k = 0; k <= SERIES_FUNCTIONS; k++)
        strcat(many, "ab ");
    const char *const bad[][2] = {{"C", "[2, 2, components, 1]"},
                                  {"a b c d", "[2, 2, components, 4]"},
                                  {"", "1 to 64 names"},
                                  {many, "1 to 64 names"},
                                  {"a b name-of-21-characters", "at most 20 letters"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        functions = bad[k][0];
        tap_ok(round_trip(fill_functions, &s, &e) == -1 && strstr(e.text, bad[k][1]),
               "refused: functions \"%.30s\" (%.100s)", functions, e.text);
    }
}

/* Keys of META that relate functions: C is relative to the square of msd (1), not of msd2 (0.5). */
static void test_keys(void)
{
    static const struct {
        const char *key, *value, *says;
    } bad[] = {{"data.excess", "C", "expected pairs of functions"},
               {"data.excess", "C:ms", "expected pairs of functions"},
               {"data.excess", "C:C", "expected pairs of functions"},
               {"data.axis2", "q", "expected 1 finite numbers in data.axis2.values"}};
    struct series s;
    struct err e = {0};
    functions = "msd2 msd C";
    more[0] = "data.excess";
    more[1] = "C:msd";
    if (tap_ok(round_trip(fill_functions, &s, &e) == 1, "an excess is read (%s)", e.text)) {
        tap_near(at(&s, 1, "C"), 1.5 / (1.0 * 1.0) - 1.0, ROUNDING, "C/msd^2 - 1");
        tap_near(at(&s, 1, "msd"), 1.0, ROUNDING, "the other function is as it was");
        series_free(&s);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        more[0] = bad[k].key;
        more[1] = bad[k].value;
        tap_ok(round_trip(fill_functions, &s, &e) == -1 && strstr(e.text, bad[k].says),
               "refused: %s %s (%s)", more[0], more[1], e.text);
    }
    more[0] = NULL;
}

static const char *wrong;
static int fill_wrong(struct frame_writer *w, struct meta *m)
{
    static const uint64_t n[2] = {UINT64_MAX, 1};
    static const double y[8] = {0};
    if (frame_put_meta(w, m))
        return -1;
    if (strcmp(wrong, "overflow") == 0)
        return series_put_corr(w, 2, 1, 1, 4, n, y);
    struct frame_desc d = {
        .type = FRAME_CORR, .dtype = FRAME_U64, .ndim = 2, .dims = {1, 2}, .time = NAN};
    if (frame_put(w, &d, n))
        return -1;
    d = (struct frame_desc){
        .type = FRAME_CORR, .dtype = FRAME_F64, .ndim = 4, .dims = {1, 1, 1, 4}, .time = NAN};
    if (strcmp(wrong, "missing") != 0 && frame_put(w, &d, y))
        return -1;
    return 0;
}

static void test_wrong(void)
{
    static const struct {
        const char *what, *says;
    } bad[] = {
        {"overflow", "64 bits"}, {"missing", "CORR sums"}, {"shape", "[1, 2, components, 4]"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct series s;
        struct err e = {0};
        wrong = bad[k].what;
        tap_ok(round_trip(fill_wrong, &s, &e) == -1 && strstr(e.text, bad[k].says),
               "refused: %s (%s)", wrong, e.text);
    }
}

int main(void)
{
    test_corr();
    test_equal();
    test_functions();
    test_keys();
    test_wrong();
    return tap_done();
}
