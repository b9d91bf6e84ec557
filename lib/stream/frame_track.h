/* SPDX-License-Identifier: MIT */
/*
 * frame_track.h: codec 2 of mbf(5), which predicts where the atoms of a part will be and stores how
 * far that was off. Internal to lib/stream/frame*.c.
 *
 * A part is taken as rows (time steps) of `row` f32 numbers, each of them predicted from those in
 * the rows before; nothing before the part is needed. Numbers become whole ones: by their order
 * among all floats, or by their place on a decimal grid where (nearly) all are on one. What is left
 * between the number and its prediction is written in classes, by a prefix code made for the part.
 * Every bit of every value comes back, which the writer has seen before it writes.
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
    TRACK_ORDER = 6,      /* steps before that a prediction may take in */
    TRACK_LEVELS = 8,     /* decades of a grid that becomes coarser */
    TRACK_CLASSES = 240,  /* of a residual u: u itself below 16, then 8 in an octave */
    TRACK_BITS = 12,      /* of the longest code */
    TRACK_LANES = 64,     /* strings of bits in a part */
    TRACK_OFF_GRID = 256, /* one number of so many may be off the grid */
    TRACK_HEAD = 152      /* bytes ahead of the coefficients */
};

enum track_kind { TRACK_FLOATS, TRACK_GRID };

/* What the head of a stored part says, and what follows from it. */
struct track {
    enum track_kind kind;
    unsigned order, levels;
    uint32_t exceptions;
    uint32_t base;  /* of several levels: indices of the first, a multiple of 10 */
    float edge[3];  /* of the periodic cell along x, y, z; 0: not known */
    double per;     /* indices an angstrom on the finest level */
    unsigned phase; /* which of x, y, z the part begins with */
    unsigned char length[TRACK_CLASSES];  /* bits of a class's code, 0: it does not occur */
    float coef[TRACK_ORDER][TRACK_ORDER]; /* [q - 1][k]: of step k before, where q are known */
    /* Of each level: indices an angstrom and angstroms an index; where it begins, as a length and
     * as an index (infinity: it does not); what its indices are ahead of length / unit. */
    double per_of[TRACK_LEVELS], unit[TRACK_LEVELS];
    double from[TRACK_LEVELS], first[TRACK_LEVELS], ahead[TRACK_LEVELS];
};

/* Levels from base, per and levels. */
void track_levels(struct track *t);
/* What suits the numbers x, in rows: order, coef, kind and its levels; edge and phase are known. false:
 * one is no number, or too large. */
bool track_choose(struct track *t, const float *x, size_t count, size_t row);

/*
 * Pack the n bytes of f32 of a part, whose rows have `row` numbers and whose first number is number
 * `at` of its array, into out (capacity n), through scratch (n bytes). edge: of the cell (0: not
 * known, or no positions). Returns the stored length, or 0 when it would be more than 95 % of n.
 */
size_t track_pack(const float edge[3], size_t row, uint64_t at, const void *raw, size_t n,
                  void *out, void *scratch);

/* The n bytes of a part back from `stored` ones. 0, or -1 with what was found in e. */
int track_unpack(size_t row, uint64_t at, const void *packed, size_t stored, void *out, size_t n,
                 struct err *e);

/* ---- for every SIMD level (frame_track_simd.c), the same bits at each */

/* A code's class, a byte each from the lowest: bits of the code, with those that follow it, those
 * that follow it, what stands ahead of these. Index: the next TRACK_BITS bits. */
struct track_table {
    uint32_t of[1 << TRACK_BITS];
};
/* Eight strings of bits at byte[0..8) of the n bytes p, each of `count` values of at most 40 bits,
 * to v[0..8). Returns where each ended, in bits, in at[0..8); reads nothing behind p + n. */
SIMD_DECLARE(void, track_read,
             (const struct track_table *t, const unsigned char *p, size_t n, uint64_t at[8],
              uint32_t *const v[8], size_t count));
/* n numbers: residuals v from the floats x; and floats from residuals, in place. */
SIMD_DECLARE(void, track_apply,
             (const struct track *t, const float *x, uint32_t *v, size_t n, size_t row));
SIMD_DECLARE(void, track_undo, (const struct track *t, uint32_t *v, size_t n, size_t row));
/* Indices of n numbers on the grid, and the numbers at the indices. */
SIMD_DECLARE(void, track_on_grid, (const struct track *t, const float *x, float *y, size_t n));

#ifdef __cplusplus
}
#endif
#endif
