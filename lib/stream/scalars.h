/* SPDX-License-Identifier: MIT */
/* scalars.h: reads and writes the names and units of scalars of atoms, such as charges (SCAL).
 *
 * The key data.scalars lists the name and the unit of each scalar, such as "charge:e q6:1", with
 * the unit "-" if the unit is unknown. Names and units consist of printable ASCII characters other
 * than blanks, ',', ':', '=' and '"', so that a name can be a word of a list, a column of text and
 * a property of extended XYZ. */
#pragma once

#include "stream/meta.h"

C_LINKAGE_BEGIN

#define SCALARS_MAX 64  /* per atom */
#define SCALARS_NAME 32 /* bytes, with the NUL */

struct scalar {
    char name[SCALARS_NAME], unit[SCALARS_NAME];
};

/* Reads the key data.scalars into s[SCALARS_MAX], unless s is NULL. Returns the number of scalars,
 * 0 without a key data.scalars, or -1 with an error message in e if a name or unit is malformed, a
 * name is repeated, or there are too many scalars. */
int scalars_read(const struct meta *m, struct scalar *s, struct err *e) MUST_USE;
/* Appends a scalar to the key data.scalars. Returns 0, or -1 with an error message in e if
 * data.scalars would become invalid or memory runs out. */
int scalars_add(struct meta *m, const char *name, const char *unit, struct err *e) MUST_USE;

C_LINKAGE_END
