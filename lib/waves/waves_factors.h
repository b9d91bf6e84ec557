/* SPDX-License-Identifier: MIT */
/* waves_factors.h: defines the options for wave vectors and the weights of species at each |q|. */
#pragma once

#include "select/pair_names.h"
#include "stream/meta.h"
#include "waves/waves.h"

/* A table of the weights f_A(q) with one column per species, interpolated linearly between rows. A
 * table with a single row applies to every q. */
struct waves_factors {
    size_t rows, n;
    char (*name)[40]; /* species, [n] */
    double *q;        /* [rows], 1/Å, ascending */
    double *f;        /* [rows][n] */
};

struct waves_choice {
    double qmax, qstep;                  /* 1/Å */
    uint64_t max;                        /* wave vectors per step */
    const struct waves_factors *factors; /* NULL: all weights are 1 */
};

/* Returns the number of complete shells up to qmax. */
size_t waves_shells(const struct waves_choice *c);

/* Sets *names to the pairs of species pair[npairs]. If npairs is 0, sets *names to all pairs of
 * species or, without a table t, to a single pair for all atoms. Sets *column to the column of the
 * table for each species. The caller frees *names and *column. Returns 0, or -1 with an error
 * message in e if there are no atoms, a pair is unknown, a species has no column, or a name in a
 * list of weights is not a species. */
int waves_species(const struct waves_factors *t, const struct meta *m, size_t natoms,
                  const char *const *pair, size_t npairs, struct pair_names *names, int **column,
                  struct err *e) MUST_USE;
/* Computes the weights f[w->n][nspecies] for every wave vector, and their means <f> and <f²> over
 * the atoms, mean[w->n][2]. If t is NULL, all weights are 1. Returns 0, or -1 with an error message
 * in e if the table does not extend to a required |q|. */
int waves_factors_weigh(const struct waves_factors *t, const struct pair_names *names,
                        const int *column, const struct waves *w, double *f, double *mean,
                        struct err *e) MUST_USE;
/* Sets the key data.weights or data.form_factor in m. Returns 0 or -1. */
int waves_factors_describe(const struct waves_factors *t, const struct pair_names *names,
                           const int *column, struct meta *m);
/* Returns 0, or -1 with an error message in e if the cell b is not periodic along all three
 * vectors. The argument `frame` is the number of the frame, for error messages. */
int waves_check_box(const struct box *b, unsigned long long frame, const char *what,
                    struct err *e) MUST_USE;
