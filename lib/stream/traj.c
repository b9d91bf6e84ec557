/* SPDX-License-Identifier: MIT */
/* traj.c: blocks of time steps out of frames, with the checks that every consumer would have to
 * make. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/traj_state.h"

int traj_fail(struct traj_reader *t, int status, const char *fmt, ...)
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
        snprintf(err, errlen, "expected nine numbers in sys.cell, found %s",
                 meta_get(m, "sys.cell"));
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
        return traj_fail(t, 2, "expected a positive number in %s, found %s", key, meta_get(m, key));
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
        return traj_fail(
            t, 2, "frame %llu: expected segments of one system, found %s %s here and %s before",
            (unsigned long long)t->steps, key, meta_get(m, key) ? meta_get(m, key) : "absent",
            meta_get(t->first, key) ? meta_get(t->first, key) : "absent");
    }
    t->first = meta_copy(m);
    if (!t->first)
        return traj_fail(t, 3, "out of memory");
    if (meta_get_u64(m, "sys.natoms", &n) != 1 || n < 1 || n > UINT32_MAX)
        return traj_fail(t, 2, "expected sys.natoms of 1 or more, found %s",
                         meta_get(m, "sys.natoms") ? meta_get(m, "sys.natoms") : "none");
    t->info.natoms = (size_t)n;
    if (positive(t, m, "sys.dt_ps", &t->info.dt_ps) || positive(t, m, "sys.sigma", &t->info.sigma))
        return -1;
    return traj_box(m, &t->info.box, why, sizeof why) ? traj_fail(t, 2, "%s", why) : 0;
}

/* The payload of this block is not wanted; the next one must follow it all the same. */
static void pass_over(struct traj_reader *t, const struct frame_desc *d)
{
    t->steps += d->dims[0];
    t->next_time = d->dims[0] && !t->have_time ? d->time + (double)d->dims[0] * t->info.dt_ps : NAN;
    t->have_time = t->have_cell = false;
}

/* Read on to the next block: 1, 0 at the end, -1. */
static int advance(struct traj_reader *t)
{
    struct frame f;
    while (!t->pending) {
        int rc = frame_peek(t->r, &f);
        if (rc > 0 && (f.desc.type == FRAME_POSN || f.desc.type == FRAME_PAIR)) {
            if (traj_check_dims(t, &f.desc))
                return -1;
            if (t->steps < t->skip_to && f.desc.dims[0] <= t->skip_to - t->steps) {
                pass_over(t, &f.desc);
                continue;
            }
        }
        if (rc > 0 && f.desc.type == FRAME_VELO)
            continue; /* known, and nobody asked for it */
        if (rc > 0 && f.desc.type != FRAME_META && f.desc.type != FRAME_END)
            rc = frame_load(t->r, &f);
        if (rc < 0)
            return fail_below(t);
        if (rc == 0)
            return 0;
        switch (f.desc.type) {
        case FRAME_META: rc = on_meta(t); break;
        case FRAME_END:
            rc = t->have_cell || t->have_time
                     ? traj_fail(t, 2, "frame %llu: expected a block after CELL or TIME, found END",
                                 (unsigned long long)t->steps)
                     : 0;
            break;
        case FRAME_TIME: rc = traj_keep(t, &f, &t->time, &t->ntime, &t->have_time); break;
        case FRAME_CELL: rc = traj_keep(t, &f, &t->cell, &t->ncell, &t->have_cell); break;
        case FRAME_OTHER: memcpy(t->left_out, f.desc.code, sizeof t->left_out); break;
        case FRAME_POSN:
        case FRAME_PAIR: rc = traj_on_block(t, &f); break;
        default:
            rc = traj_fail(t, 2, "frame %llu: expected %s, found %s", (unsigned long long)t->steps,
                           t->want == FRAME_PAIR ? "pair tables (PAIR)" : "positions (POSN)",
                           f.desc.code);
        }
        if (rc < 0)
            return -1;
    }
    return 1;
}

struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, int *status, char *err,
                              size_t errlen)
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

void traj_seek(struct traj_reader *t, uint64_t step)
{
    t->skip_to = step;
    if (t->pending && t->steps < step && t->block.nsteps <= step - t->steps) {
        t->steps += t->block.nsteps;
        t->pending = false;
    }
}

const char *traj_error(const struct traj_reader *t)
{
    return t->err;
}

int traj_error_status(const struct traj_reader *t)
{
    return t->status;
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
    free(t->time);
    free(t->cell);
    free(t->times);
    free(t->boxes);
    free(t);
}
