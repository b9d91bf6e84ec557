/* SPDX-License-Identifier: MIT */
/* beta-gen: computes pair anisotropies for every step of a trajectory. */

#include "cli/cli_reduce.h"
#include "cli/cli_steps.h"
#include "pair/pairs_run.h"

static struct cli_common common;
static struct pairs_choice choice = PAIRS_CHOICE_NONE;
static int dtype = -1;

static const char *const dtypes[] = {"f32", "f64", NULL};
static const struct cli_opt opts[] = {
    CLI_BETA(choice, "five independent components", ""),
    CLI_PAIR_FUNCTION(choice.function),
    CLI_OPT("dtype", "TYPE", CHOICE, &dtype,
            "number type of the computation and output, f32 or f64 (default: type of the input)",
            .choices = dtypes),
    {0}};

static const struct cli_tool tool = {
    CLI_STEPS_TOOL("beta-gen"),
    .summary = "Compute the polarizability anisotropies (PAIR) of all atom pairs i<j from "
               "positions (POSN).",
    .examples = "  xyz2bin argon.xyz.gz | beta-gen | g4-cpu --tmax 6 | bin2txt\n"
                "  beta-gen --component all --sum ewald traj.mbf -o pairs.mbf\n"};

static int meta(const void *run, struct meta *m)
{
    return pairs_run_meta(run, m);
}

static int add(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e)
{
    return pairs_run_add(run, b, w, e);
}

static void warn(const void *run, const char *name)
{
    if (*pairs_run_warning(run))
        cli_warn("%s: %s", name, pairs_run_warning(run));
    if (*pairs_run_bonded(run))
        cli_warn("%s: %s", name, pairs_run_bonded(run));
}

static const struct cli_steps steps = {.bound = "the pipe", .meta = meta, .add = add, .warn = warn};

int main(int argc, char **argv)
{
    struct err e;
    cli_parse(&tool, argc, argv, &common);
    cli_warn_nm("--sigma", choice.sigma, 0.9);
    cli_warn_nm("--cutoff", choice.cutoff, 1.5);
    cli_keep_input(&common, factors_list(&choice.factors), common.output);
    cli_keep_input(&common, choice.function, common.output);

    struct frame_reader *in = cli_open(&common, cli_input(&common));
    struct traj_reader *traj = traj_open(in, FRAME_POSN, &e);
    if (!traj)
        cli_die(e.status, "%s", e.text);
    struct pairs_run *run = pairs_run_open(&choice, dtype, traj_info(traj), frame_meta(in),
                                           common.threads, common.max_mem, &e);
    if (!run) {
        traj_close(traj);
        cli_die(e.status, "%s: %s", frame_name(in), e.text);
    }
    if (!choice.factors.weights.n && !choice.factors.pairs.n && !choice.function)
        cli_one_sigma(in);
    int status = cli_steps(&tool, &common, in, traj, &steps, run);
    pairs_run_close(run);
    traj_close(traj);
    frame_close_reader(in);
    return status;
}
