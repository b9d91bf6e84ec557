/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "near/near.h"
#include "ql/ql.h"

struct ql {
    struct ql_choice c;
    struct ql_tables t;
    struct pool *pool;
    struct near *near;
    double *r, *value; /* as in ql_room(), for one step */
    double *mean;      /* [natoms][values] mean U_lm, only with --averaged */
    size_t natoms;
    bool second; /* second pass of a step: from mean to value */
};

struct ql *ql_open(const struct ql_choice *c, const struct ql_tables *t, size_t natoms,
                   const struct analysis_options *shared, struct err *e)
{
    struct ql *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e, "the atoms"), NULL;
    s->c = *c;
    s->natoms = natoms;
    s->t = *t;
    size_t columns = 1 + c->n * (1 + c->w), each = 3 + columns + (c->averaged ? t->values : 0);
    if (err_over(e, (double)natoms * (60.0 + 8.0 * (double)each), shared->max_mem, NULL,
                 "%zu atoms", natoms) == 0) {
        s->pool = pool_new(shared->threads);
        s->near = near_new();
        s->r = malloc((natoms * each + 1) * sizeof *s->r);
        if (s->pool && s->near && s->r) {
            s->value = s->r + 3 * natoms;
            s->mean = s->value + natoms * columns;
            return s;
        }
        err_memory(e, "the atoms");
    }
    ql_close(s);
    return NULL;
}

void ql_close(struct ql *s)
{
    if (!s)
        return;
    near_free(s->near);
    pool_free(s->pool);
    free(s->r);
    free(s);
}

size_t ql_room(struct ql *s, double **r, double **value)
{
    *r = s->r;
    *value = s->value;
    return 1;
}

size_t ql_sort(struct ql *s, size_t n, const struct box *b, struct err *e)
{
    double cutoff = s->c.nearest ? near_reach(s->natoms, s->r, b, s->c.nearest) : s->c.rmax;
    return near_sort(s->near, s->natoms, s->r, b, cutoff, s->pool, e) ? 0 : n;
}

/* Computes the mean U_lm over the bonds of atom i or, in the second pass, over the atom and its
 * neighbours. In the last pass, computes the values of the atom (near_visit). */
static int visit(void *ctx, size_t i, const struct near_list *list, struct err *e)
{
    struct ql *s = ctx;
    const struct ql_tables *t = &s->t;
    size_t values = t->values, n = list->n + s->second;
    bool last = s->second || !s->c.averaged;
    double own[QL_VALUES], *mean = last ? own : s->mean + i * values;
    double *to = s->value + i * (1 + t->n * (1 + s->c.w));
    for (size_t u = 0; u < values; u++)
        mean[u] = s->second ? s->mean[i * values + u] : 0.0;
    for (const struct near_pair *p = list->pair; p < list->pair + list->n; p++) {
        if (p->r2 == 0.0)
            return ql_same_position(i, p->j, e);
        if (!s->second)
            ql_bond(t, p->d, mean);
        for (size_t u = 0; s->second && u < values; u++)
            mean[u] += s->mean[p->j * values + u];
    }
    for (size_t u = 0; n && u < values; u++)
        mean[u] /= (double)n;
    to[0] = (double)list->n;
    if (last)
        ql_invariants(t, mean, to + 1, s->c.w ? to + 1 + t->n : NULL);
    return 0;
}

size_t ql_values(struct ql *s, struct err *e)
{
    for (int pass = 0; pass <= s->c.averaged; pass++) {
        s->second = pass > 0;
        if (near_each(s->near, s->c.nearest, s->pool, visit, s, e) != 0)
            return 0;
    }
    return 1;
}
