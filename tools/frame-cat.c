/* SPDX-License-Identifier: MIT */
/* frame-cat: streams of one system, one after the other, as one segment. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "stream/stride.h"

static uint64_t segments;
static bool allow_partial;
enum { REFUSE, MARK, CLOSE };
static const char *const jumps_names[] = {"refuse", "mark", "close", NULL};
static int jumps = REFUSE;
static const struct cli_opt options[] = {
    CLI_OPT("segments", "K", UINT, &segments,
            "fail unless the inputs hold exactly K segments (default: any number)", .min = 1,
            .max = 1e15),
    CLI_OPT("allow-partial", NULL, FLAG, &allow_partial,
            "take segments of runs that were stopped (md-cpu --partial) for what they hold"),
    CLI_OPT(
        "jumps", "WHICH", CHOICE, &jumps,
        "where an input does not go on one stride after the one before: refuse; mark: a segment of "
        "its own begins there; close: its steps and times are moved (refuse)",
        .choices = jumps_names),
    {0}};
static const struct cli_tool tool = {
    .name = "frame-cat",
    .operands = "[FILE...]",
    .summary = "Merge positions, pair tables or series of one system into "
               "one segment; steps and time continue.",
    .opts = options,
    .examples = "  frame-cat run1.mbf run2.mbf | g4-cpu --tmax 6\n"
                "  cat run?.mbf | frame-cat --segments 3 -o all.mbf\n",
    .max_operands = -1,
    .writes_frames = true,
    .writes_steps = true};

struct joint {
    struct frame_writer *w;
    const struct cli_common *c;
    struct meta *first, *out; /* META of the first segment, and of the output */
    double dt;
    uint64_t segments, next; /* next: index of the step to come */
    uint64_t joined;         /* segments in the output's last one */
    double next_time;        /* and its time, NaN: unknown */
    uint64_t index_shift;    /* of the current segment, modulo 2^64 */
    double time_shift;
    bool shifts_known, stepped; /* stepped: a step went out */
    bool cut;                   /* the last segment was partial */
    unsigned char parent[2][16];
    uint64_t bytes;
    struct err err;
};

static int fail(struct joint *j, const struct frame_reader *r, const char *what)
{
    return err_set(&j->err, CLI_BAD, "%s: %s", frame_name(r), what);
}

/* META of the output comes from the first segment; every other one must describe the same system
 * and data. */
static int on_meta(struct joint *j, const struct frame_reader *r)
{
    const struct meta *m = frame_meta(r);
    char what[512];
    j->shifts_known = false;
    j->segments++;
    j->joined++;
    if (segments && j->segments > segments)
        return fail(j, r, "expected fewer segments (--segments), found one more");
    if (j->first) {
        const char *key = meta_sys_differs(j->first, m);
        if (!key)
            key = meta_differs(j->first, m, "data.");
        if (!key)
            return 0;
        const char *a = meta_get(j->first, key), *b = meta_get(m, key);
        snprintf(what, sizeof what,
                 "expected segments of one system, found %s %.80s here and %.80s in the first", key,
                 b ? b : "absent", a ? a : "absent");
        return fail(j, r, what);
    }
    j->first = meta_copy(m);
    j->out = meta_derive(m, tool.name, CLI_VERSION, j->c->args);
    if (meta_get_f64(m, "sys.dt_ps", &j->dt, 1) != 1)
        j->dt = NAN;
    bool bad =
        !j->first || !j->out || meta_copy_keys(j->out, m, "data.") || frame_put_meta(j->w, j->out);
    return bad ? -1 : 0;
}

static int end_segment(struct joint *j)
{
    return frame_end(j->w, j->cut ? FRAME_LIMITED : FRAME_COMPLETE, j->parent[0],
                     j->joined > 1 ? j->parent[1] : NULL);
}

/* Does this segment go on one stride after the last step? By time, where both have one. */
static bool goes_on(const struct joint *j, const struct frame_desc *d)
{
    if (isnan(j->next_time) || isnan(d->time))
        return d->index == j->next;
    return fabs(d->time - j->next_time) <= STRIDE_PRINTED * j->dt + 1e-12 * fabs(d->time);
}

/* It does not: refused, or a segment of the output begins with it. 0 or -1. */
static int on_jump(struct joint *j, const struct frame_reader *r, const struct frame_desc *d)
{
    char last[64] = "", found[64] = "";
    if (!isnan(j->next_time) && !isnan(d->time)) {
        snprintf(last, sizeof last, " at %.10g ps", j->next_time - j->dt);
        snprintf(found, sizeof found, " at %.10g ps", d->time);
    }
    if (jumps == REFUSE)
        return err_set(&j->err, CLI_BAD,
                       "%s: expected a step that follows step %" PRIu64 "%s, found step %" PRIu64
                       "%s: --jumps mark begins a segment there, --jumps close moves what does "
                       "follow",
                       frame_name(r), j->next - 1, last, d->index, found);
    if (end_segment(j) || frame_put_meta(j->w, j->out))
        return -1;
    j->joined = 1;
    j->next = d->index;
    j->next_time = d->time;
    return 0;
}

/* How far the steps and the time of this segment are moved, so that they go on where the last one
 * ended. 0 or -1. */
static int find_shifts(struct joint *j, const struct frame_reader *r, const struct frame_desc *d)
{
    bool begins = !j->stepped;
    if (!begins && jumps != CLOSE && !goes_on(j, d) && on_jump(j, r, d))
        return -1;
    j->index_shift = begins ? 0 : j->next - d->index;
    j->time_shift = begins || isnan(j->next_time) || isnan(d->time) ? 0 : j->next_time - d->time;
    if (fabs(j->time_shift) <= STRIDE_EXACT * j->dt)
        j->time_shift = 0;
    j->shifts_known = true;
    return 0;
}

/* An array that must change on the way, or be compressed anew. */
static int put_changed(struct joint *j, struct frame_reader *r, struct frame *f)
{
    if (frame_load(r, f) < 0)
        return -1;
    if (f->desc.type == FRAME_TIME && f->desc.dtype == FRAME_F64)
        for (size_t k = 0; k < f->bytes / sizeof(double); k++)
            ((double *)f->data)[k] += j->time_shift;
    return frame_put(j->w, &f->desc, f->data) ? -2 : 0;
}

static int on_array(struct joint *j, struct frame_reader *r, struct frame *f)
{
    struct frame_desc *d = &f->desc;
    if (d->type >= FRAME_CORR && d->type <= FRAME_SPEC)
        return fail(j, r,
                    d->type == FRAME_SPEC
                        ? "expected positions or pair tables, found a spectrum (SPEC)"
                        : "expected positions or pair tables, found sums: frame-merge adds them");
    if (d->type != FRAME_OTHER && !j->shifts_known && find_shifts(j, r, d))
        return -1;
    if (d->type == FRAME_OTHER)
        j->index_shift = j->shifts_known ? j->index_shift : 0;
    d->index += j->index_shift;
    d->time += j->time_shift;
    if (frame_counts_steps(d)) {
        j->stepped = true;
        j->next = d->index + d->dims[0];
        j->next_time = d->time + (double)d->dims[0] * j->dt;
    }
    bool changed = j->c->compress || (d->type == FRAME_TIME && j->time_shift != 0);
    int rc = changed ? put_changed(j, r, f) : frame_pass(r, j->w, d);
    return rc == 0 ? 0 : -1;
}

static void on_end(struct joint *j, const struct frame_reader *r)
{
    struct frame_totals t;
    if (!frame_totals(r, &t))
        return;
    j->cut = t.status == FRAME_PARTIAL;
    if (j->joined <= 2)
        memcpy(j->parent[j->joined - 1], t.stream_hash, 16);
}

/* All of one input: 0, or -1 with j->err. */
static int add_input(struct joint *j, struct frame_reader *r)
{
    struct frame f;
    int rc, bad = 0;
    while (!bad && (rc = frame_peek(r, &f)) > 0) {
        if (f.desc.type == FRAME_META)
            bad = on_meta(j, r);
        else if (f.desc.type == FRAME_END)
            on_end(j, r);
        else
            bad = on_array(j, r, &f);
        cli_progress(frame_wire_bytes(r), frame_file_bytes(r), "bytes");
    }
    if (!bad && rc == 0)
        return 0;
    if (!j->err.status && frame_error(r)->status)
        j->err = *frame_error(r);
    if (!j->err.status && frame_writer_error(j->w)->status)
        j->err = *frame_writer_error(j->w);
    return j->err.status ? -1 : err_memory(&j->err, "META");
}

int main(int argc, char **argv)
{
    struct cli_common c;
    static struct joint j = {.next_time = NAN};
    uint64_t bytes = 0;
    cli_parse(&tool, argc, argv, &c);
    c.allow_partial = allow_partial;
    j.c = &c;
    j.w = cli_create(&c);
    for (int k = 0; k < cli_inputs(&c); k++) {
        struct frame_reader *r = cli_open(&c, cli_input_at(&c, k));
        int bad = add_input(&j, r) ? cli_fail(j.w, r, &j.err) : 0;
        bytes += frame_wire_bytes(r);
        frame_close_reader(r);
        if (bad)
            return bad;
    }
    if (segments && j.segments != segments) {
        err_set(&j.err, CLI_BAD, "expected %" PRIu64 " segments (--segments), found %" PRIu64,
                segments, j.segments);
        return cli_fail(j.w, NULL, &j.err);
    }
    if (end_segment(&j))
        return cli_fail(j.w, NULL, frame_writer_error(j.w));
    cli_summary(j.next, bytes, NULL);
    meta_free(j.first);
    meta_free(j.out);
    return cli_close(j.w);
}
