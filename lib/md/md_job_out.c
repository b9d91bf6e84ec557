/* SPDX-License-Identifier: MIT */
/* md_job_out.c: outputs of the systems of a job, and outputs from before it was stopped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "md/md_job.h"

const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept)
{
    size_t capacity = name ? strlen(name) * 24 + 1 : 0, at = 0;
    char *s = *kept = name ? calloc(capacity, 1) : NULL;
    for (; s && *name; name++)
        if (*name == '%')
            at += (size_t)snprintf(s + at, capacity - at, "%zu",
                                   j->params.replicas > 1 ? k : j->out[k].part->params.natoms);
        else
            s[at++] = *name;
    return s;
}

int md_job_lost(const struct md_job *j, size_t first, size_t n, struct err *e)
{
    for (size_t k = first; k < first + n && j->out[k].frames; k++)
        if (frame_writer_error(j->out[k].frames)->status)
            *e = *frame_writer_error(j->out[k].frames);
    return -1;
}

const struct meta *md_job_meta(struct md_job *j, size_t k, struct err *e)
{
    struct md_part *a = j->out[k].part;
    double stride = (double)j->every * a->params.dt;
    if (a->meta == NULL && (j->meta == NULL || (a->meta = meta_copy(j->meta)) == NULL ||
                            md_setup_meta(&a->setup, &a->params, stride, a->meta) != 0)) {
        err_set(e, ERR_MEMORY, "out of memory");
        return NULL;
    }
    return a->meta;
}

/* ---- earlier output */

uint64_t md_job_had(const struct md_job *j, uint64_t *last_step)
{
    uint64_t now = md_info(j->part->md)->step, every = j->had_every ? j->had_every : 1;
    *last_step = now - j->left.done % every;
    return j->had ? j->left.done / every : 0;
}

/* Passes to the writer of system k the steps that the stopped run had computed but not written.
 * Returns 0 on success, or -1 with an error message in e. */
static int put_earlier(struct md_job *j, size_t k, struct err *e)
{
    const struct md_kept *q = &j->had[k];
    const struct md_out *o = &j->out[k];
    const struct md_part *a = o->part;
    enum frame_dtype dtype = a->params.precision == MD_DOUBLE ? FRAME_F64 : FRAME_F32;
    uint64_t last;
    size_t bytes = 3 * a->params.natoms * frame_dtype_size(dtype);
    (void)md_job_had(j, &last);
    if (q->n && q->dtype != dtype)
        return err_bad(e, "--precision differs from the precision of the frames already written "
                          "(write to another file with -o)");
    for (size_t i = 0; i < q->n; i++) {
        uint64_t step = last - (q->n - 1 - i) * j->had_every;
        const char *v = q->vel;
        if (traj_put(o->traj, step / j->had_every - 1, (double)step * a->params.dt, NULL,
                     (const char *)q->pos + i * bytes, v ? v + i * bytes : NULL, NULL) != 0)
            return md_job_lost(j, k, 1, e);
    }
    return 0;
}

int md_job_out(struct md_job *j, size_t k, struct err *e)
{
    struct md_out *o = &j->out[k];
    struct md_part *a = o->part;
    enum frame_dtype dtype = a->params.precision == MD_DOUBLE ? FRAME_F64 : FRAME_F32;
    double stride = (double)j->every * a->params.dt;
    struct box box;
    if (md_job_meta(j, k, e) == NULL || traj_box(a->meta, &box, e) != 0)
        return -1;
    o->traj = traj_writer_new(o->frames, a->params.natoms, dtype, stride, &box);
    if (o->traj == NULL)
        return err_set(e, ERR_MEMORY, "out of memory for frames of %zu atoms", a->params.natoms);
    if (frame_in_segment(o->frames)) /* the segment continues */
        return put_earlier(j, k, e);
    return frame_put_meta(o->frames, a->meta) != 0 ? md_job_lost(j, k, 1, e) : 0;
}

int md_job_salvage(struct md_job *j, size_t k, struct err *e)
{
    struct md_out *o = &j->out[k];
    int bad = md_job_out(j, k, e) != 0;
    if (!bad && (traj_flush(o->traj) != 0 || frame_end(o->frames, FRAME_PARTIAL, NULL, NULL) != 0))
        bad = md_job_lost(j, k, 1, e);
    traj_writer_free(o->traj);
    o->traj = NULL;
    return bad ? -1 : 0;
}

int md_job_keep(struct md_job *j, bool published, struct err *e)
{
    if (j->left.done == 0)
        return 0;
    if (j->kept == NULL && (j->kept = calloc(j->systems, sizeof *j->kept)) == NULL)
        return err_memory(e, "the names of outputs");
    for (size_t k = 0; k < j->systems; k++) {
        struct md_kept *q = &j->kept[k];
        const struct md_out *o = &j->out[k];
        const char *name = frame_writer_name(o->frames);
        int frames = frame_keep(o->frames, &q->mark, e),
            lines = frames >= 0 && o->thermo ? j->keep(o->thermo, &q->thermo_bytes, e) : 1;
        if (frames < 0 || lines < 0)
            return -1;
        free(q->frames);
        free(q->thermo);
        q->frames = frames == 0 && name ? strdup(name) : NULL;
        q->thermo = lines == 0 && o->thermo_name ? strdup(o->thermo_name) : NULL;
        q->published = published;
        q->lost = j->lost;
        q->dtype = o->part->params.precision == MD_DOUBLE ? FRAME_F64 : FRAME_F32;
        q->n = frames == 0 ? traj_pending(o->traj, &q->pos, &q->vel) : 0;
    }
    return 0;
}

/* ---- the end */

int md_job_restart(struct md_job *j, struct frame_writer *w, struct err *e)
{
    struct md_start_state b = {.step = md_info(j->part->md)->step};
    int bad = md_start_room(&j->params, &b, e);
    for (size_t k = 0; k < j->nparts && !bad; k++) {
        struct md_part *a = &j->part[k];
        size_t at = 3 * a->params.natoms * a->first;
        if ((bad = md_state(a->md, b.r + at, b.v + at)) != 0)
            *e = md_info(a->md)->err;
    }
    b.kept = j->left.steps ? j->kept : NULL;
    if (!bad)
        bad = md_restart_write(w, &b, &j->params, &j->left, j->part->meta, e);
    b.kept = NULL;
    md_start_free(&b);
    return bad;
}

int md_job_end(struct md_job *j, enum frame_status status, struct err *e)
{
    for (size_t k = 0; k < j->systems; k++)
        if (traj_flush(j->out[k].traj) != 0 || frame_end(j->out[k].frames, status, NULL, NULL) != 0)
            return md_job_lost(j, k, 1, e);
    return 0;
}

void md_job_fail(struct md_job *j, const struct err *why)
{
    for (size_t k = 0; k < j->systems; k++) {
        struct md_out *o = &j->out[k];
        if (frame_in_segment(o->frames) && traj_flush(o->traj) == 0)
            (void)frame_fail(o->frames, why, NULL);
    }
}
