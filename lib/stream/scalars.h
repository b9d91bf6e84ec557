/* SPDX-License-Identifier: MIT */
/*
 * scalars.h: names and units of the scalars of each atom in a SCAL array (mbf(5)), such as
 * charges.
 *
 * The key data.scalars lists name and unit of each number, "charge:e q6:1". A unit that is not
 * known is "-". Names and units are printable ASCII without blanks, ',', ':', '=' and '"', so that
 * a name can be a word of a list, a column of text and a property of extended XYZ.
 */
#pragma once

#include "stream/meta.h"

C_LINKAGE_BEGIN

#define SCALARS_MAX 64  /* largest number of scalars per atom */
#define SCALARS_NAME 32 /* longest name or unit, including NUL */

struct scalar {
    char name[SCALARS_NAME], unit[SCALARS_NAME];
};

/* Reads data.scalars into s[SCALARS_MAX]; s may be NULL. Returns the number of scalars, 0 without
 * the key, or -1 and sets e if a name or unit is malformed or repeated, or if there are too
 * many. */
int scalars_read(const struct meta *m, struct scalar *s, struct err *e) MUST_USE;
/* Appends a scalar to data.scalars. Returns 0, or -1 and sets e if data.scalars would become
 * invalid or memory runs out. */
int scalars_add(struct meta *m, const char *name, const char *unit, struct err *e) MUST_USE;

C_LINKAGE_END
