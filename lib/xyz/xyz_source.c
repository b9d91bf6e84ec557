/* SPDX-License-Identifier: MIT */
/* Where a scanner's text comes from: one file after the other, each of which must end between
 * frames. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xyz/xyz_scan.h"

enum { SMALL = 1 << 16 };

/* Room for `used` bytes and one more read, within the memory limit. Small inputs stay small. */
int xyz_scan_room(struct xyz_scanner *sc, struct xyz_batch *b, size_t used)
{
    size_t cap = b->cap ? b->cap : SMALL, limit = sc->opts->max_mem;
    while (cap < used + (used < SMALL ? SMALL : XYZ_READ / 2))
        cap *= 2;
    if (cap == b->cap)
        return 0;
    if (limit && cap > limit / 2) /* there are two batches */
        return xyz_scan_fail(sc, 3, sc->line,
                             "reading needs %zu bytes of memory: over the limit of %zu bytes",
                             2 * cap, limit);
    char *p = realloc(b->text, cap + XYZ_PAD);
    if (!p)
        return xyz_scan_fail(sc, 3, sc->line, "out of memory (%zu bytes)", cap);
    b->text = p;
    b->cap = cap;
    return 0;
}

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
    int status;
    char why[256];
    if (sc->in) {
        sc->in_bytes += xyz_input_bytes(sc->in);
        xyz_input_close(sc->in);
        sc->in = NULL;
    }
    if (++sc->file >= (sc->npaths ? sc->npaths : 1))
        return 0;
    sc->in = xyz_input_open(sc->npaths ? sc->paths[sc->file] : NULL, &status, why, sizeof why);
    if (!sc->in)
        return xyz_scan_fail(sc, status, 0, "%s", why);
    sc->total_bytes += xyz_input_size(sc->in);
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
        snprintf(what, sizeof what, "%s", cut);
    else if (sc->stage == XYZ_ROWS)
        snprintf(what, sizeof what, "truncated: expected %llu atoms, the file ends after %llu",
                 (unsigned long long)sc->natoms, (unsigned long long)(sc->natoms - sc->rows_left));
    else if (sc->stage == XYZ_COMMENT)
        snprintf(what, sizeof what,
                 "truncated: expected a second line and %llu atoms, the file ends",
                 (unsigned long long)sc->natoms);
    else if (!sc->frame_in_file)
        return xyz_scan_fail(sc, 2, 0, "expected XYZ frames, found %s",
                             sc->line ? "only empty lines" : "an empty file");
    else
        return 0;
    uint64_t line = sc->line + (sc->stage == XYZ_ROWS ? sc->natoms - sc->rows_left : 0);
    if (!sc->opts->allow_partial || !sc->number)
        return xyz_scan_fail(sc, 2, line ? line : 1, "%s%s", what,
                             sc->number ? " (--allow-partial keeps the whole frames before it)"
                                        : "");
    snprintf(sc->warning, sizeof sc->warning, "%s: frame %llu: %s: left out",
             xyz_scan_name(sc, sc->file), (unsigned long long)sc->number, what);
    sc->has_warning = sc->limited = true;
    b->len = sc->at = sc->start;
    b->npieces = sc->npieces_whole;
    sc->stage = XYZ_COUNT;
    return 0;
}

/* More text into b. 1: got some or the next file began, 0: nothing yet, -1: error, 2: all files are
 * done. */
int xyz_scan_more(struct xyz_scanner *sc, struct xyz_batch *b, double wait)
{
    if (sc->file_end) {
        int more = open_next(sc);
        if (more != 1)
            return more < 0 ? -1 : 2;
    }
    drop_skipped(sc, b);
    if (xyz_scan_room(sc, b, b->len) != 0)
        return -1;
    size_t room =
        b->cap - b->len - 1; /* a byte is left for the newline that the last line may lack */
    ssize_t got = xyz_input_read(sc->in, b->text + b->len, room < XYZ_READ ? room : XYZ_READ, wait);
    if (got == XYZ_INPUT_NOTHING_YET)
        return 0;
    if (got > 0) {
        b->len += (size_t)got;
        memset(b->text + b->len, 0, XYZ_PAD);
        sc->text_bytes += (uint64_t)got;
        sc->in_gzip |= xyz_input_gzip(sc->in);
        return 1;
    }
    bool cut = got == XYZ_INPUT_ERROR && xyz_input_cut(sc->in);
    if (got == XYZ_INPUT_ERROR && !cut)
        return xyz_scan_fail(sc, xyz_input_status(sc->in), 0, "%s", xyz_input_error(sc->in));
    if (!cut && b->len > sc->start && b->text[b->len - 1] != '\n') {
        b->text[b->len++] = '\n';
        return 1;
    }
    return end_of_file(sc, b, cut ? xyz_input_error(sc->in) : NULL) == 0 ? 1 : -1;
}

/* Past the last frame that was asked for: does the input go on? */
int xyz_scan_beyond(struct xyz_scanner *sc, struct xyz_batch *b)
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
        if (xyz_scan_room(sc, b, b->len) != 0)
            return -1;
        ssize_t got = xyz_input_read(sc->in, b->text + b->len, b->cap - b->len, -1.0);
        sc->limited = got < 0; /* damage beyond what was asked for: there is something at least */
        if (got <= 0)
            return 2;
        b->len += (size_t)got;
    }
}
