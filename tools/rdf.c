/* SPDX-License-Identifier: MIT */
/* rdf-cpu, rdf-gpu: pair-distance histograms of a trajectory, g(r) with its errors. */
#include <math.h>
#include <string.h>

#include "cli/cli_reduce.h"
#include "rdf/rdf_run.h"

static struct rdf_choice choice = {.bins = 200, .rmax = "half", .thickness = NAN};

static int parse_rmax(const char *s, void *dst, struct err *e)
{
    double v;
    if (strcmp(s, "half") != 0 && strcmp(s, "corner") != 0 &&
        cli_parse_real(s, 1e-9, 1e9, &v, e) != 0)
        return -1;
    *(const char **)dst = s;
    return 0;
}

static const char *const algorithms[] = {"auto", "all-pairs", "cells", NULL};
static const char *const normalisations[] = {"exact", "lecture", NULL};
static const struct cli_opt opts[] = {
    CLI_OPT("bins", "N", UINT, &choice.bins, "number of bins (200)", .min = 1,
            .max = HIST_MAX_BINS),
    CLI_OPT("rmax", "ANGSTROM|half|corner", CUSTOM, &choice.rmax,
            "upper edge of the last bin: a length, half the smallest width of the cell, or its "
            "corner (half)",
            .parse = parse_rmax),
    CLI_OPT("thickness", "A", REAL, &choice.thickness,
            "of a slab, along the axis that is not periodic (the cell's if the atoms fill it, else "
            "that of the atoms)",
            .min = 1e-9, .max = 1e9),
    CLI_PAIR("count pairs of these two species; repeatable; all: every pair of species (all atoms "
             "together)"),
    CLI_EXCLUDE(cli_shared.exclude),
    CLI_BLOCKS_OF_STEPS,
    CLI_SHARD("steps"),
    CLI_OPT("normalisation", "WHICH", CHOICE, &choice.lecture,
            "exact: g is 1 for an ideal gas; lecture: mid-point shells and N/V (exact)",
            .choices = normalisations),
    CLI_OPT("algorithm", "WHICH", CHOICE, &choice.algorithm,
            "auto, all-pairs or cells; the counts are the same (auto)", .choices = algorithms),
#ifdef ENGINE_GPU
    CLI_DEVICE,
    CLI_DEVICES,
#endif
    {0}};

static const struct cli_tool tool = {
    .name = "rdf-" ENGINE,
    .operands = "[FILE...]",
    .opts = opts,
    .max_operands = -1,
    .writes_frames = true,
    .reads_steps = true,
    .summary =
        "positions (POSN) in, pair-distance histograms (HIST) out; bin2txt shows r, count, g, n",
    .examples = "  xyz2bin argon.xyz.gz | rdf-" ENGINE " --bins 500 | bin2txt >g.txt\n"
                "  rdf-" ENGINE " --pair O-O --pair O-H --exclude 3 water.mbf | bin2txt\n",
    .engine = rdf_engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    return cli_reduce(&tool, &common, &rdf_analysis, &choice, NULL);
}
