/* SPDX-License-Identifier: MIT */
#include "acf/acf_invariant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *name;
    double five, mean; /* squared: parts of the sum over the columns */
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

/* The tensor of this part. */
static int tensor(size_t at[6], const struct acf_series *s, const char *part, size_t n,
                  struct err *e)
{
    static const char *const axes[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    for (size_t k = 0; k < 6; k++) {
        long c = column(s, part, n, axes[k]);
        if (c < 0)
            return err_set(
                e, ERR_BAD,
                "--invariant: the columns of a tensor, %.*s%sxx to zz, expected, found no %s",
                (int)n, part, n ? "_" : "", axes[k]);
        at[k] = (size_t)c;
    }
    return 0;
}

int acf_invariant_find(struct acf_invariant *v, const char *text, const struct acf_series *s,
                       struct err *e)
{
    size_t n = strcspn(text, ":"), k = 0;
    while (k < sizeof rows / sizeof *rows &&
           (strncmp(rows[k].text, text, n) != 0 || rows[k].text[n]))
        k++;
    if (k == sizeof rows / sizeof *rows)
        return err_set(e, ERR_BAD, "--invariant: vh, aniso, iso or vv expected, found '%.*s'",
                       (int)n, text);
    const char *now = text[n] ? text + n + 1 : "", *later = strchr(now, '-');
    *v = (struct acf_invariant){.name = rows[k].name, .ntensors = later ? 2 : 1};
    v->n = (rows[k].five > 0.0 ? 5 : 0) + (rows[k].mean > 0.0);
    v->five = sqrt(rows[k].five * (double)v->n);
    v->mean = sqrt(rows[k].mean * (double)v->n);
    if (tensor(v->at[0], s, now, later ? (size_t)(later - now) : strlen(now), e))
        return -1;
    return later ? tensor(v->at[1], s, later + 1, strlen(later + 1), e) : 0;
}

int acf_invariant_columns(const struct acf_invariant *v, struct acf_series *s,
                          struct acf_pair *pair, struct err *e)
{
    static const char *const names[ACF_DERIVED] = {"xz", "xy", "yz", "xx-yy", "zz", "trace"};
    size_t skip = v->five > 0.0 ? 0 : 5;
    free(s->name);
    s->columns = v->ntensors * v->n;
    if (!(s->name = calloc(s->columns, sizeof *s->name)))
        return err_memory(e, "the names of columns");
    for (size_t c = 0; c < s->columns; c++)
        snprintf(s->name[c], sizeof s->name[c], "%s%s", names[skip + c % v->n],
                 c < v->n ? "" : "_later");
    for (size_t k = 0; k < v->n; k++)
        pair[k] = (struct acf_pair){k, (v->ntensors - 1) * v->n + k};
    return (int)v->n;
}

void acf_invariant_row(const struct acf_invariant *v, const double *row, double *to)
{
    for (size_t k = 0; k < v->ntensors; k++) {
        const size_t *at = v->at[k];
        double xx = row[at[0]], yy = row[at[3]], zz = row[at[5]];
        if (v->five > 0.0) {
            *to++ = v->five * row[at[2]];
            *to++ = v->five * row[at[1]];
            *to++ = v->five * row[at[4]];
            *to++ = v->five * 0.5 * (xx - yy);
            *to++ = v->five * (2.0 * zz - xx - yy) / (2.0 * sqrt(3.0));
        }
        if (v->mean > 0.0)
            *to++ = v->mean * (xx + yy + zz) / 3.0;
    }
}
