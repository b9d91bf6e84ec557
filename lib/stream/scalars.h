/* SPDX-License-Identifier: MIT */
/* scalars.h: reads and writes the names and units of the scalars of each atom, such as charges, in
 * a SCAL array (mbf(5)).
 *
 * The key data.scalars lists the name and the unit of each number, as in "charge:e q6:1". If a unit
 * is unknown, the character "-" takes the place of the unit. Names and units consist of printable
 * ASCII characters other than blanks, ',', ':', '=' and '"', so that a name can be a word of a
 * list, a column of text and a property of extended XYZ. */
#pragma once

#include "stream/meta.h"

C_LINKAGE_BEGIN

#define SCALARS_MAX 64  /* largest number of scalars per atom */
#define SCALARS_NAME 32 /* largest length of a name or unit, with its NUL */

struct scalar {
    char name[SCALARS_NAME], unit[SCALARS_NAME];
};

/* Reads the key data.scalars into the array s, which has SCALARS_MAX elements or is NULL. Returns
 * the number of scalars, or 0 if there is no key data.scalars. If a name or unit is malformed or
 * repeated, or if there are too many scalars, returns -1 with an error message in e. */
int scalars_read(const struct meta *m, struct scalar *s, struct err *e) MUST_USE;
/* Appends a scalar to the key data.scalars. If data.scalars would become invalid or memory runs
 * out, returns -1 with an error message in e. Otherwise, returns 0. */
int scalars_add(struct meta *m, const char *name, const char *unit, struct err *e) MUST_USE;

C_LINKAGE_END
