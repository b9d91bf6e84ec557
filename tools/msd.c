/* SPDX-License-Identifier: MIT */
/* msd-cpu: computes mean square displacements of an unwrapped trajectory. */
#include <math.h>

#include "base/engine.h"
#include "cli/cli_motion.h"
#include "msd/msd.h"

static struct motion_choice choice = {.tmax = NAN, .tracks.wrapped = true};
static bool unwrapped;
static const struct cli_opt opts[] = {
    CLI_MOTION(choice),
    CLI_OPT("alpha2", NULL, FLAG, &choice.fourth, "also write the non-Gaussian parameter alpha2"),
    CLI_OPT(
        "unwrapped", NULL, FLAG, &unwrapped,
        "continue if positions appear to be wrapped into the cell (default: stop with an error)"),
    {0}};

static const struct cli_tool tool = {CLI_REDUCE_TOOL("msd-" ENGINE),
                                     .summary =
                                         "Compute mean square displacements (CORR) from unwrapped "
                                         "positions (POSN). bin2txt prints t, origins and msd.",
                                     .examples = "  unwrap argon.mbf | msd-" ENGINE " | bin2txt\n"
                                                 "  unwrap --molecules 3 water.mbf | msd-" ENGINE
                                                 " --molecules 3 --tmax 20 -o w.msd\n",
                                     .engine = engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    cli_motion_check(&common, &choice);
    choice.tracks.wrapped = !unwrapped;
    if (choice.fourth && choice.method == MOTION_FFT)
        cli_die(CLI_BAD, "--alpha2: expected --method window, found fft: the rounding of large "
                         "displacements would hide the fourth powers of small ones");
    return cli_reduce(&tool, &common, &msd_analysis, &choice, NULL);
}
