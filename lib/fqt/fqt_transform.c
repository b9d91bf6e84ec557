/* SPDX-License-Identifier: MIT */
#include "fqt/fqt_transform.h"

#include <fftw3.h>
#include <stdint.h>
#include <stdlib.h>

struct fqt_transform {
    size_t m;
    fftw_plan plan;
};

struct fqt_transform *fqt_transform_open(size_t n, size_t m)
{
    struct fqt_transform *t = calloc(1, sizeof *t);
    double *x = t && m <= INT32_MAX ? fftw_malloc(4 * m * sizeof *x) : NULL;
    fftw_iodim dim = {.n = (int)n, .is = 1, .os = 1};
    if (x) {
        t->m = m;
        /* with FFTW_ESTIMATE, the same input always gives the same algorithm and the same bits */
        t->plan = fftw_plan_guru_split_dft(1, &dim, 0, NULL, x, x + m, x + 2 * m, x + 3 * m,
                                           FFTW_ESTIMATE | FFTW_UNALIGNED);
    }
    fftw_free(x);
    if (t && t->plan)
        return t;
    free(t);
    return NULL;
}

void fqt_transform_run(const struct fqt_transform *t, double *in, double *out)
{
    fftw_execute_split_dft(t->plan, in, in + t->m, out, out + t->m);
}

void fqt_transform_close(struct fqt_transform *t)
{
    if (!t)
        return;
    fftw_destroy_plan(t->plan);
    free(t);
}
