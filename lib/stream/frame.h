/* SPDX-License-Identifier: MIT */
/*
 * frame.h: the MBF frame stream, read, written and verified. mbf(5) is the format's authority.
 *
 *   stream := segment+     segment := META array* (END | ERR)     array := part+
 *
 * Reading verifies everything (header hash first) before a byte is believed; a stream that is cut
 * or damaged never looks like a shorter or different whole one. Writing ends in one explicit
 * frame_end(): nothing else makes a stream complete. The library returns statuses and texts; it
 * prints nothing and exits nowhere.
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
#define FRAME_FORMAT "1.2"                 /* newest frames that are written and known: mbf(5) */
#define FRAME_PART_BYTES ((size_t)4 << 20) /* what writers use */
#define FRAME_PART_MAX ((size_t)64 << 20)  /* what readers accept */
#define FRAME_ERR_BYTES ERR_BYTES

enum frame_type {
    FRAME_OTHER, /* unknown, copy-safe: forward or drop */
    FRAME_META,
    FRAME_POSN, /* [F,N,3] positions of F consecutive steps, Å, f32 or f64 */
    FRAME_CELL, /* [F,9] f64, rows are vectors, Å: before the block it belongs to, where the cell
                   changes */
    FRAME_TIME, /* [F] f64, ps: before a block whose steps are not one stride apart */
    FRAME_PAIR, /* [F,C,P] beta of P = N(N-1)/2 pairs i<j row by row, C components, f32 or f64 */
    FRAME_CORR, /* sums of correlation functions: see series.h */
    FRAME_HIST, /* counts of pair distances: see hist.h */
    FRAME_SPEC, /* [rows, columns] f64, columns named in data.columns: see series.h */
    FRAME_SERI, /* [F,C] f64: C quantities, named in data.columns, of F consecutive steps */
    FRAME_VELO, /* [F,N,3] velocities of the steps of the POSN block that follows, Å/ps, f32 or f64 */
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
}; /* END: complete, limited on request, partial */

/* Description of one logical array. */
struct frame_desc {
    enum frame_type type;
    enum frame_dtype dtype;
    int ndim;         /* 1..4 */
    uint64_t dims[4]; /* C order; unused ones are 0 in the struct and in the header */
    uint64_t index;   /* index of the first time step in the block, 0 where that means nothing */
    double time;      /* time of the first step, ps; NaN: none */
    uint32_t flags;   /* FRAME_CRITICAL, FRAME_COPYSAFE; the last-part flag is the writer's own */
    char code
        [5]; /* the four letters, NUL terminated: needed for FRAME_OTHER, filled by the reader */
};
#define FRAME_CRITICAL 1u
#define FRAME_COPYSAFE 2u

size_t frame_dtype_size(enum frame_dtype t); /* 0: there is no such type */
/* Is d one block of a stream of steps (POSN, PAIR, SERI), so that dims[0] is counted in END? */
bool frame_counts_steps(const struct frame_desc *d);
/* Bytes of the whole array, or SIZE_MAX when the product overflows or d has no known dtype. */
size_t frame_bytes(const struct frame_desc *d);

/*
 * Time of step k of a block, ps, when no TIME frame tells it: (index + k) dt, shifted so that step
 * 0 is at d->time. So a step has the same time, bit for bit, whichever block it travels in.
 */
double frame_step_time(const struct frame_desc *d, uint64_t k, double dt_ps);
/* Of all dims[0] steps into time. */
void frame_step_times(const struct frame_desc *d, double dt_ps, double *time);

/* ---- reading ---- */

struct frame_reader;
struct window; /* window.h */

struct frame_reader_opts {
    size_t max_mem;     /* bytes this reader may allocate; 0: no limit of its own */
    int threads;        /* inflate and hash with up to so many threads; 0 or 1: in the caller */
    bool allow_partial; /* END with status partial is no error */
    /* Told of the first array that is left out as its type is unknown; name: of the stream, code:
     * four letters. NULL: nobody. */
    void (*left_out)(const char *name, const char *code);
    const struct window *window; /* of the steps that traj.h hands out; copied. NULL: all */
    /* Bytes come from here, and path is a name for messages: up to n of them into p; 0 at their
     * end, -1: it failed. NULL: path is opened. */
    ssize_t (*read)(void *from, void *p, size_t n);
    void *from;
};

/*
 * Open a file, or stdin for NULL or "-". A regular file's last 256 bytes are looked at first. Never
 * returns NULL unless memory is out: a failed open is reported by the first frame_next. opts may be
 * NULL.
 */
struct frame_reader *frame_open(const char *path, const struct frame_reader_opts *opts);
void frame_close_reader(struct frame_reader *r);

/* What frame_next found. data: reader's buffer, 64-byte aligned, valid until the next call. */
struct frame {
    struct frame_desc desc; /* META: a new segment begins; END: the segment is over and was whole */
    void *data; /* whole array, host order (NULL for META and END); the caller may change it */
    size_t bytes;
    bool finite; /* its floats were looked at while they were read: all are finite */
};

/*
 * Next event: META, then arrays, then END, for each segment. Returns 1, 0 at the clean end of the
 * stream (after the last END), or -1: frame_error() says why, ERR_BAD (damaged, cut, ERR received)
 * or ERR_MACHINE (I/O, memory).
 */
int frame_next(struct frame_reader *r, struct frame *f) FRAME_MUST;
/* No more than so many steps, from the next array on, will be asked for: nothing behind them is read
 * ahead. */
void frame_steps(struct frame_reader *r, uint64_t n);

/*
 * The same without touching payloads that nobody wants: like frame_next, but arrays come as desc
 * only (data NULL) and on a seekable file their payload is skipped, unverified. frame_load then
 * reads the one just announced.
 */
int frame_peek(struct frame_reader *r, struct frame *f) FRAME_MUST;
int frame_load(struct frame_reader *r, struct frame *f) FRAME_MUST;

/* Verify the array just announced by frame_peek and forget it, without holding it in memory. 0 or
 * -1. */
int frame_drop(struct frame_reader *r) FRAME_MUST;

struct frame_writer;
/*
 * Verify the array just announced by frame_peek and hand it to w as it is stored, with index and
 * time of d: what is compressed is inflated to be verified, nothing is deflated. 0, -1: frame_error(r), -2:
 * frame_writer_error(w).
 */
int frame_pass(struct frame_reader *r, struct frame_writer *w,
               const struct frame_desc *d) FRAME_MUST;

/* "FILE: offset N, frame M: expected, found" */
const struct err *frame_error(const struct frame_reader *r);
const struct meta *
frame_meta(const struct frame_reader *r);             /* of the current segment, owned by r */
const char *frame_name(const struct frame_reader *r); /* for messages: the path or "stdin" */

/* The ERR frame that upstream sent (err.tool, err.exit, err.msg, err.seq, err.hop), or NULL. */
const struct meta *frame_received(const struct frame_reader *r);

/* Of the END just read (or of a whole regular file's last segment before reading: returns 0 if
 * unknown). */
struct frame_totals {
    uint64_t frames;     /* before END, META included */
    uint64_t arrays;     /* logical arrays */
    uint64_t raw_bytes;  /* of the arrays */
    uint64_t wire_bytes; /* of the segment before END, META included */
    uint64_t steps;      /* sum of F over POSN, PAIR and SERI arrays */
    unsigned char stream_hash[16], content_hash[16], parent_hash[2][16];
    unsigned char of_hash[16]; /* content hash of what this is a share of; 0: of nothing */
    enum frame_status status;
};
int frame_totals(const struct frame_reader *r, struct frame_totals *t);
uint64_t
frame_wire_bytes(const struct frame_reader *r); /* bytes read so far, for -v and progress */
uint64_t frame_file_bytes(const struct frame_reader *r); /* size of a regular file, else 0 */
uint64_t frame_head_at(const struct frame_reader *r); /* byte where the frame just peeked begins */
bool frame_is_named(const struct frame_reader *r);    /* a regular file, opened by frame_name */
const struct window *frame_window(const struct frame_reader *r); /* of opts; NULL: all steps */

/*
 * Inside a segment of a regular file: go on at the frame that begins at byte `at`, as an index says
 * (frame_index.h). What stands there and behind is verified as ever; of END, what was left out can
 * not be.
 */
void frame_seek(struct frame_reader *r, uint64_t at);

/* ---- writing ---- */

struct frame_writer;

/* Codec 2 for numbers in f32 that follow each other in time, zlib for the rest. */
#define FRAME_SMALL (-1)

struct frame_writer_opts {
    const char *tool; /* name for ERR frames */
    int compress;     /* 0: off; FRAME_SMALL; zlib level 1..9, which readers of MBF 1.0 know */
    int threads;      /* for compression; the bytes do not depend on it */
    bool force;       /* write to a terminal */
    bool index;       /* note where the steps are, for frame_writer_index */
    uint64_t max_mem; /* bytes that compression or an index may take; 0: no limit of its own */
    bool last;        /* of files that appear together it appears last */
    bool at_once;     /* the file appears when it is closed, though others are still written */
    const char *like; /* a new file is like this one, in mode, owner and group; NULL: like any */
    /* Bytes go here, and path is a name for messages: at least one of n is taken, and how many is
     * said; -1: it failed. From any thread, one at a time. NULL: path is opened. */
    ssize_t (*write)(void *to, const void *p, size_t n);
    void *to;
};

/*
 * Create a file (without a name, or with a temporary one beside it, until frame_close_writer after
 * frame_end) or stdout for NULL or "-". stdout: a private duplicate of descriptor 1 is used and
 * descriptor 1 then points at 2. Returns NULL with e: ERR_BAD for a terminal without force, else
 * ERR_MACHINE.
 */
struct frame_writer *frame_create(const char *path, const struct frame_writer_opts *opts,
                                  struct err *e);

/*
 * What a writer had put by a moment in which the file was kept: so many bytes, whose frames have
 * this stream hash (XXH3-128, hexadecimal).
 */
struct frame_mark {
    uint64_t bytes;
    char hash[33];
};
/* All that was put is on disk as FILE.part, which stays until FILE is complete, and how much that
 * is. 0; 1: the output is no regular file, and nothing is kept; -1 with e. Inside a segment. */
int frame_keep(struct frame_writer *w, struct frame_mark *m, struct err *e) FRAME_MUST;
/*
 * A writer that goes on behind that mark, inside the only segment of FILE.part, or of FILE, from
 * which the bytes before are copied, unless *found is FRAME_IN_PART before. like: META that its own
 * must agree with in sys.* and data.*, or NULL. NULL with e, but for frames that *found tells to be
 * in FILE and were not to be copied.
 */
enum frame_found {
    FRAME_GONE,      /* neither file is there with these frames */
    FRAME_OF_OTHERS, /* META differs */
    FRAME_IN_PART,
    FRAME_IN_FILE
};
struct frame_writer *frame_resume(const char *path, const struct frame_writer_opts *opts,
                                  const struct frame_mark *m, const struct meta *like,
                                  enum frame_found *found, struct err *e);

/*
 * Each returns 0, or -1 with frame_writer_error(). With several threads and compression an array is
 * copied, and compressed and written behind the caller's back, in order: a write that fails may be
 * told by a later call, frame_end at the latest.
 */
int frame_put_meta(struct frame_writer *w, const struct meta *m) FRAME_MUST; /* begins a segment */
int frame_put(struct frame_writer *w, const struct frame_desc *d,
              const void *data) FRAME_MUST; /* a whole array */
int frame_flush(struct frame_writer *w)
    FRAME_MUST; /* let the reader downstream have all that was put */
/* END of a segment; parent hashes (stream hashes of the inputs, 16 bytes each) may be NULL. */
int frame_end(struct frame_writer *w, enum frame_status status, const unsigned char *parent0,
              const unsigned char *parent1) FRAME_MUST;
/* END of this segment will name the content hash of the input that it is a share of. */
void frame_share_of(struct frame_writer *w, const unsigned char content[16]);
/* ERR instead of END, between arrays. received: the ERR of the reader whose error is passed on
 * (frame_received), to which a hop is added, or NULL. */
int frame_fail(struct frame_writer *w, const struct err *why, const struct meta *received);

/*
 * Flush, close (checked) and rename. Without a frame_end for the last segment, or after frame_fail,
 * a file is removed and -1 returned, with the reason in e; 0 only when the output is complete. NULL
 * is allowed. Frees w in every case.
 */
int frame_close_writer(struct frame_writer *w, struct err *e);

/* Remove every unfinished output file: for a handler of signals (async-signal-safe). */
void frame_remove_unfinished(void);

const struct err *frame_writer_error(const struct frame_writer *w);
uint64_t frame_written(const struct frame_writer *w);
const char *
frame_writer_name(const struct frame_writer *w); /* for messages: the path or "stdout" */
/* With opts.index: the table (frame_index.h), which the caller may take; all that was put is out. */
struct frame_index;
struct frame_index *frame_writer_index(struct frame_writer *w);
bool frame_in_segment(const struct frame_writer *w); /* a META is out, its END is not */
bool frame_is_live(const struct frame_writer *w); /* somebody may be reading: not a regular file */
/* Hashes of the segment just ended. */
void frame_writer_totals(const struct frame_writer *w, struct frame_totals *t);

#ifdef __cplusplus
}
#endif
#endif
