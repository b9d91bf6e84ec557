/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "xyz/xyz_rows.h"

uint64_t xyz_name8(const char *name, size_t len)
{
    uint64_t v = 0;
    memcpy(&v, name, len < 8 ? len : 8);
    return v;
}

static int missing(size_t found, const struct xyz_layout *l, size_t len, size_t *column, char *err,
                   size_t errlen)
{
    int last = l->pos + 2;
    last = l->name > last ? l->name : last;
    last = l->id > last ? l->id : last;
    *column = len + 1;
    if (found == 0)
        snprintf(err, errlen, "expected an atom, found an empty line");
    else
        snprintf(err, errlen, "expected at least %d columns, found %zu", last + 1, found);
    return -1;
}

static int take_id(const char *w, size_t len, int64_t *id)
{
    uint64_t v;
    if (decimal_get_u64(w, len, INT64_MAX, &v) != 0)
        return -1;
    *id = (int64_t)v;
    return 0;
}

int xyz_row(const char *s, size_t len, const struct xyz_layout *l, bool f64, struct xyz_row *row,
            size_t *column, char *err, size_t errlen)
{
    const char *w;
    size_t at = 0, wlen, found = 0;
    int want = 3 + (l->name >= 0) + (l->id >= 0);
    *row = (struct xyz_row){.name = s};
    for (int k = 0; want > 0 && xyz_word(s, len, &at, &w, &wlen); k++, found++) {
        *column = (size_t)(w - s) + 1;
        int axis = k - l->pos, bad = 0;
        if (axis >= 0 && axis < 3) {
            bad = f64 ? decimal_get_f64(w, wlen, DECIMAL_FORTRAN, &row->pos64[axis])
                      : decimal_get_f32(w, wlen, DECIMAL_FORTRAN, &row->pos32[axis]);
            if (bad)
                snprintf(err, errlen, "expected %c as a number, found '%.*s' (%s)", "xyz"[axis],
                         (int)(wlen < 40 ? wlen : 40), w, decimal_reason(w, wlen));
        } else if (k == l->id) {
            bad = take_id(w, wlen, &row->id);
            if (bad)
                snprintf(err, errlen, "expected an atom id, found '%.*s'",
                         (int)(wlen < 40 ? wlen : 40), w);
        } else if (k == l->name) {
            row->name = w;
            row->name_len = wlen;
            bad = wlen > XYZ_NAME_MAX;
            if (bad)
                snprintf(err, errlen, "expected a name of at most %d characters, found '%.*s'",
                         XYZ_NAME_MAX, (int)(wlen < 40 ? wlen : 40), w);
        } else {
            continue;
        }
        if (bad)
            return -1;
        want--;
    }
    return want == 0 ? 0 : missing(found, l, len, column, err, errlen);
}
