/* SPDX-License-Identifier: MIT */
/*
 * xyz_header.h: the second line of an XYZ frame, in every dialect: cell, time, columns.
 *
 * Lengths in Å. A header is parsed into what it says; what the user says instead is the reader's
 * business (xyz.h).
 */
#ifndef MBF_XYZ_HEADER_H
#define MBF_XYZ_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first six are the choices of --dialect, in this order; the last three are recognised by
 * themselves. */
enum xyz_dialect {
    XYZ_AUTO,
    XYZ_PLAIN,     /* any text */
    XYZ_EXTENDED,  /* key=value: Lattice, Properties, pbc, Time, time_unit, sigma */
    XYZ_RIGMD,     /* dt_ps name Lx/2 Ly/2 Lz/2 sigma */
    XYZ_LAMMPS,    /* Atoms. Timestep: N */
    XYZ_CP2K,      /* i = N, time = T (fs), E = ... */
    XYZ_CPPTRAJ,   /* ... Box X: a b c [alpha beta gamma], or X: Y: Z: with a vector each */
    XYZ_CASSANDRA, /* # BOX: a b c [alpha beta gamma] */
    XYZ_IPI        /* # CELL(abcABC): a b c alpha beta gamma ... positions{UNIT} cell{UNIT} */
};
#define XYZ_DIALECT_NAMES                                                                          \
    {                                                                                              \
        "auto", "plain", "extended", "rigmd", "lammps", "cp2k", "cpptraj", "cassandra", "i-pi"     \
    }

struct xyz_header {
    bool has_cell, has_pbc, has_step;
    double cell[9]; /* rows are vectors, Å */
    int pbc[3];
    double scale;           /* of the positions, Å a unit: 1, or that of bohr */
    double time_fs;         /* NaN: not there */
    double dt_ps;           /* NaN: not there */
    double sigma;           /* Å; NaN: not there */
    uint64_t step;          /* number of the MD step, with has_step */
    bool time_unit_unknown; /* time_fs is in a unit that the line does not name */
    struct rows_layout layout;
    int columns; /* that Properties declares; 0: not said */
};

/* Which dialect is the line s[0..len)? Return 0, or -1 with the reason: it reads as more
 * than one. */
int xyz_header_detect(const char *s, size_t len, enum xyz_dialect *d, struct err *e)
    __attribute__((warn_unused_result));

/* Parse the line as dialect d (not XYZ_AUTO). Return 0, or -1 with what was expected and found. */
int xyz_header_parse(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                     struct err *e) __attribute__((warn_unused_result));

/* The key=value form (extended); used by xyz_header_parse. */
int xyz_header_extended(const char *s, size_t len, struct xyz_header *h, struct err *e)
    __attribute__((warn_unused_result));

/* Does the line have `name=` as a key outside quotes (any case)? */
bool xyz_header_has_key(const char *s, size_t len, const char *name);

/* Next blank-separated word of s[*at..len): its start and length; false at the end. */
bool xyz_word(const char *s, size_t len, size_t *at, const char **word, size_t *wlen);

#ifdef __cplusplus
}
#endif
#endif
