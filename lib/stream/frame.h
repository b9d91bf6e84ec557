/* SPDX-License-Identifier: MIT */
/* frame.h: reads, writes and verifies MBF frame streams. For the format of a stream, see mbf(5).
 *
 * A stream consists of one or more segments. A segment consists of META, any number of arrays, and
 * END or ERR. An array consists of one or more parts.
 *
 * A reader verifies headers and data before it uses them, and never mistakes a truncated or damaged
 * stream for a complete stream. A stream that is written is complete only after frame_end() has
 * been called. No function prints or exits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

#define FRAME_MUST MUST_USE
/* newest format version */
#define FRAME_FORMAT "1.4"
#define FRAME_PART_BYTES ((size_t)4 << 20) /* when written */
#define FRAME_PART_MAX ((size_t)64 << 20)  /* largest when read */

enum frame_type {
    FRAME_OTHER, /* unknown, copy-safe */
    FRAME_META,
    FRAME_POSN, /* positions in F steps, Å, [F,N,3], f32 or f64 */
    FRAME_CELL, /* cell vectors (rows) of the next block, Å, [F,9], f64 */
    FRAME_TIME, /* times of the next block, ps, [F], f64 */
    FRAME_PAIR, /* beta of the P = N(N-1)/2 pairs i<j, [F,C,P], f32 or f64 */
    FRAME_CORR, /* sums, see series.h */
    FRAME_HIST,
    FRAME_SPEC,
    FRAME_SERI, /* columns in F steps, [F,C], f64 */
    FRAME_VELO, /* velocities of the next POSN, Å/ps, [F,N,3], f32 or f64 */
    FRAME_SCAL, /* scalars of the next POSN (scalars.h), [F,N,C], f32 or f64 */
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
}; /* FRAME_LIMITED means that the user asked for fewer steps. */

struct frame_desc {
    enum frame_type type;
    enum frame_dtype dtype;
    int ndim;         /* 1..4 */
    uint64_t dims[4]; /* C order; unused: 0 */
    uint64_t index;   /* of the first step, or 0 */
    double time;      /* of the first step, ps, or NaN */
    uint32_t flags;   /* FRAME_CRITICAL, FRAME_COPYSAFE */
    char code[5];     /* four letters and NUL */
};
#define FRAME_CRITICAL 1u
#define FRAME_COPYSAFE 2u

size_t frame_dtype_size(enum frame_dtype t); /* bytes; unknown type: 0 */
/* Returns true if d is a block of steps (POSN, PAIR or SERI), whose dims[0] counts towards the
 * number of steps in END. */
bool frame_counts_steps(const struct frame_desc *d);
/* Returns the size of an array in bytes, or SIZE_MAX on overflow or for an unknown data type. */
size_t frame_bytes(const struct frame_desc *d);

/* Returns the time in ps of step k of a block without a TIME frame. The time is (index + k) dt plus
 * a constant, so that the first step of the block has the time d->time. The time of a step
 * therefore has the same bits in any block. */
double frame_step_time(const struct frame_desc *d, uint64_t k, double dt_ps);
/* Writes the times of the steps of a block to time[dims[0]]. */
void frame_step_times(const struct frame_desc *d, double dt_ps, double *time);

/* ---- reading ---- */

struct frame_reader;
struct window; /* window.h */

struct frame_reader_opts {
    size_t max_mem;     /* bytes; 0: no limit */
    int threads;        /* including the caller */
    bool allow_partial; /* Accept segments with the status FRAME_PARTIAL. */
    /* The reader calls left_out for the first array that it skips because its type is unknown, with
     * the name of the stream and the four letters of the type. May be NULL. */
    void (*left_out)(const char *name, const char *code);
    const struct window *window; /* copied; NULL: all steps */
    /* Reads up to n bytes into p, and returns the number of bytes, 0 at the end, or -1 on failure.
     * With `read`, the path is only a name for messages. If `read` is NULL, the path is opened. */
    ssize_t (*read)(void *from, void *p, size_t n);
    void *from;
};

/* Opens a file, or stdin if `path` is NULL or "-", and checks the last 256 bytes of a regular file.
 * Returns NULL only if memory runs out. If the file cannot be opened, the first call of frame_next
 * reports the error. The pointer `opts` may be NULL. */
struct frame_reader *frame_open(const char *path, const struct frame_reader_opts *opts);
void frame_close_reader(struct frame_reader *r);

/* A frame from frame_next. The data belong to the reader, are aligned to 64 bytes, and are valid
 * until the next call. */
struct frame {
    struct frame_desc desc;
    void *data; /* NULL for META and END */
    size_t bytes;
    bool finite; /* known to be finite */
};

/* Reads the next frame of a segment, which is META, a whole array, or END. Returns 1 after reading
 * a frame, 0 at the proper end of the stream after the last END, or -1 on failure (see
 * frame_error). The error is ERR_BAD if the stream is damaged, is truncated or ends in ERR, and
 * ERR_MACHINE if reading fails or memory runs out. */
int frame_next(struct frame_reader *r, struct frame *f) FRAME_MUST;
/* Announces that the caller needs only the next n steps, so that no more are read ahead. */
void frame_steps(struct frame_reader *r, uint64_t n);

/* The function frame_peek works like frame_next, but reads only the description of an array and
 * sets f->data to NULL. The function frame_load then reads the data, and returns 1 or -1. Without a
 * call of frame_load, the data in a seekable file are skipped without verification. */
int frame_peek(struct frame_reader *r, struct frame *f) FRAME_MUST;
int frame_load(struct frame_reader *r, struct frame *f) FRAME_MUST;

/* Verifies the data of the array that frame_peek has just described, without storing the data in
 * memory. Returns 0 or -1. */
int frame_drop(struct frame_reader *r) FRAME_MUST;

struct frame_writer;
/* Verifies the data of the array that frame_peek has just described, and copies the stored bytes to
 * w, with the index and time of d. Compressed parts are decompressed for verification, but are not
 * compressed again. Returns 0 on success, -1 if r fails (frame_error), or -2 if w fails
 * (frame_writer_error). */
int frame_pass(struct frame_reader *r, struct frame_writer *w,
               const struct frame_desc *d) FRAME_MUST;

/* Returns the last error, with a message "FILE: offset N, frame M: expected X, found Y". */
const struct err *frame_error(const struct frame_reader *r);
/* Returns whether the last error was due to a truncated or corrupt stream. */
enum frame_damage { FRAME_SOUND, FRAME_TRUNCATED, FRAME_CORRUPT };
enum frame_damage frame_damage(const struct frame_reader *r);
const struct meta *frame_meta(const struct frame_reader *r); /* present segment */
const char *frame_name(const struct frame_reader *r);        /* path or "stdin" */

/* Returns the ERR frame from the preceding program in the pipe, or NULL. The keys of an ERR frame
 * are err.tool, err.exit, err.msg, err.seq and err.hop. */
const struct meta *frame_received(const struct frame_reader *r);

/* The totals in the END that was just read. Before the first frame of a regular file is read, the
 * totals describe the last segment of the file. The members are in the order of the bytes in
 * END. The function frame_totals returns 0 if the totals are unknown. */
struct frame_totals {
    uint64_t frames; /* before END, with META */
    uint64_t arrays;
    uint64_t raw_bytes;  /* of all arrays */
    uint64_t wire_bytes; /* before END */
    unsigned char stream_hash[16], content_hash[16], parent_hash[2][16];
    enum frame_status status;
    uint32_t parents; /* 0..2 */
    uint64_t steps;
    unsigned char of_hash[16]; /* input of --shard, or 0 */
};
int frame_totals(const struct frame_reader *r, struct frame_totals *t);
/* Writes a hash as 32 hexadecimal digits. */
void frame_hex(const unsigned char hash[16], char text[33]);
uint64_t frame_wire_bytes(const struct frame_reader *r);         /* bytes read so far */
uint64_t frame_file_bytes(const struct frame_reader *r);         /* 0 unless a regular file */
uint64_t frame_head_at(const struct frame_reader *r);            /* of the last header */
bool frame_is_named(const struct frame_reader *r);               /* regular file with a name */
const struct window *frame_window(const struct frame_reader *r); /* opts.window */

/* Continues at the frame that begins at byte `at`, from an index (frame_index.h). The reader must
 * be inside a segment of a regular file. Later frames are verified as usual, but only the numbers
 * of frames and bytes in END can be checked. */
void frame_seek(struct frame_reader *r, uint64_t at);

/* ---- writing ---- */

/* FRAME_SMALL selects codec 3 for time series of f32 numbers, and zlib for other data. */
#define FRAME_SMALL (-1)

struct frame_writer_opts {
    const char *tool;
    /* The level is 0 for no compression, FRAME_SMALL, or 1 to 9 for zlib and readers of MBF 1.0. */
    int compress;
    int threads;      /* any number gives the same output */
    bool force;       /* allow a terminal */
    bool index;       /* Build an index of the steps. */
    uint64_t max_mem; /* bytes; 0: no limit */
    bool last;        /* The file appears after all other outputs. */
    bool at_once;     /* The file appears when it is closed, before other outputs. */
    const char *like; /* File whose mode, owner and group the new file gets, or NULL. */
    /* Writes at least one of n bytes, and returns the number of bytes written, or -1 on failure.
     * Any thread may call `write`, but only one thread at a time. With `write`, the path is only a
     * name for messages. If `write` is NULL, the path is opened. */
    ssize_t (*write)(void *to, const void *p, size_t n);
    void *to;
};

/* Creates a file, or writes to stdout if `path` is NULL or "-". Until frame_close_writer is called,
 * the file has no name, or a temporary name in the same directory. For stdout, descriptor 1 is
 * duplicated for private use and then redirected to descriptor 2. On failure, returns NULL and sets
 * e to ERR_BAD if the output is a terminal and `force` is not set, and otherwise to ERR_MACHINE or
 * ERR_MEMORY. */
struct frame_writer *frame_create(const char *path, const struct frame_writer_opts *opts,
                                  struct err *e);

/* The bytes that a writer had written at the last call of frame_keep, and their stream hash. */
struct frame_mark {
    uint64_t bytes;
    char hash[33]; /* hexadecimal */
};
/* Syncs all frames to disk as FILE.part, which exists until FILE is complete, and sets *m. The
 * writer must be inside a segment. Returns 0 on success, -1 with an error message in e, or 1
 * without any effect if the output is not a regular file. */
int frame_keep(struct frame_writer *w, struct frame_mark *m, struct err *e) FRAME_MUST;
/* Opens a writer that continues after the mark m, inside the only segment of FILE.part, or of a
 * copy of FILE if FILE contains the earlier frames. Unless `like` is NULL, the keys sys.* and
 * data.* of META must agree with the META `like`. On failure, returns NULL with an error message in
 * e. If *found is FRAME_IN_PART on entry but the frames are in FILE, returns NULL without setting
 * e. */
enum frame_found {
    FRAME_GONE,      /* in neither file */
    FRAME_OF_OTHERS, /* META differs from `like` */
    FRAME_IN_PART,
    FRAME_IN_FILE
};
struct frame_writer *frame_resume(const char *path, const struct frame_writer_opts *opts,
                                  const struct frame_mark *m, const struct meta *like,
                                  enum frame_found *found, struct err *e);

/* Each of the functions below returns 0 on success, or -1 on failure (see frame_writer_error). With
 * several threads and compression, arrays are copied, and then compressed and written in order in
 * the background. A failure in the background is reported by a later call, at the latest by
 * frame_end. */
int frame_put_meta(struct frame_writer *w, const struct meta *m) FRAME_MUST; /* begins a segment */
int frame_put(struct frame_writer *w, const struct frame_desc *d, const void *data) FRAME_MUST;
int frame_flush(struct frame_writer *w) FRAME_MUST; /* sends all data */
/* Writes END with the stream hashes parent0 and parent1 of the inputs, which may be NULL. */
int frame_end(struct frame_writer *w, enum frame_status status, const unsigned char *parent0,
              const unsigned char *parent1) FRAME_MUST;
/* Stores the content hash of the input in END, for the result of a part of a run (--shard). */
void frame_share_of(struct frame_writer *w, const unsigned char content[16]);
/* Writes ERR in place of END, between arrays. If `received` is not NULL, this ERR frame from the
 * preceding program (frame_received) is passed on with err.hop increased by 1. */
int frame_fail(struct frame_writer *w, const struct err *why, const struct meta *received);

/* Writes all remaining data, closes the output, and gives the file its name. Frees w, also after an
 * error. Returns 0 only if the output is complete. After frame_fail, or if the last segment has no
 * END, removes the file, sets e to the reason, and returns -1. The argument w may be NULL. */
int frame_close_writer(struct frame_writer *w, struct err *e);

/* Removes all unfinished output files. Signal handlers may call this function. */
void frame_remove_unfinished(void);

const struct err *frame_writer_error(const struct frame_writer *w);
uint64_t frame_written(const struct frame_writer *w);
const char *frame_writer_name(const struct frame_writer *w); /* path or "stdout" */
/* Waits until all data are written, and returns the index of opts.index (frame_index.h), whose
 * arrays the caller may take. */
struct frame_index;
struct frame_index *frame_writer_index(struct frame_writer *w);
bool frame_in_segment(const struct frame_writer *w); /* between META and END */
bool frame_is_live(const struct frame_writer *w);    /* not a regular file */
/* Returns the hashes and totals of the segment that has just ended. */
void frame_writer_totals(const struct frame_writer *w, struct frame_totals *t);

C_LINKAGE_END
