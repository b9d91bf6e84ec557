/* SPDX-License-Identifier: MIT */
/* weights.h: reads one number per species, as in --weights Ar=1.64,Kr=2.48. */
#pragma once

#include "base/err.h"
#include "select/pair_names.h"

C_LINKAGE_BEGIN

#define WEIGHTS_MAX 256 /* largest number of species in a list */
#define WEIGHTS_NAME 40 /* largest length of a name in bytes, with its NUL */

struct weights {
    size_t n; /* number of species, or 0 if the option was not given */
    char name[WEIGHTS_MAX][WEIGHTS_NAME];
    double w[WEIGHTS_MAX]; /* weights of the species, from -1e6 to 1e6 */
};

/* Parses a list "A=W,B=W..." and stores it in the struct weights at `dst`. Returns 0 on success, or
 * -1 with an error message in e if the list is invalid. */
int weights_parse(const char *s, void *dst, struct err *e);

/* Writes "A=W,B=W..." for the names name[n] to a key of m. The weight of name k is w[column[k]], or
 * w[k] if `column` is NULL. Returns 0 or -1. */
int weights_meta(struct meta *m, const char *key, const char (*name)[16], size_t n, const double *w,
                 const int *column);

/* Sets column[k] to the index of species k in the list name[n], for all species of s. If a species
 * is not in the list, returns -1 with an error message in e. Otherwise, returns 0. If the flag
 * `each` is set, a name that is not a species is also an error. Error messages use the word `what`,
 * such as "weight", for a number. */
int weights_match(const char (*name)[WEIGHTS_NAME], size_t n, bool each, const char *what,
                  const struct pair_names *s, int *column, struct err *e) MUST_USE;

C_LINKAGE_END
