/* SPDX-License-Identifier: MIT */
/* Reads NetCDF files in the AMBER conventions: trajectories, with one frame per record, and restart
 * files, with one frame and no records. Units: Å, ps, degrees; velocities in Å/ps times
 * scale_factor. LAMMPS (dump netcdf) writes similar files with these differences. Lengths and times
 * are in the units of the run, named by the attributes `units`. The variable time counts MD steps,
 * and its scale_factor is the time step. Scaled and unwrapped positions have separate names. An
 * edge of 0 marks a non-periodic axis. Rows of lost atoms keep their fill values. Source: AMBER
 * NetCDF trajectory convention 1.0 and restart convention; LAMMPS manual, "dump netcdf" and
 * "units"; example files. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/lammps.h"
#include "formats/netcdf.h"
#include "formats/numbers.h"

/* Variables that are read. */
enum {
    TIME,
    LENGTHS,
    ANGLES,
    ORIGIN,
    POSITIONS,
    VELOCITIES,
    ID,
    TYPE,
    IMAGES,
    WANTED = IMAGES + 3
};
static const char *const wanted[WANTED] = {[TIME] = "time",
                                           [LENGTHS] = "cell_lengths",
                                           [ANGLES] = "cell_angles",
                                           [ORIGIN] = "cell_origin",
                                           [VELOCITIES] = "velocities",
                                           [ID] = "id",
                                           [TYPE] = "type",
                                           [IMAGES] = "ix",
                                           [IMAGES + 1] = "iy",
                                           [IMAGES + 2] = "iz"};

/* Smallest record that is worth a separate system call. */
enum { DIRECT_BYTES = 1 << 16 };

struct amber {
    FORMAT_READER;
    struct netcdf c;
    struct lammps l; /* ids, types, images, scaled coordinates (lengths in Å) */
    bool lammps, restart;
    bool direct; /* whether positions can be read to the frame and swapped there */
    bool gap;    /* whether this record has no positions, because their bytes are in the frame */
    uint64_t frames;
    struct netcdf_var *use[WANTED]; /* NULL if absent or not needed */
};

/* ---- units */

/* Returns whether s[n] is this word or its plural, in any case. */
static bool is_unit(const char *s, size_t n, const char *word)
{
    size_t len = strlen(word);
    return strncasecmp(s, word, len) == 0 && (n == len || (n == len + 1 && s[len] == 's'));
}

/* Returns whether the unit of a variable belongs to style k. A missing unit belongs to every
 * style. */
static bool has_style(const struct netcdf_var *v, int which, int k)
{
    const char *s = v ? v->units : "", *length = lammps_styles[k].length_name,
               *time = lammps_styles[k].time_name;
    size_t n = strlen(s), first = strcspn(s, "/");
    if (n == 0 || which == ANGLES)
        return true;
    if (which != VELOCITIES || strcmp(length, "lj") == 0)
        return is_unit(s, n, which == TIME ? time : length);
    return n > first && is_unit(s, first, length) &&
           (is_unit(s + first + 1, n - first - 1, time) ||
            strcasecmp(s + first + 1, "atomic time units") == 0);
}

/* Sets the factors from LAMMPS units to Å and ps, from --units or the names in the file. */
static int set_lammps_units(struct amber *a, struct err *e)
{
    struct lammps *l = &a->l;
    const struct netcdf_var *x = a->use[POSITIONS], *t = a->use[TIME];
    const struct netcdf_var *length =
        a->use[LENGTHS] && *a->use[LENGTHS]->units ? a->use[LENGTHS] : x;
    bool named = *length->units || (t && *t->units);
    int k = LAMMPS_REAL, wrong = -1;
    while (k <= LAMMPS_LJ && !(has_style(length, LENGTHS, k) && has_style(t, TIME, k)))
        k++;
    for (int w = 0; k <= LAMMPS_LJ && w <= VELOCITIES; w++)
        wrong = has_style(a->use[w], w, k) || (w == POSITIONS && l->scaled) ? wrong : w;
    if (l->units == LAMMPS_AS_GIVEN) {
        if (!named)
            return lammps_check_units(l, t != NULL, e);
        const char *time_units = t ? t->units : "none";
        if (k > LAMMPS_LJ)
            return err_bad(e,
                           "expected %s and time in the units of one LAMMPS style, found '%s' and "
                           "'%s' (name the style with --units STYLE)",
                           length->name, length->units, time_units);
        if (wrong >= 0)
            return err_bad(e,
                           "expected %s in units of style %s, like %s, found '%s' (name the style "
                           "with --units STYLE)",
                           a->use[wrong]->name, lammps_styles[k].name, length->name,
                           a->use[wrong]->units);
        if (lammps_set_units(l, lammps_styles[k].name, strlen(lammps_styles[k].name), e) != 0)
            return -1;
    }
    const double factor[] = {
        [TIME] = l->time,     [LENGTHS] = l->length,   [ANGLES] = 1.0,
        [ORIGIN] = l->length, [POSITIONS] = l->length, [VELOCITIES] = l->speed};
    for (int w = 0; w <= VELOCITIES; w++)
        if (a->use[w] && !(w == POSITIONS && l->scaled))
            a->use[w]->scale *= factor[w];
    l->length = l->speed = l->time = 1.0;
    return 0;
}

/* Sets the factors from AMBER units. A variable without a unit has the unit of the convention. */
static int set_units(struct amber *a, struct err *e)
{
    static const char *const ours[] = {"picosecond", "angstrom", "degree",
                                       "angstrom",   "angstrom", "angstrom/picosecond"};
    if (a->l.units != LAMMPS_AS_GIVEN)
        return err_bad(e,
                       "expected a LAMMPS file for --units, found a file written by '%s', which "
                       "uses the units of the AMBER convention",
                       a->c.program);
    for (int w = 0; w <= VELOCITIES; w++) {
        struct netcdf_var *v = a->use[w];
        const char *s = v ? v->units : "";
        double factor = !*s               ? 1.0
                        : w == TIME       ? format_time(s, strlen(s))
                        : w == ANGLES     ? (is_unit(s, strlen(s), "degree") ? 1.0 : NAN)
                        : w == VELOCITIES ? format_speed(s)
                                          : format_length(s, strlen(s));
        if (isnan(factor))
            return err_bad(e, "expected %s in %s, found '%s'", v->name, ours[w], s);
        if (v)
            v->scale *= factor;
    }
    a->l.length = 1.0;
    return 0;
}

/* ---- the variables */

/* Checks the type of a variable, and its dimensions after the frame (0 for an absent one). */
static int check_shape(struct amber *a, int which, uint64_t first, uint64_t second, struct err *e)
{
    const struct netcdf_var *v = a->use[which];
    const struct netcdf_dim *dims = a->c.dims;
    if (!v)
        return 0;
    int at = a->restart ? 0 : 1, rank = at + (first > 0) + (second > 0);
    bool real = v->type == NETCDF_FLOAT || v->type == NETCDF_DOUBLE, whole = which >= ID;
    const char *shape = !first   ? "frame"
                        : second ? "frame, atom, 3"
                        : whole  ? "frame, atom"
                                 : "frame, 3",
               *type = whole ? "whole numbers" : "f32 or f64 values",
               *file = a->restart ? "an AMBER restart file" : "an AMBER trajectory";
    shape += !a->restart ? 0 : first ? 7 : 5; /* leaves out the frame */
    if (v->record == a->restart || v->rank != rank || (first && dims[v->dim[at]].size != first) ||
        (second && dims[v->dim[at + 1]].size != second) ||
        !(whole ? v->type == NETCDF_INT || v->type == NETCDF_INT64 : real))
        return err_bad(e,
                       "variable %s: expected %s with the dimensions (%s), as in %s, found another "
                       "type or shape",
                       v->name, type, shape, file);
    return 0;
}

/* Chooses the positions as for dumps (lammps_columns): wrapped coordinates, scaled or not, unless
 * --unwrap is given or the file has only unwrapped ones. */
static int choose_positions(struct amber *a, struct err *e)
{
    struct lammps *l = &a->l;
    struct netcdf_var *x = netcdf_find(&a->c, "coordinates"),
                      *xs = netcdf_find(&a->c, "scaled_coordinates"),
                      *xu = netcdf_find(&a->c, "unwrapped_coordinates"), *inside = x ? x : xs;
    bool unwrapped = xu && (a->o->unwrap || !inside);
    char names[160] = "";
    for (int k = 0; k < a->c.nvars; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", a->c.vars[k].name);
    const char *found = *names ? names + 2 : "none";
    a->use[POSITIONS] = unwrapped ? xu : inside;
    if (!a->use[POSITIONS])
        return err_bad(e,
                       "expected a variable named coordinates, scaled_coordinates or "
                       "unwrapped_coordinates, found %s",
                       found);
    l->scaled = a->use[POSITIONS] == xs;
    l->images = a->o->unwrap && !unwrapped;
    if (l->images && !(a->use[IMAGES] && a->use[IMAGES + 1] && a->use[IMAGES + 2]))
        return err_bad(
            e,
            "--unwrap: expected variables named ix, iy and iz, or unwrapped_coordinates, found %s",
            found);
    l->plain = !l->scaled && !l->images;
    a->info->unwrapped = unwrapped || l->images;
    return 0;
}

static int choose(struct amber *a, struct err *e)
{
    struct format_info *info = a->info;
    for (int w = 0; w < WANTED; w++)
        if (wanted[w] && (a->lammps || (w != ORIGIN && w != TYPE)))
            a->use[w] = netcdf_find(&a->c, wanted[w]);
    if (choose_positions(a, e) != 0)
        return -1;
    const struct netcdf_var *x = a->use[POSITIONS];
    int at = a->restart ? 0 : 1;
    uint64_t n = x->rank == at + 2 ? a->c.dims[x->dim[at]].size : 1;
    if (n == 0)
        return err_bad(e, "expected atoms, found a trajectory without atoms");
    info->natoms = (size_t)n;
    info->has_velocities = a->use[VELOCITIES] != NULL;
    /* the variable time of LAMMPS counts steps, and its default type, f32, rounds them from 2^24
     * on */
    const struct netcdf_var *time = a->use[TIME];
    info->counts_steps =
        a->lammps && time && (time->type == NETCDF_DOUBLE || !isnan(a->o->given.timestep_ps));
    if (!a->o->velocities)
        a->use[VELOCITIES] = NULL;
    for (int k = 0; k < 3; k++)
        a->use[IMAGES + k] = a->l.images ? a->use[IMAGES + k] : NULL;
    for (int w = 0; w < WANTED; w++)
        if (check_shape(a, w,
                        w == TIME     ? 0
                        : w <= ORIGIN ? 3
                                      : n,
                        w == POSITIONS || w == VELOCITIES ? 3 : 0, e))
            return -1;
    if (a->lammps ? set_lammps_units(a, e) : set_units(a, e))
        return -1;
    if (!a->use[LENGTHS] || !a->use[ANGLES])
        a->use[LENGTHS] = a->use[ANGLES] = NULL;
    const char *by = a->l.scaled ? x->name : "--unwrap";
    if ((a->l.scaled || a->l.images) && !a->use[LENGTHS])
        return err_bad(e, "expected the variables cell_lengths and cell_angles for %s, found none",
                       by);
    return netcdf_layout(&a->c, a->restart, e);
}

/* LAMMPS sorts these files by id unless this is disabled. Without the variable `id`, the order is
 * not certain. */
static int begin_rows(struct amber *a, struct err *e)
{
    struct lammps *l = &a->l;
    l->has_id = a->use[ID] != NULL;
    l->has_name = a->use[TYPE] != NULL;
    a->info->types = l->has_name;
    if (a->lammps && !l->has_id && !a->o->given.unsorted_ok)
        return err_bad(e, "expected the variable id, which is needed to sort the atoms, found none "
                          "(--unsorted-ok keeps the atoms in the order of the file)");
    return l->has_id || l->has_name ? lammps_room(l, e) : 0;
}

static void close_amber(void *self)
{
    struct amber *a = self;
    lammps_free(&a->l);
    netcdf_close(&a->c);
}

static int open_amber(void *self, struct err *e)
{
    struct amber *a = self;
    lammps_begin(&a->l, a->o, a->info);
    if (netcdf_open(&a->c, a->b, e) != 0)
        return -1;
    a->lammps = strstr(a->c.program, "LAMMPS") != NULL;
    a->info->uses = FORMAT_UNITS; /* options without effect are refused below */
    a->restart = strstr(a->c.conventions, "AMBERRESTART") != NULL;
    if (!strstr(a->c.conventions, "AMBER"))
        return err_bad(e,
                       "expected a NetCDF file with Conventions AMBER or AMBERRESTART, found '%s'",
                       a->c.conventions);
    if (choose(a, e) != 0)
        return -1;
    const struct netcdf_var *x = a->use[POSITIONS];
    a->direct = a->c.record_bytes >= DIRECT_BYTES && a->l.plain && x->type == NETCDF_FLOAT &&
                x->scale == 1.0 && !x->own_fill && !a->o->given.f64;
    for (int w = 0; w < WANTED; w++) /* in a damaged file, variables overlap */
        a->direct &= !a->use[w] || w == POSITIONS || a->use[w]->at >= x->at + x->bytes ||
                     a->use[w]->at + a->use[w]->bytes <= x->at;
    return begin_rows(a, e);
}

/* ---- frames */

/* Reports that value k of a variable was never written. Returns -1. */
static int bad_fill(struct amber *a, int which, const unsigned char *p, size_t k, size_t n,
                    struct err *e)
{
    const struct netcdf_var *v = a->use[which];
    double fill = v->type == NETCDF_INT || v->type == NETCDF_INT64 ? (double)netcdf_whole(v, p, k)
                                                                   : netcdf_real(v, p, k);
    size_t all = 0;
    while (all < n && netcdf_is_fill(v, p, all))
        all++;
    if (which < POSITIONS || all == n)
        return bytes_bad(a->b, e,
                         "expected %s, found its fill value, %g: this frame was never written "
                         "(--select takes the frames before it)",
                         v->name, fill);
    return bytes_bad(a->b, e,
                     "expected %s of atom %zu, found the fill value %g: this atom was lost by the "
                     "program or never written",
                     v->name, which <= VELOCITIES ? k / 3 : k, fill);
}

static int check_fill(struct amber *a, int which, const unsigned char *p, size_t n, struct err *e)
{
    size_t k = a->use[which] ? netcdf_fill(a->use[which], p, n) : n;
    return k == n ? 0 : bad_fill(a, which, p, k, n, e);
}

static int read_time(struct amber *a, const unsigned char *p, struct format_frame *f, struct err *e)
{
    const struct netcdf_var *v = a->use[TIME];
    if (!v)
        return 0;
    if (f->decode && check_fill(a, TIME, p, 1, e) != 0)
        return -1;
    if (netcdf_is_fill(v, p, 0)) /* this frame is skipped */
        return 0;
    double t = netcdf_real(v, p, 0);
    bool f32 = v->type != NETCDF_DOUBLE, step = a->lammps && t == floor(t);
    f->time = t * v->scale;
    f->off = f32 && !(step && fabs(t) < 0x1p24) ? format_f32_off((float)t) * v->scale : 0.0;
    if (!isfinite(f->time))
        return bytes_bad(a->b, e, "expected a time, found %g", f->time);
    f->step = a->info->counts_steps ? (int64_t)t : 0;
    return 0;
}

/* Reads the cell. An edge of 0 marks a non-periodic axis. If all edges are 0, the file is known to
 * be non-periodic only if it is from LAMMPS. */
static int read_cell(struct amber *a, const unsigned char *p, struct format_frame *f, struct err *e)
{
    double edge[3], angle[3];
    const struct netcdf_var *length = a->use[LENGTHS], *angles = a->use[ANGLES],
                            *origin = a->use[ORIGIN];
    if (!length)
        return 0;
    if (f->decode && (check_fill(a, LENGTHS, p, 3, e) || check_fill(a, ANGLES, p, 3, e) ||
                      (a->l.scaled && check_fill(a, ORIGIN, p, 3, e))))
        return -1;
    for (size_t k = 0; k < 3; k++) {
        edge[k] = netcdf_number(length, p, k) * length->scale;
        angle[k] = netcdf_number(angles, p, k) * angles->scale;
        f->pbc[k] = edge[k] != 0.0;
        edge[k] = f->pbc[k] ? edge[k] : 1.0;
        a->l.lo[k] = origin ? netcdf_number(origin, p, k) * origin->scale : 0.0;
    }
    f->has_cell = f->pbc[0] || f->pbc[1] || f->pbc[2];
    f->has_pbc = f->has_cell || a->lammps;
    if (f->has_cell && !a->o->given.has_cell && box_from_edges(edge, angle, f->cell) != 0)
        return bytes_bad(a->b, e,
                         "expected the edges and angles of a cell, found %g %g %g  %g %g %g",
                         edge[0], edge[1], edge[2], angle[0], angle[1], angle[2]);
    for (int k = 0; k < 9; k++)
        a->l.h[k] = f->cell[k] = f->pbc[k / 3] ? f->cell[k] : 0.0;
    if (a->l.scaled && !(f->pbc[0] && f->pbc[1] && f->pbc[2]))
        return bytes_bad(a->b, e,
                         "scaled_coordinates need three cell edges, but a non-periodic axis has no "
                         "edge (write x y z or xu yu zu to the dump instead)");
    return 0;
}

/* Larger values may be fill values in any unit. The second constant is the first one as an f32. */
#define HUGE_FILL 1e30
#define HUGE_BITS 0x7149f2cau

static int read_vectors(struct amber *a, int which, const unsigned char *p, void *to,
                        struct format_frame *f, struct err *e)
{
    struct netcdf_var *v = a->use[which];
    size_t n3 = 3 * a->info->natoms;
    bool f64 = a->o->given.f64;
    bool gap = a->gap && which == POSITIONS;
    uint32_t max = gap ? SIMD_PICK(numbers_swap_here)(to, n3) : netcdf_numbers(v, p, n3, f64, to);
    if (f64)
        max = SIMD_PICK(numbers_within)(to, n3, HUGE_FILL);
    else if (max == 0)
        max = SIMD_PICK(numbers_max)(to, n3);
    f->max = which == POSITIONS ? max : f->max;
    if ((f64 ? max : max < HUGE_BITS) && !v->own_fill)
        return 0;
    if (gap)
        SIMD_PICK(numbers_scale)(to, n3, false, true, 1.0, false, (unsigned char *)p + v->at);
    return check_fill(a, which, p, n3, e);
}

/* Reads positions that are scaled or need image flags. */
static int read_rows(struct amber *a, const unsigned char *p, struct format_frame *f, struct err *e)
{
    const struct netcdf_var *x = a->use[POSITIONS];
    size_t n = a->info->natoms;
    if (check_fill(a, POSITIONS, p, 3 * n, e) != 0)
        return -1;
    for (size_t k = 0; k < n; k++) {
        double v[LAMMPS_VALUES] = {0};
        for (size_t i = 0; i < 3; i++) {
            v[LAMMPS_X + i] = netcdf_real(x, p, 3 * k + i) * x->scale;
            if (a->l.images)
                v[LAMMPS_I + i] = (double)netcdf_whole(a->use[IMAGES + i], p, k);
        }
        lammps_row(&a->l, f, k, v);
    }
    return 0;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the atom of the first frame that is missing because row k has no id. Returns -1. */
static int lost(struct amber *a, const unsigned char *p, size_t k, struct err *e)
{
    struct lammps *l = &a->l;
    size_t n = a->info->natoms, found = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        if (!netcdf_is_fill(a->use[ID], p, i))
            l->ids[found++] = netcdf_whole(a->use[ID], p, i);
    if (l->order.n == 0 || found == 0)
        return bad_fill(a, ID, p, k, n, e);
    qsort(l->ids, found, sizeof *l->ids, by_value);
    while (at < found && l->ids[at] == l->order.sorted[at])
        at++;
    return bytes_bad(a->b, e,
                     "expected %zu atoms as in the first frame, found %zu: LAMMPS lost atom %zu "
                     "(id %lld), or the atom left the group of the dump",
                     n, found, at, (long long)l->order.sorted[at]);
}

static void read_ids(struct amber *a, const unsigned char *p)
{
    const struct netcdf_var *id = a->use[ID];
    for (size_t k = 0; id && k < a->info->natoms; k++)
        a->l.ids[k] = id->type == NETCDF_INT64 ? (int64_t)bytes_u64(p + id->at + 8 * k, true)
                                               : (int32_t)bytes_u32(p + id->at + 4 * k, true);
}

static int read_names(struct amber *a, const unsigned char *p, struct err *e)
{
    struct lammps *l = &a->l;
    if (!l->has_name)
        return 0;
    if (check_fill(a, TYPE, p, a->info->natoms, e) != 0)
        return -1;
    for (size_t k = 0; k < a->info->natoms && l->has_name; k++) {
        int64_t type = netcdf_whole(a->use[TYPE], p, k);
        char text[24];
        if (!l->species && type >= 0 && type < 10)
            l->keys[k] = (uint64_t)('0' + type);
        else
            lammps_name(l, k, text, (size_t)snprintf(text, sizeof text, "%" PRIi64, type));
        l->nkeys += !l->species;
    }
    return 0;
}

static int read_numbers(struct amber *a, const unsigned char *p, struct format_frame *f,
                        struct err *e)
{
    if (read_names(a, p, e) != 0 ||
        (a->l.plain ? read_vectors(a, POSITIONS, p, f->pos, f, e) : read_rows(a, p, f, e)) != 0)
        return -1;
    f->has_vel = f->vel && a->use[VELOCITIES];
    return f->has_vel ? read_vectors(a, VELOCITIES, p, f->vel, f, e) : 0;
}

static int read_frame(struct amber *a, const unsigned char *p, struct format_frame *f,
                      struct err *e)
{
    struct lammps *l = &a->l;
    size_t row, n = a->info->natoms, k = n;
    int bad = read_numbers(a, p, f, e);
    read_ids(a, p);
    if (a->use[ID] && (bad || l->order.n == 0)) /* in later frames, missing ids are unknown ids */
        k = netcdf_fill(a->use[ID], p, n);
    if (k == n && !bad && (l->has_id || l->has_name))
        bad = lammps_finish(l, f, &row, e);
    if (bad && a->use[ID])
        k = netcdf_fill(a->use[ID], p, n);
    return k < n ? lost(a, p, k, e) : bad;
}

/* Compares the number of frames read with the header. */
static int end_of_file(struct amber *a, struct err *e)
{
    if (a->c.records != UINT64_MAX && a->frames < a->c.records)
        return bytes_cut(a->b, e,
                         "truncated: the header states %llu frames, but the file ends after %llu",
                         (unsigned long long)a->c.records, (unsigned long long)a->frames);
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct amber *a = self;
    struct netcdf *c = &a->c;
    const unsigned char *p;
    if (a->restart && a->frames == 1)
        return 0;
    a->gap = a->direct && f->decode &&
             bytes_peek_around(a->b, c->record_bytes, a->use[POSITIONS]->at, 12 * a->info->natoms,
                               f->pos, &p);
    int got = a->gap ? 1 : bytes_peek(a->b, c->record_bytes, "a frame", &p, e);
    if (got != 1)
        return got == 0 ? end_of_file(a, e) : -1;
    if (a->frames == c->records && !a->restart)
        snprintf(a->info->note, sizeof a->info->note,
                 "the header states %llu frames, but the file contains more: all frames are used",
                 (unsigned long long)c->records);
    if (read_time(a, p, f, e) != 0 || read_cell(a, p, f, e) != 0 ||
        ((f->decode || (a->l.species && a->l.has_name)) && read_frame(a, p, f, e) != 0))
        return -1;
    bytes_take(a->b, c->record_bytes);
    a->frames++;
    return 1;
}

FORMAT_MAGIC("netcdf", 0, "CDF\001", "is a NetCDF file");
FORMAT_MAGIC("netcdf", 0, "CDF\002", "is a NetCDF file");
FORMAT_MAGIC("netcdf", 0, "CDF\005", "is a NetCDF file");
FORMAT(netcdf, "netcdf", ".nc .ncdf .ncrst", "AMBER NetCDF") = {
    .title = "an AMBER NetCDF trajectory",
    .unwraps = true,
    .size = sizeof(struct amber),
    .open = open_amber,
    .next = next_frame,
    .close = close_amber,
};
