/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "near/near.h"
#include "ql/ql.h"

struct ql {
    struct ql_choice c;
    struct ql_tables t;
    struct pool *pool;
    struct near *near;
    double *mean;  /* [natoms][values] mean U_lm, only with --averaged */
    double *value; /* as in ql_values() */
    size_t natoms;
    bool second; /* second pass of a step: from mean to value */
};

struct ql *ql_open(const struct ql_choice *c, const struct ql_tables *t, size_t natoms,
                   double bytes, const struct analysis_options *shared, struct err *e)
{
    struct ql *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e, "the atoms"), NULL;
    s->c = *c;
    s->natoms = natoms;
    s->t = *t;
    size_t each = (c->averaged ? s->t.values : 0) * sizeof(double);
    if (err_over(e, bytes + (double)natoms * (60.0 + (double)each), shared->max_mem, NULL,
                 "%zu atoms", natoms) == 0) {
        s->pool = pool_new(shared->threads);
        s->near = near_new();
        s->mean = malloc(natoms * each + 1);
        if (s->pool && s->near && s->mean)
            return s;
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
    free(s->mean);
    free(s);
}

int ql_sort(struct ql *s, const double *r, const struct box *b, double cutoff, struct err *e)
{
    return near_sort(s->near, s->natoms, r, b, cutoff, s->pool, e);
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

int ql_values(struct ql *s, double *value, struct err *e)
{
    int rc = 0;
    s->value = value;
    for (int pass = 0; rc == 0 && pass <= s->c.averaged; pass++) {
        s->second = pass > 0;
        rc = near_each(s->near, s->c.nearest, s->pool, visit, s, e);
    }
    return rc;
}
