/* SPDX-License-Identifier: MIT */
#include "formats/xyz_header.h"

#include <math.h>
#include <string.h>

#include "base/box.h"
#include "base/units.h"
#include "io/decimal.h"

enum { QUOTED = 60 }; /* maximum characters of a line quoted in a message */

bool xyz_word(const char *s, size_t len, size_t *at, const char **word, size_t *wlen)
{
    while (*at < len && (unsigned char)s[*at] <= ' ')
        (*at)++;
    *word = s + *at;
    while (*at < len && (unsigned char)s[*at] > ' ')
        (*at)++;
    *wlen = (size_t)(s + *at - *word);
    return *wlen > 0;
}

/* Searches s, from offset `from`, for the text `what`, in which a blank matches any number of
 * blanks. Returns the offset after the match, or 0. */
static size_t find_after(const char *s, size_t len, size_t from, const char *what, bool at_start)
{
    for (size_t i = from; i < len; i++) {
        size_t j = i;
        const char *w = what;
        for (; *w; w++) {
            if (*w == ' ') {
                while (j < len && (s[j] == ' ' || s[j] == '\t'))
                    j++;
            } else if (j < len && s[j] == *w) {
                j++;
            } else {
                break;
            }
        }
        if (*w == '\0')
            return j;
        if (at_start && (unsigned char)s[i] > ' ')
            return 0;
    }
    return 0;
}

int xyz_numbers(const char *s, size_t len, size_t *at, double *v, int max)
{
    int n = 0;
    while (n < max) {
        size_t next = *at, wlen;
        const char *w;
        if (!xyz_word(s, len, &next, &w, &wlen) ||
            decimal_get_f64(w, wlen, DECIMAL_FORTRAN, &v[n]) != 0)
            break;
        n++;
        *at = next;
    }
    return n;
}

/* Counts the words, and finds whether they have the form of the second line in files of RIGMD,
 * which is: number name number ... */
static bool rigmd_shape(const char *s, size_t len, int *words)
{
    size_t at = 0, wlen;
    const char *w;
    double v;
    bool shape = true;
    *words = 0;
    while (xyz_word(s, len, &at, &w, &wlen)) {
        bool number = decimal_get_f64(w, wlen, DECIMAL_FORTRAN, &v) == 0;
        if (*words < 6)
            shape = shape && number == (*words != 1);
        (*words)++;
    }
    return shape && *words >= 5;
}

static int detect_leftovers(const char *s, size_t len, enum xyz_dialect *d, struct err *e)
{
    int words;
    if (rigmd_shape(s, len, &words)) {
        *d = XYZ_RIGMD;
        if (words == 6)
            return 0;
        return err_bad(e,
                       "the second line looks like RIGMD's 'dt name Lx/2 Ly/2 Lz/2 sigma', but has "
                       "%d words instead of 6 (choose --dialect rigmd or --dialect plain)",
                       words);
    }
    if (xyz_header_has_key(s, len, "pbc") || xyz_header_has_key(s, len, "Time"))
        return err_bad(
            e, "the second line has 'pbc=' or 'Time=' but neither 'Lattice=' nor 'Properties=' "
               "(use the line with --dialect extended, or ignore the line with --dialect plain)");
    *d = XYZ_PLAIN;
    return 0;
}

/* ---- i-PI lines such as
 *   # CELL(abcABC): a b c alpha beta gamma  cell{atomic_unit}  Traj: positions{angstrom} Step: 0
 * Source: i-PI, ipi/utils: io/backends/io_xyz.py, mathtools.py and io/io_units.py. */

/* Forms of the cell: edges and angles, or the nine elements, row by row, of a matrix whose columns
 * (H) or rows (GENH) are the vectors. */
enum form { NO_CELL, ABC, COLUMNS, ROWS };

static bool one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Returns the form of the cell in the line. Its numbers begin at s[*at]. */
static enum form find_ipi_cell(const char *s, size_t len, size_t *at)
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
    return NO_CELL;
}

int xyz_header_detect(const char *s, size_t len, enum xyz_dialect *d, struct err *e)
{
    static const char *const names[] = {XYZ_DIALECT_NAMES};
    bool is[XYZ_IPI + 1] = {false};
    size_t p = find_after(s, len, 0, "i =", true);
    is[XYZ_CP2K] = p && p < len && find_after(s, len, p, ", ", false) &&
                   (find_after(s, len, p, "time =", false) || find_after(s, len, p, "E =", false));
    is[XYZ_LAMMPS] = find_after(s, len, 0, "Atoms. Timestep:", true) != 0;
    is[XYZ_EXTENDED] =
        xyz_header_has_key(s, len, "Lattice") || xyz_header_has_key(s, len, "Properties");
    is[XYZ_CPPTRAJ] = find_after(s, len, 0, "Box X:", false) != 0;
    is[XYZ_CASSANDRA] = find_after(s, len, 0, "# BOX:", true) != 0;
    is[XYZ_IPI] = find_ipi_cell(s, len, &p) != NO_CELL;
    int found = 0;
    enum xyz_dialect other = XYZ_PLAIN;
    for (int k = XYZ_EXTENDED; k <= XYZ_IPI; k++) {
        if (!is[k])
            continue;
        if (found++ == 0)
            *d = (enum xyz_dialect)k;
        else
            other = (enum xyz_dialect)k;
    }
    if (found == 0)
        return detect_leftovers(s, len, d, e);
    if (found == 1)
        return 0;
    return err_bad(e,
                   "the second line can be read either as %s or as %s (choose one with --dialect)",
                   names[*d], names[other]);
}

static int parse_rigmd(const char *s, size_t len, struct xyz_header *h, struct err *e)
{
    int words;
    size_t at = 0, wlen;
    const char *w;
    double v[4];
    if (!rigmd_shape(s, len, &words) || words != 6 || xyz_numbers(s, len, &at, v, 1) != 1)
        return err_bad(e, "expected RIGMD's 'dt name Lx/2 Ly/2 Lz/2 sigma', found '%.*s'",
                       (int)(len < QUOTED ? len : QUOTED), s);
    h->dt_ps = v[0];
    (void)!xyz_word(s, len, &at, &w, &wlen);
    if (xyz_numbers(s, len, &at, v, 4) != 4)
        return err_bad(e, "expected four numbers 'Lx/2 Ly/2 Lz/2 sigma', found other text");
    if (!(h->dt_ps > 0.0) || !(v[0] > 0.0) || !(v[1] > 0.0) || !(v[2] > 0.0) || !(v[3] > 0.0))
        return err_bad(e,
                       "expected positive dt, half lengths and sigma, found %g, %g, %g, %g and %g",
                       h->dt_ps, v[0], v[1], v[2], v[3]);
    for (int k = 0; k < 3; k++)
        h->cell[4 * k] = 2.0 * v[k];
    h->sigma = v[3];
    return 0;
}

/* Finds `key` and the number after it. Returns 1, 0 if `key` is absent, or -1 without a number. */
static int number_after(const char *s, size_t len, const char *key, bool at_start, double *v)
{
    size_t at = find_after(s, len, 0, key, at_start), end, wlen;
    const char *w;
    if (at == 0)
        return 0;
    end = at;
    if (!xyz_word(s, len, &end, &w, &wlen))
        return -1;
    while (wlen > 0 && w[wlen - 1] == ',')
        wlen--;
    return decimal_get_f64(w, wlen, DECIMAL_FORTRAN, v) == 0 ? 1 : -1;
}

static int parse_steps(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                       struct err *e)
{
    double step = 0.0, time = NAN;
    bool lammps = d == XYZ_LAMMPS;
    int got = number_after(s, len, lammps ? "Atoms. Timestep:" : "i =", true, &step);
    int got_time = lammps ? 0 : number_after(s, len, "time =", false, &time);
    const char *want = lammps ? "Atoms. Timestep: N" : "i = N, time = T, ...";
    if (got != 1 || got_time < 0 || !(step >= 0.0) || step > 9e15 || step != floor(step))
        return err_bad(e, "expected '%s', found '%.*s'", want, (int)(len < QUOTED ? len : QUOTED),
                       s);
    h->has_step = true;
    h->step = (uint64_t)step;
    h->time_fs = time;
    return 0;
}

static int parse_box(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                     struct err *e)
{
    double v[9] = {0}, angle[3] = {90.0, 90.0, 90.0};
    size_t at = find_after(s, len, 0, d == XYZ_CPPTRAJ ? "Box X:" : "# BOX:", d == XYZ_CASSANDRA);
    int n = at ? xyz_numbers(s, len, &at, v, 6) : 0;
    size_t y = at ? find_after(s, len, at, "Y:", true) : 0,
           z = y ? find_after(s, len, y, "Z:", false) : 0;
    if (z && (n == 1 || n == 3)) {
        int ny = xyz_numbers(s, len, &y, v + 3, 3), nz = xyz_numbers(s, len, &z, v + 6, 3);
        if (n == ny && n == nz) {
            if (n == 3)
                memcpy(h->cell, v, sizeof v);
            for (int k = 0; n == 1 && k < 3; k++)
                h->cell[4 * k] = v[3 * k];
            n = 9;
        }
    } else if (n == 3 || n == 6) {
        if (n == 6)
            memcpy(angle, v + 3, sizeof angle);
        n = box_from_edges(v, angle, h->cell) == 0 ? 9 : 0;
    }
    const char *after = d == XYZ_CPPTRAJ ? "Box X:" : "# BOX:";
    if (n != 9)
        return err_bad(
            e, "expected a box 'a b c' or 'a b c alpha beta gamma' after '%s', found '%.*s'", after,
            (int)(len < QUOTED ? len : QUOTED), s);
    return 0;
}

#define REMEDY "(--dialect plain with --cell reads the numbers as angstrom)"

static int read_ipi_cell(const char *s, size_t len, struct xyz_header *h, struct err *e)
{
    size_t at = 0;
    double v[9];
    enum form form = find_ipi_cell(s, len, &at);
    int want = form == ABC ? 6 : 9, n = form == NO_CELL ? 0 : xyz_numbers(s, len, &at, v, want);
    if (n != want || (form == ABC && box_from_edges(v, v + 3, h->cell) != 0))
        return err_bad(e,
                       "expected six numbers after i-PI's 'CELL(abcABC):', or nine numbers after "
                       "'CELL(H):' or 'CELL(GENH):', found '%.*s'",
                       (int)(len < 100 ? len : 100), s);
    for (int k = 0; k < 9 && form != ABC; k++)
        h->cell[k] = v[form == ROWS ? k : 3 * (k % 3) + k / 3];
    return 0;
}

/* Returns whether the word is `what` followed by this unit in braces. */
static bool has_unit(const char *w, size_t wlen, const char *what, const char *unit)
{
    size_t n = strlen(what), u = strlen(unit);
    return wlen == n + u + 2 && memcmp(w, what, n) == 0 && w[n] == '{' &&
           memcmp(w + n + 1, unit, u) == 0 && w[wlen - 1] == '}';
}

/* Parses an i-PI line. Positions and cell must name their units; bohr, i-PI's default, is
 * converted. */
static int parse_ipi(const char *s, size_t len, struct xyz_header *h, struct err *e)
{
    const char *w, *data = "no unit", *cell = "no unit";
    size_t at = 0, wlen, dlen = strlen(data), clen = strlen(cell);
    bool step = false;
    if (read_ipi_cell(s, len, h, e) != 0)
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
    if (has_unit(data, dlen, "positions", "atomic_unit") ||
        has_unit(data, dlen, "x_centroid", "atomic_unit"))
        h->scale = UNITS_BOHR_A;
    else if (!has_unit(data, dlen, "positions", "angstrom") &&
             !has_unit(data, dlen, "x_centroid", "angstrom"))
        return err_bad(e,
                       "expected positions{angstrom} or positions{atomic_unit} on i-PI's line, "
                       "found '%.*s' " REMEDY,
                       (int)(dlen < 40 ? dlen : 40), data);
    if (has_unit(cell, clen, "cell", "atomic_unit")) {
        for (int k = 0; k < 9; k++)
            h->cell[k] *= UNITS_BOHR_A;
    } else if (!has_unit(cell, clen, "cell", "angstrom")) {
        return err_bad(
            e, "expected cell{angstrom} or cell{atomic_unit} on i-PI's line, found '%.*s' " REMEDY,
            (int)(clen < 40 ? clen : 40), cell);
    }
    return 0;
}

int xyz_header_parse(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h,
                     struct err *e)
{
    int box = d == XYZ_RIGMD || d == XYZ_CPPTRAJ || d == XYZ_CASSANDRA || d == XYZ_IPI;
    *h = (struct xyz_header){.has_cell = box,
                             .has_pbc = box,
                             .pbc = {box, box, box},
                             .scale = 1.0,
                             .time_fs = NAN,
                             .dt_ps = NAN,
                             .sigma = NAN,
                             .layout = {.pos = 1, .name = 0, .id = -1},
                             .vel = -1,
                             .mass = -1};
    switch (d) {
    case XYZ_EXTENDED: return xyz_header_extended(s, len, h, e);
    case XYZ_RIGMD: return parse_rigmd(s, len, h, e);
    case XYZ_LAMMPS:
    case XYZ_CP2K: return parse_steps(d, s, len, h, e);
    case XYZ_CPPTRAJ:
    case XYZ_CASSANDRA: return parse_box(d, s, len, h, e);
    case XYZ_IPI: return parse_ipi(s, len, h, e);
    default: return 0;
    }
}

bool xyz_of_velocities(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path && strstr(slash ? slash : path, "-vel-") != NULL;
}
