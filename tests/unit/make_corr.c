/* SPDX-License-Identifier: MIT */
/*
 * make_corr: streams with known content, for the bats files of bin2txt, fft-spectrum and compare.
 * No test by itself.
 *
 *   make_corr KIND [KEY=VALUE...] > stream
 *
 * KIND corr: lags= dt= (ps; 0: no dt) blocks= f=cos|exp|gauss|one a= (1/ps, or ps) noise= seed=
 *            comp="xz xy" apart=1 functions="A B ..." (absent: none in META, four in the arrays)
 *            integral=1: running integrals are wanted
 *            G = f, G2 = 2f, G3 = -3f, G4 = 2f, plus noise of its own in every block and lag
 * KIND hist: bins= blocks= pairs="A-B ..." arrays= (3; the last is repeated, or absent)
 * KIND posn, pair: natoms= steps= start= f64=1 dt=
 * KIND spec: rows=
 * z=LEVEL compresses; tweak=X adds X to the last number of the last array.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series.h"
#include "tap.h"

static char **args;
static int nargs;

static const char *text(const char *key, const char *def)
{
    size_t n = strlen(key);
    for (int i = 0; i < nargs; i++)
        if (strncmp(args[i], key, n) == 0 && args[i][n] == '=')
            return args[i] + n + 1;
    return def;
}

static double number(const char *key, double def)
{
    const char *s = text(key, NULL);
    return s ? strtod(s, NULL) : def;
}

static double uniform(void)
{
    static uint64_t state;
    if (state == 0)
        state = (uint64_t)number("seed", 1) * 0x9e3779b97f4a7c15u | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

static double shape(double t)
{
    const char *f = text("f", "exp");
    double a = number("a", 1.0);
    return *f == 'c'   ? cos(2.0 * M_PI * a * t)
           : *f == 'e' ? exp(-t / a)
           : *f == 'g' ? exp(-0.5 * t * t / (a * a))
                       : 1.0;
}

static int corr(struct frame_writer *w, size_t words)
{
    size_t lags = (size_t)number("lags", 8), blocks = (size_t)number("blocks", 1), ncomp = words,
           nf = 1;
    for (const char *c = text("functions", "G G2 G3 G4"); *c; c++)
        nf += *c == ' ';
    double dt = number("dt", 0.125), noise = number("noise", 0.0), scale[4] = {1, 2, -3, 2};
    uint64_t *counts = calloc(blocks * lags, sizeof *counts);
    double *sums = calloc(blocks * lags * ncomp * nf, sizeof *sums);
    for (size_t b = 0; b < blocks; b++)
        for (size_t k = 0; k < lags; k++) {
            uint64_t n = counts[b * lags + k] = 1000 + 10 * b;
            for (size_t i = 0; i < ncomp * nf; i++)
                sums[(b * lags + k) * ncomp * nf + i] =
                    (double)n * (scale[i % nf % 4] * (1.0 + (double)(i / nf)) *
                                     shape((double)k * (dt > 0 ? dt : 1)) +
                                 noise * uniform());
        }
    sums[blocks * lags * ncomp * nf - 1] += number("tweak", 0.0);
    int rc = series_put_corr(w, blocks, lags, ncomp, nf, counts, sums);
    free(counts);
    free(sums);
    return rc;
}

static int hist(struct frame_writer *w, size_t words)
{
    size_t bins = (size_t)number("bins", 4), blocks = (size_t)number("blocks", 2),
           npairs = words ? words : 1;
    size_t n = blocks * npairs * bins;
    uint64_t *counts = calloc(n, sizeof *counts);
    double *expected = calloc(n, sizeof *expected), *steps = calloc(blocks, sizeof *steps);
    for (size_t i = 0; i < n; i++) {
        counts[i] = ((uint64_t)1 << 53) * (number("huge", 0) > 0) + 10 * (i % bins) +
                    i / bins % npairs + i / bins / npairs;
        expected[i] = 8.0;
    }
    for (size_t b = 0; b < blocks; b++)
        steps[b] = 5.0;
    counts[n - 1] += (uint64_t)number("tweak", 0.0);
    struct frame_desc d = {FRAME_HIST, FRAME_U64,      3, {blocks, npairs, bins}, 0,
                           NAN,        FRAME_CRITICAL, ""};
    int rc = frame_put(w, &d, counts);
    d.dtype = FRAME_F64;
    rc = rc ? rc : frame_put(w, &d, expected);
    d = (struct frame_desc){FRAME_HIST, FRAME_F64, 1, {blocks}, 0, NAN, FRAME_CRITICAL, ""};
    for (double k = number("arrays", 3); rc == 0 && k > 2; k--)
        rc = frame_put(w, &d, steps);
    free(counts);
    free(expected);
    free(steps);
    return rc;
}

/* Value i of step k is k + (i + 1) / 1000. Blocks have up to three steps. */
static int steps(struct frame_writer *w, enum frame_type type, size_t natoms, size_t ncomp)
{
    size_t n = (size_t)number("steps", 5), f64 = number("f64", 0) > 0,
           pairs = natoms * (natoms - 1) / 2, rc = 0;
    size_t values = type == FRAME_POSN ? 3 * natoms : ncomp * pairs,
           block = (size_t)number("block", 3);
    double dt = number("dt", 0.125);
    float *f = calloc(block * values, sizeof *f);
    double *d = calloc(block * values, sizeof *d);
    for (size_t k = 0; k < n && rc == 0; k += block) {
        size_t m = n - k < block ? n - k : block;
        for (size_t i = 0; i < m * values; i++) {
            d[i] = (double)(k + i / values) + (double)(i % values + 1) / 1000.0;
            if (k + m == n && i == m * values - 1)
                d[i] += number("tweak", 0.0);
            f[i] = (float)d[i];
        }
        struct frame_desc h = {
            type, f64 ? FRAME_F64 : FRAME_F32, 3, {m, natoms, 3}, k, NAN, FRAME_CRITICAL, ""};
        h.index += (uint64_t)number("start", 0);
        if (type == FRAME_PAIR) {
            h.dims[1] = ncomp;
            h.dims[2] = pairs;
        }
        if (dt > 0)
            h.time = (double)k * dt;
        rc = (size_t)(frame_put(w, &h, f64 ? (void *)d : (void *)f) != 0);
    }
    free(f);
    free(d);
    return rc ? -1 : 0;
}

static int spec(struct frame_writer *w)
{
    size_t rows = (size_t)number("rows", 3);
    double *v = calloc(rows * 2, sizeof *v);
    for (size_t i = 0; i < rows; i++) {
        v[2 * i] = 0.1 * (double)i;
        v[2 * i + 1] = 1.0 / (1.0 + (double)i);
    }
    v[2 * rows - 1] += number("tweak", 0.0);
    int rc = series_put_spec(w, rows, 2, v);
    free(v);
    return rc;
}

static int segment(struct frame_writer *w, const char *kind)
{
    const char *comp = text("comp", "xz"), *pairs = text("pairs", "");
    size_t natoms = (size_t)number("natoms", 4), ncomp = 1, npairs = *pairs != '\0';
    struct meta *m = meta_derive(NULL, "make_corr", "0", "");
    for (const char *c = comp; *c; c++)
        ncomp += *c == ' ';
    for (const char *c = pairs; *c; c++)
        npairs += *c == ' ';
    int rc =
        meta_setf(m, "sys.natoms", "%zu", natoms) | meta_set(m, "data.component", comp) |
        meta_set(m, "data.columns", "q_A-1 S") | meta_set(m, "data.convention", "as it comes") |
        meta_set(m, "sys.species", text("species", "Ar 4")) |
        meta_set(m, "data.rmax", text("rmax", "2")) |
        meta_setf(m, "data.bins", "%g", number("bins", 4)) |
        meta_set(m, "sys.cell", text("cell", "9 0 0 0 9 0 0 0 9")) | meta_set(m, "sys.pbc", "TTT");
    if (number("dt", 0.125) > 0)
        rc |= meta_setf(m, "sys.dt_ps", "%.17g", number("dt", 0.125));
    if (number("apart", 0) > 0)
        rc |= meta_set(m, "data.average", "apart");
    if (number("integral", 0) > 0)
        rc |= meta_set(m, "data.integral", "trapezoid");
    if (text("functions", NULL))
        rc |= meta_set(m, "data.functions", text("functions", ""));
    if (*pairs)
        rc |= meta_set(m, "data.pairs", pairs);
    rc |= frame_put_meta(w, m);
    meta_free(m);
    if (rc == 0)
        rc = *kind == 'c'   ? corr(w, ncomp)
             : *kind == 'h' ? hist(w, npairs)
             : *kind == 's'
                 ? spec(w)
                 : steps(w, strcmp(kind, "posn") == 0 ? FRAME_POSN : FRAME_PAIR, natoms, ncomp);
    return rc ? rc : frame_end(w, FRAME_COMPLETE, NULL, NULL);
}

int main(int argc, char **argv)
{
    struct err e;
    if (argc < 2) {
        printf("1..0 # skip makes streams for the bats files\n");
        return 0;
    }
    args = argv + 2;
    nargs = argc - 2;
    struct frame_writer_opts o = {
        .tool = "make_corr", .compress = (int)number("z", 0), .threads = 1, .force = true};
    struct frame_writer *w = frame_create(NULL, &o, &e);
    int rc = w ? 0 : -1;
    for (int k = (int)number("segments", 1); k > 0 && rc == 0; k--)
        rc = segment(w, argv[1]);
    if (w && rc != 0)
        fprintf(stderr, "make_corr: %s\n", frame_writer_error(w)->text);
    (void)tap_done;
    if (!w || frame_close_writer(w, &e) != 0) {
        fprintf(stderr, "make_corr: %s\n", e.text);
        return 3;
    }
    return rc ? 3 : 0;
}
