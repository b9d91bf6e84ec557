/* SPDX-License-Identifier: MIT */
/*
 * alpha_model.h: the polarizable sites of a trajectory, their positions and their orientations.
 *
 * A model of atoms gives a polarizability (Å³) for each species: --polarizability Ar=1.64,Kr=2.48.
 * A model of molecules is a text file (# begins a comment):
 *     molecule CO2  C O O         a name, then its atoms in the order of the trajectory
 *       mass 12.011 15.999 15.999 masses of the atoms; only needed for `site centre`
 *       site C  2.18 2.18 4.03  frame 2-3
 *     molecule Ar  Ar
 *       site Ar  1.64
 * site WHERE ALPHA places a site at an atom or at the centre of mass. The atom is given by its
 * species if that is unique in the molecule, or by its number. ALPHA is one number, or three
 * numbers along the x, y and z axes of a local frame. With `frame A-B`, z is along the line from
 * atom A to atom B, and x and y are equivalent. With `frame A-B,C`, x is also fixed, in the plane
 * of the three atoms on the side of C. Atoms are numbered from 1 within the molecule.
 *
 * The atoms of the trajectory are assigned to the molecule that matches them; the molecule with the
 * most atoms is tried first. Sites without polarizability are omitted. A molecule is made whole by
 * minimum images, atom by atom, starting from the first.
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

/* Opens a model from atoms (--polarizability; n 0: not given) or from path, a file of molecules
 * (NULL: not given); exactly one is given. META m names the natoms atoms. Returns NULL and sets e
 * for a missing file, a wrong line, a species without polarizability or unmatched atoms. */
struct alpha_model *alpha_model_open(const struct weights *atoms, const char *path,
                                     const struct meta *m, size_t natoms, struct err *e);
size_t alpha_model_sites(const struct alpha_model *m);
/* Describes the model for META: "Ar 256: 1.64, FNV-1a ...", with a checksum of the whole model. */
const char *alpha_model_said(const struct alpha_model *m);
/* Computes the sites of a step from r [natoms][3] in Å, of type dtype, in this cell: at [sites][3],
 * and s [sites][6] as in alpha.h. Returns 0, or -1 and sets e if atoms of a local frame coincide or
 * are collinear. */
int alpha_model_place(const struct alpha_model *m, enum frame_dtype dtype, const void *r,
                      const struct box *b, uint64_t frame, double *at, double *s, struct err *e)
    __attribute__((warn_unused_result));
void alpha_model_free(struct alpha_model *m); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
