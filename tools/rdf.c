/* SPDX-License-Identifier: MIT */
/* rdf-cpu, rdf-gpu: compute pair-distance histograms of a trajectory, for g(r) and its errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/engine.h"
#include "cli/cli_reduce.h"
#include "cli/cli_traj.h"
#include "rdf/rdf_run.h"

static struct rdf_choice choice = {.bins = 200, .rmax = "half", .thickness = NAN};
static uint64_t lags[RDF_LAGS_MAX];

static int parse_rmax(const char *s, void *dst, struct err *e)
{
    double v;
    if (strcmp(s, "half") != 0 && strcmp(s, "corner") != 0 &&
        cli_parse_real(s, 1e-9, 1e9, &v, e) != 0)
        return -1;
    *(const char **)dst = s;
    return 0;
}

/* Parses "LAG,...", where each LAG is a number of steps or a range A:B:C. */
static int parse_lags(const char *s, void *dst, struct err *e)
{
    uint64_t first, stop, step;
    choice.lag = lags;
    (void)dst;
    for (size_t n; *s; s += n + (s[n] == ',')) {
        char word[64];
        n = strcspn(s, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        if (cli_parse_slice(word, &first, &stop, &step, e) != 0)
            return -1;
        for (; first < stop; lags[choice.nlags++] = first, first += step)
            if (choice.nlags == RDF_LAGS_MAX || first > 1000000000 ||
                (choice.nlags && first <= lags[choice.nlags - 1]))
                return err_bad(e,
                               "expected at most %d lags in ascending order up to 1e9, found %llu",
                               RDF_LAGS_MAX, (unsigned long long)first);
    }
    return choice.nlags ? 0 : err_bad(e, "expected at least one lag, found none");
}

static const char *const algorithms[] = {"auto", "all-pairs", "cells", NULL};
static const char *const normalisations[] = {"exact", "lecture", NULL};
static const struct cli_opt opts[] = {
    CLI_OPT("bins", "N", UINT, &choice.bins, "number of bins (default: 200)", .min = 1,
            .max = HIST_MAX_BINS),
    CLI_OPT("rmax", "ANGSTROM|half|corner", CUSTOM, &choice.rmax,
            "largest distance, which is the upper edge of the last bin; half means half of the "
            "smallest cell width, and corner means the largest minimum-image distance in a "
            "rectangular cell (default: half)",
            .parse = parse_rmax),
    CLI_OPT("thickness", "A", REAL, &choice.thickness,
            "thickness of a slab along its non-periodic axis (default: the width of the cell if "
            "the atoms fill it, otherwise the width of the layer of atoms)",
            .min = 1e-9, .max = 1e9),
    CLI_OPT("axes", "XY", CHOICE, &choice.axes,
            "compute a two-dimensional g(r) after projecting the positions onto this plane: xy, xz "
            "or yz (default: xyz, no projection)",
            .choices = rdf_axes),
    CLI_PAIR("count only pairs of species A and B, or, with --pair all, of every pair of species "
             "separately; may be repeated (default: count all pairs of atoms together)"),
    CLI_EXCLUDE(cli_shared.exclude),
    CLI_OPT("lag", "LIST", CUSTOM, NULL,
            "compute van Hove functions instead of g(r); LIST gives their time lags in steps, for "
            "example 0,10,100 or 0:40",
            .parse = parse_lags),
    CLI_OPT("unwrapped", NULL, FLAG, &choice.unwrapped,
            "with --lag, continue if positions appear to be wrapped into the cell (default: stop "
            "with an error)"),
    CLI_BLOCKS_OF_STEPS,
    CLI_SHARD("steps"),
    CLI_OPT("normalisation", "exact|lecture", CHOICE, &choice.lecture,
            "how g(r) is normalised: exact gives 1 for an ideal gas, and lecture divides by the "
            "density N/V and by the shell volume 4 pi r^2 dr at the centre of each bin (default: "
            "exact)",
            .choices = normalisations),
    CLI_OPT("algorithm", "auto|all-pairs|cells", CHOICE, &choice.algorithm,
            "method for finding pairs: auto, all-pairs or cells; every method gives the same "
            "counts (default: auto)",
            .choices = algorithms),
#ifdef ENGINE_GPU
    CLI_DEVICE,
    CLI_DEVICES,
#endif
    {0}};

static const struct cli_tool tool = {
    CLI_REDUCE_TOOL("rdf-" ENGINE),
    .summary = "Compute histograms of pair distances (HIST) from positions (POSN). bin2txt prints "
               "r, count, g and n.",
    .examples = "  xyz2bin argon.xyz.gz | rdf-" ENGINE " --bins 500 | bin2txt >g.txt\n"
                "  rdf-" ENGINE " --pair O-O --pair O-H --exclude 3 water.mbf | bin2txt\n",
    .engine = engine_name};

int main(int argc, char **argv)
{
    struct cli_common common;
    cli_parse(&tool, argc, argv, &common);
    cli_unused(choice.axes, "thickness", "with --axes");
    cli_unused(!choice.nlags, "unwrapped", "without --lag");
    return cli_reduce(&tool, &common, &rdf_analysis, &choice, NULL);
}
