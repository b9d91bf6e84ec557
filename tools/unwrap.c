/* SPDX-License-Identifier: MIT */
/* unwrap: unwraps positions, so that atoms do not jump across the cell. */
#include <stdlib.h>

#include "cli/cli_motion.h"
#include "cli/cli_steps.h"
#include "motion/unwrap.h"

static const char *const drifts[] = {"subtract", "keep", NULL};
static struct unwrap_choice choice = {.subtract = 1};
static const struct cli_opt opts[] = {
    CLI_OPT("scheme", "WHICH", CHOICE, &choice.scheme,
            "unwrapping scheme: tor adds up minimum-image displacements, and images keeps "
            "positions that traj2bin --unwrap has unwrapped with image flags (default: tor)",
            .choices = unwrap_schemes),
    CLI_OPT("molecules", "M|FILE", STRING, &choice.molecules,
            "keep molecules whole; give the number M of consecutive atoms per molecule, or a FILE "
            "with the atom numbers, starting from 0, of one molecule per line (default: unwrap "
            "every atom separately)"),
    CLI_OPT("drift", "WHAT", CHOICE, &choice.subtract,
            "subtract or keep the motion of the centre of mass of all atoms (default: keep)",
            .choices = drifts),
    CLI_OPT("masses", "A=M,...", CUSTOM, &choice.masses,
            "atomic masses of species, g/mol (default: from the element names)",
            .parse = weights_parse),
    {0}};

static const struct cli_tool tool = {
    CLI_STEPS_TOOL("unwrap"),
    .summary = "Unwrap positions (POSN), so that atoms do not jump across the cell.",
    .examples = "  unwrap argon.mbf | msd-cpu | bin2txt\n"
                "  unwrap --molecules 3 water.mbf -o whole.mbf\n"};

struct run {
    struct unwrap *u;
    const struct frame_reader *in;
    const struct traj_info *info;
    struct traj_writer *out;
    void *to;
    size_t capacity; /* capacity of `to` in steps */
};

static int meta(const void *run, struct meta *m)
{
    const struct run *r = run;
    return unwrap_meta(r->u, frame_meta(r->in), m) || traj_like_cell(r->info, m) ? -1 : 0;
}

/* Ends a segment; every segment is a separate trajectory. */
static int end(void *run)
{
    struct run *r = run;
    int bad = r->out ? traj_flush(r->out) : 0;
    traj_writer_free(r->out);
    r->out = NULL;
    unwrap_begin(r->u);
    return bad;
}

static int add(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e)
{
    struct run *r = run;
    size_t bytes = r->info->step_bytes;
    if (b->nsteps > r->capacity) {
        free(r->to);
        r->to = malloc(b->nsteps * bytes);
        r->capacity = r->to ? b->nsteps : 0;
    }
    if (!r->out)
        r->out = traj_writer_like(w, r->info, r->info->dt_ps);
    if (!r->to || !r->out)
        return err_memory(e, "a block");
    if (unwrap_steps(r->u, b, r->to, e) != 0)
        return -1;
    for (size_t s = 0; s < b->nsteps; s++)
        if (traj_put(r->out, b->index + s, b->time[s], &b->box[s], (char *)r->to + s * bytes,
                     b->velocities ? (const char *)b->velocities + s * bytes : NULL,
                     b->scalars ? (const char *)b->scalars + s * r->info->scalar_bytes : NULL))
            return *e = *frame_writer_error(w), -1;
    return 0;
}

static void warn(const void *run, const char *name)
{
    const struct run *r = run;
    for (const char *w; (w = unwrap_warning(r->u)) != NULL;)
        cli_warn("%s: %s", name, w);
}

static const struct cli_steps steps = {
    .bound = "displacements", .meta = meta, .add = add, .end = end, .warn = warn};

int main(int argc, char **argv)
{
    struct cli_common common;
    struct err e;
    struct run r = {0};
    cli_parse(&tool, argc, argv, &common);
    choice.subtract = choice.subtract == 0;
    cli_unused(!choice.subtract, "masses", "without --drift subtract");
    cli_keep_input(&common, choice.molecules, common.output);
    struct frame_reader *in = cli_open(&common, cli_input(&common));
    struct traj_reader *traj = traj_open(in, FRAME_SCAL, &e);
    if (!traj)
        cli_die(e.status, "%s", e.text);
    r.in = in;
    r.info = traj_info(traj);
    r.u = unwrap_open(&choice, r.info, frame_meta(in), common.threads, &e);
    if (!r.u) {
        traj_close(traj);
        cli_die(e.status, "%s: %s", frame_name(in), e.text);
    }
    int status = cli_steps(&tool, &common, in, traj, &steps, &r);
    unwrap_close(r.u);
    traj_writer_free(r.out);
    free(r.to);
    traj_close(traj);
    frame_close_reader(in);
    return status;
}
