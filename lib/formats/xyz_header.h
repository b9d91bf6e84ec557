/* SPDX-License-Identifier: MIT */
/* xyz_header.h: parses the second line of an XYZ frame, in every dialect: cell, time, columns.
 * Lengths are in Å. Options of the user are applied by the reader (xyz_text.c). */
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

/* The first six values are the choices of --dialect, in this order. The last three dialects are
 * recognised automatically. */
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
    double scale;           /* unit of the positions in Å: 1, or bohr */
    double time_fs;         /* NaN: absent */
    double dt_ps;           /* NaN: absent */
    double sigma;           /* Å; NaN: absent */
    uint64_t step;          /* MD step, if has_step */
    bool time_unit_unknown; /* the line does not name the unit of time_fs */
    struct rows_layout layout;
    int columns; /* number of columns in Properties; 0: unknown */
};

/* Recognises the dialect of the line s[0..len). Returns 0, or -1 and sets *e if the line matches
 * several dialects. */
int xyz_header_detect(const char *s, size_t len, enum xyz_dialect *d, struct err *e)
    __attribute__((warn_unused_result));

/* Parses the line as dialect d, which is not XYZ_AUTO. Returns 0, or -1 and sets *e. */
int xyz_header_parse(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                     struct err *e) __attribute__((warn_unused_result));

/* Parses the key=value form of extended XYZ; used by xyz_header_parse. */
int xyz_header_extended(const char *s, size_t len, struct xyz_header *h, struct err *e)
    __attribute__((warn_unused_result));

/* Returns whether the line contains the key `name=` outside quotes, in any case. */
bool xyz_header_has_key(const char *s, size_t len, const char *name);

/* Finds the next blank-separated word of s[*at..len), its start and length. Returns false at the
 * end. */
bool xyz_word(const char *s, size_t len, size_t *at, const char **word, size_t *wlen);

#ifdef __cplusplus
}
#endif
#endif
