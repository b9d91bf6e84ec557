/* SPDX-License-Identifier: MIT */
/* traj.c: blocks of time steps out of frames, with the checks that every consumer would have to make. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traj.h"

#define STRIDE_TOLERANCE 1e-3 /* of a stride: times that were printed with few digits still are one stride apart */

struct traj_reader {
    struct frame_reader *r;
    struct traj_info info;
    enum frame_type want;
    struct meta *first;     /* META of the first segment; the others must agree */
    struct traj_block block;
    bool pending, fresh;    /* block is read but not handed out; it begins a segment */
    bool known;             /* info is complete */
    uint64_t steps, expected;
    double next_time;       /* where the next block should begin, NaN: anywhere */
    double *time, *cell;    /* of the TIME and CELL frames waiting for their block, or their values */
    size_t ntime, ncell;
    bool have_time, have_cell;
    double *times;
    struct box *boxes;
    size_t cap;             /* steps that times and boxes hold */
    char err[FRAME_ERR_BYTES];
    int status;
};

static int fail(struct traj_reader *t, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int fail(struct traj_reader *t, int status, const char *fmt, ...)
{
    if (!t->status) {
        int n = snprintf(t->err, sizeof t->err, "%s: ", frame_name(t->r));
        va_list ap;
        va_start(ap, fmt);
        if (n >= 0 && (size_t)n < sizeof t->err)
            vsnprintf(t->err + n, sizeof t->err - (size_t)n, fmt, ap);
        va_end(ap);
        t->status = status;
    }
    return -1;
}

static int fail_below(struct traj_reader *t)
{
    if (!t->status) {
        snprintf(t->err, sizeof t->err, "%s", frame_error(t->r));
        t->status = frame_error_status(t->r);
    }
    return -1;
}

int traj_box(const struct meta *m, struct box *b, char *err, size_t errlen)
{
    double cell[9] = {0};
    const char *pbc = meta_get(m, "sys.pbc");
    int p[3] = {0, 0, 0};
    if (meta_get_f64(m, "sys.cell", cell, 9) < 0) {
        snprintf(err, errlen, "expected nine numbers in sys.cell, found %s", meta_get(m, "sys.cell"));
        return -1;
    }
    if (pbc && (strlen(pbc) != 3 || strspn(pbc, "TF") != 3)) {
        snprintf(err, errlen, "expected three letters T or F in sys.pbc, found %s", pbc);
        return -1;
    }
    for (int k = 0; pbc && k < 3; k++)
        p[k] = pbc[k] == 'T';
    if (box_init(b, cell, p)) {
        snprintf(err, errlen, "expected a right-handed cell with a volume in sys.cell, found %s",
                 meta_get(m, "sys.cell") ? meta_get(m, "sys.cell") : "none with periodic axes");
        return -1;
    }
    return 0;
}

/* A positive number behind key, NaN when it is absent. */
static int positive(struct traj_reader *t, const struct meta *m, const char *key, double *v)
{
    *v = NAN;
    int rc = meta_get_f64(m, key, v, 1);
    if (rc < 0 || (rc == 1 && !(*v > 0 && *v < HUGE_VAL)))
        return fail(t, 2, "expected a positive number in %s, found %s", key, meta_get(m, key));
    return 0;
}

static int on_meta(struct traj_reader *t)
{
    const struct meta *m = frame_meta(t->r);
    unsigned long long n = 0;
    char why[256];
    t->fresh = true;
    t->have_time = t->have_cell = false;
    t->next_time = NAN;
    if (t->first) {
        const char *key = meta_sys_differs(t->first, m);
        if (!key)
            return 0;
        return fail(t, 2, "frame %llu: expected segments of one system, found %s %s here and %s before",
                    (unsigned long long)t->steps, key, meta_get(m, key) ? meta_get(m, key) : "absent",
                    meta_get(t->first, key) ? meta_get(t->first, key) : "absent");
    }
    t->first = meta_copy(m);
    if (!t->first)
        return fail(t, 3, "out of memory");
    if (meta_get_u64(m, "sys.natoms", &n) != 1 || n < 1 || n > UINT32_MAX)
        return fail(t, 2, "expected sys.natoms of 1 or more, found %s",
                    meta_get(m, "sys.natoms") ? meta_get(m, "sys.natoms") : "none");
    t->info.natoms = (size_t)n;
    if (positive(t, m, "sys.dt_ps", &t->info.dt_ps) || positive(t, m, "sys.sigma", &t->info.sigma))
        return -1;
    return traj_box(m, &t->info.box, why, sizeof why) ? fail(t, 2, "%s", why) : 0;
}

/* Keep a TIME or CELL frame for the block that follows. */
static int keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have)
{
    bool cell = f->desc.type == FRAME_CELL;
    if (f->desc.dtype != FRAME_F64 || f->desc.ndim != (cell ? 2 : 1) || (cell && f->desc.dims[1] != 9))
        return fail(t, 2, "frame %llu: expected %s, found other dimensions or another type",
                    (unsigned long long)t->steps, cell ? "CELL as [F,9] f64" : "TIME as [F] f64");
    double *p = realloc(*to, f->bytes + 1);
    if (!p)
        return fail(t, 3, "out of memory for %zu bytes", f->bytes);
    memcpy(p, f->data, f->bytes);
    *to = p;
    *count = (size_t)f->desc.dims[0];
    *have = true;
    return 0;
}

/* Do the dimensions fit the first block, or define what the others must be? */
static int check_dims(struct traj_reader *t, const struct frame_desc *d)
{
    struct traj_info *i = &t->info;
    unsigned long long at = t->steps;
    uint64_t pairs = (uint64_t)i->natoms * (i->natoms - 1) / 2;
    if (t->want != FRAME_META && d->type != t->want)
        return fail(t, 2, "frame %llu: expected %s, found %s", at, t->want == FRAME_POSN ? "positions (POSN)" : "pair tables (PAIR)",
                    d->code);
    if (d->dtype != FRAME_F32 && d->dtype != FRAME_F64)
        return fail(t, 2, "frame %llu: expected f32 or f64, found dtype %d", at, d->dtype);
    if (d->ndim != 3)
        return fail(t, 2, "frame %llu: expected three dimensions, found %d", at, d->ndim);
    if (d->type == FRAME_POSN && (d->dims[1] != i->natoms || d->dims[2] != 3))
        return fail(t, 2, "frame %llu: expected %zu atoms and 3 coordinates, found %llu and %llu", at, i->natoms,
                    (unsigned long long)d->dims[1], (unsigned long long)d->dims[2]);
    if (d->type == FRAME_PAIR && (d->dims[2] != pairs || d->dims[1] < 1))
        return fail(t, 2, "frame %llu: expected %llu pairs of %zu atoms, found %llu", at, (unsigned long long)pairs,
                    i->natoms, (unsigned long long)d->dims[2]);
    size_t ncomp = d->type == FRAME_PAIR ? (size_t)d->dims[1] : 0;
    if (t->known && (d->type != i->type || d->dtype != i->dtype || ncomp != i->ncomp))
        return fail(t, 2, "frame %llu: expected type, dtype and components as in the first block, found others", at);
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
    size_t n = f->bytes / frame_dtype_size(f->desc.dtype), bad = not_finite(f->data, f->desc.dtype, n);
    if (bad == n)
        return 0;
    size_t row = (size_t)(f->desc.dims[1] * f->desc.dims[2]);
    unsigned long long step = t->steps + bad / row;
    if (f->desc.type == FRAME_POSN)
        return fail(t, 2, "frame %llu: expected finite positions, found one that is not: atom %zu, %c", step,
                    bad % row / 3, "xyz"[bad % 3]);
    return fail(t, 2, "frame %llu: expected finite numbers, found one that is not: pair %zu", step,
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
        return fail(t, 3, "out of memory for a block of %zu steps", n);
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
        return fail(t, 2, "frame %llu: expected TIME for %zu steps, found %zu", (unsigned long long)t->steps, n, t->ntime);
    for (size_t k = 0; k < n; k++) {
        t->times[k] = t->have_time ? t->time[k] : k == 0 ? d->time : d->time + (double)k * dt;
        double want = k == 0 ? t->next_time : t->times[0] + (double)k * dt;
        if (isfinite(want) && isfinite(t->times[k]) && !one_stride(t->times[k], want, dt))
            return fail(t, 2, "frame %llu: expected time %.10g ps, one stride of %g ps after the frame before, found %.10g ps",
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
        return fail(t, 2, "frame %llu: expected CELL for %zu steps, found %zu", (unsigned long long)t->steps, n, t->ncell);
    for (size_t k = 0; k < n; k++) {
        t->boxes[k] = *b;
        if (!t->have_cell)
            continue;
        if (box_init(&t->boxes[k], t->cell + 9 * k, b->pbc))
            return fail(t, 2, "frame %llu: expected a right-handed cell with a volume, found another one",
                        (unsigned long long)(t->steps + k));
        t->block.cell_changes |= memcmp(t->boxes[k].h, b->h, sizeof b->h) != 0;
    }
    return 0;
}

static int on_block(struct traj_reader *t, const struct frame *f)
{
    const struct frame_desc *d = &f->desc;
    if (check_dims(t, d) || check_finite(t, f) || room(t, (size_t)d->dims[0]))
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

/* Read on to the next block: 1, 0 at the end, -1. */
static int advance(struct traj_reader *t)
{
    struct frame f;
    while (!t->pending) {
        int rc = frame_next(t->r, &f);
        if (rc < 0)
            return fail_below(t);
        if (rc == 0)
            return 0;
        switch (f.desc.type) {
        case FRAME_META:
            rc = on_meta(t);
            break;
        case FRAME_END:
            rc = t->have_cell || t->have_time ? fail(t, 2, "frame %llu: expected a block after CELL or TIME, found END",
                                                     (unsigned long long)t->steps)
                                              : 0;
            break;
        case FRAME_TIME:
            rc = keep(t, &f, &t->time, &t->ntime, &t->have_time);
            break;
        case FRAME_CELL:
            rc = keep(t, &f, &t->cell, &t->ncell, &t->have_cell);
            break;
        case FRAME_OTHER:
            break;
        case FRAME_POSN:
        case FRAME_PAIR:
            rc = on_block(t, &f);
            break;
        default:
            rc = fail(t, 2, "frame %llu: expected %s, found %s", (unsigned long long)t->steps,
                      t->want == FRAME_PAIR ? "pair tables (PAIR)" : "positions (POSN)", f.desc.code);
        }
        if (rc < 0)
            return -1;
    }
    return 1;
}

struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, int *status, char *err, size_t errlen)
{
    struct traj_reader *t = calloc(1, sizeof *t);
    struct frame_totals totals;
    if (!t) {
        *status = 3;
        snprintf(err, errlen, "out of memory");
        return NULL;
    }
    t->r = r;
    t->want = want;
    t->next_time = NAN;
    t->info.type = want == FRAME_META ? FRAME_POSN : want;
    t->info.dtype = FRAME_F32;
    if (frame_totals(r, &totals) && totals.wire_bytes + 256 == frame_file_bytes(r))
        t->expected = totals.steps;
    if (advance(t) < 0) {
        *status = t->status;
        snprintf(err, errlen, "%s", t->err);
        traj_close(t);
        return NULL;
    }
    return t;
}

const struct traj_info *traj_info(const struct traj_reader *t)
{
    return &t->info;
}

int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment)
{
    if (t->status)
        return -1;
    int rc = advance(t);
    if (rc <= 0)
        return rc;
    *b = t->block;
    if (first_of_segment)
        *first_of_segment = t->fresh;
    t->fresh = t->pending = false;
    t->steps += t->block.nsteps;
    return 1;
}

const char *traj_error(const struct traj_reader *t)
{
    return t->err;
}

int traj_error_status(const struct traj_reader *t)
{
    return t->status;
}

uint64_t traj_steps(const struct traj_reader *t)
{
    return t->steps;
}

uint64_t traj_expected(const struct traj_reader *t)
{
    return t->expected;
}

void traj_close(struct traj_reader *t)
{
    if (!t)
        return;
    meta_free(t->first);
    free(t->time);
    free(t->cell);
    free(t->times);
    free(t->boxes);
    free(t);
}
