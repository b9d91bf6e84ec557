/* SPDX-License-Identifier: MIT */
/* pair_list.h: reads pairs of atoms, such as pairs within molecules, from a number or a file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stream/meta.h"

struct pair_list {
    size_t n;
    uint32_t (*pair)[2]; /* [n]: i < j, ascending */
};

/* Reads the pairs of atoms, and lists each pair once. The arguments `text` and `meta` are passed to
 * molecules_open with MOLECULES_SETS. Each line of the file lists the atoms of a molecule or of a
 * pair. The text `option`, such as "--exclude", is used in messages. The memory limit max_mem is in
 * bytes, and 0 means no limit. Returns 0 on success, or -1 with an error message in e. Call
 * pair_list_close afterwards, even after an error. */
int pair_list_open(struct pair_list *x, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, size_t max_mem, struct err *e) MUST_USE;
/* Writes the number of pairs and their checksum to a key of m, so that runs with different lists
 * are not merged. Returns 0 or -1. */
int pair_list_meta(const struct pair_list *x, struct meta *m, const char *key);
void pair_list_close(struct pair_list *x); /* x may be all zero */
