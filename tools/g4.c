/* SPDX-License-Identifier: MIT */
/* g4-cpu, g4-gpu: two-, three- and four-body correlation functions of the pair anisotropy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_reduce.h"
#include "g4/g4_run.h"

static struct cli_common common;
static struct g4_choice choice = {.pairs = PAIRS_CHOICE_NONE, .tmax = NAN, .method = -1};
static bool apart;
static const char *series;

static const char *const methods[] = {"factored", "fft", "direct", NULL};
#ifdef ENGINE_GPU
static uint64_t device;
static int accumulate;
static const char *const precisions[] = {"f64", "f32", NULL};
#endif

static const struct cli_opt opts[] = {
    {0, "component", "NAME", CLI_CHOICE, &choice.pairs.component, 0, 0, pairs_component_names, NULL,
     "tensor component, or all five (xz); this and the next four are for positions"},
    {0, "sigma", "ANGSTROM", CLI_REAL, &choice.pairs.sigma, 1e-6, 1e6, NULL, NULL,
     "length in beta (as the input says)"},
    {0, "cutoff", "ANGSTROM", CLI_REAL, &choice.pairs.cutoff, 1e-6, 1e9, NULL, NULL,
     "beta is 0 beyond it, by --sum mic (none)"},
    {0, "sum", "WHICH", CLI_STRING, &choice.pairs.sum, 0, 0, NULL, NULL,
     "images that count: mic, the nearest; taper[:R1,R2], the nearest, smoothly to 0 (Å; 0.7 and 1 "
     "of half the smallest width); ewald[:pairs|:R1,R2[,ERROR]], all, by pairs or a mesh (ewald, "
     "taper in cells that are not periodic along all three axes; mic with --cutoff)"},
    {0, "prefactor", "X", CLI_REAL, &choice.pairs.prefactor, -1e6, 1e6, NULL, NULL,
     "factor of sigma^3 x z / r^5; 1 reproduces the published program (3)"},
    {0, "lags", "N", CLI_UINT, &choice.lags, 1, 1e12, NULL, NULL, "lags 0 to N-1 (all, by fft)"},
    {0, "tmax", "PS", CLI_REAL, &choice.tmax, 0, 1e12, NULL, NULL,
     "lags up to this time, instead of --lags"},
    {0, "method", "WHICH", CLI_CHOICE, &choice.method, 0, 0, methods, NULL,
     "factored, fft (both exact) or direct, the N^4 enumeration (factored below 192 lags, else "
     "fft)"},
    {0, "origins", "K", CLI_UINT, &choice.origins, 1, 1e15, NULL, NULL,
     "the first K time origins for every lag (all there are)"},
    {0, "blocks", "B", CLI_UINT, &choice.blocks, 1, 1e6, NULL, NULL,
     "errors from so many blocks of origins; 1: none (up to 128, and what they remember)"},
    {0, "series", "FILE", CLI_STRING, &series, 0, 0, NULL, NULL,
     "write the sum S(t) over all pairs too (SERI): acf of it is G"},
    {0, "shard", "K/N", CLI_CUSTOM, &choice.shard, 0, 0, NULL, shard_parse,
     "the K-th of N shares of a file's origins; frame-merge makes the whole of all N (all)"},
    {0, "apart", NULL, CLI_FLAG, &apart, 0, 0, NULL, NULL,
     "columns for each component instead of their mean"},
#ifdef ENGINE_GPU
    {0, "device", "N", CLI_UINT, &device, 0, 63, NULL, NULL, "which of the visible GPUs (0)"},
    {0, "devices", "LIST", CLI_STRING, &choice.devices, 0, 0, NULL, NULL,
     "several GPUs: all, or a list such as 0,2"},
    {0, "accumulate", "TYPE", CLI_CHOICE, &accumulate, 0, 0, precisions, NULL,
     "f64, or f32 sums over short runs of steps (f64)"},
#endif
    {0}};

static const char *build_facts(void)
{
    static char text[128];
    snprintf(text, sizeof text, "engine: %s", g4_engine_name());
    return text;
}

static const struct cli_tool tool = {.name = "g4-" ENGINE,
                                     .operands = "[FILE...]",
                                     .opts = opts,
                                     .max_operands = -1,
                                     .writes_frames = true,
                                     .summary = "positions (POSN) or pair anisotropies (PAIR) in, "
                                                "correlation functions G, G2, G3, G4 (CORR) out",
                                     .examples = "  xyz2bin argon.xyz.gz | g4-" ENGINE
                                                 " --tmax 6 --component all | bin2txt >cf.txt\n"
                                                 "  xyz2bin argon.xyz.gz | beta-gen | g4-" ENGINE
                                                 " --lags 48 | fft-spectrum | bin2txt\n",
                                     .build_facts = build_facts};

static void options(int argc, char **argv)
{
    cli_parse(&tool, argc, argv, &common);
    cli_warn_nm("--sigma", choice.pairs.sigma, 0.9);
    cli_warn_nm("--cutoff", choice.pairs.cutoff, 1.5);
    if (series && choice.shard.n)
        cli_die(CLI_BAD, "--series and --shard: S(t) is of all steps, of which a share has some");
    choice.apart = apart;
    choice.threads = common.threads;
    choice.progress = cli_progress;
    choice.max_mem = common.max_mem;
#ifdef ENGINE_GPU
    static char one[8];
    snprintf(one, sizeof one, "%d", (int)device);
    choice.devices = choice.devices ? choice.devices : one;
    choice.accumulate_f32 = accumulate == 1;
#endif
}

/* S(t), begun beside r's run. 0, or -1 with e. */
static int open_series(struct g4_run *run, struct cli_result *r, struct err *e)
{
    struct cli_common c = common;
    c.output = r->also;
    r->second = cli_create(&c);
    struct meta *m = meta_derive(frame_meta(r->in), tool.name, CLI_VERSION, common.args);
    int rc = m ? g4_run_series(run, r->traj, r->second, m, e) : err_memory(e, "META");
    meta_free(m);
    return rc;
}

static void *begin(struct cli_result *r, struct err *e)
{
    struct g4_run *run = shard_open(&choice.shard, r->in, e) == 0
                             ? g4_run_open(&choice, r->traj, frame_meta(r->in), e)
                             : NULL;
    if (run && r->also && open_series(run, r, e) != 0) {
        g4_run_close(run);
        return NULL;
    }
    if (run) {
        cli_one_sigma(r->in);
        g4_run_range(run, &r->first, &r->last);
    }
    return run;
}

static int add(void *run, const struct traj_block *b, bool fresh, struct err *e)
{
    return g4_run_add(run, b, fresh, e);
}

static int finish(void *run, struct meta *m, struct err *e)
{
    return g4_run_finish(run, m, e);
}

static int put(void *run, struct frame_writer *w, struct err *e)
{
    return g4_run_put(run, w, e);
}

static const char *say(void *run, const struct cli_result *r)
{
    const struct g4_report *says = g4_run_report(run);
    for (size_t k = 0; k < says->n; k++)
        (says->warn[k] ? cli_warn : cli_note)("%s: %s", frame_name(r->in), says->text[k]);
    cli_note("%s, %d threads", g4_engine_name(), common.threads);
    return g4_run_bound(run);
}

static void end(void *run)
{
    g4_run_close(run);
}

int main(int argc, char **argv)
{
    struct err e;
    options(argc, argv);
    if (g4_probe(choice.devices, &e) != 0)
        cli_die(e.status, "%s", e.text);
    const struct cli_reducer how = {FRAME_META, series, begin, add, finish, put, say, end};
    return cli_reduce(&tool, &common, &how);
}
