/* SPDX-License-Identifier: MIT */
/* acf: correlation functions of time series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acf/acf.h"
#include "cli/cli.h"
#include "stats/series.h"

static struct cli_common common;
static uint64_t lags, blocks;
static double tmax = NAN;
static const char *pairs, *average;
static int mean;
static bool integral;

static const char *const means[] = {"keep", "subtract", NULL};
static const struct cli_opt opts[] = {
    {0, "lags", "N", CLI_UINT, &lags, 1, 1e12, NULL, NULL, "lags 0 to N-1 (all)"},
    {0, "tmax", "PS", CLI_REAL, &tmax, 0, 1e12, NULL, NULL,
     "lags up to this time, instead of --lags"},
    {0, "pairs", "A-B,C", CLI_STRING, &pairs, 0, 0, NULL, NULL,
     "columns to correlate, A now with B later (each with itself)"},
    {0, "average", "NAME", CLI_STRING, &average, 0, 0, NULL, NULL,
     "one function of this name, the mean over the pairs (a function a pair)"},
    {0, "mean", "WHAT", CLI_CHOICE, &mean, 0, 0, means, NULL,
     "keep, or subtract the mean of each column (keep)"},
    {0, "integral", NULL, CLI_FLAG, &integral, 0, 0, NULL, NULL,
     "the running integral of each function too, with its error (Green-Kubo)"},
    {0, "blocks", "B", CLI_UINT, &blocks, 1, 1e6, NULL, NULL,
     "errors from so many blocks of origins; 1: none (up to 128, and what they remember)"},
    {0}};

static const struct cli_tool tool = {
    .name = "acf",
    .operands = "[FILE]",
    .opts = opts,
    .max_operands = 1,
    .writes_frames = true,
    .reads_steps = true,
    .summary = "time series (SERI) in, correlation functions (CORR) out",
    .examples = "  txt2bin thermo.txt --columns pxy,pxz,pyz | acf --tmax 5 --integral | bin2txt\n"
                "  g4-cpu --series s.mbf argon.mbf -o g.mbf\n"
                "  acf --lags 48 s.mbf | fft-spectrum | "
                "bin2txt\n"};

/* Lags and blocks for a series of so many steps. */
static void resolve(const struct acf_series *s, const char *name, struct acf_params *p)
{
    if (lags && !isnan(tmax))
        cli_die(CLI_BAD, "--lags or --tmax, not both");
    if (!isnan(tmax) && !(s->dt_ps > 0.0))
        cli_die(CLI_BAD, "%s: --tmax needs a time step, and the input has none: give --lags", name);
    double wanted = !isnan(tmax) ? floor(tmax / s->dt_ps * (1 + 1e-9)) + 1
                    : lags       ? (double)lags
                                 : 0;
    if (wanted > (double)s->steps)
        cli_die(CLI_BAD, "%s: %.0f lags need at least %.0f steps, found %zu", name, wanted, wanted,
                s->steps);
    p->lags = wanted > 0 ? (size_t)wanted : s->steps;
    if (blocks > s->steps)
        cli_die(CLI_BAD, "%s: %llu blocks, but only %zu steps", name, (unsigned long long)blocks,
                s->steps);
    p->blocks = (size_t)blocks;
    if (!blocks)
        acf_blocks(s, p);
}

/* META: what the functions are called, and how they were made. 0 or -1. */
static int describe(struct meta *m, const struct acf_series *s, const struct acf_params *p)
{
    char text[ACF_MAX_PAIRS * 2 * SERIES_NAME], name[2 * SERIES_NAME];
    size_t n = 0;
    for (size_t k = 0; k < p->npairs; k++) {
        struct acf_pair q = p->pair[k];
        snprintf(name, sizeof name, q.a == q.b ? "%s" : "%s-%s", s->name[q.a], s->name[q.b]);
        if (strlen(name) >= SERIES_WORD)
            cli_die(CLI_BAD, "%s: a name of at most %d letters expected, as one column of a table",
                    name, SERIES_WORD - 1);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k ? " " : "", name);
    }
    return meta_set(m, "data.quantity", "correlation") |
           meta_set(m, "data.functions", average ? average : text) |
           meta_set(m, "data.component", average ? text : NULL) |
           meta_set(m, "data.mean", means[mean]) |
           meta_set(m, "data.integral", integral ? "trapezoid" : NULL) |
           meta_setf(m, "data.lags", "%zu", p->lags) |
           meta_setf(m, "data.blocks", "%zu", p->blocks) |
           meta_set(m, "data.errors", blocks ? NULL : "blocking") |
           meta_set(m, "data.convention",
                    mean ? "C_ab(t) = <(a - mean a)(0) (b - mean b)(t)>" : "C_ab(t) = <a(0) b(t)>");
}

/* The sums of all pairs to out, which is closed. Returns the exit status. */
static int write_sums(struct acf_series *s, const struct acf_params *p, const struct meta *m,
                      struct frame_writer *out)
{
    struct err e;
    uint64_t *counts = calloc(p->blocks * p->lags, sizeof *counts);
    double *sums = calloc(p->blocks * p->lags, p->npairs * sizeof *sums);
    int rc =
        !m || !counts || !sums ? err_memory(&e, "the result") : acf_compute(s, p, counts, sums, &e);
    if (rc == 0 && (frame_put_meta(out, m) != 0 ||
                    series_put_corr(out, p->blocks, p->lags, average ? p->npairs : 1,
                                    average ? 1 : p->npairs, counts, sums) != 0 ||
                    frame_end(out, FRAME_COMPLETE, NULL, NULL) != 0)) {
        e = *frame_writer_error(out);
        rc = -1;
    }
    free(counts);
    free(sums);
    return rc ? cli_fail(out, NULL, &e) : cli_close(out);
}

int main(int argc, char **argv)
{
    struct err e;
    struct acf_series s;
    struct acf_pair pair[ACF_MAX_PAIRS];
    cli_parse(&tool, argc, argv, &common);

    struct frame_reader *in = cli_open(&common, cli_input(&common));
    if (acf_read(in, common.max_mem, &s, &e))
        cli_die(e.status, "%s", e.text);
    int n = acf_pairs(&s, pairs, pair, &e);
    if (n < 0)
        cli_die(e.status, "%s: %s", frame_name(in), e.text);
    struct acf_params p = {.pair = pair,
                           .npairs = (size_t)n,
                           .subtract = mean == 1,
                           .threads = common.threads,
                           .max_mem = common.max_mem};
    resolve(&s, frame_name(in), &p);
    struct meta *m = meta_derive(s.meta, tool.name, CLI_VERSION, common.args);
    bool named = m && describe(m, &s, &p) == 0;
    int status = write_sums(&s, &p, named ? m : NULL, cli_create(&common));
    if (!status)
        cli_summary(s.steps, frame_wire_bytes(in), NULL);
    meta_free(m);
    acf_free(&s);
    frame_close_reader(in);
    return status;
}
