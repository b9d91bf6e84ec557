/* SPDX-License-Identifier: MIT */
/* g4-cpu, g4-gpu: compute two-, three- and four-body correlations of the pair anisotropy. */
#include <math.h>

#include "base/engine.h"
#include "cli/cli_reduce.h"
#include "g4/g4_run.h"

static struct g4_choice choice = {.pairs = PAIRS_CHOICE_NONE, .tmax = NAN, .method = -1};
static const char *series;

#ifdef ENGINE_GPU
static const char *const precisions[] = {"f64", "f32", NULL};
#endif

static const struct cli_opt opts[] = {
    CLI_BETA(choice.pairs, "mean over all five components",
             "; for ewald:pairs and ewald:R1,R2, see g4-cpu(1)"),
    CLI_PAIR_FUNCTION(choice.pairs.function),
    CLI_OPT("lags", "N", UINT, &choice.lags,
            "compute the time lags 0 to N-1 (default: all lags, computed with --method fft)",
            .min = 1, .max = 1e12),
    CLI_TMAX(choice.tmax),
    CLI_OPT(
        "method", "factored|fft|direct", CHOICE, &choice.method,
        "method of computing the functions: factored and fft are fast; direct is a slow check that "
        "sums over all pairs of pairs (default: factored for fewer than 192 lags, otherwise fft)",
        .choices = g4_methods),
    CLI_OPT("origins", "K", UINT, &choice.origins,
            "use only the first K time origins for every lag (default: all time origins)", .min = 1,
            .max = 1e15),
    CLI_BLOCKS_OF_ORIGINS(choice.blocks),
    CLI_OPT("series", "FILE", STRING, &series,
            "also write the time series (SERI) of S(t), the sum of beta over all pairs, to FILE; "
            "G is the autocorrelation function of S(t)"),
    CLI_SHARD("time origins"),
    CLI_OPT("components", NULL, FLAG, &choice.separate,
            "write one column per tensor component instead of the mean over the components",
            .was = "apart"),
#ifdef ENGINE_GPU
    CLI_DEVICE,
    CLI_DEVICES,
    CLI_OPT("accumulate", "TYPE", CHOICE, &choice.accumulate_f32,
            "number type of the sums: f64, or f32 for the sums over a few consecutive steps "
            "(default: f64)",
            .choices = precisions),
#endif
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("g4-" ENGINE),
    .summary =
        "Compute the correlation functions G, G2, G3 and G4 (CORR) from positions (POSN) or pair "
        "anisotropies (PAIR). The options from --component to --between require positions.",
    .examples =
        "  xyz2bin argon.xyz.gz | g4-" ENGINE " --tmax 6 --component all | bin2txt >cf.txt\n"
        "  xyz2bin argon.xyz.gz | beta-gen | g4-" ENGINE " --lags 48 | fft-spectrum | bin2txt\n",
    .engine = engine_name};

static int open_run(struct run_base *run, const void *c, struct analysis_input *in, struct err *e)
{
    if (g4_analysis.open(run, c, in, e) != 0)
        return -1;
    if (!choice.pairs.factors.weights.n && !choice.pairs.factors.pairs.n && !choice.pairs.function)
        cli_one_sigma(in->reader);
    return 0;
}

int main(int argc, char **argv)
{
    struct cli_common common;
    struct analysis g4 = g4_analysis;
    g4.open = open_run;
    cli_parse(&tool, argc, argv, &common);
    cli_warn_nm("--sigma", choice.pairs.sigma, 0.9);
    cli_warn_nm("--cutoff", choice.pairs.cutoff, 1.5);
    if (series && cli_shared.shard.n)
        cli_die(CLI_BAD, "--series cannot be combined with --shard: S(t) needs all steps, and a "
                         "part of a run has only some");
    const char *const files[] = {factors_list(&choice.pairs.factors), choice.pairs.function};
    for (int k = 0; k < 2; k++) {
        cli_keep_input(&common, files[k], common.output);
        if (series)
            cli_keep_input(&common, files[k], series);
    }
    choice.progress = cli_progress;
    return cli_reduce(&tool, &common, &g4, &choice, series);
}
