/* SPDX-License-Identifier: MIT */
/* lammps.h: helps the readers of LAMMPS text dumps and binary dumps with named columns, units, the
 * bounding box, image flags and unsorted rows. Private to lib/formats. For the formats, see the
 * pages "dump", "units" and "Howto triclinic" of the LAMMPS manual. */
#pragma once

#include "base/sort_by_id.h"
#include "formats/format.h"
#include "formats/text_scalars.h"

enum {
    LAMMPS_X,
    LAMMPS_V = 3,
    LAMMPS_I = 6,
    LAMMPS_ID = 9,
    LAMMPS_VALUES = 10,
    LAMMPS_NAME = 10, /* elements, or else types */
    LAMMPS_TYPE,      /* if LAMMPS_NAME is elements */
    LAMMPS_MOL
};

/* Lists the unit styles of LAMMPS in the order of enum lammps_units. In NetCDF files, the units of
 * length and time are written as `length_name` and `time_name`. The units of length, time and
 * velocity in Å, ps and Å/ps are stored in `length`, `time` and `speed`. */
extern const struct lammps_style {
    const char *name, *length_name, *time_name, *charge;
    double length, time, speed;
} lammps_styles[];

struct lammps {
    const struct formats_opts *opts;
    struct format_info *info;
    enum lammps_units units;
    double length, speed, time; /* to Å, Å/ps and ps */
    bool named;                 /* units stated in file */
    bool numbers;               /* types, no elements */

    char text[1024];                              /* last frame's columns */
    int ncols, *use;                              /* [ncols], -1: unused */
    bool has_id, has_name, scaled, images, plain; /* plain: no conversion */
    int nvel;
    struct text_scalars scalars;

    double lo[3], h[9]; /* units of the file */

    struct sort_by_id order;
    int64_t *ids; /* [natoms] */
    void *scratch;
    unsigned char *species; /* [natoms], first frame */
    int64_t *molecule;      /* [natoms] or NULL, first frame */
    bool has_mol;
    uint64_t *keys;    /* [natoms] format_key */
    size_t nkeys;      /* keys set in the frame */
    bool keys_changed; /* since last comparison */
};

/* Keeps the pointer `info`, and stores the names of the atoms in *info when the first frame is
 * read. Call lammps_room once info->natoms is known. Returns 0, or -1 on failure. */
void lammps_begin(struct lammps *l, const struct formats_opts *o, struct format_info *info);
int lammps_room(struct lammps *l, struct err *e) MUST_USE;
void lammps_free(struct lammps *l);

/* Sets the unit style that the file states, such as "real" or "metal". Returns 0, or -1 with an
 * error message in *e that names neither a line nor a byte. */
int lammps_set_units(struct lammps *l, const char *s, size_t len, struct err *e) MUST_USE;
/* Returns 0 if the file or the user states the units, and otherwise -1 with an error message in *e.
 * Set the flag `timed` if the file contains times. If the file contains no times and the user gives
 * no time step, the message also asks for the time step. */
int lammps_check_units(const struct lammps *l, bool timed, struct err *e) MUST_USE;

/* Checks the units, and parses column names such as "id type x y z". Returns 0, or -1 with an error
 * message in *e that names neither a line nor a byte. */
int lammps_columns(struct lammps *l, bool timed, const char *s, size_t len, struct err *e) MUST_USE;

/* Sets the box from its bounds and the tilts xy, xz and yz. If a cell is tilted, a dump contains
 * the bounds of its bounding box. */
void lammps_bounds(struct lammps *l, const double lo[3], const double hi[3], const double tilt[3]);
/* Sets the cell of frame f, in Å. */
void lammps_cell(const struct lammps *l, struct format_frame *f);

/* Returns the time of a frame in ps, if the file contains the time. If neither the file nor the
 * user gives a time but the file states its units, the time is computed with the default time step
 * of LAMMPS. If the time cannot be computed, returns NaN. */
double lammps_time(struct lammps *l, int64_t step, double time);
/* Returns true if the list of --species contains the type s[0..len). */
bool lammps_type_named(const struct lammps *l, const char *s, size_t len);
/* Returns true if the rows of atoms must be read one by one, because --species gives names to types
 * or because molecules are needed. */
bool lammps_careful(const struct lammps *l);
static inline void lammps_key(struct lammps *l, size_t k, uint64_t key)
{
    l->keys_changed |= l->keys[k] != key;
    l->keys[k] = key;
}
/* Sets the atom name of row k. The caller must count the named rows in `nkeys`. */
void lammps_name(struct lammps *l, size_t k, const char *s, size_t len);
/* Stores v[LAMMPS_VALUES] as row k of the frame. */
void lammps_row(struct lammps *l, struct format_frame *f, size_t k, const double *v);
/* Sorts the rows of a complete frame by atom id, and stores the names of the first frame in the
 * `info` of the reader. Returns 0, or -1 with an error message in *e. On failure, *row is the row
 * of atoms that contains the error, or SIZE_MAX if the error concerns no single row. */
int lammps_finish(struct lammps *l, struct format_frame *f, size_t *row, struct err *e) MUST_USE;
