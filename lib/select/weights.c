/* SPDX-License-Identifier: MIT */
#include "select/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/decimal.h"

#define MAX 1e6 /* largest absolute weight */

static int parse_one(const char *s, size_t len, struct weights *t, struct err *e)
{
    const char *is = memchr(s, '=', len);
    size_t name = is ? (size_t)(is - s) : 0;
    double *w = &t->w[t->n];
    if (!is || name >= WEIGHTS_NAME || len - name > 60 || t->n == WEIGHTS_MAX)
        return err_bad(e, "expected SPECIES=NUMBER,..., found %.60s", s);
    if (decimal_get_f64(is + 1, len - name - 1, DECIMAL_OURS, w) != 0 || !(fabs(*w) <= MAX))
        return err_bad(e, "expected a number from %g to %g, found '%.*s'", -MAX, MAX,
                       (int)(len - name - 1), is + 1);
    snprintf(t->name[t->n], WEIGHTS_NAME, "%.*s", (int)name, s);
    for (size_t k = 0; k < t->n; k++)
        if (strcmp(t->name[k], t->name[t->n]) == 0)
            return err_bad(e, "expected each species once, found %s twice", t->name[k]);
    t->n++;
    return 0;
}

int weights_parse(const char *s, void *dst, struct err *e)
{
    struct weights *t = dst;
    t->n = 0;
    for (size_t len; *s; s += len + (s[len] != '\0')) {
        len = strcspn(s, ",");
        if (parse_one(s, len, t, e) != 0)
            return -1;
    }
    return t->n ? 0 : err_bad(e, "expected SPECIES=NUMBER,..., found nothing");
}

int weights_meta(struct meta *m, const char *key, const char (*name)[16], size_t n, const double *w,
                 const int *column)
{
    size_t capacity = n * (18 + DECIMAL_TEXT) + 1, at = 0;
    char *text = calloc(1, capacity);
    for (size_t k = 0; text && k < n; k++) {
        at += (size_t)snprintf(text + at, capacity - at, "%s%s=", k ? "," : "", name[k]);
        at += decimal_put_f64(text + at, w[column ? (size_t)column[k] : k], 0);
    }
    int bad = text ? meta_set(m, key, text) : -1;
    free(text);
    return bad;
}

int weights_match(const char (*name)[WEIGHTS_NAME], size_t n, bool each, const char *what,
                  const struct pair_names *s, int *column, struct err *e)
{
    for (int a = 0; a < s->nspecies; a++) {
        size_t k = 0;
        while (k < n && strcmp(name[k], s->name[a]) != 0)
            k++;
        if (k == n)
            return err_bad(e, "expected a %s for every species, found none for %s", what,
                           s->name[a]);
        column[a] = (int)k;
    }
    for (size_t k = 0; each && k < n; k++) {
        int a = 0;
        while (a < s->nspecies && strcmp(name[k], s->name[a]) != 0)
            a++;
        if (a == s->nspecies)
            return err_bad(e, "expected a %s only for species of the input, found one for %s", what,
                           name[k]);
    }
    return 0;
}
