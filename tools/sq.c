/* SPDX-License-Identifier: MIT */
/* sq-cpu, sq-gpu: compute the structure factor of a trajectory over wave vectors of its cell. */
#include "base/engine.h"
#include "cli/cli_waves.h"
#include "sq/sq_run.h"

static struct sq_choice choice = {.waves = {.qmax = 4.0, .qstep = 0.05, .max = 10000}};

static const char *const conventions[] = {"ashcroft-langreth", "faber-ziman", NULL};
static const struct cli_opt opts[] = {
    CLI_WAVES_SHELLS(choice.waves, "10000"),
    CLI_PAIR("also write the partial structure factor of species A and B, or, with --pair all, of "
             "every pair of species; may be repeated (default: write only the total S)"),
    CLI_WAVES_WEIGHTS("S(q)"),
    CLI_OPT("convention", "ashcroft-langreth|faber-ziman", CHOICE, &choice.faber_ziman,
            "definition of the partial structure factors: ashcroft-langreth or faber-ziman "
            "(default: ashcroft-langreth)",
            .choices = conventions),
    CLI_BLOCKS_OF_STEPS,
    CLI_SHARD("steps"),
#ifdef ENGINE_GPU
    CLI_OPT("device", "N", STRING, &cli_shared.devices,
            "number of the GPU to use, among the visible ones (default: 0)"),
#endif
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("sq-" ENGINE),
    .summary = "Compute the structure factor S(q) (CORR) from positions (POSN) by summing over "
               "wave vectors. bin2txt prints q, vectors and S.",
    .examples = "  xyz2bin argon.xyz.gz | sq-" ENGINE " --qmax 6 | bin2txt >sq.txt\n"
                "  sq-" ENGINE " --pair all --weights O=5.8,H=-3.74 water.mbf -o water.sq\n",
    .engine = engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    cli_unused(!cli_shared.npairs, "convention", "without --pair");
    cli_waves_take(&choice.waves);
    return cli_reduce(&tool, &common, &sq_analysis, &choice, NULL);
}
