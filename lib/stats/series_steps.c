/* SPDX-License-Identifier: MIT */
/* series_steps.c: returns the steps of a segment one by one. */
#include <string.h>

#include "stats/series.h"

int series_steps_next(struct series_steps *s, struct err *e)
{
    static const double none[9];
    struct traj_block *b = &s->own.b;
    int got = 1;
    if (!s->own.t && !(s->own.t = traj_segment(s->r, &s->first, e)))
        return -1;
    if (++s->own.at >= b->nsteps) {
        got = traj_next(s->own.t, b, NULL);
        s->own.at = 0;
    }
    const struct traj_info *in = traj_info(s->own.t);
    bool posn = in->type == FRAME_POSN, seri = in->type == FRAME_SERI;
    s->type = in->type;
    s->code = posn ? "POSN" : seri ? "SERI" : "PAIR";
    s->dtype = in->dtype;
    s->natoms = seri ? 0 : in->natoms;
    s->ncols = posn ? 3 : in->ncomp;
    s->nvalues = in->step_bytes / frame_dtype_size(in->dtype);
    s->left_out = traj_left_out(s->own.t);
    if (got < 0)
        *e = *traj_error(s->own.t);
    if (got <= 0)
        return b->nsteps = 0, got;
    const double *cell = &b->box[s->own.at].h[0][0];
    size_t at = s->own.at * in->step_bytes;
    s->index = b->index + s->own.at;
    s->time = b->time[s->own.at];
    s->cell = memcmp(cell, none, sizeof none) == 0 ? NULL : cell;
    s->data = (const char *)b->data + at;
    s->velocities = b->velocities ? (const char *)b->velocities + at : NULL;
    s->nscalars = b->scalars ? in->nscalars : 0;
    s->scalars = b->scalars ? (const char *)b->scalars + at / 3 * in->nscalars : NULL;
    return 1;
}

void series_steps_free(struct series_steps *s)
{
    traj_close(s->own.t);
    s->own.t = NULL;
}
