/* SPDX-License-Identifier: MIT */
/*
 * frame_index.h: where the steps of a file are, in FILE.mbi beside it: one SPEC segment (mbf(5)),
 * columns step and byte, a row for every block of steps, ascending; its first parent is the stream
 * hash of FILE, and data.of.bytes and data.of.content are FILE's size and content hash. FILE has
 * one segment. Where the number of a step (frame_desc.index) is not that of the first step and the
 * steps between, in some block, data.of.numbering is "uneven".
 */
#ifndef MBF_FRAME_INDEX_H
#define MBF_FRAME_INDEX_H

#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* entry: number of the block's first step, and the byte where its first frame begins (TIME, CELL
 * and VELO of its steps come before it); whole numbers. */
struct frame_index {
    double (*entry)[2]; /* [n] */
    size_t n, room;
    double steps;  /* of the blocks so far */
    double begins; /* where the next block does */
    bool begun;    /* frames of it were noted */
    bool uneven;   /* numbers of steps are not one after the other, in the whole file */
    uint64_t from; /* number of the first step */
    uint64_t most; /* bytes that entries may take; 0: any number */
};

/* The first part of an array has its header at byte `at`. 0, or -1 with e (ERR_MEMORY). */
int frame_index_note(struct frame_index *x, const struct frame_desc *d, uint64_t at, struct err *e);
/* The entry of the block that holds `step`, or of the last one; x->n where there is none. */
size_t frame_index_find(const struct frame_index *x, uint64_t step);
void frame_index_free(struct frame_index *x);

/* FILE.mbi, the caller's; NULL: out of memory. */
char *frame_index_name(const char *file);
/* Writes FILE.mbi, whole or not at all, for a file of so many bytes whose only segment ended in t.
 * 0, or -1 with e: ERR_BAD: several segments, no steps. */
int frame_index_write(const struct frame_index *x, const char *file, uint64_t bytes,
                      const struct frame_totals *t, struct err *e);
/* Reads the FILE.mbi of r's file. 1, 0: there is none, or r is no file under a name; -1 with e: it
 * is damaged, of another content, or more than r may take. */
int frame_index_read(struct frame_index *x, const struct frame_reader *r, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
