/* SPDX-License-Identifier: MIT */
/* alpha_model.h: determines the positions and polarizability tensors of the polarizable sites of a
 * trajectory.
 *
 * A model of atoms consists of one polarizability in Å³ per species, as in
 *     --polarizability Ar=1.64,Kr=2.48.
 * A model of molecules is a text file, in which # begins a comment. A molecule begins with a line
 * "molecule NAME ATOM ATOM ...", such as "molecule CO2 C O O". A line "mass MASS MASS ..." gives
 * the masses of the atoms, for the site `centre`. A line "site WHERE ALPHA", such as "site C 2.18
 * 2.18 4.03 frame 2-3", places a polarizable site at an atom or at the centre of mass. WHERE is
 * `centre`, the number of an atom, or its species if only one atom of the molecule has this
 * species. The polarizability ALPHA is one number, or three numbers for the x, y and z axes of a
 * local frame. With "frame A-B", the z axis points from atom A to atom B, and x and y are
 * equivalent. With "frame A-B,C", the z axis points from atom A to atom B, and the x axis lies in
 * the plane of the three atoms, on the side of atom C. Atom numbers begin at 1. The permanent
 * moments "charge Q", "dipole X Y Z" and "quadrupole ZZ" or "quadrupole XX XY XZ YY YZ ZZ" refer to
 * the axes of the local frame. For an example, see alpha-cpu(1).
 *
 * Consecutive atoms of the trajectory are matched with the molecules of the model. Larger molecules
 * of the model are tried first. Sites without polarizability are omitted from the polarizable
 * sites. A molecule that crosses a cell face is made whole: each of its atoms moves to the image
 * nearest to the preceding atom. */
#pragma once

#include "alpha/alpha.h"
#include "base/box.h"
#include "base/err.h"
#include "select/weights.h"
#include "stream/frame.h"

struct alpha_model;

/* Opens a model of atoms from `atoms` (--polarizability) if `path` is NULL, or a model of molecules
 * from the file `path` if atoms->n is 0. The metadata m contain the names of all natoms atoms.
 * Returns NULL and sets *e if the file is missing or invalid, if a species has no polarizability,
 * or if some atoms match no molecule. */
struct alpha_model *alpha_model_open(const struct weights *atoms, const char *path,
                                     const struct meta *m, size_t natoms, struct err *e);
size_t alpha_model_sites(const struct alpha_model *m);
/* Returns the number of sites with permanent moments. */
size_t alpha_model_permanent(const struct alpha_model *m);
/* Fills the array own[sites] of struct alpha_params. */
void alpha_model_owners(const struct alpha_model *m, uint32_t (*own)[2]);
/* Checks that the lattice sum of the permanent moments is finite and that M is well defined.
 * Returns 0, or -1 and sets *e if the charges do not add up to 0, or if a molecule is charged and
 * the positions are not unwrapped. */
int alpha_model_neutral(const struct alpha_model *m, bool unwrapped, struct err *e) MUST_USE;
/* Returns a text for META that describes the model and contains its checksum. */
const char *alpha_model_words(const struct alpha_model *m);
/* Computes the positions at[sites][3] in Å and the tensors s[sites][6] (alpha.h) of a time step
 * from the positions r[natoms][3] in Å, of type dtype, of the atoms. Unless `permanent` is NULL,
 * also computes the sites with permanent moments. Returns 0, or -1 and sets *e if the atoms of a
 * local frame coincide or are collinear. */
int alpha_model_place(const struct alpha_model *m, enum frame_dtype dtype, const void *r,
                      const struct box *b, uint64_t frame, double *at, double *s,
                      struct alpha_permanent *permanent, struct err *e) MUST_USE;
void alpha_model_free(struct alpha_model *m); /* NULL is allowed */
