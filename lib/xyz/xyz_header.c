/* SPDX-License-Identifier: MIT */
#include "xyz/xyz_header.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/units.h"

enum { QUOTED = 60 }; /* characters of a line that a message repeats */

__attribute__((format(printf, 3, 4))) static int fail(char *err, size_t errlen, const char *fmt,
                                                      ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err, errlen, fmt, ap);
    va_end(ap);
    return -1;
}

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

/* Offset behind `what` (a blank in it stands for any run of blanks, or none), searched from `from`;
 * 0: not there. */
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

/* Numbers from offset *at on, up to max of them, stopping at the first word that is none. */
static int read_numbers(const char *s, size_t len, size_t *at, double *v, int max)
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

int xyz_cell_from_edges(const double edge[3], const double angle[3], double cell[9])
{
    double cs[3], sg = 1.0;
    memset(cell, 0, 9 * sizeof *cell);
    for (int k = 0; k < 3; k++) {
        if (!(edge[k] > 0.0) || !(angle[k] > 0.0) || !(angle[k] < 180.0))
            return -1;
        cs[k] = angle[k] == 90.0 ? 0.0 : cos(angle[k] * (UNITS_PI / 180.0));
    }
    if (angle[2] != 90.0)
        sg = sin(angle[2] * (UNITS_PI / 180.0));
    double cy = (cs[0] - cs[1] * cs[2]) / sg, cz2 = 1.0 - cs[1] * cs[1] - cy * cy;
    if (!(cz2 > 0.0))
        return -1;
    cell[0] = edge[0];
    cell[3] = edge[1] * cs[2];
    cell[4] = edge[1] * sg;
    cell[6] = edge[2] * cs[1];
    cell[7] = edge[2] * cy;
    cell[8] = edge[2] * sqrt(cz2);
    return 0;
}

/* number name number... : how many words, and do they have the shape of RIGMD's second line? */
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

static int detect_leftovers(const char *s, size_t len, enum xyz_dialect *d, char *err,
                            size_t errlen)
{
    int words;
    if (rigmd_shape(s, len, &words)) {
        *d = XYZ_RIGMD;
        if (words == 6)
            return 0;
        return fail(err, errlen,
                    "the second line looks like RIGMD's 'dt name Lx/2 Ly/2 Lz/2 sigma', but has %d "
                    "words instead of 6: "
                    "say --dialect rigmd or --dialect plain",
                    words);
    }
    if (xyz_header_has_key(s, len, "pbc") || xyz_header_has_key(s, len, "Time"))
        return fail(err, errlen,
                    "the second line has 'pbc=' or 'Time=' but neither 'Lattice=' nor "
                    "'Properties=': say --dialect "
                    "extended to use it or --dialect plain to ignore it");
    *d = XYZ_PLAIN;
    return 0;
}

int xyz_header_detect(const char *s, size_t len, enum xyz_dialect *d, char *err, size_t errlen)
{
    static const char *const names[] = XYZ_DIALECT_NAMES;
    bool is[XYZ_IPI + 1] = {false};
    size_t p = find_after(s, len, 0, "i =", true);
    is[XYZ_CP2K] = p && p < len && find_after(s, len, p, ", ", false) &&
                   (find_after(s, len, p, "time =", false) || find_after(s, len, p, "E =", false));
    is[XYZ_LAMMPS] = find_after(s, len, 0, "Atoms. Timestep:", true) != 0;
    is[XYZ_EXTENDED] =
        xyz_header_has_key(s, len, "Lattice") || xyz_header_has_key(s, len, "Properties");
    is[XYZ_CPPTRAJ] = find_after(s, len, 0, "Box X:", false) != 0;
    is[XYZ_CASSANDRA] = find_after(s, len, 0, "# BOX:", true) != 0;
    is[XYZ_IPI] = xyz_header_is_ipi(s, len);
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
        return detect_leftovers(s, len, d, err, errlen);
    if (found == 1)
        return 0;
    return fail(err, errlen, "the second line reads as %s and as %s: say which with --dialect",
                names[*d], names[other]);
}

static int parse_rigmd(const char *s, size_t len, struct xyz_header *h, char *err, size_t errlen)
{
    int words;
    size_t at = 0, wlen;
    const char *w;
    double v[4];
    if (!rigmd_shape(s, len, &words) || words != 6 || read_numbers(s, len, &at, v, 1) != 1)
        return fail(err, errlen, "expected RIGMD's 'dt name Lx/2 Ly/2 Lz/2 sigma', found '%.*s'",
                    (int)(len < QUOTED ? len : QUOTED), s);
    h->dt_ps = v[0];
    (void)!xyz_word(s, len, &at, &w, &wlen);
    if (read_numbers(s, len, &at, v, 4) != 4)
        return fail(err, errlen, "expected four numbers 'Lx/2 Ly/2 Lz/2 sigma'");
    if (!(h->dt_ps > 0.0) || !(v[0] > 0.0) || !(v[1] > 0.0) || !(v[2] > 0.0) || !(v[3] > 0.0))
        return fail(err, errlen,
                    "expected positive dt, half lengths and sigma, found %g, %g, %g, %g and %g",
                    h->dt_ps, v[0], v[1], v[2], v[3]);
    for (int k = 0; k < 3; k++) {
        h->cell[4 * k] = 2.0 * v[k];
        h->pbc[k] = 1;
    }
    h->has_cell = h->has_pbc = true;
    h->sigma = v[3];
    return 0;
}

/* `key` and the number behind it: 1, 0 when the key is not there, -1 when there is no number. */
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
                       char *err, size_t errlen)
{
    double step = 0.0, time = NAN;
    bool lammps = d == XYZ_LAMMPS;
    int got = number_after(s, len, lammps ? "Atoms. Timestep:" : "i =", true, &step);
    int got_time = lammps ? 0 : number_after(s, len, "time =", false, &time);
    if (got != 1 || got_time < 0 || !(step >= 0.0) || step > 9e15 || step != floor(step))
        return fail(err, errlen, "expected '%s', found '%.*s'",
                    lammps ? "Atoms. Timestep: N" : "i = N, time = T, ...",
                    (int)(len < QUOTED ? len : QUOTED), s);
    h->has_step = true;
    h->step = (uint64_t)step;
    h->time_fs = time;
    return 0;
}

static int parse_box(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h, char *err,
                     size_t errlen)
{
    double v[9] = {0}, angle[3] = {90.0, 90.0, 90.0};
    size_t at = find_after(s, len, 0, d == XYZ_CPPTRAJ ? "Box X:" : "# BOX:", d == XYZ_CASSANDRA);
    int n = at ? read_numbers(s, len, &at, v, 6) : 0;
    size_t y = at ? find_after(s, len, at, "Y:", true) : 0,
           z = y ? find_after(s, len, y, "Z:", false) : 0;
    if (z && (n == 1 || n == 3)) {
        int ny = read_numbers(s, len, &y, v + 3, 3), nz = read_numbers(s, len, &z, v + 6, 3);
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
        n = xyz_cell_from_edges(v, angle, h->cell) == 0 ? 9 : 0;
    }
    if (n != 9)
        return fail(err, errlen,
                    "expected a box 'a b c' or 'a b c alpha beta gamma' behind '%s', found '%.*s'",
                    d == XYZ_CPPTRAJ ? "Box X:" : "# BOX:", (int)(len < QUOTED ? len : QUOTED), s);
    h->has_cell = h->has_pbc = true;
    h->pbc[0] = h->pbc[1] = h->pbc[2] = 1;
    return 0;
}

int xyz_header_parse(enum xyz_dialect d, const char *s, size_t len, struct xyz_header *h, char *err,
                     size_t errlen)
{
    *h = (struct xyz_header){
        .time_fs = NAN, .dt_ps = NAN, .sigma = NAN, .layout = {.pos = 1, .name = 0, .id = -1}};
    switch (d) {
    case XYZ_EXTENDED: return xyz_header_extended(s, len, h, err, errlen);
    case XYZ_RIGMD: return parse_rigmd(s, len, h, err, errlen);
    case XYZ_LAMMPS:
    case XYZ_CP2K: return parse_steps(d, s, len, h, err, errlen);
    case XYZ_CPPTRAJ:
    case XYZ_CASSANDRA: return parse_box(d, s, len, h, err, errlen);
    case XYZ_IPI: return xyz_header_ipi(s, len, h, err, errlen);
    default: return 0;
    }
}
