/* SPDX-License-Identifier: MIT */
/* sort_by_id.h: sorts the rows of a frame by the ids of their atoms. The first frame determines the
 * ids. Every later frame must contain each id of the first frame exactly once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sort_by_id {
    size_t n;
    bool moved; /* Whether the rows of any frame were not in the order of the ids. */

    /* private */
    bool identity;           /* Whether the rows of the first frame were in the order of the ids. */
    int64_t *first, *sorted; /* Ids [n] of the first frame, in file order and in ascending order. */
    size_t *place, *place0;  /* Position of each row in the order of the ids, for the current frame
                              * and for the first frame. */
    unsigned char *seen;
};

void sort_by_id_free(struct sort_by_id *o); /* frees the arrays of the struct, which may also be all
                                             * zeros */

/* Sets *place to an array with the new positions of the n rows of a frame with ids[n], or to NULL
 * if the rows are already sorted. The array belongs to o. The first call stores ids[n] as the ids
 * of the first frame. Returns 0 on success, or -1 with an error message in e if memory runs out or
 * if an id is new or occurs twice. If the error concerns an id of a later frame, sets *row to the
 * row with this id. */
int sort_by_id_places(struct sort_by_id *o, const int64_t *ids, size_t n, const size_t **place,
                      size_t *row, struct err *e) MUST_USE;

/* Moves n rows of `bytes` bytes each to their new positions. The buffer `scratch` must be as large
 * as the array `rows`. */
void sort_by_id_apply(const struct sort_by_id *o, const size_t *place, void *rows, size_t bytes,
                      void *scratch);
