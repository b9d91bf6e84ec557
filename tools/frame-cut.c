/* SPDX-License-Identifier: MIT */
/* frame-cut: selects time steps of a stream by START:STOP:STRIDE, as in Python. */
#include <string.h>

#include "cli/cli_traj.h"
#include "stream/traj.h"

static bool some_atoms(void)
{
    const struct atoms *a = &cli_traj.atoms;
    return a->species || a->first || a->step > 1 || a->stop != UINT64_MAX;
}

static bool every_step(const char *first)
{
    return some_atoms() && !(first && (strchr(first, ':') || !first[strspn(first, "0123456789")]));
}

static const struct cli_opt options[] = {CLI_TRAJ_SPECIES, CLI_TRAJ_ATOMS, {0}};
static const struct cli_tool tool = {
    .name = "frame-cut",
    .operands = "[START:STOP:STRIDE] [FILE]",
    .summary = "Select time steps START, START+STRIDE, ... below STOP from positions, pair tables "
               "or time series. A single number selects one step.",
    .opts = options,
    .examples = "  frame-cut 50:100 argon.mbf | frame-check\n"
                "  frame-cut ::10 argon.mbf -o tenth.mbf\n"
                "  xyz2bin argon.xyz | frame-cut 1:801 | g4-cpu --lags 48\n"
                "  frame-cut --species O water.mbf -o oxygen.mbf\n",
    .min_operands = 1,
    .words = 1,
    .wordless = every_step,
    .max_operands = 2,
    .writes_frames = true,
    .writes_steps = true,
    .reads_steps = true};

struct slice {
    uint64_t start, stop, stride;
};

/* Writes META: data.* is kept, and the time between steps grows with the stride. Returns 0 or -1.
 * Sets e if the writer has no error. */
static int put_meta(struct frame_writer *w, const struct frame_reader *in,
                    const struct traj_info *i, const struct slice *c, const char *args,
                    struct err *e)
{
    const struct meta *from = frame_meta(in);
    struct meta *m = meta_derive(from, tool.name, CLI_VERSION, args);
    double dt;
    int bad = !m || meta_copy_keys(m, from, "data.") || traj_like_cell(i, m);
    if (!bad && c->stride > 1 && meta_get_f64(from, "sys.dt_ps", &dt, 1) == 1) {
        dt *= (double)c->stride;
        bad = meta_set_f64(m, "sys.dt_ps", &dt, 1);
    }
    atoms_free(&cli_traj.atoms); /* atoms of the preceding segment */
    if (!bad && some_atoms() && atoms_choose(&cli_traj.atoms, m, e) != 0)
        bad = err_file(e, frame_name(in));
    bad = bad || frame_put_meta(w, m);
    meta_free(m);
    return bad ? -1 : 0;
}

/* Writes the selected steps of one block, which begins at step `first`. */
static int put_block(struct traj_writer *out, const struct traj_info *i, const struct traj_block *b,
                     uint64_t first, const struct slice *c)
{
    for (size_t k = 0; k < b->nsteps && first + k < c->stop; k++) {
        const char *data = b->data, *velo = b->velocities, *scal = b->scalars;
        if (first + k >= c->start && (first + k - c->start) % c->stride == 0 &&
            traj_put(out, (b->index + k) / c->stride, b->time[k], &b->box[k],
                     data + k * i->step_bytes, velo ? velo + k * i->step_bytes : NULL,
                     scal ? scal + k * i->scalar_bytes : NULL))
            return -1;
    }
    return 0;
}

/* Returns the first selected step that is not before step `at`. */
static uint64_t next_wanted(const struct slice *c, uint64_t at)
{
    if (at <= c->start)
        return c->start;
    uint64_t over = (at - c->start) % c->stride;
    return over && at <= UINT64_MAX - c->stride ? at + (c->stride - over) : at;
}

/* How the last segment of the output ends. */
struct ending {
    enum frame_status status;
    bool has_parent;
    struct frame_totals parent;
};

/* Writes everything between META and END. Returns 0 or -1. */
static int cut(struct traj_reader *in, struct frame_reader *r, struct frame_writer *w,
               const struct slice *c, const char *args, struct ending *e, struct err *why)
{
    const struct traj_info *i = traj_info(in);
    struct traj_info kept = *i;
    struct traj_block b;
    bool fresh, open = false;
    if (some_atoms() && i->type != FRAME_POSN)
        return err_in(why, ERR_BAD, frame_name(r), 0,
                      "expected positions to select from, found none");
    int rc = put_meta(w, r, i, c, args, why) ? -1 : 1;
    if (some_atoms())
        kept.natoms = cli_traj.atoms.n;
    struct traj_writer *out =
        rc > 0 ? traj_writer_like(w, &kept, i->dt_ps * (double)c->stride) : NULL;
    if (out && some_atoms())
        traj_writer_gather(out, &cli_traj.atoms);
    traj_seek(in, next_wanted(c, 0));
    while (rc > 0 && next_wanted(c, traj_steps(in)) < c->stop &&
           (rc = traj_next(in, &b, &fresh)) > 0) {
        uint64_t first = traj_steps(in) - b.nsteps;
        if (fresh && open &&
            (traj_flush(out) || frame_end(w, FRAME_LIMITED, NULL, NULL) ||
             put_meta(w, r, i, c, args, why)))
            rc = -1;
        open = true;
        if (rc > 0 && (!out || put_block(out, i, &b, first, c)))
            rc = -1;
        traj_seek(in, next_wanted(c, traj_steps(in)));
        uint64_t all = traj_expected(in);
        cli_progress(traj_steps(in), c->stop < all ? c->stop : all, "steps");
    }
    bool all = rc == 0 && c->start == 0 && c->stride == 1 && !frame_window(r);
    e->status = all ? FRAME_COMPLETE : FRAME_LIMITED;
    /* The parent is stated only for a single segment that was read to its END. It is also known if
     * the input is a pipe, so the bytes do not depend on the kind of input. */
    e->has_parent = rc == 0 && frame_totals(r, &e->parent) && e->parent.steps == traj_steps(in);
    if (rc >= 0 && out && traj_flush(out))
        rc = -1;
    if (rc == 0 && c->start && c->start < c->stop && c->start >= traj_steps(in))
        rc = err_in(why, ERR_BAD, frame_name(r), 0,
                    "expected a step with the number %llu, found only %llu steps",
                    (unsigned long long)c->start, (unsigned long long)traj_steps(in));
    traj_writer_free(out);
    return rc < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct cli_common c;
    struct err err;
    struct ending e;
    err_memory(&err, "the output"); /* default error if no other is set */
    cli_parse(&tool, argc, argv, &c);
    struct slice s;
    if (cli_parse_slice(c.words[0], &s.start, &s.stop, &s.stride, &err) != 0)
        cli_die(CLI_BAD, "%s", err.text);
    struct frame_reader *r = cli_open(&c, cli_input(&c));
    struct frame_writer *w = cli_create(&c);
    struct traj_reader *in = traj_announce(r, FRAME_OTHER, &err);
    int bad = in ? 0 : cli_fail(w, r, &err);
    if (!bad && (cut(in, r, w, &s, c.args, &e, &err) ||
                 frame_end(w, e.status, e.has_parent ? e.parent.stream_hash : NULL, NULL)))
        bad = cli_fail(w, r,
                       traj_error(in)->status          ? traj_error(in)
                       : frame_writer_error(w)->status ? frame_writer_error(w)
                                                       : &err);
    if (!bad && traj_left_out(in))
        cli_left_out(frame_name(r), traj_left_out(in));
    if (!bad)
        cli_summary(traj_steps(in), frame_wire_bytes(r), NULL);
    atoms_free(&cli_traj.atoms);
    traj_close(in);
    frame_close_reader(r);
    return bad ? bad : cli_close(w);
}
