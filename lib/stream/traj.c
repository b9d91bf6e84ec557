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

/* A positive number behind key, NaN when it is absent. */
static int positive(struct traj_reader *t, const struct meta *m, const char *key, double *v)
{
    *v = NAN;
    int rc = meta_get_f64(m, key, v, 1);
    if (rc < 0 || (rc == 1 && !(*v > 0 && *v < HUGE_VAL)))
        return traj_fail(t, ERR_BAD, "expected a positive number in %s, found %s", key,
                         meta_get(m, key));
    return 0;
}

static int on_meta(struct traj_reader *t)
{
    const struct meta *m = frame_meta(t->r);
    unsigned long long n = 0;
    struct err why;
    t->fresh = true;
    t->have_time = t->have_cell = false;
    t->next_time = NAN;
    if (t->first) {
        const char *key = meta_sys_differs(t->first, m);
        if (!key)
            return 0;
        return traj_fail(
            t, ERR_BAD,
            "frame %llu: expected segments of one system, found %s %s here and %s before",
            (unsigned long long)t->steps, key, meta_get(m, key) ? meta_get(m, key) : "absent",
            meta_get(t->first, key) ? meta_get(t->first, key) : "absent");
    }
    t->first = meta_copy(m);
    if (!t->first)
        return traj_fail(t, ERR_MEMORY, "out of memory");
    if (meta_get_u64(m, "sys.natoms", &n) != 1 || n < 1 || n > UINT32_MAX)
        return traj_fail(t, ERR_BAD, "expected sys.natoms of 1 or more, found %s",
                         meta_get(m, "sys.natoms") ? meta_get(m, "sys.natoms") : "none");
    t->info.natoms = (size_t)n;
    if (positive(t, m, "sys.dt_ps", &t->info.dt_ps) || positive(t, m, "sys.sigma", &t->info.sigma))
        return -1;
    return traj_box(m, &t->info.box, &why) ? traj_fail(t, ERR_BAD, "%s", why.text) : 0;
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
                     ? traj_fail(t, ERR_BAD,
                                 "frame %llu: expected a block after CELL or TIME, found END",
                                 (unsigned long long)t->steps)
                     : 0;
            break;
        case FRAME_TIME: rc = traj_keep(t, &f, &t->time, &t->ntime, &t->have_time); break;
        case FRAME_CELL: rc = traj_keep(t, &f, &t->cell, &t->ncell, &t->have_cell); break;
        case FRAME_OTHER: memcpy(t->left_out, f.desc.code, sizeof t->left_out); break;
        case FRAME_POSN:
        case FRAME_PAIR: rc = traj_on_block(t, &f); break;
        default:
            rc = traj_fail(
                t, ERR_BAD, "frame %llu: expected %s, found %s", (unsigned long long)t->steps,
                t->want == FRAME_PAIR ? "pair tables (PAIR)" : "positions (POSN)", f.desc.code);
        }
        if (rc < 0)
            return -1;
    }
    return 1;
}

struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, struct err *e)
{
    struct traj_reader *t = calloc(1, sizeof *t);
    struct frame_totals totals;
    if (!t) {
        err_memory(e, "a trajectory");
        return NULL;
    }
    t->r = r;
    t->want = want;
    t->next_time = NAN;
    t->info.type = want == FRAME_META ? FRAME_POSN : want;
    t->info.dtype = FRAME_F32;
    if (frame_totals(r, &totals) && totals.wire_bytes + 256 == frame_file_bytes(r))
        t->expected = totals.steps;
    if (advance(t) >= 0)
        return t;
    if (e)
        *e = t->err;
    traj_close(t);
    return NULL;
}

const struct traj_info *traj_info(const struct traj_reader *t)
{
    return &t->info;
}

int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment)
{
    if (t->err.status)
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
    free(t->time);
    free(t->cell);
    free(t->times);
    free(t->boxes);
    free(t);
}
