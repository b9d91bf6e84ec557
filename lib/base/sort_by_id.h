/* SPDX-License-Identifier: MIT */
/* sort_by_id.h: sorts the atoms of each frame by their ids. Every frame must contain each id of
 * the first frame exactly once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sort_by_id {
    size_t n;
    bool moved; /* The rows of some frame were not in the order of the ids. */

    /* private */
    bool identity;           /* The rows of the first frame were in the order of the ids. */
    int64_t *first, *sorted; /* [n] ids of the first frame, in file order; in ascending order */
    size_t *place, *place0;  /* [n] sorted position of each row: of this frame; of the first */
    unsigned char *seen;
};

void sort_by_id_free(struct sort_by_id *o); /* frees the arrays of o, which may be zeros */

/* Sets *place to the sorted positions of the n rows of a frame with ids[n], or to NULL if the rows
 * are already sorted. The array *place belongs to o. The first call stores ids[n] as the ids of the
 * first frame. Returns 0, or -1 and sets *e if memory runs out or if an id is new or occurs twice.
 * If the id of a row of a later frame is wrong, *row is set to the row. */
int sort_by_id_places(struct sort_by_id *o, const int64_t *ids, size_t n, const size_t **place,
                      size_t *row, struct err *e) MUST_USE;

/* Moves n rows of `bytes` bytes each to the positions place[n]. The buffer `scratch` must be as
 * large as the array `rows`. */
void sort_by_id_apply(const struct sort_by_id *o, const size_t *place, void *rows, size_t bytes,
                      void *scratch);
