/* SPDX-License-Identifier: MIT */
/* frame_track.h: codecs 2 and 3 of mbf(5), which predict the numbers in a part and store the
 * prediction errors. Only codec 3 is written. This header is internal to frame*.c.
 *
 * A part consists of rows (time steps) of `row` f32 numbers. Each number is converted to an
 * integer, which is its rank among all floats or, if nearly all numbers lie on a decimal grid, an
 * index on this grid. The integer is predicted from earlier rows of the same part. The difference
 * between the integer and the prediction is stored as a class, with a prefix code made for the
 * part, and extra bits.
 *
 * In codec 3, atoms may be linked to one of the atoms before them, such as hydrogen to oxygen. The
 * vector from that atom is then predicted in place of the position. An atom without a link has
 * generation 0, and an atom linked to generation g has generation g + 1. Each generation has its
 * own predictor and codes. */
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
    TRACK_OFF_GRID = 256,  /* at most 1 in 256 numbers is off the grid */
    TRACK_GENERATIONS = 4, /* largest number of generations */
    TRACK_LINK = 4,        /* an atom is linked to one of this number of atoms before it */
    TRACK_HEAD = 52        /* bytes of a header before its coefficients */
};

enum track_kind { TRACK_FLOATS, TRACK_GRID };

/* Predictor of a generation. The predicted displacement is the sum of q earlier displacements with
 * the weights coef[q - 1][k]. For a vector between linked atoms, stay[q] times the vector is
 * added. */
struct track_model {
    unsigned order;
    float stay[TRACK_ORDER + 1], coef[TRACK_ORDER][TRACK_ORDER];
};

/* Header of a stored part, and values derived from the header. */
struct track {
    enum track_kind kind;
    unsigned levels, generations;
    uint32_t exceptions;
    uint32_t base;   /* number of indices in the first of several levels, a multiple of 10 */
    float edge[3];   /* edges of the cell, or 0 if unknown */
    float middle[3]; /* prediction of the first row of generation 0 */
    double per;      /* indices per Å in level 0 */
    unsigned phase;  /* component with which the part begins, 0 for x, 1 for y and 2 for z */
    struct track_model model[TRACK_GENERATIONS];
    /* For each level, per_of is the number of indices per angstrom, and `unit` is its inverse. A
     * level begins at the length `from` and the index `first`, which are infinite if the level is
     * unused. The member `ahead` is the index minus length / unit. */
    double per_of[TRACK_LEVELS], unit[TRACK_LEVELS];
    double from[TRACK_LEVELS], first[TRACK_LEVELS], ahead[TRACK_LEVELS];
    /* The numbers of the part, and the linked atoms if there is more than one generation. Atom k
     * of a row has the numbers lead + 3k to lead + 3k + 2. */
    size_t count, row, lead, natoms;
    const unsigned char *link; /* distance to the atom to which each atom is linked, or 0 */
    uint32_t *atom;            /* atoms in order of their generations */
    size_t begin[TRACK_GENERATIONS + 1]; /* the first atom of each generation in `atom` */
};

/* Computes the arrays of the levels from the members `base`, `per` and `levels`. */
void track_levels(struct track *t);
/* Sets the members `row`, `lead` and `natoms` for parts with rows of `row` numbers. */
void track_shape(struct track *t, size_t row);
/* Sorts the atoms by generation, with `depth` as scratch memory of natoms bytes. Returns false if a
 * link is not valid or needs too many generations. */
bool track_sort(struct track *t, unsigned char *depth);
/* Chooses how the numbers x are packed, and sets the members `kind`, `levels`, `middle`,
 * `generations`, `model`, `link` and `atom`. The arrays `link` and `atom` are stored in the memory
 * `room`, which has 6 bytes per atom. Before the call, the caller sets the members `edge`, `phase`
 * and `count` and calls track_shape. Atoms are linked only if x are positions. Returns false if a
 * number is NaN or too large. */
bool track_choose(struct track *t, const float *x, bool positions, unsigned char *room);

/* Returns the bytes of scratch memory for a part of n bytes. */
static inline size_t track_room(size_t n)
{
    return 2 * n + 256;
}

/* Packs the n bytes of a part, which consists of f32 numbers, into out[] of n bytes, with
 * track_room(n) bytes of scratch memory. Rows have `row` numbers, and the first number of the part
 * is number `at` of its array. The array edge[] contains the edges of the cell, or 0 if they are
 * unknown. If the numbers are not positions, edge is NULL. Returns the stored length, or 0 if it
 * would exceed 95 % of n. */
size_t track_pack(const float edge[3], size_t row, uint64_t at, const void *raw, size_t n,
                  void *out, void *scratch);

/* Restores the n bytes of a part of codec 2 or 3 from `stored` bytes, with track_room(n) bytes of
 * scratch memory. Returns 0 on success, or -1 with an error message in e. */
int track_unpack(int codec, size_t row, uint64_t at, const void *packed, size_t stored, void *out,
                 size_t n, void *scratch, struct err *e);

/* ---- The following functions are compiled for every SIMD level (frame_track_simd.c), with
 * identical results. */

/* The table for decoding, whose index is the next TRACK_BITS bits of the string. An entry of the
 * table consists of four bytes, from the lowest: the length of the code in bits, this length plus
 * the number of additional bits, the number of additional bits, and the leading value. */
struct track_table {
    uint32_t of[1 << TRACK_BITS];
};
/* Decodes 8 strings of bits from the n bytes at p into v[0..8). Each string contains `count` values
 * of at most 40 bits. On entry, at[0..8) are the positions of the first bits of the strings. On
 * return, at[0..8) are the positions after the last bits of the strings. The function reads no byte
 * after p + n. */
SIMD_DECLARE(void, track_read,
             (const struct track_table *t, const unsigned char *p, size_t n, uint64_t at[8],
              uint32_t *const v[8], size_t count));
/* With one generation, these functions compute the residuals v of the floats x, or restore the
 * floats from the residuals in place. The array y receives the restored numbers. */
SIMD_DECLARE(void, track_apply, (const struct track *t, const float *x, float *y, uint32_t *v));
SIMD_DECLARE(void, track_undo, (const struct track *t, uint32_t *v));
/* If there are several generations, the following functions compute the residuals v of generation
 * g from the floats x, or restore the floats from the residuals. The array y receives the restored
 * numbers. First come the residuals of the first row of all atoms of this generation, and then the
 * other rows in tiles. The generations must be processed in order. The functions return the end of
 * the residuals. */
SIMD_DECLARE(uint32_t *, track_apply_linked,
             (const struct track *t, unsigned g, const float *x, float *y, uint32_t *v));
SIMD_DECLARE(uint32_t *, track_undo_linked,
             (const struct track *t, unsigned g, uint32_t *v, float *y));
/* Rounds n numbers x to the grid and stores the rounded numbers in y. */
SIMD_DECLARE(void, track_on_grid, (const struct track *t, const float *x, float *y, size_t n));
