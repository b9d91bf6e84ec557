/* SPDX-License-Identifier: MIT */
/*
 * xyz_scan.h: private to lib/xyz*.c. Text gathered into batches of whole frames; only lines are
 * counted here.
 *
 * One scanner goes through all files. It holds no text: a batch owns its text, and what is not yet
 * a whole frame moves on to the next batch.
 */
#ifndef MBF_XYZ_SCAN_H
#define MBF_XYZ_SCAN_H

#include "base/input.h"
#include "xyz/xyz_opts.h"
#include "xyz/xyz_rows.h"

enum { XYZ_PIECE_ROWS = 4096, XYZ_FETCH = 1 << 19 };

/* One wanted frame; offsets into the batch's text. */
struct xyz_span {
    uint64_t number; /* of the frame in the whole input */
    uint64_t line;   /* of its count line */
    size_t comment, comment_len, rows, end;
    int file;
    bool file_start; /* first frame of a later file */
};

/* Some rows of one frame: the unit of parallel work. */
struct xyz_piece {
    size_t span, first_row, nrows, text, end;
};

struct xyz_batch {
    char *mem, *text; /* text begins somewhere in mem, */
    size_t len, cap;  /* and has room for cap bytes */
    size_t fetched;   /* bytes behind mem + XYZ_FETCH, read before their time */
    struct xyz_span *spans;
    struct xyz_piece *pieces;
    size_t nspans, npieces, cap_spans, cap_pieces;
    bool last; /* nothing comes after this batch: the end, or the scanner's error */
};

enum xyz_stage { XYZ_COUNT, XYZ_COMMENT, XYZ_ROWS };

struct xyz_scanner {
    const struct xyz_opts *opts;
    char *const *paths;
    int npaths, file; /* file: index of the one being read; npaths when all are done */
    struct input in;
    bool file_end, frame_in_file, in_gzip;
    bool fetching; /* what follows in the file has been fetched */
    enum xyz_stage stage;
    size_t at;    /* offset in the batch's text up to which it has been scanned */
    size_t start; /* offset of the frame being scanned */
    size_t rows_at, piece_at, rows_left, piece_rows;
    struct xyz_span span;
    size_t
        npieces_whole; /* pieces of whole frames; those behind belong to the frame being scanned */
    uint64_t line, number, natoms, blank_line;
    int control;      /* 1 + a byte that no text has, behind what was read; 0: none was met */
    uint64_t hash[2]; /* of the rows of the last frame, with several files */
    bool has_hash, file_start;
    uint64_t text_bytes, in_bytes, total_bytes;
    bool limited;
    char warning[ERR_BYTES]; /* for the user; "": none */
    struct err err;
};

void xyz_scan_init(struct xyz_scanner *sc, const struct xyz_opts *opts, char *const *paths,
                   int npaths);
void xyz_scan_free(struct xyz_scanner *sc);

/*
 * Go on filling b (prepared by xyz_scan_batch) until it is full or the input pauses, but with at
 * least min_frames; a negative wait blocks, else at most so many seconds. Returns 1 when b is to be
 * used (or b->last is set), 0 when the input paused before min_frames were there.
 */
int xyz_scan_fill(struct xyz_scanner *sc, struct xyz_batch *b, size_t min_frames, double wait);

/* Make `to` the next batch: empty, but for the text of `from` that is not yet a whole frame. 0, or
 * -1 with the error in sc. */
int xyz_scan_batch(struct xyz_scanner *sc, const struct xyz_batch *from, struct xyz_batch *to);

/* Up to XYZ_FETCH bytes that begin at byte `at` of io into b, before its turn. */
void xyz_scan_fetch(struct xyz_batch *b, const struct fdio *io, uint64_t at);

/* Name of a file for messages; of the first one where none is open yet (-1). */
const char *xyz_scan_name(const struct xyz_scanner *sc, int file);

#endif
