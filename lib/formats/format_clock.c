/* SPDX-License-Identifier: MIT */
#include "formats/format_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stream/stride.h"

/* Times in f32, or printed with few digits, are off by so much of themselves. */
#define TIME_NOISE 2e-7
#define WAY_OUT "a frame is missing or comes twice (--dt PS takes the frames as evenly spaced)"

static int read_box(struct format_clock *c, const struct format_frame *f, struct box *box,
                    struct err *e)
{
    const struct formats_opts *o = c->opts;
    bool has = o->said.has_cell || f->has_cell;
    static const double none[9];
    const double *cell = o->said.has_cell ? o->said.cell : has ? f->cell : none;
    int all[3] = {has, has, has};
    bool loose = c->format->loose;
    const int *pbc = o->said.has_pbc ? o->said.pbc : f->has_pbc && (has || loose) ? f->pbc : all;
    if (!has && !o->said.has_pbc && !loose)
        return err_set(e, ERR_BAD,
                       "expected a cell, found none: --cell gives it, --pbc none says that there "
                       "is none");
    if (!has && (pbc[0] || pbc[1] || pbc[2]))
        return err_set(
            e, ERR_BAD,
            "expected a cell, as it is periodic, found none: give --cell, or --pbc none");
    if (box_init(box, cell, pbc) != 0)
        return err_set(e, ERR_BAD,
                       "expected a cell with a volume and right-handed vectors, found %g %g %g  "
                       "%g %g %g  %g %g %g%s",
                       cell[0], cell[1], cell[2], cell[3], cell[4], cell[5], cell[6], cell[7],
                       cell[8], loose ? "" : " (--cell overrides)");
    if (c->seen == 0) {
        c->box0 = *box;
        c->no_cell = !has && !o->said.has_pbc && !f->has_pbc;
    }
    if (memcmp(box->pbc, c->box0.pbc, sizeof box->pbc) != 0)
        return err_set(
            e, ERR_BAD,
            "expected the same periodic axes as in the first frame (--pbc overrides both)");
    if (loose && (box_volume(box) > 0.0) != (box_volume(&c->box0) > 0.0))
        return err_set(e, ERR_BAD, "expected a cell in every frame or in none (--cell overrides)");
    return 0;
}

/* The time of a frame of a loose format, or its step, where nobody has said dt: one stride from the
 * frame before, as far as the second lines tell. */
static int read_loose_time(struct format_clock *c, struct format_frame *f, struct err *e)
{
    const double timestep = c->opts->said.timestep_ps;
    uint64_t n = c->seen;
    if (n == 0) {
        c->by_steps = f->has_step && (isnan(f->time) || !isnan(timestep));
        c->t0 = c->by_steps ? (double)f->step * timestep : f->time / 1e3;
    } else if (c->by_steps && f->has_step) {
        uint64_t step = (uint64_t)f->step;
        if (n == 1)
            c->steps = step - c->step;
        if (step <= c->step || step - c->step != c->steps)
            return err_set(e, ERR_BAD, "expected step %" PRIu64 ", found %" PRIu64 ": " WAY_OUT,
                           c->step + (n == 1 ? 1 : c->steps), step);
        c->stride = (double)c->steps * timestep;
    } else if (!c->by_steps && !isnan(c->t0)) {
        double d = f->time - c->prev;
        if (n == 1 && d > 0.0) {
            c->stride_fs = d;
            c->stride = d / 1e3;
        }
        if (!(fabs(d - c->stride_fs) <= STRIDE_MISSING * c->stride_fs))
            return err_set(e, ERR_BAD, "expected time %g fs, found %g: " WAY_OUT,
                           c->prev + c->stride_fs, f->time);
    }
    c->step = (uint64_t)f->step;
    c->prev = f->time;
    f->time = n == 0 ? c->t0 : c->t0 + (double)n * c->stride;
    return 0;
}

static int read_time(struct format_clock *c, struct format_frame *f, uint64_t number, struct err *e)
{
    const struct formats_opts *o = c->opts;
    double n = (double)c->seen, t = f->time,
           dt = isnan(o->said.dt_ps) && c->info->dt > 0.0 ? c->info->dt : o->said.dt_ps;
    if (!isnan(dt)) {
        if (c->seen == 0)
            c->t0 = (double)number * dt;
        c->stride = c->format->loose ? dt * (double)o->said.step : dt;
        f->time = c->t0 + n * c->stride;
        return 0;
    }
    if (c->format->loose)
        return read_loose_time(c, f, e);
    if (!isnan(o->said.timestep_ps)) {
        if (!c->info->counts_steps)
            return err_set(
                e, ERR_BAD,
                "expected the number of the MD step (--timestep), found none: give --dt");
        t = (double)f->step * o->said.timestep_ps;
    }
    if (c->seen == 0) {
        c->t0 = t;
    } else if (isnan(t)) {
        return err_set(e, ERR_BAD,
                       "expected a time, found none%s%s: --dt PS gives the time between frames%s",
                       c->info->no_time ? ": " : "", c->info->no_time ? c->info->no_time : "",
                       c->info->counts_steps ? ", --timestep PS the length of an MD step" : "");
    } else if (c->seen == 1) {
        c->stride = format_few_digits(t - c->t0, 1e-15 * (fabs(t) + fabs(c->t0)));
        if (!(c->stride > 0.0))
            return err_set(e, ERR_BAD, "expected a time after %.9g ps, found %.9g: " WAY_OUT, c->t0,
                           t);
    } else if (!(fabs(t - c->prev - c->stride) <=
                 STRIDE_MISSING * c->stride + TIME_NOISE * fabs(t))) {
        return err_set(e, ERR_BAD, "expected time %.9g ps, found %.9g: " WAY_OUT,
                       c->prev + c->stride, t);
    }
    c->prev = t;
    double even = c->seen ? c->t0 + n * c->stride : t;
    f->time = fabs(even - t) <= TIME_NOISE * fabs(t) + 1e-9 * c->stride ? even : t;
    return 0;
}

int format_clock_see(struct format_clock *c, struct format_frame *f, uint64_t number,
                     struct box *box, struct err *e)
{
    if (read_box(c, f, box, e) != 0 || read_time(c, f, number, e) != 0)
        return -1;
    c->seen++;
    return 0;
}

double format_clock_dt(const struct format_clock *c)
{
    return c->stride * (c->format->loose ? 1.0 : (double)c->opts->said.step);
}

void format_clock_said_by(const struct format_clock *c, struct formats_info *i)
{
    const struct formats_opts *o = c->opts;
    const char *by = c->format->by ? c->format->by : "the file";
    if (isnan(c->stride))
        snprintf(i->dt_from, sizeof i->dt_from, "unknown: --dt gives it");
    else if (!isnan(o->said.dt_ps))
        snprintf(i->dt_from, sizeof i->dt_from, "--dt");
    else if (c->info->dt > 0.0)
        snprintf(i->dt_from, sizeof i->dt_from, "said by %s", by);
    else if (c->format->loose ? c->by_steps : !isnan(o->said.timestep_ps))
        snprintf(i->dt_from, sizeof i->dt_from, "steps of %s times --timestep", by);
    else
        snprintf(i->dt_from, sizeof i->dt_from, "times of %s%s", by,
                 c->format->loose && !isnan(o->time_unit_fs) ? " in --time-unit" : "");
    if (o->said.has_cell || !(box_volume(&c->box0) > 0))
        by = NULL;
    snprintf(i->cell_from, sizeof i->cell_from, "%s%s",
             by                 ? "said by "
             : o->said.has_cell ? "--cell"
                                : "there is none",
             by ? by : "");
}
