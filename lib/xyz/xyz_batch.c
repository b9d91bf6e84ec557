/* SPDX-License-Identifier: MIT */
#include "xyz/xyz_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reach.h"
#include "base/slips.h"

enum { ITEM_BYTES = 1 << 17 }; /* of text: what one thread takes of a batch */

int xyz_batch_fail(struct xyz_reader *x, struct xyz_job *j, size_t span, size_t row,
                   const struct err *why)
{
    const struct xyz_span *s = &j->b.spans[span];
    bool memory = why->status != ERR_BAD;
    j->ready = memory ? 0 : span;
    if (memory)
        j->err = *why;
    else
        err_set(&j->err, why->status, "%s: frame %llu: line %llu: %s",
                xyz_scan_name(&x->sc, s->file), (unsigned long long)s->number,
                (unsigned long long)(s->line + 1 + (row == SIZE_MAX ? 0 : row + 1)), why->text);
    return -1;
}

static int out_of_memory(struct xyz_job *j)
{
    j->ready = 0;
    return err_memory(&j->err, "a batch of frames");
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

static int make_room(struct xyz_reader *x, struct xyz_job *j)
{
    const struct xyz_batch *b = &j->b;
    if (x->natoms == 0) {
        x->natoms = (size_t)x->sc.natoms;
        if (__builtin_mul_overflow(x->natoms, x->opts.said.f64 ? 24u : 12u, &x->frame_bytes) ||
            !(x->last = malloc(x->frame_bytes)))
            return out_of_memory(j);
    }
    return reserve(&j->heads, &j->cap_heads, b->nspans, sizeof *j->heads) ||
                   reserve(&j->pos, &j->cap_pos, b->nspans, x->frame_bytes) ||
                   reserve(&j->bad_row, &j->cap_bad, b->npieces, sizeof *j->bad_row)
               ? out_of_memory(j)
               : 0;
}

/* Second lines of the batch's frames into j->heads; an error cuts j->ready. */
static void read_heads(struct xyz_reader *x, struct xyz_job *j)
{
    const struct xyz_batch *b = &j->b;
    const struct xyz_span *s = b->spans;
    const char *second = b->nspans > 1 ? b->text + s[1].comment : NULL;
    struct err e;
    if (!x->started) {
        x->first_file = s->file;
        if (xyz_clock_start(&x->clock, b->text + s->comment, s->comment_len, second,
                            second ? s[1].comment_len : 0, &e) != 0) {
            xyz_batch_fail(x, j, 0, SIZE_MAX, &e);
            return;
        }
    }
    for (size_t k = 0; k < j->ready; k++)
        if (xyz_clock_next(&x->clock, b->text + s[k].comment, s[k].comment_len, &j->heads[k], &e) !=
            0)
            xyz_batch_fail(x, j, k, SIZE_MAX, &e);
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

/* Word the error of row `row` of span k. */
static void explain_row(struct xyz_reader *x, struct xyz_job *j, size_t k, size_t row)
{
    const struct xyz_batch *b = &j->b;
    const char *p = b->text + b->spans[k].rows, *end = b->text + b->spans[k].end;
    size_t skip = row;
    struct err e;
    struct xyz_row r;
    p = SIMD_PICK(rows_skip_lines)(p, end, &skip);
    size_t len = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p);
    if (len > 0 && p[len - 1] == '\r')
        len--;
    if (xyz_row(p, len, &j->heads[k].layout, x->opts.said.f64, &r, &e) == 0 &&
        (x->opts.said.f64 || near(r.pos32, j->heads[k].scale, &e) == 0))
        err_set(&e, ERR_BAD,
                "expected atom %zu to be '%s' as in the first frame, found '%.*s': is this dump "
                "unsorted (LAMMPS: dump_modify sort id)?",
                row + 1, x->atoms.names[row], (int)r.name_len, r.name);
    xyz_batch_fail(x, j, k, row, &e);
}

void xyz_batch_compare(struct xyz_reader *x, struct xyz_job *j, size_t k, const char *before)
{
    struct err e;
    if (xyz_atoms_check(&x->atoms, &j->heads[k].box, before, j->pos + k * x->frame_bytes,
                        x->opts.said.step, &e) != 0)
        xyz_batch_fail(x, j, k, SIZE_MAX, &e);
}

/* All rows of the batch are read: which are wrong, and what can be said of its frames alone. */
static void settle(struct xyz_reader *x, struct xyz_job *j)
{
    for (size_t k = 0; k < j->b.npieces && j->b.pieces[k].span < j->ready; k++)
        if (j->bad_row[k] != SIZE_MAX)
            explain_row(x, j, j->b.pieces[k].span, j->bad_row[k]);
    for (size_t k = 1; j->compares && k < j->ready; k++)
        xyz_batch_compare(x, j, k, j->pos + (k - 1) * x->frame_bytes);
    j->compared = j->compares;
}

static void parse_piece(const struct xyz_reader *x, struct xyz_job *j, size_t k)
{
    const struct xyz_piece *piece = &j->b.pieces[k];
    const struct rows_layout *l = &j->heads[piece->span].layout;
    const struct xyz_atoms *a = &x->atoms;
    size_t first = piece->first_row, atom = x->frame_bytes / x->natoms;
    bool names = !a->has_ids && a->names; /* with ids the order may differ: not looked at */
    struct rows r = {.text = j->b.text + piece->text,
                     .end = j->b.text + piece->end,
                     .nrows = piece->nrows,
                     .layout = *l,
                     .names8 = names && l->name >= 0 ? a->names8 + first : NULL,
                     .names = names ? (const char(*)[ROWS_NAME_MAX + 1]) a->names + first : NULL,
                     .pos = j->pos + piece->span * x->frame_bytes + first * atom,
                     .ids = a->has_ids && l->id >= 0 ? j->ids + piece->span * x->natoms + first
                                                     : NULL};
    double scale = j->heads[piece->span].scale, *in64 = r.pos;
    float *out32 = r.pos;
    bool narrow = scale != 1.0 && !x->opts.said.f64; /* scaled in f64, then rounded: once */
    if (narrow)
        r.pos = in64 = j->wide + 3 * (piece->span * x->natoms + first);
    size_t done = xyz_rows_read(&r, x->opts.said.f64 || narrow);
    for (size_t i = 0; scale != 1.0 && i < 3 * done; i++)
        in64[i] *= scale;
    for (size_t i = 0; narrow && i < 3 * done; i++)
        out32[i] = (float)in64[i];
    size_t far = x->opts.said.f64 ? 3 * done : reach_f32(out32, 3 * done);
    if (far < 3 * done)
        done = far / 3;
    j->bad_row[k] = done < piece->nrows ? first + done : SIZE_MAX;
}

/* Some pieces of a batch. */
void xyz_batch_work(void *ctx, int slot, int item)
{
    struct xyz_reader *x = ctx;
    struct xyz_job *j = &x->job[slot];
    size_t n = j->b.npieces, k = n * (size_t)item / j->items,
           to = n * ((size_t)item + 1) / j->items;
    for (; k < to && j->b.pieces[k].span < j->ready; k++)
        parse_piece(x, j, k);
    if (__atomic_sub_fetch(&j->left, 1, __ATOMIC_ACQ_REL) == 0)
        settle(x, j);
}

/* ---- a batch begins */

/* What parsing its rows needs. 0 or -1 with j->err. */
static int prepare(struct xyz_reader *x, struct xyz_job *j)
{
    const struct xyz_batch *b = &j->b;
    j->ready = b->nspans;
    if (make_room(x, j) != 0)
        return -1;
    read_heads(x, j);
    if (j->ready > 0 && !x->started) {
        struct err e;
        x->no_cell = x->clock.no_cell;
        (void)slips_cell(&x->clock.box0, x->natoms, x->slip[0], sizeof x->slip[0]);
        x->started = true;
        if (xyz_atoms_start(&x->atoms, x->natoms, x->opts.said.f64, &j->heads[0].layout,
                            b->text + b->spans[0].rows, b->text + b->len, &e) != 0)
            return xyz_batch_fail(x, j, 0, SIZE_MAX, &e);
    }
    if (x->atoms.has_ids &&
        reserve(&j->ids, &j->cap_ids, j->ready * x->natoms, sizeof *j->ids) != 0)
        return out_of_memory(j);
    bool scaled = false;
    for (size_t k = 0; k < j->ready; k++)
        scaled |= j->heads[k].scale != 1.0;
    if (scaled && !x->opts.said.f64 &&
        reserve(&j->wide, &j->cap_wide, j->ready, x->natoms * 3 * sizeof *j->wide) != 0)
        return out_of_memory(j);
    return j->err.status ? -1 : 0;
}

int xyz_batch_fill(struct xyz_reader *x, double wait)
{
    struct xyz_batch *b = &x->job[x->next].b;
    if (!x->filling && xyz_scan_batch(&x->sc, x->from, b) != 0)
        b->last = true; /* the scanner holds the error */
    x->filling = true;
    if (!xyz_scan_fill(&x->sc, b, 1, wait))
        return 0;
    const struct xyz_span *s = b->spans;
    if (!x->started && b->nspans == 1 && !b->last &&
        xyz_clock_needs_two(&x->clock, b->text + s->comment, s->comment_len))
        return xyz_scan_fill(&x->sc, b, 2, wait);
    return 1;
}

/* What the scanner can tell, for when this batch is handed out. */
static void note(struct xyz_scanner *sc, struct xyz_job *j)
{
    j->text_bytes = sc->text_bytes;
    j->input_done = sc->in_bytes + sc->in.io.bytes;
    j->input_total = sc->total_bytes;
    j->in_gzip = sc->in_gzip;
    j->limited = sc->limited;
    memcpy(j->warning, sc->warning, sizeof j->warning);
    sc->warning[0] = '\0';
}

/* Are so many batches enough for now? */
static bool enough(const struct xyz_reader *x, int ahead)
{
    size_t cap = x->from->cap, most = x->opts.max_mem;
    if (x->plain.own)
        return false;
    if (!x->regular && x->sc.number >= x->opts.said.stop) /* what follows may be long in coming */
        return ahead > 0;
    return ahead > 1 && (cap > XYZ_LARGE || (most && ((size_t)ahead + 1) * cap > most));
}

void xyz_batch_fetch(void *ctx, int slot, uint64_t n)
{
    struct xyz_reader *x = ctx;
    if (__atomic_load_n(&x->fetches, __ATOMIC_RELAXED))
        xyz_scan_fetch(&x->job[slot].b, &x->plain, x->fetch_from + n * XYZ_FETCH);
}

int xyz_batch_begin(void *ctx, int slot, int ahead)
{
    struct xyz_reader *x = ctx;
    struct xyz_job *j = &x->job[slot];
    if (x->gone)
        return CONVEYOR_END;
    if (x->from && enough(x, ahead))
        return CONVEYOR_LATER;
    if (!xyz_batch_fill(x, ahead && !x->regular ? 0.0 : -1.0))
        return CONVEYOR_LATER;
    x->filling = false;
    x->from = &j->b;
    x->next = (slot + 1) % x->slots;
    note(&x->sc, j);
    if (x->fetches && !x->sc.fetching)
        __atomic_store_n(&x->fetches, false, __ATOMIC_RELAXED);
    j->err.status = 0;
    j->ready = j->items = 0;
    x->gone = (j->b.nspans && prepare(x, j) != 0) || j->b.last;
    if (j->ready) {
        j->items = 1 + j->b.len / ITEM_BYTES;
        j->items = j->items < j->b.npieces ? j->items : j->b.npieces;
    }
    j->left = j->items;
    j->compared = false;
    j->compares = x->going && !x->atoms.has_ids && !x->opts.said.unsorted_ok;
    return (int)j->items;
}
