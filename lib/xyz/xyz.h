/* SPDX-License-Identifier: MIT */
/*
 * xyz.h: XYZ text as a stream of checked frames.
 *
 * Several files are one trajectory, in order; a restart's copy of the last frame at the head of a
 * later file is left out. Frames are counted from 0 over all files, lines of a file from 1. Every
 * frame has the same number of atoms and the same names in the same order (or ids to sort by). What
 * is handed out does not depend on the number of threads. Lengths in Å, times in ps.
 */
#ifndef MBF_XYZ_H
#define MBF_XYZ_H

#include "base/box.h"
#include "stream/meta.h"
#include "xyz/xyz_opts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xyz_reader;

/* paths[npaths] must outlive the reader (npaths 0: stdin; "-" is stdin). NULL only when memory is
 * out. */
struct xyz_reader *xyz_open(char *const *paths, int npaths, const struct xyz_opts *opts);
void xyz_close(struct xyz_reader *x);

struct xyz_frame {
    uint64_t index;        /* 0, 1, 2, ... over the frames handed out */
    double time;           /* ps; NaN: unknown */
    const struct box *box; /* its cell */
    const void *pos; /* [natoms][3] f32 or f64, Å; owned by the reader, valid until the next call */
};

/*
 * Next frame: 1, 0 at the end, or -1: xyz_error() says why. Frames before an error are handed out
 * first.
 */
int xyz_next(struct xyz_reader *x, struct xyz_frame *f) __attribute__((warn_unused_result));

/* 1 when xyz_next will not have to wait for input, 0 when nothing came within so many seconds (a
 * live run pauses). */
int xyz_wait(struct xyz_reader *x, double seconds);

/* "FILE: frame N: line L: expected ..., found ..."; valid as long as x. */
const struct err *xyz_error(const struct xyz_reader *x);
/* Something the user should know (left-out frames, no cell); NULL: nothing new. One a call. */
const char *xyz_warning(struct xyz_reader *x);

struct xyz_info {
    uint64_t frames;     /* handed out so far */
    uint64_t text_bytes; /* of text gone through */
    uint64_t input_done,
        input_total;   /* bytes taken from the files, and their sum where known (0) */
    const char *bound; /* what took the time: "inflating" or "parsing" */
    bool sorted;       /* some frame had to be put in the order of its ids */
    bool limited;      /* at the end: the input goes on, or its cut end was left out */
    /* valid once xyz_next has returned 1 */
    size_t natoms;
    bool named;            /* atoms have names */
    double dt;             /* between frames handed out, ps; NaN: unknown */
    const struct box *box; /* of the first frame */
    enum xyz_dialect dialect;
    const char *dt_from, *cell_from; /* who said so, in words */
};
struct xyz_info xyz_info(const struct xyz_reader *x);

/* sys.* keys (natoms, dt_ps, cell, pbc, species, sigma) and data.quantity, data.unit. 0, or -1: out
 * of memory. */
int xyz_put_meta(const struct xyz_reader *x, struct meta *m) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
