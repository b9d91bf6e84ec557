/* SPDX-License-Identifier: MIT */
/*
 * alpha_model.h: which sites a trajectory has, where they are and how they turn.
 *
 * A model of atoms is a polarizability (Å³) for each species, --polarizability Ar=1.64,Kr=2.48. One of
 * molecules is a text, a line each (# begins a comment):
 *
 *     molecule CO2  C O O         a name, then its atoms in the order of the trajectory
 *       mass 12.011 15.999 15.999 of its atoms; only for `site centre`
 *       site C  2.18 2.18 4.03  frame 2-3
 *     molecule Ar  Ar
 *       site Ar  1.64
 *
 * site WHERE ALPHA: at an atom, by its species where the molecule has one such, or by its number (from
 * 1), or at the centre of mass. ALPHA: one number, or three along x, y and z of a frame. frame A-B: z
 * from atom A to atom B, x and y alike; frame A-B,C: x in the plane of the three, on C's side. Numbers
 * are of atoms of the molecule, from 1.
 *
 * The atoms of the trajectory are taken for the molecule whose atoms they are, the one with most of
 * them first. Sites without polarizability are left out. A molecule is made whole by nearest images,
 * atom by atom from its first.
 */
#ifndef MBF_ALPHA_MODEL_H
#define MBF_ALPHA_MODEL_H

#include "base/box.h"
#include "base/err.h"
#include "stats/weights.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct alpha_model;

/* atoms: --polarizability (n 0: not given); path: a file of molecules, NULL: not given; one of the
 * two. m: names the natoms. NULL with e: no such file or line, a species without polarizability, atoms
 * that are no molecule's. */
struct alpha_model *alpha_model_open(const struct weights *atoms, const char *path,
                                     const struct meta *m, size_t natoms, struct err *e);
size_t alpha_model_sites(const struct alpha_model *m);
/* For META: "Ar 256: 1.64, FNV-1a ...", the sum of all of the model. */
const char *alpha_model_said(const struct alpha_model *m);
/* Sites of a step: r [natoms][3] Å in dtype, of this cell; at [sites][3], s [sites][6] as in alpha.h. 0,
 * or -1 with e: two atoms of a frame, or three in a line, at one place. */
int alpha_model_place(const struct alpha_model *m, enum frame_dtype dtype, const void *r,
                      const struct box *b, uint64_t frame, double *at, double *s, struct err *e)
    __attribute__((warn_unused_result));
void alpha_model_free(struct alpha_model *m); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
