/* SPDX-License-Identifier: MIT */
/* The reader: file after file, frame after frame; what all formats share. */
#include "formats/formats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/known.h"
#include "base/reach.h"
#include "base/slips.h"
#include "formats/format.h"
#include "formats/format_clock.h"
#include "formats/jumps.h"
#include "formats/numbers.h"
#include "formats/topology.h"
#include "stream/frame_ahead.h"

struct slot {
    struct format_frame f;
    struct box box;
    void *pos, *vel; /* memory of its own; f has these, or what the user gave */
    bool wanted;
};

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
    struct slot slot[2];
    void *pos, *vel; /* of formats_room */
    int cur;         /* slot of the frame read last */
    bool ahead;      /* it was read before its time */
    bool ended, limited, file_ended, inflated;
    uint64_t number, index; /* frames read, frames handed out */
    uint64_t bytes, input_done, input_total;

    struct format_clock clock;
    struct jumps jumps;
    uint64_t hash; /* of the last frame */

    struct err err;
    bool timed;                                      /* slips_dt was asked */
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
    x->clock = (struct format_clock){
        .opts = &x->opts, .info = &x->info, .t0 = NAN, .prev = NAN, .stride = NAN};
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

void formats_close(struct formats *x)
{
    if (!x)
        return;
    close_file(x, false);
    bytes_free(&x->b);
    for (int k = 0; k < 2; k++) {
        free(x->slot[k].pos);
        free(x->slot[k].vel);
    }
    free(x->info.species);
    free(x->first.species);
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
    if (loose ? strncmp(why.text, "line ", 5) == 0 : why.status == ERR_BAD && x->self)
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

static int make_slots(struct formats *x, struct err *e)
{
    size_t n = x->info.natoms, sets = x->opts.velocities ? 4 : 2;
    if (n == 0)
        return err_set(e, ERR_BAD, "expected atoms, found a trajectory of none");
    double need = (double)n * (x->opts.said.f64 ? 24.0 : 12.0) * (double)sets;
    if (err_over(e, need, x->opts.max_mem ? x->opts.max_mem : SIZE_MAX / 2, NULL, "%zu atoms", n))
        return -1;
    x->frame_bytes = n * (x->opts.said.f64 ? 24 : 12);
    x->natoms = n;
    for (int k = 0; k < 2; k++) {
        x->slot[k].pos = malloc(x->frame_bytes);
        x->slot[k].vel = x->opts.velocities ? malloc(x->frame_bytes) : NULL;
        if (!x->slot[k].pos || (x->opts.velocities && !x->slot[k].vel))
            return err_memory(e, "a frame");
    }
    return 0;
}

/* What a file's head says must be what the first file's said. */
static int check_info(struct formats *x, struct err *e)
{
    if (x->natoms && x->info.natoms != x->natoms)
        return err_set(e, ERR_BAD, "expected %zu atoms as in the first file, found %zu", x->natoms,
                       x->info.natoms);
    if (x->opts.unwrap && !x->format->unwraps)
        return err_set(e, ERR_BAD,
                       "expected images of the cell (--unwrap), found %s, which has none",
                       x->format->title);
    if (x->opts.velocities && !x->info.has_velocities)
        return err_set(e, ERR_BAD, "expected velocities (--velocities), found %s%s",
                       x->format->title,
                       x->format->loose ? ", of which positions are read" : " without");
    return x->natoms ? 0 : make_slots(x, e);
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
    if (e.status)
        return fail(x, &e);
    if (stays)
        return 1;
    if (choose_format(x, head, n, &e) != 0)
        return fail(x, &e);
    if (x->file == 1)
        x->first = x->info;
    else
        free(x->info.species);
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
    bool f64 = x->opts.said.f64, reach = x->info.fine && !f64 && strcmp(what, "position") == 0;
    if (!v || all_well(v, n, f64, most, reach))
        return 0;
    if ((k = frame_not_finite(v, f64 ? FRAME_F64 : FRAME_F32, n)) == n && (k = reach_f32(v, n)) < n)
        return err_set(e, ERR_BAD, REACH_ADVICE ", found %c of atom %zu at %g", (char)('x' + k % 3),
                       k / 3 + 1, (double)((const float *)v)[k]);
    return k == n
               ? 0
               : err_set(e, ERR_BAD, "expected finite numbers, found %s %c of atom %zu: nan or inf",
                         what, (char)('x' + k % 3), k / 3 + 1);
}

/* ---- frames */

/* Is this first frame of a later file the last one of the file before? */
static bool repeated(struct formats *x, const struct slot *now, const struct slot *before)
{
    uint64_t last = x->hash;
    x->hash = now->f.hash;
    if (x->frames_in_file > 0 || x->number == 0 || x->opts.said.keep_duplicates ||
        (x->format->loose ? last != x->hash
                          : memcmp(now->f.pos, before->f.pos, x->frame_bytes) != 0))
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
    const struct slot *before = &x->slot[x->cur];
    struct err e = {0};
    s->wanted = x->number >= o->said.first && (x->number - o->said.first) % o->said.step == 0;
    bool pos = x->pos && x->pos != before->f.pos, vel = x->vel && x->vel != before->f.vel;
    s->f = (struct format_frame){.time = NAN,
                                 .pos = pos ? x->pos : s->pos,
                                 .vel = vel && s->vel ? x->vel : s->vel,
                                 .decode = s->wanted || (x->npaths > 1 && !x->format->loose),
                                 .hashed = x->npaths > 1};
    int got = x->format->next(x->self, &s->f, &e);
    if (x->info.note[0])
        warn(x, "%s: %s", name(x), x->info.note);
    x->info.note[0] = '\0';
    x->limited |= x->info.limited;
    if (got == 1 && o->velocities && s->f.decode && !s->f.has_vel)
        got = err_set(&e, ERR_BAD, "expected velocities (--velocities), found none");
    if (got == 1 && s->f.decode &&
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

/* Once each: of the first frame, and of the first two that are decoded and consecutive. */
static void look_for_slips(struct formats *x, const struct slot *now, const struct slot *before)
{
    if (x->clock.seen == 1 && x->clock.no_cell)
        snprintf(x->slip[0], sizeof x->slip[0],
                 "found no cell: distances will have no periodic images (--cell gives a cell, "
                 "--pbc none says that there is none)");
    if (x->clock.seen == 1)
        (void)slips_cell(&now->box, x->natoms, x->slip[1], sizeof x->slip[1]);
    if (x->timed || x->clock.seen == 1 || !now->f.decode || !before->f.decode)
        return;
    x->timed = true;
    (void)slips_dt(&now->box, x->natoms, x->opts.said.f64, before->f.pos, now->f.pos,
                   x->clock.stride, x->slip[2], sizeof x->slip[2]);
}

/* What follows from a frame that was read, and from the one before. 0 or -1. */
static int check_frame(struct formats *x, struct slot *now, const struct slot *before)
{
    struct err e;
    if (format_clock_see(&x->clock, &now->f, x->number, &now->box, &e) != 0)
        return fail_said(x, now, &e);
    look_for_slips(x, now, before);
    if (x->clock.seen > 1 && x->info.jumps && !x->opts.said.unsorted_ok &&
        jumps_check(&x->jumps, &now->box, x->natoms, x->opts.said.f64, before->f.pos, now->f.pos,
                    x->opts.said.step, &e) != 0)
        return fail_said(x, now, &e);
    return 0;
}

/* The next frame that the clock sees, into the slot that x->cur then names. 1, 0, -1. */
static int read_frame(struct formats *x)
{
    for (;;) {
        if (x->self && x->format->loose && x->number >= x->opts.said.stop)
            return 0;
        int got = x->self && !x->file_ended ? 1 : open_next(x);
        struct slot *s = &x->slot[!x->cur];
        if (got != 1)
            return got;
        x->file_ended = false;
        if ((got = decode(x, s)) < 0)
            return -1;
        if (got == 0) {
            x->file_ended = true;
            continue;
        }
        bool again = repeated(x, s, &x->slot[x->cur]);
        x->frames_in_file++;
        if (again)
            continue;
        bool unseen = x->format->loose && !s->wanted;
        if (!unseen && check_frame(x, s, &x->slot[x->cur]) != 0)
            return -1;
        x->number++;
        if (unseen)
            continue;
        x->cur = !x->cur;
        return 1;
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
           : x->format->by_path ? x->format->next(x->self, &none, &e) == 1
                                : bytes_peek(&x->b, 1, "a frame", &p, &e) == 1;
}

static int finish(struct formats *x, int got)
{
    x->ended = true;
    if (got == 0 && x->index == 0)
        got = err_set(&x->err, ERR_BAD,
                      "%s: expected frame %" PRIu64 ", found only %" PRIu64 " frames", name(x),
                      x->opts.said.first, x->number);
    return got;
}

void formats_room(struct formats *x, void *pos, void *vel)
{
    x->pos = pos;
    x->vel = vel;
}

int formats_next(struct formats *x, struct formats_frame *f)
{
    int got, at;
    if (x->ended)
        return x->err.status ? -1 : 0;
    do {
        got = x->ahead;
        if (!got && x->number < x->opts.said.stop)
            got = read_frame(x);
        if (got != 1) {
            x->limited |= got == 0 && x->number >= x->opts.said.stop && goes_on(x);
            return finish(x, got);
        }
        x->ahead = false;
        at = x->cur;
    } while (!x->slot[at].wanted);
    if (isnan(x->clock.stride) && x->opts.said.stop > 1 &&
        (!x->format->loose ||
         !isnan(x->clock.t0))) { /* a second frame tells the time between them */
        if ((got = read_frame(x)) < 0)
            return finish(x, got);
        x->ahead = got == 1;
        x->file_ended |= got == 0 && x->number < x->opts.said.stop;
    }
    const struct slot *s = &x->slot[at];
    *f = (struct formats_frame){.index = x->index++,
                                .time = s->f.time,
                                .box = &s->box,
                                .pos = s->f.pos,
                                .vel = x->opts.velocities ? s->f.vel : NULL,
                                .energies = s->f.has_energies ? s->f.energies : NULL};
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
    if (!bad && x->opts.topology &&
        topology_read(x->opts.topology, x->opts.molecules, in, &x->err) != 0)
        return -1;
    return bad ? err_memory(&x->err, "META")
               : format_put_species(in, x->opts.species, name(x), x->format->title, m, &x->err);
}
