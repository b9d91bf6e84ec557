/* SPDX-License-Identifier: MIT */
#include "cli/cli_md.h"
#include "base/engine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "md/md_data.h"
#include "stream/frame_index.h"

static void thermo_line(void *text, const char *line)
{
    cli_text_printf(text, "%s\n", line);
}

static int keep_thermo(void *text, uint64_t *bytes, struct err *e)
{
    return cli_text_keep(text, bytes, e);
}

/* ---- options */

/* Exits unless every output of the run is a separate file. */
static void keep_separate(const struct cli_md *m, const char *frames, const char *text)
{
    const struct cli_common *c = &m->common;
    char *index = c->index && frames ? frame_index_name(frames) : NULL;
    const char *outputs[] = {frames ? frames : "-", text, m->restart, m->data, c->log, index};
    cli_separate(outputs, sizeof outputs / sizeof *outputs);
    free(index);
}

/* Checks the options of several systems, which write one file each. */
static void check_many(const struct cli_md *m)
{
    const struct md_job *j = &m->job;
    bool named = m->common.output && strchr(m->common.output, '%');
    const char *why = j->nsizes ? "several sizes" : "--replicas";
    if ((j->setup->replicas > 1 || j->nsizes) && (!named || (m->thermo && !strchr(m->thermo, '%'))))
        cli_die(CLI_BAD, "%s: %s needs a %% in its name, for one file per system", why,
                named ? "--thermo" : "-o FILE");
    if (j->nsizes && (j->setup->replicas > 1 || m->restart))
        cli_die(CLI_BAD, "several sizes of --atoms cannot be combined with %s",
                m->restart ? "--restart" : "--replicas");
    if (j->nsizes && !isnan(j->setup->cell[0]))
        cli_die(CLI_BAD, "several sizes of --atoms: expected --density, found --cell (each size "
                         "needs its own cell)");
}

/* Checks that options name only one start, and that a file to continue is not overwritten. */
static void check_start(const struct cli_md *m)
{
    const struct cli_common *c = &m->common;
    const char *from = m->from_restart ? m->from_restart : m->job.data;
    if (m->job.setup->atoms && (c->noperands || m->from_restart))
        cli_die(CLI_BAD, "--atoms makes a new system and cannot be combined with %s",
                c->noperands ? "an input file" : "--from-restart");
    if (m->from_restart && c->noperands)
        cli_die(CLI_BAD, "--from-restart cannot be combined with an input file");
    if (from)
        cli_keep_input(c, from, c->output);
    if (from && m->thermo)
        cli_keep_input(c, from, m->thermo);
}

static void check_remainder(struct cli_md *m)
{
    struct md_job *j = &m->job;
    const struct md_setup *s = j->setup;
    if (s->dt < 0.05 && s->units != MD_LJ && (s->atoms || s->units >= 0))
        cli_warn("--dt %g fs is unusually small (if you meant ps, give --dt %g)", s->dt,
                 1e3 * s->dt);
    bool averages = j->stress_every != MD_UNSET;
    if ((j->stress || averages || j->thermo_every != MD_UNSET || s->tail) && !m->thermo)
        cli_die(CLI_BAD, "--stress, --stress-every, --tail and --thermo-every need --thermo FILE");
    j->stress |= averages;
    if (j->data && (s->atoms || m->common.noperands || m->from_restart))
        cli_die(CLI_BAD,
                "--from-data cannot be combined with --atoms, --from-restart or an input file");
    if (!isnan(m->checkpoint) && !m->restart)
        cli_die(CLI_BAD, "--checkpoint needs --restart FILE");
    if (m->partial && isnan(m->checkpoint))
        cli_die(CLI_BAD, "--partial needs --checkpoint MINUTES");
    if (m->data && (s->replicas > 1 || j->nsizes))
        cli_die(CLI_BAD, "--data writes one system and cannot be combined with %s",
                j->nsizes ? "several sizes" : "--replicas");
}

void cli_md_check(struct cli_md *m)
{
    const char *device = m->device;
    struct err e;
    if (device && (m->devices || strchr(device, ',') || strcmp(device, "all") == 0))
        cli_die(CLI_BAD, "--device chooses one GPU and --devices chooses several: give only one of "
                         "these options");
    m->job.params.devices = m->devices ? m->devices : device;
    int n = engine_probe(m->job.params.devices, &e);
    if (n < 0)
        cli_die(e.status, "%s", e.text);
    m->job.ndevices = (size_t)n;
    check_many(m);
    keep_separate(m, m->common.output, m->thermo);
    check_start(m);
    check_remainder(m);
}

/* ---- outputs, new or continued */

/* Ends earlier output of system k that this run does not continue, and marks its file partial. */
static void salvage(struct cli_md *m, size_t k, struct err *e)
{
    struct md_job *j = &m->job;
    struct cli_common c = m->common;
    const struct md_kept *had = &j->had[k];
    enum frame_found found = FRAME_IN_PART; /* the file itself is as expected */
    c.output = had->frames;
    c.index = false;
    struct frame_writer *w = cli_resume(&c, &had->mark, NULL, &found, e);
    if (!w && found == FRAME_GONE) {
        j->lost = md_job_had(j, &(uint64_t){0});
        cli_warn("%s", e->text);
        return;
    }
    j->out[k].frames = w;
    if (w && (md_job_salvage(j, k, e) != 0 || cli_settle(w, e) != 0))
        cli_die(e->status, "%s", e->text);
    if (w)
        cli_warn(
            "%s: this file contains only the earlier frames of the run, as a partial stream (to "
            "append the new frames, use frame-cat --allow-partial)",
            had->frames);
    else if (found != FRAME_IN_FILE)
        cli_die(e->status, "%s", e->text);
}

/* Returns true if the file of --restart records frames or lines that a continued run would need. A
 * run that is killed between its first frames and its first checkpoint leaves files that no
 * checkpoint records. A file that cannot be read is assumed to record them. */
static bool checkpoint_knows(const struct cli_md *m)
{
    struct frame f;
    bool knows = false;
    int rc;
    if (access(m->restart, F_OK) != 0)
        return errno != ENOENT;
    struct frame_reader *r = frame_open(m->restart, NULL);
    while (r && !knows && (rc = frame_peek(r, &f)) > 0) {
        const char *published = meta_get(frame_meta(r), "data.md_out.published");
        knows = f.desc.type == FRAME_META && published && strcmp(published, "0") == 0;
    }
    knows |= !r || rc < 0;
    frame_close_reader(r);
    return knows;
}

/* Opens the output of frames of system k. Continues earlier frames or begins new frames. */
static struct frame_writer *open_frames(struct cli_md *m, size_t k, const struct cli_common *c)
{
    struct err e;
    struct md_job *j = &m->job;
    uint64_t last, frames = md_job_had(j, &last);
    const struct md_kept *had = j->had ? &j->had[k] : NULL;
    struct frame_writer *w = NULL;
    enum frame_found found = FRAME_GONE;
    if (had && had->frames && cli_same_output(had->frames, c->output)) {
        const struct meta *like = md_job_meta(j, k, &e);
        w = like ? cli_resume(c, &had->mark, like, &found, &e) : NULL;
        if (!w && (!like || found != FRAME_GONE))
            cli_die(e.status, "%s", e.text);
        if (!w)
            j->lost = frames;
    } else if (had && had->frames) {
        salvage(m, k, &e);
    } else if (had && !had->published) {
        j->lost = frames;
    }
    const char *name = c->output ? c->output : "stdout";
    if (j->lost && frames && !w)
        cli_warn("frames 0 to %llu of the run (up to step %llu) are missing. %s begins with the "
                 "next frame, and its END has the status 'limited'",
                 (unsigned long long)(last / j->had_every - 1), (unsigned long long)last, name);
    if (!w && !isnan(m->checkpoint))
        cli_no_part(c->output, checkpoint_knows(m));
    return w ? w : cli_create(c);
}

/* Writes the information that a reader of the lines (txt2bin) needs, as META keys. */
static void put_recorded(struct cli_md *m, size_t k, struct cli_text *text)
{
    struct err e;
    struct md_job *j = &m->job;
    const struct meta *like = md_job_meta(j, k, &e);
    const char *cell = like ? meta_get(like, "sys.cell") : NULL;
    if (!like)
        cli_die(e.status, "%s", e.text);
    if (cell)
        cli_text_printf(text, "## sys.cell %s\n", cell);
    if (j->setup->units == MD_LJ)
        cli_text_printf(text, "## sys.units lj\n");
    if (j->stress_every != MD_UNSET)
        cli_text_printf(text, "## data.averaged %llu\n",
                        (unsigned long long)(j->thermo_every / j->stress_every));
}

/* Does what open_frames() does, for the lines of --thermo. */
static struct cli_text *open_thermo(struct cli_md *m, size_t k, const struct cli_common *c)
{
    struct err e;
    const struct md_job *j = &m->job;
    const struct md_kept *had = j->had ? &j->had[k] : NULL;
    struct cli_text *text = NULL, *before;
    if (had && had->thermo && m->thermo && cli_same_output(had->thermo, c->output)) {
        text = cli_text_resume(c, had->thermo_bytes, &e);
        if (!text)
            cli_warn("the earlier lines of the --thermo file cannot be kept: %s", e.text);
    } else if (had && had->thermo && !had->published) {
        struct cli_common o = *c;
        o.output = had->thermo;
        if ((before = cli_text_resume(&o, had->thermo_bytes, &e))) {
            cli_text_printf(before, "## partial %llu steps left\n",
                            (unsigned long long)j->left.steps);
            (void)cli_text_close(before, CLI_OK);
        }
    }
    if (text || !m->thermo)
        return text;
    if (!isnan(m->checkpoint))
        cli_no_part(c->output, checkpoint_knows(m));
    text = cli_text_open(c);
    cli_text_printf(text, "# %s\n## origin %s %s\n", md_thermo_legend(j->setup, j->stress),
                    m->tool->name, c->args);
    put_recorded(m, k, text);
    return text;
}

static void open_files(struct cli_md *m, size_t k)
{
    struct err e;
    struct md_job *j = &m->job;
    struct cli_common c = m->common;
    struct md_out *o = &j->out[k];
    int n = (int)j->systems;
    const char *frames = md_job_name(j, k, c.output, &o->frames_name);
    c.output = md_job_name(j, k, m->thermo, &o->thermo_name);
    if ((m->common.output && !frames) || (m->thermo && !c.output)) /* NULL would mean stdout */
        cli_die(CLI_MEMORY, "out of memory");
    keep_separate(m, frames, c.output);
    o->thermo = open_thermo(m, k, &c);
    c.output = frames;
    c.threads = c.threads > n ? c.threads / n : 1;
    o->frames = open_frames(m, k, &c);
    if (md_job_out(j, k, &e) != 0)
        cli_die(e.status, "%s", e.text);
}

/* ---- the state and its checkpoints */

/* Writes the state when the other outputs are published. Returns 0, or -1 and sets e. */
static int write_restart(struct cli_md *m, struct err *e)
{
    struct cli_common c = m->common;
    c.output = m->restart;
    c.index = false;
    c.last = true; /* if the program is killed before this, the old checkpoint records the other
                    * outputs */
    struct frame_writer *w = cli_create(&c);
    if (md_job_restart(&m->job, w, e) == 0)
        return cli_settle(w, e);
    cli_drop(w);
    return -1;
}

/* Writes the state at once. Returns 0, or -1 and sets e. */
static int write_checkpoint(struct cli_md *m, struct err *e)
{
    const struct cli_common *c = &m->common;
    struct frame_writer_opts o = {
        .tool = m->tool->name, .compress = c->compress, .max_mem = c->max_mem, .at_once = true};
    bool kept = md_job_keep(&m->job, false, e) == 0;
    struct frame_writer *w = kept ? frame_create(m->restart, &o, e) : NULL;
    int bad = w ? md_job_restart(&m->job, w, e) : -1;
    return frame_close_writer(w, bad ? NULL : e) || bad ? -1 : 0;
}

/* Returns true if the run must stop. A checkpoint that cannot be written does not end the run. */
static bool pause_run(struct md_job *j)
{
    struct cli_md *m = (struct cli_md *)j;
    struct err e;
    bool stop = cli_signal() != 0;
    if (!stop && m->checkpoint > 0.0 && cli_seconds() - m->looked >= 60.0 * m->checkpoint) {
        if (write_checkpoint(m, &e) != 0)
            cli_warn("cannot write a checkpoint: %s", e.text);
        m->looked = cli_seconds();
    }
    return stop;
}

void cli_md_open(struct cli_md *m)
{
    struct err e;
    struct md_job *j = &m->job;
    const struct cli_common *c = &m->common;
    j->thermo = m->thermo;
    j->go_on = m->from_restart;
    j->line = thermo_line;
    j->keep = keep_thermo;
    j->progress = cli_progress;
    j->params.threads = c->threads;
    j->params.max_mem = c->max_mem;
    if (m->restart)
        cli_keep_inputs(c, m->restart); /* before the run, not after it */
    if (m->data)
        cli_keep_inputs(c, m->data);
    struct frame_reader *in = NULL;
    if (!j->setup->atoms && !j->data)
        in = cli_open(c, m->from_restart ? m->from_restart : cli_input(c));
    if (md_job_start(j, in, &e) != 0)
        cli_die(e.status, "%s", e.text);
    j->meta = meta_derive(in ? frame_meta(in) : NULL, m->tool->name, CLI_VERSION, c->args);
    if (in)
        frame_close_reader(in);
    for (size_t k = 0; k < j->systems; k++)
        open_files(m, k);
    if (!isnan(m->checkpoint)) {
        j->pause = pause_run;
        cli_keep_signals();
    }
}

/* ---- the end */

/* Ends a stopped run: writes the state and keeps the frames. Returns 0, or -1 and sets e if nothing
 * is kept. */
static int stop_run(struct cli_md *m, struct err *e)
{
    struct md_job *j = &m->job;
    unsigned long long left = j->left.equilibrate + j->left.steps;
    struct err why;
    if (m->partial && md_job_keep(j, true, e) != 0)
        return -1;
    if ((m->partial ? write_restart(m, e) : write_checkpoint(m, e)) != 0)
        return -1;
    err_set(&why, CLI_MACHINE, "stopped with %llu steps left (--from-restart %s continues the run)",
            left, m->restart);
    if (!m->partial) {
        *e = why; /* also for the readers of the frames */
        return 0;
    }
    cli_warn("%s", why.text);
    for (size_t k = 0; k < j->systems && m->thermo; k++)
        cli_text_printf(j->out[k].thermo, "## partial %llu steps left\n", left);
    return md_job_end(j, FRAME_PARTIAL, e);
}

static int write_data(struct cli_md *m, struct err *e)
{
    struct md_job *j = &m->job;
    struct cli_common c = m->common;
    c.output = m->data;
    struct cli_text *text = cli_text_open(&c);
    int bad = md_data_write(j->part->md, j->setup, &j->params, m->tool->name, thermo_line, text, e);
    int status = cli_text_close(text, bad ? e->status : CLI_OK);
    return bad || status == CLI_OK ? bad : err_set(e, status, "%s: cannot write", m->data);
}

static void print_speed(const struct md_job *j)
{
    unsigned long long builds = 0;
    double seconds = 0.0, atoms = 0.0;
    for (const struct md_part *a = j->part; a < j->part + j->nparts; a++) {
        builds += md_info(a->md)->builds;
        seconds = fmax(seconds, a->seconds);
        atoms += (double)a->params.natoms * (double)a->params.replicas;
    }
    double rate = seconds > 0 ? (double)j->steps / seconds : 0.0;
    cli_note("%s, %s, %llu list builds", engine_name(),
             md_neighbours_names[md_info(j->part->md)->method], builds);
    if (j->nparts > 1)
        cli_note("%zu systems on %zu engines in parallel", j->systems, j->nparts);
    cli_note("%llu steps in %.6f s: %.4g steps/s, %.4g atom-steps/s", (unsigned long long)j->steps,
             seconds, rate, rate * atoms);
}

static int finish_run(struct cli_md *m, struct err *e)
{
    struct md_job *j = &m->job;
    if ((m->restart && write_restart(m, e) != 0) || (m->data && write_data(m, e) != 0) ||
        md_job_end(j, j->lost ? FRAME_LIMITED : FRAME_COMPLETE, e) != 0)
        return -1;
    for (size_t k = 0; k < md_job_notes(j); k++)
        if (md_job_note(j, k))
            cli_warn("%s", md_job_note(j, k));
    print_speed(j);
    return 0;
}

/* Returns the exit status. The argument `status` is the status so far. */
static int close_files(struct md_job *j, const struct md_out *o, int status)
{
    j->bytes += frame_written(o->frames);
    int s = 0;
    if (status)
        cli_drop(o->frames);
    else
        s = cli_close(o->frames);
    int t = o->thermo ? cli_text_close(o->thermo, status) : 0;
    return status ? status : s ? s : t;
}

int cli_md_close(struct cli_md *m, int stopped, struct err *e)
{
    struct md_job *j = &m->job;
    int bad = stopped < 0 ? -1 : (stopped ? stop_run : finish_run)(m, e);
    int status = e->status;
    if (status) {
        (void)cli_fail(NULL, NULL, e);
        md_job_fail(j, e);
    }
    uint64_t frames = 0;
    for (size_t k = 0; k < j->systems; k++)
        status = close_files(j, &j->out[k], status);
    for (size_t k = 0; k < j->nparts; k++)
        frames += j->part[k].frames;
    if (!status)
        cli_summary(frames, j->bytes, NULL);
    md_job_free(j);
    if (stopped > 0 && !bad && !(m->partial && status))
        cli_end_by(cli_signal());
    return status;
}
