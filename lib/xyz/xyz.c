/* SPDX-License-Identifier: MIT */
/* The reader: batches of frames, each gathered and parsed by the same thread where it can be, handed
 * out in order. */
#include "xyz/xyz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/reach.h"
#include "base/relay.h"
#include "base/slips.h"
#include "xyz/xyz_atoms.h"
#include "xyz/xyz_clock.h"
#include "xyz/xyz_scan.h"

enum {
    ITEM_BYTES = 1 << 17, /* of text: what one thread takes of a batch */
    LARGE = 1 << 21       /* a batch of more: there are two */
};

/* A batch and its frames. */
struct job {
    struct xyz_batch b;
    size_t ready; /* frames that are right, as far as it is known */
    struct xyz_head *heads;
    size_t cap_heads;
    char *pos; /* [spans][natoms][3] */
    size_t cap_pos;
    double *wide; /* [spans][natoms][3], where positions must be scaled before they become f32 */
    size_t cap_wide;
    int64_t *ids; /* [spans][natoms] */
    size_t cap_ids;
    size_t *bad_row; /* [pieces] of the frame; SIZE_MAX: none */
    size_t cap_bad;
    size_t items, left;      /* of its work; not done */
    bool compares, compared; /* its frames are compared when they are done; they are */
    struct err err;          /* comes after the ready frames */
    /* the scanner behind this batch */
    uint64_t text_bytes, input_done, input_total;
    bool in_gzip, limited;
    char warning[ERR_BYTES];
};

struct xyz_reader {
    struct xyz_opts opts;
    struct xyz_atoms atoms;
    size_t natoms, frame_bytes;
    struct relay *relay;
    struct job *job; /* [slots] */
    int slots;

    /* of who begins a batch */
    struct xyz_scanner sc;
    struct xyz_clock clock;
    struct xyz_batch *from; /* the last one */
    int next;               /* slot of the next */
    bool filling;           /* that holds text already */
    bool started, gone;     /* the first frame's head was read; nothing follows `from` */
    struct fdio plain;      /* the file, where batches are fetched: */
    uint64_t fetch_from;    /* the first from there */
    bool fetches;

    /* of the caller */
    struct job *now; /* what is handed out; NULL: nothing yet */
    bool regular;    /* the input never pauses */
    bool going, ended, has_last, no_cell, timed;
    int first_file; /* of the first frame */
    size_t handed;
    uint64_t index;
    char *last;                  /* the last frame of the batch before */
    struct err err;              /* comes after the ready frames */
    char slip[2][ERR_BYTES / 2]; /* of the cell and of dt, to be warned of */
    char warning[ERR_BYTES];
};

/* Record the error `why` of span s (row SIZE_MAX: the header) and cut the batch before it. Where
 * memory is out no frame is ready. Returns -1. */
static int fail(struct xyz_reader *x, struct job *j, size_t span, size_t row, const struct err *why)
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

static int out_of_memory(struct job *j)
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

static int make_room(struct xyz_reader *x, struct job *j)
{
    const struct xyz_batch *b = &j->b;
    if (x->natoms == 0) {
        x->natoms = (size_t)x->sc.natoms;
        if (__builtin_mul_overflow(x->natoms, x->opts.f64 ? 24u : 12u, &x->frame_bytes) ||
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
static void read_heads(struct xyz_reader *x, struct job *j)
{
    const struct xyz_batch *b = &j->b;
    const struct xyz_span *s = b->spans;
    const char *second = b->nspans > 1 ? b->text + s[1].comment : NULL;
    struct err e;
    if (!x->started) {
        x->first_file = s->file;
        if (xyz_clock_start(&x->clock, b->text + s->comment, s->comment_len, second,
                            second ? s[1].comment_len : 0, &e) != 0) {
            fail(x, j, 0, SIZE_MAX, &e);
            return;
        }
    }
    for (size_t k = 0; k < j->ready; k++)
        if (xyz_clock_next(&x->clock, b->text + s[k].comment, s[k].comment_len, &j->heads[k], &e) !=
            0)
            fail(x, j, k, SIZE_MAX, &e);
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
static void explain_row(struct xyz_reader *x, struct job *j, size_t k, size_t row)
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
    if (xyz_row(p, len, &j->heads[k].layout, x->opts.f64, &r, &e) == 0 &&
        (x->opts.f64 || near(r.pos32, j->heads[k].scale, &e) == 0))
        err_set(&e, ERR_BAD,
                "expected atom %zu to be '%s' as in the first frame, found '%.*s': is this dump "
                "unsorted (LAMMPS: dump_modify sort id)?",
                row + 1, x->atoms.names[row], (int)r.name_len, r.name);
    fail(x, j, k, row, &e);
}

/* Did atoms change places between frame k and the one before? */
static void compare_frame(struct xyz_reader *x, struct job *j, size_t k, const char *before)
{
    struct err e;
    if (xyz_atoms_check(&x->atoms, &j->heads[k].box, before, j->pos + k * x->frame_bytes,
                        x->opts.step, &e) != 0)
        fail(x, j, k, SIZE_MAX, &e);
}

/* All rows of the batch are read: which are wrong, and what can be said of its frames alone. */
static void settle(struct xyz_reader *x, struct job *j)
{
    for (size_t k = 0; k < j->b.npieces && j->b.pieces[k].span < j->ready; k++)
        if (j->bad_row[k] != SIZE_MAX)
            explain_row(x, j, j->b.pieces[k].span, j->bad_row[k]);
    for (size_t k = 1; j->compares && k < j->ready; k++)
        compare_frame(x, j, k, j->pos + (k - 1) * x->frame_bytes);
    j->compared = j->compares;
}

/* What follows from the frames before: order and jumps, in the order of the frames. */
static void check_frames(struct xyz_reader *x, struct job *j)
{
    struct xyz_atoms *a = &x->atoms;
    struct err e;
    for (size_t k = 0; k < j->ready; k++) {
        char *now = j->pos + k * x->frame_bytes;
        const char *before = k ? now - x->frame_bytes : x->has_last ? x->last : NULL;
        if (before && !x->timed) {
            x->timed = true;
            (void)slips_dt(&j->heads[k].box, x->natoms, x->opts.f64, before, now, x->clock.dt,
                           x->slip[1], sizeof x->slip[1]);
        }
        size_t row = SIZE_MAX;
        int bad = 0;
        if (a->has_ids && j->heads[k].layout.id < 0)
            bad = err_set(&e, ERR_BAD, "expected an id column in Properties as in the first frame");
        else if (a->has_ids)
            bad = xyz_atoms_order(a, j->ids + k * x->natoms, now, &row, &e);
        else if (before && !x->opts.unsorted_ok && !(k && j->compared))
            compare_frame(x, j, k, before);
        if (bad)
            fail(x, j, k, row, &e);
    }
}

static void parse_piece(const struct xyz_reader *x, struct job *j, size_t k)
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
    bool narrow = scale != 1.0 && !x->opts.f64; /* scaled in f64, then rounded: once */
    if (narrow)
        r.pos = in64 = j->wide + 3 * (piece->span * x->natoms + first);
    size_t done = xyz_rows_read(&r, x->opts.f64 || narrow);
    for (size_t i = 0; scale != 1.0 && i < 3 * done; i++)
        in64[i] *= scale;
    for (size_t i = 0; narrow && i < 3 * done; i++)
        out32[i] = (float)in64[i];
    size_t far = x->opts.f64 ? 3 * done : reach_f32(out32, 3 * done);
    if (far < 3 * done)
        done = far / 3;
    j->bad_row[k] = done < piece->nrows ? first + done : SIZE_MAX;
}

/* Some pieces of a batch. */
static void work(void *ctx, int slot, int item)
{
    struct xyz_reader *x = ctx;
    struct job *j = &x->job[slot];
    size_t n = j->b.npieces, k = n * (size_t)item / j->items,
           to = n * ((size_t)item + 1) / j->items;
    for (; k < to && j->b.pieces[k].span < j->ready; k++)
        parse_piece(x, j, k);
    if (__atomic_sub_fetch(&j->left, 1, __ATOMIC_ACQ_REL) == 0)
        settle(x, j);
}

/* ---- a batch begins */

/* What parsing its rows needs. 0 or -1 with j->err. */
static int prepare(struct xyz_reader *x, struct job *j)
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
        if (xyz_atoms_start(&x->atoms, x->natoms, x->opts.f64, &j->heads[0].layout,
                            b->text + b->spans[0].rows, b->text + b->len, &e) != 0)
            return fail(x, j, 0, SIZE_MAX, &e);
    }
    if (x->atoms.has_ids &&
        reserve(&j->ids, &j->cap_ids, j->ready * x->natoms, sizeof *j->ids) != 0)
        return out_of_memory(j);
    bool scaled = false;
    for (size_t k = 0; k < j->ready; k++)
        scaled |= j->heads[k].scale != 1.0;
    if (scaled && !x->opts.f64 &&
        reserve(&j->wide, &j->cap_wide, j->ready, x->natoms * 3 * sizeof *j->wide) != 0)
        return out_of_memory(j);
    return j->err.status ? -1 : 0;
}

/* Text into the next batch, as xyz_scan_fill. */
static int fill(struct xyz_reader *x, double wait)
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
static void note(struct xyz_scanner *sc, struct job *j)
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
    if (!x->regular && x->sc.number >= x->opts.stop) /* what follows may be long in coming */
        return ahead > 0;
    return ahead > 1 && (cap > LARGE || (most && ((size_t)ahead + 1) * cap > most));
}

static void fetch(void *ctx, int slot, uint64_t n)
{
    struct xyz_reader *x = ctx;
    if (__atomic_load_n(&x->fetches, __ATOMIC_RELAXED))
        xyz_scan_fetch(&x->job[slot].b, &x->plain, x->fetch_from + n * XYZ_FETCH);
}

/* From the second batch on everybody begins; frames that are small, of one file, are fetched. */
static void open_all(struct xyz_reader *x)
{
    size_t most = x->opts.max_mem;
    if (x->opts.threads > 1 && x->sc.npaths < 2 && x->from->cap < LARGE && input_plain(&x->sc.in) &&
        (!most || (size_t)x->slots * LARGE < most)) {
        x->plain = x->sc.in.io;
        x->plain.fd = dup(x->sc.in.io.fd);
        x->fetch_from = x->sc.in.io.bytes;
        x->fetches = x->sc.fetching = x->plain.own = x->plain.fd >= 0;
    }
    relay_open(x->relay, x->fetches);
}

static int begin(void *ctx, int slot, int ahead)
{
    struct xyz_reader *x = ctx;
    struct job *j = &x->job[slot];
    if (x->gone)
        return RELAY_END;
    if (x->from && enough(x, ahead))
        return RELAY_LATER;
    if (!fill(x, ahead && !x->regular ? 0.0 : -1.0))
        return RELAY_LATER;
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
    j->compares = x->going && !x->atoms.has_ids && !x->opts.unsorted_ok;
    return (int)j->items;
}

/* ---- and is handed out */

/* The next batch. 1: it has frames, 0: none. */
static int advance(struct xyz_reader *x)
{
    struct job *j = x->now;
    if (j && j->ready > 0) {
        memcpy(x->last, j->pos + (j->ready - 1) * x->frame_bytes, x->frame_bytes);
        x->has_last = true;
    }
    x->handed = 0;
    int slot = relay_next(x->relay);
    if (slot == RELAY_END)
        return 0;
    x->now = j = &x->job[slot];
    check_frames(x, j);
    x->err = j->err;
    if (!x->going) { /* written before others begin */
        x->going = true;
        if (x->regular)
            open_all(x);
    }
    return j->ready > 0;
}

/* Does no input ever pause, nor keep who opens it waiting? */
static bool all_regular(char *const *paths, int npaths)
{
    struct stat st;
    bool all = npaths > 0 || (fstat(0, &st) == 0 && S_ISREG(st.st_mode));
    for (int k = 0; k < npaths; k++)
        all = all && (strcmp(paths[k], "-") == 0 ? fstat(0, &st) : stat(paths[k], &st)) == 0 &&
              S_ISREG(st.st_mode);
    return all;
}

struct xyz_reader *xyz_open(char *const *paths, int npaths, const struct xyz_opts *opts)
{
    struct xyz_reader *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->opts = *opts;
    x->slots = relay_slots(opts->threads);
    x->job = calloc((size_t)x->slots, sizeof *x->job);
    x->relay = relay_new(opts->threads, x->slots, (struct relay_source){fetch, begin, work, x});
    xyz_clock_init(&x->clock, &x->opts);
    xyz_scan_init(&x->sc, &x->opts, paths, npaths);
    x->regular = all_regular(paths, npaths);
    if (x->job && x->relay)
        return x;
    xyz_close(x);
    return NULL;
}

void xyz_close(struct xyz_reader *x)
{
    if (!x)
        return;
    relay_free(x->relay);
    xyz_scan_free(&x->sc);
    xyz_clock_free(&x->clock);
    xyz_atoms_free(&x->atoms);
    for (struct job *j = x->job; x->job && j < x->job + x->slots; j++) {
        free(j->b.mem);
        free(j->b.spans);
        free(j->b.pieces);
        free(j->heads);
        free(j->pos);
        free(j->ids);
        free(j->wide);
        free(j->bad_row);
    }
    if (x->plain.own)
        close(x->plain.fd);
    free(x->job);
    free(x->last);
    free(x);
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
    while (!x->now || x->handed == x->now->ready) {
        if (x->err.status || (x->now && x->now->b.last) || advance(x) != 1)
            return finish(x);
    }
    const struct job *j = x->now;
    size_t k = x->handed++;
    f->index = x->index++;
    f->time = j->heads[k].time;
    f->box = &j->heads[k].box;
    f->pos = j->pos + k * x->frame_bytes;
    return 1;
}

int xyz_wait(struct xyz_reader *x, double seconds)
{
    const struct job *j = x->now;
    if (x->regular || x->ended || x->err.status || (j && (x->handed < j->ready || j->b.last)) ||
        relay_begun(x->relay))
        return 1;
    return x->sc.number < x->opts.stop && fill(x, seconds);
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
    if (!x->now || !x->now->warning[0])
        return NULL;
    memcpy(x->warning, x->now->warning, sizeof x->warning);
    x->now->warning[0] = '\0';
    return x->warning;
}

struct xyz_info xyz_info(const struct xyz_reader *x)
{
    static const struct job none;
    const struct job *j = x->now ? x->now : &none;
    return (struct xyz_info){.frames = x->index,
                             .text_bytes = j->text_bytes,
                             .input_done = j->input_done,
                             .input_total = j->input_total,
                             .bound = j->in_gzip ? "inflating" : "parsing",
                             .sorted = x->atoms.order.moved,
                             .limited = j->limited,
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
