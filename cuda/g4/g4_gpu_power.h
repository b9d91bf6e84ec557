/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu_power.h: power spectra of many real series, added up, and their transform back to lags
 * (g4_gpu_power.cuh). Lengths 4096 RA, RA = 1, 2, 4, 5, 8, 10, 16.
 */
#ifndef MBF_G4_GPU_POWER_H
#define MBF_G4_GPU_POWER_H

#include "g4/g4_gpu.h"

#define POWER_MAX_LENGTH 65536
#define POWER_SUMS (256 * (size_t)4096) /* doubles: sums of all parts, at most */

enum power_kind { POWER_POSN_F32, POWER_POSN_F64, POWER_PAIR_F32, POWER_PAIR_F64, POWER_ROWS };

struct power_args {
    const void *src; /* positions [atom][ld], pairs [step][ld] or rows [row][ld] of double */
    size_t ld, rows; /* rows: atoms, pairs or rows */
    size_t first;    /* first series of the batch; a series is two rows or pairs, of positions as in
                  power_start */
    int count;       /* series of the batch */
    int kind, steps; /* enum power_kind; values behind `steps` are 0 */
    double2 *y;      /* [count][L / 256][256] */
    double *sums;    /* [power_parts][L / 256][256]: added to */
    const double2 *table; /* [L]: exp(-2 pi i n / L) */
    double *out;          /* [count][lags] */
    int lags;
    int per; /* set by the launchers: series of a block */
    beta_args beta;
};

/*
 * Series of positions: (i, j) and (i + 1, j), i even, i < j, in squares of 16 x 16 atoms, column of
 * squares after column, so that the positions in use are few. Columns of squares before J have 64
 * J^2 series.
 */
struct power_walk {
    unsigned i, j;
    unsigned begin, end; /* columns of the square, [begin, end) */
};

HD size_t power_series(size_t natoms)
{
    size_t full = natoms / 16, rest = natoms % 16, sum = 64 * full * full + full * 8 * rest;
    for (size_t i = 0; i + 1 < rest; i += 2)
        sum += rest - 1 - i;
    return sum;
}

HD void power_start(struct power_walk *w, unsigned natoms, size_t s)
{
    size_t column = (size_t)sqrt((double)s / 64.0), full = natoms / 16;
    while (64 * column * column > s)
        column--;
    while (64 * (column + 1) * (column + 1) <= s)
        column++;
    column = column < full ? column : full;
    w->begin = 16 * (unsigned)column;
    w->end = w->begin + 16 < natoms ? w->begin + 16 : natoms;
    size_t width = w->end - w->begin, rest = s - 64 * column * column;
    if (rest < 8 * width * column) { /* above the diagonal */
        w->i = 2 * (unsigned)(rest / width);
        w->j = w->begin + (unsigned)(rest % width);
        return;
    }
    rest -= 8 * width * column;
    for (w->i = w->begin; w->i + 2 < w->end && rest >= w->end - w->i - 1; w->i += 2)
        rest -= w->end - w->i - 1;
    w->j = w->i + 1 + (unsigned)rest;
}

/* To the next series. Is i another one? */
HD bool power_next(struct power_walk *w, unsigned natoms)
{
    if (++w->j < w->end)
        return false;
    w->i += 2;
    if (w->i + 1 >= w->end) { /* the diagonal square is done */
        w->i = 0;
        w->begin = w->end;
        w->end = w->begin + 16 < natoms ? w->begin + 16 : natoms;
    }
    w->j = w->i < w->begin ? w->begin : w->i + 1;
    return true;
}

/*
 * RA of the shortest transform of so many steps and lags that every device list[ndev] can run, or
 * 0.
 */
int power_radix(const int *list, int ndev, size_t need);
/* exp(-2 pi i n / length) for n < length. */
void power_table(double2 *table, int length);
/* Arrays of L sums that a batch is shared among. */
int power_parts(int ra);
/* Power spectra of a batch, added to a.sums. cell: enum g4_cell. */
int power_batch(struct err *e, int ra, int cell, struct power_args a, cudaStream_t stream);
/* a.out = real parts of the transforms of a.rows / 2 rows (2 s; 2 s + 1: zeros) of L values. */
int power_back(struct err *e, int ra, struct power_args a, cudaStream_t stream);
/* out[L] = sum of n arrays in order; scatter: in the order of frequencies, else as they lie. */
int power_total(struct err *e, int ra, const double *in, int n, int scatter, double *out,
                cudaStream_t stream);

#endif
