/* SPDX-License-Identifier: MIT */
/* series_steps.c: reads POSN, PAIR and SERI segments step by step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series.h"
#include "stats/series_source.h"
#include "stream/frame_rules.h"
#include "stream/scalars.h"

/* Gets stride and cell from META, once per segment. */
static int series_steps_begin(struct series_steps *s, struct series_source *in)
{
    const struct meta *m = frame_meta(s->r);
    s->own.started = true;
    s->own.dt = NAN;
    if (meta_get_f64(m, "sys.dt_ps", &s->own.dt, 1) < 0)
        return series_refuse(in, ERR_BAD, "sys.dt_ps: expected a number, found \"%.100s\"",
                             meta_get(m, "sys.dt_ps"));
    int found = meta_get_f64(m, "sys.cell", s->own.cell, 9);
    if (found < 0)
        return series_refuse(in, ERR_BAD, "sys.cell: expected nine numbers, found \"%.200s\"",
                             meta_get(m, "sys.cell"));
    s->own.has_cell = found == 1;
    struct err why;
    int scalars = scalars_read(m, NULL, &why);
    if (scalars < 0)
        return series_refuse(in, why.status, "%s", why.text);
    s->nscalars = (size_t)scalars;
    return 0;
}

static int check_block(struct series_steps *s, struct series_source *in, const struct frame_desc *d)
{
    unsigned long long natoms = 0;
    bool posn = d->type == FRAME_POSN, seri = d->type == FRAME_SERI;
    if (!seri && meta_get_u64(frame_meta(s->r), "sys.natoms", &natoms) != 1)
        return series_refuse(in, ERR_BAD, "expected META key sys.natoms, found none");
    size_t pairs = natoms < 2   ? 0
                   : natoms % 2 ? (natoms - 1) / 2 * natoms
                                : natoms / 2 * (natoms - 1);
    if (seri && (d->ndim != 2 || d->dtype != FRAME_F64))
        return series_refuse(in, ERR_BAD,
                             "expected SERI as [F,C] f64 at step %llu, found another shape",
                             (unsigned long long)d->index);
    if (!seri && (d->ndim != 3 || (d->dtype != FRAME_F32 && d->dtype != FRAME_F64) ||
                  (posn ? d->dims[1] != natoms || d->dims[2] != 3 : d->dims[2] != pairs)))
        return series_refuse(in, ERR_BAD,
                             "expected %s of %llu atoms at step %llu, found another shape", d->code,
                             natoms, (unsigned long long)d->index);
    size_t ncols = posn ? 3 : d->dims[1];
    if (s->type != FRAME_END && (s->type != d->type || s->dtype != d->dtype || s->ncols != ncols))
        return series_refuse(
            in, ERR_BAD,
            "step %llu: expected the kind of data of the steps before, found another one",
            (unsigned long long)d->index);
    s->type = d->type;
    s->dtype = d->dtype;
    s->ncols = ncols;
    s->natoms = natoms;
    s->nvalues = posn   ? 3 * natoms
                 : seri ? ncols
                        : ncols * pairs; /* no overflow: the array is in memory */
    return 0;
}

/* Keeps a TIME [F] or CELL [F,9] array for the next block. */
static int keep(struct series_source *in, const struct frame *f, double **to, int ndim)
{
    if (series_expect(in, f, f->desc.type, FRAME_F64, ndim, f->desc.code) != 0)
        return -1;
    free(*to);
    *to = series_take(in, f);
    return *to ? 0 : -1;
}

/* Do the velocities and scalars belong to the steps of d? Returns 0, or -1 and sets the error. */
static int check_extra(struct series_steps *s, struct series_source *in, const struct frame_desc *d)
{
    size_t n = d->type == FRAME_POSN ? s->nscalars : 0;
    if (s->own.velo && !frame_belongs(&s->own.velo_desc, d, 3))
        return series_refuse(in, ERR_BAD,
                             "expected VELO for the same steps as its POSN at step %llu, found "
                             "another array",
                             (unsigned long long)d->index);
    if (s->own.scal ? n == 0 || !frame_belongs(&s->own.scal_desc, d, n) : n > 0 && d->dims[0] > 0)
        return series_refuse(in, ERR_BAD,
                             "expected SCAL with the steps of its POSN and the %zu scalars in "
                             "data.scalars at step %llu, found %s",
                             n, (unsigned long long)d->index,
                             s->own.scal ? "another array" : "none");
    s->nscalars = n;
    return 0;
}

static void free_block(struct series_steps *s)
{
    free(s->own.times);
    free(s->own.cells);
    free(s->own.velo);
    free(s->own.scal);
    s->own.times = s->own.cells = s->own.velo = s->own.scal = NULL;
}

/* Keeps velocities or scalars for the next block. */
static int keep_extra(struct series_source *in, const struct frame *f, void **to,
                      struct frame_desc *desc)
{
    free(*to);
    *desc = f->desc;
    *to = series_take(in, f);
    return *to ? 0 : -1;
}

/* Reads the next block with at least one step. Returns 1, 0 at END, or -1. */
static int next_block(struct series_steps *s, struct series_source *in)
{
    size_t ntimes = 0, ncells = 0;
    free_block(s);
    for (;;) {
        struct frame *f = &s->own.f;
        if (s->first.data) {
            *f = s->first;
            s->first.data = NULL;
        } else if (frame_next(s->r, f) <= 0) {
            return *in->e = *frame_error(s->r), -1;
        }
        if (f->desc.type == FRAME_END && s->own.scal)
            return series_refuse(in, ERR_BAD, "expected a block after SCAL, found END");
        if (f->desc.type == FRAME_END)
            return 0;
        if (f->desc.type == FRAME_TIME) {
            ntimes = f->desc.dims[0];
            if (keep(in, f, &s->own.times, 1) != 0)
                return -1;
        } else if (f->desc.type == FRAME_CELL) {
            ncells = f->desc.dims[1] == 9 ? f->desc.dims[0] : 0;
            if (keep(in, f, &s->own.cells, 2) != 0)
                return -1;
        } else if (f->desc.type == FRAME_VELO) {
            if (keep_extra(in, f, &s->own.velo, &s->own.velo_desc) != 0)
                return -1;
        } else if (f->desc.type == FRAME_SCAL) {
            if (keep_extra(in, f, &s->own.scal, &s->own.scal_desc) != 0)
                return -1;
        } else if (frame_counts_steps(&f->desc)) {
            if ((!s->own.started && series_steps_begin(s, in) != 0) ||
                check_block(s, in, &f->desc) != 0)
                return -1;
            if ((s->own.times && ntimes != f->desc.dims[0]) ||
                (s->own.cells && ncells != f->desc.dims[0]))
                return series_refuse(in, ERR_BAD,
                                     "expected TIME and CELL for as many steps as the block of "
                                     "step %llu, found another number",
                                     (unsigned long long)f->desc.index);
            if (check_extra(s, in, &f->desc) != 0)
                return -1;
            if (f->desc.dims[0] > 0)
                return 1;
        } else if (f->desc.type != FRAME_META && f->desc.type != FRAME_OTHER) {
            return series_refuse(in, ERR_BAD, "expected POSN, PAIR or SERI, found %s",
                                 f->desc.code);
        }
    }
}

int series_steps_next(struct series_steps *s, struct err *e)
{
    struct series_source in = {s->r, e};
    if (!s->own.started)
        s->type = FRAME_END;
    if (s->own.at == s->own.nsteps) {
        int got = next_block(s, &in);
        if (got <= 0)
            return got;
        s->own.at = 0;
        s->own.nsteps = s->own.f.desc.dims[0];
    }
    size_t k = s->own.at++;
    s->index = s->own.f.desc.index + k;
    s->time = s->own.times ? s->own.times[k] : frame_step_time(&s->own.f.desc, k, s->own.dt);
    s->cell = s->own.cells ? s->own.cells + 9 * k : s->own.has_cell ? s->own.cell : NULL;
    size_t at = k * s->nvalues * frame_dtype_size(s->dtype);
    s->data = (const char *)s->own.f.data + at;
    s->velocities = s->own.velo ? (const char *)s->own.velo + at : NULL;
    s->scalars = s->own.scal ? (const char *)s->own.scal + at / 3 * s->nscalars : NULL;
    return 1;
}

void series_steps_free(struct series_steps *s)
{
    free_block(s);
}
