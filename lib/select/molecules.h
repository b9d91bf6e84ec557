/* SPDX-License-Identifier: MIT */
/* molecules.h: divides atoms into groups, such as molecules, from a number or a file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

struct molecules {
    size_t n;
    size_t *first;  /* index in atom[], [n + 1] */
    uint32_t *atom; /* [first[n]] */
};

enum molecules_kind {
    MOLECULES_APART, /* Molecules do not overlap, and an atom that is not listed is a molecule. */
    MOLECULES_SETS   /* Each line lists two or more atoms, and lines may overlap. */
};

/* Reads molecules. The argument `text` is a number M, for molecules of M consecutive atoms, or the
 * path of a file. For a number M, the names of the atoms in `meta` must repeat every M atoms,
 * unless `meta` is NULL. Each line of the file lists the atoms of one molecule, counted from 0, and
 * '#' begins a comment. The text `option`, such as "--molecules", is used in messages. The memory
 * limit max_mem is in bytes, and 0 means no limit. Returns 0 on success, or -1 with an error
 * message in *e. Call molecules_close afterwards, even after an error. */
int molecules_open(struct molecules *m, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, enum molecules_kind kind, size_t max_mem,
                   struct err *e) MUST_USE;
/* Sets the key data.molecules of the META `to` to the number of molecules and a checksum of the
 * lists of atoms, so that runs with different molecules are not merged. Returns 0 or -1. */
int molecules_meta(const struct molecules *m, struct meta *to);
void molecules_close(struct molecules *m); /* m may be all zero */
