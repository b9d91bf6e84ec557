/* SPDX-License-Identifier: MIT */
/* weights.h: reads one number per species, as in --weights Ar=1.64,Kr=2.48. */
#pragma once

#include "base/err.h"
#include "select/pair_names.h"

C_LINKAGE_BEGIN

#define WEIGHTS_MAX 256
#define WEIGHTS_NAME 40 /* bytes, with the NUL */

struct weights {
    size_t n; /* 0: option not given */
    char name[WEIGHTS_MAX][WEIGHTS_NAME];
    double w[WEIGHTS_MAX]; /* from -1e6 to 1e6 */
};

/* Stores a list "A=W,B=W..." in the struct weights at `dst`. Returns 0, or -1 with an error message
 * in e if the list is invalid. */
int weights_parse(const char *s, void *dst, struct err *e);

/* Sets a key of m to "A=W,B=W..." for the names name[n]. The weight of name k is w[column[k]], or
 * w[k] if `column` is NULL. Returns 0 or -1. */
int weights_meta(struct meta *m, const char *key, const char (*name)[16], size_t n, const double *w,
                 const int *column);

/* Sets column[k] to the index of species k in the list name[n], for all species of s. Returns 0, or
 * -1 with an error message in e if a species is not in the list or, if `each` is set, if a name is
 * not a species. Error messages contain the word `what`, such as "weight", for the number that
 * belongs to a name. */
int weights_match(const char (*name)[WEIGHTS_NAME], size_t n, bool each, const char *what,
                  const struct pair_names *s, int *column, struct err *e) MUST_USE;

C_LINKAGE_END
