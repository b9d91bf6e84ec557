/* SPDX-License-Identifier: MIT */
/* The reader: file after file, frame after frame; what all formats share. */
#include "formats/formats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/known.h"
#include "base/reach.h"
#include "base/slips.h"
#include "formats/format.h"
#include "formats/format_cause.h"
#include "formats/format_cell.h"
#include "formats/format_clock.h"
#include "formats/format_parts.h"
#include "formats/jumps.h"
#include "formats/numbers.h"
#include "formats/topology.h"
#include "stream/frame_ahead.h"
#include "stream/stride.h"

struct slot {
    struct format_frame f;
    struct box box;
    void *pos, *vel; /* memory of its own, one mapping; f has these, or what the user gave */
    bool wanted, queued;
};

/* Frames may be read ahead until the time between them is known: so many, of so many bytes. */
enum { SLOTS = STAMPS_MAX + 4, SLOTS_MIN = 8 };
#define AHEAD_BYTES ((size_t)64 << 20)

struct formats {
    struct formats_opts opts;
    char *const *paths;
    int npaths, file; /* file: index of the one being read */
    struct bytes b;
    const struct format *format;
    void *self;                     /* NULL: no file is open */
    struct format_info info, first; /* first: of the first file, once another one is open */
    uint64_t frames_in_file;

    size_t natoms, frame_bytes;
    struct slot slot[SLOTS];
    int nslots, slots_max;
    struct slot
        *queue[SLOTS]; /* frames that the clock has seen: the one handed out, and later ones */
    int queued, out;   /* out: 1 where the first of them is handed out */
    struct slot *raw;  /* the frame read last; NULL: none */
    void *pos, *vel;   /* of formats_room */
    bool ended, limited, file_ended, inflated;
    int seen_file;              /* of the frame that the clock saw last */
    uint64_t copies;            /* frames within a file that were left out */
    struct format_parts *parts; /* of --drop-overlap; NULL: not asked for */
    bool scans;                 /* this is the reader that finds them */
    bool placed;                /* an error is of frame `number`, although no file is open */
    uint64_t number, index;     /* frames read, frames handed out */
    uint64_t bytes, input_done, input_total;

    struct format_clock clock;
    struct jumps jumps;
    uint64_t hash; /* of the last frame */

    struct err err;
    char warning[ERR_BYTES], slip[3][ERR_BYTES / 2]; /* to be told; "": nothing */
    char told[2 * ERR_BYTES];
};

struct formats *formats_open(char *const *paths, int npaths, const struct formats_opts *opts)
{
    struct formats *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->opts = *opts;
    x->paths = paths;
    x->npaths = npaths;
    x->file = -1;
    x->clock = (struct format_clock){.opts = &x->opts, .info = &x->info, .t0 = NAN, .stride = NAN};
    x->seen_file = -1;
    x->b.threads = opts->threads;
    x->b.max_mem = opts->max_mem;
    x->b.source = opts->source ? &opts->source->io : NULL;
    x->b.idle = opts->idle;
    x->b.ctx = opts->ctx;
    return x;
}

/* The format stays where it is the same for all files. */
static void close_file(struct formats *x, bool stays)
{
    if (x->self && !stays)
        x->format->close(x->self);
    if (!stays)
        x->self = NULL;
    x->bytes += x->b.offset;
    x->inflated |= x->b.in.packed;
    x->input_done += x->b.done;
    bytes_close(&x->b);
    x->b.offset = x->b.done = 0;
}

static size_t slot_bytes(const struct formats *x)
{
    return x->frame_bytes * (x->opts.velocities ? 2 : 1);
}

void formats_close(struct formats *x)
{
    if (!x)
        return;
    close_file(x, false);
    bytes_free(&x->b);
    for (int k = 0; k < x->nslots; k++)
        if (x->slot[k].pos)
            munmap(x->slot[k].pos, slot_bytes(x));
    free(x->info.species);
    free(x->first.species);
    format_parts_free(x->parts);
    free(x->info.molecule);
    free(x->first.molecule);
    free(x);
}

static const char *name(const struct formats *x)
{
    if (x->opts.source)
        return x->opts.source->name;
    const char *p = x->npaths ? x->paths[x->file] : "-";
    return strcmp(p, "-") == 0 ? "stdin" : p;
}

/* "FILE: frame N: " before a text, where it is of a frame. Returns -1. */
static int fail(struct formats *x, const struct err *e)
{
    struct err why = *e;
    bool loose = x->format && x->format->loose;
    if (loose ? strncmp(why.text, "line ", 5) == 0
              : why.status == ERR_BAD && (x->self || x->placed))
        return err_set(&x->err, why.status, "%s: frame %" PRIu64 ": %s", name(x), x->number,
                       why.text);
    return err_set(&x->err, why.status, "%s: %s", name(x), why.text);
}

/* The same, of what is said of the frame s. */
static int fail_said(struct formats *x, const struct slot *s, const struct err *e)
{
    struct err why = *e;
    if (s->f.line)
        err_set(&why, e->status, "line %" PRIu64 ": %s", s->f.line, e->text);
    return fail(x, &why);
}

static void warn(struct formats *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct formats *x, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x->warning, sizeof x->warning, fmt, ap);
    va_end(ap);
}

/* ---- files */

static int count_slots(struct formats *x, struct err *e)
{
    size_t n = x->info.natoms, sets = x->opts.velocities ? 4 : 2;
    if (n == 0)
        return err_set(e, ERR_BAD, "expected atoms, found a trajectory of none");
    double need = (double)n * (x->opts.said.f64 ? 24.0 : 12.0) * (double)sets;
    if (err_over(e, need, x->opts.max_mem ? x->opts.max_mem : SIZE_MAX / 2, NULL, "%zu atoms", n))
        return -1;
    x->frame_bytes = n * (x->opts.said.f64 ? 24 : 12);
    x->natoms = n;
    size_t room = x->opts.max_mem ? x->opts.max_mem / 4 : AHEAD_BYTES,
           most = (room < AHEAD_BYTES ? room : AHEAD_BYTES) / (x->frame_bytes * sets / 2);
    x->slots_max = most < SLOTS_MIN ? SLOTS_MIN : most < SLOTS ? (int)most : SLOTS;
    return 0;
}

static void set_memory(const struct formats *x, struct slot *s, void *p)
{
    s->pos = p;
    s->vel = p && x->opts.velocities ? (char *)p + x->frame_bytes : NULL;
}

/* A slot that no frame is in; NULL with e: memory is out. */
static struct slot *free_slot(struct formats *x, struct err *e)
{
    int k = 0;
    while (k < x->nslots && (x->slot[k].queued || &x->slot[k] == x->raw))
        k++;
    struct slot *s = &x->slot[k];
    if (k < x->nslots)
        return s;
    void *p = mmap(NULL, slot_bytes(x), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        err_memory(e, "a frame");
        return NULL;
    }
    x->nslots++;
    set_memory(x, s, p);
    return s;
}

/* Has every option that this format may not know an effect? 0 or -1. */
static int check_options(const struct formats *x, struct err *e)
{
    const struct formats_opts *o = &x->opts;
    const unsigned uses = x->format->uses | x->info.uses;
    const char *none = o->units && !(uses & FORMAT_UNITS)                ? "--units"
                       : o->columns && !(uses & FORMAT_COLUMNS)          ? "--columns"
                       : o->dialect && !(uses & FORMAT_XYZ)              ? "--dialect"
                       : !isnan(o->time_unit_fs) && !(uses & FORMAT_XYZ) ? "--time-unit"
                                                                         : NULL;
    return none ? err_set(e, ERR_BAD,
                          "expected a file for which %s has an effect, found %s (leave %s out)",
                          none, x->format->title, none)
                : 0;
}

/* What a file's head says must be what the first file's said. */
static int check_info(struct formats *x, struct err *e)
{
    if (check_options(x, e) != 0)
        return -1;
    if (x->natoms && x->info.natoms != x->natoms)
        return err_set(e, ERR_BAD, "expected %zu atoms as in the first file, found %zu", x->natoms,
                       x->info.natoms);
    if (x->opts.unwrap && !x->format->unwraps)
        return err_set(e, ERR_BAD,
                       "expected images of the cell (--unwrap), found %s, which has none",
                       x->format->title);
    if (x->opts.external && !x->format->external)
        return err_set(e, ERR_BAD,
                       "expected data in other files (--external), found %s, which has none",
                       x->format->title);
    if (x->opts.velocities && !x->info.has_velocities)
        return err_set(e, ERR_BAD, "expected velocities (--velocities), found %s%s",
                       x->format->title,
                       x->format->loose ? ", of which positions are read" : " without");
    return x->natoms ? 0 : count_slots(x, e);
}

/* Which format is it? 0 or -1. */
static int choose_format(struct formats *x, const unsigned char *head, size_t n, struct err *e)
{
    if (!(x->format = format_of(x->opts.format, head, n)))
        return err_set(
            e, ERR_BAD,
            "expected one of %sfound none of them: %spython3 -m mbf from FILE reads more "
            "formats (mbf-python(7))",
            formats_briefs,
            memchr(head, 0, n) ? "" : "is it XYZ text (xyz2bin), or columns (txt2bin)? ");
    if (x->format->by_path && (x->b.in.packed || x->b.in.io.size == 0))
        return err_set(
            e, ERR_BAD,
            "expected a file as it stands, since %s is not read from its beginning to its end, "
            "found %s: write it to a file first",
            x->format->title, x->b.in.packed ? "compressed data" : "a pipe");
    if (x->clock.format && x->clock.format->loose != x->format->loose)
        return err_set(e, ERR_BAD, "expected %s as in the files before, found %s",
                       x->clock.format->title, x->format->title);
    x->clock.format = x->format;
    return 0;
}

/* 1, 0: there are no more files, -1. */
static int open_next(struct formats *x)
{
    struct err e = {0};
    const unsigned char *head;
    bool loose = x->opts.format && format_of(x->opts.format, NULL, 0)->loose;
    bool stays = x->self && x->format->loose;
    if (x->file >= 0)
        close_file(x, stays);
    if (x->file + 1 >= (x->npaths ? x->npaths : 1))
        return 0;
    x->file++;
    x->frames_in_file = 0;
    if (bytes_open(&x->b, x->npaths ? x->paths[x->file] : NULL,
                   loose || stays ? known_foreign_to_xyz : known_foreign_to_traj, &e) != 0)
        return fail(x, &e);
    x->input_total += x->b.in.io.size;
    size_t n = bytes_head(&x->b, INPUT_SNIFF, &head, &e);
    if (e.status && x->b.cut &&
        (loose || stays)) /* which is met again where a line is to be told */
        e.status = 0;
    else if (!e.status && n == 0)
        err_set(&e, ERR_BAD, "expected %s, found an empty file",
                loose || stays ? "XYZ frames" : "a trajectory");
    if (!e.status && x->opts.said.drop_overlap && x->b.in.io.size == 0)
        err_set(&e, ERR_BAD,
                "expected a file (--drop-overlap reads it twice), found a pipe: write it to a file "
                "first");
    if (e.status)
        return fail(x, &e);
    if (stays)
        return 1;
    if (choose_format(x, head, n, &e) != 0)
        return fail(x, &e);
    if (x->file == 1)
        x->first = x->info;
    else
        free(x->info.species), free(x->info.molecule);
    x->info = (struct format_info){.natoms = x->natoms};
    x->self = x->format->open(&x->b, &x->opts, &x->info, &e);
    return x->self && check_info(x, &e) == 0 ? 1 : fail(x, &e);
}

/* ---- what every frame must have */

/* Are n numbers finite and, if they must be, within reach? most: of f32, 0: not known. */
static bool all_well(const void *v, size_t n, bool f64, uint32_t most, bool reach)
{
    const float edge = REACH_F32;
    uint32_t bits;
    memcpy(&bits, &edge, sizeof bits);
    if (f64)
        return most || SIMD_PICK(numbers_finite)(v, n);
    most = most ? most : SIMD_PICK(numbers_most)(v, n);
    return most < NUMBERS_INF && (!reach || most <= bits);
}

/* Positions are v, or velocities, whose most is not known. */
static int check_numbers(const struct formats *x, const void *v, uint32_t most, const char *what,
                         struct err *e)
{
    size_t n = 3 * x->natoms, k = n;
    bool f64 = x->opts.said.f64, reach = !f64 && strcmp(what, "position") == 0;
    if (!v || all_well(v, n, f64, most, reach))
        return 0;
    if ((k = frame_not_finite(v, f64 ? FRAME_F64 : FRAME_F32, n)) == n && (k = reach_f32(v, n)) < n)
        return err_set(e, ERR_BAD, REACH_ADVICE ", found %c of atom %zu at %g", (char)('x' + k % 3),
                       k / 3, (double)((const float *)v)[k]);
    return k == n
               ? 0
               : err_set(e, ERR_BAD, "expected finite numbers, found %s %c of atom %zu: nan or inf",
                         what, (char)('x' + k % 3), k / 3);
}

/* ---- frames */

/* Is this first frame of a later file the last one of the file before? */
static bool repeated(struct formats *x, const struct slot *now)
{
    uint64_t last = x->hash;
    x->hash = now->f.hash;
    if (x->frames_in_file > 0 || !x->raw || x->opts.said.keep_duplicates ||
        (x->format->loose ? last != x->hash
                          : memcmp(now->f.pos, x->raw->f.pos, x->frame_bytes) != 0) ||
        (now->wanted && format_clock_follows(&x->clock, &now->f)))
        return false;
    warn(x,
         "%s: its first frame repeats the last one of %s (a restart): left out, --keep-duplicates "
         "keeps it",
         name(x), x->paths[x->file - 1]);
    return true;
}

/* A frame could not be read. 0: that ends the file, as its end was cut; -1. */
static int give_up(struct formats *x, struct err *e)
{
    bool loose = x->format->loose;
    const char *what = e->text + (loose ? strcspn(e->text, ":") : 0);
    if (!x->b.cut || (loose ? x->number : x->frames_in_file) == 0)
        return fail(x, e);
    if (x->opts.said.allow_partial) {
        warn(x, "%s: frame %" PRIu64 ": %s: left out%s", name(x), x->number,
             loose ? what + 2 : what, loose ? "" : " (--allow-partial)");
        x->limited = true;
        return 0;
    }
    struct err why = *e;
    if (loose)
        err_set(&why, e->status, "%s (--allow-partial keeps the whole frames before it)", e->text);
    return fail(x, &why);
}

/* The file's next frame into s. 1, 0: the file ends, -1 with x->err. */
static int decode(struct formats *x, struct slot *s)
{
    const struct formats_opts *o = &x->opts;
    const struct slot *before = x->queued == 1 ? x->queue[0] : NULL;
    struct err e = {0};
    s->wanted = x->number >= o->said.first && (x->number - o->said.first) % o->said.step == 0;
    bool room = before && s->wanted && !x->info.exchanges, /* that no needed frame is in */
        pos = room && x->pos && x->pos != before->f.pos && x->pos != x->raw->f.pos,
         vel = room && x->vel && x->vel != before->f.vel && x->vel != x->raw->f.vel,
         compared = x->npaths > 1 && !o->said.keep_duplicates;
    s->f = (struct format_frame){.time = NAN,
                                 .pos = pos ? x->pos : s->pos,
                                 .vel = vel && s->vel ? x->vel : s->vel,
                                 .decode = s->wanted || (x->format->loose ? x->scans : compared),
                                 .hashed = compared};
    int got = x->format->next(x->self, &s->f, &e);
    if (x->info.exchanges)
        set_memory(x, s, s->f.pos);
    if (got == 1 && x->file > 0 && x->frames_in_file == 0 && !x->format->loose &&
        format_same_files(&x->first, &x->info, o, &e) != 0)
        got = -1;
    if (x->info.note[0])
        warn(x, "%s: %s", name(x), x->info.note);
    x->info.note[0] = '\0';
    x->limited |= x->info.limited;
    if (got == 1 && o->velocities && s->wanted && !s->f.has_vel)
        got = err_set(&e, ERR_BAD,
                      "expected velocities (--velocities), found none (--select takes frames that "
                      "have them, such as ::2 if every second one has)");
    if (got == 1 && s->wanted &&
        (check_numbers(x, s->f.pos, s->f.most, "position", &e) != 0 ||
         check_numbers(x, s->f.has_vel ? s->f.vel : NULL, 0, "velocity", &e) != 0))
        got = -1;
    if (got == 0 && x->frames_in_file == 0)
        got = err_set(&e, ERR_BAD, "expected %s, found %s%s",
                      x->format->loose ? "XYZ frames" : "frames",
                      x->format->loose ? "only empty lines" : x->format->title,
                      x->format->loose ? "" : " without any");
    return got < 0 ? give_up(x, &e) : got;
}

/* The input's next frame, wanted or not, into a slot. 1, 0: there is none, -1. */
static int read_raw(struct formats *x, struct slot **to)
{
    for (;;) {
        if (x->number >= x->opts.said.stop)
            return 0;
        struct err e;
        int got = x->self && !x->file_ended ? 1 : open_next(x);
        if (got != 1)
            return got;
        struct slot *s = free_slot(x, &e);
        if (!s)
            return fail(x, &e);
        x->file_ended = false;
        if ((got = decode(x, s)) < 0)
            return -1;
        if (got == 0) {
            x->file_ended = true;
            continue;
        }
        bool again = format_parts_drop(x->parts, x->file, x->frames_in_file) || repeated(x, s);
        x->frames_in_file++;
        if (again)
            continue;
        x->raw = s;
        *to = s;
        return 1;
    }
}

/* Where are the parts of a restarted run? The files are read once for that. 0 or -1. */
static int find_parts(struct formats *x)
{
    struct formats_opts o = x->opts;
    o.said.first = o.said.stop = UINT64_MAX;
    o.said.keep_duplicates = true;
    o.velocities = false;
    struct formats *y = formats_open(x->paths, x->npaths, &o);
    x->parts = format_parts_new();
    if (!y || !x->parts) {
        formats_close(y);
        return err_memory(&x->err, "the parts");
    }
    y->scans = true;
    struct slot *s;
    int got, bad = 0;
    while (!bad && (got = read_raw(y, &s)) == 1) {
        bool steps = y->format->loose ? s->f.has_step : y->info.counts_steps;
        bad = format_parts_add(x->parts, y->file, &s->f, steps, &x->err);
        y->number++;
    }
    if (!bad && got < 0)
        bad = (x->err = y->err, -1);
    formats_close(y);
    uint64_t n = 0;
    if (!bad && (bad = format_parts_end(x->parts, x->paths, &x->err)) == 0 &&
        (n = format_parts_dropped(x->parts)) > 0)
        warn(x,
             "%" PRIu64 " frames are left out (--drop-overlap), as a later part of the run has "
             "them, too",
             n);
    return bad;
}

/* The next frame that is wanted. 1, 0, -1. */
static int read_wanted(struct formats *x, struct slot **to)
{
    int got;
    while ((got = read_raw(x, to)) == 1 && !(*to)->wanted)
        x->number++;
    return got;
}

/* Why the frame s, which the clock refused, is not one stride after the last one. Returns -1. */
static int refuse(struct formats *x, struct slot *s)
{
    const struct format_clock *c = &x->clock;
    struct format_cause why = {.steps = c->steps,
                               .number = x->number,
                               .every = x->opts.said.step,
                               .restarts = x->info.computed && !(s->f.step > c->step0),
                               .joins = x->file != x->seen_file ? x->paths[x->seen_file] : NULL};
    struct slot *more;
    struct err e;
    int file = x->file;
    uint64_t number = x->number, frames = x->frames_in_file;
    why.at = why.n = format_clock_last(c, why.key);
    why.key[why.n++] = format_clock_key(c, &s->f);
    why.want = format_clock_want(c);
    double off = fabs(why.key[why.at] - why.want);
    why.drift = !c->steps && off <= STRIDE_MISSING * (why.want - why.key[why.at - 1]);
    s->queued = true;        /* stays as it is */
    if (x->b.in.io.size > 0) /* a pipe may make wait */
        while (why.n < CAUSE_KEYS && (x->number++, read_wanted(x, &more)) == 1)
            why.key[why.n++] = format_clock_key(c, &more->f);
    x->file = file;
    x->number = number;
    x->frames_in_file = frames;
    x->placed = true;
    x->err = (struct err){0};
    format_cause(&why, &e);
    return fail_said(x, s, &e);
}

/* The frame s has the step or time of the last one; has it its positions, too? */
static bool is_copy(struct formats *x, const struct slot *s)
{
    if (x->opts.said.keep_duplicates || !format_clock_repeats(&x->clock, &s->f) ||
        memcmp(s->f.pos, x->queue[x->queued - 1]->f.pos, x->frame_bytes) != 0)
        return false;
    if (x->copies++ == 0)
        warn(x,
             "%s: frame %" PRIu64 " repeats the one before it, %s and positions: left out, as are "
             "all such copies (--keep-duplicates keeps them)",
             name(x), x->number, x->clock.steps ? "step" : "time");
    return true;
}

/* The clock has seen the frame s. 0 or -1. */
static int append(struct formats *x, struct slot *s)
{
    struct err e;
    const struct slot *before = x->queued ? x->queue[x->queued - 1] : NULL;
    if (!before && x->clock.no_cell)
        snprintf(x->slip[0], sizeof x->slip[0],
                 "found no cell: distances will have no periodic images (--cell gives a cell, "
                 "--pbc none says that there is none)");
    if (!before)
        (void)slips_cell(&s->box, x->natoms, x->slip[1], sizeof x->slip[1]);
    if (before && x->info.jumps && !x->opts.said.unsorted_ok &&
        jumps_check(&x->jumps, &s->box, x->natoms, x->opts.said.f64, before->f.pos, s->f.pos,
                    x->opts.said.step, &e) != 0)
        return fail_said(x, s, &e);
    if (x->clock.seen == 2 && x->info.assumed[0])
        warn(x, "%s: %s", name(x), x->info.assumed);
    s->queued = true;
    x->queue[x->queued++] = s;
    x->seen_file = x->file;
    x->number++;
    return 0;
}

/* The frame s is less than a stride after the last one: the last one of a run may be. It is left out
 * where no frame follows, or one of a later file that continues the stride. As take_frame. */
static int take_short(struct formats *x, struct slot *s)
{
    const int file = x->file, before = x->seen_file;
    const uint64_t number = x->number;
    const double key = format_clock_key(&x->clock, &s->f), want = format_clock_want(&x->clock);
    struct slot *next;
    struct err e;
    s->queued = true; /* stays as it is */
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
        return fail_said(x, next, &e);
    if (seen != FORMAT_ON) {
        struct format_cause why = {.n = 3,
                                   .at = 1,
                                   .steps = x->clock.steps,
                                   .number = number,
                                   .every = x->opts.said.step,
                                   .want = want};
        why.key[0] = format_clock_key(&x->clock, NULL);
        why.key[1] = key;
        why.key[2] = format_clock_key(&x->clock, &next->f);
        x->number = number;
        x->file = file;
        x->seen_file = before;
        x->placed = true;
        format_cause(&why, &e);
        return fail_said(x, s, &e);
    }
    warn(x,
         "%s: frame %" PRIu64
         ", the last one, is off the regular interval: expected %s %.9g, found "
         "%.9g: left out",
         x->npaths ? x->paths[file] : "stdin", number, x->clock.steps ? "step" : "time", want, key);
    return got == 0 ? 0 : append(x, next) == 0 ? 1 : -1;
}

/* The next frame that the clock sees, to the end of the queue. 1, 0, -1. */
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
    default: return fail_said(x, s, &e);
    }
}

/* Does the input go on? */
static bool goes_on(struct formats *x)
{
    const unsigned char *p;
    struct err e = {0};
    struct format_frame none = {.decode = false};
    if (x->file + 1 < x->npaths || x->file_ended)
        return x->file + 1 < x->npaths;
    return x->format->loose     ? bytes_more(&x->b)
           : x->format->by_path ? x->format->next(x->self, &none, &e) != 0
                                : bytes_peek(&x->b, 1, "a frame", &p, &e) == 1;
}

static int finish(struct formats *x, int got)
{
    x->ended = true;
    if (got == 0 && x->clock.seen == 0)
        got = err_set(&x->err, ERR_BAD,
                      "%s: expected frame %" PRIu64 ", found only %" PRIu64 " frames", name(x),
                      x->opts.said.first, x->number);
    if (got == 0)
        x->limited |= x->number >= x->opts.said.stop && goes_on(x);
    return got;
}

void formats_room(struct formats *x, void *pos, void *vel)
{
    x->pos = pos;
    x->vel = vel;
}

/* Frames until one may be handed out. 0, or -1. */
static int fill(struct formats *x)
{
    struct err e;
    int got = 1, settled;
    if (x->opts.said.drop_overlap && !x->parts && find_parts(x) != 0)
        return -1;
    do {
        if (!x->ended && (x->queued == x->out || !x->clock.settled) && (got = take_frame(x)) != 1 &&
            (got = finish(x, got)) < 0)
            return -1;
        bool more = !x->ended && x->queued + 3 < x->slots_max;
        if ((settled = format_clock_settle(&x->clock, more, &e)) < 0)
            return fail(x, &e);
    } while (!settled && !x->ended);
    return 0;
}

/* The first frame of the queue is no longer needed. */
static void pop(struct formats *x)
{
    x->queue[0]->queued = false;
    memmove(x->queue, x->queue + 1, (size_t)--x->queued * sizeof *x->queue);
}

int formats_next(struct formats *x, struct formats_frame *f)
{
    if (x->err.status || fill(x) != 0)
        return -1;
    if (x->queued == x->out)
        return 0;
    const struct slot *s = x->queue[x->out];
    if (x->index == 1)
        (void)slips_dt(&s->box, x->natoms, x->opts.said.f64, x->queue[0]->f.pos, s->f.pos,
                       x->clock.stride, x->slip[2], sizeof x->slip[2]);
    if (x->out)
        pop(x);
    x->out = 1;
    *f = (struct formats_frame){.index = x->index,
                                .time = format_clock_time(&x->clock, x->index),
                                .box = &s->box,
                                .pos = s->f.pos,
                                .vel = x->opts.velocities ? s->f.vel : NULL,
                                .energies = s->f.has_energies ? s->f.energies : NULL};
    x->index++;
    return 1;
}

/* ---- what it can tell */

const struct err *formats_error(const struct formats *x)
{
    return &x->err;
}

const char *formats_warning(struct formats *x)
{
    char *texts[] = {x->slip[0], x->slip[1], x->slip[2], x->warning};
    const char *cell = x->index ? format_cell_changed(x->clock.cell_changed) : NULL;
    x->clock.cell_changed = x->index ? 0 : x->clock.cell_changed;
    if (cell) {
        snprintf(x->told, sizeof x->told, "%.900s: %s", name(x), cell);
        return x->told;
    }
    for (size_t k = x->index ? 0 : 3; k < sizeof texts / sizeof *texts; k++)
        if (*texts[k]) {
            snprintf(x->told, sizeof x->told, "%.900s%s%.1023s", k < 3 ? name(x) : "",
                     k < 3 ? ": " : "", texts[k]);
            *texts[k] = '\0';
            return x->told;
        }
    return NULL;
}

struct formats_info formats_info(const struct formats *x)
{
    struct formats_info i = {.frames = x->index,
                             .bytes = x->bytes + x->b.offset,
                             .input_done = x->input_done + x->b.done,
                             .input_total = x->input_total,
                             .limited = x->limited,
                             .sorted = x->info.sorted,
                             .labels = x->info.labels,
                             .variant = x->info.variant,
                             .bound = x->inflated || x->b.in.packed ? "inflating" : "parsing",
                             .natoms = x->natoms,
                             .box = &x->clock.box0};
    if (x->format)
        i.title = x->format->title;
    if (x->clock.format) { /* which a format has that is read at all */
        i.dt = format_clock_dt(&x->clock);
        format_clock_said_by(&x->clock, &i);
    }
    return i;
}

/* sys.species, of a copy: the file's own names are compared with those of later frames. 0 or -1. */
static int put_species(struct formats *x, const struct format_info *in, struct meta *m)
{
    struct format_info own = *in;
    int bad = 0;
    own.species = in->species ? malloc(in->natoms + 1) : NULL;
    if (own.species)
        memcpy(own.species, in->species, in->natoms);
    else if (in->species)
        bad = err_memory(&x->err, "the species");
    if (!bad && x->opts.topology)
        bad = topology_read(x->opts.topology, x->opts.molecules, &own, &x->err);
    if (!bad)
        bad = format_put_species(&own, x->opts.species, name(x), x->format->title, m, &x->err);
    free(own.species);
    return bad;
}

int formats_put_meta(struct formats *x, struct meta *m)
{
    const struct box *b = &x->clock.box0;
    struct format_info *in = x->file > 0 && !x->format->loose ? &x->first : &x->info;
    double dt = format_clock_dt(&x->clock),
           sigma = isnan(x->opts.sigma) ? in->sigma : x->opts.sigma;
    int bad = meta_setf(m, "sys.natoms", "%zu", x->natoms);
    if (!isnan(dt))
        bad |= meta_set_f64(m, "sys.dt_ps", &dt, 1);
    if (sigma > 0.0)
        bad |= meta_set_f64(m, "sys.sigma", &sigma, 1);
    if (box_volume(b) > 0.0) {
        bad |= meta_set_f64(m, "sys.cell", &b->h[0][0], 9);
        bad |= meta_setf(m, "sys.pbc", "%c%c%c", b->pbc[0] ? 'T' : 'F', b->pbc[1] ? 'T' : 'F',
                         b->pbc[2] ? 'T' : 'F');
    }
    if (in->precision > 0.0)
        bad |= meta_set_f64(m, "data.precision", &in->precision, 1);
    bad |= meta_set(m, "data.quantity", "positions");
    bad |= meta_set(m, "data.unit", "angstrom");
    bad |= meta_set(m, "data.unwrapped", x->opts.unwrap || in->unwrapped ? "images" : NULL);
    if (!bad && x->opts.molecules && !x->opts.topology && !in->molecule)
        return err_set(&x->err, ERR_BAD,
                       "%s: expected molecules (--molecules), found %s without (--topology gives "
                       "them)",
                       name(x), x->format->title);
    if (!bad && x->opts.molecules && !x->opts.topology &&
        topology_molecules(x->opts.molecules, in->molecule, in->natoms, &x->err) != 0)
        return -1;
    return bad ? err_memory(&x->err, "META") : put_species(x, in, m);
}
