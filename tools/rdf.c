/* SPDX-License-Identifier: MIT */
/* rdf-cpu, rdf-gpu: pair-distance histograms of a trajectory, g(r) with its errors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cli.h"
#include "cli/cli_reduce.h"
#include "rdf/rdf_run.h"

static uint64_t bins = 200, blocks, device;
static const char *rmax = "half", *devices, *exclude, *pair[256];
static size_t npairs;
static int algorithm, normalisation;
static struct shard shard;
static struct cli_common common;

static int parse_rmax(const char *s, void *dst, struct err *e)
{
    double v;
    if (strcmp(s, "half") != 0 && strcmp(s, "corner") != 0 &&
        cli_parse_real(s, 1e-9, 1e9, &v, e) != 0)
        return -1;
    *(const char **)dst = s;
    return 0;
}

static int parse_pair(const char *s, void *dst, struct err *e)
{
    (void)dst;
    if (npairs == sizeof pair / sizeof *pair)
        return err_set(e, ERR_BAD, "at most %zu pairs", npairs);
    pair[npairs++] = s;
    return 0;
}

static const char *const algorithms[] = {"auto", "all-pairs", "cells", NULL};
static const char *const normalisations[] = {"exact", "lecture", NULL};
static const struct cli_opt opts[] = {
    {0, "bins", "N", CLI_UINT, &bins, 1, HIST_MAX_BINS, NULL, NULL, "number of bins (200)"},
    {0, "rmax", "ANGSTROM|half|corner", CLI_CUSTOM, &rmax, 0, 0, NULL, parse_rmax,
     "upper edge of the last bin: a length, half the smallest width of the cell, or its corner "
     "(half)"},
    {0, "pair", "A-B", CLI_CUSTOM, NULL, 0, 0, NULL, parse_pair,
     "count pairs of these two species; repeatable; all: every pair of species (all atoms "
     "together)"},
    {0, "exclude", "M|FILE", CLI_STRING, &exclude, 0, 0, NULL, NULL,
     "leave out pairs within a molecule: M atoms that follow one another, or the atoms (from 0) of "
     "each line of FILE (none)"},
    {0, "blocks", "B", CLI_UINT, &blocks, 0, 65536, NULL, NULL,
     "errors from so many blocks of steps; 1: none (up to 128, and what they remember)"},
    {0, "shard", "K/N", CLI_CUSTOM, &shard, 0, 0, NULL, shard_parse,
     "the K-th of N shares of a file's steps; frame-merge makes the whole of all N (all)"},
    {0, "normalisation", "WHICH", CLI_CHOICE, &normalisation, 0, 0, normalisations, NULL,
     "exact: g is 1 for an ideal gas; lecture: mid-point shells and N/V (exact)"},
    {0, "algorithm", "WHICH", CLI_CHOICE, &algorithm, 0, 0, algorithms, NULL,
     "auto, all-pairs or cells; the counts are the same (auto)"},
#ifdef ENGINE_GPU
    {0, "device", "N", CLI_UINT, &device, 0, 63, NULL, NULL, "which of the visible GPUs (0)"},
    {0, "devices", "LIST", CLI_STRING, &devices, 0, 0, NULL, NULL,
     "several GPUs: all, or a list such as 0,2"},
#endif
    {0}};

static const char *build_facts(void)
{
    static char text[128];
    snprintf(text, sizeof text, "engine: %s", rdf_engine_name());
    return text;
}

static const struct cli_tool tool = {
    .name = "rdf-" ENGINE,
    .operands = "[FILE...]",
    .opts = opts,
    .max_operands = -1,
    .writes_frames = true,
    .summary =
        "positions (POSN) in, pair-distance histograms (HIST) out; bin2txt shows r, count, g, n",
    .examples = "  xyz2bin argon.xyz.gz | rdf-" ENGINE " --bins 500 | bin2txt >g.txt\n"
                "  rdf-" ENGINE " --pair O-O --pair O-H --exclude 3 water.mbf | bin2txt\n",
    .build_facts = build_facts};

static void *begin(struct cli_result *r, struct err *e)
{
    struct box box;
    double edge;
    if (shard_open(&shard, r->in, e) != 0)
        return NULL;
    if (traj_first_box(r->traj, &box) != 0) {
        *e = *traj_error(r->traj);
        return NULL;
    }
    struct rdf_choice choice = {.rmax = rmax,
                                .names = pair,
                                .nnames = npairs,
                                .exclude = exclude,
                                .blocks = blocks,
                                .shard = shard,
                                .lecture = normalisation};
    choice.engine = (struct rdf_params){.bins = bins,
                                        .algorithm = (enum rdf_algorithm)algorithm,
                                        .threads = common.threads,
                                        .max_mem = common.max_mem,
                                        .devices = devices};
    struct rdf_run *run = rdf_run_open(&choice, traj_info(r->traj), frame_meta(r->in), &box, e);
    if (!run)
        return NULL;
    if (decimal_get_f64(rmax, strlen(rmax), DECIMAL_OURS, &edge) == 0)
        cli_warn_nm("--rmax", edge, fmin(2.5, box_half_width(&box) / 4));
    if (rdf_run_note(run))
        cli_warn("%s: %s", frame_name(r->in), rdf_run_note(run));
    if (shard.n) {
        r->first = rdf_run_share(run)->first;
        r->last = rdf_run_share(run)->last;
    }
    return run;
}

static int add(void *run, const struct traj_block *b, bool fresh, struct err *e)
{
    (void)fresh;
    return rdf_run_add(run, b) == 0 ? 0 : (*e = *rdf_run_error(run), -1);
}

static int finish(void *run, struct meta *m, struct err *e)
{
    return rdf_run_finish(run, m) == 0 ? 0 : (*e = *rdf_run_error(run), -1);
}

static int put(void *run, struct frame_writer *w, struct err *e)
{
    return rdf_run_put(run, w) == 0 ? 0 : (*e = *frame_writer_error(w), -1);
}

static const char *say(void *run, const struct cli_result *r)
{
    if (rdf_run_drift(run))
        cli_warn("%s: %s", frame_name(r->in), rdf_run_drift(run));
    cli_note("%s, %.3g pairs", rdf_engine_name(), (double)rdf_run_pairs(run));
    return NULL;
}

static void end(void *run)
{
    rdf_run_close(run);
}

int main(int argc, char **argv)
{
    char one[24];
    struct err e;
    cli_parse(&tool, argc, argv, &common);
    if (!devices && device)
        snprintf(one, sizeof one, "%d", (int)device), devices = one;
    if (rdf_probe(devices, &e) != 0)
        cli_die(e.status, "%s", e.text);
    if (exclude) {
        struct cli_common list = common;
        list.operands = (char *[]){(char *)exclude};
        list.noperands = 1;
        cli_keep_inputs(&list, common.output);
    }
    const struct cli_reducer how = {FRAME_POSN, NULL, begin, add, finish, put, say, end};
    return cli_reduce(&tool, &common, &how);
}
