/* SPDX-License-Identifier: MIT */
/* Reads H5MD 1.x files, which are HDF5 files with one group of particles that has positions. An
 * element of the group is a data set, or a group of value, step and time with one row per frame.
 * Units are attributes.
 * Source: nongnu.org/h5md, "H5MD: a structured, efficient, and portable file format", 1.1. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "formats/h5md.h"
#include "formats/lammps.h"

#ifdef HDF5_LIBRARY

static const char *const elements[SCALAR] = {"position", "velocity", "box/edges",
                                             "image",    "species",  "id"};

/* ---- units */

static int get_unit(const struct h5md *h, const char *path, char unit[HDF5_WORD], struct err *e)
{
    size_t n;
    char(*text)[HDF5_WORD];
    if (hdf5_attribute(&h->file, path, "unit", &text, &n, e) != 0)
        return -1;
    memcpy(unit, n ? text[0] : "", n ? HDF5_WORD : 1);
    free(text);
    return 0;
}

/* Sets the factor that converts the unit of element k to Å or Å/ps. The unit is from --units, or
 * else from the file. Returns 0 or -1. */
static int take_unit(struct h5md *h, int k, const struct lammps *given, struct err *e)
{
    char unit[HDF5_WORD];
    struct element *x = &h->of[k];
    x->factor = k == VELOCITY ? given->speed : given->length;
    if (!x->set.id || h->o->units != LAMMPS_AS_GIVEN)
        return 0;
    if (get_unit(h, x->set.path, unit, e) != 0)
        return -1;
    x->factor = k == VELOCITY ? format_speed(unit) : format_length(unit, strlen(unit));
    if (!isnan(x->factor))
        return 0;
    const char *known = k == VELOCITY ? "such as 'nm ps-1'" : "Angstrom, nm, pm, um or m";
    if (unit[0])
        return err_bad(e, "%s: expected the unit %s, found '%s' (name the units with --units)",
                       x->set.path, known, unit);
    bool timed = h->time.set.id || !isnan(h->o->given.dt_ps) || !isnan(h->o->given.timestep_ps);
    return err_bad(e,
                   "%s: expected a unit (%s)%s in the file (name a unit style with --units: metal "
                   "for Å and ps, real for Å and fs, nano for nm and ns%s)",
                   x->set.path, known, timed ? ", found none" : " and times, found neither",
                   timed ? "" : "; and give the time between frames with --dt PS");
}

/* Stores the unit of scalar k in h->info. Blanks become dots. Returns 0 or -1. */
static int take_scalar_unit(struct h5md *h, int k, struct err *e)
{
    char unit[HDF5_WORD];
    struct element *x = &h->of[SCALAR + k];
    bool charge = strcmp(h->o->scalars[k].name, "charge") == 0;
    x->factor = 1.0;
    if (get_unit(h, x->set.path, unit, e) != 0)
        return -1;
    if (charge && h->o->units != LAMMPS_AS_GIVEN)
        strcpy(unit, lammps_styles[h->o->units].charge);
    else if (charge && !unit[0])
        return err_bad(e,
                       "%s: expected a unit such as 'e', found none in the file (name a unit style "
                       "with --units)",
                       x->set.path);
    for (char *s = unit; (s = strchr(s, ' ')) != NULL;)
        *s = '.';
    strcpy(h->info->unit[k], strlen(unit) < SCALARS_NAME ? unit : "");
    return 0;
}

static int take_units(struct h5md *h, struct err *e)
{
    struct lammps given;
    char unit[HDF5_WORD];
    lammps_begin(&given, h->o, h->info);
    if (take_unit(h, POSITION, &given, e) != 0 || take_unit(h, VELOCITY, &given, e) != 0 ||
        take_unit(h, EDGES, &given, e) != 0)
        return -1;
    for (int k = 0; k < h->o->nscalars; k++)
        if (take_scalar_unit(h, k, e) != 0)
            return -1;
    h->time_factor = given.time;
    if (h->o->units == LAMMPS_AS_GIVEN) {
        if (h->time.set.id && get_unit(h, h->time.set.path, unit, e) != 0)
            return -1;
        h->time_factor = h->time.set.id ? format_time(unit, strlen(unit)) : NAN;
    }
    h->info->no_time = h->time.set.id
                           ? "the file does not name the unit of time as fs, ps, ns, us or s"
                           : "the file has no times";
    return 0;
}

/* ---- steps and times */

static int never_written(const struct hdf5_set *s, struct err *e)
{
    return err_bad(e,
                   "%s: expected data, found a frame that was never written (choose the frames "
                   "before it with --select)",
                   s->path);
}

/* Reads a constant interval and its offset. Returns 0 or -1. */
static int read_scalar(struct h5md *h, struct clock *c, struct err *e)
{
    const struct hdf5_set *s = &c->set;
    double offset = 0.0;
    int written = hdf5_written(s, HDF5_ALL, e);
    if (written == 0)
        return err_bad(e, "%s: expected a number, found no stored value", s->path);
    if (written < 0 || hdf5_read(s, HDF5_ALL, 1, HDF5_I64, &c->stride, e) != 0 ||
        hdf5_read(s, HDF5_ALL, 1, HDF5_F64, &c->every, e) != 0 ||
        hdf5_number(&h->file, s->path, "offset", &offset, e) != 0)
        return -1;
    if (s->kind == HDF5_REAL && s->bytes == 4)
        c->every = format_f32_decimal((float)c->every);
    c->time0 = offset;
    c->step0 = fabs(offset) < 1e15 ? (int64_t)offset : 0;
    return 0;
}

/* Opens the steps or times of an element: one number, or one per row. Returns 0 or -1. */
static int open_clock(struct h5md *h, const char *path, uint64_t rows, struct clock *c,
                      struct err *e)
{
    const struct hdf5_set *s = &c->set;
    int has = hdf5_has(&h->file, path, e);
    if (has != 1)
        return has;
    if (hdf5_set(&h->file, path, &c->set, e) != 0)
        return -1;
    bool number = s->kind == HDF5_REAL || s->kind == HDF5_WHOLE;
    if (!number || s->rank > 1 || (s->rank == 1 && s->shape[0] != rows))
        return err_bad(e,
                       "%s: expected one number, or one for each of %llu frames, found %llu "
                       "numbers in an array of rank %d",
                       path, (unsigned long long)rows, (unsigned long long)s->shape[0], s->rank);
    return s->rank == 0 ? read_scalar(h, c, e) : 0;
}

/* Returns the number of rows to read together, from this row on. A row that cannot be read must not
 * be an error in the frame of an earlier row. libhdf5 also caches unwritten chunks as if they
 * existed. */
static uint64_t rows_together(const struct hdf5_set *s, uint64_t row)
{
    uint64_t n = s->written == HDF5_SOME_WRITTEN ? 1
                 : s->filtered                   ? s->chunk[0] - row % s->chunk[0]
                                                 : BLOCK,
             left = s->shape[0] - row;
    n = n < BLOCK ? n : BLOCK;
    return n < left ? n : left;
}

/* Buffers a row of one-dimensional steps or times. Returns 1, 0 if unwritten, or -1. */
static int read_block(struct clock *c, uint64_t row, enum hdf5_as as, struct err *e)
{
    uint64_t n = rows_together(&c->set, row);
    if (row >= c->from && row - c->from < c->have)
        return 1;
    int written = hdf5_written(&c->set, (int64_t)row, e);
    if (written != 1)
        return written;
    c->have = 0;
    if (hdf5_read(&c->set, (int64_t)row, n, as, c->steps, e) != 0)
        return -1;
    c->from = row;
    c->have = n;
    return 1;
}

/* Finds the step of a row. Returns 1, 0 if the step was never written, or -1 on an error. */
static int step_at(struct clock *c, uint64_t row, int64_t *step, struct err *e)
{
    if (c->set.rank == 0) {
        *step = (int64_t)((uint64_t)c->step0 + row * (uint64_t)c->stride);
        return 1;
    }
    int got = read_block(c, row, HDF5_I64, e);
    if (got == 1)
        *step = c->steps[row - c->from];
    return got;
}

/* Sets h->of[k].row to the row of element k for this frame and step of the positions. Returns 1 on
 * success. Returns 0 and sets e if the row is absent or was never written. Otherwise returns -1. */
static int find_row(struct h5md *h, int k, int64_t step, struct err *e)
{
    struct element *x = &h->of[k];
    uint64_t rows = x->moving ? x->set.shape[0] : 1, row = x->moving ? h->frame : 0;
    int64_t found = 0;
    int got = 1;
    if (x->moving && k != POSITION && x->step.set.id && h->of[POSITION].step.set.id) {
        if (row >= rows || (got = step_at(&x->step, row, &found, e)) != 1 || found != step)
            for (row = x->row; got >= 0 && row < rows; row++)
                if ((got = step_at(&x->step, row, &found, e)) == 1 && found >= step)
                    break;
        if (got < 1)
            return got < 0 ? -1 : 1 + never_written(&x->step.set, e);
        const char *remedy =
            k == VELOCITY || k >= SCALAR
                ? " (use --select to choose the frames that contain this quantity and positions)"
                : "";
        if (row == rows || found != step)
            return 1 + err_bad(e, "%s: expected step %lld, as for the positions, found step %lld%s",
                               x->step.set.path, (long long)step, (long long)found, remedy);
    }
    x->row = row;
    got = hdf5_written(&x->set, x->moving ? (int64_t)row : HDF5_ALL, e);
    return got == 0 ? 1 + never_written(&x->set, e) : got;
}

/* ---- elements */

/* Checks that the rows of element k agree with the number of atoms. Returns 0 or -1. */
static int check_shape(const struct h5md *h, int k, struct err *e)
{
    const struct element *x = &h->of[k], *p = &h->of[POSITION];
    const struct hdf5_set *s = &x->set;
    const uint64_t *row = s->shape + x->moving, n = p->set.shape[p->moving];
    int rank = s->rank - x->moving;
    bool whole = s->kind == HDF5_WHOLE, real = s->kind == HDF5_REAL, good;
    char found[100] = "a number";
    if (k == EDGES)
        good = (rank == 1 || (rank == 2 && row[1] == 3)) && row[0] == 3 && (real || whole);
    else if (k >= SPECIES)
        good = rank == 1 && row[0] == n &&
               (whole || (k == SPECIES ? s->kind != HDF5_OTHER && !real : k >= SCALAR && real));
    else
        good = rank == 2 && row[0] == n && n > 0 && row[1] == 3 && (real || (k == IMAGE && whole));
    for (int a = 0, at = 0; a < s->rank; a++)
        at += snprintf(found + at, sizeof found - (size_t)at, "%s%" PRIu64, a ? " x " : "",
                       s->shape[a]);
    const char *want = k == EDGES     ? "3 or 3 x 3 numbers"
                       : k == IMAGE   ? "atoms x 3 numbers"
                       : k == SPECIES ? "a whole number or a text per atom"
                       : k == ID      ? "a whole number per atom"
                       : k >= SCALAR  ? "a number per atom"
                                      : "atoms x 3 numbers of f32 or f64";
    const char *rows = x->moving ? "frames x " : "", *of = real || whole ? "" : " of another type";
    return good ? 0 : err_bad(e, "%s: expected %s%s, found %s%s", s->path, rows, want, found, of);
}

static int open_element(struct h5md *h, int k, struct err *e)
{
    char path[HDF5_PATH + 32], part[HDF5_PATH + 48];
    struct element *x = &h->of[k];
    int has, moving;
    snprintf(path, sizeof path, "%s/%s", h->group,
             k < SCALAR ? elements[k] : h->o->scalars[k - SCALAR].name);
    snprintf(part, sizeof part, "%s/value", path);
    if ((has = hdf5_has(&h->file, path, e)) == 0 && k >= SCALAR)
        return err_bad(e, "--scalars: expected %s, found none", path);
    if (has != 1)
        return has;
    if ((moving = hdf5_has(&h->file, part, e)) < 0 ||
        hdf5_set(&h->file, moving ? part : path, &x->set, e) != 0)
        return -1;
    x->moving = moving;
    if (check_shape(h, k, e) != 0)
        return -1;
    uint64_t rows = moving ? x->set.shape[0] : 1;
    if (k == POSITION)
        h->frames = rows;
    snprintf(part, sizeof part, "%s/step", path);
    if (moving && open_clock(h, part, rows, &x->step, e) != 0)
        return -1;
    snprintf(part, sizeof part, "%s/time", path);
    if (moving && k == POSITION && open_clock(h, part, rows, &h->time, e) != 0)
        return -1;
    return !moving || rows == h->frames || (x->step.set.id && h->of[POSITION].step.set.id)
               ? 0
               : err_bad(e, "%s: expected %llu frames, as for the positions, found %llu frames",
                         x->set.path, (unsigned long long)h->frames, (unsigned long long)rows);
}

/* Finds the only group of particles with positions. A group with two names is one group. */
static int choose_group(struct h5md *h, struct err *e)
{
    char name[HDF5_WORD], path[HDF5_PATH], names[400] = "";
    uint64_t who, first = 0;
    int found = 0, got;
    for (uint64_t k = 0; (got = hdf5_member(&h->file, "particles", k, name, &who, e)) == 1; k++) {
        snprintf(path, sizeof path, "particles/%s/position", name);
        if ((got = hdf5_has(&h->file, path, e)) < 0)
            return -1;
        if (got == 0 || (found > 0 && who == first))
            continue;
        if (found++ == 0) {
            first = who;
            snprintf(h->group, sizeof h->group, "particles/%s", name);
        }
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", name);
    }
    if (got < 0)
        return -1;
    if (found > 1)
        return err_bad(e, "expected one group of particles with positions, found %d: %s", found,
                       names);
    return found ? 0 : err_bad(e, "expected a group of particles with positions, found none");
}

static int read_boundary(struct h5md *h, struct err *e)
{
    char path[HDF5_PATH + 8];
    char(*text)[HDF5_WORD];
    size_t n;
    snprintf(path, sizeof path, "%s/box", h->group);
    if (hdf5_attribute(&h->file, path, "boundary", &text, &n, e) != 0)
        return -1;
    int bad = n && n != 3
                  ? err_bad(e, "%s: expected the boundary of 3 axes, found %zu axes", path, n)
                  : 0;
    h->has_pbc = n == 3;
    for (size_t k = 0; k < n && !bad; k++) {
        h->pbc[k] = strcmp(text[k], "periodic") == 0;
        if (!h->pbc[k] && strcmp(text[k], "none") != 0)
            bad = err_bad(e, "%s: expected the boundary 'periodic' or 'none', found '%s'", path,
                          text[k]);
    }
    free(text);
    return bad;
}

/* ---- open */

static int open_h5md(void *self, struct err *e)
{
    struct h5md *h = self;
    struct format_info *in = h->info;
    int head, particles;
    h->file = (struct hdf5_file){
        .path = h->b->path, .max_mem = h->o->max_mem, .external = h->o->external, .id = -1};
    if (hdf5_open(&h->file, e) != 0 || (head = hdf5_has(&h->file, "h5md", e)) < 0 ||
        (particles = hdf5_has(&h->file, "particles", e)) < 0)
        return -1;
    if (!head || !particles)
        return err_bad(e, "expected H5MD (groups h5md and particles), found another HDF5 file "
                          "(MDTraj files: python3 -m mbf from FILE, see mbf-python(7); NetCDF-4 "
                          "files: convert with nccopy -k cdf5 FILE out.nc)");
    if (choose_group(h, e) != 0)
        return -1;
    const bool wanted[SCALAR] = {true, h->o->velocities, !h->o->given.has_cell, h->o->unwrap, true,
                                 true};
    for (int k = 0; k < ELEMENTS; k++)
        if ((k < SCALAR ? wanted[k] : k < SCALAR + h->o->nscalars) && open_element(h, k, e) != 0)
            return -1;
    const struct hdf5_set *pos = &h->of[POSITION].set;
    in->natoms = (size_t)pos->shape[h->of[POSITION].moving];
    in->has_velocities = h->of[VELOCITY].set.id != 0;
    in->counts_steps = h->of[POSITION].step.set.id != 0;
    in->computed = !h->of[POSITION].step.set.rank && !h->time.set.rank;
    if (h->o->unwrap && !h->of[IMAGE].set.id)
        return err_bad(e, "expected %s/image for --unwrap, found none", h->group);
    size_t max = h->o->max_mem ? h->o->max_mem : SIZE_MAX / 2;
    double need = (double)in->natoms * ((h->of[ID].set.id ? 136.0 : 48.0) + 8.0 * h->o->nscalars);
    if (err_over(e, need, max, NULL, "%zu atoms", in->natoms) || take_units(h, e) != 0 ||
        read_boundary(h, e) != 0)
        return -1;
    h->wide = malloc(in->natoms * 24);
    h->scratch = malloc(in->natoms * 24);
    h->ids = h->of[ID].set.id ? malloc(in->natoms * sizeof *h->ids) : NULL;
    return h->wide && h->scratch && (h->ids || !h->of[ID].set.id) ? 0 : err_memory(e, "the atoms");
}

/* ---- frames */

/* Reads step and time. Unwritten values are errors only in decoded frames. Returns 0 or -1. */
static int read_clock(struct h5md *h, struct format_frame *f, struct err *e)
{
    struct clock *s = &h->of[POSITION].step, *c = &h->time;
    int got = s->set.id ? step_at(s, h->frame, &f->step, e) : 1;
    if (got == 0 && f->decode)
        return never_written(&s->set, e);
    if (got < 0)
        return -1;
    if (!c->set.id || isnan(h->time_factor))
        return 0;
    double t = c->time0 + (double)h->frame * c->every;
    if (c->set.rank) {
        if ((got = read_block(c, h->frame, HDF5_F64, e)) != 1)
            return got < 0 ? -1 : f->decode ? never_written(&c->set, e) : 0;
        t = c->times[h->frame - c->from];
        if (c->set.kind == HDF5_REAL && c->set.bytes == 4)
            f->off = format_f32_off((float)t) * h->time_factor;
    }
    f->time = t * h->time_factor;
    return isfinite(f->time) || !f->decode
               ? 0
               : err_bad(e, "%s: expected a time, found %g", c->set.path, t);
}

/* Sets *v to the row of the box edges that find_row() has found. Returns 0 or -1. */
static int read_edges(struct h5md *h, const double **v, struct err *e)
{
    const struct element *x = &h->of[EDGES];
    const struct hdf5_set *s = &x->set;
    uint64_t n = x->moving ? rows_together(s, x->row) : 1;
    size_t row = (size_t)(s->rank - x->moving == 2 ? 9 : 3);
    if (x->row < h->edges_from || x->row - h->edges_from >= h->edges_have) {
        h->edges_have = 0;
        if (hdf5_read(s, x->moving ? (int64_t)x->row : HDF5_ALL, n, HDF5_F64, h->edges, e) != 0)
            return -1;
        h->edges_from = x->row;
        h->edges_have = n;
    }
    *v = h->edges + (x->row - h->edges_from) * row;
    return 0;
}

static int read_cell(struct h5md *h, struct format_frame *f, struct err *e)
{
    const struct element *x = &h->of[EDGES];
    const struct hdf5_set *s = &x->set;
    const double *v;
    f->has_pbc = h->has_pbc;
    memcpy(f->pbc, h->pbc, sizeof f->pbc);
    if (!s->id)
        return 0;
    int got = find_row(h, EDGES, f->step, e);
    if (got != 1)
        return got < 0 || f->decode ? -1 : 0;
    if (read_edges(h, &v, e) != 0)
        return -1;
    bool matrix = s->rank - x->moving == 2;
    for (int k = 0; k < 9; k++) {
        double edge = matrix ? v[k] : k % 4 == 0 ? v[k / 4] : 0.0;
        edge = s->kind == HDF5_REAL && s->bytes == 4 ? format_f32_decimal((float)edge) : edge;
        f->cell[k] = edge * x->factor;
        f->has_cell = f->has_cell || edge != 0.0;
    }
    return 0;
}

/* Returns true if all numbers of a row equal the fill value, as in an unwritten row. Without
 * a nonzero fill value, zeros count only for positions of several atoms after the first frame. */
static bool all_fill(const struct h5md *h, int k, const void *v, bool f64)
{
    const struct hdf5_set *s = &h->of[k].set;
    size_t i = 0, n = (k < SCALAR ? 3 : 1) * h->info->natoms;
    if (!s->has_fill && (k != POSITION || n < 6 || h->frame == 0))
        return false;
    double fill = s->kind == HDF5_REAL && s->bytes == 4 ? (double)(float)s->fill : s->fill;
    for (; i < n; i++) {
        double x = real_at(v, f64, i);
        if (x != fill && !(isnan(x) && isnan(fill)))
            break;
    }
    return i == n;
}

/* Reads positions or velocities in Å or Å/ps, and unwraps them with image flags if `cell` is not
 * NULL. */
static int read_numbers(struct h5md *h, int k, void *to, const double *cell, struct err *e)
{
    size_t n = 3 * h->info->natoms;
    const struct hdf5_set *s = &h->of[k].set;
    bool f64 = h->o->given.f64, direct = f64 || (s->bytes <= 4 && !cell), as64 = f64 || !direct;
    double factor = h->of[k].factor, *wide = f64 ? to : h->wide, *image = h->scratch;
    float *narrow = to;
    if (h5md_read_row(h, k, as64 ? HDF5_F64 : HDF5_F32, direct ? to : wide, e) != 0 ||
        (cell && h5md_read_row(h, IMAGE, HDF5_F64, image, e) != 0))
        return -1;
    if (all_fill(h, k, direct ? to : wide, as64) || (cell && all_fill(h, IMAGE, image, true)))
        return never_written(s, e);
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

/* Reads the scalars. Returns 0 or -1. */
static int read_scalars(struct h5md *h, struct format_frame *f, struct err *e)
{
    size_t m = (size_t)h->o->nscalars;
    for (size_t k = 0; k < m; k++) {
        int of = SCALAR + (int)k;
        if (h5md_read_row(h, of, HDF5_F64, h->wide, e) != 0)
            return -1;
        if (all_fill(h, of, h->wide, true))
            return never_written(&h->of[of].set, e);
        for (size_t i = 0; i < h->info->natoms; i++)
            format_put(f->scal, (h->place ? h->place[i] : i) * m + k, h->o->given.f64, h->wide[i]);
    }
    return 0;
}

/* Reads ids and species, which must be the same in all decoded frames. Returns 0 or -1. */
static int read_atoms(struct h5md *h, struct err *e)
{
    size_t row;
    if (h->ids && (h5md_read_row(h, ID, HDF5_I64, h->ids, e) != 0 ||
                   sort_by_id_places(&h->order, h->ids, h->info->natoms, &h->place, &row, e) != 0))
        return -1;
    bool first = !h->begun;
    h->begun = true;
    return first ? h5md_begin_species(h, e) : h->of[SPECIES].moving ? h5md_check_species(h, e) : 0;
}

static int decode(struct h5md *h, struct format_frame *f, struct err *e)
{
    const double *cell = h->o->given.has_cell ? h->o->given.cell : f->cell;
    size_t bytes = h->o->given.f64 ? 24 : 12;
    for (int k = 0; k < ELEMENTS; k++)
        if (k != EDGES && h->of[k].set.id && find_row(h, k, f->step, e) != 1)
            return -1;
    f->has_vel = f->vel && h->of[VELOCITY].set.id;
    if (read_atoms(h, e) != 0 ||
        read_numbers(h, POSITION, f->pos, h->o->unwrap ? cell : NULL, e) != 0 ||
        (f->has_vel && read_numbers(h, VELOCITY, f->vel, NULL, e) != 0) ||
        read_scalars(h, f, e) != 0)
        return -1;
    if (h->ids)
        sort_by_id_apply(&h->order, h->place, f->pos, bytes, h->scratch);
    if (h->ids && f->has_vel)
        sort_by_id_apply(&h->order, h->place, f->vel, bytes, h->scratch);
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct h5md *h = self;
    if (h->frame == h->frames)
        return 0;
    if (read_clock(h, f, e) != 0 || read_cell(h, f, e) != 0 || (f->decode && decode(h, f, e) != 0))
        return -1;
    h->frame++;
    h->b->offset += h->info->natoms * 3 * h->of[POSITION].set.bytes * (f->has_vel ? 2 : 1);
    h->b->done = (uint64_t)((double)h->b->in.io.size * (double)h->frame / (double)h->frames);
    return 1;
}

#else
static int open_h5md(void *self, struct err *e)
{
    (void)self;
    return err_bad(
        e, "this is an HDF5 file, but the program was built without libhdf5 (build it with 'make "
           "deps all', or read the file with 'python3 -m mbf from FILE': mbf-python(7))");
}
#define next_frame NULL
#endif

FORMAT_MAGIC("h5md", 0, "\x89HDF\r\n\x1a\n", "is an HDF5 file (H5MD)");
FORMAT(h5md, "h5md", ".h5md .h5", "H5MD") = {
    .title = "an H5MD file",
    .uses = FORMAT_UNITS | FORMAT_SCALARS,
    .by_path = true,
    .unwraps = true,
    .external = true,
    .size = sizeof(struct h5md),
    .library = "libhdf5",
    .open = open_h5md,
    .next = next_frame,
};
