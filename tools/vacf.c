/* SPDX-License-Identifier: MIT */
/* vacf-cpu: computes velocity autocorrelation functions of a trajectory. */
#include <math.h>
#include <string.h>

#include "base/engine.h"
#include "cli/cli_motion.h"
#include "vacf/vacf.h"

static struct vacf_choice choice = {.motion.tmax = NAN};

/* Parses the word "mass", or a number for each species. */
static int parse_weights(const char *s, void *dst, struct err *e)
{
    struct vacf_choice *c = dst;
    c->motion.tracks.weigh = strcmp(s, "mass") == 0;
    c->weights.n = 0;
    return c->motion.tracks.weigh ? 0 : weights_parse(s, &c->weights, e);
}

static const struct cli_opt opts[] = {
    CLI_MOTION(choice.motion),
    CLI_OPT("vacf-weights", "mass|A=W,...", CUSTOM, &choice,
            "weight of each atom: the word mass, or one number per species (default: equal "
            "weights); with mass, the function at lag 0 is twice the kinetic energy, in meV",
            .parse = parse_weights, .was = "weights"),
    CLI_OPT("integral", NULL, FLAG, &choice.integral,
            "also write the running (Green-Kubo) integral of each function, with its error"),
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("vacf-" ENGINE),
    .summary = "Compute velocity autocorrelation functions (CORR) from velocities (VELO). "
               "fft-spectrum turns them into the density of states.",
    .examples = "  vacf-" ENGINE " --tmax 2 water.mbf | bin2txt\n"
                "  vacf-" ENGINE " --vacf-weights mass --tmax 2 w.mbf | fft-spectrum | bin2txt\n",
    .engine = engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    cli_motion_check(&common, &choice.motion);
    return cli_reduce(&tool, &common, &vacf_analysis, &choice, NULL);
}
