/* SPDX-License-Identifier: MIT */
/* alpha_permanent.h: computes the field of permanent charges, dipoles and quadrupoles at the
 * polarizable sites of one time step, with one thread.
 *
 * At the vector r from a site with the charge q, the dipole m and the traceless quadrupole Q, the
 * field is
 *     q b r + [3 g (m.r) r - b m] + [h (r.Q r) r - 2 g Q r],
 *     with b = 1/r³, g = 1/r⁵, h = 5/r⁷.
 * In a periodic cell, the field is summed over all images with conducting boundary conditions. The
 * short-range field has g = 1/r⁵ - q, b = r² g - rho and h = -(dg/dr)/r, with the functions q and
 * rho of alpha_split.h. A molecule exerts no field on the polarizable sites of the same molecule,
 * but its periodic images do. With damping (alpha.h), the factors b, g and h are multiplied by l3,
 * l5 and l7 = l5 - (u/5) dl5/du. Sites without polarizability are not damped. */
#pragma once

#include "alpha/alpha_cell.h"
#include "alpha/alpha_field.h"

struct alpha_permanent_field;
/* Allocates memory for the fields of p->npermanent permanent sites at p->nsites polarizable sites.
 * The argument s is NULL without periodic images. Returns NULL if memory runs out. */
struct alpha_permanent_field *alpha_permanent_new(const struct alpha_params *p,
                                                  const struct alpha_split *s);
/* Returns the memory in bytes that is needed for a reduced cell. */
double alpha_permanent_bytes(const struct alpha_params *p, const struct alpha_split *s,
                             const struct box *cell);
void alpha_permanent_free(struct alpha_permanent_field *f); /* NULL is allowed */
/* Computes the field out[3][stride] of the permanent sites `from` at the polarizable sites
 * pos[nsites][3] with the tensors s[nsites][6]. The stride equals the stride of the arrays of
 * dipoles in `by`. The cell of the time step is `box`, and its reduced cell is `cell`. The mesh of
 * `by`, which must be prepared for the same cell, is used. Returns 0, or -1 and sets *e if two
 * sites coincide or memory runs out. */
int alpha_permanent_add(struct alpha_permanent_field *f, struct alpha_field *by,
                        const struct box *cell, const struct box *box, const double *pos,
                        const double *s, const struct alpha_permanent *from, double *out,
                        struct err *e) MUST_USE;

/* ---- waves of a rod */

/* Positions and permanent moments of n sites. Moments are in the order of alpha.h, as components
 * along the reciprocal vectors, and quadrupoles are divided by 3. */
struct alpha_phases {
    size_t n, stride;
    double *at, *power[3], *xy; /* as in alpha_waves */
    int max[3];
};

/* Adds the field of all waves of a rod at the sites `to` to field[3][stride], as components along
 * the reciprocal vectors. The moments of the permanent sites `from` are moment[10][stride]. The
 * scratch arrays are scratch[5][stride] and sum[4][lanes]. */
SIMD_DECLARE(void, alpha_permanent_rod,
             (const struct alpha_rod *r, size_t lanes, const struct alpha_phases *from,
              const struct alpha_phases *to, const double *moment, int charges, double *scratch,
              double *sum, double *field));
