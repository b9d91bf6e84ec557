/* SPDX-License-Identifier: MIT */
/*
 * frame.h: reads, writes and verifies MBF frame streams. The format is defined in mbf(5).
 *
 *   stream := segment+     segment := META array* (END | ERR)     array := part+
 *
 * A reader verifies all data, headers first, before it uses any byte. A stream that was cut or
 * damaged is therefore never taken for a shorter or different complete stream. Only a call of
 * frame_end() makes a written stream complete. The library returns statuses and error texts; it
 * neither prints nor exits.
 */
#ifndef MBF_FRAME_H
#define MBF_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FRAME_MUST __attribute__((warn_unused_result))
#define FRAME_FORMAT "1.2"                 /* newest format version that is written and read */
#define FRAME_PART_BYTES ((size_t)4 << 20) /* part size used by writers */
#define FRAME_PART_MAX ((size_t)64 << 20)  /* largest part that readers accept */
#define FRAME_ERR_BYTES ERR_BYTES

enum frame_type {
    FRAME_OTHER, /* unknown, copy-safe: may be forwarded or dropped */
    FRAME_META,
    FRAME_POSN, /* [F,N,3] positions in F consecutive steps, Å, f32 or f64 */
    FRAME_CELL, /* [F,9] f64, Å: cells, rows are vectors; precedes a block whose cell changes */
    FRAME_TIME, /* [F] f64, ps: times; before a block whose times do not follow from sys.dt_ps */
    FRAME_PAIR, /* [F,C,P] beta of P = N(N-1)/2 pairs i<j, row by row, C components, f32 or f64 */
    FRAME_CORR, /* sums of correlation functions: see series.h */
    FRAME_HIST, /* counts of pair distances: see hist.h */
    FRAME_SPEC, /* [rows, columns] f64; data.columns names the columns: see series.h */
    FRAME_SERI, /* [F,C] f64: C quantities, named in data.columns, in F consecutive steps */
    FRAME_VELO, /* [F,N,3] velocities, Å/ps, f32 or f64, for the POSN block that follows */
    FRAME_ERR,
    FRAME_END
};

enum frame_dtype {
    FRAME_U8,
    FRAME_I32,
    FRAME_U32,
    FRAME_I64,
    FRAME_U64,
    FRAME_F32,
    FRAME_F64,
    FRAME_UTF8
};

enum frame_status {
    FRAME_COMPLETE,
    FRAME_LIMITED,
    FRAME_PARTIAL
}; /* status in END: complete, limited on request, or partial */

/* Description of one logical array. */
struct frame_desc {
    enum frame_type type;
    enum frame_dtype dtype;
    int ndim;         /* 1..4 */
    uint64_t dims[4]; /* in C order; unused dimensions are 0 */
    uint64_t index;   /* index of the first time step in the block; 0 if meaningless */
    double time;      /* time of the first step, ps; NaN: none */
    uint32_t flags;   /* FRAME_CRITICAL, FRAME_COPYSAFE; the writer adds the last-part flag */
    char code[5];     /* four letters and NUL: needed for FRAME_OTHER, filled in by the reader */
};
#define FRAME_CRITICAL 1u
#define FRAME_COPYSAFE 2u

size_t frame_dtype_size(enum frame_dtype t); /* 0 for an unknown type */
/* Returns true if d is a block of steps (POSN, PAIR or SERI), whose dims[0] is counted in END. */
bool frame_counts_steps(const struct frame_desc *d);
/* Returns the size of the array in bytes, or SIZE_MAX on overflow or for an unknown dtype. */
size_t frame_bytes(const struct frame_desc *d);

/* Returns the time (ps) of step k of a block without a TIME frame, (index + k) dt, shifted so that
 * step 0 is at d->time. A step therefore has the same time, bit for bit, in any block. */
double frame_step_time(const struct frame_desc *d, uint64_t k, double dt_ps);
/* Writes the times of all dims[0] steps into time. */
void frame_step_times(const struct frame_desc *d, double dt_ps, double *time);

/* ---- reading ---- */

struct frame_reader;
struct window; /* window.h */

struct frame_reader_opts {
    size_t max_mem;     /* bytes this reader may allocate; 0: no limit */
    int threads;        /* threads that inflate and hash, at most; 0 or 1: only the caller */
    bool allow_partial; /* accept an END with status partial */
    /* Called for the first array that is skipped because its type is unknown, with the name of the
     * stream and the four letters of the type. The pointer may be NULL. */
    void (*left_out)(const char *name, const char *code);
    const struct window *window; /* time window for traj.h; copied. NULL: all steps */
    /* Source of the bytes: reads up to n bytes into p and returns the number read, 0 at the end, or
     * -1 on failure. The path is then only a name for messages. If this pointer is NULL, path is
     * opened. */
    ssize_t (*read)(void *from, void *p, size_t n);
    void *from;
};

/* Opens a file, or stdin if path is NULL or "-". The last 256 bytes of a regular file are checked
 * first. Returns NULL only if memory runs out; the first frame_next reports a file that cannot be
 * opened. opts may be NULL. */
struct frame_reader *frame_open(const char *path, const struct frame_reader_opts *opts);
void frame_close_reader(struct frame_reader *r);

/* Result of frame_next. The reader owns data (64-byte aligned), valid until the next call. */
struct frame {
    struct frame_desc desc; /* META: a new segment begins; END: the segment was whole */
    void *data;             /* whole array in host order, NULL for META and END; writable */
    size_t bytes;
    bool finite; /* all floats were checked during reading and are finite */
};

/* Reads the next event of a segment: META, then arrays, then END. Returns 1, 0 at the clean end of
 * the stream (after the last END), or -1 with the reason in frame_error(): ERR_BAD (damaged, cut or
 * ERR received) or ERR_MACHINE (I/O, memory). */
int frame_next(struct frame_reader *r, struct frame *f) FRAME_MUST;
/* Announces that the caller needs at most n more steps, from the next array on. The reader then
 * does not read ahead beyond these n steps. */
void frame_steps(struct frame_reader *r, uint64_t n);

/* frame_peek works like frame_next, but returns only the description of an array (data is NULL). On
 * a seekable file, payloads are then skipped without verification. The function frame_load reads
 * the payload of the array that frame_peek has just announced. */
int frame_peek(struct frame_reader *r, struct frame *f) FRAME_MUST;
int frame_load(struct frame_reader *r, struct frame *f) FRAME_MUST;

/* Verifies the array just announced by frame_peek and discards it without holding it in memory.
 * Returns 0 or -1. */
int frame_drop(struct frame_reader *r) FRAME_MUST;

struct frame_writer;
/* Verifies the array just announced by frame_peek and copies its stored bytes to w, with the index
 * and time of d. Compressed parts are inflated for verification but not compressed again. Returns
 * 0, -1 (see frame_error(r)) or -2 (see frame_writer_error(w)). */
int frame_pass(struct frame_reader *r, struct frame_writer *w,
               const struct frame_desc *d) FRAME_MUST;

/* Error of the form "FILE: offset N, frame M: expected X, found Y". */
const struct err *frame_error(const struct frame_reader *r);
const struct meta *
frame_meta(const struct frame_reader *r);             /* META of the current segment, owned by r */
const char *frame_name(const struct frame_reader *r); /* path or "stdin", for messages */

/* Returns the ERR frame sent by upstream (err.tool, err.exit, err.msg, err.seq, err.hop), or
 * NULL. */
const struct meta *frame_received(const struct frame_reader *r);

/* Totals from the END just read or, before reading, from the last segment of a regular file. The
 * function frame_totals returns 0 if the totals are unknown. */
struct frame_totals {
    uint64_t frames;     /* before END, including META */
    uint64_t arrays;     /* logical arrays */
    uint64_t raw_bytes;  /* of all arrays */
    uint64_t wire_bytes; /* of the segment before END, including META */
    uint64_t steps;      /* sum of F over POSN, PAIR and SERI arrays */
    unsigned char stream_hash[16], content_hash[16], parent_hash[2][16];
    unsigned char of_hash[16]; /* content hash of the input of which this is a part; else 0 */
    enum frame_status status;
};
int frame_totals(const struct frame_reader *r, struct frame_totals *t);
uint64_t
frame_wire_bytes(const struct frame_reader *r); /* bytes read so far, for -v and progress */
uint64_t frame_file_bytes(const struct frame_reader *r); /* size of a regular file, else 0 */
uint64_t frame_head_at(const struct frame_reader *r);    /* byte at which the frame just peeked
                                                         begins */
bool frame_is_named(const struct frame_reader *r); /* true for a regular file opened by name */
const struct window *frame_window(const struct frame_reader *r); /* window of opts; NULL: all
                                                                    steps */

/* Continues at the frame that begins at byte `at`, which an index provides (frame_index.h). The
 * reader must be inside a segment of a regular file. All frames from there on are verified as
 * usual. In END, only the numbers of frames and bytes can be checked. */
void frame_seek(struct frame_reader *r, uint64_t at);

/* ---- writing ---- */

struct frame_writer;

/* Codec 2 for f32 numbers that follow each other in time, zlib for all others. */
#define FRAME_SMALL (-1)

struct frame_writer_opts {
    const char *tool; /* program name in ERR frames */
    int compress;     /* 0: off; FRAME_SMALL; or zlib level 1..9, which MBF 1.0 can read */
    int threads;      /* threads for compression; the bytes do not depend on their number */
    bool force;       /* allow writing to a terminal */
    bool index;       /* record the steps' positions for frame_writer_index */
    uint64_t max_mem; /* bytes for compression or an index; 0: no limit */
    bool last;        /* the file appears after all others that appear together */
    bool at_once;     /* the file appears when it is closed, even if others are unfinished */
    const char *like; /* file whose mode, owner and group a new file gets; NULL: none */
    /* Destination of the bytes: takes at least one of n bytes and returns the number taken, or -1
     * on failure. Any thread may call this function, but only one at a time. The path is then only
     * a name for messages. If this pointer is NULL, path is opened. */
    ssize_t (*write)(void *to, const void *p, size_t n);
    void *to;
};

/* Creates a file, or writes to stdout if path is NULL or "-". Until frame_close_writer, the file
 * has no name or a temporary name in the same folder. For stdout, a private duplicate of descriptor
 * 1 is used, and descriptor 1 then points to 2. Returns NULL and sets e: ERR_BAD for a terminal
 * without force, else ERR_MACHINE or ERR_MEMORY. */
struct frame_writer *frame_create(const char *path, const struct frame_writer_opts *opts,
                                  struct err *e);

/* State of a writer when its file was last kept: the number of bytes and the stream hash of the
 * frames (XXH3-128, hexadecimal). */
struct frame_mark {
    uint64_t bytes;
    char hash[33];
};
/* Syncs all frames to disk as FILE.part, which stays until FILE is complete, and fills m. Returns
 * 0, 1 if the output is not a regular file (nothing is kept), or -1 and sets e. Call frame_keep
 * inside a segment. */
int frame_keep(struct frame_writer *w, struct frame_mark *m, struct err *e) FRAME_MUST;
/* Opens a writer that continues after the mark, inside the only segment of FILE.part or of FILE. If
 * FILE contains the frames, the frames are copied, unless *found was FRAME_IN_PART before the call.
 * META must agree with `like` in sys.* and data.* (NULL: not checked). Returns NULL on failure and
 * sets e, except for frames found in FILE that were not to be copied. */
enum frame_found {
    FRAME_GONE,      /* neither FILE.part nor FILE contains the frames */
    FRAME_OF_OTHERS, /* META differs */
    FRAME_IN_PART,
    FRAME_IN_FILE
};
struct frame_writer *frame_resume(const char *path, const struct frame_writer_opts *opts,
                                  const struct frame_mark *m, const struct meta *like,
                                  enum frame_found *found, struct err *e);

/* Each function returns 0, or -1 and sets frame_writer_error(). With several threads and
 * compression, an array is copied, then compressed and written in order in the background. A later
 * call may report a failed write, at the latest frame_end. */
int frame_put_meta(struct frame_writer *w, const struct meta *m) FRAME_MUST; /* begins a segment */
int frame_put(struct frame_writer *w, const struct frame_desc *d,
              const void *data) FRAME_MUST; /* a whole array */
int frame_flush(struct frame_writer *w)
    FRAME_MUST; /* makes all data available to the reader downstream */
/* Writes END of a segment. The parent hashes (stream hashes of the inputs, 16 bytes) may be
 * NULL. */
int frame_end(struct frame_writer *w, enum frame_status status, const unsigned char *parent0,
              const unsigned char *parent1) FRAME_MUST;
/* Makes END of this segment name the content hash of the input of which it is a part (--shard). */
void frame_share_of(struct frame_writer *w, const unsigned char content[16]);
/* Writes ERR instead of END, between arrays. `received` is the ERR of the reader whose error is
 * passed on (frame_received), to which a hop is added. `received` may be NULL. */
int frame_fail(struct frame_writer *w, const struct err *why, const struct meta *received);

/* Flushes, closes with checks, and renames the output; frees w in every case. Returns 0 only if the
 * output is complete. After frame_fail, or without END of the last segment, the file is removed and
 * -1 is returned with the reason in e. The writer w may be NULL. */
int frame_close_writer(struct frame_writer *w, struct err *e);

/* Removes all unfinished output files; async-signal-safe, for use in signal handlers. */
void frame_remove_unfinished(void);

const struct err *frame_writer_error(const struct frame_writer *w);
uint64_t frame_written(const struct frame_writer *w);
const char *frame_writer_name(const struct frame_writer *w); /* path or "stdout", for messages */
/* Returns the index (frame_index.h) built with opts.index after writing all data; the caller may
 * take it. */
struct frame_index;
struct frame_index *frame_writer_index(struct frame_writer *w);
bool frame_in_segment(const struct frame_writer *w); /* true between META and END */
bool frame_is_live(const struct frame_writer *w);    /* true if not a regular file: a reader may be
                                                     waiting */
/* Gets the hashes and totals of the segment just ended. */
void frame_writer_totals(const struct frame_writer *w, struct frame_totals *t);

#ifdef __cplusplus
}
#endif
#endif
