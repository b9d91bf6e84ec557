/* SPDX-License-Identifier: MIT */
/* frame_track.h: compresses f32 numbers with codec 3 of mbf(5), which stores the errors of
 * predictions, and decompresses codecs 2 and 3. Private to frame*.c.
 *
 * A part consists of rows (time steps) of `row` f32 numbers. Each number is converted to an
 * integer, which is its rank among all floats or, if nearly all numbers lie on a decimal grid, an
 * index on this grid. The integer is predicted from earlier rows of the same part. The residual,
 * the difference between the integer and the prediction, is stored as a class, with a prefix code
 * made for the part, and extra bits.
 *
 * In codec 3, atoms may be linked to one of the atoms before them, such as hydrogen to oxygen. The
 * vector from that atom is then predicted in place of the position. An atom without a link has
 * generation 0, and an atom linked to generation g has generation g + 1. Each generation has its
 * own predictor and codes. If the lengths of links hardly change, the z component of a link follows
 * from the length and from the other components, except for its sign. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/simd.h"

enum {
    TRACK_ORDER = 6,       /* largest number of earlier steps in a prediction */
    TRACK_LEVELS = 8,      /* largest number of levels of a grid */
    TRACK_CLASSES = 240,   /* number of classes of residuals. Each residual below 16 has its own
                            * class. Larger residuals have 8 classes per octave. */
    TRACK_BITS = 12,       /* number of bits of the longest code */
    TRACK_LONGEST = 40,    /* number of bits of the longest value: a code and additional bits */
    TRACK_OFF_GRID = 256,  /* at most 1 in 256 numbers is off the grid */
    TRACK_GENERATIONS = 4, /* largest number of generations */
    TRACK_LINK = 4,        /* an atom is linked to one of this number of atoms before it */
    TRACK_LENGTHS = 8,     /* the square of a length is the mean of up to 8 earlier steps */
    TRACK_SECTIONS = 4,    /* largest number of sections of a generation */
    TRACK_HEAD = 52        /* bytes of a header before its coefficients */
};

enum track_kind { TRACK_FLOATS, TRACK_GRID };

/* Predictor of a generation. The predicted displacement is the sum of q earlier displacements with
 * the weights coef[q - 1][k]. For a vector between linked atoms, stay[q] times the vector is
 * added. If length2 is above 0, z components are predicted from the lengths of the links, and
 * length2 is the square of the length in the first row. */
struct track_model {
    unsigned order;
    float length2;
    float stay[TRACK_ORDER + 1], coef[TRACK_ORDER][TRACK_ORDER];
};

/* The header of a stored part, and derived values. */
struct track {
    enum track_kind kind;
    unsigned levels, generations;
    uint32_t exceptions;
    uint32_t base;   /* Number of indices in the first of several levels, a multiple of 10. */
    float edge[3];   /* of the cell, or 0 */
    float middle[3]; /* predicted first row */
    double per;      /* indices per Å, level 0 */
    unsigned phase;  /* The part begins with x (0), y (1) or z (2). */
    struct track_model model[TRACK_GENERATIONS];
    /* A level of the grid has `per_of` indices per Å, and `unit` is the inverse. The level begins
     * at the |coordinate| `from` and the index `first`, which are infinite for an unused level. The
     * member `ahead` is the index minus |coordinate| / unit. */
    double per_of[TRACK_LEVELS], unit[TRACK_LEVELS];
    double from[TRACK_LEVELS], first[TRACK_LEVELS], ahead[TRACK_LEVELS];
    /* The shape of the part, with atoms if there is more than one generation. Atom k of a row has
     * the numbers lead + 3k to lead + 3k + 2. */
    size_t count, row, lead, natoms;
    const unsigned char *link;           /* index distance, or 0 */
    uint32_t *atom;                      /* sorted by generation */
    size_t begin[TRACK_GENERATIONS + 1]; /* in `atom` */
};

/* Computes the arrays of the levels from `base`, `per` and `levels`. */
void track_levels(struct track *t);
/* Sets t->row, t->lead and t->natoms. */
void track_shape(struct track *t, size_t row);
/* Sorts the atoms by generation, using depth[natoms]. Returns false if a link is invalid or needs
 * too many generations. */
bool track_sort(struct track *t, unsigned char *depth);
/* Chooses how the numbers x are packed, and sets `kind`, `levels`, `middle`, `generations` and
 * `model`. Stores `link` and `atom` in `room`, which has 6 bytes per atom. The caller first sets
 * `edge`, `phase` and `count`, and calls track_shape. Atoms are linked only if x are positions.
 * Returns false if a number is NaN or too large. */
bool track_choose(struct track *t, const float *x, bool positions, unsigned char *room);

/* Returns the size of `scratch` for a part of n bytes. */
static inline size_t track_room(size_t n)
{
    return 2 * n + 256;
}

/* Packs the n bytes of f32 numbers of a part into out[n]. Rows have `row` numbers, and the first
 * number of the part is number `at` of its array. The array edge[] contains the edges of the cell
 * or zeros, and is NULL if the numbers are not positions. Returns the packed length, or 0 if the
 * length would exceed 95 % of n. */
size_t track_pack(const float edge[3], size_t row, uint64_t at, const void *raw, size_t n,
                  void *out, void *scratch);

/* Restores the n bytes of a part of codec 2 or 3. Returns 0, or -1 with an error message in e. */
int track_unpack(int codec, size_t row, uint64_t at, const void *packed, size_t stored, void *out,
                 size_t n, void *scratch, struct err *e);

/* ---- prefix codes (frame_track_code.c) */

/* For each class: the bits of the code, its length, the length with the additional bits, at most
 * `longest`, and the mask of the additional bits. */
struct track_code {
    unsigned longest;
    uint16_t bits[TRACK_CLASSES];
    uint32_t mask[TRACK_CLASSES];
    unsigned char length[TRACK_CLASSES], all[TRACK_CLASSES];
};
/* Makes the code of a section from the counts of its classes. Returns the bits of all values. */
uint64_t track_make_code(const uint32_t *classes, struct track_code *c);
/* The table for decoding, whose index is the next TRACK_BITS bits of the string. The low 6 bits of
 * an entry are the number of bits of the value, at most `longest`. The bits from bit 8 on are the
 * class k, and the value is first[k] plus the bits of mask[k] after length[k] bits. If `brief`,
 * most values have at most TRACK_BITS bits. The bits from bit 8 on are then the value, or the class
 * if the flag TRACK_LONG is set. */
enum { TRACK_LONG = 128 };
struct track_table {
    unsigned longest;
    bool brief;
    uint32_t of[1 << TRACK_BITS];
    uint32_t first[TRACK_CLASSES], mask[TRACK_CLASSES];
    unsigned char length[TRACK_CLASSES];
};
/* Makes the table from the lengths of the codes. Returns 0, or -1 with an error message in e if the
 * codes are not complete. */
int track_make_table(const unsigned char *length, struct track_table *table, struct err *e);

/* ---- functions for every SIMD level (frame_track*_simd.c), with identical results */

/* Counts the classes of n residuals v. */
SIMD_DECLARE(void, track_count, (const uint32_t *v, size_t n, uint32_t of[TRACK_CLASSES]));
/* Writes the string of n residuals v to p, and up to 7 further bytes. Returns the end. */
SIMD_DECLARE(unsigned char *, track_write,
             (const struct track_code *c, const uint32_t *v, size_t n, unsigned char *p));
/* Decodes 8 strings of bits from the `size` bytes at p. String j contains the values v[j] up to
 * v[j + 1], which are one eighth of all values, of at most TRACK_LONGEST bits each. On entry,
 * at[0..8) are the positions of the first bits of the strings, and on return the positions after
 * the last bits. No byte after p + size is read. */
SIMD_DECLARE(void, track_read,
             (const struct track_table *t, const unsigned char *p, size_t size, uint64_t at[8],
              uint32_t *const v[9]));
/* With one generation, this function computes the residuals v of the floats x, or restores the
 * floats from the residuals if x is NULL. The array y receives the restored numbers, and may be the
 * same memory as v if x is NULL. */
SIMD_DECLARE(void, track_alone, (const struct track *t, const float *x, float *y, uint32_t *v));
/* Does the same with several generations. For generation g, the residuals of the first row are
 * stored at v[g][0], and those of the other rows, in tiles, at v[g][1]. If z components are
 * predicted from lengths, their residuals are stored in the same way at v[g][2] and v[g][3]. On
 * return, these pointers are at the ends of the residuals. */
SIMD_DECLARE(void, track_linked,
             (const struct track *t, const float *x, float *y,
              uint32_t *v[TRACK_GENERATIONS][TRACK_SECTIONS]));
/* Rounds n numbers x to the grid and stores the rounded numbers in y. */
SIMD_DECLARE(void, track_on_grid, (const struct track *t, const float *x, float *y, size_t n));
