/* SPDX-License-Identifier: MIT */
/* pair_list.h: pairs of atoms, such as those within molecules, from a number or a file. */
#ifndef MBF_PAIR_LIST_H
#define MBF_PAIR_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pair_list {
    size_t n;
    uint32_t (*pair)[2]; /* [n]: i < j, each once, in ascending order */
};

/*
 * text, meta: as of molecules_open, for MOLECULES_SETS: lines of a file hold the atoms of a molecule, or
 * of a pair. option: what messages call it, "--exclude". max_mem: bytes, 0: no limit. 0, or -1 with
 * e; pair_list_close in every case.
 */
int pair_list_open(struct pair_list *x, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, size_t max_mem, struct err *e)
    __attribute__((warn_unused_result));
/* Puts the number of pairs and their checksum into a key of m, so that runs of another list are not
 * merged. Returns 0 or -1. */
int pair_list_meta(const struct pair_list *x, struct meta *m, const char *key);
void pair_list_close(struct pair_list *x); /* of zeros is allowed */

#ifdef __cplusplus
}
#endif
#endif
