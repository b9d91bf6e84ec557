/* SPDX-License-Identifier: MIT */
/* xyz_header.h: parses the second line of an XYZ frame, which may describe the cell, the time and
 * the columns. Lengths are in Å. The caller applies the options of the user (xyz_text.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/rows.h"
#include "stream/scalars.h"

/* The first six dialects are the choices of --dialect. The last three dialects are recognised but
 * cannot be chosen. */
enum xyz_dialect {
    XYZ_AUTO,
    XYZ_PLAIN,    /* any text */
    XYZ_EXTENDED, /* Lattice, Properties... */
    /* In the dialect of RIGMD, the line is "dt_ps name Lx/2 Ly/2 Lz/2 sigma". */
    XYZ_RIGMD,
    XYZ_LAMMPS, /* "Atoms. Timestep: N" */
    XYZ_CP2K,   /* "i = N, time = T", T in fs */
    /* In the dialect of cpptraj, cell edges, perhaps with angles, follow "Box X:", or cell vectors
     * follow "X:", "Y:" and "Z:". */
    XYZ_CPPTRAJ,
    /* In the dialect of Cassandra, the line is "# BOX: a b c [alpha beta gamma]". */
    XYZ_CASSANDRA,
    /* In the dialect of i-PI, the line contains "# CELL(abcABC):", positions{UNIT} and
     * cell{UNIT}. */
    XYZ_IPI
};
#define XYZ_DIALECT_NAMES                                                                          \
    "auto", "plain", "extended", "rigmd", "lammps", "cp2k", "cpptraj", "cassandra", "i-pi"

struct xyz_header {
    bool has_cell, has_pbc, has_step;
    double cell[9]; /* rows are vectors, Å */
    int pbc[3];
    double scale;           /* of positions, in Å: 1, or 0.529 (bohr) */
    double time_fs;         /* NaN: absent */
    double dt_ps;           /* NaN: absent */
    double sigma;           /* Å; NaN: absent */
    uint64_t step;          /* if has_step is set */
    bool time_unit_unknown; /* for time_fs */
    struct rows_layout layout;
    int columns;          /* 0: no Properties */
    int vel;              /* first column, or -1 */
    int mass;             /* column, or -1 */
    const char *vel_name; /* if vel >= 0: "vel", "velo", "velocities" or "momenta" */
};

/* Sets *d to the dialect of the second line s[0..len) of a frame. If the line fits several
 * dialects, returns -1 with an error message in *e. Otherwise returns 0. */
int xyz_header_detect(const char *s, size_t len, enum xyz_dialect *d, struct err *e) MUST_USE;

/* Parses a second line of the dialect d, which must not be XYZ_AUTO. Returns 0, or -1 with an error
 * message in *e. */
int xyz_header_parse(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                     struct err *e) MUST_USE;

/* Parses a line of extended XYZ, which contains pairs key=value, for xyz_header_parse. */
int xyz_header_extended(const char *s, size_t len, struct xyz_header *h, struct err *e) MUST_USE;

/* Returns the column of the property name:R:1 or name:I:1 of extended XYZ, or returns -1 with an
 * error message in *e. */
int xyz_header_property(const char *s, size_t len, const char *name, struct err *e) MUST_USE;
/* Reads the numbers of the key `name` into v. The value of the key may be a number, a list, or an
 * array of rows in JSON. Sets *suffixes to the endings of the column names, such as "_x _y _z", or
 * to an empty string. Returns the number of values (1, 3, 6 or 9), or -1 with an error message in
 * *e. */
int xyz_header_values(const char *s, size_t len, const char *name, double v[9],
                      const char **suffixes, struct err *e) MUST_USE;
/* Lists what the reader ignores, such as "forces:R:3, energy=", in `text`, with "..." in place of
 * the end if the list is too long. Properties whose first column is in used[n] and keys of units
 * are not listed. */
void xyz_header_left_out(const char *s, size_t len, const int *used, int n, char *text,
                         size_t size);
/* Copies the value of the key NAME_unit to unit[], or an empty text if there is no value. */
void xyz_header_unit(const char *s, size_t len, const char *name, char unit[SCALARS_NAME]);

/* Returns true if the line contains the key `name=` outside quotes, in upper or lower case. */
bool xyz_header_has_key(const char *s, size_t len, const char *name);

/* Finds the next word of s[*at..len), separated by blanks, or returns false at the end of the
 * line. */
bool xyz_word(const char *s, size_t len, size_t *at, const char **word, size_t *wlen);
/* Reads at most `max` numbers, beginning at the offset *at, and stops at the first word that is not
 * a number. Returns the count of numbers. */
int xyz_numbers(const char *s, size_t len, size_t *at, double *v, int max);
/* Returns true if the name of the file is that of a CP2K velocity file, PROJECT-vel-1.xyz. If
 * opts.velocities is set, formats_open reads velocities from PROJECT-vel-1.xyz, and positions from
 * PROJECT-pos-1.xyz. */
bool xyz_of_velocities(const char *path);
