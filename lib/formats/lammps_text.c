/* SPDX-License-Identifier: MIT */
/* Reads LAMMPS text dumps of the styles atom and custom, in which each item begins with a line such
 * as ITEM: ATOMS.
 * Source: LAMMPS manual, "dump". */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/portable.h"
#include "formats/lammps.h"
#include "formats/text_rows.h"
#include "formats/xyz_header.h"
#include "io/decimal.h"
#include "io/final_line.h"

struct dump {
    FORMAT_READER;
    struct lammps l;
    struct text_rows *rows;
    /* Data of the current frame. */
    bool headed; /* the header was read, but not yet the rows */
    int64_t step;
    double time; /* in the unit of the file, or NaN if absent */
    bool has_pbc;
    int pbc[3];
    size_t natoms;
    struct final_line before; /* summary of the row before the last row */
};

static bool begins(const char *s, size_t len, const char *with, size_t *rest)
{
    *rest = strlen(with);
    return len >= *rest && memcmp(s, with, *rest) == 0;
}

/* Reads the next line, which must exist. Returns 0 or -1. */
static int line(struct dump *d, const char *after, const char **s, size_t *len, struct err *e)
{
    int got = bytes_line(d->b, s, len, e);
    if (got == 0)
        return bytes_cut_line(d->b, e,
                              "truncated: expected a line after %s, but the file ends here", after);
    return got == 1 ? 0 : -1;
}

/* Reads a line of `want` numbers. Returns false if the line has other words. */
static bool numbers(const char *s, size_t len, double *v, int want)
{
    const char *more;
    size_t at = 0, n;
    return xyz_numbers(s, len, &at, v, want) == want && !xyz_word(s, len, &at, &more, &n);
}

static int whole(struct dump *d, const char *item, int64_t *v, struct err *e)
{
    const char *s;
    size_t len;
    uint64_t u;
    if (line(d, item, &s, &len, e) != 0)
        return -1;
    while (len > 0 && *s == ' ') {
        s++;
        len--;
    }
    while (len > 0 && s[len - 1] == ' ')
        len--;
    if (decimal_get_u64(s, len, INT64_MAX, &u) != 0)
        return bytes_bad_line(d->b, e, "expected a whole number for ITEM: %s, found '%.*s'", item,
                              (int)(len < 40 ? len : 40), s);
    *v = (int64_t)u;
    return 0;
}

/* Reads from flags such as "pp pp ff" which axes are periodic. */
static void read_pbc(struct dump *d, const char *s, size_t len)
{
    int n = 0;
    for (size_t k = 0; k + 1 < len && n < 3; k++) {
        bool start = k == 0 || s[k - 1] == ' ', end = k + 2 == len || s[k + 2] == ' ';
        if (start && end && strchr("pfsm", s[k]) && strchr("pfsm", s[k + 1]))
            d->pbc[n++] = s[k] == 'p';
    }
    d->has_pbc = n == 3;
}

static int read_box(struct dump *d, const char *flags, size_t flags_len, struct err *e)
{
    double v[3][4] = {{0}}, lo[3], hi[3], tilt[3] = {0, 0, 0};
    size_t rest;
    bool abc = begins(flags, flags_len, "abc origin", &rest);
    bool tilted = !abc && begins(flags, flags_len, "xy xz yz", &rest);
    int want = abc ? 4 : tilted ? 3 : 2;
    read_pbc(d, flags, flags_len);
    for (int a = 0; a < 3; a++) {
        const char *s;
        size_t len;
        if (line(d, "BOX BOUNDS", &s, &len, e) != 0)
            return -1;
        if (!numbers(s, len, v[a], want))
            return bytes_bad_line(d->b, e, "expected %d numbers for the box, found '%.*s'", want,
                                  (int)(len < 60 ? len : 60), s);
        if (!abc && !(v[a][1] > v[a][0]))
            return bytes_bad_line(d->b, e,
                                  "expected a box with a volume, found edge %c from %g to %g",
                                  'x' + a, v[a][0], v[a][1]);
    }
    for (int a = 0; a < 3; a++) {
        lo[a] = abc ? v[a][3] : v[a][0];
        hi[a] = v[a][1];
        tilt[a] = tilted ? v[a][2] : 0.0;
    }
    lammps_bounds(&d->l, lo, hi, tilt);
    for (int k = 0; k < 9 && abc; k++) {
        d->l.h[k] = v[k / 3][k % 3];
        d->l.lo[k / 3] = lo[k / 3];
    }
    return 0;
}

/* Adds the number of the line to an error message. Returns -1. */
static int place(struct dump *d, struct err *e)
{
    return e->status == ERR_BAD ? err_line(e, d->b->line) : -1;
}

enum { HAS_STEP = 1, HAS_COUNT = 2, HAS_BOX = 4, HAS_ALL = 7 };

/* Reads the item that begins with line s, and updates the flags *has. Returns 1 if the item is
 * ATOMS, whose rows follow, 0 for other items, or -1. */
static int read_item(struct dump *d, const char *s, size_t len, int *has, struct err *e)
{
    size_t rest;
    int64_t count;
    double t = NAN;
    int bad;
    if (begins(s, len, "ITEM: TIMESTEP", &rest)) {
        bad = whole(d, "TIMESTEP", &d->step, e);
        *has |= HAS_STEP;
    } else if (begins(s, len, "ITEM: NUMBER OF ATOMS", &rest)) {
        bad = whole(d, "NUMBER OF ATOMS", &count, e);
        d->natoms = bad ? 0 : (size_t)count;
        *has |= HAS_COUNT;
    } else if (begins(s, len, "ITEM: BOX BOUNDS", &rest)) {
        rest += rest < len;
        char flags[80];
        size_t n = len - rest < sizeof flags ? len - rest : sizeof flags;
        memcpy(flags, s + rest, n);
        bad = read_box(d, flags, n, e);
        *has |= HAS_BOX;
    } else if (begins(s, len, "ITEM: UNITS", &rest)) {
        bad =
            line(d, "UNITS", &s, &len, e) || (lammps_set_units(&d->l, s, len, e) ? place(d, e) : 0);
    } else if (begins(s, len, "ITEM: TIME", &rest) && rest == len) {
        bad = line(d, "TIME", &s, &len, e);
        if (!bad && !numbers(s, len, &t, 1))
            bad = bytes_bad_line(d->b, e, "expected a time, found '%.*s'",
                                 (int)(len < 40 ? len : 40), s);
        d->time = t;
    } else if (begins(s, len, "ITEM: ATOMS", &rest)) {
        if (*has != HAS_ALL)
            return bytes_bad_line(
                d->b, e, "expected TIMESTEP, NUMBER OF ATOMS and BOX BOUNDS before ITEM: ATOMS");
        rest += rest < len;
        if (lammps_columns(&d->l, !isnan(d->time), s + rest, len - rest, e))
            return place(d, e);
        d->headed = true;
        return 1;
    } else {
        bad = bytes_bad_line(d->b, e,
                             "expected ITEM: and one of TIMESTEP, TIME, UNITS, NUMBER OF ATOMS, "
                             "BOX BOUNDS and ATOMS, found '%.*s'",
                             (int)(len < 60 ? len : 60), s);
    }
    return bad ? -1 : 0;
}

/* Returns `got`. Reports an error in a last line without a newline as truncation of the file. */
static int tell_cut(struct dump *d, int got, struct err *e)
{
    if (got >= 0 || !d->b->torn || d->b->cut || e->status != ERR_BAD)
        return got;
    return bytes_cut_line(d->b, e, "truncated: the file ends within this line");
}

/* Reads the header of a frame. Returns 1, 0 if the file ends before a header, or -1. */
static int read_header(struct dump *d, struct err *e)
{
    const char *s;
    size_t len;
    bool begun = false;
    int has = 0;
    for (;;) {
        int got = bytes_line(d->b, &s, &len, e);
        if (got == 1 && !begun && len == 0)
            continue;
        if (got == 0 && begun)
            return bytes_cut_line(d->b, e,
                                  "truncated: expected ITEM: ATOMS, but the file ends here");
        if (got != 1)
            return got;
        if (!begun) {
            d->time = NAN;
            begun = true;
        }
        if ((got = read_item(d, s, len, &has, e)) != 0)
            return got;
    }
}

static void close_dump(void *self)
{
    struct dump *d = self;
    lammps_free(&d->l);
    text_rows_free(d->rows);
}

static int open_dump(void *self, struct err *e)
{
    struct dump *d = self;
    d->info->counts_steps = d->info->printed = true;
    lammps_begin(&d->l, d->o, d->info);
    int got = tell_cut(d, read_header(d, e), e);
    if (got == 0)
        return err_bad(e, "expected ITEM: TIMESTEP, found an empty file");
    d->info->natoms = d->natoms;
    if (got < 0 || lammps_room(&d->l, e) != 0)
        return -1;
    d->rows = text_rows_new(d->b, text_rows_fast, false);
    return d->rows ? 0 : err_memory(e, "the rows");
}

static int bad_number(struct dump *d, int column, const char *s, size_t len, struct err *e)
{
    return bytes_bad_line(d->b, e, "column %d: expected a number, found '%.*s': %s", column + 1,
                          (int)(len < 40 ? len : 40), s, decimal_reason(s, len));
}

/* Reads row k. Returns 0 or -1. */
static int read_row(struct dump *d, struct format_frame *f, size_t k, const char *s, size_t len,
                    struct err *e)
{
    struct lammps *l = &d->l;
    double v[LAMMPS_VALUES] = {0};
    bool direct = l->plain && !d->o->given.f64;
    float *x = (float *)f->pos + 3 * k;
    const char *w;
    size_t at = 0, n;
    bool typed = false, named = false;
    int c = 0;
    for (; xyz_word(s, len, &at, &w, &n); c++) {
        int use = c < l->ncols ? l->use[c] : -1;
        if (use < 0 || (use == LAMMPS_NAME && typed) ||
            (use == LAMMPS_TYPE && !lammps_type_named(l, w, n)))
            continue;
        typed |= use == LAMMPS_TYPE;
        if (use == LAMMPS_NAME || use == LAMMPS_TYPE) {
            lammps_name(l, k, w, n);
            named = true;
        } else if (use == LAMMPS_ID || use == LAMMPS_MOL) {
            const char *want = use == LAMMPS_ID ? "an id" : "a molecule";
            uint64_t id;
            if (use == LAMMPS_MOL && !l->molecule)
                continue;
            if (decimal_get_u64(w, n, INT64_MAX, &id) != 0)
                return bytes_bad_line(d->b, e,
                                      "column %d: expected %s (a whole number), found '%.*s'",
                                      c + 1, want, (int)(n < 40 ? n : 40), w);
            (use == LAMMPS_ID ? l->ids : l->molecule)[k] = (int64_t)id;
        } else if (direct && use < LAMMPS_V) {
            if (decimal_get_f32(w, n, DECIMAL_FORTRAN, &x[use]) != 0)
                return bad_number(d, c, w, n, e);
        } else if (decimal_get_f64(w, n, DECIMAL_FORTRAN, &v[use]) != 0) {
            return bad_number(d, c, w, n, e);
        }
    }
    if (c != l->ncols)
        return bytes_bad_line(d->b, e, "expected %d columns (%s), found %d", l->ncols, l->text, c);
    l->nkeys += named && !l->species;
    if (text_scalars_row(&l->scalars, s, len, k, d->o->given.f64, f->scal, e) != 0)
        return place(d, e);
    if (!direct || l->nvel) {
        float keep[3];
        if (direct)
            memcpy(keep, x, sizeof keep);
        lammps_row(l, f, k, v);
        if (direct)
            memcpy(x, keep, sizeof keep);
    }
    return 0;
}

/* Reads buffered rows with SIMD as rows k, k + 1, ... and returns their number. The positions must
 * be in three adjacent columns, and only ids, names and scalars may be used in addition. Returns -1
 * and sets *e if a scalar is not a number. */
static ssize_t ordinary(struct dump *d, struct format_frame *f, size_t k, struct err *e)
{
    struct lammps *l = &d->l;
    double v[LAMMPS_VALUES] = {0};
    int x = 0;
    while (x < l->ncols && l->use[x] != LAMMPS_X)
        x++;
    if (l->images || l->nvel || x + 2 >= l->ncols || l->use[x + 1] != LAMMPS_X + 1 ||
        l->use[x + 2] != LAMMPS_X + 2)
        return 0;
    bool direct = l->plain && !d->o->given.f64;
    struct text_rows_kind kind = {
        .f64 = !direct, .columns = l->ncols, .layout = {.pos = x, .name = -1, .id = -1}};
    for (int c = 0; c < l->ncols; c++) {
        kind.layout.id = l->use[c] == LAMMPS_ID ? c : kind.layout.id;
        kind.layout.name = l->use[c] == LAMMPS_NAME && l->has_name ? c : kind.layout.name;
    }
    kind.names = kind.layout.name >= 0;
    if (lammps_careful(l)) /* types and molecules are read row by row */
        return text_rows_share(d->rows, &kind), 0;
    struct text_rows_to to = {.n = d->info->natoms - k,
                              .pos = direct ? (float *)f->pos + 3 * k : NULL,
                              .names_found = kind.names ? l->keys + k : NULL,
                              .changed = &l->keys_changed,
                              .ids = l->ids + k};
    uint64_t at = d->b->offset;
    size_t n = text_rows(d->rows, &kind, &to), taken = (size_t)(d->b->offset - at);
    const char *text = (const char *)d->b->buf + d->b->from - taken;
    size_t good = text_scalars_rows(&l->scalars, text, n, k, d->o->given.f64, f->scal, e);
    if (good < n)
        return d->b->line -= n - good - 1, place(d, e);
    l->nkeys += kind.names && !l->species ? n : 0;
    for (size_t i = k; kind.names && l->species && i < k + n; i++)
        lammps_name(l, i, (const char *)&l->keys[i], strnlen((const char *)&l->keys[i], 8));
    for (size_t i = 0; i < n && !direct; i++) {
        memcpy(v, (const char *)to.pos + 24 * i, 24);
        lammps_row(l, f, k + i, v);
    }
    return (ssize_t)n;
}

/* Stores the last row but one of a frame, which lies in the last `taken` bytes before `end`. */
static void before_last(struct dump *d, const unsigned char *end, size_t taken)
{
    const char *stop = (const char *)end - 1, *first = (const char *)end - taken;
    const char *nl = portable_memrchr(first, '\n', (size_t)(stop - first));
    nl = nl ? nl + 1 : first;
    d->before = (struct final_line){0};
    final_line_add(&d->before, nl, (size_t)(stop - nl));
}

static int read_frame(struct dump *d, struct format_frame *f, struct err *e)
{
    struct lammps *l = &d->l;
    size_t n = d->info->natoms, row;
    if (!d->headed) {
        int got = read_header(d, e);
        if (got != 1)
            return got;
    }
    d->headed = false;
    if (d->natoms != n)
        return bytes_bad_line(d->b, e, "expected %zu atoms as in the first frame, found %zu", n,
                              d->natoms);
    bool decode = f->decode || l->species || l->molecule;
    uint64_t first = d->b->line + 1;
    for (size_t k = 0; k < n; k++) {
        const char *s;
        uint64_t at = d->b->offset;
        size_t len;
        ssize_t some = decode ? ordinary(d, f, k, e) : 0;
        if (some < 0)
            return -1;
        if ((k += (size_t)some) == n)
            break;
        if (some && k + 1 == n)
            before_last(d, d->b->buf + d->b->from, (size_t)(d->b->offset - at));
        int got = bytes_line(d->b, &s, &len, e);
        if (got == 0)
            got = bytes_cut_line(
                d->b, e, "truncated: expected %zu atoms, but the file ends after %zu", n, k);
        if (got < 0 || (decode && read_row(d, f, k, s, len, e) != 0))
            return -1;
        if (d->b->torn && k + 1 == n && final_line_whole(&d->before, s, len))
            snprintf(d->info->note, sizeof d->info->note, "%s", FINAL_LINE_TAKEN);
        else if (d->b->torn)
            return bytes_cut_line(d->b, e, "%s", final_line_torn(&d->b->in));
        d->before = (struct final_line){0};
        if (k + 2 == n)
            final_line_add(&d->before, s, len);
    }
    f->step = d->step;
    f->time = lammps_time(l, d->step, d->time);
    f->has_pbc = d->has_pbc;
    memcpy(f->pbc, d->pbc, sizeof f->pbc);
    lammps_cell(l, f);
    if (decode && lammps_finish(l, f, &row, e) != 0)
        return row == SIZE_MAX ? -1 : err_line(e, first + row);
    return 1;
}

static int next_frame(void *self, struct format_frame *f, struct err *e)
{
    return tell_cut(self, read_frame(self, f, e), e);
}

FORMAT_MAGIC("lammps", 0, "ITEM: ", "is a LAMMPS text dump");
FORMAT(lammps, "lammps", ".lammpstrj .dump", "LAMMPS dumps (text)") = {
    .title = "a LAMMPS text dump",
    .uses = FORMAT_UNITS | FORMAT_SCALARS,
    .unwraps = true,
    .size = sizeof(struct dump),
    .open = open_dump,
    .next = next_frame,
    .close = close_dump,
};
