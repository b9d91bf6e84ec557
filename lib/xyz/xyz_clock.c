/* SPDX-License-Identifier: MIT */
#include "xyz/xyz_clock.h"
#include "stream/stride.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void xyz_clock_init(struct xyz_clock *c, const struct xyz_opts *opts)
{
    *c = (struct xyz_clock){.opts = opts, .dialect = opts->dialect, .dt = NAN, .sigma = NAN};
}

void xyz_clock_free(struct xyz_clock *c)
{
    free(c->comment);
}

static int find_dialect(const struct xyz_clock *c, const char *s, size_t len, enum xyz_dialect *d,
                        struct err *e)
{
    *d = c->dialect;
    return c->dialect == XYZ_AUTO ? xyz_header_detect(s, len, d, e) : 0;
}

/* The line, its time in fs where the line or the user says a unit. */
static int parse(const struct xyz_opts *o, enum xyz_dialect d, const char *s, size_t len,
                 struct xyz_header *h, struct err *e)
{
    if (xyz_header_parse(d, s, len, h, e) != 0)
        return -1;
    if (h->time_unit_unknown && !isnan(o->time_unit_fs)) {
        h->time_fs *= o->time_unit_fs;
        h->time_unit_unknown = false;
    }
    return 0;
}

bool xyz_clock_needs_two(const struct xyz_clock *c, const char *s, size_t len)
{
    struct xyz_header h;
    enum xyz_dialect d;
    return find_dialect(c, s, len, &d, NULL) == 0 && parse(c->opts, d, s, len, &h, NULL) == 0 &&
           isnan(c->opts->said.dt_ps) &&
           (!isnan(h.time_fs) || (h.has_step && !isnan(c->opts->said.timestep_ps)));
}

static int read_box(struct xyz_clock *c, struct box *box, struct err *e)
{
    const struct xyz_header *h = &c->header;
    const struct xyz_opts *o = c->opts;
    bool has = o->said.has_cell || h->has_cell;
    static const double none[9];
    const double *cell = o->said.has_cell ? o->said.cell : has ? h->cell : none;
    int all[3] = {has, has, has};
    const int *pbc = o->said.has_pbc ? o->said.pbc : h->has_pbc ? h->pbc : all;
    if (!has && (pbc[0] || pbc[1] || pbc[2]))
        return err_set(
            e, ERR_BAD,
            "expected a cell, as it is periodic, found none: give --cell, or --pbc none");
    if (box_init(box, cell, pbc) != 0)
        return err_set(e, ERR_BAD,
                       "expected a cell with a volume and right-handed vectors, found %g %g %g  "
                       "%g %g %g  %g %g %g",
                       cell[0], cell[1], cell[2], cell[3], cell[4], cell[5], cell[6], cell[7],
                       cell[8]);
    if (c->nheads == 0) {
        c->box0 = *box;
        c->no_cell = !has && !o->said.has_pbc && !h->has_pbc;
        return 0;
    }
    if (memcmp(box->pbc, c->box0.pbc, sizeof box->pbc) != 0)
        return err_set(
            e, ERR_BAD,
            "expected the same periodic axes as in the first frame (--pbc overrides both)");
    if ((box_volume(box) > 0.0) != (box_volume(&c->box0) > 0.0))
        return err_set(e, ERR_BAD, "expected a cell in every frame or in none (--cell overrides)");
    return 0;
}

/* The first frame decides how times are known; second: the header after it, or NULL. */
static int choose_times(struct xyz_clock *c, const struct xyz_header *second, struct err *e)
{
    const struct xyz_header *h = &c->header;
    const struct xyz_opts *o = c->opts;
    c->t0 = NAN;
    if (!isnan(o->said.dt_ps) || !isnan(h->dt_ps)) {
        double dt = isnan(o->said.dt_ps) ? h->dt_ps : o->said.dt_ps;
        c->times = XYZ_STRIDE;
        c->t0 = (double)o->said.first * dt;
        c->dt = dt * (double)o->said.step;
    } else if (h->has_step && !isnan(o->said.timestep_ps)) {
        c->times = XYZ_STEPS;
        c->t0 = (double)h->step * o->said.timestep_ps;
        if (second && second->has_step && second->step > h->step)
            c->dt = (double)(second->step - h->step) * o->said.timestep_ps;
    } else if (h->time_unit_unknown && (second || h->time_fs != 0.0)) { /* 0 is 0 in any unit */
        return err_set(e, ERR_BAD,
                       "expected the unit of Time=%g (time_unit=fs, ps or ns behind it), found "
                       "none, and programs differ: say --time-unit, or --dt%s",
                       h->time_fs, h->has_step ? ", or --timestep" : "");
    } else if (!isnan(h->time_fs)) {
        c->times = XYZ_TIMES;
        c->t0 = h->time_fs / 1e3;
        if (second && second->time_fs > h->time_fs) {
            c->stride_fs = second->time_fs - h->time_fs;
            c->dt = c->stride_fs / 1e3;
        }
    } else {
        c->times = XYZ_NO_TIME;
    }
    return 0;
}

/* Frames must be one stride apart, as far as the headers tell. */
static int check_stride(struct xyz_clock *c, struct err *e)
{
    const struct xyz_header *h = &c->header;
    static const char way_out[] =
        "a frame is missing or comes twice (--dt PS takes the frames as evenly spaced)";
    uint64_t n = c->nheads++;
    if (n > 0 && !isnan(h->dt_ps) && isnan(c->opts->said.dt_ps) &&
        h->dt_ps * (double)c->opts->said.step != c->dt)
        return err_set(e, ERR_BAD, "expected dt %g ps as in the first frame, found %g",
                       c->dt / (double)c->opts->said.step, h->dt_ps);
    if (c->times == XYZ_TIMES && n > 0) {
        double d = h->time_fs - c->prev_fs;
        if (!(fabs(d - c->stride_fs) <= STRIDE_MISSING * c->stride_fs))
            return err_set(e, ERR_BAD, "expected time %g fs, found %g: %s",
                           c->prev_fs + c->stride_fs, h->time_fs, way_out);
    }
    if (h->has_step && (c->times == XYZ_STEPS || c->times == XYZ_NO_TIME) && n > 0) {
        if (n == 1)
            c->stride_steps = h->step - c->prev_step;
        if (h->step <= c->prev_step || h->step - c->prev_step != c->stride_steps)
            return err_set(e, ERR_BAD, "expected step %llu, found %llu: %s",
                           (unsigned long long)(c->prev_step + (n == 1 ? 1 : c->stride_steps)),
                           (unsigned long long)h->step, way_out);
    }
    c->prev_fs = h->time_fs;
    c->prev_step = h->step;
    return 0;
}

/* A line into c->header, parsed only when its text is new. */
static int read_header(struct xyz_clock *c, const char *s, size_t len, struct err *e)
{
    if (c->comment && len == c->comment_len && memcmp(s, c->comment, len) == 0)
        return 0;
    if (parse(c->opts, c->dialect, s, len, &c->header, e) != 0)
        return -1;
    if (!c->comment || len > c->comment_cap) {
        free(c->comment);
        c->comment_cap = len + 64;
        c->comment = malloc(c->comment_cap);
        if (!c->comment)
            return err_memory(e, "a second line");
    }
    memcpy(c->comment, s, len);
    c->comment_len = len;
    return 0;
}

int xyz_clock_start(struct xyz_clock *c, const char *first, size_t first_len, const char *second,
                    size_t second_len, struct err *e)
{
    struct xyz_header h;
    if (find_dialect(c, first, first_len, &c->dialect, e) != 0 ||
        read_header(c, first, first_len, e) != 0)
        return -1;
    bool two = second && parse(c->opts, c->dialect, second, second_len, &h, NULL) == 0;
    c->sigma = isnan(c->opts->sigma) ? c->header.sigma : c->opts->sigma;
    return choose_times(c, two ? &h : NULL, e);
}

int xyz_clock_next(struct xyz_clock *c, const char *s, size_t len, struct xyz_head *h,
                   struct err *e)
{
    if (read_header(c, s, len, e) != 0 || read_box(c, &h->box, e) != 0 || check_stride(c, e) != 0)
        return -1;
    h->layout = c->header.layout;
    h->scale = c->header.scale;
    h->time = c->nheads == 1 ? c->t0 : c->t0 + (double)(c->nheads - 1) * c->dt;
    return 0;
}

const char *xyz_clock_dt_from(const struct xyz_clock *c)
{
    const struct xyz_opts *o = c->opts;
    if (isnan(c->dt))
        return "unknown: --dt gives it";
    switch (c->times) {
    case XYZ_STRIDE: return isnan(o->said.dt_ps) ? "said by the second lines" : "--dt";
    case XYZ_STEPS: return "steps of the second lines times --timestep";
    default:
        return isnan(o->time_unit_fs) ? "times of the second lines"
                                      : "times of the second lines in --time-unit";
    }
}

const char *xyz_clock_cell_from(const struct xyz_clock *c)
{
    return c->opts->said.has_cell     ? "--cell"
           : box_volume(&c->box0) > 0 ? "said by the second lines"
                                      : "there is none";
}
