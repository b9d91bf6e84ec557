/* SPDX-License-Identifier: MIT */
/* lammps.h: code for the readers of LAMMPS text dumps and binary dumps. The shared code handles
 * named columns, units, the bounding box, image flags and unsorted rows. Private to lib/formats.
 * For the formats, see the pages "dump", "units" and "Howto triclinic" of the LAMMPS manual. */
#pragma once

#include "base/sort_by_id.h"
#include "formats/format.h"
#include "formats/text_scalars.h"

/* Columns that the readers use, such as positions, velocities, image flags and ids. */
enum {
    LAMMPS_X,
    LAMMPS_V = 3,
    LAMMPS_I = 6,
    LAMMPS_ID = 9,
    LAMMPS_VALUES = 10,
    LAMMPS_NAME = 10, /* column of elements, or of types if the dump has no column of elements */
    LAMMPS_TYPE,      /* column of types, for --species, if there is also a column of elements */
    LAMMPS_MOL
};

/* The unit styles of LAMMPS, in the order of enum lammps_units. The names are the units of length
 * and time in NetCDF files. The numbers are the units of length, time and velocity in Å, ps and
 * Å/ps. */
extern const struct lammps_style {
    const char *name, *length_name, *time_name, *charge;
    double length, time, speed;
} lammps_styles[];

struct lammps {
    const struct formats_opts *opts;
    struct format_info *info; /* info of the reader */
    enum lammps_units units;
    double length, speed, time; /* factors that convert the values to Å, Å/ps and ps */
    bool named;                 /* whether the file states its units */
    bool numbers;               /* Whether the file has type numbers in place of elements, as in
                                 * binary dumps. */

    /* columns */
    char text[1024];                              /* Names of the columns of the last frame. */
    int ncols, *use;                              /* Use of each of the ncols columns, or -1 for a
                                                   * column that is not used. */
    bool has_id, has_name, scaled, images, plain; /* plain: no conversion */
    int nvel;
    struct text_scalars scalars;

    double lo[3], h[9]; /* Origin and vectors of the cell of this frame, in units of the file. */

    struct sort_by_id order;
    int64_t *ids; /* [natoms] */
    void *scratch;
    unsigned char *species; /* Species [natoms] in the first frame, until they are moved to
                             * `info`. */
    int64_t *molecule;      /* Molecule of each atom in the first frame, [natoms], or NULL. */
    bool has_mol;
    uint64_t *keys;    /* Keys (format_key) of the atom names [natoms] in frames after the first
                        * frame. */
    size_t nkeys;      /* Number of rows of this frame whose keys have been set. */
    bool keys_changed; /* Whether a key has changed since the species were last compared. */
};

/* The function lammps_begin initialises the struct l and stores the pointer `info`. When the first
 * frame is read, the names of its atoms are stored in *info. The function lammps_room allocates
 * memory for info->natoms rows. The function lammps_room is called as soon as info->natoms is
 * known. Returns 0 or -1. */
void lammps_begin(struct lammps *l, const struct formats_opts *o, struct format_info *info);
int lammps_room(struct lammps *l, struct err *e) MUST_USE;
void lammps_free(struct lammps *l);

/* Sets the unit style that the file states, such as "real" or "metal". Returns 0 on success, or -1
 * with an error message in *e. The error message does not name a line or a byte. */
int lammps_set_units(struct lammps *l, const char *s, size_t len, struct err *e) MUST_USE;
/* If the file or the user states the units, returns 0. If the units are unknown, returns -1 with an
 * error message in *e. Set the flag `timed` if the file contains times. If the flag `timed` is not
 * set and the user does not give the time, the message also asks for the time. */
int lammps_check_units(const struct lammps *l, bool timed, struct err *e) MUST_USE;

/* Checks the units, and parses column names such as "id type x y z". Returns 0 on success, or -1
 * with an error message in *e. The message names no line or byte. */
int lammps_columns(struct lammps *l, bool timed, const char *s, size_t len, struct err *e) MUST_USE;

/* Sets the box from its bounds and the tilts xy, xz and yz. For a tilted cell, LAMMPS writes the
 * bounds of the bounding box. */
void lammps_bounds(struct lammps *l, const double lo[3], const double hi[3], const double tilt[3]);
/* Sets the cell of frame f, in Å. */
void lammps_cell(const struct lammps *l, struct format_frame *f);

/* Returns the time of a frame in ps. If the file contains the time of the frame, returns this time.
 * If neither the file nor the user gives a time but the file states its units, computes the time
 * with the default time step of LAMMPS. If the time cannot be computed, returns NaN. */
double lammps_time(struct lammps *l, int64_t step, double time);
/* Returns true if the list of --species contains this type. */
bool lammps_type_named(const struct lammps *l, const char *s, size_t len);
/* Returns true if the rows must be read one by one, because --species gives names to types or
 * because molecules are needed. */
bool lammps_careful(const struct lammps *l);
/* Sets the key of the atom name in row k. */
static inline void lammps_key(struct lammps *l, size_t k, uint64_t key)
{
    l->keys_changed |= l->keys[k] != key;
    l->keys[k] = key;
}
/* Sets the name of the atom in row k. The caller updates the member `nkeys`. */
void lammps_name(struct lammps *l, size_t k, const char *s, size_t len);
/* Stores the LAMMPS_VALUES numbers of the array v as row k of the frame. */
void lammps_row(struct lammps *l, struct format_frame *f, size_t k, const double *v);
/* Sorts the rows of a complete frame. The names in the first frame are stored in the `info` of the
 * reader. Returns 0 on success, or -1 with an error message in *e. Also sets *row to the row that
 * contains the error, or to SIZE_MAX if the error concerns no single row. */
int lammps_finish(struct lammps *l, struct format_frame *f, size_t *row, struct err *e) MUST_USE;
