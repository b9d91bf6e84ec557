/* SPDX-License-Identifier: MIT */
#include "g4/pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const pairs_component_names[] = {"xz", "xy", "yz", "xx-yy", "zz", "all", NULL};

int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, char *err, size_t errlen)
{
    double prefactor = isnan(c->prefactor) ? 3.0 : c->prefactor;
    *sigma = isnan(c->sigma) ? info->sigma : c->sigma;
    if (isnan(*sigma)) {
        snprintf(err, errlen,
                 "no sigma: the input does not say it, so give it with --sigma ANGSTROM");
        return -1;
    }
    memset(p, 0, sizeof *p);
    p->natoms = info->natoms;
    p->source = p->dtype = info->dtype;
    p->ncomp = c->component == PAIRS_ALL ? BETA_NCOMPONENTS : 1;
    for (int k = 0; k < p->ncomp; k++) {
        p->component[k] = c->component == PAIRS_ALL ? k : c->component < 0 ? BETA_XZ : c->component;
        p->coef[k] = beta_coef(p->component[k], *sigma, prefactor);
    }
    p->rc2 = isnan(c->cutoff) ? HUGE_VAL : c->cutoff * c->cutoff;
    return 0;
}

const char *pairs_given(const struct pairs_choice *c)
{
    return c->component >= 0      ? "--component"
           : !isnan(c->sigma)     ? "--sigma"
           : !isnan(c->cutoff)    ? "--cutoff"
           : !isnan(c->prefactor) ? "--prefactor"
                                  : NULL;
}

int pairs_describe(const struct pairs_choice *c, const struct pairs *p, double sigma,
                   struct meta *m)
{
    static const char *const names[] = BETA_NAMES;
    char list[64] = "";
    for (int k = 0; k < p->ncomp; k++) {
        strcat(list, k ? " " : "");
        strcat(list, names[p->component[k]]);
    }
    double prefactor = isnan(c->prefactor) ? 3.0 : c->prefactor;
    if (meta_set(m, "data.component", list) || meta_set_f64(m, "data.sigma", &sigma, 1) ||
        meta_set_f64(m, "data.prefactor", &prefactor, 1))
        return -1;
    return isnan(c->cutoff) ? meta_set(m, "data.cutoff", "none")
                            : meta_set_f64(m, "data.cutoff", &c->cutoff, 1);
}

int pairs_describe_like(const struct meta *from, struct meta *m)
{
    static const char *const keys[] = {"data.component", "data.prefactor", "data.sigma",
                                       "data.cutoff"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (meta_get(from, keys[k]) && meta_set(m, keys[k], meta_get(from, keys[k])))
            return -1;
    return 0;
}

int pairs_check_box(const struct box *b, double rc2, char *err, size_t errlen)
{
    double half = box_half_width(b), rc = sqrt(rc2);
    if (!isinf(rc2) && rc > half * (1 + 1e-12)) {
        snprintf(err, errlen,
                 "a cutoff of %g Å is beyond half the smallest width of the cell, %g Å, where the "
                 "nearest image ends",
                 rc, half);
        return -1;
    }
    if (isinf(rc2) && !b->ortho && (b->pbc[0] || b->pbc[1] || b->pbc[2])) {
        snprintf(err, errlen,
                 "a triclinic cell needs a cutoff of at most half its smallest width, %g Å: "
                 "farther pairs have no one "
                 "nearest image that is found by rounding",
                 half);
        return -1;
    }
    return 0;
}

size_t pairs_scratch(size_t natoms)
{
    return 3 * (natoms + PAIRS_SLACK);
}

int pairs_step(const struct pairs *p, const struct box *b, const void *pos, void *scratch,
               void *out, size_t *bi, size_t *bj)
{
    size_t npairs = p->natoms * (p->natoms - 1) / 2,
           es = p->dtype == FRAME_F64 ? sizeof(double) : sizeof(float);
    SIMD_PICK(pairs_wrap)(p, b, pos, scratch);
    for (int k = 0; k < p->ncomp; k++) {
        char *table = (char *)out + (size_t)k * npairs * es;
        if (SIMD_PICK(pairs_table)(p, k, b, scratch, table))
            continue;
        size_t at = 0;
        for (size_t i = 0; i < p->natoms; i++)
            for (size_t j = i + 1; j < p->natoms; j++, at++)
                if (!isfinite(es == sizeof(float) ? (double)((float *)table)[at]
                                                  : ((double *)table)[at])) {
                    *bi = i;
                    *bj = j;
                    return -1;
                }
    }
    return 0;
}
