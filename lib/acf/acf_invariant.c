/* SPDX-License-Identifier: MIT */
#include "acf/acf_invariant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *name;
    double five, mean; /* factors of the sum over five and of <a a'> */
} rows[] = {{"vh", "VH", 1.0 / 5.0, 0.0},
            {"aniso", "aniso", 15.0 / 5.0, 0.0},
            {"iso", "iso", 0.0, 1.0},
            {"vv", "VV", 4.0 / 15.0, 1.0}};

static long column(const struct acf_series *s, const char *part, size_t n, const char *axes)
{
    char name[sizeof *s->name];
    snprintf(name, sizeof name, "%.*s%s%s", (int)n, part, n ? "_" : "", axes);
    for (size_t c = 0; c < s->columns; c++)
        if (strcmp(s->name[c], name) == 0)
            return (long)c;
    return -1;
}

/* Finds the columns of a tensor, or of all tensors in a sum. Returns 0, or -1 and sets e. */
static int tensor(size_t at[ACF_PARTS][6], size_t *nparts, const struct acf_series *s,
                  const char *part, size_t n, struct err *e)
{
    static const char *const axes[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    bool induced = n == 7 && memcmp(part, "induced", n) == 0,
         sum =
             (induced || (n == 5 && memcmp(part, "total", n) == 0)) && column(s, part, n, "xx") < 0;
    *nparts = 0;
    for (size_t i = 0; i < (sum ? s->columns : 1); i++) {
        const char *name = sum ? s->name[i] : part, *end = sum ? strstr(name, "_xx") : name + n;
        if (!end || (sum && end[3]) || (induced && sum && strcmp(name, "permanent_xx") == 0))
            continue;
        if (*nparts == ACF_PARTS)
            return err_bad(e, "--invariant: expected a sum of at most %d parts, found more",
                           ACF_PARTS);
        for (size_t k = 0; k < 6; k++) {
            int len = (int)(end - name);
            const char *sep = len ? "_" : "";
            long c = column(s, name, (size_t)len, axes[k]);
            if (c < 0)
                return err_bad(
                    e,
                    "--invariant: expected all six columns of the tensor, found no column %.*s%s%s",
                    len, name, sep, axes[k]);
            at[*nparts][k] = (size_t)c;
        }
        ++*nparts;
    }
    return *nparts ? 0
                   : err_bad(e,
                             "--invariant: expected the parts of %.*s in separate columns, such as "
                             "order1_xx, found none (use alpha-cpu --parts)",
                             (int)n, part);
}

/* Returns the set of these two tensors, creating it if needed, or -1 and sets e. */
static int set_of(struct acf_invariant *v, const char *now, size_t n, const struct acf_series *s,
                  struct err *e)
{
    const char *later = memchr(now, '-', n);
    size_t k = v->nsets, len = later ? (size_t)(later - now) : n;
    v->set[k].ntensors = later ? 2 : 1;
    memset(v->set[k].at, 0, sizeof v->set[k].at);
    v->set[k].nparts[1] = 0;
    if (tensor(v->set[k].at[0], &v->set[k].nparts[0], s, now, len, e) ||
        (later && tensor(v->set[k].at[1], &v->set[k].nparts[1], s, later + 1, n - len - 1, e)))
        return -1;
    for (size_t i = 0; i < k; i++)
        if (memcmp(v->set[i].nparts, v->set[k].nparts, sizeof v->set[k].nparts) == 0 &&
            memcmp(v->set[i].at, v->set[k].at, sizeof v->set[k].at) == 0)
            return (int)i;
    v->set[k].column = k ? v->set[k - 1].column + v->set[k - 1].ntensors * ACF_DERIVED : 0;
    v->nsets++;
    return (int)k;
}

static int find_one(struct acf_invariant *v, const char *text, size_t n, const struct acf_series *s,
                    struct err *e)
{
    size_t len = strcspn(text, ":,"), k = 0, f = v->nfunctions;
    while (k < sizeof rows / sizeof *rows &&
           (strncmp(rows[k].text, text, len) != 0 || rows[k].text[len]))
        k++;
    if (k == sizeof rows / sizeof *rows)
        return err_bad(e, "--invariant: expected vh, aniso, iso or vv, found '%.*s'",
                       (int)(len < 60 ? len : 60), text);
    const char *part = text + len + (len < n);
    int set = set_of(v, part, (size_t)(text + n - part), s, e);
    if (set < 0)
        return -1;
    v->f[f].set = (size_t)set;
    v->f[f].five = rows[k].five;
    v->f[f].mean = rows[k].mean;
    snprintf(v->f[f].name, SERIES_NAME, "%s%s%.*s", rows[k].name, len < n ? "_" : "",
             (int)(text + n - part), part);
    for (size_t i = 0; i < f; i++)
        if (strcmp(v->f[i].name, v->f[f].name) == 0)
            return err_bad(e, "--invariant: '%.*s' is given twice", (int)(n < 60 ? n : 60), text);
    v->nfunctions++;
    return 0;
}

int acf_invariant_find(struct acf_invariant *v, const char *text, const struct acf_series *s,
                       struct err *e)
{
    *v = (struct acf_invariant){0};
    for (bool more = true; more;) {
        size_t n = strcspn(text, ",");
        if (v->nfunctions == ACF_INVARIANTS)
            return err_bad(e, "--invariant: expected at most %d items, found more", ACF_INVARIANTS);
        if (find_one(v, text, n, s, e))
            return -1;
        more = text[n] != 0;
        text += n + more;
    }
    return 0;
}

int acf_invariant_columns(const struct acf_invariant *v, struct acf_series *s,
                          struct acf_pair *pair, struct err *e)
{
    static const char *const names[ACF_DERIVED] = {"xz", "xy", "yz", "xx-yy", "zz", "trace"};
    free(s->name);
    s->columns = v->set[v->nsets - 1].column + v->set[v->nsets - 1].ntensors * (size_t)ACF_DERIVED;
    if (!(s->name = calloc(s->columns, sizeof *s->name)))
        return err_memory(e, "the names of columns");
    for (size_t c = 0; c < s->columns; c++)
        snprintf(s->name[c], sizeof s->name[c], "%s", names[c % ACF_DERIVED]);
    for (size_t k = 0; k < v->nsets; k++)
        for (size_t c = 0; c < ACF_DERIVED; c++) {
            size_t now = v->set[k].column + c;
            pair[k * ACF_DERIVED + c] =
                (struct acf_pair){now, now + (v->set[k].ntensors - 1) * ACF_DERIVED};
        }
    return (int)(v->nsets * ACF_DERIVED);
}

void acf_invariant_row(const struct acf_invariant *v, const double *row, double *to)
{
    for (size_t k = 0; k < v->nsets; k++)
        for (size_t t = 0; t < v->set[k].ntensors; t++) {
            double a[6] = {0}; /* xx xy xz yy yz zz */
            for (size_t p = 0; p < v->set[k].nparts[t]; p++)
                for (size_t c = 0; c < 6; c++)
                    a[c] += row[v->set[k].at[t][p][c]];
            *to++ = a[2];
            *to++ = a[1];
            *to++ = a[4];
            *to++ = 0.5 * (a[0] - a[3]);
            *to++ = (2.0 * a[5] - a[0] - a[3]) / (2.0 * sqrt(3.0));
            *to++ = (a[0] + a[3] + a[5]) / 3.0;
        }
}

void acf_invariant_sum(const struct acf_invariant *v, const double *sums, double *to)
{
    for (size_t f = 0; f < v->nfunctions; f++) {
        const double *p = sums + v->f[f].set * ACF_DERIVED;
        to[f] = v->f[f].five * (p[0] + p[1] + p[2] + p[3] + p[4]) + v->f[f].mean * p[5];
    }
}
