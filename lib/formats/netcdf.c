/* SPDX-License-Identifier: MIT */
/*
 * AMBER's NetCDF trajectories: the classic format of NetCDF (CDF-1, CDF-2, CDF-5), whose records,
 * one a frame, hold each variable in turn; Å, ps, degrees, velocities in Å/ps times a scale_factor.
 * Source: NetCDF user's guide, "file format specifications"; AMBER NetCDF trajectory convention 1.0.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "formats/format.h"
#include "formats/numbers.h"

enum { MOST_DIMS = 256, MOST_VARS = 1024, MOST_RANK = 8, NAME = 64 };
enum { TAG_DIM = 10, TAG_VAR = 11, TAG_ATT = 12 };
enum { CHAR = 2, INT = 4, FLOAT = 5, DOUBLE = 6, INT64 = 10, TYPES = 12 };
static const unsigned char type_bytes[TYPES] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

struct dim {
    char name[NAME];
    uint64_t size; /* 0: the records */
};

struct var {
    char name[NAME], units[NAME];
    int type, rank, dim[MOST_RANK];
    double scale;
    bool record;
    uint64_t begin, bytes; /* in the file; of one record, padded */
    size_t at;             /* in a record */
};

/* The variables that are looked at. */
enum { TIME, COORDINATES, LENGTHS, ANGLES, VELOCITIES, ID, WANTED };
static const char *const wanted[WANTED] = {"time",        "coordinates", "cell_lengths",
                                           "cell_angles", "velocities",  "id"};

struct netcdf {
    struct bytes *b;
    struct format_info *info;
    const struct formats_opts *opts;
    int version;
    uint64_t records; /* as the header says; UINT64_MAX: to the end of the file */
    uint64_t frames;
    char conventions[NAME], program[NAME];
    struct dim *dims;
    struct var *vars;
    int ndims, nvars;
    struct var *use[WANTED]; /* NULL: there is none */
    size_t record_bytes;

    struct order order; /* by the variable id */
    int64_t *ids;
    void *scratch;
};

/* ---- the header, piece by piece */

static int get(struct netcdf *c, size_t n, const unsigned char **p, struct err *e)
{
    return bytes_get(c->b, n, "the header", p, e);
}

static int get_u32(struct netcdf *c, uint32_t *v, struct err *e)
{
    const unsigned char *p;
    if (get(c, 4, &p, e) != 0)
        return -1;
    *v = bytes_u32(p, true);
    return 0;
}

/* A count or size: 4 bytes, in CDF-5 8; never above max. */
static int get_count(struct netcdf *c, uint64_t *v, uint64_t max, struct err *e)
{
    const unsigned char *p;
    size_t n = c->version == 5 ? 8 : 4;
    if (get(c, n, &p, e) != 0)
        return -1;
    *v = n == 8 ? bytes_u64(p, true) : bytes_u32(p, true);
    return *v <= max
               ? 0
               : bytes_bad(c->b, e,
                           "expected a header with at most %" PRIu64 " of a kind, found %" PRIu64,
                           max, *v);
}

/* The beginning of a name, the rest is passed over. */
static int get_name(struct netcdf *c, char name[NAME], struct err *e)
{
    const unsigned char *p;
    uint64_t n;
    if (get_count(c, &n, 65536, e) != 0 || get(c, (size_t)(n + 3) / 4 * 4, &p, e) != 0)
        return -1;
    size_t some = n < NAME - 1 ? (size_t)n : NAME - 1;
    memset(name, 0, NAME);
    if (some)
        memcpy(name, p, some);
    return 0;
}

/* The tag of a list and its length; 0 where it is absent. */
static int get_list(struct netcdf *c, uint32_t tag, uint64_t max, uint64_t *n, struct err *e)
{
    uint32_t found;
    if (get_u32(c, &found, e) != 0 || get_count(c, n, max, e) != 0)
        return -1;
    if (found == tag || (found == 0 && *n == 0))
        return 0;
    return bytes_bad(c->b, e, "damaged header: expected list %u, found %u", tag, found);
}

/* Attributes: those that matter go to text (a var's units or a file's) and number. */
static int get_attributes(struct netcdf *c, struct var *v, struct err *e)
{
    uint64_t count, n;
    if (get_list(c, TAG_ATT, 65536, &count, e) != 0)
        return -1;
    for (uint64_t k = 0; k < count; k++) {
        char name[NAME];
        const unsigned char *p;
        uint32_t type;
        if (get_name(c, name, e) != 0 || get_u32(c, &type, e) != 0 ||
            get_count(c, &n, 1 << 24, e) != 0)
            return -1;
        if (type == 0 || type >= TYPES)
            return bytes_bad(c->b, e, "damaged header: type %u of attribute %s", type, name);
        size_t bytes = (size_t)n * type_bytes[type];
        if (get(c, (bytes + 3) / 4 * 4, &p, e) != 0)
            return -1;
        char *text = v && strcmp(name, "units") == 0          ? v->units
                     : !v && strcmp(name, "Conventions") == 0 ? c->conventions
                     : !v && strcmp(name, "program") == 0     ? c->program
                                                              : NULL;
        if (text && type == CHAR)
            snprintf(text, NAME, "%.*s", (int)(n < NAME ? n : NAME - 1), n ? (const char *)p : "");
        if (v && strcmp(name, "scale_factor") == 0 && n == 1 && (type == FLOAT || type == DOUBLE))
            v->scale = type == FLOAT ? (double)bytes_f32(p, true) : bytes_f64(p, true);
    }
    return 0;
}

static int get_dims(struct netcdf *c, struct err *e)
{
    uint64_t n;
    if (get_list(c, TAG_DIM, MOST_DIMS, &n, e) != 0)
        return -1;
    c->dims = calloc((size_t)n + 1, sizeof *c->dims);
    if (!c->dims)
        return err_memory(e, "the header");
    for (; c->ndims < (int)n; c->ndims++)
        if (get_name(c, c->dims[c->ndims].name, e) != 0 ||
            get_count(c, &c->dims[c->ndims].size, UINT64_MAX / 2, e) != 0)
            return -1;
    return 0;
}

static int get_var(struct netcdf *c, struct var *v, struct err *e)
{
    const unsigned char *p;
    uint64_t rank, id, said;
    uint32_t type;
    v->scale = 1.0;
    if (get_name(c, v->name, e) != 0 || get_count(c, &rank, MOST_RANK, e) != 0)
        return -1;
    v->rank = (int)rank;
    v->bytes = 1;
    for (int k = 0; k < v->rank; k++) {
        if (get_count(c, &id, UINT64_MAX, e) != 0)
            return -1;
        if (id >= (uint64_t)c->ndims)
            return bytes_bad(c->b, e, "damaged header: dimension %" PRIu64 " of %s", id, v->name);
        v->dim[k] = (int)id;
        uint64_t size = c->dims[id].size;
        v->record = v->record || (k == 0 && size == 0);
        if (!(k == 0 && size == 0) && __builtin_mul_overflow(v->bytes, size, &v->bytes))
            return bytes_bad(c->b, e, "damaged header: the size of %s", v->name);
    }
    if (get_attributes(c, v, e) != 0 || get_u32(c, &type, e) != 0 ||
        get_count(c, &said, UINT64_MAX, e) != 0)
        return -1;
    if (type == 0 || type >= TYPES ||
        __builtin_mul_overflow(v->bytes, type_bytes[type], &v->bytes) || v->bytes > UINT64_MAX / 4)
        return bytes_bad(c->b, e, "damaged header: type %u of %s", type, v->name);
    v->type = (int)type;
    v->bytes = (v->bytes + 3) / 4 * 4;
    size_t n = c->version == 1 ? 4 : 8;
    if (get(c, n, &p, e) != 0)
        return -1;
    v->begin = n == 8 ? bytes_u64(p, true) : bytes_u32(p, true);
    return 0;
}

static int get_vars(struct netcdf *c, struct err *e)
{
    uint64_t n;
    if (get_list(c, TAG_VAR, MOST_VARS, &n, e) != 0)
        return -1;
    c->vars = calloc((size_t)n + 1, sizeof *c->vars);
    if (!c->vars)
        return err_memory(e, "the header");
    for (; c->nvars < (int)n; c->nvars++)
        if (get_var(c, &c->vars[c->nvars], e) != 0)
            return -1;
    return 0;
}

static int read_header(struct netcdf *c, struct err *e)
{
    const unsigned char *p;
    if (get(c, 4, &p, e) != 0)
        return -1;
    c->version = p[3];
    if (get(c, c->version == 5 ? 8 : 4, &p, e) != 0)
        return -1;
    c->records = c->version == 5                    ? bytes_u64(p, true)
                 : bytes_u32(p, true) == UINT32_MAX ? UINT64_MAX
                                                    : bytes_u32(p, true);
    if (get_dims(c, e) != 0 || get_attributes(c, NULL, e) != 0 || get_vars(c, e) != 0)
        return -1;
    return strstr(c->conventions, "AMBER") && !strstr(c->conventions, "AMBERRESTART")
               ? 0
               : err_set(e, ERR_BAD,
                         "expected a NetCDF file of the convention AMBER, a trajectory, found "
                         "Conventions '%s'",
                         c->conventions);
}

/* ---- what the header means */

/* The factors of units to ours; none: as the convention has it. */
static int check_units(struct netcdf *c, struct err *e)
{
    static const char *const ours[ID] = {"picosecond", "angstrom", "angstrom", "degree",
                                         "angstrom/picosecond"};
    for (int k = 0; k < ID; k++) {
        struct var *v = c->use[k];
        const char *s = v ? v->units : "";
        bool degrees = strcasecmp(s, "degree") == 0 || strcasecmp(s, "degrees") == 0;
        double factor = !*s               ? 1.0
                        : k == TIME       ? format_time(s, strlen(s))
                        : k == ANGLES     ? (degrees ? 1.0 : NAN)
                        : k == VELOCITIES ? format_speed(s)
                                          : format_length(s, strlen(s));
        if (isnan(factor))
            return err_set(e, ERR_BAD, "expected %s in %s, found '%s'", v->name, ours[k], s);
        if (v)
            v->scale *= factor;
    }
    return 0;
}

/* Has a variable these dimensions behind the frame, and this type? */
static int check_shape(struct netcdf *c, int which, uint64_t first, uint64_t second, struct err *e)
{
    const struct var *v = c->use[which];
    if (!v)
        return 0;
    int rank = 1 + (first > 0) + (second > 0);
    bool real = v->type == FLOAT || v->type == DOUBLE, whole = v->type == INT || v->type == INT64;
    if (!v->record || v->rank != rank || (rank > 1 && c->dims[v->dim[1]].size != first) ||
        (rank > 2 && c->dims[v->dim[2]].size != second) || !(which == ID ? whole : real))
        return err_set(e, ERR_BAD,
                       "expected %s as (frame%s%s) of %s: an AMBER trajectory has it so", v->name,
                       rank > 1 ? (second        ? ", atom"
                                   : which == ID ? ", atom"
                                                 : ", 3")
                                : "",
                       rank > 2 ? ", 3" : "", which == ID ? "whole numbers" : "f32 or f64");
    return 0;
}

static int choose(struct netcdf *c, struct err *e)
{
    uint64_t first = UINT64_MAX, size = 0;
    for (int k = 0; k < c->nvars; k++)
        for (int w = 0; w < WANTED; w++)
            if (strcmp(c->vars[k].name, wanted[w]) == 0)
                c->use[w] = &c->vars[k];
    const struct var *x = c->use[COORDINATES];
    if (!x || x->rank != 3 || c->dims[x->dim[1]].size == 0)
        return err_set(e, ERR_BAD,
                       "expected the variable coordinates (frame, atom, 3), found none");
    uint64_t n = c->dims[x->dim[1]].size;
    if (check_shape(c, COORDINATES, n, 3, e) || check_shape(c, VELOCITIES, n, 3, e) ||
        check_shape(c, TIME, 0, 0, e) || check_shape(c, LENGTHS, 3, 0, e) ||
        check_shape(c, ANGLES, 3, 0, e) || check_shape(c, ID, n, 0, e) || check_units(c, e))
        return -1;
    if (!c->use[ANGLES])
        c->use[LENGTHS] = NULL;
    for (int k = 0; k < c->nvars; k++)
        if (c->vars[k].record && c->vars[k].begin < first)
            first = c->vars[k].begin;
    for (int k = 0; k < c->nvars; k++)
        if (c->vars[k].record && __builtin_add_overflow(size, c->vars[k].bytes, &size))
            size = UINT64_MAX;
    for (int k = 0; k < c->nvars; k++) {
        struct var *v = &c->vars[k];
        if (v->record && (size > UINT64_MAX / 4 || v->begin - first > size ||
                          v->bytes > size - (v->begin - first)))
            return err_set(e, ERR_BAD, "damaged header: %s is outside of the records", v->name);
        v->at = v->record ? (size_t)(v->begin - first) : 0;
    }
    c->record_bytes = (size_t)size;
    c->info->natoms = (size_t)n;
    c->info->has_velocities = c->use[VELOCITIES] != NULL;
    if (first < c->b->offset)
        return err_set(e, ERR_BAD, "damaged header: the records begin within it");
    bytes_whole(c->b, c->record_bytes);
    return bytes_skip(c->b, first - c->b->offset, "what stands before the records", e);
}

/* LAMMPS writes such files unsorted. */
static int begin_ids(struct netcdf *c, struct err *e)
{
    size_t n = c->info->natoms, limit = c->opts->max_mem, row = c->opts->said.f64 ? 24 : 12;
    if (!c->use[ID])
        return strstr(c->program, "LAMMPS") && !c->opts->said.unsorted_ok
                   ? err_set(e, ERR_BAD,
                             "expected the variable id, as LAMMPS' dumps are unsorted, found none "
                             "(--unsorted-ok takes the atoms as they stand)")
                   : 0;
    if (err_over(e, (double)n * (double)(row + 33), limit, NULL, "%zu atoms", n))
        return -1;
    c->ids = malloc(n * sizeof *c->ids);
    c->scratch = malloc(n * row);
    return c->ids && c->scratch ? 0 : err_memory(e, "the ids of the atoms");
}

static void close_netcdf(void *self)
{
    struct netcdf *c = self;
    order_free(&c->order);
    free(c->ids);
    free(c->scratch);
    free(c->dims);
    free(c->vars);
    free(c);
}

static void *open_netcdf(struct bytes *b, const struct formats_opts *o, struct format_info *info,
                         struct err *e)
{
    struct netcdf *c = calloc(1, sizeof *c);
    if (!c) {
        err_memory(e, "the input");
        return NULL;
    }
    c->b = b;
    c->info = info;
    c->opts = o;
    if (read_header(c, e) == 0 && choose(c, e) == 0 && begin_ids(c, e) == 0)
        return c;
    close_netcdf(c);
    return NULL;
}

/* ---- frames */

static double number(const struct var *v, const unsigned char *record, size_t k)
{
    const unsigned char *p = record + v->at;
    return v->type == DOUBLE ? bytes_f64(p + 8 * k, true)
                             : format_f32_decimal(bytes_f32(p + 4 * k, true));
}

static void read_time(const struct var *v, const unsigned char *record, struct format_frame *f)
{
    float t = v->type == DOUBLE ? 0.0f : bytes_f32(record + v->at, true);
    f->time = (v->type == DOUBLE ? number(v, record, 0) : (double)t) * v->scale;
    f->off = v->type == DOUBLE ? 0.0 : format_f32_off(t) * v->scale;
}

/* n numbers as f32 or f64. The most of f32, or 0. */
static uint32_t numbers(const struct var *v, const unsigned char *record, size_t n, bool f64,
                        void *to)
{
    const unsigned char *p = record + v->at;
    float *f = to;
    double *d = to;
    bool wide = v->type == DOUBLE;
    if (!f64 && !wide && v->scale == 1.0)
        return SIMD_PICK(numbers_swap_f32)(p, n, f);
    for (size_t k = 0; k < n; k++) {
        double x = wide ? bytes_f64(p + 8 * k, true) : (double)bytes_f32(p + 4 * k, true);
        if (f64)
            d[k] = x * v->scale;
        else
            f[k] = (float)(x * v->scale);
    }
    return 0;
}

static int read_cell(struct netcdf *c, const unsigned char *p, struct format_frame *f,
                     struct err *e)
{
    double edge[3], angle[3], size = 0.0;
    if (!c->use[LENGTHS])
        return 0;
    for (size_t k = 0; k < 3; k++) {
        edge[k] = number(c->use[LENGTHS], p, k) * c->use[LENGTHS]->scale;
        angle[k] = number(c->use[ANGLES], p, k) * c->use[ANGLES]->scale;
        size += fabs(edge[k]);
    }
    f->has_cell = size != 0.0;
    if (f->has_cell && !c->opts->said.has_cell && box_from_edges(edge, angle, f->cell) != 0)
        return bytes_bad(c->b, e, "expected edges and angles of a cell, found %g %g %g  %g %g %g",
                         edge[0], edge[1], edge[2], angle[0], angle[1], angle[2]);
    return 0;
}

static int put_in_order(struct netcdf *c, const unsigned char *p, struct format_frame *f,
                        struct err *e)
{
    const struct var *v = c->use[ID];
    size_t n = c->info->natoms, row, bytes = c->opts->said.f64 ? 24 : 12;
    const size_t *place;
    for (size_t k = 0; k < n; k++)
        c->ids[k] = v->type == INT64 ? (int64_t)bytes_u64(p + v->at + 8 * k, true)
                                     : (int32_t)bytes_u32(p + v->at + 4 * k, true);
    if ((c->order.n == 0 && order_start(&c->order, c->ids, n, e) != 0) ||
        order_places(&c->order, c->ids, &place, &row, e) != 0)
        return -1;
    order_apply(&c->order, place, f->pos, bytes, c->scratch);
    if (f->has_vel)
        order_apply(&c->order, place, f->vel, bytes, c->scratch);
    return 0;
}

/* No frame is left: is that as the header says? */
static int end_of_file(struct netcdf *c, struct err *e)
{
    if (c->records != UINT64_MAX && c->frames < c->records) {
        c->b->cut = true;
        return bytes_bad(c->b, e,
                         "truncated: expected %" PRIu64 " frames as the header says, the file ends "
                         "after %" PRIu64,
                         c->records, c->frames);
    }
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct netcdf *c = self;
    const unsigned char *p;
    size_t n3 = 3 * c->info->natoms;
    int got = bytes_peek(c->b, c->record_bytes, "a frame", &p, e);
    if (got != 1)
        return got == 0 ? end_of_file(c, e) : -1;
    if (c->frames == c->records)
        snprintf(c->info->note, sizeof c->info->note,
                 "the header says %" PRIu64 " frames, the file has more: all are taken",
                 c->records);
    if (c->use[TIME])
        read_time(c->use[TIME], p, f);
    if (c->use[TIME] && !isfinite(f->time))
        return bytes_bad(c->b, e, "expected a time, found %g", f->time);
    if (read_cell(c, p, f, e) != 0)
        return -1;
    if (f->decode) {
        f->most = numbers(c->use[COORDINATES], p, n3, c->opts->said.f64, f->pos);
        f->has_vel = f->vel && c->use[VELOCITIES];
        if (f->has_vel)
            numbers(c->use[VELOCITIES], p, n3, c->opts->said.f64, f->vel);
        if (c->use[ID] && put_in_order(c, p, f, e) != 0)
            return -1;
    }
    bytes_take(c->b, c->record_bytes);
    c->frames++;
    return 1;
}

FORMAT_MAGIC("netcdf", 0, "CDF\001", "is a NetCDF file");
FORMAT_MAGIC("netcdf", 0, "CDF\002", "is a NetCDF file");
FORMAT_MAGIC("netcdf", 0, "CDF\005", "is a NetCDF file");
FORMAT(netcdf, "netcdf", ".nc .ncdf", "AMBER NetCDF") = {
    .title = "an AMBER NetCDF trajectory",
    .open = open_netcdf,
    .next = next_frame,
    .close = close_netcdf,
};
