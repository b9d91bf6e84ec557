/* SPDX-License-Identifier: MIT */
/* The second line as i-PI writes and reads it, e.g.
 *   # CELL(abcABC): a b c alpha beta gamma  cell{atomic_unit}  Traj: positions{angstrom} Step: 0
 * Bead: 0 Source: i-PI, ipi/utils/io/backends/io_xyz.py, ipi/utils/mathtools.py and
 * ipi/utils/io/io_units.py. */
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/units.h"
#include "xyz/xyz_header.h"

/* How the cell is given: edges and angles; nine numbers, row by row, of a matrix whose columns
 * (H) or rows (GENH) are the vectors. */
enum form { NONE, ABC, COLUMNS, ROWS };

/* A word in a message: at most 40 characters of it. */
#define SHOWN(w, n) (int)((n) < 40 ? (n) : 40), (w)
#define WAY_OUT "(--dialect plain, with --cell, takes the numbers as they stand for angstrom)"

static bool one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* The form that the line announces; its numbers begin at s[*at]. */
static enum form find_cell(const char *s, size_t len, size_t *at)
{
    static const char *const name[] = {"abcABC", "H", "GENH"};
    for (size_t i = 0; i + 8 <= len; i++) {
        if (memcmp(s + i, "CELL", 4) != 0 || !one_of(s[i + 4], "([{"))
            continue;
        for (int k = 0; k < 3; k++) {
            size_t end = i + 5 + strlen(name[k]);
            if (end + 2 <= len && memcmp(s + i + 5, name[k], strlen(name[k])) == 0 &&
                one_of(s[end], ")]}") && s[end + 1] == ':') {
                *at = end + 2;
                return (enum form)(ABC + k);
            }
        }
    }
    return NONE;
}

bool xyz_header_is_ipi(const char *s, size_t len)
{
    size_t at;
    return find_cell(s, len, &at) != NONE;
}

static int read_cell(const char *s, size_t len, struct xyz_header *h, char *err, size_t errlen)
{
    size_t at = 0, wlen;
    const char *w;
    double v[9];
    enum form form = find_cell(s, len, &at);
    int n = 0, want = form == ABC ? 6 : 9;
    while (n < want && form != NONE && xyz_word(s, len, &at, &w, &wlen) &&
           decimal_get_f64(w, wlen, DECIMAL_FORTRAN, &v[n]) == 0)
        n++;
    bool good = n == want;
    if (good && form == ABC)
        good = xyz_cell_from_edges(v, v + 3, h->cell) == 0;
    for (int k = 0; k < 9 && good && form != ABC; k++)
        h->cell[k] = v[form == ROWS ? k : 3 * (k % 3) + k / 3];
    if (!good)
        snprintf(err, errlen,
                 "expected i-PI's CELL(abcABC): a b c alpha beta gamma, or nine "
                 "numbers behind CELL(H): or CELL(GENH):, found '%.*s'",
                 (int)(len < 100 ? len : 100), s);
    return good ? 0 : -1;
}

/* Is the word `what` with a unit in braces? */
static bool has_unit(const char *w, size_t wlen, const char *what, const char *unit)
{
    size_t n = strlen(what), u = strlen(unit);
    return wlen == n + u + 2 && memcmp(w, what, n) == 0 && w[n] == '{' &&
           memcmp(w + n + 1, unit, u) == 0 && w[wlen - 1] == '}';
}

/* Positions must be in angstrom; the cell, which i-PI keeps in bohr unless told, is converted. */
static int apply_units(const char *data, size_t dlen, const char *cell, size_t clen,
                       struct xyz_header *h, char *err, size_t errlen)
{
    if (!has_unit(data, dlen, "positions", "angstrom") &&
        !has_unit(data, dlen, "x_centroid", "angstrom")) {
        snprintf(err, errlen, "expected positions{angstrom} on i-PI's line, found '%.*s' " WAY_OUT,
                 SHOWN(data, dlen));
        return -1;
    }
    if (has_unit(cell, clen, "cell", "atomic_unit")) {
        for (int k = 0; k < 9; k++)
            h->cell[k] *= UNITS_BOHR_A;
    } else if (!has_unit(cell, clen, "cell", "angstrom")) {
        snprintf(
            err, errlen,
            "expected cell{angstrom} or cell{atomic_unit} on i-PI's line, found '%.*s' " WAY_OUT,
            SHOWN(cell, clen));
        return -1;
    }
    return 0;
}

int xyz_header_ipi(const char *s, size_t len, struct xyz_header *h, char *err, size_t errlen)
{
    const char *w, *data = "no unit", *cell = "no unit";
    size_t at = 0, wlen, dlen = strlen(data), clen = strlen(cell);
    bool step = false;
    if (read_cell(s, len, h, err, errlen) != 0)
        return -1;
    while (xyz_word(s, len, &at, &w, &wlen)) {
        if (step)
            h->has_step = decimal_get_u64(w, wlen, UINT64_MAX, &h->step) == 0;
        step = wlen == 5 && memcmp(w, "Step:", 5) == 0;
        if (w[wlen - 1] != '}')
            continue;
        if (wlen > 5 && memcmp(w, "cell{", 5) == 0) {
            cell = w;
            clen = wlen;
        } else {
            data = w;
            dlen = wlen;
        }
    }
    h->has_cell = h->has_pbc = true;
    h->pbc[0] = h->pbc[1] = h->pbc[2] = 1;
    return apply_units(data, dlen, cell, clen, h, err, errlen);
}
