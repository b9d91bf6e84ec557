/* SPDX-License-Identifier: MIT */
/* Reads LAMMPS binary dumps. A frame is a header and one chunk of f64 rows from each process that
 * wrote. Since 2021, the header begins with minus the length of "DUMPATOM" or "DUMPCUSTOM". From
 * the second revision on, the header names units, time and columns. Older files begin with the time
 * step, and the user must name their columns. The byte order is that of the writer. Source: LAMMPS
 * manual, "dump"; example files. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/lammps.h"
#include "formats/numbers.h"
#include "io/decimal.h"

enum {
    PIECE_BYTES = 1 << 15,
    MAGIC_MAX = 16,
    TEXT_MAX = 1024,
    CHUNKS_MAX = 1 << 24,
    ROW_MAX = 256
};

struct binary {
    FORMAT_READER;
    struct lammps l;
    bool swap, headed;
    /* header of the current frame */
    int64_t step, natoms;
    double time;
    int pbc[3];
    uint32_t row; /* numbers per row */
    uint32_t nchunks;
};

/* Returns whether the bytes look like the header of an old frame, in either byte order. */
static bool plausible(const unsigned char *p, size_t n, bool swap)
{
    if (n < 96)
        return false;
    int64_t step = (int64_t)bytes_u64(p, swap), atoms = (int64_t)bytes_u64(p + 8, swap);
    bool good = step >= 0 && step < INT64_C(1) << 48 && atoms > 0 && atoms < INT64_C(1) << 40 &&
                bytes_u32(p + 16, swap) <= 1;
    for (int k = 0; k < 6; k++)
        good = good && bytes_u32(p + 20 + 4 * k, swap) <= 3;
    for (int a = 0; a < 3; a++) {
        double lo = bytes_f64(p + 44 + 16 * a, swap), hi = bytes_f64(p + 52 + 16 * a, swap);
        good = good && isfinite(lo) && isfinite(hi) && hi > lo && hi - lo < 1e12 && hi - lo > 1e-12;
    }
    return good;
}

static bool is_binary(const unsigned char *p, size_t n)
{
    return plausible(p, n, false) || plausible(p, n, true);
}

/* ---- the header, piece by piece */

static int get_i32(struct binary *d, const char *what, int32_t low, int32_t high, int32_t *v,
                   struct err *e)
{
    const unsigned char *p;
    if (bytes_get(d->b, 4, what, &p, e) != 0)
        return -1;
    *v = (int32_t)bytes_u32(p, d->swap);
    return *v >= low && *v <= high
               ? 0
               : bytes_bad(d->b, e, "expected %s from %d to %d, found %d", what, low, high, *v);
}

static int get_i64(struct binary *d, const char *what, int64_t *v, struct err *e)
{
    const unsigned char *p;
    if (bytes_get(d->b, 8, what, &p, e) != 0)
        return -1;
    *v = (int64_t)bytes_u64(p, d->swap);
    return 0;
}

/* Reads a text of length n. */
static int get_text(struct binary *d, const char *what, size_t n, char text[TEXT_MAX],
                    struct err *e)
{
    const unsigned char *p = NULL;
    if (bytes_get(d->b, n, what, &p, e) != 0)
        return -1;
    if (n)
        memcpy(text, p, n);
    text[n] = '\0';
    return 0;
}

/* Reads minus the length of a magic word, the word, the byte order and the revision (0 for an old
 * frame). Returns 1, 0 at the end of the file, or -1. */
static int read_magic(struct binary *d, int32_t *revision, struct err *e)
{
    const unsigned char *p;
    char word[TEXT_MAX];
    *revision = 0;
    int got = bytes_peek(d->b, 8, "a frame", &p, e);
    if (got != 1)
        return got;
    int64_t a = (int64_t)bytes_u64(p, false), b = (int64_t)bytes_u64(p, true);
    if (a >= -MAGIC_MAX && a < 0)
        d->swap = false;
    else if (b >= -MAGIC_MAX && b < 0)
        d->swap = true;
    else
        return 1;
    size_t n = (size_t) - (d->swap ? b : a);
    int32_t order;
    bytes_take(d->b, 8);
    if (get_text(d, "the magic word", n, word, e) != 0 ||
        get_i32(d, "the byte order", 1, 1, &order, e) != 0 ||
        get_i32(d, "the revision", 1, 2, revision, e) != 0)
        return -1;
    if (strcmp(word, "DUMPATOM") != 0 && strcmp(word, "DUMPCUSTOM") != 0)
        return bytes_bad(d->b, e, "expected DUMPATOM or DUMPCUSTOM, found '%.20s'", word);
    return 1;
}

static int read_box(struct binary *d, int32_t triclinic, struct err *e)
{
    const unsigned char *p;
    double v[9] = {0};
    int n = triclinic ? 9 : 6;
    if (bytes_get(d->b, (size_t)n * 8, "the box", &p, e) != 0)
        return -1;
    for (int k = 0; k < n; k++) {
        v[k] = bytes_f64(p + 8 * k, d->swap);
        if (!isfinite(v[k]) || (k < 6 && k % 2 && !(v[k] > v[k - 1])))
            return bytes_bad(
                d->b, e,
                "expected finite box bounds in ascending order, found bound %d equal to %g", k + 1,
                v[k]);
    }
    const double lo[3] = {v[0], v[2], v[4]}, hi[3] = {v[1], v[3], v[5]};
    lammps_bounds(&d->l, lo, hi, v + 6);
    return 0;
}

/* Reads units, time and columns, present in the second revision. */
static int read_names(struct binary *d, struct err *e)
{
    char text[TEXT_MAX];
    const unsigned char *p;
    int32_t n;
    if (get_i32(d, "the length of the units", 0, 64, &n, e) != 0 ||
        get_text(d, "the units", (size_t)n, text, e) != 0 ||
        (n > 0 && lammps_set_units(&d->l, text, (size_t)n, e) != 0) ||
        bytes_get(d->b, 1, "the mark of a time", &p, e) != 0)
        return -1;
    if (p[0]) {
        if (bytes_get(d->b, 8, "the time", &p, e) != 0)
            return -1;
        d->time = bytes_f64(p, d->swap);
        if (!isfinite(d->time))
            return bytes_bad(d->b, e, "expected a time, found %g", d->time);
    }
    if (get_i32(d, "the length of the columns", 0, TEXT_MAX - 1, &n, e) != 0 ||
        get_text(d, "the columns", (size_t)n, text, e) != 0)
        return -1;
    return lammps_columns(&d->l, !isnan(d->time), text, strlen(text), e);
}

static int given_columns(struct binary *d, struct err *e)
{
    const char *s = d->o->columns;
    d->info->uses = FORMAT_COLUMNS;
    if (!s)
        return err_bad(e,
                       "expected the names of %u columns, found none in this old dump (copy the "
                       "names from the LAMMPS dump command to --columns; for style atom, give "
                       "--columns 'id type xs ys zs')",
                       d->row);
    return lammps_columns(&d->l, !isnan(d->time), s, strlen(s), e);
}

/* Reads the header of a frame. Returns 1, 0 at the end of the file, or -1. */
static int read_header(struct binary *d, struct err *e)
{
    int32_t revision, triclinic, flag, row, chunks;
    int got = read_magic(d, &revision, e);
    if (got != 1)
        return got;
    if (get_i64(d, "the time step", &d->step, e) != 0 || get_i64(d, "atoms", &d->natoms, e) != 0 ||
        get_i32(d, "a mark of tilt", 0, 1, &triclinic, e) != 0)
        return -1;
    if (d->step < 0 || d->natoms <= 0 || d->natoms > INT64_C(1) << 40)
        return bytes_bad(d->b, e, "expected a time step and a number of atoms, found %lld and %lld",
                         (long long)d->step, (long long)d->natoms);
    for (int k = 0; k < 6; k++) {
        if (get_i32(d, "a kind of boundary", 0, 3, &flag, e) != 0)
            return -1;
        d->pbc[k / 2] = flag == 0;
    }
    d->time = NAN;
    if (read_box(d, triclinic, e) != 0 || get_i32(d, "numbers of a row", 1, ROW_MAX, &row, e) != 0)
        return -1;
    d->row = (uint32_t)row;
    if ((revision > 1 ? read_names(d, e) : given_columns(d, e)) != 0 ||
        get_i32(d, "a number of chunks", 1, CHUNKS_MAX, &chunks, e) != 0)
        return -1;
    if ((uint32_t)d->l.ncols != d->row)
        return bytes_bad(d->b, e, "expected names for %u columns, found %d names (%s)", d->row,
                         d->l.ncols, d->l.text);
    d->nchunks = (uint32_t)chunks;
    d->headed = true;
    return 1;
}

static void close_binary(void *self)
{
    lammps_free(&((struct binary *)self)->l);
}

static int open_binary(void *self, struct err *e)
{
    struct binary *d = self;
    const unsigned char *p;
    bytes_whole(d->b, 1);
    lammps_begin(&d->l, d->o, d->info);
    d->l.numbers = true;
    d->info->counts_steps = true;
    size_t n = bytes_head(d->b, 96, &p, e);
    d->swap = !plausible(p, n, false) && plausible(p, n, true);
    if (e->status || read_header(d, e) != 1)
        return -1;
    d->info->natoms = (size_t)d->natoms;
    return lammps_room(&d->l, e);
}

/* ---- rows */

/* Converts a value of a row to an integer. Returns 0 or -1. */
static int whole(struct binary *d, double x, const char *what, int64_t *v, struct err *e)
{
    if (!(x >= 0.0 && x < 9e15) || x != floor(x))
        return bytes_bad(d->b, e, "expected a whole number for %s, found %g", what, x);
    *v = (int64_t)x;
    return 0;
}

static int take_name(struct binary *d, size_t k, double x, struct err *e)
{
    int64_t type = 0;
    char text[DECIMAL_TEXT];
    struct lammps *l = &d->l;
    if (whole(d, x, "a type", &type, e) != 0)
        return -1;
    lammps_name(l, k, text, decimal_put_u64(text, (uint64_t)type));
    return 0;
}

/* Reads the names of n rows at p, mostly types of one digit. Returns 0 or -1. */
static int take_names(struct binary *d, size_t k, const unsigned char *p, size_t n, struct err *e)
{
    struct lammps *l = &d->l;
    int c = 0;
    while (c < l->ncols && l->use[c] != LAMMPS_NAME)
        c++;
    for (size_t i = 0; c < l->ncols && i < n; i++) {
        double x = bytes_f64(p + 8 * ((size_t)d->row * i + (size_t)c), d->swap);
        int digit = x >= 0.0 && x < 10.0 ? (int)x : -1;
        if (!l->species && (double)digit == x)
            lammps_key(l, k + i, (uint64_t)('0' + digit));
        else if (take_name(d, k + i, x, e) != 0)
            return -1;
        l->nkeys += !l->species;
    }
    return 0;
}

/* Reads n rows at p as rows k, k + 1, ... of the frame, if only ids and positions without
 * conversion are requested. Returns 0 or -1. */
static int read_plain(struct binary *d, struct format_frame *f, size_t k, const unsigned char *p,
                      size_t n, struct err *e)
{
    struct lammps *l = &d->l;
    size_t at[LAMMPS_VALUES] = {0}, stride = 8 * (size_t)d->row;
    for (int c = 0; c < l->ncols; c++)
        if (l->use[c] >= 0 && l->use[c] < LAMMPS_VALUES)
            at[l->use[c]] = 8 * (size_t)c;
    uint32_t max = SIMD_PICK(numbers_narrow)(p, at, stride, n, (float *)f->pos + 3 * k);
    if (k == 0 || f->max) /* unknown after rows that were read by read_rows() */
        f->max = max > f->max ? max : f->max;
    if (!l->has_id)
        return 0;
    size_t done = SIMD_PICK(numbers_whole)(p + at[LAMMPS_ID], stride, n, l->ids + k);
    return done == n ? 0
                     : whole(d, bytes_f64(p + at[LAMMPS_ID] + done * stride, false), "an id",
                             &l->ids[k], e);
}

/* Stores the scalars of n rows at p. */
static void take_scalars(struct binary *d, struct format_frame *f, size_t k, const unsigned char *p,
                         size_t n)
{
    const struct text_scalars *s = &d->l.scalars;
    size_t m = (size_t)s->n;
    for (size_t i = 0; i < n * m; i++) {
        size_t at = (size_t)d->row * (i / m) + (size_t)s->column[i % m];
        format_put(f->scal, k * m + i, d->o->given.f64, bytes_f64(p + 8 * at, d->swap));
    }
}

/* Reads n rows of any kind. Returns 0 or -1. */
static int read_rows(struct binary *d, struct format_frame *f, size_t k, const unsigned char *p,
                     size_t n, struct err *e)
{
    struct lammps *l = &d->l;
    if (l->has_name && take_names(d, k, p, n, e) != 0)
        return -1;
    take_scalars(d, f, k, p, n);
    if (l->plain && !l->nvel && !d->swap && !d->o->given.f64 && !(l->molecule && l->has_mol))
        return read_plain(d, f, k, p, n, e);
    for (; n-- > 0; k++, p += 8 * (size_t)d->row) {
        double v[LAMMPS_VALUES] = {0};
        for (int c = 0; c < l->ncols; c++) {
            int use = l->use[c];
            double x = use < 0 ? 0.0 : bytes_f64(p + 8 * c, d->swap);
            if (use == LAMMPS_MOL) {
                if (l->molecule && whole(d, x, "a molecule", &l->molecule[k], e) != 0)
                    return -1;
            } else if (use >= 0 && use < LAMMPS_VALUES) {
                v[use] = x;
            }
        }
        if (l->has_id && whole(d, v[LAMMPS_ID], "an id", &l->ids[k], e) != 0)
            return -1;
        lammps_row(l, f, k, v);
    }
    return 0;
}

/* Reads one chunk, the rows of one process. */
static int read_chunk(struct binary *d, struct format_frame *f, bool decode, size_t *k,
                      struct err *e)
{
    const unsigned char *p;
    int32_t n;
    if (get_i32(d, "numbers of a chunk", 0, INT32_MAX, &n, e) != 0)
        return -1;
    size_t rows = (size_t)n / d->row, left = d->info->natoms - *k;
    if ((size_t)n % d->row != 0 || rows > left)
        return bytes_bad(d->b, e,
                         "expected a chunk of rows with %u numbers each and at most %zu rows, "
                         "found a chunk of %d numbers",
                         d->row, left, n);
    for (size_t some; rows > 0; rows -= some) { /* as many rows as fit into a cache */
        some = 1 + PIECE_BYTES / (8 * (size_t)d->row);
        some = some < rows ? some : rows;
        if (bytes_get(d->b, some * d->row * 8, "rows", &p, e) != 0 ||
            (decode && read_rows(d, f, *k, p, some, e) != 0))
            return -1;
        *k += some;
    }
    return 0;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    struct binary *d = self;
    struct lammps *l = &d->l;
    size_t n = d->info->natoms, k = 0, row;
    int got = d->headed ? 1 : read_header(d, e);
    if (got != 1)
        return got;
    d->headed = false;
    if ((size_t)d->natoms != n)
        return bytes_bad(d->b, e, "expected %zu atoms as in the first frame, found %lld", n,
                         (long long)d->natoms);
    bool decode = f->decode || l->species || l->molecule;
    for (uint32_t c = 0; c < d->nchunks; c++)
        if (read_chunk(d, f, decode, &k, e) != 0)
            return -1;
    if (k != n)
        return bytes_bad(d->b, e, "expected %zu atoms, found %zu in %u chunks", n, k, d->nchunks);
    f->step = d->step;
    f->time = lammps_time(l, d->step, d->time);
    f->has_pbc = true;
    memcpy(f->pbc, d->pbc, sizeof f->pbc);
    lammps_cell(l, f);
    return decode && lammps_finish(l, f, &row, e) != 0 ? -1 : 1;
}

FORMAT_MAGIC("lammps-binary", 8, "DUMPATOM", "is a LAMMPS binary dump");
FORMAT_MAGIC("lammps-binary", 8, "DUMPCUSTOM", "is a LAMMPS binary dump");
FORMAT(lammps_binary, "lammps-binary", ".bin", "LAMMPS dumps (binary)") = {
    .title = "a LAMMPS binary dump",
    .uses = FORMAT_UNITS | FORMAT_SCALARS,
    .unwraps = true,
    .guess = is_binary,
    .size = sizeof(struct binary),
    .open = open_binary,
    .next = next_frame,
    .close = close_binary,
};
