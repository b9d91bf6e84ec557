/* SPDX-License-Identifier: MIT */
/* rotacf-cpu: computes correlation functions of the axes of molecules. */
#include <math.h>

#include "base/engine.h"
#include "cli/cli_motion.h"
#include "rotacf/rotacf.h"

static struct motion_choice choice = {.tmax = NAN};

static const struct cli_opt opts[] = {
    CLI_OPT(
        "axis", "A-B|A-B-C|dipole", STRING, &choice.tracks.axis,
        "axis of each molecule: A-B for the bond between the atoms named A and B, A-B-C for the "
        "normal to the plane through three atoms, or dipole for the dipole moment of the charges"),
    CLI_OPT("molecules", "M|FILE", STRING, &choice.tracks.molecules,
            "definition of the molecules: M if each molecule consists of M consecutive atoms, or a "
            "FILE in which each line lists the atom numbers of one molecule, counted from 0"),
    CLI_OPT("lags", "N", UINT, &choice.lags, "compute the time lags 0 to N-1 (default: all)",
            .min = 1, .max = 1e12),
    CLI_TMAX(choice.tmax),
    CLI_OPT("method", "auto|fft|window", CHOICE, &choice.method,
            "method of computing the functions: fft keeps all steps in memory, window keeps only "
            "one step per lag, and auto chooses window for fewer than 64 lags and otherwise fft "
            "(default: auto)",
            .choices = motion_methods),
    CLI_OPT("integral", NULL, FLAG, &choice.integral,
            "also write the running integral of each function over time, with its error"),
    CLI_BLOCKS_OF_ORIGINS(cli_shared.blocks),
    CLI_SHARD("time origins"),
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("rotacf-" ENGINE),
    .summary = "Compute the reorientation functions C_1, C_2, M_1 and M_2 (CORR) of molecules "
               "from positions (POSN).",
    .examples = "  rotacf-" ENGINE " --axis O-H --molecules 3 --tmax 10 water.mbf | bin2txt\n"
                "  rotacf-" ENGINE " --axis H-O-H --molecules 3 --tmax 10 water.mbf | bin2txt\n",
    .engine = engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    if (!choice.tracks.axis || !choice.tracks.molecules)
        cli_die(CLI_BAD, "expected --axis and --molecules, found no %s",
                choice.tracks.axis ? "--molecules" : "--axis");
    cli_motion_check(&common, &choice);
    return cli_reduce(&tool, &common, &rotacf_analysis, &choice, NULL);
}
