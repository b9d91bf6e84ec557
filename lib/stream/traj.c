/* SPDX-License-Identifier: MIT */
/* traj.c: makes blocks of the requested time steps from frames. traj_check.c checks them. */
#include "stream/traj.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/traj_reader.h"

/* Skips the payload of this block. The next block must still follow this block. */
static void pass_over(struct traj_reader *t, const struct frame_desc *d)
{
    t->steps += d->dims[0];
    t->next_time = d->dims[0] && !t->have_time ? d->time + (double)d->dims[0] * t->info.dt_ps : NAN;
    traj_forget(t);
}

/* Returns whether a block of d ends before the requested steps. */
static bool too_early(const struct traj_reader *t, const struct frame_desc *d)
{
    return t->steps < t->skip_to && d->dims[0] <= t->skip_to - t->steps;
}

/* Velocities without positions after them belong to no step that is returned. */
static int on_end(struct traj_reader *t)
{
    if (t->have_cell || t->have_time || t->scal.desc.ndim)
        return traj_bad(t, t->steps, "expected a block after CELL, TIME or SCAL, found END");
    if (t->velo.desc.ndim)
        memcpy(t->left_out, t->velo.desc.code, sizeof t->left_out);
    t->ended = t->as_is;
    return 0;
}

/* If the file has an index, goes to the block before the one that contains skip_to, so that the
 * index entry of the latter is checked before its use. Returns 0 or -1. */
static int jump(struct traj_reader *t)
{
    struct err why;
    if (!t->known || t->steps >= t->skip_to || t->expected == 0)
        return 0;
    if (!t->asked && frame_index_read(&t->index, t->r, &why) < 0)
        return t->err = why, -1;
    t->asked = true;
    size_t k = frame_index_find(&t->index, t->skip_to);
    if (k <= 1 || t->index.entry[k - 1][0] <= (double)t->steps)
        return 0;
    t->row = &t->index.entry[k - 1];
    frame_seek(t->r, (uint64_t)t->row[0][1]);
    t->announced = t->inside = false;
    t->steps = (uint64_t)t->row[0][0];
    t->next_time = NAN;
    traj_forget(t);
    return 0;
}

/* Checks after a jump that the block of d is the one in the index. Returns 0 or -1. */
static int check_row(struct traj_reader *t, const struct frame_desc *d)
{
    const struct frame_index *x = &t->index;
    const double(*row)[2] = t->row, (*end)[2] = x->entry + x->n;
    if (!row)
        return 0;
    double steps = (row + 1 < end ? row[1][0] : (double)t->expected) - row[0][0];
    bool there = row[0][1] == (double)t->begins && row[0][0] == (double)t->steps &&
                 steps == (double)d->dims[0] &&
                 (x->uneven || d->index - t->first_index == t->steps);
    t->row = too_early(t, d) && row + 1 < end ? row + 1 : NULL;
    if (there)
        return 0;
    return traj_fail(t, ERR_BAD,
                     "expected the block of the index %s.mbi, %.0f steps from step %.0f at byte "
                     "%.0f, found %llu steps from step %llu at byte %llu (create the index again "
                     "with frame-index, or delete it)",
                     frame_name(t->r), steps, row[0][0], row[0][1], (unsigned long long)d->dims[0],
                     (unsigned long long)(d->index - t->first_index),
                     (unsigned long long)t->begins);
}

/* Drops a pending block that ends before this step. */
static void leave(struct traj_reader *t, uint64_t step)
{
    if (t->pending && t->steps < step && t->block.nsteps <= step - t->steps) {
        t->steps += t->block.nsteps;
        t->pending = false;
    }
}

/* Returns whether these are velocities or scalars that were not requested or belong to skipped
 * steps. */
static bool unread(const struct traj_reader *t, const struct frame_desc *d)
{
    bool scalars = t->want == FRAME_OTHER || t->want == FRAME_SCAL,
         velocities = scalars || t->want == FRAME_VELO;
    return (d->type == FRAME_VELO && (!velocities || too_early(t, d))) ||
           (d->type == FRAME_SCAL && (!scalars || too_early(t, d)));
}

/* Reads up to the next block or, with `announce`, to its header. Returns 1, 0 at the end, or -1. */
static int advance(struct traj_reader *t, bool announce)
{
    struct frame *f = &t->next;
    while (!t->pending) {
        if (t->ended)
            return 0;
        if (t->at < t->whole.desc.dims[0]) {
            if (traj_next_piece(t))
                return -1;
            leave(t, t->skip_to);
            continue;
        }
        if (jump(t))
            return -1;
        int rc = t->announced ? 1 : frame_peek(t->r, f);
        t->announced = false;
        if (!t->inside)
            t->begins = frame_head_at(t->r);
        t->inside = rc > 0 && !frame_counts_steps(&f->desc);
        if (rc > 0 && frame_counts_steps(&f->desc)) {
            if (traj_check_dims(t, &f->desc) || check_row(t, &f->desc))
                return -1;
            t->announced = announce;
            if (announce)
                return 1;
            if (too_early(t, &f->desc)) {
                pass_over(t, &f->desc);
                continue;
            }
        }
        if (rc > 0 && unread(t, &f->desc))
            continue;
        frame_steps(t->r, t->to - t->steps);
        if (rc > 0 && f->desc.type != FRAME_META && f->desc.type != FRAME_END && !t->loaded)
            rc = frame_load(t->r, f);
        t->loaded = false;
        if (rc < 0 && !t->err.status)
            t->err = *frame_error(t->r);
        if (rc < 0)
            return -1;
        if (rc == 0)
            return 0;
        switch (f->desc.type) {
        case FRAME_META: rc = traj_on_meta(t); break;
        case FRAME_END: rc = on_end(t); break;
        case FRAME_TIME: rc = traj_keep(t, f, &t->time, &t->ntime, &t->have_time); break;
        case FRAME_CELL: rc = traj_keep(t, f, &t->cell, &t->ncell, &t->have_cell); break;
        case FRAME_OTHER: memcpy(t->left_out, f->desc.code, sizeof t->left_out); break;
        case FRAME_VELO: rc = traj_keep_extra(t, f, &t->velo); break;
        case FRAME_SCAL: rc = traj_keep_extra(t, f, &t->scal); break;
        default:
            rc = frame_counts_steps(&f->desc) ? traj_on_block(t, f) : traj_unwanted(t, &f->desc);
        }
        if (rc < 0)
            return -1;
    }
    return 1;
}

/* ---- the window of time */

typedef bool reached(const struct window *w, double time, double dt);

static bool not_before(const struct window *w, double time, double dt)
{
    return !window_before(w, time, dt);
}

/* With an index, skips blocks that certainly end before the bound. The time of each step may be
 * late by a thousandth of a stride. */
static void aim(struct traj_reader *t, double bound)
{
    double ahead = (bound - t->next.desc.time) / t->info.dt_ps;
    if (!t->have_time && ahead > 0)
        t->skip_to = t->steps + (uint64_t)(fmin(ahead, 1e15) / (1 + 2e-3));
}

/* Reads from the announced block to the first step for which `is` is true. Returns 1 and sets
 * *step, 0 if there is no such step, or -1. Sets *at to the time of this step, and *before to the
 * time of the preceding step. */
static int walk(struct traj_reader *t, const struct window *w, reached *is, uint64_t *step,
                double *before, double *at)
{
    double dt = t->info.dt_ps;
    uint64_t next = t->steps;
    int rc = 1;
    for (*before = *at = NAN; rc > 0; rc = advance(t, true)) {
        const struct frame_desc *d = &t->next.desc;
        if (t->have_time && t->ntime != d->dims[0]) { /* reading the block will report this */
            *step = t->steps;
            return 1;
        }
        for (uint64_t k = 0; k < d->dims[0]; k++, *before = *at) {
            *at = t->have_time ? t->time[k] : frame_step_time(d, k, dt);
            if (isnan(*at))
                return traj_bad(t, t->steps + k,
                                "--from and --to need a time, but this step has none");
            if (is(w, *at, dt)) {
                if (k == 0 && t->steps != next) /* the index led past this step */
                    return traj_bad(t, t->steps,
                                    "expected a time of at most %.10g ps (from the first time and "
                                    "sys.dt_ps), found %.10g ps",
                                    is == not_before ? w->from : w->to, *at);
                *step = t->steps + k;
                return 1;
            }
        }
        t->announced = false;
        pass_over(t, d);
        next = t->steps;
    }
    *at = NAN;
    return rc;
}

/* Finds the first step after the window, if a file allows it. Returns 0 or -1. */
static int find_end(struct traj_reader *t, const struct window *w)
{
    double before, at;
    struct err why;
    if (isnan(w->to) && t->expected)
        t->end = t->expected;
    if (isnan(w->to) || !t->expected || !frame_is_named(t->r))
        return 0;
    struct frame_reader *r = frame_open(frame_name(t->r), NULL);
    struct traj_reader *x = r ? traj_announce(r, t->want, &why) : NULL;
    int rc = -1;
    if (!r)
        err_memory(&t->err, "a window");
    else if (!x)
        t->err = why;
    else {
        aim(x, w->to);
        if ((rc = walk(x, w, window_behind, &t->end, &before, &at)) == 0)
            t->end = x->steps;
        if (rc < 0)
            t->err = x->err;
    }
    traj_close(x);
    frame_close_reader(r);
    return rc < 0 ? -1 : 0;
}

/* Finds the steps of the window. The first block is announced if `any` is set. Returns 0 or -1. */
static int find_window(struct traj_reader *t, bool any)
{
    const struct window *w = frame_window(t->r);
    double before = NAN, at = NAN;
    int rc = 0;
    if (any) {
        aim(t, w->from);
        rc = walk(t, w, not_before, &t->base, &before, &at);
    }
    if (rc < 0)
        return -1;
    if (rc == 0 || window_behind(w, at, t->info.dt_ps))
        return window_empty(&t->err, frame_name(t->r), w, before, at);
    if (find_end(t, w))
        return -1;
    t->from = t->skip_to = t->base;
    t->to = t->end;
    return 0;
}

/* Looks for the end of the window in the pending block. Returns 0 or -1. */
static int end_window(struct traj_reader *t)
{
    const struct window *w = frame_window(t->r);
    const struct traj_block *b = &t->block;
    if (!w || isnan(w->to) || t->end != UINT64_MAX)
        return 0;
    for (size_t k = t->from > t->steps ? (size_t)(t->from - t->steps) : 0; k < b->nsteps; k++) {
        if (isnan(b->time[k]))
            return traj_bad(t, t->steps + k, "--from and --to need a time, but this step has none");
        if (window_behind(w, b->time[k], t->info.dt_ps)) {
            t->end = t->steps + k;
            t->to = t->to < t->end ? t->to : t->end;
            return 0;
        }
    }
    return 0;
}

/* ---- */

static struct traj_reader *traj_begin(struct frame_reader *r, enum frame_type want, bool announce,
                                      const struct frame *first, struct err *e)
{
    struct frame_totals totals;
    bool extra = want == FRAME_VELO || want == FRAME_SCAL;
    if (want != FRAME_OTHER && want != FRAME_META && !extra && want != FRAME_POSN &&
        want != FRAME_PAIR && want != FRAME_SERI) {
        err_bad(e, "expected a frame with steps, found frame type %d", (int)want);
        return NULL;
    }
    struct traj_reader *t = calloc(1, sizeof *t);
    if (!t) {
        err_memory(e, "a trajectory");
        return NULL;
    }
    t->r = r;
    t->want = want;
    t->to = t->end = UINT64_MAX;
    t->next_time = NAN;
    t->info.type = want == FRAME_META || want == FRAME_OTHER || extra ? FRAME_POSN : want;
    t->info.dtype = want == FRAME_SERI ? FRAME_F64 : FRAME_F32;
    if (frame_totals(r, &totals) && totals.wire_bytes + 256 == frame_file_bytes(r))
        t->expected = totals.steps;
    bool window = !first && frame_window(r);
    if (first) {
        t->as_is = t->announced = t->loaded = true;
        t->next = *first;
    }
    int rc = first && traj_on_meta(t) ? -1 : advance(t, announce || window);
    if (rc >= 0 && window)
        rc = find_window(t, rc > 0) ? -1 : announce ? 1 : advance(t, false);
    if (rc >= 0)
        return t;
    if (e)
        *e = t->err;
    traj_close(t);
    return NULL;
}

struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, struct err *e)
{
    return traj_begin(r, want, false, NULL, e);
}

struct traj_reader *traj_announce(struct frame_reader *r, enum frame_type want, struct err *e)
{
    return traj_begin(r, want, true, NULL, e);
}

struct traj_reader *traj_segment(struct frame_reader *r, const struct frame *first, struct err *e)
{
    return traj_begin(r, FRAME_OTHER, false, first, e);
}

const struct traj_info *traj_info(const struct traj_reader *t)
{
    return &t->info;
}

/* Cuts off the steps of the current block before `from`, and step `to` and later steps. */
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
    if (b->scalars)
        b->scalars = (const char *)b->scalars + cut * t->info.scalar_bytes;
    t->steps += cut;
}

int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment)
{
    if (t->err.status)
        return -1;
    if (t->steps >= t->to)
        return 0;
    int rc = advance(t, false);
    if (rc < 0 || (rc > 0 && end_window(t)))
        return -1;
    if (rc == 0 || t->steps >= t->to || t->from >= t->to)
        return 0;
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
    t->from = first < UINT64_MAX - t->base ? first + t->base : UINT64_MAX;
    t->to = last < t->end - t->base ? last + t->base : t->end;
    traj_seek(t, first);
}

int traj_first_box(struct traj_reader *t, struct box *b)
{
    size_t at = t->base > t->steps ? (size_t)(t->base - t->steps) : 0;
    *b = t->pending ? t->boxes[at] : t->info.box;
    if (!t->pending && t->have_cell && (t->ncell <= at || box_init(b, t->cell + 9 * at, b->pbc)))
        return traj_fail(
            t, ERR_BAD,
            "frame 0: expected a right-handed cell with a positive volume, found an invalid cell");
    return 0;
}

int traj_first(struct traj_reader *t, struct traj_block *b)
{
    t->to = t->base + 1; /* no step after the first is read ahead */
    int rc = advance(t, false);
    t->to = t->end;
    if (rc > 0)
        trim(t);
    *b = t->block;
    return rc < 0 ? -1 : 0;
}

void traj_seek(struct traj_reader *t, uint64_t step)
{
    t->skip_to = step < UINT64_MAX - t->base ? step + t->base : UINT64_MAX;
    leave(t, t->skip_to);
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
    return t->steps > t->base ? t->steps - t->base : 0;
}

uint64_t traj_expected(const struct traj_reader *t)
{
    return t->end != UINT64_MAX ? t->end - t->base : frame_window(t->r) ? 0 : t->expected;
}

void traj_close(struct traj_reader *t)
{
    if (!t)
        return;
    meta_free(t->first);
    frame_index_free(&t->index);
    free(t->velo.data);
    free(t->scal.data);
    free(t->time);
    free(t->cell);
    free(t->times);
    free(t->boxes);
    free(t);
}
