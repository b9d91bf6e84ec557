/* SPDX-License-Identifier: MIT */
/* traj_check.c: the checks of META and of each block before they are used. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_prefetch.h"
#include "stream/frame_rules.h"
#include "stream/scalars.h"
#include "stream/stride.h"
#include "stream/traj_reader.h"

int traj_box(const struct meta *m, struct box *b, struct err *e)
{
    double cell[9] = {0};
    const char *text = meta_get(m, "sys.cell"), *pbc = meta_get(m, "sys.pbc");
    int p[3] = {0, 0, 0};
    if (meta_get_f64(m, "sys.cell", cell, 9) < 0)
        return err_bad(e, "expected nine numbers in sys.cell, found %s", text);
    if (pbc && (strlen(pbc) != 3 || strspn(pbc, "TF") != 3))
        return err_bad(e, "expected three letters T or F in sys.pbc, found %s", pbc);
    for (int k = 0; pbc && k < 3; k++)
        p[k] = pbc[k] == 'T';
    if (!text)
        text = "no cell for the periodic axes of sys.pbc";
    if (box_init(b, cell, p))
        return err_bad(
            e, "expected a right-handed cell with a positive volume in sys.cell, found %s", text);
    return 0;
}

int traj_like_cell(const struct traj_info *i, struct meta *m)
{
    struct box b;
    struct err e;
    if (!meta_get(m, "sys.cell") || traj_box(m, &b, &e) != 0 ||
        memcmp(b.h, i->box.h, sizeof b.h) == 0)
        return 0;
    return meta_set_f64(m, "sys.cell", &i->box.h[0][0], 9) ? -1 : 0;
}

static bool wanted(const struct traj_reader *t, const struct frame_desc *d)
{
    return d->type == t->want || (t->want == FRAME_OTHER && frame_counts_steps(d)) ||
           ((t->want == FRAME_VELO || t->want == FRAME_SCAL) && d->type == FRAME_POSN) ||
           (t->want == FRAME_META && (d->type == FRAME_POSN || d->type == FRAME_PAIR));
}

int traj_unwanted(struct traj_reader *t, const struct frame_desc *d)
{
    const char *want = t->want == FRAME_PAIR   ? "pair tables (PAIR)"
                       : t->want == FRAME_SERI ? "a time series (SERI)"
                                               : "positions (POSN)";
    return traj_bad(t, t->steps, "expected %s, found %s", want, d->code);
}

/* Gets the positive number of a key, or NaN if the key is absent. */
static int positive(struct traj_reader *t, const struct meta *m, const char *key, double *v)
{
    *v = NAN;
    int rc = meta_get_f64(m, key, v, 1);
    if (rc < 0 || (rc == 1 && !t->as_is && !(*v > 0 && *v < HUGE_VAL)))
        return traj_fail(t, ERR_BAD, "expected a positive number in %s, found %s", key,
                         meta_get(m, key));
    return 0;
}

void traj_forget(struct traj_reader *t)
{
    t->have_time = t->have_cell = false;
    t->velo.desc.ndim = t->scal.desc.ndim = 0;
}

int traj_on_meta(struct traj_reader *t)
{
    const struct meta *m = frame_meta(t->r);
    unsigned long long n = 0;
    struct err why;
    t->fresh = true;
    traj_forget(t);
    t->next_time = NAN;
    if (t->first) {
        const char *key = meta_system_differs(t->first, m);
        if (!key && (t->want == FRAME_OTHER || t->want == FRAME_SCAL))
            key = meta_differs(t->first, m, "data.scalars");
        t->plain = 0;
        if (!key)
            return traj_box(m, &t->box, &why) ? traj_fail(t, ERR_BAD, "%s", why.text) : 0;
        const char *here = meta_get(m, key), *first = meta_get(t->first, key), *none = "absent";
        return traj_bad(t, t->steps,
                        "expected segments of one system, found different values of %s: %s here "
                        "and %s in the first segment",
                        key, here ? here : none, first ? first : none);
    }
    t->first = meta_copy(m);
    if (!t->first)
        return traj_fail(t, ERR_MEMORY, "out of memory");
    int rc = meta_get_u64(m, "sys.natoms", &n);
    bool series = t->want == FRAME_SERI || t->want == FRAME_OTHER; /* which may have no atoms */
    if ((rc != 1 && !(series && rc == 0)) || (rc == 1 && n < 1) || n > UINT32_MAX)
        return traj_fail(t, ERR_BAD, "expected sys.natoms of 1 or more, found %s%s%s",
                         rc ? meta_get(m, "sys.natoms") : "none",
                         !rc && meta_get(m, "data.quantity")
                             ? ": positions are needed, but this is a stream of "
                             : "",
                         !rc && meta_get(m, "data.quantity") ? meta_get(m, "data.quantity") : "");
    t->info.natoms = (size_t)n;
    if (positive(t, m, "sys.dt_ps", &t->info.dt_ps) || positive(t, m, "sys.sigma", &t->info.sigma))
        return -1;
    int scalars = t->want == FRAME_OTHER || t->want == FRAME_SCAL ? scalars_read(m, NULL, &why) : 0;
    if (scalars < 0)
        return traj_fail(t, ERR_BAD, "%s", why.text);
    t->info.nscalars = (size_t)scalars;
    if (t->as_is ? meta_get_f64(m, "sys.cell", &t->box.h[0][0], 9) < 0
                 : traj_box(m, &t->box, &why) != 0)
        return traj_fail(t, ERR_BAD, "%s",
                         t->as_is ? "expected nine numbers in sys.cell, found other values"
                                  : why.text);
    t->info.box = t->box;
    return 0;
}

int traj_keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have)
{
    bool cell = f->desc.type == FRAME_CELL;
    const char *want = cell ? "CELL as [F,9] f64" : "TIME as [F] f64";
    if (f->desc.dtype != FRAME_F64 || f->desc.ndim != (cell ? 2 : 1) ||
        (cell && f->desc.dims[1] != 9))
        return traj_bad(t, t->steps, "expected %s, found other dimensions or another type", want);
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
    bool series = d->type == FRAME_SERI;
    if (!wanted(t, d))
        return traj_unwanted(t, d);
    if (d->dtype != FRAME_F32 && d->dtype != FRAME_F64)
        return traj_bad(t, at, "expected numbers of type f32 or f64, found data type %d", d->dtype);
    if (series && (d->ndim != 2 || d->dtype != FRAME_F64 || d->dims[1] < 1))
        return traj_bad(t, at,
                        "expected a SERI array of two dimensions of type f64, found another array");
    if (!series && d->ndim != 3)
        return traj_bad(t, at, "expected three dimensions, found %d", d->ndim);
    if (!series && i->natoms == 0)
        return traj_fail(t, ERR_BAD, "expected sys.natoms of 1 or more, found none");
    if (d->type == FRAME_POSN && (d->dims[1] != i->natoms || d->dims[2] != 3))
        return traj_bad(t, at, "expected %zu atoms and 3 coordinates, found %llu and %llu",
                        i->natoms, (unsigned long long)d->dims[1], (unsigned long long)d->dims[2]);
    if (d->type == FRAME_PAIR && (d->dims[2] != pairs || d->dims[1] < 1))
        return traj_bad(t, at, "expected %llu pairs of %zu atoms, found %llu",
                        (unsigned long long)pairs, i->natoms, (unsigned long long)d->dims[2]);
    size_t ncomp = d->type == FRAME_POSN ? 0 : (size_t)d->dims[1];
    if (t->known && (d->type != i->type || d->dtype != i->dtype || ncomp != i->ncomp))
        return traj_bad(t, at,
                        "expected the same array type, data type and components as in the first "
                        "block, found a different block");
    t->first_index = t->known ? t->first_index : d->index;
    i->type = d->type;
    i->dtype = d->dtype;
    i->ncomp = ncomp;
    i->step_bytes = d->dims[0] ? frame_bytes(d) / (size_t)d->dims[0] : 0;
    i->nscalars = d->type == FRAME_POSN ? i->nscalars : 0;
    i->scalar_bytes = i->nscalars * i->natoms * frame_dtype_size(d->dtype);
    t->known = true;
    return 0;
}

/* Checks that the numbers of a block, or of its VELO or SCAL, are finite or unknown scalars. */
static int check_finite(struct traj_reader *t, const struct frame_desc *d, const void *data)
{
    size_t n = frame_bytes(d) / frame_dtype_size(d->dtype),
           bad = d->type == FRAME_SCAL ? frame_infinite(data, d->dtype, n)
                                       : frame_not_finite(data, d->dtype, n);
    if (bad == n)
        return 0;
    size_t last = (size_t)d->dims[d->ndim - 1], row = n / (size_t)d->dims[0];
    unsigned long long step = t->steps + bad / row;
    const char *kind = d->type == FRAME_POSN   ? "positions"
                       : d->type == FRAME_VELO ? "velocities"
                       : d->type == FRAME_PAIR ? "pair"
                       : d->type == FRAME_SCAL ? "SCAL of atom"
                                               : "column";
    if (d->type == FRAME_POSN || d->type == FRAME_VELO)
        return traj_bad(t, step, "expected finite %s, found a non-finite value at atom %zu, %c",
                        kind, bad % row / 3, 'x' + (char)(bad % 3));
    return traj_bad(t, step, "expected finite numbers, found a non-finite number at %s %zu", kind,
                    d->type == FRAME_SCAL ? bad % row / last : bad % last);
}

int traj_keep_extra(struct traj_reader *t, const struct frame *f, struct traj_extra *x)
{
    if (x->desc.ndim)
        return traj_bad(t, t->steps, "expected only one %s per block, found a second one",
                        f->desc.code);
    if (f->bytes > x->capacity) {
        free(x->data);
        x->data = malloc(f->bytes);
        x->capacity = x->data ? f->bytes : 0;
        if (!x->data)
            return traj_fail(t, ERR_MEMORY, "out of memory for %zu bytes", f->bytes);
    }
    if (f->bytes)
        memcpy(x->data, f->data, f->bytes);
    x->desc = f->desc;
    return 0;
}

/* Returns whether the stored velocities and scalars belong to the steps of d. */
static int check_extra(struct traj_reader *t, const struct frame_desc *d)
{
    const struct frame_desc *v = &t->velo.desc, *s = &t->scal.desc;
    size_t n = t->info.nscalars;
    if (v->ndim && !frame_belongs(v, d, 3))
        return traj_bad(t, t->steps,
                        "expected VELO with the same steps as POSN, found another array");
    const char *found = s->ndim ? "another array" : "none";
    if (s->ndim ? n == 0 || !frame_belongs(s, d, n) : n > 0 && d->dims[0] > 0)
        return traj_bad(t, t->steps,
                        "expected SCAL with the steps of its POSN and the %zu scalars in "
                        "data.scalars, found %s",
                        n, found);
    return !t->as_is && ((v->ndim && check_finite(t, v, t->velo.data)) ||
                         (s->ndim && check_finite(t, s, t->scal.data)))
               ? -1
               : 0;
}

/* Largest number of steps returned at once. Each step needs a cell and a time, which may be many
 * times larger than the step in the stream. */
enum { PIECE = 1 << 14 };

static int capacity(struct traj_reader *t, size_t n)
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
    return fabs(found - expected) <= STRIDE_PRINTED * dt + 1e-12 * fabs(expected);
}

/* Sets the times of the n steps that begin with step t->at. */
static int set_times(struct traj_reader *t, size_t n)
{
    double dt = t->info.dt_ps;
    for (size_t k = 0; k < n; k++) {
        t->times[k] =
            t->timed ? t->time[t->at + k] : frame_step_time(&t->whole.desc, t->at + k, dt);
        if (t->as_is)
            continue;
        double want = k == 0 ? t->next_time : t->times[0] + (double)k * dt;
        if (isinf(t->times[k]))
            return traj_bad(t, t->steps + k, "expected a finite time, found infinity");
        if (isfinite(want) && isfinite(t->times[k]) && !one_stride(t->times[k], want, dt))
            return traj_bad(t, t->steps + k,
                            "expected time %.10g ps, one stride of %g ps after the previous frame, "
                            "found %.10g ps",
                            want, dt, t->times[k]);
    }
    t->next_time = t->times[0] + (double)n * dt;
    return 0;
}

static int set_boxes(struct traj_reader *t, size_t n)
{
    const struct box *b = &t->box;
    for (; t->plain < n; t->plain++)
        t->boxes[t->plain] = *b;
    for (size_t k = 0; t->celled && k < n; k++) {
        t->plain = 0; /* between blocks, only boxes that changed are written */
        if (t->as_is)
            memcpy(t->boxes[k].h, t->cell + 9 * (t->at + k), sizeof b->h);
        else if (box_init(&t->boxes[k], t->cell + 9 * (t->at + k), b->pbc))
            return traj_bad(
                t, t->steps + k,
                "expected a right-handed cell with a positive volume, found an invalid cell");
    }
    return 0;
}

int traj_next_piece(struct traj_reader *t)
{
    const struct frame_desc *d = &t->whole.desc;
    size_t left = (size_t)d->dims[0] - t->at, n = left < PIECE ? left : PIECE,
           from = t->at * t->info.step_bytes;
    if (n == 0)
        return 0;
    if (capacity(t, n) || set_times(t, n) || set_boxes(t, n))
        return -1;
    t->block.velocities = t->velo.desc.ndim ? (const char *)t->velo.data + from : NULL;
    t->block.scalars =
        t->scal.desc.ndim ? (const char *)t->scal.data + t->at * t->info.scalar_bytes : NULL;
    t->block.nsteps = n;
    t->block.index = d->index + t->at;
    t->block.time = t->times;
    t->block.box = t->boxes;
    t->block.data = (const char *)t->whole.data + from;
    t->pending = true;
    t->at += n;
    if (n == left)
        t->velo.desc.ndim = t->scal.desc.ndim = 0;
    return 0;
}

int traj_on_block(struct traj_reader *t, const struct frame *f)
{
    const struct frame_desc *d = &f->desc;
    if ((!f->finite && !t->as_is && check_finite(t, d, f->data)) || check_extra(t, d))
        return -1;
    size_t n = (size_t)d->dims[0];
    if (t->have_time && t->ntime != n)
        return traj_bad(t, t->steps, "expected TIME for %zu steps, found %zu", n, t->ntime);
    if (t->have_cell && t->ncell != n)
        return traj_bad(t, t->steps, "expected CELL for %zu steps, found %zu", n, t->ncell);
    t->whole = *f;
    t->at = 0;
    t->timed = t->have_time;
    t->celled = t->have_cell;
    t->have_time = t->have_cell = false;
    if (n == 0)
        t->velo.desc.ndim = t->scal.desc.ndim = 0;
    return traj_next_piece(t);
}
