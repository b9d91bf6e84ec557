/* SPDX-License-Identifier: MIT */
#include "cli/cli_steps.h"

/* Begins a segment: ends the preceding one and writes META. */
static int next_segment(const struct cli_tool *tool, const struct cli_common *c,
                        const struct frame_reader *in, const struct cli_steps *s, void *run,
                        struct frame_writer *out)
{
    struct meta *m = meta_derive(frame_meta(in), tool->name, CLI_VERSION, c->args);
    int rc = m ? s->meta(run, m) : -1;
    if (rc == 0 && frame_in_segment(out) && s->end)
        rc = s->end(run);
    if (rc == 0 && frame_in_segment(out))
        rc = frame_end(out, FRAME_COMPLETE, NULL, NULL);
    if (rc == 0)
        rc = frame_put_meta(out, m);
    meta_free(m);
    return rc;
}

int cli_steps(const struct cli_tool *tool, const struct cli_common *c, struct frame_reader *in,
              struct traj_reader *traj, const struct cli_steps *s, void *run)
{
    struct frame_writer *out = cli_create(c);
    struct err e;
    struct traj_block b;
    bool fresh;
    int rc;
    double seconds = cli_seconds();
    while ((rc = traj_next(traj, &b, &fresh)) > 0) {
        if (fresh && next_segment(tool, c, in, s, run, out) != 0)
            return cli_fail(out, NULL, frame_writer_error(out));
        if (s->add(run, &b, out, &e) != 0) {
            err_file(&e, frame_name(in));
            return cli_fail(out, NULL, &e);
        }
        cli_progress(traj_steps(traj), traj_expected(traj), "frames");
    }
    if (rc < 0)
        return cli_fail(out, in, traj_error(traj));
    if ((!frame_in_segment(out) && next_segment(tool, c, in, s, run, out) != 0) ||
        (s->end && s->end(run) != 0) || frame_end(out, FRAME_COMPLETE, NULL, NULL) != 0)
        return cli_fail(out, NULL, frame_writer_error(out));
    if (s->warn)
        s->warn(run, frame_name(in));
    cli_note("%llu frames in %.6f s", (unsigned long long)traj_steps(traj),
             cli_seconds() - seconds);
    cli_summary(traj_steps(traj), frame_wire_bytes(in), s->bound);
    return cli_close(out);
}
