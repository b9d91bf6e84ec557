/* SPDX-License-Identifier: MIT */
/* Parses the key=value line of extended XYZ, which is written by ASE, OVITO, QUIP, GPUMD and
 * LAMMPS. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/xyz_header.h"
#include "io/decimal.h"

enum { LATTICE, PROPERTIES, PBC, TIME, SIGMA, TIMESTEP, STEP, TIME_UNIT, KEYS };
static const char *const keys[KEYS] = {"Lattice", "Properties", "pbc",  "Time",
                                       "sigma",   "Timestep",   "Step", "time_unit"};

struct text {
    const char *s;
    size_t len;
};

static int fail(struct err *e, const char *what, struct text found)
{
    return err_bad(e, "expected %s, found '%.*s'", what, (int)(found.len < 80 ? found.len : 80),
                   found.s);
}

static char closing(char c)
{
    return c == '"' || c == '\'' ? c : c == '{' ? '}' : c == '[' ? ']' : '\0';
}

/* Reads a key or value at s[*at..), in quotes, in brackets, or bare up to a blank (or '=' after a
 * key). Returns false if a quote or bracket is not closed. */
static bool read_item(struct text l, size_t *at, bool key, struct text *item)
{
    char close = closing(l.s[*at]), open = l.s[*at];
    if (close == '\0') {
        item->s = l.s + *at;
        while (*at < l.len && (unsigned char)l.s[*at] > ' ' && !(key && l.s[*at] == '='))
            (*at)++;
        item->len = (size_t)(l.s + *at - item->s);
        return true;
    }
    int depth = 1;
    item->s = l.s + ++*at;
    for (; *at < l.len; (*at)++) {
        if (l.s[*at] == '\\' && *at + 1 < l.len)
            (*at)++;
        else if (l.s[*at] == close && --depth == 0)
            break;
        else if (open != close && l.s[*at] == open)
            depth++;
    }
    item->len = (size_t)(l.s + *at - item->s);
    return (*at)++ < l.len;
}

static void skip_blanks(struct text l, size_t *at)
{
    while (*at < l.len && (unsigned char)l.s[*at] <= ' ')
        (*at)++;
}

/* Reads the next key and value (NULL for a bare word). Returns 1, 0 at the end, or -1 if not
 * closed. */
static int next_pair(struct text l, size_t *at, struct text *key, struct text *value)
{
    skip_blanks(l, at);
    if (*at >= l.len)
        return 0;
    *value = (struct text){NULL, 0};
    if (!read_item(l, at, true, key))
        return -1;
    size_t eq = *at;
    skip_blanks(l, &eq);
    if (eq >= l.len || l.s[eq] != '=')
        return 1;
    eq++;
    skip_blanks(l, &eq);
    *at = eq;
    if (eq >= l.len) {
        *value = (struct text){l.s + eq, 0};
        return 1;
    }
    return read_item(l, at, false, value) ? 1 : -1;
}

static bool is_key(struct text key, const char *name)
{
    return key.len == strlen(name) && strncasecmp(key.s, name, key.len) == 0;
}

bool xyz_header_has_key(const char *s, size_t len, const char *name)
{
    struct text l = {s, len}, key, value;
    size_t at = 0;
    int got;
    while ((got = next_pair(l, &at, &key, &value)) != 0) {
        if (is_key(key, name) && (got < 0 || value.s))
            return true;
        if (got < 0)
            return false;
    }
    return false;
}

/* Finds the value of the key `name` followed by `after`. Upper and lower case differ. */
static bool find_value(struct text l, const char *name, const char *after, struct text *value)
{
    struct text key;
    size_t at = 0, n = strlen(name), m = strlen(after);
    while (next_pair(l, &at, &key, value) == 1)
        if (value->s && key.len == n + m && memcmp(key.s, name, n) == 0 &&
            memcmp(key.s + n, after, m) == 0)
            return true;
    return false;
}

void xyz_header_unit(const char *s, size_t len, const char *name, char unit[SCALARS_NAME])
{
    struct text v;
    bool found = find_value((struct text){s, len}, name, "_unit", &v) && v.len < SCALARS_NAME;
    memcpy(unit, found ? v.s : "", found ? v.len : 0);
    unit[found ? v.len : 0] = '\0';
}

/* Finds the next word in a value. Brackets and commas of arrays are treated as blanks. */
static bool value_word(struct text v, size_t *at, struct text *w)
{
    while (*at < v.len && ((unsigned char)v.s[*at] <= ' ' || strchr("[]{},", v.s[*at])))
        (*at)++;
    w->s = v.s + *at;
    while (*at < v.len && (unsigned char)v.s[*at] > ' ' && !strchr("[]{},", v.s[*at]))
        (*at)++;
    w->len = (size_t)(v.s + *at - w->s);
    return w->len > 0;
}

int xyz_header_values(const char *s, size_t len, const char *name, double v[9],
                      const char **suffixes, struct err *e)
{
    static const char *const endings[] = {
        [1] = "",
        [3] = "_x _y _z",
        [6] = "_xx _yy _zz _yz _xz _xy",
        [9] = "_xx _xy _xz _yx _yy _yz _zx _zy _zz",
    };
    struct text value, w;
    size_t at = 0, from;
    int n = 0, rows = 0;
    if (!find_value((struct text){s, len}, name, "", &value))
        return err_bad(e, "--info: expected the key %s=, found none", name);
    if (value.len > 5 && memcmp(value.s, "_JSON", 5) == 0) /* written by ASE */
        at = 5;
    for (from = at; value_word(value, &at, &w); from = at, n++) {
        rows += memchr(value.s + from, '[', (size_t)(w.s - value.s) - from) != NULL;
        double number;
        if (decimal_get_f64(w.s, w.len, DECIMAL_FORTRAN, n < 9 ? &v[n] : &number) != 0)
            return err_bad(e, "expected a number in %s=, found '%.*s' (%s)", name,
                           (int)(w.len < 40 ? w.len : 40), w.s, decimal_reason(w.s, w.len));
    }
    if (n > 9 || n == 0 || !endings[n] || (rows > 1 && (rows != 3 || n != 9)))
        return err_bad(e,
                       "expected 1, 3, 6 or 9 numbers in %s=, or three rows of three numbers, "
                       "found %d numbers (rows: %d)",
                       name, n, rows > 1 ? rows : 1);
    *suffixes = endings[n];
    return n;
}

static int parse_lattice(struct text v, struct xyz_header *h, struct err *e)
{
    struct text w;
    size_t at = 0;
    int n = 0;
    for (; value_word(v, &at, &w); n++)
        if (n < 9 && decimal_get_f64(w.s, w.len, DECIMAL_FORTRAN, &h->cell[n]) != 0)
            return fail(e, "nine numbers in Lattice", v);
    if (n != 9)
        return err_bad(e, "expected nine numbers in Lattice (three vectors), found %d", n);
    h->has_cell = true;
    return 0;
}

static int truth(struct text w)
{
    static const char *const yes[] = {"T", "1", "True", ".true."}, *const no[] = {"F", "0", "False",
                                                                                  ".false."};
    for (int k = 0; k < 4; k++)
        if (is_key(w, yes[k]))
            return 1;
        else if (is_key(w, no[k]))
            return 0;
    return -1;
}

static int parse_pbc(struct text v, struct xyz_header *h, struct err *e)
{
    struct text w[4];
    size_t at = 0;
    int n = 0;
    while (n < 4 && value_word(v, &at, &w[n]))
        n++;
    if (n == 1 && w[0].len == 3) { /* "TTF" */
        for (int k = 2; k >= 0; k--)
            w[k] = (struct text){w[0].s + k, 1};
        n = 3;
    }
    for (int k = 0; k < 3 && n == 3; k++)
        if ((h->pbc[k] = truth(w[k])) < 0)
            n = 0;
    h->has_pbc = n == 3;
    return n == 3 ? 0 : fail(e, "three values T or F in pbc", v);
}

static bool next_field(struct text v, size_t *at, struct text *f)
{
    if (*at > v.len)
        return false;
    const char *colon = memchr(v.s + *at, ':', v.len - *at);
    f->s = v.s + *at;
    f->len = colon ? (size_t)(colon - f->s) : v.len - *at;
    *at += f->len + 1;
    return f->len > 0;
}

/* Stores column `at` if velocities, momenta or masses begin there. Velocities override momenta. */
static void note_velocity(struct xyz_header *h, struct text name, uint64_t n, int at)
{
    static const char *const names[] = {"momenta", "vel", "velo", "velocities"};
    if (n == 1 && is_key(name, "masses"))
        h->mass = at;
    for (int k = 0; k < 4; k++)
        if (n == 3 && is_key(name, names[k]) &&
            (h->vel < 0 || (k > 0 && h->vel_name == names[0]))) {
            h->vel = at;
            h->vel_name = names[k];
        }
}

static int parse_properties(struct text v, struct xyz_header *h, struct err *e)
{
    struct rows_layout *l = &h->layout;
    size_t at = 0;
    int column = 0, number = -1;
    *l = (struct rows_layout){-1, -1, -1};
    while (at <= v.len) {
        struct text name, type, count;
        uint64_t n;
        if (!next_field(v, &at, &name) || !next_field(v, &at, &type) ||
            !next_field(v, &at, &count) || type.len != 1 || !strchr("SIRL", type.s[0]) ||
            decimal_get_u64(count.s, count.len, 1000, &n) != 0 || n == 0 || column > 1000)
            return fail(e, "Properties=name:type:count:..., type one of S I R L", v);
        int *where = is_key(name, "pos")       ? &l->pos
                     : is_key(name, "species") ? &l->name
                     : is_key(name, "Z")       ? &number
                     : is_key(name, "id")      ? &l->id
                                               : NULL;
        if (where && *where >= 0)
            return fail(e, "every name once in Properties", v);
        if (where == &l->pos && (type.s[0] != 'R' || n != 3))
            return fail(e, "pos:R:3 in Properties", v);
        if (where && where != &l->pos && n != 1)
            return fail(e, "one column each for species, Z and id in Properties", v);
        if (where == &l->id && type.s[0] != 'I')
            return fail(e, "id:I:1 in Properties", v);
        if (where)
            *where = column;
        if (type.s[0] == 'R')
            note_velocity(h, name, n, column);
        column += (int)n;
    }
    h->columns = column;
    if (l->name < 0)
        l->name = number;
    return l->pos >= 0 ? 0 : fail(e, "pos:R:3 in Properties", v);
}

int xyz_header_property(const char *s, size_t len, const char *name, struct err *e)
{
    struct text v, field, type, count;
    size_t at = 0;
    int column = 0;
    uint64_t n;
    bool found = find_value((struct text){s, len}, "Properties", "", &v);
    if (!found)
        v = (struct text){"none", 4};
    else
        while (next_field(v, &at, &field) && next_field(v, &at, &type) &&
               next_field(v, &at, &count) && decimal_get_u64(count.s, count.len, 1000, &n) == 0) {
            if (field.len == strlen(name) && memcmp(field.s, name, field.len) == 0 && n == 1 &&
                strchr("RI", type.s[0]))
                return column;
            column += (int)n;
        }
    return err_bad(e, "--scalars: expected %s:R:1 in Properties, found '%.*s'", name,
                   (int)(v.len < 200 ? v.len : 200), v.s);
}

/* Appends a name and the text `after` to a list of `size` bytes. */
static void add_name(char *list, size_t size, struct text name, const char *after)
{
    size_t at = strlen(list), need = name.len + strlen(after) + 2;
    if (at + need + 6 <= size)
        snprintf(list + at, size - at, "%s%.*s%s", at ? ", " : "", (int)name.len, name.s, after);
    else if (at < 3 || strcmp(list + at - 3, "...") != 0)
        snprintf(list + at, size - at, ", ...");
}

/* Does what xyz_header_left_out() does, for the value of Properties. */
static void list_properties(struct text v, const int *used, int n, char *text, size_t size)
{
    struct text name, type, count;
    size_t at = 0;
    uint64_t columns;
    for (int column = 0;
         next_field(v, &at, &name) && next_field(v, &at, &type) && next_field(v, &at, &count) &&
         decimal_get_u64(count.s, count.len, 1000, &columns) == 0;
         column += (int)columns) {
        bool known = false;
        for (int k = 0; k < n; k++)
            known |= used[k] == column;
        if (!known)
            add_name(text, size, (struct text){name.s, (size_t)(count.s + count.len - name.s)}, "");
    }
}

void xyz_header_left_out(const char *s, size_t len, const int *used, int n, char *text, size_t size)
{
    struct text key, value;
    size_t at = 0;
    text[0] = '\0';
    while (next_pair((struct text){s, len}, &at, &key, &value) == 1) {
        bool known = !value.s || (key.len > 5 && memcmp(key.s + key.len - 5, "_unit", 5) == 0);
        for (int k = 0; k < KEYS; k++)
            known |= is_key(key, keys[k]);
        if (value.s && is_key(key, keys[PROPERTIES]))
            list_properties(value, used, n, text, size);
        else if (!known)
            add_name(text, size, key, "=");
    }
}

static int parse_time_unit(struct text v, double *fs, struct err *e)
{
    static const char *const name[] = {FORMATS_TIME_UNITS};
    static const double unit[] = {FORMATS_TIME_UNITS_FS};
    for (int k = 0; name[k]; k++)
        if (is_key(v, name[k])) {
            *fs = unit[k];
            return 0;
        }
    return fail(e, "time_unit=fs, ps or ns", v);
}

static int take(struct text key, struct text v, struct xyz_header *h, int *seen, double *unit_fs,
                struct err *e)
{
    int k = 0;
    while (k < KEYS && !is_key(key, keys[k]))
        k++;
    if (k < KEYS && *seen & 1 << k)
        return fail(e, "every key once", key);
    *seen |= 1 << k;
    switch (k) {
    case LATTICE: return parse_lattice(v, h, e);
    case PROPERTIES: return parse_properties(v, h, e);
    case PBC: return parse_pbc(v, h, e);
    case TIME:
        return decimal_get_f64(v.s, v.len, DECIMAL_FORTRAN, &h->time_fs) == 0
                   ? 0
                   : fail(e, "a number after Time=", v);
    case SIGMA:
        if (decimal_get_f64(v.s, v.len, DECIMAL_FORTRAN, &h->sigma) != 0 || !(h->sigma > 0.0))
            h->sigma = NAN; /* an unrelated sigma */
        return 0;
    case STEP: /* the key Timestep overrides Step */
        if (*seen & 1 << TIMESTEP)
            return 0; /* fall through */
    case TIMESTEP: h->has_step = decimal_get_u64(v.s, v.len, INT64_MAX, &h->step) == 0; return 0;
    case TIME_UNIT: return parse_time_unit(v, unit_fs, e);
    default: return 0;
    }
}

int xyz_header_extended(const char *s, size_t len, struct xyz_header *h, struct err *e)
{
    struct text l = {s, len}, key, value;
    size_t at = 0;
    int seen = 0, got;
    double unit_fs = NAN;
    while ((got = next_pair(l, &at, &key, &value)) == 1)
        if (value.s && take(key, value, h, &seen, &unit_fs, e) != 0)
            return -1;
    if (got < 0)
        return fail(e, "a closing quote or bracket",
                    key.s ? (struct text){key.s, (size_t)(s + len - key.s)} : l);
    if (!h->has_pbc) /* extended XYZ with Lattice is periodic by default */
        h->pbc[0] = h->pbc[1] = h->pbc[2] = h->has_cell;
    h->has_pbc = h->has_pbc || h->has_cell;
    h->time_unit_unknown = (seen & 1 << TIME) && isnan(unit_fs);
    if (!isnan(unit_fs))
        h->time_fs *= unit_fs;
    return 0;
}
