/* SPDX-License-Identifier: MIT */
/* beta-gen: computes pair anisotropies for every step of a trajectory. */

#include "cli/cli_reduce.h"
#include "cli/cli_steps.h"
#include "pair/pairs_run.h"

static struct cli_common common;
static struct pairs_run_choice choice = {.pairs = PAIRS_CHOICE_NONE, .dtype = -1};

static const char *const dtypes[] = {"f32", "f64", NULL};
static const struct cli_opt opts[] = {
    CLI_BETA(choice.pairs, "five independent components", ""),
    CLI_PAIR_FUNCTION(choice.pairs.function),
    CLI_OPT("dtype", "TYPE", CHOICE, &choice.dtype,
            "number type of the computation and output, f32 or f64 (default: type of the input)",
            .choices = dtypes),
    {0}};

static const struct cli_tool tool = {
    CLI_STEPS_TOOL("beta-gen"),
    .summary = "Compute the polarizability anisotropies (PAIR) of all atom pairs i<j from "
               "positions (POSN).",
    .examples = "  xyz2bin argon.xyz.gz | beta-gen | g4-cpu --tmax 6 | bin2txt\n"
                "  beta-gen --component all --sum ewald traj.mbf -o pairs.mbf\n"};

static int open_run(void *run, const void *c, const struct analysis_input *in, int threads,
                    uint64_t max_mem, struct err *e)
{
    const struct pairs_choice *p = &choice.pairs;
    if (pairs_stepwise.open(run, c, in, threads, max_mem, e) != 0)
        return -1;
    if (!p->factors.weights.n && !p->factors.pairs.n && !p->function)
        cli_one_sigma(in->reader);
    return 0;
}

int main(int argc, char **argv)
{
    struct stepwise beta = pairs_stepwise;
    beta.open = open_run;
    cli_parse(&tool, argc, argv, &common);
    cli_warn_nm("--sigma", choice.pairs.sigma, 0.9);
    cli_warn_nm("--cutoff", choice.pairs.cutoff, 1.5);
    cli_keep_input(&common, factors_list(&choice.pairs.factors), common.output);
    cli_keep_input(&common, choice.pairs.function, common.output);
    return cli_steps(&tool, &common, &beta, &choice);
}
