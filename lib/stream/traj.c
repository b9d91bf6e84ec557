/* SPDX-License-Identifier: MIT */
/* traj.c: blocks of time steps out of frames, those that are wanted; traj_check.c says what they must
 * be. */
#include "stream/traj.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/traj_reader.h"

static int fail_below(struct traj_reader *t)
{
    if (!t->err.status)
        t->err = *frame_error(t->r);
    return -1;
}

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
        return traj_fail(t, ERR_BAD, "frame %llu: expected a block after CELL or TIME, found END",
                         (unsigned long long)t->steps);
    if (t->have_velo)
        memcpy(t->left_out, t->velo_desc.code, sizeof t->left_out);
    return 0;
}

/* Go to the block before the one that holds skip_to, where the file has an index: so what the index
 * says of the latter is seen to be so before it is believed. 0 or -1. */
static int jump(struct traj_reader *t)
{
    struct err why;
    if (!t->known || t->steps >= t->skip_to || t->expected == 0)
        return 0;
    if (!t->asked && frame_index_read(&t->index, t->r, &why) < 0)
        return err_set(&t->err, why.status, "%s", why.text);
    t->asked = true;
    size_t k = frame_index_find(&t->index, t->skip_to);
    if (k <= 1 || t->index.entry[k - 1][0] <= (double)t->steps)
        return 0;
    t->row = &t->index.entry[k - 1];
    frame_seek(t->r, (uint64_t)t->row[0][1]);
    t->announced = t->inside = false;
    t->steps = (uint64_t)t->row[0][0];
    t->next_time = NAN;
    t->have_time = t->have_cell = t->have_velo = false;
    return 0;
}

/* After a jump: is the block of d the one that the index has there? 0 or -1. */
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
                     "its index %s.mbi has %.0f steps from step %.0f at byte %.0f, found %llu from "
                     "step %llu at byte %llu: make it again (frame-index) or remove it",
                     frame_name(t->r), steps, row[0][0], row[0][1], (unsigned long long)d->dims[0],
                     (unsigned long long)(d->index - t->first_index),
                     (unsigned long long)t->begins);
}

/* Read on to the next block, or, with `announce`, to its head: 1, 0 at the end, -1. */
static int advance(struct traj_reader *t, bool announce)
{
    struct frame *f = &t->next;
    while (!t->pending) {
        if (t->at < t->whole.desc.dims[0]) {
            if (traj_next_piece(t))
                return -1;
            traj_seek(t, t->skip_to);
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
        if (rc > 0 && f->desc.type == FRAME_VELO &&
            ((t->want != FRAME_OTHER && t->want != FRAME_VELO) || too_early(t, &f->desc)))
            continue; /* known, and nobody asked for it */
        frame_steps(t->r, t->to - t->steps);
        if (rc > 0 && f->desc.type != FRAME_META && f->desc.type != FRAME_END)
            rc = frame_load(t->r, f);
        if (rc < 0)
            return fail_below(t);
        if (rc == 0)
            return 0;
        switch (f->desc.type) {
        case FRAME_META: rc = traj_on_meta(t); break;
        case FRAME_END: rc = on_end(t); break;
        case FRAME_TIME: rc = traj_keep(t, f, &t->time, &t->ntime, &t->have_time); break;
        case FRAME_CELL: rc = traj_keep(t, f, &t->cell, &t->ncell, &t->have_cell); break;
        case FRAME_OTHER: memcpy(t->left_out, f->desc.code, sizeof t->left_out); break;
        case FRAME_VELO: rc = traj_keep_velo(t, f); break;
        default:
            rc = frame_counts_steps(&f->desc) ? traj_on_block(t, f) : traj_unwanted(t, &f->desc);
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
    t->info.type =
        want == FRAME_META || want == FRAME_OTHER || want == FRAME_VELO ? FRAME_POSN : want;
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
        return traj_fail(t, ERR_BAD,
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
