/* SPDX-License-Identifier: MIT */
/* beta-gen: pair anisotropies of every step of a trajectory. */
#include <math.h>
#include <stdio.h>

#include "cli/cli_reduce.h"
#include "pair/pairs_run.h"

static struct cli_common common;
static struct pairs_choice choice = PAIRS_CHOICE_NONE;
static int dtype = -1;

static const char *const dtypes[] = {"f32", "f64", NULL};
static const struct cli_opt opts[] = {
    CLI_BETA(choice, "", "ewald, all"),
    CLI_OPT("dtype", "TYPE", CHOICE, &dtype,
            "f32 or f64, in which beta is computed and written (as the input)", .choices = dtypes),
    {0}};

static const struct cli_tool tool = {
    .name = "beta-gen",
    .operands = "[FILE]",
    .opts = opts,
    .max_operands = 1,
    .writes_frames = true,
    .reads_steps = true,
    .writes_steps = true,
    .summary = "positions (POSN) in, pair polarizability anisotropies (PAIR) out, rows i<j",
    .examples = "  xyz2bin argon.xyz.gz | beta-gen | g4-cpu --tmax 6 | bin2txt\n"
                "  beta-gen --component all --sum ewald traj.mbf -o pairs.mbf\n"};

/* A segment of the input begins: end the one before, META out. */
static int begin_segment(const struct pairs_run *run, const struct frame_reader *in,
                         struct frame_writer *out)
{
    struct meta *m = meta_derive(frame_meta(in), tool.name, CLI_VERSION, common.args);
    int rc = m ? pairs_run_meta(run, m) : -1;
    if (rc == 0 && frame_in_segment(out))
        rc = frame_end(out, FRAME_COMPLETE, NULL, NULL);
    if (rc == 0)
        rc = frame_put_meta(out, m);
    meta_free(m);
    return rc;
}

/* All steps to out, which is closed. Returns the exit status. */
static int convert(struct pairs_run *run, struct frame_reader *in, struct traj_reader *traj,
                   struct frame_writer *out)
{
    struct err e;
    struct traj_block b;
    bool fresh;
    int rc;
    while ((rc = traj_next(traj, &b, &fresh)) > 0) {
        if (fresh && begin_segment(run, in, out) != 0)
            return cli_fail(out, NULL, frame_writer_error(out));
        if (pairs_run_add(run, &b, out, &e) != 0) {
            err_set(&e, e.status, "%s: %s", frame_name(in), e.text);
            return cli_fail(out, NULL, &e);
        }
        cli_progress(traj_steps(traj), traj_expected(traj), "frames");
    }
    if (rc < 0)
        return cli_fail(out, in, traj_error(traj));
    if ((!frame_in_segment(out) && begin_segment(run, in, out) != 0) ||
        frame_end(out, FRAME_COMPLETE, NULL, NULL) != 0)
        return cli_fail(out, NULL, frame_writer_error(out));
    if (*pairs_run_warning(run))
        cli_warn("%s: %s", frame_name(in), pairs_run_warning(run));
    if (*pairs_run_bonded(run))
        cli_warn("%s: %s", frame_name(in), pairs_run_bonded(run));
    cli_summary(traj_steps(traj), frame_wire_bytes(in), "the pipe");
    return cli_close(out);
}

int main(int argc, char **argv)
{
    struct err e;
    cli_parse(&tool, argc, argv, &common);
    cli_warn_nm("--sigma", choice.sigma, 0.9);
    cli_warn_nm("--cutoff", choice.cutoff, 1.5);
    cli_keep_input(&common, factors_list(&choice.factors), common.output);

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
    if (!choice.factors.weights.n && !choice.factors.pairs.n)
        cli_one_sigma(in);
    int status = convert(run, in, traj, cli_create(&common));
    pairs_run_close(run);
    traj_close(traj);
    frame_close_reader(in);
    return status;
}
