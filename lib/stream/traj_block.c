/* SPDX-License-Identifier: MIT */
/* traj_block.c: what a block must be before anybody computes with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/traj_state.h"

#define STRIDE_TOLERANCE                                                                           \
    1e-3 /* of a stride: times that were printed with few digits still are one stride apart */

int traj_keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have)
{
    bool cell = f->desc.type == FRAME_CELL;
    if (f->desc.dtype != FRAME_F64 || f->desc.ndim != (cell ? 2 : 1) ||
        (cell && f->desc.dims[1] != 9))
        return traj_fail(
            t, ERR_BAD, "frame %llu: expected %s, found other dimensions or another type",
            (unsigned long long)t->steps, cell ? "CELL as [F,9] f64" : "TIME as [F] f64");
    double *p = realloc(*to, f->bytes + 1);
    if (!p)
        return traj_fail(t, ERR_MEMORY, "out of memory for %zu bytes", f->bytes);
    memcpy(p, f->data, f->bytes);
    *to = p;
    *count = (size_t)f->desc.dims[0];
    *have = true;
    return 0;
}

int traj_check_dims(struct traj_reader *t, const struct frame_desc *d)
{
    struct traj_info *i = &t->info;
    unsigned long long at = t->steps;
    uint64_t pairs = (uint64_t)i->natoms * (i->natoms - 1) / 2;
    if (t->want != FRAME_META && d->type != t->want)
        return traj_fail(t, ERR_BAD, "frame %llu: expected %s, found %s", at,
                         t->want == FRAME_POSN ? "positions (POSN)" : "pair tables (PAIR)",
                         d->code);
    if (d->dtype != FRAME_F32 && d->dtype != FRAME_F64)
        return traj_fail(t, ERR_BAD, "frame %llu: expected f32 or f64, found dtype %d", at,
                         d->dtype);
    if (d->ndim != 3)
        return traj_fail(t, ERR_BAD, "frame %llu: expected three dimensions, found %d", at,
                         d->ndim);
    if (d->type == FRAME_POSN && (d->dims[1] != i->natoms || d->dims[2] != 3))
        return traj_fail(
            t, ERR_BAD, "frame %llu: expected %zu atoms and 3 coordinates, found %llu and %llu", at,
            i->natoms, (unsigned long long)d->dims[1], (unsigned long long)d->dims[2]);
    if (d->type == FRAME_PAIR && (d->dims[2] != pairs || d->dims[1] < 1))
        return traj_fail(t, ERR_BAD, "frame %llu: expected %llu pairs of %zu atoms, found %llu", at,
                         (unsigned long long)pairs, i->natoms, (unsigned long long)d->dims[2]);
    size_t ncomp = d->type == FRAME_PAIR ? (size_t)d->dims[1] : 0;
    if (t->known && (d->type != i->type || d->dtype != i->dtype || ncomp != i->ncomp))
        return traj_fail(
            t, ERR_BAD,
            "frame %llu: expected type, dtype and components as in the first block, found others",
            at);
    i->type = d->type;
    i->dtype = d->dtype;
    i->ncomp = ncomp;
    t->known = true;
    return 0;
}

/* Index of the first value that is not finite, n when all are. */
static size_t not_finite(const void *data, enum frame_dtype dtype, size_t n)
{
    if (dtype == FRAME_F32) {
        const uint32_t *p = data;
        for (size_t at = 0; at < n; at += 1024) {
            size_t end = at + 1024 < n ? at + 1024 : n;
            uint32_t bad = 0;
            for (size_t i = at; i < end; i++)
                bad |= (p[i] & 0x7f800000u) == 0x7f800000u;
            for (size_t i = at; bad && i < end; i++)
                if ((p[i] & 0x7f800000u) == 0x7f800000u)
                    return i;
        }
        return n;
    }
    const double *p = data;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(p[i]))
            return i;
    return n;
}

static int check_finite(struct traj_reader *t, const struct frame *f)
{
    size_t n = f->bytes / frame_dtype_size(f->desc.dtype),
           bad = not_finite(f->data, f->desc.dtype, n);
    if (bad == n)
        return 0;
    size_t row = (size_t)(f->desc.dims[1] * f->desc.dims[2]);
    unsigned long long step = t->steps + bad / row;
    if (f->desc.type == FRAME_POSN)
        return traj_fail(
            t, ERR_BAD,
            "frame %llu: expected finite positions, found one that is not: atom %zu, %c", step,
            bad % row / 3, "xyz"[bad % 3]);
    return traj_fail(t, ERR_BAD,
                     "frame %llu: expected finite numbers, found one that is not: pair %zu", step,
                     bad % (size_t)f->desc.dims[2]);
}

static int room(struct traj_reader *t, size_t n)
{
    if (n <= t->cap)
        return 0;
    double *times = realloc(t->times, n * sizeof *times);
    if (times)
        t->times = times;
    struct box *boxes = times ? realloc(t->boxes, n * sizeof *boxes) : NULL;
    if (!boxes)
        return traj_fail(t, ERR_MEMORY, "out of memory for a block of %zu steps", n);
    t->boxes = boxes;
    t->cap = n;
    return 0;
}

static bool one_stride(double found, double expected, double dt)
{
    return fabs(found - expected) <= STRIDE_TOLERANCE * dt + 1e-12 * fabs(expected);
}

static int set_times(struct traj_reader *t, const struct frame_desc *d, size_t n)
{
    double dt = t->info.dt_ps;
    if (t->have_time && t->ntime != n)
        return traj_fail(t, ERR_BAD, "frame %llu: expected TIME for %zu steps, found %zu",
                         (unsigned long long)t->steps, n, t->ntime);
    for (size_t k = 0; k < n; k++) {
        t->times[k] = t->have_time ? t->time[k] : frame_step_time(d, k, dt);
        double want = k == 0 ? t->next_time : t->times[0] + (double)k * dt;
        if (isfinite(want) && isfinite(t->times[k]) && !one_stride(t->times[k], want, dt))
            return traj_fail(t, ERR_BAD,
                             "frame %llu: expected time %.10g ps, one stride of %g ps after the "
                             "frame before, found %.10g ps",
                             (unsigned long long)(t->steps + k), want, dt, t->times[k]);
    }
    t->next_time = n ? t->times[0] + (double)n * dt : t->next_time;
    return 0;
}

static int set_boxes(struct traj_reader *t, size_t n)
{
    const struct box *b = &t->info.box;
    t->block.cell_changes = false;
    if (t->have_cell && t->ncell != n)
        return traj_fail(t, ERR_BAD, "frame %llu: expected CELL for %zu steps, found %zu",
                         (unsigned long long)t->steps, n, t->ncell);
    for (size_t k = 0; k < n; k++) {
        t->boxes[k] = *b;
        if (!t->have_cell)
            continue;
        if (box_init(&t->boxes[k], t->cell + 9 * k, b->pbc))
            return traj_fail(
                t, ERR_BAD,
                "frame %llu: expected a right-handed cell with a volume, found another one",
                (unsigned long long)(t->steps + k));
        t->block.cell_changes |= memcmp(t->boxes[k].h, b->h, sizeof b->h) != 0;
    }
    return 0;
}

int traj_on_block(struct traj_reader *t, const struct frame *f)
{
    const struct frame_desc *d = &f->desc;
    if (check_finite(t, f) || room(t, (size_t)d->dims[0]))
        return -1;
    size_t n = (size_t)d->dims[0];
    if (set_times(t, d, n) || set_boxes(t, n))
        return -1;
    t->have_time = t->have_cell = false;
    t->block.nsteps = n;
    t->block.index = d->index;
    t->block.time = t->times;
    t->block.box = t->boxes;
    t->block.data = f->data;
    t->pending = n > 0;
    return 0;
}
