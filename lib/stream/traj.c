/* SPDX-License-Identifier: MIT */
/* traj.c: blocks of time steps out of frames, with the checks that every consumer would have to
 * make. */
#include "stream/traj.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_ahead.h"
#include "stream/frame_index.h"

#define STRIDE_TOLERANCE                                                                           \
    1e-3 /* of a stride: times that were printed with few digits still are one stride apart */

struct traj_reader {
    struct frame_reader *r;
    struct traj_info info;
    enum frame_type want;
    struct meta *first; /* META of the first segment; the others must agree */
    struct traj_block block;
    bool pending, fresh; /* block is read but not handed out; it begins a segment */
    bool known;          /* info is complete */
    uint64_t steps;      /* handed out or passed over */
    uint64_t skip_to;    /* blocks that end before this step are passed over unread */
    uint64_t expected;
    struct frame_index index; /* of the file, */
    bool asked;               /* which was looked for */
    struct frame next;        /* of the reader; announced: not loaded yet */
    bool announced;
    uint64_t from, to;   /* steps that are wanted */
    double next_time;    /* where the next block should begin, NaN: anywhere */
    double *time, *cell; /* of the TIME and CELL frames waiting for their block, or their values */
    size_t ntime, ncell;
    bool have_time, have_cell, have_velo;
    struct frame_desc velo_desc; /* of the VELO frame waiting for its block */
    void *velo;
    size_t velo_cap;
    double *times;
    struct box *boxes;
    size_t cap; /* steps that times and boxes hold */
    char left_out[5];
    struct err err;
};

/* Record a failure (once) and return -1. */
static int fail(struct traj_reader *t, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct traj_reader *t, int status, const char *fmt, ...)
{
    if (!t->err.status) {
        char why[ERR_BYTES];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(why, sizeof why, fmt, ap);
        va_end(ap);
        err_set(&t->err, status, "%s: %s", frame_name(t->r), why);
    }
    return -1;
}

static int fail_below(struct traj_reader *t)
{
    if (!t->err.status)
        t->err = *frame_error(t->r);
    return -1;
}

int traj_box(const struct meta *m, struct box *b, struct err *e)
{
    double cell[9] = {0};
    const char *text = meta_get(m, "sys.cell"), *pbc = meta_get(m, "sys.pbc");
    int p[3] = {0, 0, 0};
    if (meta_get_f64(m, "sys.cell", cell, 9) < 0)
        return err_set(e, ERR_BAD, "expected nine numbers in sys.cell, found %s", text);
    if (pbc && (strlen(pbc) != 3 || strspn(pbc, "TF") != 3))
        return err_set(e, ERR_BAD, "expected three letters T or F in sys.pbc, found %s", pbc);
    for (int k = 0; pbc && k < 3; k++)
        p[k] = pbc[k] == 'T';
    if (box_init(b, cell, p))
        return err_set(e, ERR_BAD,
                       "expected a right-handed cell with a volume in sys.cell, found %s",
                       text ? text : "none with periodic axes");
    return 0;
}

static bool wanted(const struct traj_reader *t, const struct frame_desc *d)
{
    return d->type == t->want || (t->want == FRAME_OTHER && frame_counts_steps(d)) ||
           (t->want == FRAME_META && (d->type == FRAME_POSN || d->type == FRAME_PAIR));
}

static int unwanted(struct traj_reader *t, const struct frame_desc *d)
{
    return fail(t, ERR_BAD, "frame %llu: expected %s, found %s", (unsigned long long)t->steps,
                t->want == FRAME_PAIR   ? "pair tables (PAIR)"
                : t->want == FRAME_SERI ? "a time series (SERI)"
                                        : "positions (POSN)",
                d->code);
}

/* A positive number behind key, NaN when it is absent. */
static int positive(struct traj_reader *t, const struct meta *m, const char *key, double *v)
{
    *v = NAN;
    int rc = meta_get_f64(m, key, v, 1);
    if (rc < 0 || (rc == 1 && !(*v > 0 && *v < HUGE_VAL)))
        return fail(t, ERR_BAD, "expected a positive number in %s, found %s", key,
                    meta_get(m, key));
    return 0;
}

static int on_meta(struct traj_reader *t)
{
    const struct meta *m = frame_meta(t->r);
    unsigned long long n = 0;
    struct err why;
    t->fresh = true;
    t->have_time = t->have_cell = t->have_velo = false;
    t->next_time = NAN;
    if (t->first) {
        const char *key = meta_sys_differs(t->first, m);
        if (!key)
            return 0;
        return fail(t, ERR_BAD,
                    "frame %llu: expected segments of one system, found %s %s here and %s before",
                    (unsigned long long)t->steps, key,
                    meta_get(m, key) ? meta_get(m, key) : "absent",
                    meta_get(t->first, key) ? meta_get(t->first, key) : "absent");
    }
    t->first = meta_copy(m);
    if (!t->first)
        return fail(t, ERR_MEMORY, "out of memory");
    int rc = meta_get_u64(m, "sys.natoms", &n);
    bool series = t->want == FRAME_SERI || t->want == FRAME_OTHER; /* may be of no atoms */
    if ((rc != 1 && !(series && rc == 0)) || (rc == 1 && n < 1) || n > UINT32_MAX)
        return fail(t, ERR_BAD, "expected sys.natoms of 1 or more, found %s",
                    meta_get(m, "sys.natoms") ? meta_get(m, "sys.natoms") : "none");
    t->info.natoms = (size_t)n;
    if (positive(t, m, "sys.dt_ps", &t->info.dt_ps) || positive(t, m, "sys.sigma", &t->info.sigma))
        return -1;
    return traj_box(m, &t->info.box, &why) ? fail(t, ERR_BAD, "%s", why.text) : 0;
}

/* ---- what a block must be before anybody computes with it */

/* Keep a TIME or CELL frame for the block that follows. */
static int keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count,
                bool *have)
{
    bool cell = f->desc.type == FRAME_CELL;
    if (f->desc.dtype != FRAME_F64 || f->desc.ndim != (cell ? 2 : 1) ||
        (cell && f->desc.dims[1] != 9))
        return fail(t, ERR_BAD, "frame %llu: expected %s, found other dimensions or another type",
                    (unsigned long long)t->steps, cell ? "CELL as [F,9] f64" : "TIME as [F] f64");
    double *p = realloc(*to, f->bytes + 1);
    if (!p)
        return fail(t, ERR_MEMORY, "out of memory for %zu bytes", f->bytes);
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
    bool series = d->type == FRAME_SERI;
    if (!wanted(t, d))
        return unwanted(t, d);
    if (d->dtype != FRAME_F32 && d->dtype != FRAME_F64)
        return fail(t, ERR_BAD, "frame %llu: expected f32 or f64, found dtype %d", at, d->dtype);
    if (series && (d->ndim != 2 || d->dtype != FRAME_F64 || d->dims[1] < 1))
        return fail(t, ERR_BAD, "frame %llu: expected SERI as [F,C] f64, found another shape", at);
    if (!series && d->ndim != 3)
        return fail(t, ERR_BAD, "frame %llu: expected three dimensions, found %d", at, d->ndim);
    if (!series && i->natoms == 0)
        return fail(t, ERR_BAD, "expected sys.natoms of 1 or more, found none");
    if (d->type == FRAME_POSN && (d->dims[1] != i->natoms || d->dims[2] != 3))
        return fail(t, ERR_BAD,
                    "frame %llu: expected %zu atoms and 3 coordinates, found %llu and %llu", at,
                    i->natoms, (unsigned long long)d->dims[1], (unsigned long long)d->dims[2]);
    if (d->type == FRAME_PAIR && (d->dims[2] != pairs || d->dims[1] < 1))
        return fail(t, ERR_BAD, "frame %llu: expected %llu pairs of %zu atoms, found %llu", at,
                    (unsigned long long)pairs, i->natoms, (unsigned long long)d->dims[2]);
    size_t ncomp = d->type == FRAME_POSN ? 0 : (size_t)d->dims[1];
    if (t->known && (d->type != i->type || d->dtype != i->dtype || ncomp != i->ncomp))
        return fail(
            t, ERR_BAD,
            "frame %llu: expected type, dtype and components as in the first block, found others",
            at);
    i->type = d->type;
    i->dtype = d->dtype;
    i->ncomp = ncomp;
    i->step_bytes = d->dims[0] ? frame_bytes(d) / (size_t)d->dims[0] : 0;
    t->known = true;
    return 0;
}

/* data is one block of d, or what stands beside it. */
static int check_finite(struct traj_reader *t, const struct frame_desc *d, const void *data)
{
    size_t n = frame_bytes(d) / frame_dtype_size(d->dtype),
           bad = frame_not_finite(data, d->dtype, n);
    if (bad == n)
        return 0;
    size_t last = (size_t)d->dims[d->ndim - 1], row = n / (size_t)d->dims[0];
    unsigned long long step = t->steps + bad / row;
    if (d->type == FRAME_POSN || d->type == FRAME_VELO)
        return fail(
            t, ERR_BAD, "frame %llu: expected finite %s, found one that is not: atom %zu, %c", step,
            d->type == FRAME_POSN ? "positions" : "velocities", bad % row / 3, "xyz"[bad % 3]);
    return fail(t, ERR_BAD, "frame %llu: expected finite numbers, found one that is not: %s %zu",
                step, d->type == FRAME_PAIR ? "pair" : "column", bad % last);
}

/* A VELO frame waits for its positions. */
static int keep_velo(struct traj_reader *t, const struct frame *f)
{
    if (f->bytes > t->velo_cap) {
        free(t->velo);
        t->velo = malloc(f->bytes);
        t->velo_cap = t->velo ? f->bytes : 0;
        if (!t->velo)
            return fail(t, ERR_MEMORY, "out of memory for %zu bytes", f->bytes);
    }
    if (f->bytes)
        memcpy(t->velo, f->data, f->bytes);
    t->velo_desc = f->desc;
    t->have_velo = true;
    return 0;
}

/* Are the velocities that wait those of the steps of d? */
static int check_velo(struct traj_reader *t, const struct frame_desc *d)
{
    const struct frame_desc *v = &t->velo_desc;
    if (d->type == FRAME_POSN && v->dtype == d->dtype && v->ndim == 3 && v->index == d->index &&
        memcmp(v->dims, d->dims, sizeof d->dims) == 0)
        return check_finite(t, v, t->velo);
    return fail(t, ERR_BAD, "frame %llu: expected VELO of the steps of its POSN, found other ones",
                (unsigned long long)t->steps);
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
        return fail(t, ERR_MEMORY, "out of memory for a block of %zu steps", n);
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
        return fail(t, ERR_BAD, "frame %llu: expected TIME for %zu steps, found %zu",
                    (unsigned long long)t->steps, n, t->ntime);
    for (size_t k = 0; k < n; k++) {
        t->times[k] = t->have_time ? t->time[k] : frame_step_time(d, k, dt);
        double want = k == 0 ? t->next_time : t->times[0] + (double)k * dt;
        if (isinf(t->times[k]))
            return fail(t, ERR_BAD, "frame %llu: expected a time, found an infinite one",
                        (unsigned long long)(t->steps + k));
        if (isfinite(want) && isfinite(t->times[k]) && !one_stride(t->times[k], want, dt))
            return fail(t, ERR_BAD,
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
        return fail(t, ERR_BAD, "frame %llu: expected CELL for %zu steps, found %zu",
                    (unsigned long long)t->steps, n, t->ncell);
    for (size_t k = 0; k < n; k++) {
        t->boxes[k] = *b;
        if (!t->have_cell)
            continue;
        if (box_init(&t->boxes[k], t->cell + 9 * k, b->pbc))
            return fail(t, ERR_BAD,
                        "frame %llu: expected a right-handed cell with a volume, found another one",
                        (unsigned long long)(t->steps + k));
        t->block.cell_changes |= memcmp(t->boxes[k].h, b->h, sizeof b->h) != 0;
    }
    return 0;
}

/* A block whose dimensions are right: check its numbers, times and cells, and make it the next one. */
static int on_block(struct traj_reader *t, const struct frame *f)
{
    const struct frame_desc *d = &f->desc;
    if ((!f->finite && check_finite(t, d, f->data)) || room(t, (size_t)d->dims[0]) ||
        (t->have_velo && check_velo(t, d)))
        return -1;
    size_t n = (size_t)d->dims[0];
    if (set_times(t, d, n) || set_boxes(t, n))
        return -1;
    t->block.velocities = t->have_velo ? t->velo : NULL;
    t->have_time = t->have_cell = t->have_velo = false;
    t->block.nsteps = n;
    t->block.index = d->index;
    t->block.time = t->times;
    t->block.box = t->boxes;
    t->block.data = f->data;
    t->pending = n > 0;
    return 0;
}

/* ---- frame by frame */

/* The payload of this block is not wanted; the next one must follow it all the same. */
static void pass_over(struct traj_reader *t, const struct frame_desc *d)
{
    t->steps += d->dims[0];
    t->next_time = d->dims[0] && !t->have_time ? d->time + (double)d->dims[0] * t->info.dt_ps : NAN;
    t->have_time = t->have_cell = t->have_velo = false;
}

/* Does a block of d end before the steps that are wanted? */
static bool too_early(const struct traj_reader *t, const struct frame_desc *d)
{
    return t->steps < t->skip_to && d->dims[0] <= t->skip_to - t->steps;
}

/* Velocities that no positions followed belong to no step that is handed out. */
static int on_end(struct traj_reader *t)
{
    if (t->have_cell || t->have_time)
        return fail(t, ERR_BAD, "frame %llu: expected a block after CELL or TIME, found END",
                    (unsigned long long)t->steps);
    if (t->have_velo)
        memcpy(t->left_out, t->velo_desc.code, sizeof t->left_out);
    return 0;
}

/* Go to the block that holds skip_to, where the file has an index. 0 or -1. */
static int jump(struct traj_reader *t)
{
    struct err why;
    if (!t->known || t->steps >= t->skip_to || t->expected == 0)
        return 0;
    if (!t->asked && frame_index_read(&t->index, t->r, &why) < 0)
        return err_set(&t->err, why.status, "%s", why.text);
    t->asked = true;
    const double *at = frame_index_find(&t->index, t->skip_to);
    if (!at || (uint64_t)at[0] <= t->steps)
        return 0;
    frame_seek(t->r, (uint64_t)at[1]);
    t->announced = false;
    t->steps = (uint64_t)at[0];
    t->next_time = NAN;
    t->have_time = t->have_cell = t->have_velo = false;
    return 0;
}

/* Read on to the next block, or, with `announce`, to its head: 1, 0 at the end, -1. */
static int advance(struct traj_reader *t, bool announce)
{
    struct frame *f = &t->next;
    while (!t->pending) {
        if (jump(t))
            return -1;
        int rc = t->announced ? 1 : frame_peek(t->r, f);
        t->announced = false;
        if (rc > 0 && frame_counts_steps(&f->desc)) {
            if (check_dims(t, &f->desc))
                return -1;
            t->announced = announce;
            if (announce)
                return 1;
            if (too_early(t, &f->desc)) {
                pass_over(t, &f->desc);
                continue;
            }
        }
        if (rc > 0 && f->desc.type == FRAME_VELO &&
            (t->want != FRAME_OTHER || too_early(t, &f->desc)))
            continue; /* known, and nobody asked for it */
        frame_steps(t->r, t->to - t->steps);
        if (rc > 0 && f->desc.type != FRAME_META && f->desc.type != FRAME_END)
            rc = frame_load(t->r, f);
        if (rc < 0)
            return fail_below(t);
        if (rc == 0)
            return 0;
        switch (f->desc.type) {
        case FRAME_META: rc = on_meta(t); break;
        case FRAME_END: rc = on_end(t); break;
        case FRAME_TIME: rc = keep(t, f, &t->time, &t->ntime, &t->have_time); break;
        case FRAME_CELL: rc = keep(t, f, &t->cell, &t->ncell, &t->have_cell); break;
        case FRAME_OTHER: memcpy(t->left_out, f->desc.code, sizeof t->left_out); break;
        case FRAME_VELO: rc = keep_velo(t, f); break;
        default: rc = frame_counts_steps(&f->desc) ? on_block(t, f) : unwanted(t, &f->desc);
        }
        if (rc < 0)
            return -1;
    }
    return 1;
}

static struct traj_reader *begin(struct frame_reader *r, enum frame_type want, bool announce,
                                 struct err *e)
{
    struct traj_reader *t = calloc(1, sizeof *t);
    struct frame_totals totals;
    if (!t) {
        err_memory(e, "a trajectory");
        return NULL;
    }
    t->r = r;
    t->want = want;
    t->to = UINT64_MAX;
    t->next_time = NAN;
    t->info.type = want == FRAME_META || want == FRAME_OTHER ? FRAME_POSN : want;
    t->info.dtype = want == FRAME_SERI ? FRAME_F64 : FRAME_F32;
    if (frame_totals(r, &totals) && totals.wire_bytes + 256 == frame_file_bytes(r))
        t->expected = totals.steps;
    if (advance(t, announce) >= 0)
        return t;
    if (e)
        *e = t->err;
    traj_close(t);
    return NULL;
}

struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, struct err *e)
{
    return begin(r, want, false, e);
}

struct traj_reader *traj_announce(struct frame_reader *r, enum frame_type want, struct err *e)
{
    return begin(r, want, true, e);
}

const struct traj_info *traj_info(const struct traj_reader *t)
{
    return &t->info;
}

/* What of the block that was just read is before `from` or not before `to` is cut off. */
static void trim(struct traj_reader *t)
{
    struct traj_block *b = &t->block;
    size_t size = t->info.step_bytes;
    uint64_t cut = t->from > t->steps ? t->from - t->steps : 0;
    b->nsteps = t->to - t->steps < b->nsteps ? (size_t)(t->to - t->steps) : b->nsteps;
    b->nsteps -= (size_t)cut;
    b->index += cut;
    b->time += cut;
    b->box += cut;
    b->data = (const char *)b->data + cut * size;
    if (b->velocities)
        b->velocities = (const char *)b->velocities + cut * size;
    t->steps += cut;
}

int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment)
{
    if (t->err.status)
        return -1;
    if (t->steps >= t->to)
        return 0;
    int rc = advance(t, false);
    if (rc <= 0 || t->steps >= t->to)
        return rc < 0 ? -1 : 0;
    trim(t);
    *b = t->block;
    if (first_of_segment)
        *first_of_segment = t->fresh;
    t->fresh = t->pending = false;
    t->steps += t->block.nsteps;
    return 1;
}

void traj_slice(struct traj_reader *t, uint64_t first, uint64_t last)
{
    t->from = first;
    t->to = last;
    traj_seek(t, first);
}

int traj_first_box(struct traj_reader *t, struct box *b)
{
    *b = t->pending ? t->boxes[0] : t->info.box;
    if (!t->pending && t->have_cell && (t->ncell == 0 || box_init(b, t->cell, b->pbc)))
        return fail(t, ERR_BAD,
                    "frame 0: expected a right-handed cell with a volume, found another one");
    return 0;
}

int traj_first(struct traj_reader *t, struct traj_block *b)
{
    t->to = 1; /* nothing behind it is read ahead */
    int rc = advance(t, false);
    t->to = UINT64_MAX;
    *b = t->block;
    return rc < 0 ? -1 : 0;
}

void traj_seek(struct traj_reader *t, uint64_t step)
{
    t->skip_to = step;
    if (t->pending && t->steps < step && t->block.nsteps <= step - t->steps) {
        t->steps += t->block.nsteps;
        t->pending = false;
    }
}

const struct err *traj_error(const struct traj_reader *t)
{
    return &t->err;
}

const char *traj_left_out(const struct traj_reader *t)
{
    return t->left_out[0] ? t->left_out : NULL;
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
    frame_index_free(&t->index);
    free(t->velo);
    free(t->time);
    free(t->cell);
    free(t->times);
    free(t->boxes);
    free(t);
}
