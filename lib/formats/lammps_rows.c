/* SPDX-License-Identifier: MIT */
#include "formats/lammps_rows.h"

#include <stdlib.h>

#include "base/rows.h"

enum { RAW_ROWS = 1 << 14, RUNS = 1 << 13 };

/* Ordinary rows that follow each other in a block. */
struct run {
    uint32_t at, bytes, first, n; /* in the block; rows of its result */
};

/* Of a block. */
struct result {
    size_t nruns;
    struct run run[RUNS];
    int64_t *ids; /* behind pos */
    char pos[] __attribute__((aligned(8)));
};

/* Numbers as they stand: f32 where that is what goes out, else f64. */
struct kind {
    int narrow, columns;
    struct rows_layout layout;
};

struct lammps_rows {
    struct bytes *b;
    struct lammps *l;
    char *raw;                /* [RAW_ROWS][3], f64 */
    struct kind kind, shared; /* of this frame; of the rows of blocks */
    bool shares;
    const struct result *result; /* whose first runs were passed */
    size_t next;
};

struct lammps_rows *lammps_rows_new(struct bytes *b, struct lammps *l)
{
    struct lammps_rows *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->b = b;
    r->l = l;
    bytes_whole(b, 1);
    return r;
}

void lammps_rows_free(struct lammps_rows *r)
{
    if (!r)
        return;
    bytes_unshare(r->b);
    free(r->raw);
    free(r);
}

static size_t row_bytes(const struct kind *k)
{
    return k->narrow ? 12 : 24;
}

/* Whole lines of [s, s + n) before any with a byte that no text has: their end. */
static const char *text_end(const char *s, size_t n)
{
    const char *nl = memrchr(s, '\n', SIMD_PICK(rows_control)(s, n));
    return nl ? nl + 1 : s;
}

/* Up to n rows of whole lines [s, end), ordinary ones: how many; their end in *stop. */
static size_t read_rows(const struct kind *k, const char *s, const char *end, size_t n, void *pos,
                        int64_t *ids, const char **stop)
{
    struct rows rows = {.text = s,
                        .end = end,
                        .nrows = n,
                        .layout = k->layout,
                        .columns = k->columns,
                        .pos = pos,
                        .ids = k->layout.id >= 0 ? ids : NULL};
    return k->narrow ? SIMD_PICK(rows_f32)(&rows, stop) : SIMD_PICK(rows_f64)(&rows, stop);
}

/* ---- rows of a block, before anybody has come to it: what looks like rows */

static void read_block(void *ctx, void **result, const unsigned char *p, size_t n)
{
    const struct lammps_rows *r = ctx;
    const struct kind *k = &r->shared;
    size_t most = BYTES_SHARED / (2 * (size_t)k->columns) + 1, rows = 0, bytes = row_bytes(k);
    struct result *t = *result;
    if (!t && !(t = *result = malloc(sizeof *t + most * (24 + sizeof *t->ids))))
        return;
    t->ids = (int64_t *)(void *)(t->pos + most * 24);
    t->nruns = 0;
    const char *text = (const char *)p, *end = text_end(text, n), *s = text, *stop;
    while (t->nruns < RUNS && (s = memchr(s, '\n', (size_t)(end - s))) != NULL) {
        s++; /* behind a line that is no row, or its end */
        size_t done =
            read_rows(k, s, end, most - rows, t->pos + rows * bytes, t->ids + rows, &stop);
        if (done)
            t->run[t->nruns++] = (struct run){.at = (uint32_t)(s - text),
                                              .bytes = (uint32_t)(stop - s),
                                              .first = (uint32_t)rows,
                                              .n = (uint32_t)done};
        rows += done;
        s = stop;
    }
}

/* Are rows of this layout taken as vectors: positions in three columns that follow each other, and
 * no more wanted of a row than those and its id? */
static bool suits(struct lammps_rows *r)
{
    const struct lammps *l = r->l;
    int x = 0;
    while (x < l->ncols && l->use[x] != LAMMPS_X)
        x++;
    if (l->images || l->nvel || x + 2 >= l->ncols || l->use[x + 1] != LAMMPS_X + 1 ||
        l->use[x + 2] != LAMMPS_X + 2)
        return false;
    r->kind = (struct kind){.narrow = l->plain && !l->opts->said.f64,
                            .columns = l->ncols,
                            .layout = {.pos = x, .name = -1, .id = -1}};
    for (int c = 0; c < l->ncols; c++)
        r->kind.layout.id = l->use[c] == LAMMPS_ID ? c : r->kind.layout.id;
    if (!r->shares) {
        r->shares = true;
        r->shared = r->kind;
        bytes_share(r->b, read_block, r);
    }
    return !(l->species && l->has_name); /* names of the first frame are read with care */
}

/* The run that the next byte begins, or NULL. */
static const struct run *find(struct lammps_rows *r, const struct result *t, ptrdiff_t at)
{
    if (t != r->result || r->next > t->nruns ||
        (r->next > 0 && (ptrdiff_t)t->run[r->next - 1].at >= at))
        r->next = 0;
    r->result = t;
    while (r->next < t->nruns && (ptrdiff_t)t->run[r->next].at < at)
        r->next++;
    return r->next < t->nruns && (ptrdiff_t)t->run[r->next].at == at ? &t->run[r->next] : NULL;
}

/* ---- handing out */

/* n rows as rows k... of the frame. */
static void hand_out(const struct lammps_rows *r, struct format_frame *f, size_t k, size_t n,
                     const char *pos, const int64_t *ids)
{
    struct lammps *l = r->l;
    double v[LAMMPS_VALUES] = {0};
    if (r->kind.layout.id >= 0 && ids != l->ids + k)
        memcpy(l->ids + k, ids, n * sizeof *ids);
    if (r->kind.narrow && pos != (const char *)f->pos + 12 * k)
        memcpy((float *)f->pos + 3 * k, pos, n * 12);
    for (size_t i = 0; i < n && !r->kind.narrow; i++) {
        memcpy(v, pos + 24 * i, 24);
        lammps_row(l, f, k + i, v);
    }
}

size_t lammps_rows(struct lammps_rows *r, struct format_frame *f, size_t k)
{
    ptrdiff_t at;
    size_t n = r->l->info->natoms - k;
    const char *s, *stop;
    if (!suits(r))
        return 0;
    const struct result *t = bytes_result(r->b, &at);
    if (t && memcmp(&r->shared, &r->kind, sizeof r->kind) == 0) {
        const struct run *run = find(r, t, at);
        if (run && run->n <= n) {
            hand_out(r, f, k, run->n, t->pos + run->first * row_bytes(&r->kind),
                     t->ids + run->first);
            bytes_take_lines(r->b, run->bytes, run->n);
            return run->n;
        }
        n = 1; /* between two */
    }
    if (!r->kind.narrow && !r->raw && !(r->raw = malloc((size_t)RAW_ROWS * 24)))
        return 0;
    n = r->kind.narrow || n < RAW_ROWS ? n : RAW_ROWS;
    char *pos = r->kind.narrow ? (char *)f->pos + 12 * k : r->raw;
    size_t bytes = bytes_lines(r->b, &s), done;
    do { /* up to a byte that no text has */
        done = read_rows(&r->kind, s, s + bytes, n, pos, r->l->ids + k, &stop);
        bytes = (size_t)(text_end(s, (size_t)(stop - s)) - s);
    } while (s + bytes != stop);
    hand_out(r, f, k, done, pos, r->l->ids + k);
    bytes_take_lines(r->b, bytes, done);
    return done;
}
