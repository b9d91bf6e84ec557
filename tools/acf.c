/* SPDX-License-Identifier: MIT */
/* acf: computes correlation functions of time series. */
#include <math.h>

#include "acf/acf.h"
#include "cli/cli_reduce.h"

static struct acf_choice choice = {.scale = NAN, .tmax = NAN, .response = NAN};
static const struct cli_opt opts[] = {
    CLI_OPT("lags", "N", UINT, &choice.lags, "compute the time lags 0 to N-1 (default: all)",
            .min = 1, .max = 1e12),
    CLI_TMAX(choice.tmax),
    CLI_OPT("pairs", "A-B,C", STRING, &choice.pairs,
            "pairs of columns to correlate: A-B correlates column A with column B at a later time, "
            "and C correlates column C with itself (default: correlate each column with itself)"),
    CLI_OPT("average", "NAME", STRING, &choice.average,
            "write only the mean over all pairs of columns, and call this function NAME (default: "
            "write one function per pair)"),
    CLI_OPT("invariant", "INVARIANT", STRING, &choice.invariant,
            "correlate invariants of the tensor in the columns xx to zz: vh, aniso, iso or vv, "
            "several separated by commas; for forms such as vh:PART, see acf(1) (default: "
            "correlate the columns)"),
    CLI_OPT("mean", "keep|subtract", CHOICE, &choice.subtract,
            "keep or subtract the mean of each column (default: keep)", .choices = acf_means),
    CLI_OPT("modulo", "Q|Q,Q,...", STRING, &choice.modulo,
            "remove jumps by multiples of Q, such as the polarization quantum; give one number for "
            "all columns, or one per column of the input, in the unit of the columns"),
    CLI_OPT("derivative", NULL, FLAG, &choice.derivative,
            "correlate the time derivatives of the columns instead of the columns themselves; a "
            "derivative is the difference of successive values divided by the time step"),
    CLI_OPT("scale", "X", REAL, &choice.scale, "multiply the functions by X (default: 1)",
            .min = -1e300, .max = 1e300),
    CLI_OPT("unit", "TEXT", STRING, &choice.unit,
            "unit of the result (default: square of the unit of the input)"),
    CLI_OPT("integral", NULL, FLAG, &choice.integral,
            "also write the running (Green-Kubo) integral of each function, with its error"),
    CLI_OPT("response", "K", REAL, &choice.response,
            "also write the response function -(1/kT) dC/dt of each correlation function C at "
            "temperature K, for example for the optical Kerr effect",
            .min = 1e-6, .max = 1e9),
    CLI_BLOCKS_OF_ORIGINS(cli_shared.blocks),
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("acf"),
    .summary = "Compute the correlation functions (CORR) of time series (SERI).",
    .examples = "  txt2bin thermo.txt --columns pxy,pxz,pyz | acf --tmax 5 --integral | bin2txt\n"
                "  g4-cpu --series s.mbf argon.mbf -o g.mbf\n"
                "  acf --lags 48 s.mbf | fft-spectrum | "
                "bin2txt\n"};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    if (choice.lags && !isnan(choice.tmax))
        cli_die(CLI_BAD, "expected --lags or --tmax, found both");
    if (choice.invariant && (choice.pairs || choice.average))
        cli_die(CLI_BAD, "expected --invariant or %s, found both",
                choice.pairs ? "--pairs" : "--average");
    cli_unused(choice.invariant != NULL, "modulo", "with --invariant");
    return cli_reduce(&tool, &common, &acf_analysis, &choice, NULL);
}
