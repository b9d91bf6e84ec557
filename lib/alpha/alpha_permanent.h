/* SPDX-License-Identifier: MIT */
/* alpha_permanent.h: computes the field of permanent charges, dipoles and quadrupoles at the
 * polarizable sites of one step, with one thread.
 *
 * A site has the charge q, the dipole m and the traceless quadrupole Q. The field of
 * the site at the vector r is
 *     q b r + [3 g (m.r) r - b m] + [h (r.Q r) r - 2 g Q r],
 *     with b = 1/r³, g = 1/r⁵, h = 5/r⁷.
 * In a periodic cell, the field is summed over all images with conducting boundary conditions. The
 * short-range part of the field uses the functions q and rho of alpha_split.h, with g = 1/r⁵ - q, b
 * = r² g - rho and h = -(dg/dr)/r. The field of a molecule does not act on the polarizable sites of
 * the same molecule, but the fields of its periodic images do. With damping (alpha.h), the factors
 * b, g and h are multiplied by l3, l5 and l7 = l5 - (u/5) dl5/du. Damping does not apply to sites
 * without polarizability. */
#pragma once

#include "alpha/alpha_cell.h"
#include "alpha/alpha_field.h"

struct alpha_permanent_field;
/* Prepares to compute the fields of p->npermanent permanent sites at p->nsites sites. The argument
 * s is NULL if periodic images are not included. Returns NULL if memory runs out. */
struct alpha_permanent_field *alpha_permanent_new(const struct alpha_params *p,
                                                  const struct alpha_split *s);
/* Returns the memory that a reduced cell needs, in bytes. */
double alpha_permanent_bytes(const struct alpha_params *p, const struct alpha_split *s,
                             const struct box *cell);
void alpha_permanent_free(struct alpha_permanent_field *f); /* NULL is allowed */
/* Computes the field out[3][stride] at the sites pos[nsites][3] with the tensors s[nsites][6]. The
 * stride equals the stride of the arrays of dipoles. The cell of the step is `box`, and its reduced
 * cell is `cell`. The object `by` computes the field of the dipoles in the same cell. The
 * computation uses the mesh of the object `by`. Returns 0 on success, or -1 with an error message
 * in e if two sites coincide or memory runs out. */
int alpha_permanent_add(struct alpha_permanent_field *f, struct alpha_field *by,
                        const struct box *cell, const struct box *box, const double *pos,
                        const double *s, const struct alpha_permanent *from, double *out,
                        struct err *e) MUST_USE;

/* ---- waves of a rod */

/* The positions of n sites, and the moments of the permanent sites. The moments are in the order of
 * alpha.h, as components along the reciprocal vectors. The quadrupoles are divided by 3. */
struct alpha_phases {
    size_t n, stride;
    double *at, *power[3], *xy; /* phases of the waves, as in alpha_waves, [3][stride] and
                                 * [2][stride] */
    int max[3];
};

/* Computes the field that the waves of a rod cause at the sites `to`, and adds it to
 * field[3][stride], as components along the reciprocal vectors. The moments of the sites `from` are
 * in moment[10][stride]. The arrays scratch[5][stride] and sum[4][lanes] are scratch memory. */
SIMD_DECLARE(void, alpha_permanent_rod,
             (const struct alpha_rod *r, size_t lanes, const struct alpha_phases *from,
              const struct alpha_phases *to, const double *moment, int charges, double *scratch,
              double *sum, double *field));
