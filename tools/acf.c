/* SPDX-License-Identifier: MIT */
/* acf: correlation functions of time series. */
#include <math.h>

#include "acf/acf.h"
#include "cli/cli_reduce.h"

static struct acf_choice choice = {.tmax = NAN};
static const struct cli_opt opts[] = {
    {.name = "lags",
     .arg = "N",
     .kind = CLI_UINT,
     .dst = &choice.lags,
     .min = 1,
     .max = 1e12,
     .help = "lags 0 to N-1 (all)"},
    CLI_TMAX(choice.tmax),
    {.name = "pairs",
     .arg = "A-B,C",
     .kind = CLI_STRING,
     .dst = &choice.pairs,
     .help = "columns to correlate, A now with B later (each with itself)"},
    {.name = "average",
     .arg = "NAME",
     .kind = CLI_STRING,
     .dst = &choice.average,
     .help = "one function of this name, the mean over the pairs (a function a pair)"},
    {.name = "mean",
     .arg = "WHAT",
     .kind = CLI_CHOICE,
     .dst = &choice.subtract,
     .choices = acf_means,
     .help = "keep, or subtract the mean of each column (keep)"},
    {.name = "integral",
     .kind = CLI_FLAG,
     .dst = &choice.integral,
     .help = "the running integral of each function too, with its error (Green-Kubo)"},
    CLI_BLOCKS_OF_ORIGINS(cli_shared.blocks),
    {0}};

static const struct cli_tool tool = {
    .name = "acf",
    .operands = "[FILE...]",
    .opts = opts,
    .max_operands = -1,
    .writes_frames = true,
    .reads_steps = true,
    .summary = "time series (SERI) in, correlation functions (CORR) out",
    .examples = "  txt2bin thermo.txt --columns pxy,pxz,pyz | acf --tmax 5 --integral | bin2txt\n"
                "  g4-cpu --series s.mbf argon.mbf -o g.mbf\n"
                "  acf --lags 48 s.mbf | fft-spectrum | "
                "bin2txt\n"};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    if (choice.lags && !isnan(choice.tmax))
        cli_die(CLI_BAD, "--lags or --tmax, not both");
    return cli_reduce(&tool, &common, &acf_analysis, &choice, NULL);
}
