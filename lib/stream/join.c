/* SPDX-License-Identifier: MIT */
#include "stream/join.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_rules.h"
#include "stream/stride.h"

const char *const join_jumps[] = {"refuse", "mark", "close", NULL};

static int fail(struct join *j, const struct frame_reader *r, const char *what)
{
    err_bad(&j->err, "%s", what);
    return err_file(&j->err, frame_name(r));
}

/* Takes the META of the output from the first segment. All other segments must describe the same
 * system and data. */
static int on_meta(struct join *j, const struct frame_reader *r)
{
    const struct meta *m = frame_meta(r);
    char what[512];
    j->shifts_known = false;
    j->segments++;
    j->joined++;
    if (j->wanted && j->segments > j->wanted)
        return fail(j, r, "expected no more segments than --segments states, found one more");
    if (j->first) {
        const char *key = meta_system_differs(j->first, m);
        if (!key)
            key = meta_differs(j->first, m, "data.");
        j->other_cell = meta_differs(j->first, m, "sys.cell") != NULL;
        if (!key && j->other_cell && meta_get_f64(m, "sys.cell", j->cell, 9) != 1)
            key = "sys.cell";
        if (!key)
            return 0;
        const char *a = meta_get(j->first, key), *b = meta_get(m, key), *none = "absent";
        snprintf(what, sizeof what,
                 "expected segments of one system, found different values of %s: %.80s here and "
                 "%.80s in the first segment",
                 key, b ? b : none, a ? a : none);
        return fail(j, r, what);
    }
    j->first = meta_copy(m);
    j->out = meta_derive(m, j->tool, j->version, j->args);
    if (meta_get_f64(m, "sys.dt_ps", &j->dt, 1) != 1)
        j->dt = NAN;
    bool bad =
        !j->first || !j->out || meta_copy_keys(j->out, m, "data.") || frame_put_meta(j->w, j->out);
    return bad ? -1 : 0;
}

static int end_segment(struct join *j)
{
    return frame_end(j->w, j->cut ? FRAME_LIMITED : FRAME_COMPLETE, j->parent[0],
                     j->joined > 1 ? j->parent[1] : NULL);
}

/* Returns whether this segment continues one stride after the last step. Times are compared if both
 * are known. */
static bool goes_on(const struct join *j, const struct frame_desc *d)
{
    if (isnan(j->next_time) || isnan(d->time))
        return d->index == j->next;
    return fabs(d->time - j->next_time) <= STRIDE_PRINTED * j->dt + 1e-12 * fabs(d->time);
}

/* Handles a discontinuity: refuses it, or begins a new output segment. Returns 0 or -1. */
static int on_jump(struct join *j, const struct frame_reader *r, const struct frame_desc *d)
{
    char last[64] = "", found[64] = "";
    if (!isnan(j->next_time) && !isnan(d->time)) {
        snprintf(last, sizeof last, " at %.10g ps", j->next_time - j->dt);
        snprintf(found, sizeof found, " at %.10g ps", d->time);
    }
    if (j->jumps == JOIN_REFUSE)
        return err_in(&j->err, ERR_BAD, frame_name(r), 0,
                      "expected a step that follows step %llu%s, found step %llu%s (--jumps mark "
                      "begins a new segment there; if the data are continuous, "
                      "--jumps close shifts the steps and times)",
                      (unsigned long long)(j->next - 1), last, (unsigned long long)d->index, found);
    if (end_segment(j) || frame_put_meta(j->w, j->out))
        return -1;
    j->joined = 1;
    j->next = d->index;
    j->next_time = d->time;
    return 0;
}

/* Finds the shift of steps and time that makes this segment continue where the last one ended.
 * Returns 0 or -1. */
static int find_shifts(struct join *j, const struct frame_reader *r, const struct frame_desc *d)
{
    bool begins = !j->stepped;
    if (!begins && j->jumps != JOIN_CLOSE && !goes_on(j, d) && on_jump(j, r, d))
        return -1;
    j->index_shift = begins ? 0 : j->next - d->index;
    j->time_shift = begins || isnan(j->next_time) || isnan(d->time) ? 0 : j->next_time - d->time;
    if (fabs(j->time_shift) <= STRIDE_EXACT * j->dt)
        j->time_shift = 0;
    j->shifts_known = true;
    return 0;
}

/* Writes an array that must be changed or compressed again. */
static int put_changed(struct join *j, struct frame_reader *r, struct frame *f)
{
    if (frame_load(r, f) < 0)
        return -1;
    if (f->desc.type == FRAME_TIME && f->desc.dtype == FRAME_F64)
        for (size_t k = 0; k < f->bytes / sizeof(double); k++)
            ((double *)f->data)[k] += j->time_shift;
    return frame_put(j->w, &f->desc, f->data) ? -2 : 0;
}

/* Writes CELL for steps d of a segment with a different cell and no CELL. Returns 0 or -1. */
static int put_cells(struct join *j, const struct frame_desc *d)
{
    struct frame_desc c = {.type = FRAME_CELL,
                           .dtype = FRAME_F64,
                           .ndim = 2,
                           .dims = {d->dims[0], 9},
                           .index = d->index,
                           .time = d->time,
                           .flags = FRAME_CRITICAL};
    double *cells = d->dims[0] <= FRAME_PART_MAX / 72 ? malloc((size_t)d->dims[0] * 72 + 1) : NULL;
    if (!cells)
        return err_memory(&j->err, "the cells of a block");
    for (size_t k = 0; k < 9 * (size_t)d->dims[0]; k++)
        cells[k] = j->cell[k % 9];
    int bad = frame_put(j->w, &c, cells);
    free(cells);
    return bad ? -1 : 0;
}

static int on_array(struct join *j, struct frame_reader *r, struct frame *f)
{
    struct frame_desc *d = &f->desc;
    if (frame_is_sums(d))
        return fail(
            j, r,
            d->type == FRAME_SPEC
                ? "expected positions, pair tables or a time series, found a spectrum (SPEC)"
                : "expected positions, pair tables or a time series, found sums (add them with "
                  "frame-merge)");
    if (d->type != FRAME_OTHER && !j->shifts_known && find_shifts(j, r, d))
        return -1;
    if (d->type == FRAME_OTHER)
        j->index_shift = j->shifts_known ? j->index_shift : 0;
    d->index += j->index_shift;
    d->time += j->time_shift;
    bool steps = frame_counts_steps(d);
    j->celled |= d->type == FRAME_CELL;
    bool extra = d->type == FRAME_VELO || d->type == FRAME_SCAL;
    if ((steps || extra) && j->other_cell && !j->celled && put_cells(j, d))
        return -1;
    j->celled = !steps && (j->celled || extra);
    if (steps) {
        j->stepped = true;
        j->next = d->index + d->dims[0];
        j->next_time = d->time + (double)d->dims[0] * j->dt;
    }
    bool changed = j->anew || (d->type == FRAME_TIME && j->time_shift != 0);
    int rc = changed ? put_changed(j, r, f) : frame_pass(r, j->w, d);
    return rc == 0 ? 0 : -1;
}

static void on_end(struct join *j, const struct frame_reader *r)
{
    struct frame_totals t;
    if (!frame_totals(r, &t))
        return;
    j->cut = t.status == FRAME_PARTIAL;
    if (j->joined <= 2)
        memcpy(j->parent[j->joined - 1], t.stream_hash, 16);
}

int join_add(struct join *j, struct frame_reader *r)
{
    struct frame f;
    int rc, bad = 0;
    while (!bad && (rc = frame_peek(r, &f)) > 0) {
        if (f.desc.type == FRAME_META)
            bad = on_meta(j, r);
        else if (f.desc.type == FRAME_END)
            on_end(j, r);
        else
            bad = on_array(j, r, &f);
        j->progress(frame_wire_bytes(r), frame_file_bytes(r), "bytes");
    }
    if (!bad && rc == 0)
        return 0;
    if (!j->err.status && frame_error(r)->status)
        j->err = *frame_error(r);
    if (!j->err.status && frame_writer_error(j->w)->status)
        j->err = *frame_writer_error(j->w);
    return j->err.status ? -1 : err_memory(&j->err, "META");
}

int join_end(struct join *j)
{
    if (j->wanted && j->segments != j->wanted)
        return err_bad(&j->err, "expected %llu segments, as --segments states, found %llu",
                       (unsigned long long)j->wanted, (unsigned long long)j->segments);
    return end_segment(j) ? (j->err = *frame_writer_error(j->w), -1) : 0;
}

void join_free(struct join *j)
{
    meta_free(j->first);
    meta_free(j->out);
}
