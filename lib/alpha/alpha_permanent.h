/* SPDX-License-Identifier: MIT */
/* alpha_permanent.h: computes the field of permanent charges, dipoles and quadrupoles at the
 * polarizable sites of one step, with one thread.
 *
 * At the distance r from a site with charge q, dipole m and traceless quadrupole Q, the field is
 *     q b r + [3 g (m.r) r - b m] + [h (r.Q r) r - 2 g Q r],
 *     b = 1/r³, g = 1/r⁵, h = 5/r⁷.
 * In a periodic cell, the field is summed over all images with conducting boundary conditions. With
 * the functions q and rho of alpha_split.h, the short-range part of the sum has g = 1/r⁵ - q,
 * b = r² g - rho and h = -(dg/dr)/r. The sites of a molecule have no field at the polarizable sites
 * of the same molecule, but the images of the molecule have. With damping (alpha.h), b, g and h are
 * multiplied by l3, l5 and l7 = l5 - (u/5) dl5/du. Sites without polarizability are not damped. */
#pragma once

#include "alpha/alpha_cell.h"
#include "alpha/alpha_field.h"

struct alpha_permanent_field;
/* Begins the fields of p->npermanent sites at p->nsites sites. The split s is NULL without images.
 * Returns NULL if memory runs out. */
struct alpha_permanent_field *alpha_permanent_new(const struct alpha_params *p,
                                                  const struct alpha_split *s);
/* Returns the memory in bytes in a reduced cell. */
double alpha_permanent_bytes(const struct alpha_params *p, const struct alpha_split *s,
                             const struct box *cell);
void alpha_permanent_free(struct alpha_permanent_field *f); /* NULL is allowed */
/* Computes out[3][stride], with the stride of the dipoles, at the sites pos[nsites][3] with
 * tensors s[nsites][6]. The step has the cell `box`, its reduced cell is `cell`, and `by` is the
 * field of the dipoles in this cell, whose mesh is used. Returns 0, or -1 and sets e if two sites
 * coincide or memory runs out. */
int alpha_permanent_add(struct alpha_permanent_field *f, struct alpha_field *by,
                        const struct box *cell, const struct box *box, const double *pos,
                        const double *s, const struct alpha_permanent *from, double *out,
                        struct err *e) MUST_USE;

/* ---- waves of a rod */

/* The places of n sites, and the moments of those that are permanent, in units of the reciprocal
 * vectors, in the order of alpha.h. Quadrupoles are divided by 3. */
struct alpha_phases {
    size_t n, stride;
    double *at, *power[3], *xy; /* [3][stride], as in alpha_waves, [2][stride] */
    int max[3];
};

/* Adds the field of the waves of a rod at the sites `to` to field[3][stride], along the reciprocal
 * vectors. The moments of the sites `from` are moment[10][stride], and scratch has the shape
 * [5][stride]. Also uses sum[4][lanes] as scratch. */
SIMD_DECLARE(void, alpha_permanent_rod,
             (const struct alpha_rod *r, size_t lanes, const struct alpha_phases *from,
              const struct alpha_phases *to, const double *moment, int charges, double *scratch,
              double *sum, double *field));
