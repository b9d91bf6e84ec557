/* SPDX-License-Identifier: MIT */
#include "pair/sum.h"

#include <string.h>

int sum_check(const struct sum *s, const struct box *b, struct err *e)
{
    struct box reduced = *b;
    if (s->kind == SUM_EWALD && ewald_reduce(b, &reduced, e))
        return -1;
    double half = box_half_width(&reduced), rc = sqrt(s->rc2);
    if (sum_tapers(s) && s->r2 > half * (1 + 1e-12))
        return err_set(e, ERR_BAD,
                       "%s that ends at %g Å is beyond half the smallest width of the cell, "
                       "%g Å, where the nearest image ends%s",
                       s->kind == SUM_EWALD ? "a mesh with a near part" : "a taper", s->r2, half,
                       s->kind == SUM_EWALD ? " (--sum ewald:pairs has no mesh)" : "");
    if (s->kind != SUM_MIC)
        return 0;
    if (!isinf(s->rc2) && rc > half * (1 + 1e-12))
        return err_set(e, ERR_BAD,
                       "a cutoff of %g Å is beyond half the smallest width of the cell, %g Å, "
                       "where the nearest image ends",
                       rc, half);
    if (isinf(s->rc2) && !b->ortho && (b->pbc[0] || b->pbc[1] || b->pbc[2]))
        return err_set(e, ERR_BAD,
                       "a triclinic cell needs a cutoff of at most half its smallest width, %g Å: "
                       "farther pairs have no one nearest image that is found by rounding",
                       half);
    return 0;
}

static int make(const struct sum *s, int f64, struct ewald_cache *cache, const struct box *b,
                struct sum_cell *c, struct err *e)
{
    memset(c, 0, sizeof *c);
    c->d = *b;
    if (s->kind == SUM_EWALD && ewald_reduce(b, &c->d, e))
        return -1;
    if (s->kind == SUM_EWALD && (s->mesh != SUM_MESH || s->pairs) &&
        !(c->fit = ewald_cache_get(cache, &c->d, s->tolerance, f64 || s->pairs, s->natoms, e)))
        return -1;
    box_round_f32(&c->d, &c->f);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            c->d.inv[a][k] = c->d.pbc[k] ? c->d.inv[a][k] : 0.0;
    if (c->fit) {
        ewald_cell_f32(c->fit, &c->d, &c->ewald_f32);
        ewald_cell_f64(c->fit, &c->d, &c->ewald_f64);
    }
    if (s->self && c->fit)
        ewald_self(c->d.h, c->self);
    double half = box_half_width(b), r2 = s->r2 > 0 ? s->r2 : SUM_TAPER_TO * half;
    beta_taper_set(s->r2 > 0 ? s->r1 : SUM_TAPER_FROM * half, r2, &c->taper_f64, &c->taper_f32);
    return 0;
}

int sum_cell_make(const struct sum *s, int f64, struct sum_memory *m, const struct box *b,
                  uint64_t frame, struct sum_cell *c, struct err *e)
{
    struct err why = {0};
    if (!m->have || memcmp(&m->last, b, sizeof *b) != 0) {
        sum_cell_free(&m->made);
        m->have = 0;
        if (make(s, f64, &m->cache, b, &m->made, &why))
            return err_set(e, why.status, "frame %llu: %s", (unsigned long long)frame, why.text);
        m->last = *b;
        m->have = 1;
    }
    *c = m->made;
    if (c->fit)
        ewald_ref(c->fit);
    return 0;
}

void sum_cell_free(struct sum_cell *c)
{
    ewald_unref(c->fit);
    c->fit = NULL;
}

void sum_memory_free(struct sum_memory *m)
{
    sum_cell_free(&m->made);
    ewald_cache_free(&m->cache);
    m->have = 0;
}
