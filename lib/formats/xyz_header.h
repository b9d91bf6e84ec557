/* SPDX-License-Identifier: MIT */
/* xyz_header.h: parses the second line of an XYZ frame, which may describe the cell, the time and
 * the columns. Lengths are in Å. The options of the user are applied in xyz_text.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/rows.h"
#include "stream/scalars.h"

/* The first six values of this enum are the choices of --dialect, in the same order. The last three
 * dialects cannot be chosen, but they are recognised. */
enum xyz_dialect {
    XYZ_AUTO,
    XYZ_PLAIN,     /* any text */
    XYZ_EXTENDED,  /* Extended XYZ: the line has keys such as Lattice, Properties, pbc, Time and
                    * sigma. */
    XYZ_RIGMD,     /* RIGMD: the line is "dt_ps name Lx/2 Ly/2 Lz/2 sigma". */
    XYZ_LAMMPS,    /* The line is "Atoms. Timestep: N". */
    XYZ_CP2K,      /* CP2K: the line contains "i = N, time = T", with T in fs. */
    XYZ_CPPTRAJ,   /* The line contains cell edges, perhaps with angles, after "Box X:", or cell
                    * vectors after "X:", "Y:" and "Z:". */
    XYZ_CASSANDRA, /* The line is "# BOX: a b c [alpha beta gamma]". */
    XYZ_IPI        /* i-PI: the line contains "# CELL(abcABC):", positions{UNIT} and cell{UNIT}. */
};
#define XYZ_DIALECT_NAMES                                                                          \
    "auto", "plain", "extended", "rigmd", "lammps", "cp2k", "cpptraj", "cassandra", "i-pi"

struct xyz_header {
    bool has_cell, has_pbc, has_step;
    double cell[9]; /* rows are vectors, Å */
    int pbc[3];
    double scale;           /* Unit of the positions in Å, which is 1 for Å and 0.529 for bohr. */
    double time_fs;         /* NaN: absent */
    double dt_ps;           /* NaN: absent */
    double sigma;           /* Å; NaN: absent */
    uint64_t step;          /* MD step of the frame, if has_step is set */
    bool time_unit_unknown; /* Whether the line does not state the unit of time_fs. */
    struct rows_layout layout;
    int columns;          /* Number of columns in the key Properties, or 0 if unknown. */
    int vel;              /* Index of the first column of the velocities or momenta, or -1. */
    int mass;             /* index of the column of the masses, or -1 */
    const char *vel_name; /* If vel >= 0, the name of the velocities in Properties, which is "vel",
                           * "velo", "velocities" or "momenta". */
};

/* Recognises the dialect of the second line s[0..len) of a frame. If the line fits several
 * dialects, returns -1 with an error message in *e. Otherwise returns 0. */
int xyz_header_detect(const char *s, size_t len, enum xyz_dialect *d, struct err *e) MUST_USE;

/* Parses a second line of the dialect d, which must not be XYZ_AUTO. Returns 0 on success, or -1
 * with an error message in *e. */
int xyz_header_parse(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                     struct err *e) MUST_USE;

/* Parses the form key=value of extended XYZ, for xyz_header_parse. */
int xyz_header_extended(const char *s, size_t len, struct xyz_header *h, struct err *e) MUST_USE;

/* Returns the column of the property name:R:1 or name:I:1 of extended XYZ, or -1 with an error
 * message in *e. */
int xyz_header_property(const char *s, size_t len, const char *name, struct err *e) MUST_USE;
/* Reads the numbers in the value of the key `name` into v. The value may be a number, a list, or an
 * array of rows in JSON. Sets *suffixes to the endings of the names of the columns, such as "_x _y
 * _z", or to an empty string. Returns the number of values (1, 3, 6 or 9), or -1 with an error
 * message in *e. */
int xyz_header_values(const char *s, size_t len, const char *name, double v[9],
                      const char **suffixes, struct err *e) MUST_USE;
/* Writes a list such as "forces:R:3, energy=" to the buffer `text`. The list contains the
 * properties whose first column is not in used[n], and the keys that the reader ignores, except
 * units. If the list is too long for the buffer, it ends in "...". */
void xyz_header_left_out(const char *s, size_t len, const int *used, int n, char *text,
                         size_t size);
/* Copies the value of the key NAME_unit to unit[], or an empty text if the line does not contain
 * this key. */
void xyz_header_unit(const char *s, size_t len, const char *name, char unit[SCALARS_NAME]);

/* Returns true if the line contains the key `name=`, in upper or lower case and not within
 * quotes. */
bool xyz_header_has_key(const char *s, size_t len, const char *name);

/* Finds the next word of s[*at..len), separated by blanks, and returns its start and length. At the
 * end of the line, returns false. */
bool xyz_word(const char *s, size_t len, size_t *at, const char **word, size_t *wlen);
/* Reads at most `max` numbers from the offset *at on, and stops at the first word that is not a
 * number. Returns how many numbers were read. */
int xyz_numbers(const char *s, size_t len, size_t *at, double *v, int max);
/* Returns true if the name of a file indicates velocities of CP2K, as in PROJECT-vel-1.xyz. If
 * opts.velocities is set, formats_open reads the velocities from each of these files, together with
 * the positions from the matching file. */
bool xyz_of_velocities(const char *path);
