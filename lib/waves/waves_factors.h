/* SPDX-License-Identifier: MIT */
/* waves_factors.h: which waves an analysis takes, and the weight of each species at each |q|. */
#ifndef MBF_WAVES_FACTORS_H
#define MBF_WAVES_FACTORS_H

#include <stdbool.h>

#include "stats/pair_names.h"
#include "stream/meta.h"
#include "waves/waves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* f_A(q): a table with a column a species, straight lines between its rows. One row: the same at
 * every q. */
struct waves_factors {
    size_t rows, n;
    char (*name)[40]; /* [n] species */
    double *q;        /* [rows] ascending, 1/Å; one row: ignored */
    double *f;        /* [rows][n] */
};

struct waves_choice {
    double qmax, qstep;                  /* 1/Å; whole shells up to qmax */
    uint64_t most;                       /* wave vectors a step (waves.h) */
    const struct waves_factors *factors; /* NULL: 1 */
};

/* Whole shells of the choice. */
size_t waves_shells(const struct waves_choice *c);

/* The column of every species among the factors, column[names->nspecies]. 0, or -1 with e. */
int waves_factors_match(const struct waves_factors *t, const struct pair_names *names, int *column,
                        struct err *e) __attribute__((warn_unused_result));
/*
 * Of every vector f_A, f[w->n][nspecies], and <f>, <f²> over the atoms, mean[w->n][2]. t NULL: all 1.
 * 0, or -1 with e: the table ends before a |q|.
 */
int waves_factors_weigh(const struct waves_factors *t, const struct pair_names *names,
                        const int *column, const struct waves *w, double *f, double *mean,
                        struct err *e) __attribute__((warn_unused_result));
/* data.weights or data.form_factor. 0 or -1. */
int waves_factors_describe(const struct waves_factors *t, const struct pair_names *names,
                           const int *column, struct meta *m);
/* Can waves be made of b, periodic along all three vectors? 0, or -1 with e; frame: of the input. */
int waves_check_box(const struct box *b, unsigned long long frame, const char *what, struct err *e)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
