/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
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
            return err_set(e, ERR_BAD, "not a restart file: %s is missing or wrong", LEFT[k].key);
        *left_field(left, k) = v;
    }
    if (stopped &&
        (left->every < 1 || left->thermo_every < 1 || left->steps > UINT64_MAX - left->done))
        return err_set(e, ERR_BAD, "not a restart file: data.md_left is wrong");
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
        if (frame_put_meta(w, copy) || frame_put(w, &d, b->r + n * k) ||
            frame_put(w, &v, b->v + n * k) || frame_end(w, FRAME_COMPLETE, NULL, NULL)) {
            *e = *frame_writer_error(w);
            bad = -1;
        }
    meta_free(copy);
    return bad;
}

/* META of the first segment: parameters and room. */
static int md_restart_meta(const struct meta *m, struct md_setup *s, struct md_params *p,
                           struct md_start_state *b, struct md_left *left, struct err *e)
{
    struct box box;
    unsigned long long natoms, step, replicas;
    if (meta_get_u64(m, "data.md_step", &step) != 1 ||
        meta_get_u64(m, "data.md_replicas", &replicas) != 1 ||
        meta_get_u64(m, "sys.natoms", &natoms) != 1 || replicas < 1)
        return err_set(e, ERR_BAD,
                       "expected a restart file of md, found none (data.md_step is missing)");
    if (md_setup_from_meta(s, m, e) != 0 || md_left_read(m, left, e) != 0 ||
        traj_box(m, &box, e) != 0)
        return -1;
    s->atoms = natoms;
    s->replicas = replicas;
    b->step = step;
    if (md_start_box(s, &box, e) != 0 || md_setup_params(s, p, e) != 0)
        return -1;
    return md_start_room(p, b, e);
}

/* An array of segment `segment`, counted from 1; have: 1 positions, 2 velocities. */
static int md_restart_array(const struct frame *f, const struct md_params *p,
                            struct md_start_state *b, size_t segment, unsigned *have, struct err *e)
{
    size_t n = 3 * p->natoms * sizeof *b->r;
    bool posn = f->desc.type == FRAME_POSN;
    if (!posn && f->desc.type != FRAME_VELO)
        return 0;
    if (f->desc.dtype != FRAME_F64 || f->bytes != n || segment > p->replicas)
        return err_set(e, ERR_BAD, "restart: %s does not hold %zu atoms in f64", f->desc.code,
                       p->natoms);
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
        return err_set(e, ERR_BAD,
                       "--atoms, --density, --cell, --start, --units and --boundary are those of "
                       "the restart file");
    while (!bad && (got = frame_next(in, &f)) > 0) {
        if (f.desc.type == FRAME_META) {
            if (have == 3 && segments++ == 0)
                bad = md_restart_meta(frame_meta(in), s, p, b, left, e);
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
        return err_set(e, ERR_BAD,
                       "restart: expected positions and velocities of %zu replicas, found %zu",
                       p->replicas, segments);
    return 0;
}
