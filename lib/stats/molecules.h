/* SPDX-License-Identifier: MIT */
/* molecules.h: groups of atoms, such as molecules, from a number or a file. */
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
    size_t *first;  /* [n + 1]: where each molecule begins in atom */
    uint32_t *atom; /* [first[n]]: atoms in the order given */
};

/* Rules for the lines of a file. */
enum molecules_kind {
    MOLECULES_APART, /* no atom in two lines; other atoms are molecules of one atom */
    MOLECULES_SETS   /* sets of two or more atoms, which may overlap */
};

/* Reads molecules. The text is a number M (molecules of M consecutive atoms), or the path of a file
 * whose lines list the atoms of one molecule each, counted from 0 ('#' begins a comment). With a
 * number, the names of the atoms in meta (NULL: not checked) must repeat every M atoms. Messages
 * call the option by the name in option, "--molecules". The limit max_mem is in bytes; 0 means no
 * limit. Returns 0, or -1 and sets *e; call molecules_close in every case. */
int molecules_open(struct molecules *m, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, enum molecules_kind kind, size_t max_mem,
                   struct err *e) __attribute__((warn_unused_result));
/* Puts the number of molecules and their checksum into data.molecules of `to`, so that runs with
 * other molecules are not merged. Returns 0 or -1. */
int molecules_meta(const struct molecules *m, struct meta *to);
void molecules_close(struct molecules *m); /* zeros are allowed */

#ifdef __cplusplus
}
#endif
#endif
