/* SPDX-License-Identifier: MIT */
/* molecules.h: which atoms belong together, from a number or a file. */
#ifndef MBF_MOLECULES_H
#define MBF_MOLECULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

struct molecules {
    size_t n;
    size_t *first;  /* [n + 1]: where each begins in atom */
    uint32_t *atom; /* [first[n]], as given */
};

/* What is expected of a file's lines. */
enum molecules_kind {
    MOLECULES_APART, /* no atom in two lines; atoms that are in none follow, each by itself */
    MOLECULES_SETS   /* sets of two atoms or more, which may overlap */
};

/*
 * text: a number M (molecules of M atoms that follow one another), or the path of a file whose
 * lines hold the atoms of one, counted from 0 ('#' begins a comment). The names of the atoms in meta
 * (NULL: not asked) must be the same in each M atoms. option: what messages call it,
 * "--molecules". max_mem: bytes, 0: no limit. Returns 0, or -1 and sets *e; call molecules_close in
 * every case.
 */
int molecules_open(struct molecules *m, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, enum molecules_kind kind, size_t max_mem,
                   struct err *e) __attribute__((warn_unused_result));
/* Puts the number of molecules and their checksum into data.molecules of to, so that runs of other
 * molecules are not merged. Returns 0 or -1. */
int molecules_meta(const struct molecules *m, struct meta *to);
void molecules_close(struct molecules *m); /* of zeros is allowed */

#ifdef __cplusplus
}
#endif
#endif
