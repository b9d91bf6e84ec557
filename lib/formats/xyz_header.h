/* SPDX-License-Identifier: MIT */
/* xyz_header.h: parses the second line of an XYZ frame, which may contain the cell, the time and
 * the columns. Lengths are in Å. The reader in xyz_text.c applies the user's options. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/rows.h"
#include "stream/scalars.h"

/* The first six values are the choices of --dialect, in the same order. The last three dialects
 * cannot be chosen but are recognised. */
enum xyz_dialect {
    XYZ_AUTO,
    XYZ_PLAIN,     /* any text */
    XYZ_EXTENDED,  /* The line has keys such as Lattice, Properties, pbc, Time and sigma. */
    XYZ_RIGMD,     /* The line is "dt_ps name Lx/2 Ly/2 Lz/2 sigma". */
    XYZ_LAMMPS,    /* The line is "Atoms. Timestep: N". */
    XYZ_CP2K,      /* The line contains "i = N, time = T", with T in fs. */
    XYZ_CPPTRAJ,   /* The line has edges and perhaps angles after "Box X:", or vectors after "X:",
                    * "Y:", "Z:". */
    XYZ_CASSANDRA, /* The line is "# BOX: a b c [alpha beta gamma]". */
    XYZ_IPI        /* The line has "# CELL(abcABC):", positions{UNIT} and cell{UNIT}. */
};
#define XYZ_DIALECT_NAMES                                                                          \
    "auto", "plain", "extended", "rigmd", "lammps", "cp2k", "cpptraj", "cassandra", "i-pi"

struct xyz_header {
    bool has_cell, has_pbc, has_step;
    double cell[9]; /* rows are vectors, Å */
    int pbc[3];
    double scale;           /* Unit of the positions in Å, which is 1 for Å or 0.529 for bohr. */
    double time_fs;         /* NaN: absent */
    double dt_ps;           /* NaN: absent */
    double sigma;           /* Å; NaN: absent */
    uint64_t step;          /* MD step, if has_step is set */
    bool time_unit_unknown; /* Whether the line does not name the unit of time_fs. */
    struct rows_layout layout;
    int columns;          /* Number of columns in Properties, or 0 if unknown. */
    int vel;              /* First column of the velocities or momenta, or -1. */
    int mass;             /* column of the masses, or -1 */
    const char *vel_name; /* If vel >= 0, the name of this property, which is "vel", "velo",
                           * "velocities" or "momenta". */
};

/* Recognises the dialect of the line s[0..len). If the line matches several dialects, returns -1
 * with an error message in *e. Otherwise returns 0. */
int xyz_header_detect(const char *s, size_t len, enum xyz_dialect *d, struct err *e) MUST_USE;

/* Parses a line of the dialect d, which must not be XYZ_AUTO. Returns 0 on success, or -1 with an
 * error message in *e. */
int xyz_header_parse(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                     struct err *e) MUST_USE;

/* Parses the key=value form of extended XYZ, for xyz_header_parse. */
int xyz_header_extended(const char *s, size_t len, struct xyz_header *h, struct err *e) MUST_USE;

/* Returns the column of the property name:R:1 or name:I:1 of extended XYZ, or -1 with an error
 * message in *e. */
int xyz_header_property(const char *s, size_t len, const char *name, struct err *e) MUST_USE;
/* Reads the numbers in the value of the key `name` into v. The value may be a number, a list or an
 * array of rows (JSON). Sets *suffixes to the endings of the column names, such as "_x _y _z", or
 * to an empty string. Returns the number of values (1, 3, 6 or 9), or -1 with an error message in
 * *e. */
int xyz_header_values(const char *s, size_t len, const char *name, double v[9],
                      const char **suffixes, struct err *e) MUST_USE;
/* Writes a list such as "forces:R:3, energy=" to the buffer `text`. The list contains the
 * properties whose first column is not in used[n], and the keys that the reader ignores, except
 * units. If the list is too long, it ends in "...". */
void xyz_header_left_out(const char *s, size_t len, const int *used, int n, char *text,
                         size_t size);
/* Copies the value of the key NAME_unit to unit[], or "" if the line does not contain the key. */
void xyz_header_unit(const char *s, size_t len, const char *name, char unit[SCALARS_NAME]);

/* Returns true if the line contains the key `name=`, in any case and not within quotes. */
bool xyz_header_has_key(const char *s, size_t len, const char *name);

/* Finds the start and length of the next blank-separated word of s[*at..len). Returns false at the
 * end of the line. */
bool xyz_word(const char *s, size_t len, size_t *at, const char **word, size_t *wlen);
/* Reads at most `max` numbers from offset *at on, and stops at the first word that is not a number.
 * Returns the count of numbers that were read. */
int xyz_numbers(const char *s, size_t len, size_t *at, double *v, int max);
/* Returns true if the name of a file marks velocities of CP2K, as in PROJECT-vel-1.xyz. If
 * opts.velocities is set, formats_open reads the velocities from each such file, together with the
 * positions from the matching file. */
bool xyz_of_velocities(const char *path);
