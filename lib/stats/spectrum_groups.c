/* SPDX-License-Identifier: MIT */
/* spectrum_groups.c: computes spectra of functions with a second axis, which is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/spectrum.h"

/* Allocates the spectra of all groups with the columns of the first group. Returns 0 or -1. */
static int make_room(const struct series *cf, const struct spectrum *one, struct spectrum *all)
{
    const struct series *s = &one->s;
    *all = *one;
    all->s = (struct series){0};
    all->f = calloc(cf->groups * (one->nfunctions ? one->nfunctions : 1), sizeof *all->f);
    all->groups = cf->groups;
    if (!all->f || series_alloc(&all->s, FRAME_SPEC, cf->groups * s->rows, s->cols + 1, 0) != 0)
        return -1;
    all->s.axes = 2;
    all->s.groups = cf->groups;
    for (size_t c = 0; c < s->cols; c++) {
        size_t to = c + (c > 0);
        memcpy(all->s.name[to], s->name[c], SERIES_NAME);
        all->s.se[to] = s->se[c] < 0 ? -1 : s->se[c] + 1;
    }
    memcpy(all->s.name[1], cf->name[1], SERIES_NAME);
    return 0;
}

/* Copies the spectrum of group g into its rows. */
static void take_group(const struct series *cf, const struct spectrum *one, size_t g,
                       struct spectrum *all)
{
    const struct series *s = &one->s;
    double second = cf->v[g * series_group(cf) * cf->cols + 1];
    for (size_t k = 0; k < s->rows; k++) {
        double *to = all->s.v + (g * s->rows + k) * all->s.cols;
        const double *from = s->v + k * s->cols;
        to[0] = from[0];
        to[1] = second;
        memcpy(to + 2, from + 1, (s->cols - 1) * sizeof *to);
    }
    for (size_t c = 1; c < s->cols; c++)
        all->s.samples[c + 1] = fmin(all->s.samples[c + 1], s->samples[c]);
    memcpy(all->f + g * one->nfunctions, one->f, one->nfunctions * sizeof *one->f);
}

int spectrum_compute_groups(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                            struct spectrum *out, struct err *e)
{
    *out = (struct spectrum){0};
    if (cf->axes < 2)
        return spectrum_compute(cf, dt_ps, p, out, e);
    for (size_t g = 0; g < cf->groups; g++) {
        struct series slice;
        struct spectrum one = {0};
        int rc = series_slice(cf, g, &slice) != 0 ? err_memory(e, "the functions of one value")
                                                  : spectrum_compute(&slice, dt_ps, p, &one, e);
        if (rc == 0 && g == 0 && make_room(cf, &one, out) != 0)
            rc = err_memory(e, "a spectrum of two axes");
        /* all groups or no group must have errors, like the first group */
        if (rc == 0 && one.s.cols + 1 != out->s.cols)
            rc = err_bad(e, "expected errors for all functions, found none for %s = %g",
                         cf->name[1], cf->v[g * series_group(cf) * cf->cols + 1]);
        if (rc == 0)
            take_group(cf, &one, g, out);
        spectrum_free(&one);
        series_free(&slice);
        if (rc != 0) {
            spectrum_free(out);
            return -1;
        }
    }
    return 0;
}
