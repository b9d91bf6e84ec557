/* SPDX-License-Identifier: MIT */
/* waves_factors.h: options for the choice of waves, and the weight of each species at each |q|. */
#ifndef MBF_WAVES_FACTORS_H
#define MBF_WAVES_FACTORS_H

#include <stdbool.h>

#include "stats/pair_names.h"
#include "stream/meta.h"
#include "waves/waves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* f_A(q): a table with one column per species, interpolated linearly between rows. A table of one
 * row applies to every q. */
struct waves_factors {
    size_t rows, n;
    char (*name)[40]; /* [n] species */
    double *q;        /* [rows] ascending, 1/Å; one row: ignored */
    double *f;        /* [rows][n] */
};

struct waves_choice {
    double qmax, qstep;                  /* 1/Å; whole shells up to qmax */
    uint64_t most;                       /* largest number of wave vectors per step (waves.h) */
    const struct waves_factors *factors; /* NULL: 1 */
};

/* Returns the number of whole shells of the choice. */
size_t waves_shells(const struct waves_choice *c);

/* Finds the column of every species, column[names->nspecies]. Returns 0, or -1 and sets e. */
int waves_factors_match(const struct waves_factors *t, const struct pair_names *names, int *column,
                        struct err *e) __attribute__((warn_unused_result));
/* Computes f_A of every vector, f[w->n][nspecies], and <f>, <f²> over the atoms, mean[w->n][2]. All
 * weights are 1 if t is NULL. Returns 0, or -1 and sets e if the table does not cover a |q|. */
int waves_factors_weigh(const struct waves_factors *t, const struct pair_names *names,
                        const int *column, const struct waves *w, double *f, double *mean,
                        struct err *e) __attribute__((warn_unused_result));
/* Sets data.weights or data.form_factor. Returns 0 or -1. */
int waves_factors_describe(const struct waves_factors *t, const struct pair_names *names,
                           const int *column, struct meta *m);
/* Checks that b has waves, that is, is periodic along all three vectors. Returns 0, or -1 and sets
 * e; frame is the frame of the input. */
int waves_check_box(const struct box *b, unsigned long long frame, const char *what, struct err *e)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
