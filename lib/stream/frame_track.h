/* SPDX-License-Identifier: MIT */
/*
 * frame_track.h: codec 2 of mbf(5), which predicts the positions of the atoms in a part and stores
 * the errors of the prediction. Internal to frame*.c.
 *
 * A part consists of rows (time steps) of `row` f32 numbers. Each number is predicted from earlier
 * rows of the part; nothing before the part is needed. Numbers become integers: their rank among
 * all floats, or their index on a decimal grid if (nearly) all numbers lie on a grid. The
 * difference between number and prediction is written in classes, with a prefix code made for the
 * part. Every bit of every value is restored, which the writer verifies before it writes.
 */
#ifndef MBF_FRAME_TRACK_H
#define MBF_FRAME_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TRACK_ORDER = 6,      /* previous steps in a prediction, at most */
    TRACK_LEVELS = 8,     /* levels (decades) of a grid that becomes coarser */
    TRACK_CLASSES = 240,  /* classes of a residual u: u itself below 16, then 8 per octave */
    TRACK_BITS = 12,      /* bits of the longest code */
    TRACK_LANES = 64,     /* bit strings in a part */
    TRACK_OFF_GRID = 256, /* one number in this many may be off the grid */
    TRACK_HEAD = 152      /* bytes before the coefficients */
};

enum track_kind { TRACK_FLOATS, TRACK_GRID };

/* Header of a stored part, and values derived from it. */
struct track {
    enum track_kind kind;
    unsigned order, levels;
    uint32_t exceptions;
    uint32_t base;  /* with several levels: indices of the first level, a multiple of 10 */
    float edge[3];  /* edges of the periodic cell along x, y, z; 0: unknown */
    double per;     /* indices per angstrom on the finest level */
    unsigned phase; /* component (x, y or z) with which the part begins */
    unsigned char length[TRACK_CLASSES];  /* length of a class's code in bits; 0: class not used */
    float coef[TRACK_ORDER][TRACK_ORDER]; /* [q - 1][k]: weight of displacement k back if q are
                                             known */
    /* For each level: indices per angstrom and angstroms per index; where the level begins, as a
     * length and as an index (infinity: unused); and its index offset from length / unit. */
    double per_of[TRACK_LEVELS], unit[TRACK_LEVELS];
    double from[TRACK_LEVELS], first[TRACK_LEVELS], ahead[TRACK_LEVELS];
};

/* Computes the levels from base, per and levels. */
void track_levels(struct track *t);
/* Chooses order, coef, kind and levels for the numbers x, given edge and phase. Returns false if a
 * number is NaN or too large. */
bool track_choose(struct track *t, const float *x, size_t count, size_t row);

/* Packs the n bytes of f32 of a part into out (capacity n), with n bytes of scratch. Rows have
 * `row` numbers, and the first number is number `at` of its array. The edges of the cell are in
 * edge (0: unknown, or not positions). Returns the stored length, or 0 if the length would exceed
 * 95 % of n. */
size_t track_pack(const float edge[3], size_t row, uint64_t at, const void *raw, size_t n,
                  void *out, void *scratch);

/* Restores the n bytes of a part from `stored` bytes. Returns 0, or -1 and sets e to what was
 * found. */
int track_unpack(size_t row, uint64_t at, const void *packed, size_t stored, void *out, size_t n,
                 struct err *e);

/* ---- built for every SIMD level (frame_track_simd.c), with the same bits at each */

/* Decoding table, indexed by the next TRACK_BITS bits. An entry holds, one byte each from the
 * lowest: the length of the code in bits, that length plus the number of extra bits, the number of
 * extra bits, and the leading value. */
struct track_table {
    uint32_t of[1 << TRACK_BITS];
};
/* Decodes eight bit strings from the n bytes p into v[0..8), each of `count` values of at most 40
 * bits. On entry at[0..8) holds the first bit of each string, on return its end. Nothing after p +
 * n is read. */
SIMD_DECLARE(void, track_read,
             (const struct track_table *t, const unsigned char *p, size_t n, uint64_t at[8],
              uint32_t *const v[8], size_t count));
/* Compute the residuals v of n floats x, or restore the floats from residuals in place. */
SIMD_DECLARE(void, track_apply,
             (const struct track *t, const float *x, uint32_t *v, size_t n, size_t row));
SIMD_DECLARE(void, track_undo, (const struct track *t, uint32_t *v, size_t n, size_t row));
/* Rounds n numbers x to the grid: y receives the number at the index of each. */
SIMD_DECLARE(void, track_on_grid, (const struct track *t, const float *x, float *y, size_t n));

#ifdef __cplusplus
}
#endif
#endif
