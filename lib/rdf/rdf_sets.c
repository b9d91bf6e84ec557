/* SPDX-License-Identifier: MIT */
/* rdf_sets.c: code shared by the engines of rdf.h: sets of atoms and checks. */
#include <stdlib.h>

#include "rdf/rdf.h"

int rdf_sets_open(struct rdf_sets *s, const struct rdf_params *p)
{
    size_t count[257] = {0}, n = (size_t)p->nspecies;
    s->order = malloc((p->natoms + 1) * sizeof *s->order);
    s->begin = malloc((n + 1) * sizeof *s->begin);
    s->range = malloc(p->npairs * sizeof *s->range);
    if (!s->order || !s->begin || !s->range)
        return -1;
    for (size_t i = 0; i < p->natoms; i++)
        count[(p->species ? p->species[i] : 0) + 1]++;
    for (size_t k = 0; k < n; k++)
        count[k + 1] += count[k];
    for (size_t k = 0; k <= n; k++)
        s->begin[k] = (uint32_t)count[k];
    for (size_t i = 0; i < p->natoms; i++)
        s->order[count[p->species ? p->species[i] : 0]++] = (uint32_t)i;
    for (size_t q = 0; q < p->npairs; q++) {
        struct species_pair v = p->pairs[q];
        bool every = v.a == SPECIES_EVERY;
        if (v.a == SPECIES_NONE) {
            s->range[q] = (struct rdf_range){.like = 1};
            continue;
        }
        s->range[q] = (struct rdf_range){
            every ? 0 : s->begin[v.a], every ? s->begin[n] : s->begin[v.a + 1],
            every ? 0 : s->begin[v.b], every ? s->begin[n] : s->begin[v.b + 1], v.a == v.b};
    }
    return 0;
}

void rdf_sets_close(struct rdf_sets *s)
{
    free(s->order);
    free(s->begin);
    free(s->range);
}

int rdf_check(const struct rdf_params *p, struct err *e)
{
    if (p->dtype != FRAME_F32 && p->dtype != FRAME_F64)
        return err_bad(e, "expected positions in f32 or f64");
    if (p->natoms > UINT32_MAX)
        return err_bad(e, "expected at most %u atoms, found %zu", UINT32_MAX, p->natoms);
    if (p->bins < 1 || p->bins > HIST_MAX_BINS)
        return err_bad(e, "expected 1 to %d bins, found %zu", HIST_MAX_BINS, p->bins);
    if (!(p->rmax > 0.0) || !(p->rmax < 1e30))
        return err_bad(e, "expected a positive rmax, found %g", p->rmax);
    if (p->nspecies < 1 || p->nspecies > 256 || p->npairs < 1 || p->slots < 1)
        return err_bad(e, "expected at least one species, one pair and one set of counts");
    return 0;
}

int rdf_check_box(const struct box *b, double rmax, struct err *e)
{
    /* cells that were stored in f32, as in XTC, vary by 1e-7 from frame to frame */
    if (b->ortho || rmax <= box_half_width(b) * (1.0 + 1e-6))
        return 0;
    return err_bad(e,
                   "expected rmax of at most half the smallest width of the triclinic cell, %g A, "
                   "found %g A (give a smaller --rmax)",
                   box_half_width(b), rmax);
}
