/* SPDX-License-Identifier: MIT */
/* Queues frames, selects frames and checks each frame with the clock. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/unit_check.h"
#include "formats/format_cause.h"
#include "formats/formats_input.h"
#include "stream/stride.h"

/* Reads the files once to find the parts of a restarted run. Returns 0 or -1. */
static int find_parts(struct formats *x)
{
    struct formats_opts o = x->opts;
    o.given.first = o.given.stop = UINT64_MAX;
    o.given.keep_duplicates = true;
    o.velocities = false;
    o.nscalars = 0;
    struct formats *y = formats_open(x->paths, x->npaths, &o);
    x->parts = format_parts_new();
    if (!y || !x->parts) {
        formats_close(y);
        return err_memory(&x->err, "the parts");
    }
    y->scans = true;
    struct slot *s;
    int got, bad = 0;
    while (!bad && (got = formats_read_raw(y, &s)) == 1) {
        bool steps = y->format->loose ? s->f.has_step : y->info.counts_steps;
        bad = format_parts_add(x->parts, y->file, &s->f, steps, &x->err);
        y->number++;
    }
    if (!bad && got < 0)
        bad = (x->err = y->err, -1);
    formats_close(y);
    uint64_t n = 0;
    if (!bad && (bad = format_parts_end(x->parts, x->paths, &n, &x->err)) == 0 && n > 0)
        formats_warn(x,
                     "%llu frames were dropped (--drop-overlap), because a later part of the run "
                     "replaces them",
                     (unsigned long long)n);
    return bad;
}

/* Reads the next selected frame. Returns 1, 0 at the end, or -1. */
static int read_wanted(struct formats *x, struct slot **to)
{
    int got;
    while ((got = formats_read_raw(x, to)) == 1 && !(*to)->wanted)
        x->number++;
    return got;
}

/* Reports that the clock refused frame s, which is frame `number` of file `file`. Returns -1. */
static int report(struct formats *x, const struct slot *s, struct format_cause *why,
                  uint64_t number, int file)
{
    struct err e;
    x->file = file;
    x->number = number;
    x->placed = true;
    x->err = (struct err){0};
    why->steps = x->clock.steps;
    why->number = number;
    why->given = &x->opts.given;
    format_cause(why, &e);
    return formats_fail_at(x, s, &e);
}

/* Explains why the clock refused frame s. Returns -1. */
static int refuse(struct formats *x, struct slot *s)
{
    const struct format_clock *c = &x->clock;
    struct format_cause why = {.restarts = x->info.computed && !(s->f.step > c->step0),
                               .joins = x->file != x->seen_file ? x->paths[x->seen_file] : NULL};
    struct slot *more;
    int file = x->file;
    uint64_t number = x->number, frames = x->frames_in_file;
    why.at = why.n = format_clock_last(c, why.key);
    why.key[why.n++] = format_clock_key(c, &s->f);
    why.want = format_clock_want(c);
    double off = fabs(why.key[why.at] - why.want);
    why.drift = !c->steps && off <= STRIDE_MISSING * (why.want - why.key[why.at - 1]);
    s->queued = true;        /* protects the slot */
    if (x->b.in.io.size > 0) /* reading from a pipe might block */
        while (why.n < CAUSE_KEYS && (x->number++, read_wanted(x, &more)) == 1)
            why.key[why.n++] = format_clock_key(c, &more->f);
    x->frames_in_file = frames;
    return report(x, s, &why, number, file);
}

/* Returns whether frame s equals the last frame in its step or time and in its positions. */
static bool is_copy(struct formats *x, const struct slot *s)
{
    if (x->opts.given.keep_duplicates || !format_clock_repeats(&x->clock, &s->f) ||
        memcmp(s->f.pos, x->queue[x->queued - 1]->f.pos, x->frame_bytes) != 0)
        return false;
    const char *key = x->clock.steps ? "step" : "time";
    if (x->copies++ == 0)
        formats_warn(
            x,
            "%s: frame %llu repeats the %s and positions of the preceding frame: this copy and all "
            "later copies were dropped (--keep-duplicates keeps them)",
            formats_name(x), (unsigned long long)x->number, key);
    return true;
}

/* Appends frame s, accepted by the clock, to the queue. Returns 0 or -1. */
static int append(struct formats *x, struct slot *s)
{
    struct err e;
    const struct slot *before = x->queued ? x->queue[x->queued - 1] : NULL;
    if (!before && x->clock.no_cell && x->opts.nkeys == 0)
        snprintf(x->slip[0], sizeof x->slip[0],
                 "expected a cell, found none: distances will ignore periodic images (give a cell "
                 "with --cell, or --pbc none for a non-periodic system)");
    if (!before)
        (void)unit_check_cell(&s->box, x->natoms, x->slip[1], sizeof x->slip[1]);
    if (before && x->info.jumps && !x->opts.given.jumps_ok && !x->opts.given.uneven &&
        jumps_check(&x->jumps, &s->box, x->natoms, x->opts.given.f64, before->f.pos, s->f.pos,
                    x->opts.given.step, &e) != 0)
        return formats_fail_at(x, s, &e);
    if (x->clock.seen == 2 && x->info.assumed[0])
        formats_warn(x, "%s: %s", formats_name(x), x->info.assumed);
    s->queued = true;
    x->queue[x->queued++] = s;
    x->seen_file = x->file;
    x->number++;
    return 0;
}

/* Handles a frame s that is less than one stride after the last frame. It may be the last frame of
 * a run, and is dropped if no frame follows or if the next file continues the stride. Returns the
 * values of take_frame(). */
static int take_short(struct formats *x, struct slot *s)
{
    const int file = x->file, before = x->seen_file;
    const uint64_t number = x->number;
    const double key = format_clock_key(&x->clock, &s->f), want = format_clock_want(&x->clock);
    struct slot *next;
    struct err e;
    s->queued = true; /* protects the slot */
    x->number++;
    int got = read_wanted(x, &next);
    s->queued = false;
    if (got < 0)
        return -1;
    enum format_seen seen =
        got == 0          ? FORMAT_ON
        : x->file == file ? FORMAT_OFF
                          : format_clock_see(&x->clock, &next->f, x->number, true, &next->box, &e);
    if (seen == FORMAT_BAD)
        return formats_fail_at(x, next, &e);
    if (seen != FORMAT_ON) {
        struct format_cause why = {.n = 3, .at = 1, .want = want};
        why.key[0] = format_clock_key(&x->clock, NULL);
        why.key[1] = key;
        why.key[2] = format_clock_key(&x->clock, &next->f);
        x->seen_file = before;
        return report(x, s, &why, number, file);
    }
    const char *name = x->npaths ? x->paths[file] : "stdin", *of = x->clock.steps ? "step" : "time";
    formats_warn(x,
                 "%s: frame %llu, the last frame, breaks the regular interval and was "
                 "dropped: expected %s %.9g, found %.9g",
                 name, (unsigned long long)number, of, want, key);
    return got == 0 ? 0 : append(x, next) == 0 ? 1 : -1;
}

/* Appends the next frame accepted by the clock to the queue. Returns 1, 0 at the end, or -1. */
static int take_frame(struct formats *x)
{
    struct slot *s;
    struct err e;
    int got;
    while ((got = read_wanted(x, &s)) == 1 && is_copy(x, s))
        ;
    if (got != 1)
        return got;
    switch (format_clock_see(&x->clock, &s->f, x->number, x->file != x->seen_file, &s->box, &e)) {
    case FORMAT_ON: return append(x, s) == 0 ? 1 : -1;
    case FORMAT_SHORT: return take_short(x, s);
    case FORMAT_OFF: return refuse(x, s);
    default: return formats_fail_at(x, s, &e);
    }
}

/* Returns whether more input follows. */
static bool goes_on(struct formats *x)
{
    const unsigned char *p;
    struct err e = {0};
    struct format_frame none = {.decode = false};
    if (x->file + 1 < x->npaths || x->file_ended)
        return x->file + 1 < x->npaths;
    return x->format->loose     ? bytes_more(&x->b)
           : x->format->by_path ? x->run->next(x->self, &none, &e) != 0
                                : bytes_peek(&x->b, 1, "a frame", &p, &e) == 1;
}

static int finish(struct formats *x, int got)
{
    x->ended = true;
    if (got == 0 && x->clock.seen == 0)
        got = err_bad(&x->err, "%s: expected frame %llu, counted from 0, found only %llu frames",
                      formats_name(x), (unsigned long long)x->opts.given.first,
                      (unsigned long long)x->number);
    if (got == 0)
        x->limited |= x->number >= x->opts.given.stop && goes_on(x);
    return got;
}

int formats_fill(struct formats *x)
{
    struct err e;
    int got = 1, settled;
    if (x->opts.given.drop_overlap && !x->parts && find_parts(x) != 0)
        return -1;
    do {
        if (!x->ended && (x->queued == x->out || !x->clock.settled) && (got = take_frame(x)) != 1 &&
            (got = finish(x, got)) < 0)
            return -1;
        bool more = !x->ended && x->queued + 3 < x->slots_max;
        if ((settled = format_clock_settle(&x->clock, more, &e)) < 0)
            return formats_fail(x, &e);
    } while (!settled && !x->ended);
    return 0;
}
