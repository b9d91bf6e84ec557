/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/decimal.h"
#include "base/known.h"
#include "base/last_row.h"
#include "xyz/xyz_scan.h"

enum {
    ROW_MIN = 8, /* "H 0 0 0\n", the shortest row there is */
    HUGE_COUNT = 1 << 20,
    SMALL = 1 << 16,
    READ = 1 << 17,       /* what a thread has read it parses from a cache close by: */
    FULL = 1 << 19,       /* a batch that is whole there */
    COUNT_MOST = 1 << 12, /* bytes of a line with a number of atoms, */
    LINE_MOST = 1 << 20   /* and of a second line */
};

typedef const char *skip_fn(const char *, const char *, size_t *);

const char *xyz_scan_name(const struct xyz_scanner *sc, int file)
{
    const char *path = sc->npaths == 0 ? "-" : sc->paths[file < 0 ? 0 : file];
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

/* Record an error of the file being read (line 0: of none); returns -1. */
__attribute__((format(printf, 4, 5))) static int fail(struct xyz_scanner *sc, int status,
                                                      uint64_t line, const char *fmt, ...)
{
    char why[ERR_BYTES], where[64] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    if (line)
        snprintf(where, sizeof where, "frame %llu: line %llu: ", (unsigned long long)sc->number,
                 (unsigned long long)line);
    return err_set(&sc->err, status, "%s: %s%s", xyz_scan_name(sc, sc->file), where, why);
}

void xyz_scan_init(struct xyz_scanner *sc, const struct xyz_opts *opts, char *const *paths,
                   int npaths)
{
    *sc = (struct xyz_scanner){
        .opts = opts, .paths = paths, .npaths = npaths, .file = -1, .file_end = true};
}

void xyz_scan_free(struct xyz_scanner *sc)
{
    input_close(&sc->in);
}

static int grow(void **p, size_t *cap, size_t size, size_t need)
{
    if (need <= *cap)
        return 0;
    size_t n = *cap ? 2 * *cap : 64;
    void *q = realloc(*p, n * size);
    if (!q)
        return -1;
    *p = q;
    *cap = n;
    return 0;
}

/* Room for `used` bytes and one more read, within the memory limit. Small inputs stay small. */
static int make_room(struct xyz_scanner *sc, struct xyz_batch *b, size_t used)
{
    size_t cap = b->cap ? b->cap : SMALL, limit = sc->opts->max_mem;
    while (cap < used + (used < SMALL ? SMALL : READ / 2))
        cap *= 2;
    if (cap == b->cap)
        return 0;
    struct err why;
    if (err_over(&why, 2.0 * (double)cap, limit, NULL, "reading")) /* there are two batches */
        return fail(sc, ERR_MEMORY, sc->line, "%s", why.text);
    size_t before = (size_t)(b->text - b->mem);
    char *p = realloc(b->mem, before + cap + ROWS_PAD);
    if (!p)
        return fail(sc, ERR_MEMORY, sc->line, "out of memory (%zu bytes)", cap);
    b->mem = p;
    b->text = p + before;
    b->cap = cap;
    return 0;
}

/* All of its memory is for text. */
static void empty(struct xyz_batch *b)
{
    b->cap += (size_t)(b->text - b->mem);
    b->text = b->mem;
}

void xyz_scan_fetch(struct xyz_batch *b, const struct fdio *io, uint64_t at)
{
    size_t cap = 2 * XYZ_FETCH;
    int error = 0; /* who reads it in its turn will meet it, too */
    empty(b);
    if (b->cap < cap) {
        free(b->mem);
        b->text = b->mem = malloc(cap + ROWS_PAD);
        b->cap = b->mem ? cap : 0;
    }
    b->fetched = b->mem ? fdio_read_at(io, at, b->mem + XYZ_FETCH, XYZ_FETCH, &error) : 0;
}

/* So many bytes were read behind the text. */
static void take(struct xyz_scanner *sc, struct xyz_batch *b, size_t got)
{
    size_t text = SIMD_PICK(rows_control)(b->text + b->len, got);
    if (text < got)
        sc->control = 1 + (unsigned char)b->text[b->len + text];
    b->len += text;
    memset(b->text + b->len, 0, ROWS_PAD);
    sc->text_bytes += text;
    sc->in_gzip |= sc->in.packed;
}

int xyz_scan_batch(struct xyz_scanner *sc, const struct xyz_batch *from, struct xyz_batch *to)
{
    to->nspans = to->npieces = to->len = 0;
    to->last = false;
    sc->npieces_whole = 0;
    size_t tail = from ? from->len - sc->start : 0, fetched = to->fetched;
    bool use = sc->fetching && fetched && tail <= XYZ_FETCH && !sc->control;
    empty(to);
    to->fetched = 0;
    if (!use && make_room(sc, to, tail) != 0)
        return -1;
    if (use) {
        to->text += XYZ_FETCH - tail;
        to->cap -= XYZ_FETCH - tail;
    }
    if (tail)
        memcpy(to->text, from->text + sc->start, tail);
    to->len = tail;
    if (use) {
        sc->in.io.bytes += fetched;
        take(sc, to, fetched);
    } else {
        memset(to->text + tail, 0, ROWS_PAD);
    }
    sc->at = sc->start = 0; /* the frame that was begun is scanned again from its count line */
    if (sc->stage != XYZ_COUNT)
        sc->line = sc->span.line - 1;
    sc->stage = XYZ_COUNT;
    return 0;
}

static bool wanted(const struct xyz_scanner *sc)
{
    const struct xyz_opts *o = sc->opts;
    return sc->number >= o->said.first && sc->number < o->said.stop &&
           (sc->number - o->said.first) % o->said.step == 0;
}

/* The line at sc->at without its newline, or NULL: it is not there yet, or (sc->err) longer than
 * any. */
static const char *next_line(struct xyz_scanner *sc, const struct xyz_batch *b, size_t most,
                             size_t *len)
{
    size_t have = b->len - sc->at, look = have < most ? have : most;
    const char *s = b->text + sc->at, *nl = memchr(s, '\n', look);
    if (!nl && have >= most)
        fail(sc, ERR_BAD, sc->line + 1, "expected a line of XYZ, found none that ends in %zu bytes",
             most);
    if (!nl)
        return NULL;
    *len = (size_t)(nl - s);
    sc->at += *len + 1;
    sc->line++;
    return s;
}

/* Could so many atoms be in this input at all? Asked before a byte is allocated for them. */
static int plausible(struct xyz_scanner *sc, uint64_t n)
{
    uint64_t size = sc->in.packed ? 0 : sc->in.io.size;
    if (n == 0)
        return fail(sc, ERR_BAD, sc->line, "expected at least one atom, found 0");
    if (sc->natoms && n != sc->natoms)
        return fail(sc, ERR_BAD, sc->line,
                    "expected %llu atoms as in the frames before, found %llu",
                    (unsigned long long)sc->natoms, (unsigned long long)n);
    struct err why;
    if (err_over(&why, 64.0 * (double)n, sc->opts->max_mem ? sc->opts->max_mem : UINT64_MAX, NULL,
                 "%llu atoms", (unsigned long long)n))
        return fail(sc, n >> 40 ? ERR_BAD : ERR_MEMORY, sc->line, "%s", /* no machine has so much */
                    why.text);
    if (size && n > HUGE_COUNT && n > size / (ROW_MIN - 1))
        return fail(sc, ERR_BAD, sc->line,
                    "expected %llu atoms, but the whole file has only %llu bytes",
                    (unsigned long long)n, (unsigned long long)size);
    return 0;
}

/* Count line. 1: taken, 0: not there yet, -1. */
static int scan_count(struct xyz_scanner *sc, struct xyz_batch *b)
{
    size_t len, at = 0, wlen, rest;
    const char *w, *more, *s;
    sc->start = sc->at;
    while ((s = next_line(sc, b, COUNT_MOST, &len)) != NULL) {
        if (sc->line == 1 && len >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
            at = 3; /* a byte-order mark */
        if (xyz_word(s, len, &at, &w, &wlen))
            break;
        if (!sc->blank_line)
            sc->blank_line = sc->line;
        sc->start = sc->at;
        at = 0;
    }
    if (!s)
        return sc->err.status ? -1 : 0;
    if (sc->blank_line)
        return fail(sc, ERR_BAD, sc->blank_line,
                    "expected the number of atoms, found an empty line in the middle of the file");
    uint64_t n;
    if (wlen == 3 && memcmp(w, "ERR", 3) == 0) /* bin2xyz's last line */
        return fail(sc, ERR_BAD, sc->line, "the program that wrote this text failed:%.*s",
                    (int)(len - at < 300 ? len - at : 300), s + at);
    if (decimal_get_u64(w, wlen, UINT64_MAX, &n) != 0 || xyz_word(s, len, &at, &more, &rest)) {
        size_t show = len - (size_t)(w - s) < 40 ? len - (size_t)(w - s) : 40;
        while (show && (unsigned char)w[show - 1] <= ' ')
            show--;
        return fail(
            sc, ERR_BAD, sc->line, "expected the number of atoms, found '%.*s'%s", (int)show, w,
            sc->natoms ? " (are there more atom lines than the frame before promised?)" : "");
    }
    if (plausible(sc, n) != 0)
        return -1;
    sc->natoms = n;
    sc->span = (struct xyz_span){
        .number = sc->number, .line = sc->line, .file = sc->file, .file_start = sc->file_start};
    sc->stage = XYZ_COMMENT;
    return 1;
}

static int add_piece(struct xyz_scanner *sc, struct xyz_batch *b, size_t rows, size_t end)
{
    if (grow((void **)&b->pieces, &b->cap_pieces, sizeof *b->pieces, b->npieces + 1) != 0)
        return fail(sc, ERR_MEMORY, 0, "out of memory");
    b->pieces[b->npieces++] =
        (struct xyz_piece){.span = b->nspans,
                           .first_row = (size_t)sc->natoms - sc->rows_left - rows,
                           .nrows = rows,
                           .text = sc->piece_at,
                           .end = end};
    return 0;
}

/* All rows of the frame are there. */
static int finish_frame(struct xyz_scanner *sc, struct xyz_batch *b)
{
    bool duplicate = false;
    if (sc->npaths > 1) {
        XXH128_hash_t h = XXH3_128bits(b->text + sc->rows_at, sc->at - sc->rows_at);
        duplicate =
            sc->file_start && sc->has_hash && h.low64 == sc->hash[0] && h.high64 == sc->hash[1];
        sc->hash[0] = h.low64;
        sc->hash[1] = h.high64;
        sc->has_hash = true;
    }
    sc->line += sc->natoms;
    sc->start = sc->at;
    sc->file_start = false;
    sc->frame_in_file = true;
    sc->stage = XYZ_COUNT;
    bool take = wanted(sc);
    if (duplicate && !sc->opts->said.keep_duplicates) {
        snprintf(sc->warning, sizeof sc->warning,
                 "%s: its first frame repeats the last one of %s (a restart): left out, "
                 "--keep-duplicates keeps it",
                 xyz_scan_name(sc, sc->file), xyz_scan_name(sc, sc->file - 1));
        take = false;
    } else {
        sc->number++;
    }
    if (!take) {
        b->npieces = sc->npieces_whole;
        return 1;
    }
    if (grow((void **)&b->spans, &b->cap_spans, sizeof *b->spans, b->nspans + 1) != 0)
        return fail(sc, ERR_MEMORY, 0, "out of memory");
    sc->span.rows = sc->rows_at;
    sc->span.end = sc->at;
    b->spans[b->nspans++] = sc->span;
    sc->npieces_whole = b->npieces;
    return 1;
}

static int scan_rows(struct xyz_scanner *sc, struct xyz_batch *b, skip_fn *skip)
{
    bool keep = wanted(sc);
    while (sc->rows_left > 0) {
        size_t want = XYZ_PIECE_ROWS - sc->piece_rows;
        want = want < sc->rows_left ? want : sc->rows_left;
        size_t left = want;
        sc->at = (size_t)(skip(b->text + sc->at, b->text + b->len, &left) - b->text);
        sc->piece_rows += want - left;
        sc->rows_left -= want - left;
        if (left > 0)
            return 0;
        if (keep && add_piece(sc, b, sc->piece_rows, sc->at) != 0)
            return -1;
        sc->piece_rows = 0;
        sc->piece_at = sc->at;
    }
    return finish_frame(sc, b);
}

/* One stage further: 1, 0 when the text ends before that, -1. */
static int scan_on(struct xyz_scanner *sc, struct xyz_batch *b, skip_fn *skip)
{
    if (sc->stage == XYZ_COUNT)
        return scan_count(sc, b);
    if (sc->stage == XYZ_ROWS)
        return scan_rows(sc, b, skip);
    size_t len;
    const char *s = next_line(sc, b, LINE_MOST, &len);
    if (!s)
        return sc->err.status ? -1 : 0;
    sc->span.comment = (size_t)(s - b->text);
    sc->span.comment_len = len > 0 && s[len - 1] == '\r' ? len - 1 : len;
    sc->rows_at = sc->piece_at = sc->at;
    sc->rows_left = (size_t)sc->natoms;
    sc->piece_rows = 0;
    sc->stage = XYZ_ROWS;
    return 1;
}

/* ---- where the text comes from: one file after the other, each of which must end between frames */

/* Drop the text of frames that nobody wanted, while no wanted one is in the batch. */
static void drop_skipped(struct xyz_scanner *sc, struct xyz_batch *b)
{
    if (b->nspans > 0 || sc->start == 0)
        return;
    memmove(b->text, b->text + sc->start, b->len - sc->start);
    size_t shift = sc->start;
    b->len -= shift;
    sc->at -= shift;
    sc->rows_at -= shift;
    sc->piece_at -= shift;
    sc->span.comment -= shift;
    for (size_t k = 0; k < b->npieces; k++) {
        b->pieces[k].text -= shift;
        b->pieces[k].end -= shift;
    }
    sc->start = 0;
}

static int open_next(struct xyz_scanner *sc)
{
    sc->in_bytes += sc->in.io.bytes;
    input_close(&sc->in);
    if (++sc->file >= (sc->npaths ? sc->npaths : 1))
        return 0;
    if (input_open(&sc->in, sc->npaths ? sc->paths[sc->file] : NULL, known_foreign_to_xyz) != 0)
        return fail(sc, sc->in.err.status, 0, "%s", sc->in.err.text);
    sc->total_bytes += sc->in.io.size;
    sc->line = sc->blank_line = 0;
    sc->file_end = sc->frame_in_file = false;
    sc->file_start = sc->file > 0;
    return 1;
}

/* The text of a file has ended, cut says why if it was the compression's fault. Only between frames
 * is that well. */
static int end_of_file(struct xyz_scanner *sc, struct xyz_batch *b, const char *cut)
{
    char what[256] = "";
    sc->file_end = true;
    if (cut)
        snprintf(what, sizeof what, "%.255s", cut);
    else if (sc->stage == XYZ_ROWS)
        snprintf(what, sizeof what, "truncated: expected %llu atoms, the file ends after %llu",
                 (unsigned long long)sc->natoms, (unsigned long long)(sc->natoms - sc->rows_left));
    else if (sc->stage == XYZ_COMMENT)
        snprintf(what, sizeof what,
                 "truncated: expected a second line and %llu atoms, the file ends",
                 (unsigned long long)sc->natoms);
    else if (!sc->frame_in_file)
        return fail(sc, ERR_BAD, 0, "expected XYZ frames, found %s",
                    sc->line ? "only empty lines" : "an empty file");
    else
        return 0;
    uint64_t line = sc->line + (sc->stage == XYZ_ROWS ? sc->natoms - sc->rows_left : 0);
    line += cut && !sc->in.cut; /* a torn line is one more */
    if (!sc->opts->said.allow_partial || !sc->number)
        return fail(sc, ERR_BAD, line ? line : 1, "%s%s", what,
                    sc->number ? " (--allow-partial keeps the whole frames before it)" : "");
    snprintf(sc->warning, sizeof sc->warning, "%s: frame %llu: %s: left out",
             xyz_scan_name(sc, sc->file), (unsigned long long)sc->number, what);
    sc->limited = true;
    b->len = sc->at = sc->start;
    b->npieces = sc->npieces_whole;
    sc->stage = XYZ_COUNT;
    return 0;
}

/* The line that is being scanned. */
static uint64_t line_now(const struct xyz_scanner *sc)
{
    return sc->line + 1 + (sc->stage == XYZ_ROWS ? sc->natoms - sc->rows_left : 0);
}

/* Is a last line without its newline a whole row, by those of its frame? */
static bool whole_row(const struct xyz_scanner *sc, const struct xyz_batch *b)
{
    struct last_row rows = {0};
    const char *s = b->text + sc->rows_at, *end = b->text + b->len, *nl;
    if (sc->stage != XYZ_ROWS || sc->rows_left != 1)
        return false;
    for (; (nl = memchr(s, '\n', (size_t)(end - s))) != NULL; s = nl + 1)
        last_row_add(&rows, s, (size_t)(nl - s));
    return last_row_whole(&rows, s, (size_t)(end - s));
}

/* A file has ended without a newline. 1: what is there is whole, and gets one; 0: it may be cut,
 * *why says so where no other words do. */
static int end_without_newline(struct xyz_scanner *sc, struct xyz_batch *b, const char **why)
{
    size_t end = b->len;
    while (end > sc->at && (unsigned char)b->text[end - 1] <= ' ')
        end--;
    bool blanks = end == sc->at && sc->stage == XYZ_COUNT, whole = !blanks && whole_row(sc, b);
    if (whole)
        snprintf(sc->warning, sizeof sc->warning, "%s: " LAST_ROW_TAKEN,
                 xyz_scan_name(sc, sc->file));
    if (blanks || whole)
        b->text[b->len++] = '\n';
    else if (sc->stage == XYZ_COUNT || (sc->stage == XYZ_ROWS && sc->rows_left == 1))
        *why = LAST_ROW_TORN;
    return blanks || whole;
}

/* More text into b. 1: got some or the next file began, 0: nothing yet, -1: error, 2: all files are
 * done. */
static int read_more(struct xyz_scanner *sc, struct xyz_batch *b, double wait)
{
    if (sc->file_end) {
        int more = open_next(sc);
        if (more != 1)
            return more < 0 ? -1 : 2;
    }
    if (sc->control) /* what stands before it has been scanned */
        return fail(sc, ERR_BAD, line_now(sc), "expected text, found byte 0x%02x",
                    (unsigned)sc->control - 1);
    drop_skipped(sc, b);
    if (make_room(sc, b, b->len) != 0)
        return -1;
    size_t room =
        b->cap - b->len - 1; /* a byte is left for the newline that a last line may lack */
    if (sc->fetching && fdio_seek(&sc->in.io, sc->in.io.bytes) != 0)
        return fail(sc, ERR_MACHINE, 0, "cannot seek: %s", strerror(sc->in.io.error));
    sc->fetching = false;
    ssize_t got = input_read(&sc->in, b->text + b->len, room < READ ? room : READ, wait);
    if (got == FDIO_NOTHING_YET)
        return 0;
    if (got > 0) {
        take(sc, b, (size_t)got);
        return 1;
    }
    bool cut = got == FDIO_ERROR && sc->in.cut;
    if (got == FDIO_ERROR && !cut)
        return fail(sc, sc->in.err.status, 0, "%s", sc->in.err.text);
    const char *why = cut ? sc->in.err.text : NULL;
    if (!cut && b->len > sc->start && b->text[b->len - 1] != '\n' &&
        end_without_newline(sc, b, &why))
        return 1;
    return end_of_file(sc, b, why) == 0 ? 1 : -1;
}

/* Past the last frame that was asked for: does the input go on? */
static int look_beyond(struct xyz_scanner *sc, struct xyz_batch *b)
{
    for (;;) {
        for (; sc->at < b->len; sc->at++)
            if ((unsigned char)b->text[sc->at] > ' ') {
                sc->limited = true;
                return 2;
            }
        if (sc->file + 1 < sc->npaths) {
            sc->limited = true;
            return 2;
        }
        if (b->nspans == 0)
            b->len = sc->at = sc->start = 0; /* blanks only */
        if (make_room(sc, b, b->len) != 0)
            return -1;
        ssize_t got = input_read(&sc->in, b->text + b->len, b->cap - b->len, -1.0);
        sc->limited = got < 0; /* damage beyond what was asked for: there is something at least */
        if (got <= 0)
            return 2;
        b->len += (size_t)got;
    }
}

int xyz_scan_fill(struct xyz_scanner *sc, struct xyz_batch *b, size_t min_frames, double wait)
{
    skip_fn *skip = SIMD_PICK(rows_skip_lines);
    while (!b->last) {
        int rc = sc->number >= sc->opts->said.stop ? 3 : scan_on(sc, b, skip);
        if (rc == 3) {
            if (b->nspans >= min_frames && min_frames > 0)
                return 1; /* hand these out before waiting for what may follow */
            rc = look_beyond(sc, b);
        } else if (rc == 0) {
            bool enough = b->nspans >= min_frames && b->nspans > 0;
            if (enough && b->len >= FULL)
                return 1;
            rc = read_more(sc, b, enough ? 0.0 : wait);
            if (rc == 0)
                return enough;
        }
        b->last = rc == 2 || rc < 0;
    }
    return 1;
}
