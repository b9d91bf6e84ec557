/* SPDX-License-Identifier: MIT */
#include "formats/jumps.h"

#include <math.h>

#include "base/real.h"

/* An unsorted dump is a valid XYZ file and does not affect G and g(r). However, G2, G3 and G4
 * follow each atom and would be wrong without a warning. In a sorted trajectory, no atom moves by a
 * quarter of the cell between frames. In a shuffled trajectory, seven out of eight atoms do. */

#define JUMP 0.25        /* fraction of the cell edge (or extent) along any axis that is a jump */
#define SHORT 1.0        /* Å: width of the placeholder vector along a non-periodic axis */
#define MANY_IN_CELL 16  /* if more than 1 in 16 atoms jump, this is not motion */
#define MANY_IN_EXTENT 4 /* the same without a cell, where wrapped atoms appear to jump */
enum { FEW = 2 };        /* fewer jumps are ignored */
enum { RUN = 32 };       /* number of atoms checked at once */

static void find_extent(struct jumps *j, const void *pos, size_t n, bool f64)
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = HUGE_VAL, hi = -HUGE_VAL;
        for (size_t k = (size_t)axis; k < 3 * n; k += 3) {
            double v = real_at(pos, f64, k);
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
        j->extent[axis] = hi - lo;
    }
    j->has_extent = true;
}

/* Returns whether any of n numbers, from number `from` on, changed by more than `max`. */
static inline __attribute__((always_inline)) bool
any_far(const void *before, const void *now, size_t from, size_t n, bool f64, double max)
{
    const float *p = before, *q = now, limit = (float)max;
    unsigned far = 0;
    for (size_t k = from; k < from + n; k++)
        far |= f64 ? !(fabs(real_at(now, true, k) - real_at(before, true, k)) <= max)
                   : !(fabsf(q[k] - p[k]) <= limit);
    return far;
}

/* Counts atoms that jump. The array inv is from struct box, and wrap is 1 for periodic axes. Runs
 * of atoms that move too little along x, y and z to jump are skipped. */
static inline __attribute__((always_inline)) size_t count_jumps(const void *before, const void *now,
                                                                size_t natoms, bool f64,
                                                                const double inv[3][3],
                                                                const double wrap[3])
{
    size_t jumps = 0;
    double steepest = 0.0;
    for (int k = 0; k < 3; k++)
        steepest = fmax(steepest, fabs(inv[0][k]) + fabs(inv[1][k]) + fabs(inv[2][k]));
    const double max = JUMP * (1.0 - 1e-6) / steepest;
    for (size_t i = 0; i < natoms; i++) {
        double d[3], far = 0.0;
        while (i % RUN == 0 && i + RUN <= natoms && !any_far(before, now, 3 * i, 3 * RUN, f64, max))
            i += RUN;
        if (i == natoms)
            break;
        for (size_t a = 0; a < 3; a++)
            d[a] = real_at(now, f64, 3 * i + a) - real_at(before, f64, 3 * i + a);
        for (int k = 0; k < 3; k++) {
            double s = d[0] * inv[0][k] + d[1] * inv[1][k] + d[2] * inv[2][k];
            s = fabs(s - wrap[k] * box_nint_f64(s));
            far = s > far ? s : far;
        }
        jumps += far > JUMP;
    }
    return jumps;
}

int jumps_check(struct jumps *j, const struct box *box, size_t n, bool f64, const void *before,
                const void *now, uint64_t every, struct err *e)
{
    bool cell = box_volume(box) > 0.0;
    double inv[3][3] = {{0}}, wrap[3];
    if (!cell && !j->has_extent)
        find_extent(j, before, n, f64);
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3 && cell; axis++)
            inv[axis][k] = box->inv[axis][k];
        if (!cell && j->extent[k] > 0.0)
            inv[k][k] = 1.0 / j->extent[k];
        wrap[k] = !cell || box->pbc[k];
        if (cell && !box->pbc[k] && box_width(box, k) <= SHORT)
            inv[0][k] = inv[1][k] = inv[2][k] = 0.0;
    }
    size_t many = n / (cell ? MANY_IN_CELL : MANY_IN_EXTENT);
    size_t jumps = f64 ? count_jumps(before, now, n, true, inv, wrap)
                       : count_jumps(before, now, n, false, inv, wrap);
    if (jumps < FEW || jumps <= many)
        return 0;
    const char *when = every > 1 ? ", as with --select" : "";
    const char *whole = cell ? "the cell" : "the extent of all atoms";
    return err_bad(e,
                   "%zu of %zu atoms moved by more than a quarter of %s since the previous frame: "
                   "the order of the atoms may change from frame to frame, which makes results "
                   "wrong (in LAMMPS, sort the dump with dump_modify sort id; if the frames really "
                   "are that far apart in time%s, use --jumps-ok)",
                   jumps, n, whole, when);
}
