/* SPDX-License-Identifier: MIT */
/* weights.h: reads one number per species of an analysis, as in --weights Ar=1.64,Kr=2.48. */
#pragma once

#include "base/err.h"
#include "select/pair_names.h"

C_LINKAGE_BEGIN

#define WEIGHTS_MAX 256 /* largest number of species */
#define WEIGHTS_NAME 40 /* largest length of a name in bytes, including NUL */

struct weights {
    size_t n; /* number of species, or 0 if the option was not given */
    char name[WEIGHTS_MAX][WEIGHTS_NAME];
    double w[WEIGHTS_MAX]; /* weights, from -1e6 to 1e6 */
};

/* Parses a list "A=W,B=W..." and stores it in the struct weights at `dst`. Returns 0 on success, or
 * -1 with an error message in e if the list is invalid. */
int weights_parse(const char *s, void *dst, struct err *e);

/* Writes "A=W,B=W..." for the names name[n] to a key of m. The weight of name k is w[column[k]], or
 * w[k] if `column` is NULL. Returns 0 or -1. */
int weights_meta(struct meta *m, const char *key, const char (*name)[16], size_t n, const double *w,
                 const int *column);

/* Sets column[k] to the position of species k in the list name[n], for all species of s. Returns 0
 * on success, or -1 with an error message in e if a species is not in the list. If `each` is set, a
 * name that is not a species is also an error. Messages call each number `what`, for example
 * "weight". */
int weights_match(const char (*name)[WEIGHTS_NAME], size_t n, bool each, const char *what,
                  const struct pair_names *s, int *column, struct err *e) MUST_USE;

C_LINKAGE_END
