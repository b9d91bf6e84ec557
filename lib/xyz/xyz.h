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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "stream/meta.h"
#include "xyz/xyz_header.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the user says; it overrides what the file says. Start from XYZ_OPTS_DEFAULT. */
struct xyz_opts {
    enum xyz_dialect dialect;
    bool has_cell, has_pbc;
    double cell[9]; /* rows are vectors, Å */
    int pbc[3];
    double dt_ps;               /* between consecutive frames of the input; NaN: not given */
    double timestep_ps;         /* of one MD step (LAMMPS); NaN: not given */
    double sigma;               /* Å; NaN: not given */
    uint64_t first, stop, step; /* frames first, first + step, ... below stop */
    bool f64;                   /* hand out f64 instead of f32 */
    bool allow_partial;         /* a cut end is no error: the whole frames before it count */
    bool unsorted_ok;           /* do not look for atoms that changed places */
    bool keep_duplicates;       /* keep a restart's copy of the last frame */
    int threads;
    size_t max_mem; /* bytes; 0: no limit */
};
#define XYZ_OPTS_DEFAULT                                                                           \
    {                                                                                              \
        .dialect = XYZ_AUTO, .dt_ps = NAN, .timestep_ps = NAN, .sigma = NAN, .stop = UINT64_MAX,   \
        .step = 1, .threads = 1                                                                    \
    }

/* "A:B:C" like a Python slice of whole numbers (A:, :B, ::C and a single A too). 0, or -1 with the
 * reason. */
int xyz_parse_select(const char *s, uint64_t *first, uint64_t *stop, uint64_t *step, char *err,
                     size_t errlen) __attribute__((warn_unused_result));
/* "A[,B,C[,alpha,beta,gamma]]" (Å, degrees) into nine numbers. 0, or -1 with the reason. */
int xyz_parse_cell(const char *s, double cell[9], char *err, size_t errlen)
    __attribute__((warn_unused_result));
/* Any of x y z, or "none". 0, or -1 with the reason. */
int xyz_parse_pbc(const char *s, int pbc[3], char *err, size_t errlen)
    __attribute__((warn_unused_result));

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
 * Next frame: 1, 0 at the end, or -1: xyz_error() says why and xyz_error_status() is 2 (bad input)
 * or 3 (machine). Frames before an error are handed out first.
 */
int xyz_next(struct xyz_reader *x, struct xyz_frame *f) __attribute__((warn_unused_result));

/* 1 when xyz_next will not have to wait for input, 0 when nothing came within so many seconds (a
 * live run pauses). */
int xyz_wait(struct xyz_reader *x, double seconds);

const char *
xyz_error(const struct xyz_reader *x); /* "FILE: frame N: line L: expected ..., found ..." */
int xyz_error_status(const struct xyz_reader *x);
/* Something the user should know (left-out frames, no cell); NULL: nothing new. One
 * a call. */
const char *xyz_warning(struct xyz_reader *x);

uint64_t xyz_frames(const struct xyz_reader *x); /* handed out so far */

/* Valid once xyz_next has returned 1. */
size_t xyz_natoms(const struct xyz_reader *x);
double xyz_dt(const struct xyz_reader *x); /* between frames handed out, ps; NaN: unknown */
const struct box *xyz_box(const struct xyz_reader *x); /* of the first frame */
enum xyz_dialect xyz_dialect_found(const struct xyz_reader *x);
bool xyz_sorted(const struct xyz_reader *x); /* some frame had to be put in the order of its ids */
bool xyz_limited(
    const struct xyz_reader *x); /* at the end: the input goes on, or its cut end was left out */
uint64_t xyz_text_bytes(const struct xyz_reader *x); /* of text gone through */
uint64_t xyz_input_done(
    const struct xyz_reader *x); /* bytes taken from the files, and their sum where known (0) */
uint64_t xyz_input_total(const struct xyz_reader *x);
const char *
xyz_bound(const struct xyz_reader *x); /* what took the time: "inflating" or "parsing" */

/* sys.* keys (natoms, dt_ps, cell, pbc, species, sigma) and data.quantity, data.unit. 0, or -1: out
 * of memory. */
int xyz_put_meta(const struct xyz_reader *x, struct meta *m) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
