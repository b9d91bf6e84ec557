/* SPDX-License-Identifier: MIT */
/* traj_write.c: gathers steps into blocks of 1 to 4 MiB. */
#include <stdlib.h>
#include <string.h>

#include "io/fdio.h"
#include "stream/stride.h"
#include "stream/traj.h"

#define BLOCK_BYTES ((size_t)1 << 20)
#define FLUSH_SECONDS 0.2

struct traj_writer {
    struct frame_writer *w;
    struct frame_desc desc;   /* a block, except for dims[0] */
    size_t step[TRAJ_ARRAYS]; /* bytes of one step of each array, or 0 without scalars */
    size_t cap, n;
    double dt;
    struct box box0;
    uint64_t index;
    bool cell_differs;
    double started; /* clock at the first step of the block, s */
    double *time, (*cell)[9];
    const struct atoms *atoms;        /* the atoms of each step that are written, or NULL for all */
    unsigned char *data[TRAJ_ARRAYS]; /* velocities: NULL until a step has velocities */
    const void *out[TRAJ_ARRAYS];     /* arrays to write: data, or a single step of the caller */
    bool has_velo;                    /* the steps of this block have velocities */
};

static struct traj_writer *writer(struct frame_writer *w, const struct frame_desc *d, double dt,
                                  const struct box *box0)
{
    struct traj_writer *t = calloc(1, sizeof *t);
    struct frame_desc one = *d;
    one.dims[0] = 1;
    size_t step = frame_bytes(&one);
    if (!t || step == 0 || step == SIZE_MAX) {
        free(t);
        return NULL;
    }
    t->w = w;
    t->desc = *d;
    t->step[TRAJ_NUMBERS] = t->step[TRAJ_VELOCITIES] = step;
    t->dt = dt;
    if (box0)
        t->box0 = *box0;
    t->cap = (BLOCK_BYTES - 1) / step + 1;
    t->time = malloc(t->cap * sizeof *t->time);
    t->cell = malloc(t->cap * sizeof *t->cell);
    t->data[TRAJ_NUMBERS] = malloc(t->cap * step);
    if (!t->time || !t->cell || !t->data[TRAJ_NUMBERS]) {
        traj_writer_free(t);
        return NULL;
    }
    return t;
}

struct traj_writer *traj_writer_new(struct frame_writer *w, size_t natoms, enum frame_dtype dtype,
                                    double dt_ps, const struct box *box0)
{
    struct frame_desc d = {.type = FRAME_POSN, .dtype = dtype, .ndim = 3, .dims = {1, natoms, 3}};
    return writer(w, &d, dt_ps, box0);
}

int traj_writer_scalars(struct traj_writer *t, size_t n)
{
    t->step[TRAJ_SCALARS] = t->step[TRAJ_NUMBERS] / 3 * n;
    t->data[TRAJ_SCALARS] = n ? malloc(t->cap * t->step[TRAJ_SCALARS]) : NULL;
    return n && !t->data[TRAJ_SCALARS] ? -1 : 0;
}

struct traj_writer *traj_writer_like(struct frame_writer *w, const struct traj_info *i,
                                     double dt_ps)
{
    struct frame_desc d = {.type = FRAME_PAIR, .dtype = i->dtype, .ndim = 3};
    uint64_t n = i->natoms;
    if (i->type == FRAME_POSN) {
        struct traj_writer *t = traj_writer_new(w, i->natoms, i->dtype, dt_ps, &i->box);
        if (t && traj_writer_scalars(t, i->nscalars) == 0)
            return t;
        traj_writer_free(t);
        return NULL;
    }
    if (i->type != FRAME_SERI && i->type != FRAME_PAIR)
        return NULL;
    if (i->type == FRAME_SERI)
        d = (struct frame_desc){.type = FRAME_SERI, .dtype = FRAME_F64, .ndim = 2};
    else
        d.dims[2] = n * (n - 1) / 2;
    d.dims[1] = i->ncomp;
    return writer(w, &d, dt_ps, &i->box);
}

/* Writes the times of the steps if the first time and the stride do not determine them. */
static int put_times(struct frame_writer *w, const struct frame_desc *d, double dt_ps,
                     const double *time)
{
    struct frame_desc t = {.type = FRAME_TIME,
                           .dtype = FRAME_F64,
                           .ndim = 1,
                           .dims = {d->dims[0]},
                           .index = d->index,
                           .time = d->time,
                           .flags = FRAME_CRITICAL};
    return stride_gives(time, d->dims[0], dt_ps) ? 0 : frame_put(w, &t, time);
}

int traj_put_block(struct frame_writer *w, struct frame_desc d, const struct traj_block *b,
                   size_t from, double dt_ps, const void *data)
{
    d.index = b->index + from;
    d.time = b->time[from];
    d.flags = FRAME_CRITICAL;
    return put_times(w, &d, dt_ps, b->time + from) ? -1 : frame_put(w, &d, data);
}

static int block_out(struct traj_writer *t)
{
    if (t->n == 0)
        return 0;
    struct frame_desc d = t->desc;
    d.dims[0] = t->n;
    d.index = t->index;
    d.time = t->time[0];
    d.flags = FRAME_CRITICAL;
    struct frame_desc cell = {.type = FRAME_CELL,
                              .dtype = FRAME_F64,
                              .ndim = 2,
                              .dims = {t->n, 9},
                              .index = t->index,
                              .time = t->time[0],
                              .flags = FRAME_CRITICAL};
    if (put_times(t->w, &d, t->dt, t->time))
        return -1;
    if (t->cell_differs && frame_put(t->w, &cell, t->cell))
        return -1;
    struct frame_desc velo = d, scal = d;
    velo.type = FRAME_VELO;
    velo.flags = FRAME_COPYSAFE;
    if (t->has_velo && frame_put(t->w, &velo, t->out[TRAJ_VELOCITIES]))
        return -1;
    scal.type = FRAME_SCAL;
    scal.dims[2] = 3 * t->step[TRAJ_SCALARS] / t->step[TRAJ_NUMBERS];
    if (scal.dims[2] > 0 && frame_put(t->w, &scal, t->out[TRAJ_SCALARS]))
        return -1;
    t->n = 0;
    t->cell_differs = false;
    return frame_put(t->w, &d, t->out[TRAJ_NUMBERS]);
}

void traj_writer_gather(struct traj_writer *t, const struct atoms *a)
{
    t->atoms = a;
}

void *traj_room(const struct traj_writer *t, enum traj_array which)
{
    unsigned char *block = t->data[which];
    return block && !(t->atoms && t->atoms->row) ? block + t->n * t->step[which] : NULL;
}

/* Copies an array of a step into the block, unless the array is already there. */
static void take(struct traj_writer *t, enum traj_array which, const void *from)
{
    const uint32_t *row = t->atoms ? t->atoms->row : NULL;
    size_t step = t->step[which], atom = step / t->desc.dims[1];
    bool straight = t->cap == 1 && !row;
    unsigned char *to = straight ? NULL : t->data[which] + t->n * step;
    t->out[which] = straight ? from : t->data[which];
    if (to && !row && from != to)
        memcpy(to, from, step);
    for (size_t k = 0; row && k < t->atoms->n; k++)
        memcpy(to + k * atom, (const unsigned char *)from + row[k] * atom, atom);
}

/* Makes sure that all steps of a block have velocities or no step has them. Returns 0 or -1. */
static int begin_velocities(struct traj_writer *t, bool has)
{
    if (t->n > 0 && has != t->has_velo && block_out(t))
        return -1;
    t->has_velo = has;
    if (has && !t->data[TRAJ_VELOCITIES])
        t->data[TRAJ_VELOCITIES] = malloc(t->cap * t->step[TRAJ_VELOCITIES]);
    return has && !t->data[TRAJ_VELOCITIES] ? -1 : 0;
}

int traj_put(struct traj_writer *t, uint64_t index, double time, const struct box *box,
             const void *pos, const void *velocities, const void *scalars)
{
    const struct box *b = box ? box : &t->box0;
    if (begin_velocities(t, velocities != NULL))
        return -1;
    if (t->n == 0) {
        t->index = index;
        t->started = fdio_now();
    }
    t->time[t->n] = time;
    memcpy(t->cell[t->n], b->h, sizeof t->cell[0]);
    t->cell_differs |= memcmp(b->h, t->box0.h, sizeof b->h) != 0;
    take(t, TRAJ_NUMBERS, pos);
    if (velocities)
        take(t, TRAJ_VELOCITIES, velocities);
    if (t->step[TRAJ_SCALARS])
        take(t, TRAJ_SCALARS, scalars);
    if (++t->n == t->cap)
        return block_out(t);
    if (frame_is_live(t->w) && fdio_now() - t->started > FLUSH_SECONDS)
        return traj_flush(t);
    return 0;
}

int traj_flush(struct traj_writer *t)
{
    return block_out(t) || frame_flush(t->w) ? -1 : 0;
}

size_t traj_pending(const struct traj_writer *t, const void **pos, const void **vel)
{
    *pos = t->data[TRAJ_NUMBERS];
    *vel = t->has_velo ? t->data[TRAJ_VELOCITIES] : NULL;
    return t->n;
}

void traj_writer_free(struct traj_writer *t)
{
    if (!t)
        return;
    free(t->time);
    free(t->cell);
    for (int k = 0; k < TRAJ_ARRAYS; k++)
        free(t->data[k]);
    free(t);
}
