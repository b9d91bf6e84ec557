/* SPDX-License-Identifier: MIT */
#include "md/md_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/traj.h"

/* What one replica writes. */
struct md_out {
    struct frame_writer *frames;
    struct traj_writer *traj;
    struct cli_text *thermo;
    char *frames_name, *thermo_name;
    struct cli_common common; /* with the replica's file names */
};

#define MD_SAY(status, ...) return snprintf(err, errlen, __VA_ARGS__), (status)

/* name with every % replaced by the replica's number, malloc'ed; NULL stays NULL. */
static char *md_job_name(const char *name, size_t replica, size_t replicas)
{
    if (name == NULL)
        return NULL;
    size_t room = strlen(name) * 24 + 1, at = 0;
    char *s = malloc(room);
    for (; s && *name; name++)
        if (*name == '%' && replicas > 1)
            at += (size_t)snprintf(s + at, room - at, "%zu", replica);
        else
            s[at++] = *name;
    if (s)
        s[at] = '\0';
    return s;
}

static int md_job_begin(struct md_job *j, struct md_begin *b, char *err, size_t errlen)
{
    const struct cli_common *c = j->common;
    if (j->setup->atoms && (c->noperands || j->from_restart))
        MD_SAY(CLI_BAD, "--atoms makes a new system: no %s then",
               c->noperands ? "input file" : "--from-restart");
    if (j->from_restart && c->noperands)
        MD_SAY(CLI_BAD, "--from-restart and an input file exclude each other");
    if (j->setup->atoms) {
        j->meta = meta_derive(NULL, j->tool, CLI_VERSION, c->args);
        return md_begin_new(j->setup, &j->params, b, err, errlen);
    }
    struct frame_reader *in = cli_open(c, j->from_restart ? j->from_restart : cli_input(c));
    int status = j->from_restart ? md_begin_restart(in, j->setup, &j->params, b, err, errlen)
                                 : md_begin_stream(in, j->setup, &j->params, b, err, errlen);
    if (status && strncmp(err, frame_name(in), strlen(frame_name(in))) != 0) {
        char text[FRAME_ERR_BYTES];
        snprintf(text, sizeof text, "%s", err);
        snprintf(err, errlen, "%s: %s", frame_name(in), text);
    }
    j->meta = status ? NULL : meta_derive(frame_meta(in), j->tool, CLI_VERSION, c->args);
    frame_close_reader(in);
    return status;
}

static int md_job_engine(struct md_job *j, char *err, size_t errlen)
{
    struct md_begin b = {0};
    int status = md_job_begin(j, &b, err, errlen);
    if (status == 0 && j->meta == NULL) {
        snprintf(err, errlen, "out of memory");
        status = CLI_MACHINE;
    }
    if (status == 0) {
        j->params.threads = j->common->threads;
        j->params.max_mem = j->common->max_mem;
        j->params.devices = j->devices;
        j->md = md_open(&j->params, b.r, b.v, b.step, b.aux, b.aux_bytes, &status, err, errlen);
        if (j->md != NULL)
            status = 0;
    }
    md_begin_free(&b);
    return status;
}

int md_job_open(struct md_job *j, char *err, size_t errlen)
{
    size_t n = j->setup->replicas;
    const char *names[] = {j->common->output, j->thermo ? j->thermo : "%"};
    for (int k = 0; k < 2 && n > 1; k++)
        if (names[k] == NULL || strchr(names[k], '%') == NULL)
            MD_SAY(CLI_BAD, "--replicas writes a file each: %s needs a %% in its name",
                   k ? "--thermo" : "-o FILE");
    int status = md_job_engine(j, err, errlen);
    if (status)
        return status;
    n = j->params.replicas;
    double stride = (double)j->every * j->params.dt;
    struct box box;
    j->out = calloc(n, sizeof *j->out);
    if (j->out == NULL || md_setup_meta(j->setup, &j->params, stride, j->meta) != 0)
        MD_SAY(CLI_MACHINE, "out of memory");
    struct err e;
    if (traj_box(j->meta, &box, &e) != 0)
        MD_SAY(CLI_BAD, "%s", e.text);
    enum frame_dtype dtype = j->params.precision == MD_DOUBLE ? FRAME_F64 : FRAME_F32;
    for (size_t k = 0; k < n; k++) {
        struct md_out *o = &j->out[k];
        o->common = *j->common;
        o->frames_name = md_job_name(j->common->output, k, n);
        o->thermo_name = md_job_name(j->thermo, k, n);
        if (o->thermo_name) {
            o->common.output = o->thermo_name;
            o->thermo = cli_text_open(&o->common);
            cli_text_printf(o->thermo, "# %s\n## origin %s %s\n", md_thermo_legend(j->setup),
                            j->tool, j->common->args);
        }
        o->common.output = o->frames_name;
        o->common.threads = j->common->threads > (int)n ? j->common->threads / (int)n : 1;
        o->frames = cli_create(&o->common);
        o->traj = traj_writer_new(o->frames, j->params.natoms, dtype, stride, &box);
        if (o->traj == NULL)
            MD_SAY(CLI_MACHINE, "out of memory for frames of %zu atoms", j->params.natoms);
        if (frame_put_meta(o->frames, j->meta) != 0)
            MD_SAY(CLI_MACHINE, "%s", frame_writer_error(o->frames)->text);
    }
    return 0;
}

static int md_job_sample(void *ctx, const struct md_sample *s)
{
    struct md_job *j = ctx;
    struct md_out *o = &j->out[s->replica];
    char line[MD_THERMO_LINE];
    if (s->thermo && o->thermo) {
        md_thermo_line(j->setup, &j->params, s->step, s->thermo, line);
        cli_text_printf(o->thermo, "%s\n", line);
    }
    if (s->pos == NULL)
        return 0;
    uint64_t index = s->step / j->every > 0 ? s->step / j->every - 1 : 0;
    if (traj_put(o->traj, index, (double)s->step * j->params.dt, NULL, s->pos, NULL) != 0)
        return 1;
    j->frames++;
    cli_progress(s->step, j->steps, "steps");
    return 0;
}

/* Equilibration in pieces, so that progress can be shown. */
static int md_job_warm(struct md_job *j)
{
    uint64_t piece = j->equilibrate / 100 > 10000 ? j->equilibrate / 100 : 10000;
    for (uint64_t done = 0; done < j->equilibrate; done += piece) {
        if (md_run(j->md, piece < j->equilibrate - done ? piece : j->equilibrate - done, 0, 0, NULL,
                   NULL) != 0)
            return -1;
        cli_progress(done, j->equilibrate, "steps of equilibration");
    }
    if (j->equilibrate > 0)
        md_set_step(j->md, 0);
    return 0;
}

static int md_job_restart(struct md_job *j, char *err, size_t errlen)
{
    struct cli_common c = *j->common;
    c.output = j->restart;
    struct frame_writer *w = cli_create(&c);
    int bad = md_restart_write(w, j->md, &j->params, j->meta, err, errlen);
    struct err closing;
    if (frame_close_writer(w, &closing) != 0 && !bad) {
        snprintf(err, errlen, "%s", closing.text);
        bad = -1;
    }
    return bad;
}

int md_job_run(struct md_job *j, char *err, size_t errlen)
{
    unsigned pos = j->params.precision == MD_DOUBLE ? MD_WANT_F64 : MD_WANT_F32,
             heat = j->thermo ? MD_WANT_THERMO : 0;
    j->status = CLI_MACHINE;
    int bad = md_job_warm(j);
    if (!bad && heat && !j->from_restart)
        bad = md_measure(j->md, heat, md_job_sample, j);
    double start = cli_seconds();
    if (!bad)
        bad = md_run(j->md, j->steps, j->every, pos | heat, md_job_sample, j);
    j->seconds = cli_seconds() - start;
    if (bad < 0) {
        j->status = md_error_status(j->md);
        MD_SAY(-1, "%s", md_error(j->md));
    }
    for (size_t k = 0; k < j->params.replicas; k++) {
        struct md_out *o = &j->out[k];
        if (bad || traj_flush(o->traj) != 0 ||
            (j->restart == NULL && frame_end(o->frames, FRAME_COMPLETE, NULL, NULL) != 0)) {
            for (size_t l = 0; l < j->params.replicas; l++) /* the one that failed */
                if (frame_writer_error(j->out[l].frames)->status)
                    o = &j->out[l];
            MD_SAY(-1, "%s", frame_writer_error(o->frames)->text);
        }
    }
    if (j->restart == NULL)
        return 0;
    if (md_job_restart(j, err, errlen) !=
        0) /* before END: a stream without its restart is not whole */
        return -1;
    for (size_t k = 0; k < j->params.replicas; k++)
        if (frame_end(j->out[k].frames, FRAME_COMPLETE, NULL, NULL) != 0)
            MD_SAY(-1, "%s", frame_writer_error(j->out[k].frames)->text);
    return 0;
}

static void md_job_free(struct md_job *j)
{
    for (size_t k = 0; j->out && k < j->params.replicas; k++) {
        traj_writer_free(j->out[k].traj);
        free(j->out[k].frames_name);
        free(j->out[k].thermo_name);
    }
    free(j->out);
    meta_free(j->meta);
    md_close(j->md);
}

int md_job_fail(struct md_job *j, const char *err)
{
    struct err why;
    err_set(&why, j->status, "%s", err);
    cli_error("%s", err);
    for (size_t k = 0; k < j->params.replicas; k++) {
        struct md_out *o = &j->out[k];
        if (frame_in_segment(o->frames) && traj_flush(o->traj) == 0)
            (void)frame_fail(o->frames, &why, NULL);
        (void)frame_close_writer(o->frames, NULL);
        if (o->thermo)
            (void)cli_text_close(o->thermo, j->status);
    }
    int status = j->status;
    md_job_free(j);
    return status;
}

int md_job_close(struct md_job *j)
{
    int status = CLI_OK;
    for (size_t k = 0; k < j->params.replicas; k++) {
        struct md_out *o = &j->out[k];
        j->bytes += frame_written(o->frames);
        int s = o->thermo ? cli_text_close(o->thermo, CLI_OK) : CLI_OK, f = cli_close(o->frames);
        status = f ? f : s ? s : status;
    }
    md_job_free(j);
    return status;
}
