/* SPDX-License-Identifier: MIT */
/* frame_index.h: index of the steps in a file, stored as FILE.mbi in the same folder. The index is
 * one SPEC segment (mbf(5)) with the columns step and byte and one row per block of steps, in
 * ascending order. The first parent of the segment is the stream hash of FILE; data.of.bytes and
 * data.of.content are the size and content hash of FILE, which has one segment. data.of.numbering
 * is "uneven" if, in some block, the step number (frame_desc.index) is not the number of the first
 * step plus the steps between. */
#ifndef MBF_FRAME_INDEX_H
#define MBF_FRAME_INDEX_H

#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An entry holds the number of steps before a block and the byte at which its first frame begins,
 * both whole numbers. TIME, CELL and VELO of a block come before its steps. */
struct frame_index {
    double (*entry)[2]; /* [n] */
    size_t n, room;
    double steps;  /* steps in all blocks so far */
    double begins; /* byte at which the next block begins */
    bool begun;    /* a frame of the next block was recorded */
    bool uneven;   /* step numbers are not consecutive in the whole file */
    uint64_t from; /* number of the first step */
    uint64_t most; /* bytes that entries may take; 0: no limit */
};

/* Records an array whose first header is at byte `at`. Returns 0, or -1 and sets e (ERR_MEMORY). */
int frame_index_note(struct frame_index *x, const struct frame_desc *d, uint64_t at, struct err *e);
/* Returns the entry of the block that contains `step`, or the last entry, or x->n if x is empty. */
size_t frame_index_find(const struct frame_index *x, uint64_t step);
void frame_index_free(struct frame_index *x);

/* Returns the name FILE.mbi, which the caller frees, or NULL if memory runs out. */
char *frame_index_name(const char *file);
/* Writes FILE.mbi, completely or not at all, for a file of the given size in bytes, whose only
 * segment has the totals t. Returns 0, or -1 and sets e (ERR_BAD for several segments or no
 * steps). */
int frame_index_write(const struct frame_index *x, const char *file, uint64_t bytes,
                      const struct frame_totals *t, struct err *e);
/* Reads FILE.mbi of r's file. Returns 1, 0 if there is no index or r was not opened by name, or -1
 * and sets e if the index is damaged, belongs to other content, or needs more memory than r may
 * use. */
int frame_index_read(struct frame_index *x, const struct frame_reader *r, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
