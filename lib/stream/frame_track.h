/* SPDX-License-Identifier: MIT */
/* frame_track.h: implements codec 2 of mbf(5), which predicts the positions in a part and stores
 * the prediction errors. Only frame*.c use this header.
 *
 * A part consists of rows (time steps) of `row` f32 numbers. Each number is converted to an
 * integer, which is its rank among all floats or, if nearly all numbers lie on a decimal grid, an
 * index on this grid. The integer is predicted from earlier rows of the same part. The difference
 * between the integer and its prediction is stored as a class, with a prefix code made for the
 * part, and additional bits. The writer verifies that decoding restores every bit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/simd.h"

enum {
    TRACK_ORDER = 6,      /* largest number of earlier steps that a prediction uses */
    TRACK_LEVELS = 8,     /* largest number of levels of a grid */
    TRACK_CLASSES = 240,  /* number of classes: one per residual below 16, and 8 per octave of
                           * larger residuals */
    TRACK_BITS = 12,      /* number of bits of the longest code */
    TRACK_LANES = 64,     /* number of separate bit strings in a part */
    TRACK_OFF_GRID = 256, /* inverse of the largest fraction of numbers that may be off the grid */
    TRACK_HEAD = 152      /* bytes before coef */
};

enum track_kind { TRACK_FLOATS, TRACK_GRID };

/* Header of a stored part, and values that are computed from the header. */
struct track {
    enum track_kind kind;
    unsigned order, levels;
    uint32_t exceptions;
    uint32_t base;  /* number of indices in the first of several levels, a multiple of 10 */
    float edge[3];  /* edges of the cell in Å, or 0 if unknown */
    double per;     /* indices per Å in level 0 */
    unsigned phase; /* coordinate with which the part begins: 0 for x, 1 for y, 2 for z */
    unsigned char length[TRACK_CLASSES];  /* bits per code; 0: unused */
    float coef[TRACK_ORDER][TRACK_ORDER]; /* weights [q - 1][k] of the displacement k of a total of
                                           * q */
    /* For each level, per_of is the number of indices per angstrom, and `unit` is its inverse. A
     * level begins at the length `from` and the index `first`, which are infinite if the level is
     * unused. The member `ahead` is the index minus length / unit. */
    double per_of[TRACK_LEVELS], unit[TRACK_LEVELS];
    double from[TRACK_LEVELS], first[TRACK_LEVELS], ahead[TRACK_LEVELS];
};

/* Computes the arrays of the levels from the members `base`, `per` and `levels`. */
void track_levels(struct track *t);
/* Sets the members `order`, `coef`, `kind` and `levels` for the numbers x. The caller sets the
 * members `edge` and `phase` first. If a number is NaN or too large, returns false. */
bool track_choose(struct track *t, const float *x, size_t count, size_t row);

/* Packs the n bytes of a part, which consists of f32 numbers, into out[]. The buffers out[] and
 * scratch[] hold n bytes each. A row has `row` numbers, and the first number of the part is number
 * `at` of its array. The array edge[] contains the edges of the cell, or 0 if they are unknown or
 * the numbers are not positions. Returns the stored length, or 0 if this length would exceed 95 %
 * of n. */
size_t track_pack(const float edge[3], size_t row, uint64_t at, const void *raw, size_t n,
                  void *out, void *scratch);

/* Restores the n bytes of a part from `stored` bytes. Returns 0 on success, or -1 with an error
 * message in e. */
int track_unpack(size_t row, uint64_t at, const void *packed, size_t stored, void *out, size_t n,
                 struct err *e);

/* ---- The following functions are compiled for every SIMD level (frame_track_simd.c), with
 * identical results. */

/* The table for decoding, whose index is the next TRACK_BITS bits of the string. An entry of the
 * table consists of four bytes, from the lowest: the length of the code in bits, this length plus
 * the number of additional bits, the number of additional bits, and the leading value. */
struct track_table {
    uint32_t of[1 << TRACK_BITS];
};
/* Decodes eight bit strings from the n bytes at p into v[0..8). Each string contains `count` values
 * of at most 40 bits. On entry, at[0..8) are the positions of the first bits of the strings. On
 * return, at[0..8) are the positions after the last bits of the strings. The function reads no byte
 * after p + n. */
SIMD_DECLARE(void, track_read,
             (const struct track_table *t, const unsigned char *p, size_t n, uint64_t at[8],
              uint32_t *const v[8], size_t count));
/* The following functions compute the residuals of n floats, or restore the floats from the
 * residuals in place. */
SIMD_DECLARE(void, track_apply,
             (const struct track *t, const float *x, uint32_t *v, size_t n, size_t row));
SIMD_DECLARE(void, track_undo, (const struct track *t, uint32_t *v, size_t n, size_t row));
/* Rounds n numbers x to the grid, and stores the rounded numbers in y. */
SIMD_DECLARE(void, track_on_grid, (const struct track *t, const float *x, float *y, size_t n));
