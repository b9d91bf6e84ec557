/* SPDX-License-Identifier: MIT */
/* frame_index.h: reads and writes FILE.mbi, an index of the steps in FILE, in the same directory.
 * The index is a SPEC segment (mbf(5)) with the columns "step" and "byte", and one row per block of
 * steps, in ascending order. FILE must consist of a single segment. The first parent of the index
 * is the stream hash of FILE. The keys data.of.bytes and data.of.content contain the size and the
 * content hash of FILE. The key data.of.numbering is "uneven" if the step numbers
 * (frame_desc.index) are not consecutive. */
#pragma once

#include "stream/frame.h"

/* An entry contains two whole numbers for a block of steps: the number of steps before the block,
 * and the byte at which the first frame of the block begins. The first frame of a block may be a
 * TIME, CELL or VELO. */
struct frame_index {
    double (*entry)[2]; /* [n] */
    size_t n, capacity;
    double steps; /* so far */
    double begins;
    bool begun;
    bool uneven;   /* data.of.numbering */
    uint64_t from; /* first step */
    uint64_t max;  /* bytes; 0: no limit */
};

/* Records an array whose first header is at byte `at`. Returns 0, or -1 with ERR_MEMORY in e. */
int frame_index_note(struct frame_index *x, const struct frame_desc *d, uint64_t at, struct err *e);
/* Returns the number of the entry whose block contains `step`, or of the last entry if no block
 * does, or x->n if x is empty. */
size_t frame_index_find(const struct frame_index *x, uint64_t step);
void frame_index_free(struct frame_index *x);

/* Returns the name FILE.mbi, which the caller frees, or NULL if memory runs out. */
char *frame_index_name(const char *file);
/* Writes FILE.mbi, completely or not at all, from the size of FILE in bytes and the totals t of its
 * only segment. Returns 0, or -1 with an error message in e, which is ERR_BAD if FILE has several
 * segments or no steps. */
int frame_index_write(const struct frame_index *x, const char *file, uint64_t bytes,
                      const struct frame_totals *t, struct err *e);
/* Reads FILE.mbi, the index of the FILE that r reads. Returns 1 after reading the index, 0 if there
 * is no index or r was not opened by name, or -1 with an error message in e if the index is
 * damaged, belongs to another stream, or needs more memory than r may use. */
int frame_index_read(struct frame_index *x, const struct frame_reader *r, struct err *e);
