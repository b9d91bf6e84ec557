/* SPDX-License-Identifier: MIT */
#include "formats/format_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/format_cell.h"
#include "stream/stride.h"

#define TIME_NOISE 2e-7  /* relative error of times that were once stored as f32 */
#define EXACT 1e-7       /* any stride is used if the relative width of the range is at most this */
#define DETERMINED 1e-3  /* width for a unique decimal or, at the end of the input, any stride */
#define NEARLY 1e-2      /* width at the end of the input for a unique decimal of 1 or 2 digits */
#define EDGE 1e-6        /* ends of the range, in widths: no stride lies there by chance */
#define COARSE 0.2       /* width up to which t = step * timestep may refine the stride */
#define FORCED 0.5       /* tolerance in strides for even spacing with --dt */
#define SHORT 0.95       /* in strides (a closer last frame is not in the interval) */
#define RESOLVED 0.05    /* in strides, precision at which stamps may contradict the steps */
enum { STAMPS_MIN = 3 }; /* minimum number of stamps that are compared */

#define GIVE_TIME "give the time between frames with --dt PS"

static bool has_step(const struct format_clock *c, const struct format_frame *f)
{
    return c->format->loose ? f->has_step : c->info->counts_steps;
}

static double given_dt(const struct format_clock *c)
{
    const struct traj_given *o = &c->opts->given;
    return isnan(o->dt_ps) && c->info->dt > 0.0 ? c->info->dt : o->dt_ps;
}

static const char *give_step(const struct format_clock *c, const struct format_frame *f)
{
    return has_step(c, f) ? ", or the length of an MD step with --timestep PS" : "";
}

static int read_box(struct format_clock *c, const struct format_frame *f, struct box *box,
                    struct err *e)
{
    const struct formats_opts *o = c->opts;
    bool has = o->given.has_cell || f->has_cell;
    static const double none[9];
    const double *cell = o->given.has_cell ? o->given.cell : has ? f->cell : none;
    int all[3] = {has, has, has};
    bool loose = c->format->loose,
         untimed = isnan(f->time) && isnan(given_dt(c)) && isnan(o->given.timestep_ps);
    const int *pbc = o->given.has_pbc ? o->given.pbc : f->has_pbc ? f->pbc : all;
    if (!has && !o->given.has_pbc && !f->has_pbc && !loose)
        return err_bad(e,
                       "expected a cell%s (give a cell with --cell, or --pbc none for a "
                       "non-periodic system%s%s)",
                       untimed ? " and a time, found neither" : ", found none",
                       untimed ? "; and " GIVE_TIME : "", untimed ? give_step(c, f) : "");
    if (!has && (pbc[0] || pbc[1] || pbc[2]))
        return err_bad(
            e, "expected a cell for the periodic axes, found none (give --cell, or --pbc none)");
    double h[9];
    int along[3] = {pbc[0], pbc[1], pbc[2]};
    memcpy(h, cell, sizeof h);
    int changed = format_cell(h, along);
    if (box_init(box, h, along) != 0)
        return err_bad(
            e,
            "expected cell vectors that span a volume, found %g %g %g, %g %g %g and %g %g "
            "%g (give another cell with --cell; with --pbc, the vectors of non-periodic "
            "axes may be 0)",
            cell[0], cell[1], cell[2], cell[3], cell[4], cell[5], cell[6], cell[7], cell[8]);
    if (c->seen == 0) {
        c->cell_changed = changed;
        c->box0 = *box;
        c->no_cell = !has && !o->given.has_pbc && !f->has_pbc;
    }
    if (loose && (box_volume(box) > 0.0) != (box_volume(&c->box0) > 0.0))
        return err_bad(e, "expected a cell in every frame or in no frame, found a cell only in "
                          "some frames (give the cell with --cell)");
    if (memcmp(box->pbc, c->box0.pbc, sizeof box->pbc) != 0)
        return err_bad(e, "expected the same periodic axes as in the first frame, found different "
                          "axes (give them with --pbc)");
    return 0;
}

/* ---- steps */

/* Returns the number of MD steps from the last frame to f. */
static int64_t steps_to(const struct format_clock *c, const struct format_frame *f)
{
    int64_t gap;
    if (c->info->step32) /* GROMACS steps are 32-bit numbers that wrap around */
        return (int32_t)((uint32_t)f->step - (uint32_t)c->step);
    return __builtin_sub_overflow(f->step, c->step, &gap) ? -1 : gap;
}

/* Returns whether f is one stride of steps after the last frame. The first two frames define the
 * stride. */
static bool steps_fit(struct format_clock *c, const struct format_frame *f)
{
    int64_t gap = steps_to(c, f);
    return gap > 0 && gap == (c->seen == 1 ? gap : c->gap);
}

static double step_number(const struct format_clock *c, int64_t step)
{
    return c->info->step32 ? (double)(uint32_t)step : (double)step;
}

/* ---- time stamps */

/* Returns the relative error of f64 stamps, which is 0 or, if they are noisy, TIME_NOISE. */
static double relative_off(const struct format_clock *c)
{
    return c->noisy ? TIME_NOISE : 0.0;
}

static double absolute_off(const struct format_clock *c)
{
    return c->noisy && c->info->printed ? 0.5 * pow(10.0, -c->decimals) : 0.0;
}

static struct stamps_range strides(const struct format_clock *c)
{
    return stamps_strides(&c->stamps, relative_off(c), absolute_off(c));
}

static bool possible(struct stamps_range r, double t)
{
    return r.lo <= r.hi && r.hi > 1e-13 * fabs(t);
}

/* Returns the present estimate of the stride of the times, ps. */
static double about(const struct format_clock *c)
{
    if (c->by == CLOCK_DT)
        return c->time_gap;
    if (c->settled || c->stamps.n < 2)
        return c->stride;
    struct stamps_range r = strides(c);
    return 0.5 * (fmax(r.lo, 0.0) + r.hi);
}

/* Returns whether the stamp of f fits an even stride. Until the stride is settled, also stores
 * stamps that fit. */
static bool times_fit(struct format_clock *c, const struct format_frame *f)
{
    struct stamps *s = &c->stamps;
    double t = f->time;
    if (c->settled)
        return fabs(t - c->t0 - (double)c->seen * c->stride) <=
               2.0 * f->off + STRIDE_PRINTED * c->stride + 2.0 * absolute_off(c) +
                   (1e-12 + relative_off(c)) * fabs(t);
    bool noisy = c->noisy;
    int digits = stamps_decimals(t), decimals = c->decimals;
    s->t[s->n] = t;
    s->off[s->n++] = f->off;
    c->decimals = digits > decimals ? digits : decimals;
    if (possible(strides(c), t))
        return true;
    /* noise as large as the stride would hide a missing frame */
    c->noisy = c->noisy || TIME_NOISE * fabs(t) < RESOLVED * (t - s->t[0]) / (double)(s->n - 1);
    if (c->noisy != noisy && possible(strides(c), t))
        return true;
    c->noisy = noisy;
    c->decimals = decimals;
    s->n--;
    return false;
}

/* With --dt, returns whether the time from the last frame to f equals that between the first two
 * frames, within the fraction `part`. */
static bool times_even(struct format_clock *c, const struct format_frame *f, double part)
{
    double gap = f->time - c->time, noise = 2.0 * (f->off + c->off);
    if (isnan(c->time_gap))
        c->time_gap = gap;
    return c->time_gap > -noise && fabs(gap - c->time_gap) <= part * fabs(c->time_gap) + noise;
}

/* ---- frame by frame */

/* Starts with the first frame. Returns 0 or -1. */
static int begin(struct format_clock *c, const struct format_frame *f, uint64_t number,
                 struct err *e)
{
    const struct traj_given *o = &c->opts->given;
    double dt = given_dt(c);
    bool only = o->stop - o->first <= o->step;
    c->steps = has_step(c, f);
    c->timed = !isnan(f->time);
    c->time_gap = NAN;
    c->by = !isnan(dt)               ? CLOCK_DT
            : !isnan(o->timestep_ps) ? CLOCK_STEPS
            : c->timed               ? CLOCK_TIMES
                                     : CLOCK_NONE;
    c->steps &= !o->uneven || c->by == CLOCK_STEPS; /* otherwise the times order the frames */
    if (!isnan(o->timestep_ps) && !c->steps)
        return err_bad(
            e, "--timestep: expected frames with MD step numbers, found none (use --dt instead)");
    if (c->by == CLOCK_DT) {
        c->t0 = (double)number * dt;
        c->stride = dt * (double)o->step;
    } else if (c->by == CLOCK_STEPS) {
        c->t0 = step_number(c, f->step) * o->timestep_ps;
    } else if (c->by == CLOCK_TIMES) {
        c->stamps.n = 1;
        c->stamps.t[0] = f->time;
        c->stamps.off[0] = f->off;
        c->decimals = stamps_decimals(f->time);
        c->t0 = stamps_decimal(stamps_begins(&c->stamps, 0.0, 0.0, 0.0), NULL);
    }
    c->settled =
        only || c->by == CLOCK_DT || (c->by == CLOCK_NONE && c->format->loose) || o->uneven;
    const char *found = !isnan(o->dt_ps)    ? "--dt (omit it)"
                        : c->by == CLOCK_DT ? "only a time between frames"
                                            : "none";
    if (o->uneven && c->by != CLOCK_TIMES && c->by != CLOCK_STEPS)
        return err_bad(e, "--uneven: expected a time in each frame, found %s", found);
    c->step_begin = c->step0 = f->step;
    return 0;
}

/* Ignores steps that carry no information, and uses the times instead. */
static void uncount(struct format_clock *c)
{
    c->steps = false;
    c->nkeys = 1;
    c->keys[0] = c->time;
}

/* Checks a frame by its time stamp, and by its step if it has a step. */
static bool see_times(struct format_clock *c, const struct format_frame *f)
{
    bool fits = c->steps && steps_fit(c, f), useless = c->seen == 1 && steps_to(c, f) == 0;
    if (!times_fit(c, f)) {
        if (fits)
            uncount(c); /* makes the error report the times */
        return false;
    }
    if (!c->steps || fits)
        return true;
    if (!useless && 2.0 * f->off > RESOLVED * about(c)) { /* rounding may hide the gap */
        c->stamps.n -= !c->settled;
        return false;
    }
    uncount(c);
    return true;
}

/* Checks a frame if --dt states the stride. Steps or times, if present, must be evenly spaced. */
static bool see_dt(struct format_clock *c, const struct format_frame *f, bool begins)
{
    int64_t gap = c->steps ? steps_to(c, f) : 1;
    bool keep = c->opts->given.keep_duplicates;
    if (c->info->computed) /* headers of many files restart the count */
        return !(begins && c->steps && gap <= 0 && f->step > c->step0);
    if (c->steps) {
        if (steps_fit(c, f) || (keep && gap <= 0))
            return true;
        if (c->timed && f->time > c->time && times_even(c, f, 0.01))
            return true;
        if (gap != 0 || c->seen > 1)
            return false;
        uncount(c); /* the program does not count steps */
    }
    return !c->timed || times_even(c, f, FORCED) || (keep && f->time <= c->time);
}

bool format_clock_repeats(const struct format_clock *c, const struct format_frame *f)
{
    return c->seen > 0 && (c->steps ? steps_to(c, f) == 0 : c->timed ? f->time == c->time : false);
}

bool format_clock_follows(const struct format_clock *c, const struct format_frame *f)
{
    return c->seen > 1 && c->steps && steps_to(c, f) == c->gap;
}

double format_clock_key(const struct format_clock *c, const struct format_frame *f)
{
    if (!c->steps)
        return f ? f->time : c->time;
    return (double)c->step + (f ? (double)steps_to(c, f) : 0.0);
}

double format_clock_want(const struct format_clock *c)
{
    if (c->seen < 2 || c->opts->given.uneven)
        return NAN;
    if (c->steps)
        return (double)c->step + (double)c->gap;
    return c->settled && c->by == CLOCK_TIMES ? c->t0 + (double)c->seen * c->stride
                                              : c->time + about(c);
}

size_t format_clock_last(const struct format_clock *c, double *key)
{
    const size_t n = c->nkeys < CAUSE_BEFORE ? c->nkeys : CAUSE_BEFORE;
    for (size_t k = 0; k < n; k++)
        key[k] = c->keys[(c->nkeys - n + k) % CAUSE_BEFORE];
    return n;
}

enum format_seen format_clock_see(struct format_clock *c, const struct format_frame *f,
                                  uint64_t number, bool begins, struct box *box, struct err *e)
{
    if (read_box(c, f, box, e) != 0 || (c->seen == 0 && begin(c, f, number, e) != 0))
        return FORMAT_BAD;
    if (c->seen > 0) {
        if (c->by == CLOCK_NONE && !c->format->loose)
            return err_bad(e, "expected a time, found none%s%s (" GIVE_TIME "%s)",
                           c->info->no_time ? ": " : "", c->info->no_time ? c->info->no_time : "",
                           give_step(c, f)),
                   FORMAT_BAD;
        if (c->timed != !isnan(f->time) || (c->steps && !has_step(c, f)))
            return err_bad(e, "expected a %s as in the first frame, found none",
                           c->timed && isnan(f->time) ? "time" : "step"),
                   FORMAT_BAD;
        bool on = c->opts->given.uneven
                      ? (c->by == CLOCK_TIMES ? f->time > c->time : steps_to(c, f) > 0)
                  : c->by == CLOCK_TIMES ? see_times(c, f)
                  : c->by == CLOCK_DT    ? see_dt(c, f, begins)
                                         : !c->steps || steps_fit(c, f);
        if (!on) {
            double gap = format_clock_key(c, f) - format_clock_key(c, NULL),
                   want = format_clock_want(c) - format_clock_key(c, NULL);
            return gap > 0.0 && gap < SHORT * want ? FORMAT_SHORT : FORMAT_OFF;
        }
        if (c->seen == 1 && c->steps)
            c->gap = steps_to(c, f);
        if (c->by == CLOCK_STEPS && c->seen == 1 && !c->opts->given.uneven) {
            c->stride = (double)c->gap * c->opts->given.timestep_ps;
            c->settled = true;
        }
    }
    if (begins)
        c->step0 = f->step;
    c->step = c->seen && c->steps ? c->step + steps_to(c, f) : f->step;
    c->time = f->time;
    c->off = f->off;
    c->keys[c->nkeys++ % CAUSE_BEFORE] = format_clock_key(c, NULL);
    c->seen++;
    return FORMAT_ON;
}

/* ---- the stride, before frames are returned */

/* Returns the possible strides, assuming that each time is the step times the time step, as in a
 * run that began at 0. */
static struct stamps_range from_steps(const struct format_clock *c, struct stamps_range r)
{
    double s0 = step_number(c, c->step_begin), gap = (double)c->gap,
           off = c->stamps.off[0] + 2e-15 * c->stamps.t[0];
    struct stamps_range all = {fmax(r.lo, (c->stamps.t[0] - off) / s0 * gap),
                               fmin(r.hi, (c->stamps.t[0] + off) / s0 * gap)};
    return s0 > 0.0 && c->stamps.t[0] > 0.0 && all.lo <= all.hi ? all : r;
}

/* Chooses the stride in r whose value, or whose time step, has the fewest decimal digits. */
static double choose(const struct format_clock *c, struct stamps_range r, int *digits)
{
    double stride = stamps_decimal(r, digits), gap = (double)c->gap;
    int fewer;
    if (!c->steps || c->gap < 2)
        return stride;
    double step = stamps_decimal((struct stamps_range){r.lo / gap, r.hi / gap}, &fewer);
    if (fewer >= *digits)
        return stride;
    *digits = fewer;
    return format_few_digits(step * gap, 1e-15 * step * gap);
}

/* Returns the time of the first frame that matches the stride. */
static double first_time(const struct format_clock *c)
{
    struct stamps_range r = stamps_begins(&c->stamps, relative_off(c), absolute_off(c), c->stride);
    double step = c->steps ? step_number(c, c->step_begin) * c->stride / (double)c->gap : NAN;
    if (!(r.lo <= r.hi)) /* the stride is at the edge of its range */
        r.lo = r.hi = 0.5 * (r.lo + r.hi);
    if (c->stamps.off[0] > 0.0 && step >= r.lo && step <= r.hi)
        return format_few_digits(step, 1e-15 * step);
    return stamps_decimal(r, NULL);
}

/* Returns whether the stamps determine the stride. If `last` is set, there are no more stamps. */
static bool is_clear(struct stamps_range r, double stride, int digits, bool last)
{
    double width = (r.hi - r.lo) / stride, edge = EDGE * (r.hi - r.lo);
    if (!(stride > 0.0))
        return false;
    /* at an end, two stamps would have the largest rounding errors, with opposite signs */
    if (width > DETERMINED && (stride - r.lo < edge || r.hi - stride < edge))
        return false;
    if (stamps_unique(r, stride, digits + 1))
        return last || width <= DETERMINED;
    return width <= EXACT || (last && (width <= DETERMINED || (width <= NEARLY && digits <= 2 &&
                                                               stamps_unique(r, stride, digits))));
}

int format_clock_settle(struct format_clock *c, bool more, struct err *e)
{
    if (c->settled || c->seen == 0)
        return 1;
    bool last = !more || c->stamps.n == STAMPS_MAX;
    if (c->seen == 1 || c->by != CLOCK_TIMES)
        return c->settled = last;
    struct stamps_range r = strides(c), fine = c->steps ? from_steps(c, r) : r;
    int digits = 0;
    double stride = choose(c, fine, &digits);
    bool clear = is_clear(fine, stride, digits, last);
    if (!last && (c->seen < STAMPS_MIN || !clear || r.hi - fmax(r.lo, 0.0) > COARSE * stride))
        return 0;
    const char *remedy = c->steps ? ", or the length of an MD step with --timestep PS" : "";
    if (!clear)
        return err_bad(e,
                       "the times are rounded to %.2g ps: the first %zu frames may be %.4g to %.4g "
                       "ps apart (give the time between frames with --dt PS%s)",
                       2.0 * fmax(c->off, absolute_off(c)), c->stamps.n, fmax(fine.lo, 0.0),
                       fine.hi, remedy);
    if (!stamps_unique(fine, stride, digits + 1)) { /* many digits: use the middle of the range */
        double middle = 0.5 * (fine.lo + fine.hi), part = 0.05 * (fine.hi - fine.lo);
        if (digits > 2)
            stride = stamps_decimal((struct stamps_range){middle - part, middle + part}, NULL);
    }
    c->stride = stride;
    c->t0 = first_time(c);
    c->settled = true;
    return 1;
}

double format_clock_time(const struct format_clock *c, uint64_t n, const struct format_frame *f)
{
    if (c->opts->given.uneven)
        return c->by == CLOCK_STEPS ? step_number(c, f->step) * c->opts->given.timestep_ps
                                    : format_few_digits(f->time, f->off);
    return c->by == CLOCK_NONE || n == 0 ? c->t0 : c->t0 + (double)n * c->stride;
}

void format_clock_sources(const struct format_clock *c, struct formats_info *i)
{
    const struct formats_opts *o = c->opts;
    const char *by = c->format->by ? c->format->by : "the file";
    if (o->given.uneven)
        snprintf(i->dt_from, sizeof i->dt_from, "each frame (--uneven)");
    else if (isnan(c->stride))
        snprintf(i->dt_from, sizeof i->dt_from, "unknown: give it with --dt");
    else if (!isnan(o->given.dt_ps))
        snprintf(i->dt_from, sizeof i->dt_from, "--dt");
    else if (c->info->dt > 0.0)
        snprintf(i->dt_from, sizeof i->dt_from, "given by %s", by);
    else if (c->by == CLOCK_STEPS)
        snprintf(i->dt_from, sizeof i->dt_from, "steps of %s times --timestep", by);
    else
        snprintf(i->dt_from, sizeof i->dt_from, "times of %s%s", by,
                 c->format->loose && !isnan(o->time_unit_fs) ? " in --time-unit" : "");
    if (o->given.has_cell || !(box_volume(&c->box0) > 0))
        by = NULL;
    snprintf(i->cell_from, sizeof i->cell_from, "%s%s",
             by                  ? "given by "
             : o->given.has_cell ? "--cell"
                                 : "not given",
             by ? by : "");
}
