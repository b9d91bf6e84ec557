/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "formats/format.h"
#include "formats/xyz_rows.h"
#include "io/decimal.h"

/* Returns the last column that is used. */
static int last_column(const struct rows_layout *l)
{
    int last = l->pos + 2;
    last = l->name > last ? l->name : last;
    return l->id > last ? l->id : last;
}

int xyz_row_min(int columns, const struct rows_layout *l)
{
    int wanted = last_column(l) + 1;
    return columns > wanted ? wanted + 1 : 0;
}

static int missing(size_t found, const struct rows_layout *l, size_t len, struct err *e)
{
    int last = last_column(l);
    if (found == 0)
        return err_bad(e, "column %zu: expected an atom, found an empty line", len + 1);
    return err_bad(e, "column %zu: expected at least %d columns, found %zu", len + 1, last + 1,
                   found);
}

static int take_id(const char *w, size_t len, int64_t *id)
{
    uint64_t v;
    if (decimal_get_u64(w, len, INT64_MAX, &v) != 0)
        return -1;
    *id = (int64_t)v;
    return 0;
}

int xyz_row(const char *s, size_t len, const struct rows_layout *l, bool f64, struct xyz_row *row,
            struct err *e)
{
    const char *w;
    size_t at = 0, wlen, found = 0;
    int want = 3 + (l->name >= 0) + (l->id >= 0);
    *row = (struct xyz_row){.name = s};
    for (int k = 0; xyz_word(s, len, &at, &w, &wlen); k++, found++) {
        size_t column = (size_t)(w - s) + 1;
        int axis = k - l->pos, shown = (int)(wlen < 40 ? wlen : 40);
        if (axis >= 0 && axis < 3) {
            if (f64 ? decimal_get_f64(w, wlen, DECIMAL_FORTRAN, &row->pos64[axis])
                    : decimal_get_f32(w, wlen, DECIMAL_FORTRAN, &row->pos32[axis]))
                return err_bad(e,
                               "column %zu: expected a number for coordinate %c, found '%.*s' (%s)",
                               column, 'x' + axis, shown, w, decimal_reason(w, wlen));
        } else if (k == l->id) {
            if (take_id(w, wlen, &row->id) != 0)
                return err_bad(e, "column %zu: expected an atom id, found '%.*s'", column, shown,
                               w);
        } else if (k == l->name) {
            row->name = w;
            row->name_len = wlen;
            if (wlen > ROWS_NAME_MAX)
                return err_bad(e,
                               "column %zu: expected a name of at most %d characters, found '%.*s'",
                               column, ROWS_NAME_MAX, shown, w);
        } else {
            continue;
        }
        want--;
    }
    row->columns = (int)found;
    return want == 0 ? 0 : missing(found, l, len, e);
}

/* Returns whether an atom has the same name as in the first frame. */
static bool name_agrees(const struct rows *r, const struct xyz_row *row, size_t atom)
{
    return !r->names8 || row->name_len == 0 ||
           (strncmp(r->names[atom], row->name, row->name_len) == 0 &&
            r->names[atom][row->name_len] == '\0');
}

size_t xyz_rows(const struct rows *r, bool f64, const char **stop)
{
    struct rows left = *r;
    for (size_t done = 0;;) {
        size_t n = text_rows_fast(&left, f64, stop);
        done += n;
        struct xyz_row row;
        const char *p = *stop, *nl = memchr(p, '\n', (size_t)(r->end - p));
        if (done == r->nrows || !nl ||
            xyz_row(p, (size_t)(nl - p), &r->layout, f64, &row, NULL) != 0 ||
            !rows_columns(row.columns, r->columns, r->min) || !name_agrees(r, &row, done) ||
            (r->names_found && row.name_len > sizeof *r->names_found))
            return done;
        size_t bytes = f64 ? 24 : 12;
        char *pos = (char *)r->pos + done * bytes;
        memcpy(pos, f64 ? (const void *)row.pos64 : (const void *)row.pos32, bytes);
        if (r->ids)
            r->ids[done] = row.id;
        uint64_t key = format_key(row.name, row.name_len);
        if (r->names_found && r->changed)
            *r->changed |= r->names_found[done] != key;
        if (r->names_found)
            r->names_found[done] = key;
        done++;
        *stop = left.text = nl + 1;
        left.nrows = r->nrows - done;
        left.pos = pos + bytes;
        left.names8 = r->names8 ? r->names8 + done : NULL;
        left.names_found = r->names_found ? r->names_found + done : NULL;
        left.ids = r->ids ? r->ids + done : NULL;
    }
}
