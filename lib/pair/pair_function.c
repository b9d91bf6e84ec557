/* SPDX-License-Identifier: MIT */
#include "pair/pair_function.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/decimal.h"
#include "io/lines.h"
#include "select/pair_names.h"

enum { COLUMNS = 64, POINTS_MIN = 4, CELLS = 16384, FINER = 4 };
#define SMALL 1e-6 /* largest last value of a column, relative to its largest */
#define EVEN 1e-9  /* largest deviation of evenly spaced points, relative to their spacing */

static const char *const units[3][3] = {{"1", "A^3"}, {"e*A", "D"}, {"1", "A^3"}};

struct pair_function_file {
    const char *path;
    char name[COLUMNS][40], unit[8];
    size_t title, n; /* line of the names, and number of points */
    double *r, *v;   /* [n]; [columns][n], or [n][1 + columns] in v before the end of the file */
};

/* ---- text */

struct text {
    struct lines l;
    struct pair_function *f;
    struct err *e;
};

#define wrong(t, ...) err_in((t)->e, ERR_BAD, (t)->l.name, (t)->l.at, __VA_ARGS__)

static int read_head(struct text *t, char *const *word, size_t n)
{
    struct pair_function *f = t->f;
    bool rank = strcmp(word[0], "rank") == 0, did = n == 3 && strcmp(word[2], "+did") == 0;
    if (rank && (n == 2 || did) && strspn(word[1], "012") == 1 && !word[1][1]) {
        f->rank = word[1][0] - '0';
        f->did = did;
        return did && f->rank != 2 ? wrong(t,
                                           "expected rank 2 with +did, found rank %d (the "
                                           "dipole-induced-dipole beta has rank 2)",
                                           f->rank)
                                   : 0;
    }
    if (rank)
        return wrong(t, "expected 'rank 0', 'rank 1', 'rank 2' or 'rank 2 +did'");
    if (strcmp(word[0], "unit") != 0 || n != 2)
        return wrong(t,
                     "expected 'rank R', 'unit U' or the names of the columns, 'r A-B ...', "
                     "found '%.40s'",
                     word[0]);
    size_t size = (size_t)snprintf(f->file->unit, sizeof f->file->unit, "%s", word[1]);
    if (size >= sizeof f->file->unit)
        return wrong(t, "expected a unit of at most 7 bytes, found '%.40s'", word[1]);
    return 0;
}

static int read_title(struct text *t, char *const *word, size_t n)
{
    struct pair_function *f = t->f;
    const char *const *unit = units[f->rank < 0 ? 0 : f->rank], *found = f->file->unit;
    if (f->rank < 0 || !*found)
        return wrong(t, "expected a line '%s' before the names of the columns, found none",
                     f->rank < 0 ? "rank R" : "unit U");
    if (strcmp(found, unit[0]) != 0 && (f->did || strcmp(found, unit[1]) != 0))
        return wrong(t, "expected the unit %s%s%s of rank %d%s, found '%s'", unit[0],
                     f->did ? "" : " or ", f->did ? "" : unit[1], f->rank,
                     f->did ? " +did, because the dipole-induced-dipole beta has no unit" : "",
                     found);
    if (n < 2)
        return wrong(t, "expected a column for each pair of species after 'r', found none");
    for (f->columns = 0; f->columns + 1 < n; f->columns++) {
        const char *pair = word[f->columns + 1];
        size_t size =
            (size_t)snprintf(f->file->name[f->columns], sizeof *f->file->name, "%s", pair);
        if (size >= sizeof *f->file->name)
            return wrong(t, "expected two species joined by a dash, found '%.60s'", pair);
    }
    f->file->title = t->l.at;
    return 0;
}

static int read_point(struct text *t, char *const *word, size_t n)
{
    struct pair_function_file *o = t->f->file;
    size_t each = t->f->columns + 1;
    double *v = o->v;
    if (n != each)
        return wrong(t, "expected %zu numbers, found %zu", each, n);
    if (o->n % 1024 == 0 && !(v = realloc(o->v, (o->n + 1024) * each * sizeof *v)))
        return err_memory(t->e, "the pair function");
    o->v = v;
    v += o->n * each;
    for (size_t k = 0; k < n; k++)
        if (decimal_get_f64(word[k], strlen(word[k]), DECIMAL_OURS, v + k) != 0 ||
            !(fabs(v[k]) <= 1e9))
            return wrong(t, "expected a number from -1e9 to 1e9, found '%.40s'", word[k]);
    if (!(v[0] > (o->n ? v[-(long)each] : 0.0)))
        return wrong(t, "expected r to increase from above 0, found %g after %g", v[0],
                     o->n ? v[-(long)each] : 0.0);
    o->n++;
    return 0;
}

static int read_line(struct text *t, char *line)
{
    char *word[COLUMNS + 2], *save = NULL;
    size_t n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (n == COLUMNS + 1)
            return wrong(t, "expected at most %d columns after r, found more", COLUMNS);
        word[n++] = w;
    }
    return n == 0                      ? 0
           : t->f->file->title         ? read_point(t, word, n)
           : strcmp(word[0], "r") == 0 ? read_title(t, word, n)
                                       : read_head(t, word, n);
}

/* Transposes rows to columns, checks their ends, and sets the cells. */
static int read_end(struct text *t)
{
    struct pair_function *f = t->f;
    struct pair_function_file *o = f->file;
    size_t n = o->n, each = f->columns + 1;
    if (n < POINTS_MIN)
        return wrong(t, "expected at least %d points, found %zu", POINTS_MIN, n);
    double *rows = o->v, *v = o->v = malloc(n * each * sizeof *v), near = HUGE_VAL;
    for (size_t k = 0; v && k < n * each; k++)
        v[k % each * n + k / each] = rows[k];
    free(rows);
    if (!v)
        return err_memory(t->e, "the pair function");
    for (size_t c = 1; c < each; c++) {
        double max = 0.0, last = v[c * n + n - 1];
        for (size_t k = 0; k < n; k++)
            max = fmax(max, fabs(v[c * n + k]));
        if (fabs(last) > SMALL * max)
            return wrong(t,
                         "expected column %s to end below %g of its largest value, %g, found %g: "
                         "the function is 0 beyond its end",
                         o->name[c - 1], SMALL, max, last);
    }
    o->r = v;
    o->v = v + n;
    f->first = v[0];
    f->end = v[n - 1];
    double step = (f->end - f->first) / (double)(n - 1), even = 0.0;
    for (size_t k = 0; k < n; k++) {
        even = fmax(even, fabs(v[k] - (f->first + (double)k * step)));
        near = k ? fmin(near, v[k] - v[k - 1]) : near;
    }
    double cells = even <= EVEN * step ? (double)(n - 1)
                                       : ceil(FINER * (1 - 1e-9) * (f->end - f->first) / near);
    if (cells > CELLS)
        return wrong(t, "expected points at least %g Å apart, found points %g Å apart",
                     cells / CELLS * near, near);
    f->cells = (int)cells + 2;
    f->per = cells / (f->end - f->first);
    return 0;
}

int pair_function_read(const char *path, struct pair_function *f, struct err *e)
{
    struct text t = {.f = f, .e = e};
    *f = (struct pair_function){.rank = -1};
    if (!(f->file = calloc(1, sizeof *f->file)))
        return err_memory(e, "the pair function");
    f->file->path = path;
    int got = lines_open(&t.l, path, path, NULL, e) == 0 ? 1 : -1;
    while (got > 0 && (got = lines_next(&t.l, e)) > 0)
        if (read_line(&t, t.l.line) != 0)
            got = -1;
    if (got == 0)
        got = read_end(&t);
    if (got < 0 && e->file)
        err_set(e, e->status, "--pair-function %s", e->text); /* has no place in a file */
    lines_close(&t.l);
    return got;
}

/* ---- spline */

/* Computes the second derivatives m[n] of the natural cubic spline, with scratch[n]. */
static void curvatures(size_t n, const double *r, const double *v, double *m, double *scratch)
{
    m[0] = scratch[0] = 0.0;
    for (size_t k = 1; k + 1 < n; k++) {
        double a = r[k] - r[k - 1], b = r[k + 1] - r[k];
        double p = 2.0 * (a + b) - a * scratch[k - 1];
        scratch[k] = b / p;
        m[k] = (6.0 * ((v[k + 1] - v[k]) / b - (v[k] - v[k - 1]) / a) - a * m[k - 1]) / p;
    }
    m[n - 1] = 0.0;
    for (size_t k = n - 1; k-- > 0;)
        m[k] -= scratch[k] * m[k + 1];
}

/* Computes value and slope of the spline at x in the interval k. */
static void spline(size_t k, const double *r, const double *v, const double *m, double x,
                   double to[2])
{
    double h = r[k + 1] - r[k], a = (r[k + 1] - x) / h, b = (x - r[k]) / h;
    to[0] = a * v[k] + b * v[k + 1] +
            ((a * a * a - a) * m[k] + (b * b * b - b) * m[k + 1]) * h * h / 6.0;
    to[1] = (v[k + 1] - v[k]) / h +
            ((3.0 * b * b - 1.0) * m[k + 1] - (3.0 * a * a - 1.0) * m[k]) * h / 6.0;
}

/* Computes the cells of `sign` times column c, with m[2 n] as scratch memory. */
static void make_cells(const struct pair_function *f, size_t c, double sign, double *m,
                       double (*to)[4])
{
    size_t n = f->file->n, k = 0, cells = (size_t)f->cells - 2;
    const double *r = f->file->r, *v = f->file->v + c * n;
    double at[2], next[2], h = 1.0 / f->per;
    curvatures(n, r, v, m, m + n);
    spline(0, r, v, m, r[0], next);
    for (int q = 0; q < 4; q++)
        to[0][q] = NAN;
    for (size_t i = 1; i <= cells; i++) {
        double x = i < cells ? f->first + (double)i * h : f->end;
        memcpy(at, next, sizeof at);
        while (k + 2 < n && r[k + 1] < x - 1e-6 * h)
            k++;
        spline(k, r, v, m, x, next);
        double rise = next[0] - at[0], up = at[1] * h, down = next[1] * h;
        to[i][0] = sign * at[0];
        to[i][1] = sign * up;
        to[i][2] = sign * (3.0 * rise - 2.0 * up - down);
        to[i][3] = sign * (up + down - 2.0 * rise);
    }
}

/* ---- atoms */

static bool zero(const struct pair_function *f, size_t c)
{
    size_t k = 0;
    while (k < f->file->n && f->file->v[c * f->file->n + k] == 0.0)
        k++;
    return k == f->file->n;
}

/* Sets `start` for the species of column c. Columns of zeros and absent pairs use the first cells,
 * whose values are 0. */
static int bind_column(struct pair_function *f, const struct pair_names *s, size_t c, bool *given,
                       struct err *e)
{
    const struct pair_function_file *o = f->file;
    struct species_pair q;
    if (pair_names_find(s, o->name[c], &q) != 0)
        return err_bad(e, "line %zu: expected two species of the input joined by a dash, found %s",
                       o->title, o->name[c]);
    size_t a = (size_t)q.a, b = (size_t)q.b, n = f->kinds, table = 4 * (size_t)f->cells;
    if (given[a * n + b])
        return err_bad(e, "line %zu: expected each pair of species once, found %s twice", o->title,
                       o->name[c]);
    if (f->rank == 1 && a == b && !zero(f, c))
        return err_bad(e,
                       "line %zu: expected zeros in column %s, found other values (the pair dipole "
                       "of equal species has no direction)",
                       o->title, o->name[c]);
    given[a * n + b] = given[b * n + a] = true;
    if (!zero(f, c)) {
        f->start[b * n + a] = (int32_t)((1 + 2 * c) * table);
        f->start[a * n + b] = (int32_t)((f->rank == 1 ? 2 + 2 * c : 1 + 2 * c) * table);
    }
    return 0;
}

static int bind_species(struct pair_function *f, struct pair_names *s, struct err *e)
{
    size_t n = f->kinds = (size_t)s->nspecies;
    bool *given = calloc(n * n, sizeof *given);
    f->start = calloc(n * n, sizeof *f->start);
    f->kind = calloc(s->natoms + PAIR_FUNCTION_SLACK, 1);
    int bad = given && f->start && f->kind ? 0 : err_memory(e, "the pair function");
    for (size_t c = 0; !bad && c < f->columns; c++)
        bad = bind_column(f, s, c, given, e);
    for (size_t q = 0; !bad && q < s->npairs; q++) {
        size_t a = (size_t)s->pairs[q].a, b = (size_t)s->pairs[q].b;
        if (!given[a * n + b] && pair_names_pairs(s, q, false) > 0.0 && !(f->rank == 1 && a == b))
            bad = err_bad(e, "line %zu: expected a column for %s-%s, found none", f->file->title,
                          s->name[a], s->name[b]);
    }
    if (!bad)
        memcpy(f->kind, s->species, s->natoms);
    free(given);
    return bad;
}

int pair_function_bind(struct pair_function *f, const struct meta *m, size_t natoms, struct err *e)
{
    struct pair_names s;
    size_t values = (1 + 2 * f->columns) * 4 * (size_t)f->cells;
    int bad = pair_names_open(&s, m, natoms, (const char *[]){"all"}, 1, e);
    if (!bad && bind_species(f, &s, e))
        bad = e->status == ERR_BAD ? err_bad(e, "--pair-function %s: %s", f->file->path, e->text)
                                   : -1;
    pair_names_close(&s);
    if (bad)
        return -1;
    double *scratch = malloc(2 * f->file->n * sizeof *scratch);
    f->f64 = calloc(values, sizeof *f->f64);
    f->f32 = calloc(values, sizeof *f->f32);
    bad = !scratch || !f->f64 || !f->f32;
    for (size_t c = 0; !bad && c < 2 * f->columns; c++)
        make_cells(f, c / 2, c % 2 ? -1.0 : 1.0, scratch,
                   (double(*)[4])f->f64 + (c + 1) * (size_t)f->cells);
    for (size_t k = 0; !bad && k < values; k++)
        f->f32[k] = (float)f->f64[k];
    free(scratch);
    return bad ? err_memory(e, "the pair function") : 0;
}

void pair_function_free(struct pair_function *f)
{
    if (f->file) {
        free(f->file->r ? f->file->r : f->file->v);
        free(f->file);
    }
    free(f->kind);
    free(f->start);
    free(f->f32);
    free(f->f64);
    *f = (struct pair_function){0};
}

const char *pair_function_unit(const struct pair_function *f)
{
    return f->file ? f->file->unit : "1";
}

const char *pair_function_path(const struct pair_function *f)
{
    return f->file->path;
}

int pair_function_meta(const struct pair_function *f, struct meta *m)
{
    const struct pair_function_file *o = f->file;
    uint64_t sum = meta_sum(META_SUM, o->r, (f->columns + 1) * o->n * sizeof *o->r);
    for (size_t c = 0; c < f->columns; c++)
        sum = meta_sum(sum, o->name[c], strlen(o->name[c]) + 1);
    return meta_setf(
        m, "data.function", "rank %d%s, unit %s, %zu points from %g to %g Å, FNV-1a %016llx",
        f->rank, f->did ? " +did" : "", o->unit, o->n, f->first, f->end, (unsigned long long)sum);
}
