/* SPDX-License-Identifier: MIT */
#include "formats/lammps_rows.h"

#include <stdlib.h>

#include "base/rows.h"

enum {
    PIECE_ROWS = 2048,
    RAW_ROWS = 64 * PIECE_ROWS,
    PIECES = 512,
    HEADER_LINES = 16 /* at most, up to ITEM: ATOMS */
};

struct piece {
    const char *text, *end;
    int part;
    size_t first, n, done; /* rows of the part; how many were taken */
    const char *stop;
};

/* A frame, or the rest of one, among the pieces. */
struct part {
    uint64_t at;     /* in the file, of its first row */
    size_t bytes, n; /* of its rows */
    char *pos;       /* [n][3] */
    int64_t *ids;    /* [n] */
};

/* Numbers as they stand: f32 where that is what goes out, else f64. */
struct lammps_rows {
    struct bytes *b;
    struct lammps *l;
    char *raw;    /* [RAW_ROWS][3], unless they go where they belong at once */
    int64_t *ids; /* [RAW_ROWS] */
    size_t used;  /* rows of both */
    bool narrow;
    struct rows_layout layout;
    struct piece piece[PIECES];
    int npieces;
    struct part part[PIECES];
    int nparts, next; /* next: the first that was not handed out */
};

struct lammps_rows *lammps_rows_new(struct bytes *b, struct lammps *l)
{
    struct lammps_rows *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->b = b;
    r->l = l;
    bytes_whole(b, 1);
    bytes_share(b);
    return r;
}

void lammps_rows_free(struct lammps_rows *r)
{
    if (!r)
        return;
    free(r->raw);
    free(r->ids);
    free(r);
}

/* Are rows of this layout taken as vectors: positions in three columns that follow each other, and
 * no more wanted of a row than those and its id? */
static bool suits(struct lammps_rows *r)
{
    const struct lammps *l = r->l;
    int x = 0;
    while (x < l->ncols && l->use[x] != LAMMPS_X)
        x++;
    if (l->images || l->nvel || (l->species && l->has_name) || x + 2 >= l->ncols ||
        l->use[x + 1] != LAMMPS_X + 1 || l->use[x + 2] != LAMMPS_X + 2)
        return false;
    r->layout = (struct rows_layout){.pos = x, .name = -1, .id = -1};
    for (int c = 0; c < l->ncols; c++)
        r->layout.id = l->use[c] == LAMMPS_ID ? c : r->layout.id;
    if (r->narrow !=
        (l->plain && !l->opts->f64)) /* other units: what was read ahead is not as it must be */
        r->next = r->nparts;
    r->narrow = l->plain && !l->opts->f64;
    return true;
}

/* ---- pieces */

static void read_piece(void *ctx, size_t k, int thread)
{
    struct lammps_rows *r = ctx;
    struct piece *p = &r->piece[k];
    const struct part *t = &r->part[p->part];
    struct rows rows = {.text = p->text,
                        .end = p->end,
                        .nrows = p->n,
                        .layout = r->layout,
                        .columns = r->l->ncols,
                        .pos = t->pos + p->first * (r->narrow ? 12 : 24),
                        .ids = r->layout.id >= 0 ? t->ids + p->first : NULL};
    (void)thread;
    p->done =
        r->narrow ? SIMD_PICK(rows_f32)(&rows, &p->stop) : SIMD_PICK(rows_f64)(&rows, &p->stop);
    size_t bytes = (size_t)(p->stop - p->text);
    if (SIMD_PICK(rows_control)(p->text, bytes) < bytes)
        p->done = 0; /* who reads it with care finds the row */
}

/* Up to n rows at s become pieces (of one thread: one), and a part, in room for `most` rows. Returns
 * the end of those that are there. */
static const char *cut(struct lammps_rows *r, const char *s, const char *end, size_t n, size_t most,
                       struct part to)
{
    const char *p = s;
    while (to.n < n && p < end && r->npieces < PIECES && to.n < most) {
        size_t want = n < most ? n - to.n : most - to.n, left = 0;
        const char *next = end;
        if (r->b->shares) {
            want = left = want < PIECE_ROWS ? want : PIECE_ROWS;
            next = bytes_skip_lines(r->b, p, end, &left);
        }
        r->piece[r->npieces++] = (struct piece){
            .text = p, .end = next, .part = r->nparts, .first = to.n, .n = want - left};
        to.n += want - left;
        p = next;
    }
    to.bytes = (size_t)(p - s);
    r->part[r->nparts++] = to;
    return p;
}

/* Behind the header at s, which must be like the last one; NULL: it is not, or not there. */
static const char *behind_header(const struct lammps_rows *r, const char *s, const char *end)
{
    static const char item[] = "ITEM: ATOMS ";
    size_t len = strlen(r->l->text), want = sizeof item - 1 + len;
    for (int k = 0; k < HEADER_LINES; k++) {
        const char *nl = memchr(s, '\n', (size_t)(end - s));
        if (!nl)
            return NULL;
        size_t n = (size_t)(nl - s);
        if (n >= sizeof item - 1 && memcmp(s, item, sizeof item - 1) == 0) {
            const char *tail = s + want;
            while (n >= want && tail < nl && (*tail == ' ' || *tail == '\r'))
                tail++;
            return n >= want && memcmp(s + sizeof item - 1, r->l->text, len) == 0 && tail == nl
                       ? nl + 1
                       : NULL;
        }
        s = nl + 1;
    }
    return NULL;
}

/* The rows of one more frame, if they are all there. Returns their end, or NULL. */
static const char *cut_next(struct lammps_rows *r, const char *s, const char *p, const char *end)
{
    size_t n = r->l->info->natoms, pieces = (size_t)r->npieces;
    if (r->nparts == PIECES || r->used + n > RAW_ROWS || !(p = behind_header(r, p, end)))
        return NULL;
    struct part to = {.at = r->b->offset + (uint64_t)(p - s),
                      .pos = r->raw + r->used * 24,
                      .ids = r->ids + r->used};
    p = cut(r, p, end, n, n, to);
    if (r->part[r->nparts - 1].n < n) {
        r->nparts--;
        r->npieces = (int)pieces;
        return NULL;
    }
    r->used += n;
    return p;
}

/* Cut what is there from row k of the frame on, read the pieces, and keep what was read whole. */
static void gather(struct lammps_rows *r, struct format_frame *f, size_t k)
{
    const char *s;
    size_t bytes = bytes_lines(r->b, &s), n = r->l->info->natoms - k;
    const char *end = s + bytes, *p;
    struct part to = {.at = r->b->offset, .pos = r->raw, .ids = r->l->ids + k};
    r->npieces = r->nparts = r->next = 0;
    if (r->narrow)
        to.pos = (char *)f->pos + 12 * k;
    p = cut(r, s, end, n, r->narrow ? n : RAW_ROWS, to);
    r->used = r->narrow ? 0 : r->part[0].n;
    while (r->part[0].n == n && r->b->shares && p)
        p = cut_next(r, s, p, end);
    bytes_run(r->b, read_piece, r, (size_t)r->npieces);
    r->part[0].n = r->part[0].bytes = 0;
    for (int i = 0; i < r->npieces; i++) {
        const struct piece *c = &r->piece[i];
        if (c->part == 0) { /* its rows count up to the first that needs care */
            r->part[0].n += c->done;
            r->part[0].bytes = (size_t)((c->done ? c->stop : c->text) - s);
        }
        if (c->done < c->n) {
            r->nparts = c->part > 0 ? c->part : 1;
            break;
        }
    }
}

/* ---- handing out */

/* Rows of a part as rows k... of the frame. */
static void hand_out(struct lammps_rows *r, const struct part *t, struct format_frame *f, size_t k)
{
    struct lammps *l = r->l;
    double v[LAMMPS_VALUES] = {0};
    if (r->next > 0 && r->layout.id >= 0)
        memcpy(l->ids + k, t->ids, t->n * sizeof *l->ids);
    if (r->next > 0 && r->narrow)
        memcpy((float *)f->pos + 3 * k, t->pos, t->n * 12);
    for (size_t i = 0; i < t->n && !r->narrow; i++) {
        memcpy(v, t->pos + 24 * i, 24);
        lammps_row(l, f, k + i, v);
    }
}

size_t lammps_rows(struct lammps_rows *r, struct format_frame *f, size_t k)
{
    if (!suits(r))
        return 0;
    if (!r->raw && !(r->raw = malloc((size_t)RAW_ROWS * 24)))
        return 0;
    if (!r->ids && !(r->ids = malloc(RAW_ROWS * sizeof *r->ids)))
        return 0;
    while (r->next < r->nparts && r->part[r->next].at < r->b->offset) /* a frame was passed over */
        r->next++;
    if (k > 0 || r->next >= r->nparts || r->part[r->next].at != r->b->offset)
        gather(r, f, k);
    const struct part *t = &r->part[r->next];
    hand_out(r, t, f, k);
    r->next++;
    bytes_take_lines(r->b, t->bytes, t->n);
    return t->n;
}
