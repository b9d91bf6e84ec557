/* SPDX-License-Identifier: MIT */
/* g4-cpu, g4-gpu: two-, three- and four-body correlation functions of the pair anisotropy. */
#include <math.h>

#include "cli/cli_reduce.h"
#include "g4/g4_run.h"

static struct g4_choice choice = {.pairs = PAIRS_CHOICE_NONE, .tmax = NAN, .method = -1};
static const char *series;

static const char *const methods[] = {"factored", "fft", "direct", NULL};
#ifdef ENGINE_GPU
static const char *const precisions[] = {"f64", "f32", NULL};
#endif

static const struct cli_opt opts[] = {
    {.name = "component",
     .arg = "NAME",
     .kind = CLI_CHOICE,
     .dst = &choice.pairs.component,
     .choices = pairs_component_names,
     .help = "tensor component, or all five (xz); this and the next nine are for positions"},
    {.name = "sigma",
     .arg = "ANGSTROM",
     .kind = CLI_REAL,
     .dst = &choice.pairs.sigma,
     .min = 1e-6,
     .max = 1e6,
     .help = "length in beta (as the input says)"},
    {.name = "cutoff",
     .arg = "ANGSTROM",
     .kind = CLI_REAL,
     .dst = &choice.pairs.cutoff,
     .min = 1e-6,
     .max = 1e9,
     .help = "beta is 0 beyond it, by --sum mic (none)"},
    {.name = "sum",
     .arg = "WHICH",
     .kind = CLI_STRING,
     .dst = &choice.pairs.sum,
     .help = "images that count: mic, the nearest; taper[:R1,R2], the nearest, smoothly to 0 (Å; "
             "0.7 and 1 "
             "of half the smallest width); ewald[:pairs|:R1,R2[,ERROR]], all, by pairs or a mesh "
             "(ewald, "
             "taper in cells that are not periodic along all three axes; mic with --cutoff)"},
    {.name = "prefactor",
     .arg = "X",
     .kind = CLI_REAL,
     .dst = &choice.pairs.prefactor,
     .min = -1e6,
     .max = 1e6,
     .help = "factor of sigma^3 x z / r^5; 1 reproduces the published program (3)"},
    CLI_FACTORS(choice.pairs.factors),
    {.name = "lags",
     .arg = "N",
     .kind = CLI_UINT,
     .dst = &choice.lags,
     .min = 1,
     .max = 1e12,
     .help = "lags 0 to N-1 (all, by fft)"},
    {.name = "tmax",
     .arg = "PS",
     .kind = CLI_REAL,
     .dst = &choice.tmax,
     .max = 1e12,
     .help = "lags up to this time, instead of --lags"},
    {.name = "method",
     .arg = "WHICH",
     .kind = CLI_CHOICE,
     .dst = &choice.method,
     .choices = methods,
     .help =
         "factored, fft (both exact) or direct, the N^4 enumeration (factored below 192 lags, else "
         "fft)"},
    {.name = "origins",
     .arg = "K",
     .kind = CLI_UINT,
     .dst = &choice.origins,
     .min = 1,
     .max = 1e15,
     .help = "the first K time origins for every lag (all there are)"},
    {.name = "blocks",
     .arg = "B",
     .kind = CLI_UINT,
     .dst = &choice.blocks,
     .min = 1,
     .max = 1e6,
     .help = "errors from so many blocks of origins; 1: none (up to 128, and what they remember)"},
    {.name = "series",
     .arg = "FILE",
     .kind = CLI_STRING,
     .dst = &series,
     .help = "write the sum S(t) over all pairs too (SERI): acf of it is G"},
    CLI_SHARD("origins"),
    {.name = "apart",
     .kind = CLI_FLAG,
     .dst = &choice.apart,
     .help = "columns for each component instead of their mean"},
#ifdef ENGINE_GPU
    CLI_DEVICE,
    CLI_DEVICES,
    {.name = "accumulate",
     .arg = "TYPE",
     .kind = CLI_CHOICE,
     .dst = &choice.accumulate_f32,
     .choices = precisions,
     .help = "f64, or f32 sums over short runs of steps (f64)"},
#endif
    {0}};

static const struct cli_tool tool = {.name = "g4-" ENGINE,
                                     .operands = "[FILE...]",
                                     .opts = opts,
                                     .max_operands = -1,
                                     .writes_frames = true,
                                     .reads_steps = true,
                                     .summary = "positions (POSN) or pair anisotropies (PAIR) in, "
                                                "correlation functions G, G2, G3, G4 (CORR) out",
                                     .examples = "  xyz2bin argon.xyz.gz | g4-" ENGINE
                                                 " --tmax 6 --component all | bin2txt >cf.txt\n"
                                                 "  xyz2bin argon.xyz.gz | beta-gen | g4-" ENGINE
                                                 " --lags 48 | fft-spectrum | bin2txt\n",
                                     .engine = g4_engine_name};

static void *open_run(const struct analysis_options *o, const void *c, struct analysis_input *in,
                      struct err *e)
{
    void *run = g4_analysis.open(o, c, in, e);
    if (run && !choice.pairs.factors.weights.n && !choice.pairs.factors.pairs.n)
        cli_one_sigma(in->reader);
    return run;
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
        cli_die(CLI_BAD, "--series and --shard: S(t) is of all steps, of which a share has some");
    cli_keep_input(&common, factors_list(&choice.pairs.factors), common.output);
    if (series)
        cli_keep_input(&common, factors_list(&choice.pairs.factors), series);
    choice.progress = cli_progress;
    return cli_reduce(&tool, &common, &g4, &choice, series);
}
