/* SPDX-License-Identifier: MIT */
/* elements.h: replaces atom names of force fields, such as OW and HW1, by chemical elements. */
#pragma once

#include "formats/format.h"

/* Renames the atoms in info->names and info->species. The residue of atom a, such as "1SOL", is the
 * string at residue + a * stride, unless `residue` is NULL. An atom that is the only atom of its
 * residue may be an ion. A site without mass, such as MW, keeps its name. Returns 0, or -1 and sets
 * *e if the element of an atom is uncertain. For example, the name CA means carbon in an amino acid
 * and calcium in a residue CA, but is uncertain elsewhere. */
int elements_put(struct format_info *info, const char *residue, size_t stride,
                 struct err *e) MUST_USE;
