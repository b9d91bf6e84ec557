/* SPDX-License-Identifier: MIT */
/* Opens the input files of the reader in turn, and reads each frame into a slot. */
#include "formats/formats_input.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/f32_range.h"
#include "formats/format_process.h"
#include "formats/numbers.h"
#include "formats/xyz_header.h"
#include "io/magic.h"
#include "stream/frame_prefetch.h"

/* Opens the reader of the velocities if some of the files contain velocities of CP2K. Returns 0, or
 * -1 if memory is exhausted. */
static int open_partner(struct formats *x)
{
    int n = 0, last = x->npaths;
    if (!(x->own = malloc((size_t)(x->npaths + 1) * sizeof *x->own)))
        return -1;
    for (int k = 0; k < x->npaths; k++)
        if (!xyz_of_velocities(x->paths[k]))
            x->own[n++] = x->paths[k];
    for (int k = x->npaths; k-- > 0;)
        if (xyz_of_velocities(x->paths[k]))
            x->own[--last] = x->paths[k];
    if (n == 0 || n == x->npaths)
        return 0;
    struct formats_opts opts = x->opts;
    opts.velocities = x->opts.velocities = false;
    opts.as_velocities = opts.given.jumps_ok = true;
    opts.nscalars = 0;
    x->partner = formats_open(x->own + n, x->npaths - n, &opts);
    x->paths = x->own;
    x->npaths = n;
    return x->partner ? 0 : -1;
}

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
    x->b.o = &x->opts;
    if (x->opts.velocities && npaths > 1 && open_partner(x) != 0) {
        formats_close(x);
        return NULL;
    }
    return x;
}

/* Closes the file. If `stays` is set, its format keeps its state for the next file. */
static void close_file(struct formats *x, bool stays)
{
    if (!stays) {
        format_close(x->run, x->self);
        x->self = NULL;
    }
    x->bytes += x->b.offset;
    x->inflated |= x->b.in.packed;
    x->input_done += x->b.done;
    bytes_close(&x->b);
    x->b.offset = x->b.done = 0;
}

/* Returns the bytes of the scalars of a frame. */
static size_t scalar_bytes(const struct formats *x)
{
    return x->frame_bytes / 3 * (size_t)x->opts.nscalars;
}

static size_t slot_bytes(const struct formats *x)
{
    return x->frame_bytes * (x->opts.velocities ? 2 : 1) + scalar_bytes(x);
}

void formats_close(struct formats *x)
{
    if (!x)
        return;
    formats_close(x->partner);
    free(x->own);
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

const char *formats_name(const struct formats *x)
{
    if (x->opts.source)
        return x->opts.source->name;
    const char *p = x->npaths ? x->paths[x->file] : "-";
    return strcmp(p, "-") == 0 ? "stdin" : p;
}

int formats_fail(struct formats *x, const struct err *e)
{
    bool loose = x->format && x->format->loose;
    x->err = *e;
    if (loose ? e->line : e->status == ERR_BAD && (x->self || x->placed))
        err_frame(&x->err, x->number);
    return err_file(&x->err, formats_name(x));
}

int formats_fail_at(struct formats *x, const struct slot *s, const struct err *e)
{
    struct err why = *e;
    if (s->f.line)
        err_line(&why, s->f.line);
    return formats_fail(x, &why);
}

void formats_warn(struct formats *x, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x->warning, sizeof x->warning, fmt, ap);
    va_end(ap);
}

/* ---- files */

static int count_slots(struct formats *x, struct err *e)
{
    size_t n = x->info.natoms;
    if (n == 0)
        return err_bad(e, "expected atoms, found a trajectory without atoms");
    int numbers = (x->opts.velocities ? 6 : 3) + x->opts.nscalars;
    double need = 2.0 * numbers * (double)n * (x->opts.given.f64 ? 8.0 : 4.0);
    if (err_over(e, need, x->opts.max_mem ? x->opts.max_mem : SIZE_MAX / 2, NULL, "%zu atoms", n))
        return -1;
    x->frame_bytes = n * (x->opts.given.f64 ? 24 : 12);
    x->natoms = n;
    size_t capacity = x->opts.max_mem ? x->opts.max_mem / 4 : PREFETCH_BYTES,
           max = (capacity < PREFETCH_BYTES ? capacity : PREFETCH_BYTES) / slot_bytes(x);
    x->slots_max = max < SLOTS_MIN ? SLOTS_MIN : max < SLOTS ? (int)max : SLOTS;
    return 0;
}

static void set_memory(const struct formats *x, struct slot *s, void *p)
{
    s->pos = p;
    s->vel = p && x->opts.velocities ? (char *)p + x->frame_bytes : NULL;
    s->scal = p && x->opts.nscalars ? (char *)p + slot_bytes(x) - scalar_bytes(x) : NULL;
}

/* Returns an unused slot, or NULL and sets *e if memory is exhausted. */
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

/* Checks that every format-specific option applies to this format. Returns 0 or -1. */
static int check_options(const struct formats *x, struct err *e)
{
    const struct formats_opts *o = &x->opts;
    const unsigned uses = x->format->uses | x->info.uses;
    const char *none = o->units && !(uses & FORMAT_UNITS)                ? "--units"
                       : o->columns && !(uses & FORMAT_COLUMNS)          ? "--columns"
                       : o->dialect && !(uses & FORMAT_XYZ)              ? "--dialect"
                       : !isnan(o->time_unit_fs) && !(uses & FORMAT_XYZ) ? "--time-unit"
                       : o->velocity_unit && !(uses & FORMAT_XYZ)        ? "--velocity-unit"
                       : o->nscalars && !(uses & FORMAT_SCALARS)         ? "--scalars"
                                                                         : NULL;
    return none ? err_bad(e, "expected a file format that supports %s, found %s (omit %s)", none,
                          x->format->title, none)
                : 0;
}

/* Compares the header of a file with the options and the first file. Returns 0 or -1. */
static int check_info(struct formats *x, struct err *e)
{
    if (check_options(x, e) != 0)
        return -1;
    if (x->natoms && x->info.natoms != x->natoms)
        return err_bad(e, "expected %zu atoms as in the first file, found %zu", x->natoms,
                       x->info.natoms);
    if (x->opts.unwrap && !x->format->unwraps)
        return err_bad(e, "--unwrap: expected image flags, found %s without image flags",
                       x->format->title);
    if (x->opts.external && !x->format->external)
        return err_bad(e, "--external: expected an H5MD file, found %s", x->format->title);
    if (x->opts.velocities && !x->info.has_velocities)
        return err_bad(e,
                       "--velocities: expected a file with velocities, found %s without velocities",
                       x->format->title);
    return x->natoms ? 0 : count_slots(x, e);
}

/* Recognises the format. Returns 0 or -1. */
static int choose_format(struct formats *x, const unsigned char *head, size_t n, struct err *e)
{
    if (!(x->format = format_of(x->opts.format, head, n)))
        return err_bad(
            e,
            "expected one of %sfound another format (%spython3 -m mbf from FILE reads more "
            "formats, see mbf-python(7))",
            formats_briefs,
            memchr(head, 0, n) ? "" : "read XYZ text with xyz2bin and columns with txt2bin; ");
    const char *found = x->b.in.packed ? "compressed data" : "a pipe";
    if (x->format->by_path && (x->b.in.packed || x->b.in.io.size == 0))
        return err_bad(
            e,
            "expected an uncompressed file, found %s (write the uncompressed data to a file first)",
            found);
    if (x->clock.format && x->clock.format->loose != x->format->loose)
        return err_bad(e, "expected %s as in the previous files, found %s", x->clock.format->title,
                       x->format->title);
    x->clock.format = x->format;
    return 0;
}

/* Opens the next file. Returns 1, 0 if there are no more files, or -1. */
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
                   loose ? magic_foreign_to_xyz : magic_foreign_to_traj, &e) != 0)
        return formats_fail(x, &e);
    x->input_total += x->b.in.io.size;
    size_t n = bytes_head(&x->b, INPUT_SNIFF, &head, &e);
    const char *want = loose || stays ? "XYZ frames" : "a trajectory";
    if (e.status && x->b.cut && (loose || stays)) /* this error is reported later, with its line */
        e.status = 0;
    else if (!e.status && n == 0)
        err_bad(&e, "expected %s, found an empty file", want);
    if (!e.status && x->opts.given.drop_overlap && x->b.in.io.size == 0)
        err_bad(&e, "expected a file, because --drop-overlap reads it twice, found a pipe (write "
                    "the data to a file first)");
    const struct format *other =
        !e.status && stays && magic_foreign_to_xyz(head, n) ? format_of(0, head, n) : NULL;
    if (other)
        err_bad(&e, "expected %s as in the previous files, found %s", x->format->title,
                other->title);
    if (e.status)
        return formats_fail(x, &e);
    if (stays)
        return 1;
    if (choose_format(x, head, n, &e) != 0)
        return formats_fail(x, &e);
    if (x->file == 1)
        x->first = x->info;
    else
        free(x->info.species), free(x->info.molecule);
    x->info = (struct format_info){.natoms = x->natoms};
    x->run = x->format->library ? &format_process : x->format;
    x->self =
        format_open(x->run, &(struct format_reader){x->format, &x->b, &x->opts, &x->info}, &e);
    return x->self && check_info(x, &e) == 0 ? 1 : formats_fail(x, &e);
}

/* ---- checks of every frame */

/* Returns whether n numbers are finite and, if `reach` is set, within the range of f32. The
 * argument `max` is the member of struct format_frame. */
static bool all_well(const void *v, size_t n, bool f64, uint32_t max, bool reach)
{
    const float edge = F32_RANGE;
    uint32_t bits;
    memcpy(&bits, &edge, sizeof bits);
    if (f64)
        return max || SIMD_PICK(numbers_within)(v, n, DBL_MAX);
    max = max ? max : SIMD_PICK(numbers_max)(v, n);
    return max < NUMBERS_INF && (!reach || max <= bits);
}

/* Checks the positions or velocities `v`. For velocities, `max` is 0. Returns 0 or -1. */
static int check_numbers(const struct formats *x, const void *v, uint32_t max, const char *what,
                         struct err *e)
{
    size_t n = 3 * x->natoms, k = n;
    bool f64 = x->opts.given.f64, reach = !f64 && strcmp(what, "position") == 0;
    if (!v || all_well(v, n, f64, max, reach))
        return 0;
    if ((k = frame_not_finite(v, f64 ? FRAME_F64 : FRAME_F32, n)) == n &&
        (k = f32_range_find(v, n)) < n)
        return err_bad(e, F32_RANGE_ADVICE ", found %c of atom %zu at %g", (char)('x' + k % 3),
                       k / 3, (double)((const float *)v)[k]);
    return k == n ? 0
                  : err_bad(e, "expected finite numbers, found nan or inf as %s %c of atom %zu",
                            what, (char)('x' + k % 3), k / 3);
}

/* Checks that no scalar is infinite. Returns 0 or -1. */
static int check_scalars(const struct formats *x, const void *v, struct err *e)
{
    size_t m = (size_t)x->opts.nscalars, n = m * x->natoms,
           k = v ? frame_infinite(v, x->opts.given.f64 ? FRAME_F64 : FRAME_F32, n) : n;
    return k == n ? 0
                  : err_bad(e, "expected finite numbers or nan, found inf as %s of atom %zu",
                            x->opts.scalars[k % m].name, k / m);
}

/* ---- frames */

/* Returns whether this first frame of a later file repeats the last frame of the previous file. */
static bool repeated(struct formats *x, const struct slot *now)
{
    uint64_t last = x->hash;
    x->hash = now->f.hash;
    if (x->frames_in_file > 0 || !x->raw || x->opts.given.keep_duplicates ||
        (x->format->loose ? last != x->hash
                          : memcmp(now->f.pos, x->raw->f.pos, x->frame_bytes) != 0) ||
        (now->wanted && format_clock_follows(&x->clock, &now->f)))
        return false;
    formats_warn(x,
                 "%s: the first frame repeats the last frame of %s, as after a restart, and was "
                 "dropped (--keep-duplicates keeps it)",
                 formats_name(x), x->paths[x->file - 1]);
    return true;
}

/* Handles an unreadable frame. Returns 0 if it and later frames are dropped as truncated, or -1. */
static int give_up(struct formats *x, struct err *e)
{
    bool loose = x->format->loose;
    if (!x->b.cut || (loose ? x->number : x->frames_in_file) == 0)
        return formats_fail(x, e);
    if (x->opts.given.allow_partial) {
        const char *option = loose ? "" : " (--allow-partial)";
        formats_warn(x, "%s: frame %llu was dropped%s: %s", formats_name(x),
                     (unsigned long long)x->number, option, e->text + (loose ? e->line : 0));
        x->limited = true;
        return 0;
    }
    struct err why = *e;
    if (!strstr(why.text, "--allow-partial"))
        strncat(why.text, " (--allow-partial keeps the complete frames before it)",
                ERR_BYTES - 1 - strlen(why.text));
    return formats_fail(x, &why);
}

/* Reads the next frame of the file into s. Returns 1, 0 at the end of the file, or -1. */
static int decode(struct formats *x, struct slot *s)
{
    const struct formats_opts *o = &x->opts;
    const struct slot *before = x->queued == 1 ? x->queue[0] : NULL;
    struct err e = {0};
    s->wanted = x->number >= o->given.first && (x->number - o->given.first) % o->given.step == 0;
    bool capacity = before && s->wanted && !x->format->library, /* memory not in use */
        pos = capacity && x->pos && x->pos != before->f.pos && x->pos != x->raw->f.pos,
         vel = capacity && x->vel && x->vel != before->f.vel && x->vel != x->raw->f.vel,
         compared = x->npaths > 1 && !o->given.keep_duplicates;
    s->f = (struct format_frame){.time = NAN,
                                 .pos = pos ? x->pos : s->pos,
                                 .vel = vel && s->vel ? x->vel : s->vel,
                                 .scal = s->scal,
                                 .decode = s->wanted || (x->format->loose ? x->scans : compared),
                                 .hashed = compared};
    int got = x->run->next(x->self, &s->f, &e);
    if (x->format->library)
        set_memory(x, s, s->f.pos);
    if (got == 1 && x->file > 0 && x->frames_in_file == 0 && !x->format->loose &&
        format_same_files(&x->first, &x->info, o, &e) != 0)
        got = -1;
    if (x->info.note[0])
        formats_warn(x, "%s: %s", formats_name(x), x->info.note);
    x->info.note[0] = '\0';
    x->limited |= x->info.limited;
    if (got == 1 && o->velocities && s->wanted && !s->f.has_vel)
        got = err_bad(
            &e, "--velocities: expected velocities in this frame, found none (choose the frames "
                "that have velocities with --select, such as ::2 for every second frame)");
    if (got == 1 && s->wanted &&
        (check_numbers(x, s->f.pos, s->f.max, "position", &e) != 0 ||
         check_numbers(x, s->f.has_vel ? s->f.vel : NULL, 0, "velocity", &e) != 0 ||
         check_scalars(x, s->f.scal, &e) != 0))
        got = s->f.line ? err_line(&e, s->f.line) : -1;
    if (got == 0 && x->frames_in_file == 0 && x->format->loose)
        got = err_bad(&e, "expected XYZ frames, found only empty lines");
    else if (got == 0 && x->frames_in_file == 0)
        got = err_bad(&e, "expected at least one frame, found %s without frames", x->format->title);
    return got < 0 ? give_up(x, &e) : got;
}

int formats_read_raw(struct formats *x, struct slot **to)
{
    for (;;) {
        if (x->number >= x->opts.given.stop)
            return 0;
        struct err e;
        int got = x->self && !x->file_ended ? 1 : open_next(x);
        if (got != 1)
            return got;
        struct slot *s = free_slot(x, &e);
        if (!s)
            return formats_fail(x, &e);
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
