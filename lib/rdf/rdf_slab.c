/* SPDX-License-Identifier: MIT */
#include "rdf/rdf_slab.h"

#include <math.h>

#include "base/real.h"

#define BEYOND 1e-4 /* fraction of the width by which f32 rounds positions at the faces */
#define FLAT 1e-6   /* largest extent of atoms in a plane, over half the smallest periodic width */
#define CHANCE 1e-3 /* probability below which the atoms do not fill the cell */

const char *const rdf_slab_names[] = {NULL, "cell", "atoms", NULL, "plane"};

/* Computes the extent of the atoms of a step along the non-periodic vectors, as fractions. */
static void extents(const struct rdf_slab *s, const struct box *b, const void *pos, double part[3])
{
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < s->natoms; i++) {
        double r[3];
        real_vector(pos, s->f64, i, r);
        for (int k = 0; k < 3; k++) {
            double v = box_fraction(b, r, k);
            lo[k] = v < lo[k] ? v : lo[k];
            hi[k] = v > hi[k] ? v : hi[k];
        }
    }
    for (int k = 0; k < 3; k++)
        part[k] = hi[k] - lo[k];
}

/* Returns whether atoms that fill the width would rarely have such a small extent by chance. */
static bool empty(double part, double n)
{
    return n > 1.0 && n * pow(part, n - 1.0) - (n - 1.0) * pow(part, n) < CHANCE;
}

/* Returns whether all atoms lie in one plane, given their extent along axis k as a fraction of the
 * width. */
static bool flat(const struct box *b, int k, double part)
{
    return part * box_width(b, k) <= FLAT * box_half_width(b);
}

/* Returns the width of the sample as a fraction of the width of the cell. */
static double width(const struct rdf_slab *s, double part)
{
    double n = (double)s->natoms;
    return part > 0.0 && n > 1.0 ? part * (n + 1.0) / (n - 1.0) : 1.0;
}

int rdf_slab_begin(struct rdf_slab *s, double given, const struct traj_info *info,
                   const struct box *b, const void *pos, struct err *e)
{
    double part[3];
    int axes = b->pbc[0] + b->pbc[1] + b->pbc[2];
    bool cell = box_volume(b) > 0.0;
    *s = (struct rdf_slab){.natoms = info->natoms, .f64 = info->dtype == FRAME_F64, .given = given};
    if (!isnan(given) && (axes != 2 || !cell))
        return err_bad(
            e, "--thickness: expected a cell periodic along two axes, found %d periodic axes",
            axes);
    if (!cell)
        return 0;
    extents(s, b, pos, part);
    for (int k = 0; k < 3; k++)
        s->flat |= axes % 2 == 1 && info->natoms > 3 && flat(b, k, part[k]);
    if (axes == 3)
        return 0;
    s->how = isnan(given) ? RDF_SLAB_CELL : RDF_SLAB_GIVEN;
    for (int k = 0; k < 3 && isnan(given); k++)
        if (!b->pbc[k] && axes == 2 && info->natoms > 1 && flat(b, k, part[k]))
            s->how = RDF_SLAB_PLANE;
        else if (!b->pbc[k] && s->how == RDF_SLAB_CELL && part[k] > 0.0 &&
                 (part[k] > 1.0 + BEYOND || (axes > 0 && empty(part[k], (double)s->natoms)))) {
            s->how = RDF_SLAB_ATOMS;
            s->was = box_width(b, k);
            s->is = width(s, part[k]) * s->was;
        }
    return 0;
}

int rdf_slab_box(const struct rdf_slab *s, const struct box *b, const void *pos, struct box *to,
                 struct err *e)
{
    double part[3], cell[9];
    *to = *b;
    if (s->how == RDF_SLAB_NONE)
        return 0;
    extents(s, b, pos, part);
    for (int k = 0; k < 9; k++)
        cell[k] = b->h[k / 3][k % 3];
    for (int k = 0; k < 3; k++) {
        double by = 1.0;
        if (b->pbc[k])
            continue;
        if (s->how == RDF_SLAB_GIVEN)
            by = s->given / box_width(b, k);
        else if (s->how == RDF_SLAB_ATOMS || (s->how == RDF_SLAB_CELL && part[k] > 1.0 + BEYOND))
            by = width(s, part[k]);
        if (s->how == RDF_SLAB_GIVEN && part[k] > by * (1.0 + BEYOND))
            return err_bad(
                e, "expected atoms within --thickness %g A, found a layer of atoms %.6g A thick",
                s->given, part[k] * box_width(b, k));
        if (s->how == RDF_SLAB_PLANE && !flat(b, k, part[k]))
            return err_bad(e,
                           "expected atoms in a plane as in the first step, found a layer of atoms "
                           "%.6g A thick (set the width of a slab with --thickness A)",
                           part[k] * box_width(b, k));
        for (int a = 0; a < 3; a++)
            cell[3 * k + a] *= by;
    }
    return box_init(to, cell, b->pbc) == 0 ? 0 : err_bad(e, "the cell is too flat");
}
