/* SPDX-License-Identifier: MIT */
/* frame_index.h: reads and writes an index of the steps in a file, which is stored as FILE.mbi in
 * the same directory. The index is one SPEC segment (mbf(5)) with the columns "step" and "byte".
 * The index has one row per block of steps, in ascending order. FILE must consist of one segment.
 * The first parent of the index is the stream hash of FILE. The keys data.of.bytes and
 * data.of.content contain the size and the content hash of FILE. The key data.of.numbering is
 * "uneven" if the step numbers (frame_desc.index) are not consecutive. */
#pragma once

#include "stream/frame.h"

/* An entry of the index contains two whole numbers for a block of steps: the number of steps before
 * the block, and the byte at which the first frame of the block begins. The first frame of a block
 * may be TIME, CELL or VELO, which precede the steps. */
struct frame_index {
    double (*entry)[2]; /* [n] */
    size_t n, capacity;
    double steps;  /* number of steps so far */
    double begins; /* byte of the next block */
    bool begun;    /* whether the next block has begun */
    bool uneven;   /* whether data.of.numbering is "uneven" */
    uint64_t from; /* number of the first step */
    uint64_t max;  /* bytes; 0: no limit */
};

/* Records an array whose first header begins at byte `at`. If memory runs out, returns -1 with an
 * error message and ERR_MEMORY in e. Otherwise, returns 0. */
int frame_index_note(struct frame_index *x, const struct frame_desc *d, uint64_t at, struct err *e);
/* Returns the index of the entry whose block contains `step`, or of the last entry if there is no
 * such block. If the index x is empty, returns x->n. */
size_t frame_index_find(const struct frame_index *x, uint64_t step);
void frame_index_free(struct frame_index *x);

/* Returns the name FILE.mbi, or NULL if memory runs out. The caller frees the name. */
char *frame_index_name(const char *file);
/* Writes the file FILE.mbi, completely or not at all. The argument `bytes` is the size of FILE, and
 * t contains the totals of its only segment. Returns 0 on success, or -1 with an error message in
 * e. The status of the error is ERR_BAD if FILE has several segments or no steps. */
int frame_index_write(const struct frame_index *x, const char *file, uint64_t bytes,
                      const struct frame_totals *t, struct err *e);
/* Reads the index of the file that r reads. Returns 1 if the index was read, or 0 if there is no
 * index or r was not opened by name. If the index is damaged, belongs to another stream, or needs
 * more memory than r may use, returns -1 with an error message in e. */
int frame_index_read(struct frame_index *x, const struct frame_reader *r, struct err *e);
