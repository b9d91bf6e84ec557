/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "md/md_setup.h"
#include "stream/traj.h"

int md_setup_from_meta(struct md_setup *s, const struct meta *m, char *err, size_t errlen);

#define MD_SAY(status, ...) return snprintf(err, errlen, __VA_ARGS__), (status)

void md_begin_free(struct md_begin *b)
{
    free(b->r);
    free(b->v);
    free(b->aux);
    memset(b, 0, sizeof *b);
}

static int md_begin_room(const struct md_params *p, struct md_begin *b, char *err, size_t errlen)
{
    size_t n, bytes;
    bool over = __builtin_mul_overflow(p->natoms, p->replicas, &n) ||
                __builtin_mul_overflow(n, 3 * sizeof *b->r, &bytes);
    b->r = over ? NULL : malloc(bytes);
    b->v = over ? NULL : malloc(bytes);
    if (b->r == NULL || b->v == NULL)
        MD_SAY(CLI_MACHINE, "out of memory for %zu atoms", p->natoms);
    return 0;
}

int md_begin_new(struct md_setup *s, struct md_params *p, struct md_begin *b, char *err,
                 size_t errlen)
{
    if (md_setup_params(s, p, err, errlen) != 0 || md_check(p, NULL, NULL, err, errlen) != 0)
        return CLI_BAD;
    if (md_begin_room(p, b, err, errlen) != 0)
        return CLI_MACHINE;
    for (size_t k = 0; k < p->replicas; k++)
        if (md_init(p, (enum md_start)s->start, s->seed + k, b->r + 3 * p->natoms * k,
                    b->v + 3 * p->natoms * k, err, errlen) != 0)
            return CLI_BAD;
    return 0;
}

/* What the stream says about its box must fit this engine. */
static int md_begin_box(struct md_setup *s, const struct box *box, char *err, size_t errlen)
{
    int periodic = box->pbc[0] + box->pbc[1] + box->pbc[2];
    if (box_volume(box) == 0.0) {
        if (isnan(s->cell[0]))
            MD_SAY(CLI_BAD, "the stream has no cell: --cell is needed");
    } else if (!isnan(s->cell[0]))
        MD_SAY(CLI_BAD, "--cell is given, and the stream has its own");
    else if (!box->ortho)
        MD_SAY(CLI_BAD, "expected a cell with right angles, found a triclinic one");
    else if (periodic != 0 && periodic != 3)
        MD_SAY(CLI_BAD, "expected a cell periodic along all axes or none, found %d of 3", periodic);
    else {
        for (int k = 0; k < 3; k++)
            s->cell[k] = box->h[k][k];
        if (s->boundary < 0)
            s->boundary = periodic ? MD_PERIODIC : MD_MIRROR;
    }
    return 0;
}

static int md_begin_last(struct traj_reader *t, struct md_setup *s, struct md_params *p,
                         struct md_begin *b, char *err, size_t errlen)
{
    const struct traj_info *i = traj_info(t);
    struct traj_block block;
    struct box box = i->box;
    size_t n = 3 * i->natoms;
    bool any = false;
    int got;
    s->atoms = i->natoms;
    p->natoms = i->natoms;
    p->replicas = s->replicas;
    if (traj_expected(t) > 1)
        traj_seek(t, traj_expected(t) - 1);
    if (md_begin_room(p, b, err, errlen) != 0)
        return CLI_MACHINE;
    while ((got = traj_next(t, &block, NULL)) > 0) {
        size_t at = n * (block.nsteps - 1);
        for (size_t k = 0; k < n; k++)
            b->r[k] = i->dtype == FRAME_F32 ? (double)((const float *)block.data)[at + k]
                                            : ((const double *)block.data)[at + k];
        box = block.box[block.nsteps - 1];
        any = true;
    }
    if (got < 0)
        MD_SAY(traj_error(t)->status, "%s", traj_error(t)->text);
    if (!any)
        MD_SAY(CLI_BAD, "expected at least one step to start from, found none");
    if (isnan(s->sigma) && isfinite(i->sigma))
        s->sigma = i->sigma;
    return md_begin_box(s, &box, err, errlen);
}

int md_begin_stream(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_begin *b, char *err, size_t errlen)
{
    struct err e;
    if (s->atoms || !isnan(s->density) || s->start >= 0)
        MD_SAY(CLI_BAD,
               "--atoms, --density and --start are for a new system, not for one that is read");
    struct traj_reader *t = traj_open(in, FRAME_POSN, &e);
    if (t == NULL)
        MD_SAY(e.status, "%s", e.text);
    int status = md_begin_last(t, s, p, b, err, errlen);
    traj_close(t);
    if (status)
        return status;
    if (md_setup_params(s, p, err, errlen) != 0)
        return CLI_BAD;
    for (size_t k = 0; k < p->replicas; k++) {
        if (k > 0)
            memcpy(b->r + 3 * p->natoms * k, b->r, 3 * p->natoms * sizeof *b->r);
        if (md_init_velocities(p, s->seed + k, b->v + 3 * p->natoms * k) != 0)
            MD_SAY(CLI_MACHINE, "out of memory for %zu atoms", p->natoms);
    }
    return 0;
}

/* ---- restart */

int md_restart_write(struct frame_writer *w, struct md *m, const struct md_params *p,
                     const struct meta *meta, char *err, size_t errlen)
{
    size_t n = 3 * p->natoms, aux_bytes;
    const void *aux = md_aux(m, &aux_bytes);
    struct md_begin b = {0};
    struct meta *copy = meta_copy(meta);
    int bad = md_begin_room(p, &b, err, errlen);
    if (!bad && (bad = md_state(m, b.r, b.v)) != 0)
        snprintf(err, errlen, "%s", md_error(m));
    if (!bad && (copy == NULL || meta_set(copy, "data.quantity", "restart") != 0 ||
                 meta_setf(copy, "data.md_step", "%llu", (unsigned long long)md_step(m)) != 0 ||
                 meta_setf(copy, "data.md_replicas", "%zu", p->replicas) != 0))
        bad = -1, snprintf(err, errlen, "out of memory");
    struct frame_desc d = {.type = FRAME_POSN,
                           .dtype = FRAME_F64,
                           .ndim = 3,
                           .dims = {1, p->natoms, 3},
                           .index = md_step(m),
                           .time = (double)md_step(m) * p->dt,
                           .code = "POSN"};
    struct frame_desc a = {.type = FRAME_OTHER,
                           .dtype = FRAME_U8,
                           .ndim = 1,
                           .dims = {aux_bytes},
                           .time = NAN,
                           .flags = FRAME_COPYSAFE,
                           .code = "MDAX"};
    for (size_t k = 0; !bad && k < p->replicas; k++) {
        struct frame_desc v = d;
        v.type = FRAME_VELO;
        v.flags = FRAME_COPYSAFE;
        memcpy(v.code, "VELO", 5);
        bad = frame_put_meta(w, copy) || frame_put(w, &d, b.r + n * k) ||
              frame_put(w, &v, b.v + n * k) || (aux_bytes && k == 0 && frame_put(w, &a, aux)) ||
              frame_end(w, FRAME_COMPLETE, NULL, NULL);
        if (bad)
            snprintf(err, errlen, "%s", frame_writer_error(w)->text);
    }
    meta_free(copy);
    md_begin_free(&b);
    return bad ? -1 : 0;
}

/* META of the first segment: parameters and room. */
static int md_restart_meta(const struct meta *m, struct md_setup *s, struct md_params *p,
                           struct md_begin *b, char *err, size_t errlen)
{
    struct box box;
    unsigned long long natoms, step, replicas;
    if (meta_get_u64(m, "data.md_step", &step) != 1 ||
        meta_get_u64(m, "data.md_replicas", &replicas) != 1 ||
        meta_get_u64(m, "sys.natoms", &natoms) != 1 || replicas < 1)
        MD_SAY(CLI_BAD, "expected a restart file of md, found none (data.md_step is missing)");
    if (md_setup_from_meta(s, m, err, errlen) != 0)
        return CLI_BAD;
    struct err e;
    if (traj_box(m, &box, &e) != 0)
        MD_SAY(CLI_BAD, "%s", e.text);
    s->atoms = natoms;
    s->replicas = replicas;
    b->step = step;
    int status = md_begin_box(s, &box, err, errlen);
    if (status)
        return status;
    if (md_setup_params(s, p, err, errlen) != 0)
        return CLI_BAD;
    return md_begin_room(p, b, err, errlen);
}

static int md_restart_array(const struct frame *f, const struct md_params *p, struct md_begin *b,
                            size_t segment, unsigned *have, char *err, size_t errlen)
{
    size_t n = 3 * p->natoms * sizeof *b->r;
    bool state = f->desc.type == FRAME_POSN || f->desc.type == FRAME_VELO;
    if (state && (f->desc.dtype != FRAME_F64 || f->bytes != n || segment > p->replicas))
        MD_SAY(CLI_BAD, "restart: %s does not hold %zu atoms in f64", f->desc.code, p->natoms);
    if (state) {
        bool posn = f->desc.type == FRAME_POSN;
        memcpy((posn ? b->r : b->v) + 3 * p->natoms * (segment - 1), f->data, n);
        *have |= posn ? 1u : 2u;
    } else if (strcmp(f->desc.code, "MDAX") == 0 && b->aux == NULL && f->bytes > 0) {
        b->aux = malloc(f->bytes);
        if (b->aux == NULL)
            MD_SAY(CLI_MACHINE, "out of memory");
        memcpy(b->aux, f->data, f->bytes);
        b->aux_bytes = f->bytes;
    }
    return 0;
}

int md_begin_restart(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                     struct md_begin *b, char *err, size_t errlen)
{
    struct frame f;
    size_t segments = 0;
    unsigned have = 3;
    int got, status = 0;
    if (s->atoms || !isnan(s->density) || !isnan(s->cell[0]) || s->start >= 0 || s->units >= 0 ||
        s->boundary >= 0)
        MD_SAY(CLI_BAD, "--atoms, --density, --cell, --start, --units and --boundary are those of "
                        "the restart file");
    while (status == 0 && (got = frame_next(in, &f)) > 0) {
        if (f.desc.type == FRAME_META) {
            if (have == 3 && segments++ == 0)
                status = md_restart_meta(frame_meta(in), s, p, b, err, errlen);
            have = 0;
        } else if (f.desc.type != FRAME_END)
            status = md_restart_array(&f, p, b, segments, &have, err, errlen);
    }
    if (status == 0 && got < 0)
        MD_SAY(frame_error(in)->status, "%s", frame_error(in)->text);
    if (status == 0 && (segments != p->replicas || have != 3))
        MD_SAY(CLI_BAD, "restart: expected positions and velocities of %zu replicas, found %zu",
               p->replicas, segments);
    return status;
}
