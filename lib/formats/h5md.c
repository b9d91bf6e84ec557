/* SPDX-License-Identifier: MIT */
/*
 * H5MD 1.x: the group of particles of an HDF5 file that has positions; each element is a data set,
 * or a group of value, step and time with a row a frame; units are attributes.
 * Source: nongnu.org/h5md, "H5MD: a structured, efficient, and portable file format", 1.1.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "formats/format.h"
#include "formats/hdf5.h"
#include "formats/lammps.h"

#ifdef HDF5_LIBRARY

enum { POSITION, VELOCITY, EDGES, IMAGE, SPECIES, ID, ELEMENTS };
static const char *const elements[ELEMENTS] = {"position", "velocity", "box/edges",
                                               "image",    "species",  "id"};

struct h5md {
    struct bytes *b;
    struct format_info *info;
    const struct formats_opts *opts;
    int64_t file;
    char group[HDF5_PATH]; /* particles/NAME */
    struct hdf5_set set[ELEMENTS], step[ELEMENTS], time;
    bool moving[ELEMENTS]; /* a row a frame */
    double factor[ELEMENTS], time_factor;
    double time0, every;          /* of times that are stored as a number alone, the file's unit */
    int64_t step0, stride;        /* of such steps */
    uint64_t frames, frame, size; /* size: of the file, bytes */
    int pbc[3], has_pbc;
    struct order order;
    int64_t *ids;
    double *wide; /* [natoms][3] that become f32, and images */
    void *scratch;
};

/* ---- units */

static void get_unit(const struct h5md *h, const char *path, char unit[HDF5_WORD])
{
    size_t n;
    char(*text)[HDF5_WORD] = hdf5_texts(h->file, path, "unit", &n);
    memcpy(unit, n ? text[0] : "", n ? HDF5_WORD : 1);
    free(text);
}

/* The factor of a length or speed to ours: by --units, else as the file says. */
static int take_unit(struct h5md *h, int k, const struct lammps *said, struct err *e)
{
    char unit[HDF5_WORD];
    h->factor[k] = k == VELOCITY ? said->speed : said->length;
    if (!h->set[k].id || h->opts->units != LAMMPS_AS_SAID)
        return 0;
    get_unit(h, h->set[k].path, unit);
    h->factor[k] = k == VELOCITY ? format_speed(unit) : format_length(unit, strlen(unit));
    if (!isnan(h->factor[k]))
        return 0;
    const char *known = k == VELOCITY ? "such as 'nm ps-1'" : "Angstrom, nm, pm, um or m";
    return unit[0] ? err_set(e, ERR_BAD, "%s: expected the unit %s, found '%s' (--units overrides)",
                             h->set[k].path, known, unit)
                   : err_set(e, ERR_BAD,
                             "%s: expected a unit, %s, which the file does not name: --units STYLE "
                             "says metal (Å, ps), real (Å, fs), nano (nm, ns) or another",
                             h->set[k].path, known);
}

static int take_units(struct h5md *h, struct err *e)
{
    struct lammps said;
    char unit[HDF5_WORD];
    lammps_begin(&said, h->opts, h->info);
    if (take_unit(h, POSITION, &said, e) != 0 ||
        (h->opts->velocities && take_unit(h, VELOCITY, &said, e) != 0) ||
        (!h->opts->said.has_cell && take_unit(h, EDGES, &said, e) != 0))
        return -1;
    h->time_factor = said.time;
    if (h->opts->units == LAMMPS_AS_SAID) {
        get_unit(h, h->time.path, unit);
        h->time_factor = h->time.id ? format_time(unit, strlen(unit)) : NAN;
    }
    h->info->no_time = h->time.id ? "in what unit, fs, ps, ns, us or s, the file does not say"
                                  : "the file has none";
    return 0;
}

/* ---- elements */

/* A data set behind value that has a number, or one a frame. 0 or -1. */
static int open_clock(struct h5md *h, const char *path, struct hdf5_set *s, struct err *e)
{
    if (!hdf5_has(h->file, path))
        return 0;
    if (hdf5_set(h->file, path, s, e) != 0)
        return -1;
    bool number = s->kind == HDF5_REAL || s->kind == HDF5_WHOLE;
    return number && (s->rank == 0 || (s->rank == 1 && s->shape[0] == h->frames))
               ? 0
               : err_set(e, ERR_BAD,
                         "%s: expected a number, or one of each of %" PRIu64 " frames, "
                         "found %" PRIu64 " of rank %d",
                         path, h->frames, s->shape[0], s->rank);
}

/* Have the rows of an element the shape that natoms atoms want? */
static int check_shape(const struct h5md *h, int k, struct err *e)
{
    const struct hdf5_set *s = &h->set[k];
    const uint64_t *row = s->shape + h->moving[k], n = h->set[POSITION].shape[h->moving[POSITION]];
    int rank = s->rank - h->moving[k];
    bool whole = s->kind == HDF5_WHOLE, real = s->kind == HDF5_REAL, good;
    char found[100] = "a number";
    if (k == EDGES)
        good = (rank == 1 || (rank == 2 && row[1] == 3)) && row[0] == 3 && (real || whole);
    else if (k == SPECIES || k == ID)
        good = rank == 1 && row[0] == n && (k == ID ? whole : s->kind != HDF5_OTHER && !real);
    else
        good = rank == 2 && row[0] == n && n > 0 && row[1] == 3 && (real || (k == IMAGE && whole));
    if (k != POSITION && h->moving[k] && s->shape[0] != h->frames)
        return err_set(e, ERR_BAD,
                       "%s: expected %" PRIu64 " frames as of the positions, found %" PRIu64,
                       s->path, h->frames, s->shape[0]);
    for (int a = 0, at = 0; a < s->rank; a++)
        at += snprintf(found + at, sizeof found - (size_t)at, "%s%" PRIu64, a ? " x " : "",
                       s->shape[a]);
    const char *want = k == EDGES     ? "3 or 3 x 3 numbers"
                       : k == IMAGE   ? "atoms x 3 numbers"
                       : k == SPECIES ? "a whole number or a text an atom"
                       : k == ID      ? "a whole number an atom"
                                      : "atoms x 3 numbers of f32 or f64";
    return good ? 0
                : err_set(e, ERR_BAD, "%s: expected %s%s, found %s%s", s->path,
                          h->moving[k] ? "frames x " : "", want, found,
                          real || whole ? "" : " of another type");
}

static int open_element(struct h5md *h, int k, struct err *e)
{
    char path[HDF5_PATH + 32], part[HDF5_PATH + 48];
    snprintf(path, sizeof path, "%s/%s", h->group, elements[k]);
    snprintf(part, sizeof part, "%s/value", path);
    h->moving[k] = hdf5_has(h->file, part);
    if (!hdf5_has(h->file, path))
        return 0;
    if (hdf5_set(h->file, h->moving[k] ? part : path, &h->set[k], e) != 0)
        return -1;
    if (k == POSITION)
        h->frames = h->moving[k] ? h->set[k].shape[0] : 1;
    if (check_shape(h, k, e) != 0)
        return -1;
    if (!h->moving[k])
        return 0;
    if (hdf5_keep_chunks(&h->set[k], h->file, h->opts->max_mem, e) != 0)
        return -1;
    snprintf(part, sizeof part, "%s/step", path);
    if (open_clock(h, part, &h->step[k], e) != 0)
        return -1;
    snprintf(part, sizeof part, "%s/time", path);
    return k == POSITION ? open_clock(h, part, &h->time, e) : 0;
}

/* The one group of particles with positions; two names of one group are one. */
static int choose_group(struct h5md *h, struct err *e)
{
    char name[HDF5_WORD], path[HDF5_PATH], names[400] = "";
    uint64_t who, first = 0;
    int found = 0;
    for (uint64_t k = 0; hdf5_member(h->file, "particles", k, name, &who) == 0 && name[0]; k++) {
        snprintf(path, sizeof path, "particles/%s/position", name);
        if (!hdf5_has(h->file, path) || (found > 0 && who == first))
            continue;
        if (found++ == 0) {
            first = who;
            snprintf(h->group, sizeof h->group, "particles/%s", name);
        }
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", name);
    }
    if (found > 1)
        return err_set(e, ERR_BAD, "expected one group of particles with positions, found %d: %s",
                       found, names);
    return found ? 0
                 : err_set(e, ERR_BAD, "expected a group of particles with positions, found none");
}

static int read_boundary(struct h5md *h, struct err *e)
{
    char path[HDF5_PATH + 8];
    size_t n;
    snprintf(path, sizeof path, "%s/box", h->group);
    char(*text)[HDF5_WORD] = hdf5_texts(h->file, path, "boundary", &n);
    int bad = n && n != 3
                  ? err_set(e, ERR_BAD, "%s: expected the boundary of 3 axes, found %zu", path, n)
                  : 0;
    h->has_pbc = n == 3;
    for (size_t k = 0; k < n && !bad; k++) {
        h->pbc[k] = strcmp(text[k], "periodic") == 0;
        if (!h->pbc[k] && strcmp(text[k], "none") != 0)
            bad = err_set(e, ERR_BAD, "%s: expected the boundary 'periodic' or 'none', found '%s'",
                          path, text[k]);
    }
    free(text);
    return bad;
}

/* The row of frame h->frame. */
static int read_row(const struct h5md *h, int k, enum hdf5_as as, void *to, struct err *e)
{
    return hdf5_read(&h->set[k], h->moving[k] ? (int64_t)h->frame : HDF5_ALL, as, to, e);
}

/* ---- species: numbers, names of numbers, names */

/* The name of this number: of the enumeration, of /parameters (by mbf-python(7)), or itself. */
static void name_type(const struct hdf5_set *s, char (*names)[HDF5_WORD], size_t n, int64_t v,
                      char name[HDF5_WORD])
{
    int64_t value;
    for (unsigned k = 0; s->kind == HDF5_ENUM && hdf5_enum(s, k, name, &value) == 0; k++)
        if (value == v)
            return;
    if (s->kind == HDF5_WHOLE && v >= 0 && (uint64_t)v < n)
        snprintf(name, HDF5_WORD, "%s", names[v]);
    else
        snprintf(name, HDF5_WORD, "%" PRIi64, v);
}

static int read_species(struct h5md *h, struct err *e)
{
    const struct hdf5_set *s = &h->set[SPECIES];
    struct format_info *in = h->info;
    size_t n = in->natoms, nnames = 0, ntexts = 0;
    bool text = s->kind == HDF5_TEXT;
    if (!s->id || (text && h->moving[SPECIES]))
        return 0; /* texts that move are not followed */
    if (err_over(e, (double)n * (text ? HDF5_WORD + 32 : 9), h->opts->max_mem, NULL, "%zu species",
                 n))
        return -1;
    char(*names)[HDF5_WORD] = hdf5_texts(h->file, "parameters", "species", &nnames);
    char(*texts)[HDF5_WORD] = text ? hdf5_texts(h->file, s->path, NULL, &ntexts) : NULL;
    int64_t *types = text ? NULL : malloc(n * sizeof *types);
    int64_t seen[FORMAT_NAMES] = {0}; /* the number that has this name */
    int bad = 0;
    in->species = calloc(n, 1);
    in->types = s->kind == HDF5_WHOLE && !nnames;
    if (!in->species || (!text && !types))
        bad = err_memory(e, "the species");
    else if (text && ntexts != n)
        bad = err_set(e, ERR_BAD, "%s: expected %zu texts, found %zu", s->path, n, ntexts);
    else if (!text)
        bad = hdf5_read(s, h->moving[SPECIES] ? 0 : HDF5_ALL, HDF5_I64, types, e);
    for (size_t k = 0; k < n && !bad && in->species; k++) {
        char name[HDF5_WORD];
        int i = 0;
        while (!text && i < in->nnames && seen[i] != types[k])
            i++;
        if (text || i == in->nnames) {
            if (!text)
                name_type(s, names, nnames, types[k], name);
            i = format_name(in, text ? texts[k] : name, strlen(text ? texts[k] : name));
        }
        if (i >= 0) {
            in->species[k] = (unsigned char)i;
            seen[i] = text ? 0 : types[k];
            continue;
        }
        free(in->species);
        in->species = NULL;
    }
    free(names);
    free(texts);
    free(types);
    return bad ? -1 : 0;
}

/* ---- open and close */

static void close_h5md(void *self)
{
    struct h5md *h = self;
    hdf5_close(-1, &h->time, 1);
    hdf5_close(-1, h->step, ELEMENTS);
    hdf5_close(h->file, h->set, ELEMENTS);
    order_free(&h->order);
    free(h->ids);
    free(h->wide);
    free(h->scratch);
    free(h);
}

/* Step and time that are a number alone, and where they begin. */
static int read_clocks(struct h5md *h, struct err *e)
{
    const struct hdf5_set *s = &h->step[POSITION], *t = &h->time;
    if (s->id && s->rank == 0 && hdf5_read(s, HDF5_ALL, HDF5_I64, &h->stride, e) != 0)
        return -1;
    if (t->id && t->rank == 0 && hdf5_read(t, HDF5_ALL, HDF5_F64, &h->every, e) != 0)
        return -1;
    double step0 = s->id ? hdf5_number(h->file, s->path, "offset", 0.0) : 0.0;
    h->step0 = fabs(step0) < 1e15 ? (int64_t)step0 : 0;
    h->time0 = t->id ? hdf5_number(h->file, t->path, "offset", 0.0) : 0.0;
    h->info->counts_steps = s->id != 0;
    h->info->computed = !s->rank && !t->rank;
    return 0;
}

/* The atoms' order is that of their ids; the species stand as those of the first frame. */
static int begin_ids(struct h5md *h, struct err *e)
{
    const size_t *place;
    size_t row;
    if (read_row(h, ID, HDF5_I64, h->ids, e) != 0 ||
        order_start(&h->order, h->ids, h->info->natoms, e) != 0 ||
        order_places(&h->order, h->ids, &place, &row, e) != 0)
        return -1;
    if (h->info->species)
        order_apply(&h->order, place, h->info->species, 1, h->scratch);
    return 0;
}

static int h5md_begin(struct h5md *h, struct err *e)
{
    struct format_info *in = h->info;
    if ((h->file = hdf5_open(h->b->path, e)) < 0)
        return -1;
    if (!hdf5_has(h->file, "h5md") || !hdf5_has(h->file, "particles"))
        return err_set(e, ERR_BAD,
                       "expected H5MD (groups h5md and particles), found another HDF5 file: "
                       "python3 -m mbf from FILE reads MDTraj's (mbf-python(7)); NetCDF-4: nccopy "
                       "-k cdf5 FILE out.nc, which traj2bin reads");
    if (choose_group(h, e) != 0)
        return -1;
    for (int k = 0; k < ELEMENTS; k++)
        if (open_element(h, k, e) != 0)
            return -1;
    in->natoms = (size_t)h->set[POSITION].shape[h->moving[POSITION]];
    in->has_velocities = h->set[VELOCITY].id != 0;
    if (h->opts->unwrap && !h->set[IMAGE].id)
        return err_set(e, ERR_BAD, "expected %s/image for --unwrap, found none", h->group);
    size_t most = h->opts->max_mem ? h->opts->max_mem : SIZE_MAX / 2;
    double need = (double)in->natoms * (h->set[ID].id ? 136.0 : 48.0);
    if (err_over(e, need, most, NULL, "%zu atoms", in->natoms) || take_units(h, e) != 0 ||
        read_boundary(h, e) != 0 || read_clocks(h, e) != 0 || read_species(h, e) != 0)
        return -1;
    h->wide = malloc(in->natoms * 24);
    h->scratch = malloc(in->natoms * 24);
    h->ids = h->set[ID].id ? malloc(in->natoms * sizeof *h->ids) : NULL;
    if (!h->wide || !h->scratch || (!h->ids && h->set[ID].id))
        return err_memory(e, "the atoms");
    return h->ids && h->frames ? begin_ids(h, e) : 0;
}

static void look(void *ctx)
{
    (void)!h5md_begin(ctx, NULL);
}

static void *open_h5md(struct bytes *b, const struct formats_opts *o, struct format_info *info,
                       struct err *e)
{
    struct h5md *h = calloc(1, sizeof *h);
    if (!h) {
        err_memory(e, "the input");
        return NULL;
    }
    *h = (struct h5md){.b = b, .info = info, .opts = o, .file = -1, .size = b->in.io.size};
    if (hdf5_rehearse(look, h, e) == 0 && h5md_begin(h, e) == 0)
        return h;
    close_h5md(h);
    return NULL;
}

/* ---- frames */

static int read_clock(struct h5md *h, struct format_frame *f, struct err *e)
{
    int64_t frame = (int64_t)h->frame, step;
    f->step = h->step0 + frame * h->stride;
    if (h->step[POSITION].rank && hdf5_read(&h->step[POSITION], frame, HDF5_I64, &f->step, e) != 0)
        return -1;
    for (int k = POSITION + 1; k < ELEMENTS; k++)
        if (h->step[k].rank && h->step[POSITION].rank) {
            if (hdf5_read(&h->step[k], frame, HDF5_I64, &step, e) != 0)
                return -1;
            if (step != f->step)
                return err_set(e, ERR_BAD,
                               "%s: expected step %" PRIi64 " as of the positions, found %" PRIi64,
                               h->step[k].path, f->step, step);
        }
    if (!h->time.id || isnan(h->time_factor))
        return 0;
    double t = h->time0 + (double)frame * h->every;
    if (h->time.rank && hdf5_read(&h->time, frame, HDF5_F64, &t, e) != 0)
        return -1;
    if (h->time.rank && h->time.kind == HDF5_REAL && h->time.bytes == 4)
        f->off = format_f32_off((float)t) * h->time_factor;
    f->time = t * h->time_factor;
    return isfinite(f->time)
               ? 0
               : err_set(e, ERR_BAD, "%s: expected a time, found %g", h->time.path, t);
}

static int read_cell(struct h5md *h, struct format_frame *f, struct err *e)
{
    const struct hdf5_set *s = &h->set[EDGES];
    double v[9];
    f->has_pbc = h->has_pbc;
    memcpy(f->pbc, h->pbc, sizeof f->pbc);
    if (!s->id || h->opts->said.has_cell)
        return 0;
    if (read_row(h, EDGES, HDF5_F64, v, e) != 0)
        return -1;
    bool matrix = s->rank - h->moving[EDGES] == 2;
    for (int k = 0; k < 9; k++) {
        double x = matrix ? v[k] : k % 4 == 0 ? v[k / 4] : 0.0;
        x = s->kind == HDF5_REAL && s->bytes == 4 ? format_f32_decimal((float)x) : x;
        f->cell[k] = x * h->factor[EDGES];
        f->has_cell = f->has_cell || x != 0.0;
    }
    return 0;
}

/* Positions or velocities, in Å or Å/ps; cell: of the images that are followed, or NULL. */
static int read_numbers(struct h5md *h, int k, void *to, const double *cell, struct err *e)
{
    size_t n = 3 * h->info->natoms;
    bool f64 = h->opts->said.f64, direct = f64 || (h->set[k].bytes <= 4 && !cell);
    double factor = h->factor[k], *wide = f64 ? to : h->wide, *image = h->scratch;
    float *narrow = to;
    if (read_row(h, k, f64 || !direct ? HDF5_F64 : HDF5_F32, direct ? to : wide, e) != 0 ||
        (cell && read_row(h, IMAGE, HDF5_F64, image, e) != 0))
        return -1;
    if (direct && !f64) {
        for (size_t i = 0; i < n && factor != 1.0; i++)
            narrow[i] = (float)(narrow[i] * factor);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        const double *m = image + i / 3 * 3, *c = cell + i % 3;
        wide[i] = wide[i] * factor + (cell ? m[0] * c[0] + m[1] * c[3] + m[2] * c[6] : 0.0);
    }
    for (size_t i = 0; i < n && !f64; i++)
        narrow[i] = (float)wide[i];
    return 0;
}

static int put_in_order(struct h5md *h, struct format_frame *f, struct err *e)
{
    size_t row, bytes = h->opts->said.f64 ? 24 : 12;
    const size_t *place;
    if (read_row(h, ID, HDF5_I64, h->ids, e) != 0 ||
        order_places(&h->order, h->ids, &place, &row, e) != 0)
        return -1;
    order_apply(&h->order, place, f->pos, bytes, h->scratch);
    if (f->has_vel)
        order_apply(&h->order, place, f->vel, bytes, h->scratch);
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct h5md *h = self;
    const double *cell = h->opts->said.has_cell ? h->opts->said.cell : f->cell;
    if (h->frame == h->frames)
        return 0;
    if (read_clock(h, f, e) != 0 || read_cell(h, f, e) != 0)
        return -1;
    if (f->decode) {
        f->has_vel = f->vel && h->set[VELOCITY].id;
        if (read_numbers(h, POSITION, f->pos, h->opts->unwrap ? cell : NULL, e) != 0 ||
            (f->has_vel && read_numbers(h, VELOCITY, f->vel, NULL, e) != 0) ||
            (h->ids && put_in_order(h, f, e) != 0))
            return -1;
    }
    h->frame++;
    h->b->offset += h->info->natoms * 3 * h->set[POSITION].bytes * (f->has_vel ? 2 : 1);
    h->b->done = (uint64_t)((double)h->size * (double)h->frame / (double)h->frames);
    return 1;
}
#else
static void *open_h5md(struct bytes *b, const struct formats_opts *o, struct format_info *info,
                       struct err *e)
{
    (void)b, (void)o, (void)info;
    err_set(
        e, ERR_BAD,
        "is HDF5, and libhdf5 was not there when this program was built: make deps all, or python3 "
        "-m mbf from FILE makes a stream of it (mbf-python(7))");
    return NULL;
}
#define next_frame NULL
#define close_h5md NULL
#endif

FORMAT_MAGIC("h5md", 0, "\x89HDF\r\n\x1a\n", "is an HDF5 file (H5MD)");
FORMAT(h5md, "h5md", ".h5md .h5", "H5MD") = {
    .title = "an H5MD file",
    .uses = FORMAT_UNITS,
    .by_path = true,
    .unwraps = true,
    .open = open_h5md,
    .next = next_frame,
    .close = close_h5md,
};
