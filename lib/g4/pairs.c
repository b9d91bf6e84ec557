/* SPDX-License-Identifier: MIT */
#include "g4/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

const char *const pairs_component_names[] = {"xz", "xy", "yz", "xx-yy", "zz", "all", NULL};

int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, struct err *e)
{
    double prefactor = isnan(c->prefactor) ? 3.0 : c->prefactor;
    *sigma = isnan(c->sigma) ? info->sigma : c->sigma;
    if (isnan(*sigma))
        return err_set(e, ERR_BAD,
                       "no sigma: the input does not say it, so give it with --sigma ANGSTROM");
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

static int check_cell(double rc2, const struct box *b, uint64_t frame, struct err *e)
{
    double half = box_half_width(b), rc = sqrt(rc2);
    unsigned long long f = frame;
    if (!isinf(rc2) && rc > half * (1 + 1e-12))
        return err_set(e, ERR_BAD,
                       "frame %llu: a cutoff of %g Å is beyond half the smallest width of the "
                       "cell, %g Å, where the nearest image ends",
                       f, rc, half);
    if (isinf(rc2) && !b->ortho && (b->pbc[0] || b->pbc[1] || b->pbc[2]))
        return err_set(e, ERR_BAD,
                       "frame %llu: a triclinic cell needs a cutoff of at most half its smallest "
                       "width, %g Å: farther pairs have no one nearest image that is found by "
                       "rounding",
                       f, half);
    return 0;
}

int pairs_check_cells(double rc2, size_t n, const struct box *box, uint64_t frame, struct err *e)
{
    for (size_t s = 0; s < n; s++)
        if ((s == 0 || memcmp(&box[s], &box[s - 1], sizeof *box) != 0) &&
            check_cell(rc2, &box[s], frame + s, e))
            return -1;
    return 0;
}

/* ---- tables ---- */

struct pairs_team {
    struct pairs p;
    struct pool *pool;
    size_t npairs, es, bytes; /* bytes: of the scratch of a thread: positions, then a table */
    char *scratch;
    struct overlap *overlap; /* [threads]: the first that each has met */
    /* what is being computed */
    const struct box *box;
    const char *pos;
    pairs_use use;
    void *ctx;
    size_t last; /* steps behind it need not be computed */
};

struct overlap {
    size_t step, i, j; /* step SIZE_MAX: none */
};

static size_t positions(const struct pairs *p)
{
    return 3 * (p->natoms + PAIRS_SLACK);
}

static size_t scratch_bytes(const struct pairs *p)
{
    size_t es = frame_dtype_size(p->dtype), n = p->natoms, npairs, r;
    if (__builtin_mul_overflow(n % 2 ? n : n / 2, n % 2 ? (n - 1) / 2 : n - 1, &npairs) ||
        __builtin_mul_overflow(npairs, (size_t)p->ncomp * es, &r) || r > SIZE_MAX / 8)
        return SIZE_MAX;
    return r + (positions(p) + PAIRS_SLACK + 16) * es;
}

size_t pairs_team_bytes(const struct pairs *p, int threads)
{
    size_t r, bytes = scratch_bytes(p);
    return bytes == SIZE_MAX || __builtin_mul_overflow(bytes, (size_t)threads, &r) ? SIZE_MAX : r;
}

struct pairs_team *pairs_team_new(const struct pairs *p, int threads)
{
    struct pairs_team *t = calloc(1, sizeof *t);
    if (!t || !(t->pool = pool_new(threads))) {
        free(t);
        return NULL;
    }
    t->p = *p;
    t->npairs = p->natoms * (p->natoms - 1) / 2;
    t->es = frame_dtype_size(p->dtype);
    t->bytes = scratch_bytes(p);
    t->scratch = t->bytes < SIZE_MAX ? malloc((size_t)pool_threads(t->pool) * t->bytes) : NULL;
    t->overlap = malloc((size_t)pool_threads(t->pool) * sizeof *t->overlap);
    if (t->scratch && t->overlap)
        return t;
    pairs_team_free(t);
    return NULL;
}

void pairs_team_free(struct pairs_team *t)
{
    if (!t)
        return;
    pool_free(t->pool);
    free(t->scratch);
    free(t->overlap);
    free(t);
}

/* The first pair of a table that is not finite. */
static struct overlap find_overlap(const struct pairs_team *t, size_t step, const void *table)
{
    size_t at = 0;
    for (size_t i = 0; i < t->p.natoms; i++)
        for (size_t j = i + 1; j < t->p.natoms; j++, at++)
            if (!isfinite(t->es == sizeof(float) ? (double)((const float *)table)[at]
                                                 : ((const double *)table)[at]))
                return (struct overlap){step, i, j};
    return (struct overlap){SIZE_MAX, 0, 0};
}

static void team_step(void *ctx, size_t s, int thread)
{
    struct pairs_team *t = ctx;
    const struct pairs *p = &t->p;
    char *wrapped = t->scratch + (size_t)thread * t->bytes, *table = wrapped + positions(p) * t->es;
    struct overlap *found = &t->overlap[thread];
    size_t step_bytes = 3 * p->natoms * frame_dtype_size(p->source);
    if (s > __atomic_load_n(&t->last, __ATOMIC_RELAXED))
        return;
    SIMD_PICK(pairs_wrap)(p, &t->box[s], t->pos + s * step_bytes, wrapped);
    for (int k = 0; k < p->ncomp; k++) {
        char *row = table + (size_t)k * t->npairs * t->es;
        if (!SIMD_PICK(pairs_table)(p, k, &t->box[s], wrapped, row)) {
            *found = find_overlap(t, s, row);
            __atomic_store_n(&t->last, s, __ATOMIC_RELAXED);
            return;
        }
    }
    if (t->use)
        t->use(t->ctx, s, table);
}

int pairs_team_run(struct pairs_team *t, size_t n, const struct box *box, const void *pos,
                   uint64_t frame, pairs_use use, void *ctx, struct err *e)
{
    struct overlap first = {SIZE_MAX, 0, 0};
    t->box = box;
    t->pos = pos;
    t->use = use;
    t->ctx = ctx;
    t->last = SIZE_MAX;
    for (int k = 0; k < pool_threads(t->pool); k++)
        t->overlap[k] = first;
    pool_run(t->pool, team_step, t, n);
    for (int k = 0; k < pool_threads(t->pool); k++)
        if (t->overlap[k].step < first.step)
            first = t->overlap[k];
    if (first.step == SIZE_MAX)
        return 0;
    return err_set(e, ERR_BAD, "frame %llu: atoms %zu and %zu (from 0) are at the same place",
                   (unsigned long long)(frame + first.step), first.i, first.j);
}
