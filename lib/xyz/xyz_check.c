/* SPDX-License-Identifier: MIT */
/*
 * Atoms that changed places between frames. An unsorted dump is still a valid XYZ file, and G and
 * g(r) do not notice; but G2, G3 and G4 follow each atom, so they would be silently wrong. In a
 * sorted trajectory no atom moves by a quarter of the cell between frames; after a shuffle seven in
 * eight do.
 */
#include <math.h>

#include "xyz/xyz_reader.h"

#define JUMP 0.25 /* of the cell's edge (of the extent where there is no cell), along any axis */
#define MANY_IN_CELL 16  /* one atom in so many has jumped: not motion */
#define MANY_IN_EXTENT 4 /* the same without a cell, where a wrapped atom may look like a jump */
enum { FEW = 2 };        /* fewer atoms than this never count */

static inline double coordinate(const void *pos, bool f64, size_t k)
{
    return f64 ? ((const double *)pos)[k] : (double)((const float *)pos)[k];
}

static void find_extent(struct xyz_reader *x, const void *pos)
{
    for (int a = 0; a < 3; a++) {
        double lo = HUGE_VAL, hi = -HUGE_VAL;
        for (size_t k = (size_t)a; k < 3 * x->natoms; k += 3) {
            double v = coordinate(pos, x->opts.f64, k);
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
        x->extent[a] = hi - lo;
    }
    x->has_extent = true;
}

/* inv as in struct box; wrap: 1 where the axis is periodic. */
static inline __attribute__((always_inline)) size_t count_jumps(const void *before, const void *now,
                                                                size_t natoms, bool f64,
                                                                const double inv[3][3],
                                                                const double wrap[3])
{
    size_t jumps = 0;
    for (size_t i = 0; i < natoms; i++) {
        double d[3], far = 0.0;
        for (size_t a = 0; a < 3; a++)
            d[a] = coordinate(now, f64, 3 * i + a) - coordinate(before, f64, 3 * i + a);
        for (int k = 0; k < 3; k++) {
            double s = d[0] * inv[0][k] + d[1] * inv[1][k] + d[2] * inv[2][k];
            s = fabs(s - wrap[k] * box_nint_f64(s));
            far = s > far ? s : far;
        }
        jumps += far > JUMP;
    }
    return jumps;
}

int xyz_check_sorted(struct xyz_reader *x, size_t span, const void *before, const void *now)
{
    const struct box *box = &x->heads[span].box;
    bool cell = box_volume(box) > 0.0;
    double inv[3][3] = {{0}}, wrap[3];
    if (!cell && !x->has_extent)
        find_extent(x, before);
    for (int k = 0; k < 3; k++) {
        for (int a = 0; a < 3 && cell; a++)
            inv[a][k] = box->inv[a][k];
        if (!cell && x->extent[k] > 0.0)
            inv[k][k] = 1.0 / x->extent[k];
        wrap[k] = !cell || box->pbc[k];
    }
    size_t n = x->natoms, many = n / (cell ? MANY_IN_CELL : MANY_IN_EXTENT);
    size_t jumps = x->opts.f64 ? count_jumps(before, now, n, true, inv, wrap)
                               : count_jumps(before, now, n, false, inv, wrap);
    if (jumps < FEW || jumps <= many)
        return 0;
    return xyz_fail(x, span, SIZE_MAX,
                    "%zu of %zu atoms moved by more than a quarter of %s since the frame before: "
                    "is this dump unsorted (LAMMPS: "
                    "dump_modify sort id)? That would make G2, G3 and G4 silently wrong. "
                    "--unsorted-ok takes it as it is, "
                    "e.g. when the frames really are that far apart%s",
                    jumps, n, cell ? "the cell" : "the extent of all atoms",
                    x->opts.step > 1 ? " (--select widens the step)" : "");
}
