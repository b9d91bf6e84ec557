/* SPDX-License-Identifier: MIT */
#include "md/md_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "md/md_data.h"

#include "md/md_formulas.h"

/* Without --thermo: looks at the temperature, so few that they cost nothing */
#define LOOKS 32
#define LOOK_EVERY 200

static double md_job_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept)
{
    size_t room = name ? strlen(name) * 24 + 1 : 0, at = 0;
    char *s = *kept = name ? calloc(room, 1) : NULL;
    for (; s && *name; name++)
        if (*name == '%' && j->params.replicas > 1)
            at += (size_t)snprintf(s + at, room - at, "%zu", k);
        else
            s[at++] = *name;
    return s;
}

int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e)
{
    struct md_start_state b = {0};
    int bad = j->data      ? md_data_read(j->data, j->setup, &j->params, &b, e)
              : in == NULL ? md_start_new(j->setup, &j->params, &b, e)
              : j->go_on   ? md_restart_read(in, j->setup, &j->params, &b, e)
                           : md_start_stream(in, j->setup, &j->params, &b, e);
    const char *name = in ? frame_name(in) : "";
    if (bad && in && strncmp(e->text, name, strlen(name)) != 0)
        err_set(e, e->status, "%s: %s", name, e->text);
    if (!bad) {
        j->md = md_open(&j->params, b.r, b.v, b.step, e);
        j->out = calloc(j->params.replicas, sizeof *j->out);
        bad = j->md == NULL ? -1 : j->out == NULL ? err_set(e, ERR_MEMORY, "out of memory") : 0;
    }
    md_start_free(&b);
    return bad;
}

/* The error of the writer that failed. */
static int md_job_lost(const struct md_job *j, struct err *e)
{
    for (size_t k = 0; k < j->params.replicas && j->out[k].frames; k++)
        if (frame_writer_error(j->out[k].frames)->status)
            *e = *frame_writer_error(j->out[k].frames);
    return -1;
}

int md_job_out(struct md_job *j, size_t k, struct err *e)
{
    enum frame_dtype dtype = j->params.precision == MD_DOUBLE ? FRAME_F64 : FRAME_F32;
    double stride = (double)j->every * j->params.dt;
    struct md_out *o = &j->out[k];
    struct box box;
    if (j->meta == NULL || md_setup_meta(j->setup, &j->params, stride, j->meta) != 0)
        return err_set(e, ERR_MEMORY, "out of memory");
    if (traj_box(j->meta, &box, e) != 0)
        return -1;
    o->traj = traj_writer_new(o->frames, j->params.natoms, dtype, stride, &box);
    if (o->traj == NULL)
        return err_set(e, ERR_MEMORY, "out of memory for frames of %zu atoms", j->params.natoms);
    return frame_put_meta(o->frames, j->meta) != 0 ? md_job_lost(j, e) : 0;
}

/* For md_job_note. */
static void md_job_watch(struct md_job *j, const struct md_sample *s)
{
    struct md_watch *w = &j->watch;
    bool fcc = !j->go_on && j->setup->atoms && j->setup->start != MD_RANDOM;
    if (s->thermo && s->step > 0) {
        w->kinetic += s->thermo->kinetic;
        w->n++;
    }
    if (s->pos && fcc && s->step + j->every > j->steps)
        w->order = j->params.precision == MD_DOUBLE
                       ? md_fcc_order(&j->params, NULL, (const double *)s->pos)
                       : md_fcc_order(&j->params, (const float *)s->pos, NULL);
}

const char *md_job_note(const struct md_job *j, int which)
{
    static char text[400];
    const struct md_params *p = &j->params;
    const struct md_watch *w = &j->watch;
    double dof = md_dof(p), t = w->n ? 2.0 * w->kinetic / (dof * p->kb * (double)w->n) : NAN;
    if (which == 0 && p->temperature > 0.0 &&
        fabs(t / p->temperature - 1.0) > 0.05 + 2.0 * sqrt(2.0 / dof) &&
        (p->tau > 0.0 || !j->go_on)) {
        snprintf(text, sizeof text,
                 "the mean temperature of the run is %.4g%s, %.4g was wanted: --thermostat "
                 "berendsen:%s and --equilibrate bring it there%s",
                 t, p->kb == 1.0 ? "" : " K", p->temperature, p->kb == 1.0 ? "1" : "0.5",
                 p->tau > 0.0 ? " (longer)" : "");
        return text;
    }
    /* a fluid's order is about N^-1/2 with a tail; a crystal near its melting point has 0.7 */
    if (which == 1 && w->order > 0.5 && p->natoms >= 32) {
        snprintf(text, sizeof text,
                 "the lattice that the run began as still stands (%.2f of its order): no liquid. "
                 "Equilibrate longer or hotter, or --start random",
                 w->order);
        return text;
    }
    return NULL;
}

static int md_job_sample(void *ctx, const struct md_sample *s)
{
    struct md_job *j = ctx;
    struct md_out *o = &j->out[s->replica];
    char line[MD_THERMO_LINE];
    if (s->replica == 0)
        md_job_watch(j, s);
    if (s->thermo && o->thermo) {
        md_thermo_line(j->setup, &j->params, s->step, s->thermo, j->stress, line);
        j->line(o->thermo, line);
    }
    if (s->pos == NULL)
        return 0;
    uint64_t index = s->step / j->every > 0 ? s->step / j->every - 1 : 0;
    double time = (double)s->step * j->params.dt;
    if (traj_put(o->traj, index, time, NULL, s->pos, s->vel) != 0)
        return 1;
    j->frames++;
    j->progress(s->step, j->steps, "steps");
    return 0;
}

/* Equilibration in pieces, so that progress can be shown. */
static int md_job_warm(struct md_job *j)
{
    uint64_t piece = j->equilibrate / 100 > 10000 ? j->equilibrate / 100 : 10000;
    for (uint64_t done = 0; done < j->equilibrate; done += piece) {
        uint64_t left = j->equilibrate - done;
        if (md_run(j->md, piece < left ? piece : left, NULL) != 0)
            return -1;
        j->progress(done, j->equilibrate, "steps of equilibration");
    }
    if (j->equilibrate > 0)
        md_set_step(j->md, 0);
    return 0;
}

static struct md_samples md_job_samples(struct md_job *j)
{
    unsigned totals = j->thermo && j->stress ? MD_WANT_THERMO | MD_WANT_STRESS : MD_WANT_THERMO;
    uint64_t look = j->steps / LOOKS > LOOK_EVERY ? j->steps / LOOKS : LOOK_EVERY;
    unsigned frame = (j->params.precision == MD_DOUBLE ? MD_WANT_F64 : MD_WANT_F32) |
                     (j->velocities ? MD_WANT_VELOCITIES : 0);
    return (struct md_samples){.want = totals | frame,
                               .every = j->every,
                               .thermo_every = j->thermo ? j->thermo_every : look,
                               .sink = md_job_sample,
                               .ctx = j};
}

size_t md_job_bytes(struct md_job *j)
{
    struct md_samples s = md_job_samples(j);
    return md_bytes(j->md, &s, j->steps);
}

int md_job_run(struct md_job *j, struct err *e)
{
    struct md_samples s = md_job_samples(j), first = s;
    first.want &= MD_WANT_THERMO | MD_WANT_STRESS;
    int bad = md_job_warm(j);
    if (!bad && j->thermo && !j->go_on)
        bad = md_measure(j->md, &first);
    double start = md_job_clock();
    if (!bad)
        bad = md_run(j->md, j->steps, &s);
    j->seconds = md_job_clock() - start;
    if (bad < 0) {
        *e = md_info(j->md)->err;
        return -1;
    }
    for (size_t k = 0; k < j->params.replicas && !bad; k++)
        bad = traj_flush(j->out[k].traj);
    return bad ? md_job_lost(j, e) : 0;
}

int md_job_end(struct md_job *j, struct err *e)
{
    for (size_t k = 0; k < j->params.replicas; k++)
        if (frame_end(j->out[k].frames, FRAME_COMPLETE, NULL, NULL) != 0)
            return md_job_lost(j, e);
    return 0;
}

void md_job_fail(struct md_job *j, const struct err *why)
{
    for (size_t k = 0; k < j->params.replicas; k++) {
        struct md_out *o = &j->out[k];
        if (frame_in_segment(o->frames) && traj_flush(o->traj) == 0)
            (void)frame_fail(o->frames, why, NULL);
    }
}

void md_job_free(struct md_job *j)
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
