/* SPDX-License-Identifier: MIT */
/*
 * lammps.h: private to lib/formats. What LAMMPS' text and binary dumps have in common: columns by
 * name, units, the bounding box, images, rows in any order.
 * Source: LAMMPS manual, "dump", "units" and "Howto triclinic".
 */
#ifndef MBF_LAMMPS_H
#define MBF_LAMMPS_H

#include "base/order.h"
#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of a row that are looked at. */
enum {
    LAMMPS_X,
    LAMMPS_V = 3,
    LAMMPS_I = 6,
    LAMMPS_ID = 9,
    LAMMPS_VALUES = 10,
    LAMMPS_NAME = 10, /* element, or else type */
    LAMMPS_TYPE,      /* beside an element: --species may name it */
    LAMMPS_MOL
};

struct lammps {
    const struct formats_opts *opts;
    struct format_info *info; /* of the reader */
    enum lammps_units units;
    double length, speed, time; /* factors to Å, Å/ps, ps */
    bool named;                 /* the file names its units */
    bool numbers;               /* elements are numbers of types, as in binary dumps */

    /* columns */
    char text[1024];                              /* their names, as they stood last */
    int ncols, *use;                              /* [ncols]: enum above, or -1 */
    bool has_id, has_name, scaled, images, plain; /* plain: a position is a number of the file */
    int nvel;

    double lo[3], h[9]; /* of this frame: origin and vectors, in the file's unit */

    struct order order;
    bool ordered; /* the first frame's ids are known */
    int64_t *ids; /* [natoms] */
    void *scratch;
    unsigned char *species; /* [natoms] of the first frame, until info has it */
    int64_t *molecule;      /* the same; NULL: not wanted */
    bool has_mol;
    uint64_t *keys; /* [natoms] of names of later frames (format_key) */
    size_t nkeys;   /* rows of this frame that have one */
};

/* Begin; info: where names go with the first frame. Then, when info->natoms is known: room for so
 * many rows. 0 or -1. */
void lammps_begin(struct lammps *l, const struct formats_opts *o, struct format_info *info);
int lammps_room(struct lammps *l, struct err *e) __attribute__((warn_unused_result));
void lammps_free(struct lammps *l);

/* "real", "metal", ... as the file says. 0, or -1 with e without a place. */
int lammps_set_units(struct lammps *l, const char *s, size_t len, struct err *e)
    __attribute__((warn_unused_result));
/* Nobody said the units? Then -1. */
int lammps_check_units(const struct lammps *l, struct err *e) __attribute__((warn_unused_result));

/* "id type x y z ...": what each column is for. 0, or -1 with e without a place. */
int lammps_columns(struct lammps *l, const char *s, size_t len, struct err *e)
    __attribute__((warn_unused_result));

/* Bounds of the box, tilts xy, xz, yz: as LAMMPS writes them, the bounding box of a tilted cell. */
void lammps_bounds(struct lammps *l, const double lo[3], const double hi[3], const double tilt[3]);
/* The cell of this frame, Å. */
void lammps_cell(const struct lammps *l, struct format_frame *f);

/* The time of a frame, ps: as the file has it, or else, if the file names its units and the user gives
 * no time, by LAMMPS' default time step. */
double lammps_time(struct lammps *l, int64_t step, double time);
/* Does --species name this type? */
bool lammps_type_named(const struct lammps *l, const char *s, size_t len);
/* Do the rows of this frame have names or molecules that must be read one by one? */
bool lammps_careful(const struct lammps *l);
/* Sets the name of the atom in row k; the caller counts nkeys. */
void lammps_name(struct lammps *l, size_t k, const char *s, size_t len);
/* One row's numbers (LAMMPS_VALUES of them) as row k of the frame. */
void lammps_row(struct lammps *l, struct format_frame *f, size_t k, const double *v);
/* The frame's rows are in: put them in order; the names of the first frame go to the reader. 0, or
 * -1 with *row: who is to blame, SIZE_MAX: nobody. */
int lammps_finish(struct lammps *l, struct format_frame *f, size_t *row, struct err *e)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
