/* SPDX-License-Identifier: MIT */
/* fqt-cpu, fqt-gpu: correlate densities and currents of a trajectory in time, by wave vector. */
#include <math.h>
#include <stdio.h>

#include "base/engine.h"
#include "cli/cli_waves.h"
#include "fqt/fqt_run.h"

static struct fqt_choice choice = {
    .waves = {.qmax = 4.0, .qstep = 0.05, .max = 1000}, .tmax = NAN, .self_vectors = 8};

/* Parses three integers such as "1,0,0". */
static int parse_direction(const char *s, void *dst, struct err *e)
{
    int32_t *d = choice.direction;
    char end;
    (void)dst;
    choice.line = true;
    if (sscanf(s, "%5d,%5d,%5d%c", &d[0], &d[1], &d[2], &end) != 3 || !(d[0] || d[1] || d[2]))
        return err_bad(e, "expected three whole numbers h,k,l, not all 0, found '%.60s'", s);
    return 0;
}

static const struct cli_opt opts[] = {
    CLI_WAVES_SHELLS(choice.waves, "1000"),
    CLI_OPT("direction", "H,K,L", CUSTOM, NULL,
            "use only the wave vectors along the direction H,K,L of the reciprocal lattice, and "
            "write one row per wave vector (default: average over shells of wave vectors)",
            .parse = parse_direction),
    CLI_OPT("lags", "N", UINT, &choice.lags,
            "compute only the time lags 0 to N-1, which needs less memory (default: all lags)",
            .min = 1, .max = 1e9),
    CLI_TMAX(choice.tmax),
    CLI_OPT("self", NULL, FLAG, &choice.self, "also write F_s, the self part of F(q,t)"),
    CLI_OPT("self-vectors", "N", UINT, &choice.self_vectors,
            "maximum number of wave vectors per shell for F_s (default: 8)", .min = 1, .max = 1e8),
    CLI_OPT("currents", NULL, FLAG, &choice.currents,
            "also write the longitudinal and transverse current correlations C_L and C_T; the "
            "input must contain velocities"),
    CLI_PAIR("also write the partial functions of species A and B, or, with --pair all, of every "
             "pair of species; may be repeated (default: write only the total function F)"),
    CLI_WAVES_WEIGHTS("F(q,t)"),
    CLI_BLOCKS_OF_ORIGINS(cli_shared.blocks),
    CLI_SHARD("time origins"),
#ifdef ENGINE_GPU
    CLI_DEVICES,
    CLI_DEVICE,
#endif
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("fqt-" ENGINE),
    .summary = "Compute F(q,t), F_s, C_L and C_T (CORR) from positions and velocities (POSN, "
               "VELO). fft-spectrum turns them into S(q,omega).",
    .examples =
        "  fqt-" ENGINE " --tmax 5 --self argon.mbf | fft-spectrum --unit rad/ps | bin2txt\n"
        "  fqt-" ENGINE " --direction 1,0,0 --currents --lags 512 crystal.mbf -o c.mbf\n",
    .engine = engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    struct analysis analysis = fqt_analysis;
    cli_parse(&tool, argc, argv, &common);
    cli_unused(!choice.self, "self-vectors", "without --self");
    cli_unused(choice.line, "qstep", "with --direction");
    cli_unused(choice.line, "vectors", "with --direction");
    cli_waves_take(&choice.waves);
    if (choice.lags && !isnan(choice.tmax))
        cli_die(CLI_BAD, "expected --lags or --tmax, found both");
    if (choice.currents)
        analysis.want |= ANALYSIS_VELOCITIES;
    return cli_reduce(&tool, &common, &analysis, &choice, NULL);
}
