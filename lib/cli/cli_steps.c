/* SPDX-License-Identifier: MIT */
#include "cli/cli_steps.h"

#include <stdlib.h>
#include <string.h>

/* Begins a segment. Ends the preceding segment first and writes META. */
static int next_segment(const struct cli_tool *tool, const struct cli_common *c,
                        const struct frame_reader *in, const struct stepwise *s, void *run,
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

/* Processes all steps. Returns the exit status. */
static int steps(const struct cli_tool *tool, const struct cli_common *c, struct frame_reader *in,
                 struct traj_reader *traj, const struct stepwise *s, void *run)
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
    for (const char *w; s->warning && (w = s->warning(run)) != NULL;)
        cli_warn("%s: %s", frame_name(in), w);
    cli_note("%llu frames in %.6f s", (unsigned long long)traj_steps(traj),
             cli_seconds() - seconds);
    cli_summary(traj_steps(traj), frame_wire_bytes(in), s->bound);
    return cli_close(out);
}

int cli_steps(const struct cli_tool *tool, const struct cli_common *c, const struct stepwise *s,
              const void *choice)
{
    struct err e;
    struct frame_reader *in = cli_open(c, cli_input(c));
    struct traj_reader *traj = traj_open(in, s->type, &e);
    if (!traj)
        cli_die(e.status, "%s", e.text);
    struct analysis_input input = {.reader = in, .traj = traj, .meta = frame_meta(in)};
    void *run = calloc(1, s->size);
    int bad = run ? s->open(run, choice, &input, c->threads, c->max_mem, &e)
                  : err_memory(&e, "a run"),
        status = CLI_OK;
    if (bad) {
        err_set(&e, e.status, "%s: %s", frame_name(in), e.text);
        status = cli_fail(NULL, NULL, &e);
    } else {
        if (s->remark)
            cli_note("%s: %s", frame_name(in), s->remark(run));
        status = steps(tool, c, in, traj, s, run);
    }
    if (run)
        s->close(run);
    free(run);
    traj_close(traj);
    frame_close_reader(in);
    return status;
}

int cli_segments(const struct cli_common *c,
                 int (*segment)(struct frame_reader *in, struct frame_writer *out,
                                const struct cli_common *c, struct err *e))
{
    struct frame_reader *in = cli_open(c, cli_input(c));
    struct frame_writer *out = cli_create(c);
    struct err e;
    uint64_t n = 0;
    int got;
    while ((got = segment(in, out, c, &e)) > 0)
        n++;
    if (got == 0)
        cli_summary(n, frame_wire_bytes(in), NULL);
    int status = got < 0 ? cli_fail(out, in, &e) : cli_close(out);
    frame_close_reader(in);
    return status;
}

int cli_segment_corr(struct frame_reader *in, const char *what, struct series *s, double *dt,
                     struct err *e)
{
    int got = series_read_corr(in, what, s, e);
    const char *axis = got > 0 ? meta_get(frame_meta(in), "data.axis") : NULL;
    if (axis && strcmp(axis, "t_ps") == 0)
        got = analysis_even(frame_meta(in), e);
    else if (axis)
        got = err_bad(e, "expected functions of time, found functions of %.40s", axis);
    else if (got > 0 && (meta_get_f64(frame_meta(in), "sys.dt_ps", dt, 1) != 1 || !(*dt > 0.0)))
        got = err_bad(e, "expected the time between steps in sys.dt_ps, found none (give --dt PS "
                         "to xyz2bin, traj2bin or txt2bin)");
    else
        return got;
    series_free(s);
    return err_file(e, frame_name(in));
}

void cli_segment_changed(const struct frame_reader *in)
{
    const char *changed = meta_get(frame_meta(in), "data.changed");
    if (changed)
        cli_warn("%s: %.500s", frame_name(in), changed);
}

int cli_segment_put(const struct frame_reader *in, struct frame_writer *out, struct meta *m,
                    size_t rows, size_t cols, const double *v, struct err *e)
{
    struct frame_totals t = {0};
    (void)!frame_totals(in, &t);
    cli_segment_changed(in);
    if (meta_copy_keys(m, frame_meta(in), "data.changed") != 0)
        return err_memory(e, "META");
    if (frame_put_meta(out, m) == 0 && series_put_spec(out, rows, cols, v) == 0 &&
        frame_end(out, t.status, t.stream_hash, NULL) == 0)
        return 1;
    *e = *frame_writer_error(out);
    return -1;
}
