/* SPDX-License-Identifier: MIT */
/* fqt-cpu, fqt-gpu: densities and currents of a trajectory, correlated in time, by wave vector. */
#include <math.h>
#include <stdio.h>

#include "cli/cli_waves.h"
#include "fqt/fqt_run.h"

static struct fqt_choice choice = {
    .waves = {.qmax = 4.0, .qstep = 0.05, .most = 1000}, .tmax = NAN, .self_vectors = 8};

/* "1,0,0" */
static int parse_direction(const char *s, void *dst, struct err *e)
{
    int32_t *d = choice.direction;
    char end;
    (void)dst;
    choice.line = true;
    if (sscanf(s, "%5d,%5d,%5d%c", &d[0], &d[1], &d[2], &end) != 3 || !(d[0] || d[1] || d[2]))
        return err_set(e, ERR_BAD, "three whole numbers h,k,l expected, not all 0, found '%.60s'",
                       s);
    return 0;
}

static const struct cli_opt opts[] = {
    CLI_WAVES_SHELLS(choice.waves, "1000"),
    CLI_OPT("direction", "H,K,L", CUSTOM, NULL,
            "waves along this direction of the cell alone, each a row of its own (shells)",
            .parse = parse_direction),
    CLI_OPT("lags", "N", UINT, &choice.lags,
            "lags 0 to N-1, steps that come and go (all, and all "
            "steps are held)",
            .min = 1, .max = 1e9),
    CLI_TMAX(choice.tmax),
    CLI_OPT("self", NULL, FLAG, &choice.self, "F_s of single atoms, too"),
    CLI_OPT("self-vectors", "N", UINT, &choice.self_vectors,
            "wave vectors of each shell in F_s, at most (8)", .min = 1, .max = 1e8),
    CLI_OPT("currents", NULL, FLAG, &choice.currents,
            "C_L and C_T of the currents, too, of an input with velocities"),
    CLI_PAIR("the partial functions of these two species, too; repeatable; all: every pair of "
             "species (F)"),
    CLI_WAVES_WEIGHTS("F"),
    CLI_BLOCKS_OF_ORIGINS(cli_shared.blocks),
    CLI_SHARD("origins"),
#ifdef ENGINE_GPU
    CLI_DEVICES,
    CLI_DEVICE,
#endif
    {0}};

static const struct cli_tool tool = {
    .name = "fqt-" ENGINE,
    .operands = "[FILE...]",
    .opts = opts,
    .max_operands = -1,
    .writes_frames = true,
    .reads_steps = true,
    .summary = "positions and velocities (POSN, VELO) in, F(q,t), F_s, C_L, C_T (CORR) out; "
               "fft-spectrum makes S(q,omega) of them",
    .examples =
        "  fqt-" ENGINE " --tmax 5 --self argon.mbf | fft-spectrum --unit rad/ps | bin2txt\n"
        "  fqt-" ENGINE " --direction 1,0,0 --currents --lags 512 crystal.mbf -o c.mbf\n",
    .engine = fqt_engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    struct analysis analysis = fqt_analysis;
    cli_parse(&tool, argc, argv, &common);
    cli_unused(!choice.self, "self-vectors", "--self");
    cli_unused(choice.line, "qstep", "shells instead of --direction");
    cli_unused(choice.line, "vectors", "shells instead of --direction");
    cli_waves_take(&choice.waves);
    if (choice.lags && !isnan(choice.tmax))
        cli_die(CLI_BAD, "--lags or --tmax, not both");
    if (choice.currents)
        analysis.want |= ANALYSIS_VELOCITIES;
    return cli_reduce(&tool, &common, &analysis, &choice, NULL);
}
