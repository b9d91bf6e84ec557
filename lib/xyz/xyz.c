/* SPDX-License-Identifier: MIT */
/* The reader: batches of frames parsed in parallel while the next batch is being gathered, handed
 * out in order. */
#include "xyz/xyz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/reach.h"
#include "base/slips.h"
#include "xyz/xyz_atoms.h"
#include "xyz/xyz_clock.h"
#include "xyz/xyz_scan.h"

struct xyz_reader {
    struct xyz_opts opts;
    struct xyz_scanner sc;
    struct xyz_clock clock;
    struct xyz_atoms atoms;
    struct xyz_batch batch[2];
    int cur; /* batch being handed out; the other one is being filled */
    size_t natoms, frame_bytes;
    bool started, ended, fill_next, has_last, no_cell, timed;
    int first_file; /* of the first frame */
    struct pool *pool;

    /* frames of the current batch */
    struct xyz_head *heads;
    size_t cap_heads, ready, handed;
    uint64_t index;
    char *pos, *last; /* [spans][natoms][3]; the last frame of the batch before */
    size_t cap_pos;
    double *wide; /* [spans][natoms][3], where positions must be scaled before they become f32 */
    size_t cap_wide;
    int64_t *ids; /* [spans][natoms] */
    size_t cap_ids;
    size_t *bad_row; /* [pieces] of the frame; SIZE_MAX: none */
    size_t cap_bad;

    struct err err;              /* comes after the ready frames */
    char slip[2][ERR_BYTES / 2]; /* of the cell and of dt, to be warned of */
    char warning[ERR_BYTES];
};

/* Record the error `why` of span s (row SIZE_MAX: the header) and cut the batch before it. Where
 * memory is out no frame is ready. Returns -1. */
static int fail(struct xyz_reader *x, size_t span, size_t row, const struct err *why)
{
    const struct xyz_span *s = &x->batch[x->cur].spans[span];
    bool memory = why->status != ERR_BAD;
    x->ready = memory ? 0 : span;
    if (memory)
        x->err = *why;
    else
        err_set(&x->err, why->status, "%s: frame %llu: line %llu: %s",
                xyz_scan_name(&x->sc, s->file), (unsigned long long)s->number,
                (unsigned long long)(s->line + 1 + (row == SIZE_MAX ? 0 : row + 1)), why->text);
    return -1;
}

static int out_of_memory(struct xyz_reader *x)
{
    x->ready = 0;
    return err_memory(&x->err, "a batch of frames");
}

struct xyz_reader *xyz_open(char *const *paths, int npaths, const struct xyz_opts *opts)
{
    struct xyz_reader *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->pool = pool_new(opts->threads);
    if (!x->pool) {
        free(x);
        return NULL;
    }
    x->opts = *opts;
    xyz_clock_init(&x->clock, &x->opts);
    xyz_scan_init(&x->sc, &x->opts, paths, npaths);
    if (xyz_scan_batch(&x->sc, NULL, &x->batch[1]) != 0)
        x->batch[1].last = true; /* the scanner holds the error */
    return x;
}

void xyz_close(struct xyz_reader *x)
{
    if (!x)
        return;
    pool_free(x->pool);
    xyz_scan_free(&x->sc);
    xyz_clock_free(&x->clock);
    xyz_atoms_free(&x->atoms);
    for (int k = 0; k < 2; k++) {
        free(x->batch[k].text);
        free(x->batch[k].spans);
        free(x->batch[k].pieces);
    }
    free(x->heads);
    free(x->pos);
    free(x->last);
    free(x->ids);
    free(x->wide);
    free(x->bad_row);
    free(x);
}

/* *p with room for n * size bytes; what it held is lost. */
static int reserve(void *p, size_t *cap, size_t n, size_t size)
{
    void **q = p;
    size_t bytes;
    if (n <= *cap)
        return 0;
    free(*q);
    *cap = n + n / 4;
    *q = __builtin_mul_overflow(*cap, size, &bytes) ? NULL : malloc(bytes);
    if (!*q)
        *cap = 0;
    return *q ? 0 : -1;
}

static int make_room(struct xyz_reader *x, const struct xyz_batch *b)
{
    if (x->natoms == 0) {
        x->natoms = (size_t)x->sc.natoms;
        if (__builtin_mul_overflow(x->natoms, x->opts.f64 ? 24u : 12u, &x->frame_bytes) ||
            !(x->last = malloc(x->frame_bytes)))
            return out_of_memory(x);
    }
    return reserve(&x->heads, &x->cap_heads, b->nspans, sizeof *x->heads) ||
                   reserve(&x->pos, &x->cap_pos, b->nspans, x->frame_bytes) ||
                   reserve(&x->bad_row, &x->cap_bad, b->npieces, sizeof *x->bad_row)
               ? out_of_memory(x)
               : 0;
}

/* Second lines of the batch's frames into x->heads; an error cuts x->ready. */
static void read_heads(struct xyz_reader *x, const struct xyz_batch *b)
{
    const struct xyz_span *s = b->spans;
    const char *second = b->nspans > 1 ? b->text + s[1].comment : NULL;
    struct err e;
    if (!x->started) {
        x->first_file = s->file;
        if (xyz_clock_start(&x->clock, b->text + s->comment, s->comment_len, second,
                            second ? s[1].comment_len : 0, &e) != 0) {
            fail(x, 0, SIZE_MAX, &e);
            return;
        }
    }
    for (size_t k = 0; k < x->ready; k++)
        if (xyz_clock_next(&x->clock, b->text + s[k].comment, s[k].comment_len, &x->heads[k], &e) !=
            0)
            fail(x, k, SIZE_MAX, &e);
}

/* Is an f32 fine enough for it? 0, or -1 with e. */
static int near(const float *pos, double scale, struct err *e)
{
    for (int axis = 0; axis < 3; axis++)
        if (fabs(scale * pos[axis]) > (double)REACH_F32)
            return err_set(e, ERR_BAD, REACH_ADVICE ", found %c at %g", "xyz"[axis],
                           scale * pos[axis]);
    return 0;
}

/* Word the error of row `row` of span k of the current batch. */
static void explain_row(struct xyz_reader *x, size_t k, size_t row)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    const char *p = b->text + b->spans[k].rows, *end = b->text + b->spans[k].end;
    size_t skip = row;
    struct err e;
    struct xyz_row r;
    p = SIMD_PICK(rows_skip_lines)(p, end, &skip);
    size_t len = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p);
    if (len > 0 && p[len - 1] == '\r')
        len--;
    if (xyz_row(p, len, &x->heads[k].layout, x->opts.f64, &r, &e) == 0 &&
        (x->opts.f64 || near(r.pos32, x->heads[k].scale, &e) == 0))
        err_set(&e, ERR_BAD,
                "expected atom %zu to be '%s' as in the first frame, found '%.*s': is this dump "
                "unsorted (LAMMPS: dump_modify sort id)?",
                row + 1, x->atoms.names[row], (int)r.name_len, r.name);
    fail(x, k, row, &e);
}

/* Frames whose rows are all right: errors, order and jumps, in the order of the frames. */
static void check_frames(struct xyz_reader *x)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    struct xyz_atoms *a = &x->atoms;
    struct err e;
    for (size_t k = 0; k < b->npieces && b->pieces[k].span < x->ready; k++)
        if (x->bad_row[k] != SIZE_MAX)
            explain_row(x, b->pieces[k].span, x->bad_row[k]);
    for (size_t k = 0; k < x->ready; k++) {
        char *now = x->pos + k * x->frame_bytes;
        const char *before = k ? now - x->frame_bytes : x->has_last ? x->last : NULL;
        if (before && !x->timed) {
            x->timed = true;
            (void)slips_dt(&x->heads[k].box, x->natoms, x->opts.f64, before, now, x->clock.dt,
                           x->slip[1], sizeof x->slip[1]);
        }
        size_t row = SIZE_MAX;
        int bad = 0;
        if (a->has_ids && x->heads[k].layout.id < 0)
            bad = err_set(&e, ERR_BAD, "expected an id column in Properties as in the first frame");
        else if (a->has_ids)
            bad = xyz_atoms_order(a, x->ids + k * x->natoms, now, &row, &e);
        else if (before && !x->opts.unsorted_ok)
            bad = xyz_atoms_check(a, &x->heads[k].box, before, now, x->opts.step, &e);
        if (bad)
            fail(x, k, row, &e);
    }
}

static void parse_piece(struct xyz_reader *x, const struct xyz_batch *b, size_t k)
{
    const struct xyz_piece *piece = &b->pieces[k];
    const struct rows_layout *l = &x->heads[piece->span].layout;
    const struct xyz_atoms *a = &x->atoms;
    size_t first = piece->first_row, atom = x->frame_bytes / x->natoms;
    bool names = !a->has_ids && a->names; /* with ids the order may differ: not looked at */
    struct rows r = {.text = b->text + piece->text,
                     .end = b->text + piece->end,
                     .nrows = piece->nrows,
                     .layout = *l,
                     .names8 = names && l->name >= 0 ? a->names8 + first : NULL,
                     .names = names ? (const char(*)[ROWS_NAME_MAX + 1]) a->names + first : NULL,
                     .pos = x->pos + piece->span * x->frame_bytes + first * atom,
                     .ids = a->has_ids && l->id >= 0 ? x->ids + piece->span * x->natoms + first
                                                     : NULL};
    double scale = x->heads[piece->span].scale, *in64 = r.pos;
    float *out32 = r.pos;
    bool narrow = scale != 1.0 && !x->opts.f64; /* scaled in f64, then rounded: once */
    if (narrow)
        r.pos = in64 = x->wide + 3 * (piece->span * x->natoms + first);
    size_t done = xyz_rows_read(&r, x->opts.f64 || narrow);
    for (size_t i = 0; scale != 1.0 && i < 3 * done; i++)
        in64[i] *= scale;
    for (size_t i = 0; narrow && i < 3 * done; i++)
        out32[i] = (float)in64[i];
    size_t far = x->opts.f64 ? 3 * done : reach_f32(out32, 3 * done);
    if (far < 3 * done)
        done = far / 3;
    x->bad_row[k] = done < piece->nrows ? first + done : SIZE_MAX;
}

/* Item 0 is the next batch's text, the others are the pieces of the current batch. */
static void batch_item(void *ctx, size_t k, int thread)
{
    (void)thread;
    struct xyz_reader *x = ctx;
    const struct xyz_batch *b = &x->batch[x->cur];
    if (k > 0 && b->pieces[k - 1].span < x->ready)
        parse_piece(x, b, k - 1);
    else if (k == 0 && x->fill_next)
        (void)xyz_scan_fill(&x->sc, &x->batch[!x->cur], 1, 0.0);
}

/* Rows of the current batch to numbers, while the other batch is filled as far as the input does
 * not pause. */
static int parse_batch(struct xyz_reader *x)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    struct xyz_batch *next = &x->batch[!x->cur];
    x->handed = 0;
    x->ready = b->nspans;
    if (make_room(x, b) != 0)
        return -1;
    read_heads(x, b);
    if (x->ready > 0 && !x->started) {
        struct err e;
        x->no_cell = x->clock.no_cell;
        (void)slips_cell(&x->clock.box0, x->natoms, x->slip[0], sizeof x->slip[0]);
        x->started = true;
        if (xyz_atoms_start(&x->atoms, x->natoms, x->opts.f64, &x->heads[0].layout,
                            b->text + b->spans[0].rows, b->text + b->len, &e) != 0)
            return fail(x, 0, SIZE_MAX, &e);
    }
    if (x->atoms.has_ids &&
        reserve(&x->ids, &x->cap_ids, x->ready * x->natoms, sizeof *x->ids) != 0)
        return out_of_memory(x);
    bool scaled = false;
    for (size_t k = 0; k < x->ready; k++)
        scaled |= x->heads[k].scale != 1.0;
    if (scaled && !x->opts.f64 &&
        reserve(&x->wide, &x->cap_wide, x->ready, x->natoms * 3 * sizeof *x->wide) != 0)
        return out_of_memory(x);
    if (!b->last && !x->err.status && xyz_scan_batch(&x->sc, b, next) != 0)
        next->last = true;
    x->fill_next = !b->last && !x->err.status && !next->last;
    pool_run(x->pool, batch_item, x, 1 + b->npieces);
    check_frames(x);
    return 0;
}

/* The next batch becomes the current one. 1: it has frames, 0: the end, -1. */
static int advance(struct xyz_reader *x)
{
    struct xyz_batch *next = &x->batch[!x->cur];
    (void)xyz_scan_fill(&x->sc, next, 1, -1.0);
    const struct xyz_span *s = next->spans;
    if (!x->started && next->nspans == 1 && !next->last &&
        xyz_clock_needs_two(&x->clock, next->text + s->comment, s->comment_len))
        (void)xyz_scan_fill(&x->sc, next, 2, -1.0);
    if (x->ready > 0) {
        memcpy(x->last, x->pos + (x->ready - 1) * x->frame_bytes, x->frame_bytes);
        x->has_last = true;
    }
    x->cur = !x->cur;
    x->ready = 0;
    return next->nspans == 0 ? 0 : parse_batch(x) == 0;
}

/* No frame is left: the error that was waiting, or the end. */
static int finish(struct xyz_reader *x)
{
    x->ended = true;
    if (!x->err.status)
        x->err = x->sc.err;
    if (!x->err.status && x->index == 0)
        err_set(&x->err, ERR_BAD, "%s: expected frame %llu, found only %llu frames",
                xyz_scan_name(&x->sc, x->sc.npaths ? x->sc.npaths - 1 : 0),
                (unsigned long long)x->opts.first, (unsigned long long)x->sc.number);
    return x->err.status ? -1 : 0;
}

int xyz_next(struct xyz_reader *x, struct xyz_frame *f)
{
    if (x->ended)
        return x->err.status ? -1 : 0;
    while (x->handed == x->ready) {
        if (x->err.status || x->batch[x->cur].last || advance(x) != 1)
            return finish(x);
    }
    size_t k = x->handed++;
    f->index = x->index++;
    f->time = x->heads[k].time;
    f->box = &x->heads[k].box;
    f->pos = x->pos + k * x->frame_bytes;
    return 1;
}

int xyz_wait(struct xyz_reader *x, double seconds)
{
    if (x->handed < x->ready || x->ended || x->err.status || x->batch[x->cur].last)
        return 1;
    return xyz_scan_fill(&x->sc, &x->batch[!x->cur], 1, seconds);
}

/* ---- what it can tell */

const struct err *xyz_error(const struct xyz_reader *x)
{
    return &x->err;
}

const char *xyz_warning(struct xyz_reader *x)
{
    if (x->no_cell && x->index > 0) { /* an input without a good frame has worse troubles */
        x->no_cell = false;
        snprintf(x->warning, sizeof x->warning,
                 "%s: found no cell: distances will have no periodic images (--cell gives a cell, "
                 "--pbc none says that there is none)",
                 xyz_scan_name(&x->sc, x->first_file));
        return x->warning;
    }
    for (int k = 0; k < 2; k++)
        if (x->slip[k][0]) {
            snprintf(x->warning, sizeof x->warning, "%s: %s", xyz_scan_name(&x->sc, x->first_file),
                     x->slip[k]);
            x->slip[k][0] = '\0';
            return x->warning;
        }
    if (!x->sc.warning[0])
        return NULL;
    memcpy(x->warning, x->sc.warning, sizeof x->warning);
    x->sc.warning[0] = '\0';
    return x->warning;
}

struct xyz_info xyz_info(const struct xyz_reader *x)
{
    const struct xyz_scanner *sc = &x->sc;
    return (struct xyz_info){.frames = x->index,
                             .text_bytes = sc->text_bytes,
                             .input_done = sc->in_bytes + sc->in.io.bytes,
                             .input_total = sc->total_bytes,
                             .bound = sc->in_gzip ? "inflating" : "parsing",
                             .sorted = x->atoms.order.moved,
                             .limited = sc->limited,
                             .natoms = x->natoms,
                             .dt = x->clock.dt,
                             .box = &x->clock.box0,
                             .dialect = x->clock.dialect,
                             .dt_from = xyz_clock_dt_from(&x->clock),
                             .cell_from = xyz_clock_cell_from(&x->clock)};
}

int xyz_put_meta(const struct xyz_reader *x, struct meta *m)
{
    const struct box *b = &x->clock.box0;
    int bad = meta_setf(m, "sys.natoms", "%zu", x->natoms);
    if (!isnan(x->clock.dt))
        bad |= meta_set_f64(m, "sys.dt_ps", &x->clock.dt, 1);
    if (!isnan(x->clock.sigma))
        bad |= meta_set_f64(m, "sys.sigma", &x->clock.sigma, 1);
    if (box_volume(b) > 0.0) {
        bad |= meta_set_f64(m, "sys.cell", &b->h[0][0], 9);
        bad |= meta_setf(m, "sys.pbc", "%c%c%c", b->pbc[0] ? 'T' : 'F', b->pbc[1] ? 'T' : 'F',
                         b->pbc[2] ? 'T' : 'F');
    }
    if (x->atoms.names)
        bad |= xyz_atoms_put_species(&x->atoms, m);
    bad |= meta_set(m, "data.quantity", "positions");
    bad |= meta_set(m, "data.unit", "angstrom");
    return bad ? -1 : 0;
}
