/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "md/md_start.h"

static const struct {
    const char *key;
    size_t at;
} LEFT[] = {{"data.md_left_equilibrate", offsetof(struct md_left, equilibrate)},
            {"data.md_left_steps", offsetof(struct md_left, steps)},
            {"data.md_left_done", offsetof(struct md_left, done)},
            {"data.md_left_every", offsetof(struct md_left, every)},
            {"data.md_left_thermo_every", offsetof(struct md_left, thermo_every)},
            {"data.md_left_first", offsetof(struct md_left, first)}};
#define NLEFT (sizeof LEFT / sizeof *LEFT)

static uint64_t *left_field(const struct md_left *left, size_t k)
{
    return (uint64_t *)(uintptr_t)((const char *)left + LEFT[k].at);
}

static int md_left_write(const struct md_left *left, struct meta *m)
{
    int bad = 0;
    for (size_t k = 0; k < NLEFT && (left->equilibrate || left->steps); k++)
        bad |= meta_setf(m, LEFT[k].key, "%llu", (unsigned long long)*left_field(left, k));
    return bad;
}

static int md_left_read(const struct meta *m, struct md_left *left, struct err *e)
{
    unsigned long long v;
    bool stopped = meta_get(m, LEFT[0].key) != NULL;
    *left = (struct md_left){0};
    for (size_t k = 0; k < NLEFT && stopped; k++) {
        if (meta_get_u64(m, LEFT[k].key, &v) != 1)
            return err_bad(e, "not a restart file: %s is missing or wrong", LEFT[k].key);
        *left_field(left, k) = v;
    }
    if (stopped &&
        (left->every < 1 || left->thermo_every < 1 || left->steps > UINT64_MAX - left->done))
        return err_bad(e, "not a restart file: data.md_left is wrong");
    return 0;
}

/* ---- earlier output */

static int md_kept_write(const struct md_kept *q, struct meta *m)
{
    return meta_set(m, "data.md_out.frames", q->frames) |
           meta_setf(m, "data.md_out.bytes", "%llu", (unsigned long long)q->mark.bytes) |
           meta_set(m, "data.md_out.hash", q->mark.hash) |
           meta_set(m, "data.md_out.thermo", q->thermo) |
           meta_setf(m, "data.md_out.thermo_bytes", "%llu", (unsigned long long)q->thermo_bytes) |
           meta_setf(m, "data.md_out.lost", "%llu", (unsigned long long)q->lost) |
           meta_setf(m, "data.md_out.published", "%d", q->published);
}

/* Writes the unwritten steps. Returns 0, or -1 with the writer's error. */
static int md_kept_steps(struct frame_writer *w, const struct md_kept *q, uint64_t natoms)
{
    struct frame_desc d = {.type = FRAME_OTHER,
                           .code = "PEND",
                           .dtype = q->dtype,
                           .ndim = 3,
                           .dims = {q->n, natoms, 3},
                           .time = NAN,
                           .flags = FRAME_COPYSAFE};
    return q->n && (frame_put(w, &d, q->pos) || (q->vel && frame_put(w, &d, q->vel))) ? -1 : 0;
}

/* Reads the earlier output from META, if present. Files before version 0.2 have no earlier output.
 * Returns 0, or -1 and sets e. */
static int md_kept_read(const struct meta *m, struct md_kept *q, struct err *e)
{
    static const char *const key[] = {"data.md_out.bytes", "data.md_out.thermo_bytes",
                                      "data.md_out.lost", "data.md_out.published"};
    unsigned long long v[4] = {0};
    const char *hash = meta_get(m, "data.md_out.hash");
    const char *frames = meta_get(m, "data.md_out.frames");
    const char *thermo = meta_get(m, "data.md_out.thermo");
    if (!hash)
        return 0;
    for (int k = 0; k < 4; k++)
        if (meta_get_u64(m, key[k], &v[k]) != 1)
            return err_bad(e, "not a restart file: %s is missing or wrong", key[k]);
    q->mark.bytes = v[0];
    q->thermo_bytes = v[1];
    q->lost = v[2];
    q->published = v[3] != 0;
    snprintf(q->mark.hash, sizeof q->mark.hash, "%s", hash);
    free(q->frames);
    free(q->thermo);
    q->frames = frames ? strdup(frames) : NULL;
    q->thermo = thermo ? strdup(thermo) : NULL;
    return 0;
}

/* Takes a PEND array, first the positions and then the velocities. Returns 0, or -1 and sets e. */
static int md_kept_array(const struct frame *f, const struct md_params *p, struct md_kept *q,
                         struct err *e)
{
    const struct frame_desc *d = &f->desc;
    int which = q->own[0] != NULL;
    if (strcmp(d->code, "PEND") != 0)
        return 0;
    if (d->ndim != 3 || d->dims[1] != p->natoms || d->dims[2] != 3 || d->dims[0] == 0 ||
        (d->dtype != FRAME_F32 && d->dtype != FRAME_F64) || q->own[1] ||
        (which && (d->dims[0] != q->n || d->dtype != q->dtype)))
        return err_bad(e,
                       "restart file: expected positions and velocities of %zu atoms in two PEND "
                       "arrays of equal size, found another array",
                       p->natoms);
    if (!(q->own[which] = malloc(f->bytes)))
        return err_memory(e, "unwritten steps");
    memcpy(q->own[which], f->data, f->bytes);
    q->n = (size_t)d->dims[0];
    q->dtype = d->dtype;
    q->pos = q->own[0];
    q->vel = q->own[1];
    return 0;
}

int md_restart_write(struct frame_writer *w, const struct md_start_state *b,
                     const struct md_params *p, const struct md_left *left, const struct meta *meta,
                     struct err *e)
{
    size_t n = 3 * p->natoms;
    uint64_t step = b->step;
    struct meta *copy = meta_copy(meta);
    int bad = 0;
    if (copy == NULL || meta_set(copy, "data.quantity", "restart") != 0 ||
        meta_setf(copy, "data.md_step", "%llu", (unsigned long long)step) != 0 ||
        meta_setf(copy, "data.md_replicas", "%zu", p->replicas) != 0 ||
        md_left_write(left, copy) != 0)
        bad = err_set(e, ERR_MEMORY, "out of memory");
    struct frame_desc d = {.type = FRAME_POSN,
                           .dtype = FRAME_F64,
                           .ndim = 3,
                           .dims = {1, p->natoms, 3},
                           .index = step,
                           .time = (double)step * p->dt};
    struct frame_desc v = d;
    v.type = FRAME_VELO;
    v.flags = FRAME_COPYSAFE;
    for (size_t k = 0; !bad && k < p->replicas; k++)
        if (b->kept && md_kept_write(&b->kept[k], copy))
            bad = err_set(e, ERR_MEMORY, "out of memory");
        else if (frame_put_meta(w, copy) || frame_put(w, &d, b->r + n * k) ||
                 frame_put(w, &v, b->v + n * k) ||
                 (b->kept && md_kept_steps(w, &b->kept[k], p->natoms)) ||
                 frame_end(w, FRAME_COMPLETE, NULL, NULL)) {
            *e = *frame_writer_error(w);
            bad = -1;
        }
    meta_free(copy);
    return bad;
}

/* Takes parameters from the META of the first segment and allocates memory. */
static int md_restart_meta(const struct meta *m, struct md_setup *s, struct md_params *p,
                           struct md_start_state *b, struct md_left *left, struct err *e)
{
    struct box box;
    unsigned long long natoms, step, replicas;
    if (meta_get_u64(m, "data.md_step", &step) != 1 ||
        meta_get_u64(m, "data.md_replicas", &replicas) != 1 ||
        meta_get_u64(m, "sys.natoms", &natoms) != 1 || replicas < 1)
        return err_bad(e, "expected a restart file of md-cpu or md-gpu, found a file without the "
                          "key data.md_step");
    if (md_setup_from_meta(s, m, e) != 0 || md_left_read(m, left, e) != 0 ||
        traj_box(m, &box, e) != 0)
        return -1;
    s->atoms = natoms;
    s->replicas = replicas;
    b->step = step;
    if (md_start_box(s, &box, e) != 0 || md_setup_params(s, p, e) != 0 ||
        md_start_room(p, b, e) != 0)
        return -1;
    b->kept = calloc(p->replicas, sizeof *b->kept);
    b->nkept = b->kept ? p->replicas : 0;
    return b->kept ? 0 : err_memory(e, "replicas");
}

/* Takes an array of segment `segment`, from 1. Bits of `have`: 1 positions, 2 velocities. */
static int md_restart_array(const struct frame *f, const struct md_params *p,
                            struct md_start_state *b, size_t segment, unsigned *have, struct err *e)
{
    size_t n = 3 * p->natoms * sizeof *b->r;
    bool posn = f->desc.type == FRAME_POSN;
    if (f->desc.type == FRAME_OTHER && segment <= p->replicas)
        return md_kept_array(f, p, &b->kept[segment - 1], e);
    if (!posn && f->desc.type != FRAME_VELO)
        return 0;
    if (f->desc.dtype != FRAME_F64 || f->bytes != n || segment > p->replicas)
        return err_bad(
            e, "restart file: expected %s to be an f64 array of %zu atoms, found another array",
            f->desc.code, p->natoms);
    memcpy((posn ? b->r : b->v) + 3 * p->natoms * (segment - 1), f->data, n);
    *have |= posn ? 1u : 2u;
    return 0;
}

int md_restart_read(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct md_left *left, struct err *e)
{
    struct frame f;
    size_t segments = 0;
    unsigned have = 3;
    int got, bad = 0;
    if (s->atoms || !isnan(s->density) || !isnan(s->cell[0]) || s->start >= 0 || s->units >= 0 ||
        s->boundary >= 0)
        return err_bad(e, "--atoms, --density, --cell, --start, --units and --boundary cannot be "
                          "given with a restart file, which defines them");
    while (!bad && (got = frame_next(in, &f)) > 0) {
        if (f.desc.type == FRAME_META) {
            if (have == 3 && segments++ == 0)
                bad = md_restart_meta(frame_meta(in), s, p, b, left, e);
            if (!bad && segments <= p->replicas)
                bad = md_kept_read(frame_meta(in), &b->kept[segments - 1], e);
            have = 0;
        } else if (f.desc.type != FRAME_END)
            bad = md_restart_array(&f, p, b, segments, &have, e);
    }
    if (bad)
        return -1;
    if (got < 0) {
        *e = *frame_error(in);
        return -1;
    }
    if (segments != p->replicas || have != 3)
        return err_bad(e,
                       "restart file: expected positions and velocities of %zu replicas, found "
                       "%zu replicas",
                       p->replicas, segments);
    for (size_t k = 0; k < segments; k++)
        if (b->kept[k].n > (left->every ? left->done / left->every : 0))
            return err_bad(
                e, "restart file: the array PEND contains more steps than the run has computed");
    return 0;
}
