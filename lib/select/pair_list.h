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

/* Reads pairs of atoms and stores each pair once. The argument `text` is the number of atoms per
 * molecule, or the path of a file (molecules_open). All pairs of atoms in the same molecule, or in
 * the same line of the file, are stored. The text `option`, such as "--exclude", is used in
 * messages. The memory limit max_mem is in bytes, and 0 means no limit. Returns 0 on success, or -1
 * with an error message in e. Call pair_list_close afterwards, even after an error. */
int pair_list_open(struct pair_list *x, const char *option, const char *text,
                   const struct meta *meta, size_t natoms, size_t max_mem, struct err *e) MUST_USE;
/* Sets a key of m to the number of pairs and a checksum of their atoms, so that runs with different
 * pairs are not merged. Returns 0 or -1. */
int pair_list_meta(const struct pair_list *x, struct meta *m, const char *key);
void pair_list_close(struct pair_list *x); /* x may be all zero */
