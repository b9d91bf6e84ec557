/* SPDX-License-Identifier: MIT */
#include "pair/pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/real.h"

const char *const pairs_component_names[] = {BETA_NAMES "all", "x", "y", "z", NULL};

static bool plain(const struct pairs *p) /* true without the dipole-induced-dipole beta */
{
    return p->function.cells && !p->function.did;
}

static const char *component_name(const struct pairs *p, int k)
{
    int rank = p->function.cells ? p->function.rank : 2;
    return rank == 0 ? "iso" : pairs_component_names[p->component[k] + (rank == 1 ? PAIRS_X : 0)];
}

/* Reads the pair function and checks the options of the dipole-induced-dipole beta. */
static int choose_function(const struct pairs_choice *c, struct pairs *p, struct err *e)
{
    if (!c->function)
        return 0;
    if (pair_function_read(c->function, &p->function, e))
        return -1;
    const char *given = !isnan(c->sigma)       ? "--sigma"
                        : !isnan(c->cutoff)    ? "--cutoff"
                        : !isnan(c->prefactor) ? "--prefactor"
                                               : NULL;
    if (plain(p) && given)
        return err_bad(e,
                       "%s has no effect, because --pair-function %s replaces the "
                       "dipole-induced-dipole beta (omit %s)",
                       given, c->function, given);
    if (plain(p) && c->sum && strcmp(c->sum, sum_rows[SUM_MIC].name) != 0)
        return err_bad(
            e,
            "expected --sum mic, found --sum %s (--pair-function %s replaces the "
            "dipole-induced-dipole beta; its "
            "values are 0 beyond the end of the table, so only the minimum image counts)",
            c->sum, c->function);
    return 0;
}

/* Sets the components, which depend on the rank. */
static int choose_components(const struct pairs_choice *c, struct pairs *p, struct err *e)
{
    int rank = p->function.cells ? p->function.rank : 2, first = rank == 1 ? PAIRS_X : 0,
        one = c->component < 0 ? first : c->component;
    bool all = c->component == PAIRS_ALL;
    if (!all && c->component >= 0 && (rank == 0 || (rank == 1) != (one > PAIRS_ALL)))
        return err_bad(e, "expected a component of rank %d, found --component %s", rank,
                       pairs_component_names[c->component]);
    p->ncomp = all ? 2 * rank + 1 : 1;
    for (int k = 0; k < p->ncomp; k++)
        p->component[k] = all ? k : one - first;
    return 0;
}

/* Sets the sum. If beta uses a list of neighbours, the function must end within its range. */
static int choose_sum(const struct pairs_choice *c, const struct traj_info *info, double sigma,
                      struct pairs *p, struct err *e)
{
    double end = p->function.end;
    if (sum_choose(&p->sum, plain(p) ? sum_rows[SUM_MIC].name : c->sum, plain(p) ? end : c->cutoff,
                   sigma, &info->box, info->dtype == FRAME_F64, e))
        return -1;
    p->sum.natoms = p->natoms;
    p->sum.end = end;
    if (p->sum.mesh == SUM_MESH_MAY && end > sum_reach(&p->sum))
        p->sum.mesh = SUM_MESH_NO;
    if (end > sum_reach(&p->sum))
        return err_bad(e, "expected a pair function that ends within %g Å, found %g Å",
                       sum_reach(&p->sum), end);
    return 0;
}

int pairs_choose(const struct pairs_choice *c, const struct traj_info *info, struct pairs *p,
                 double *sigma, struct err *e)
{
    double prefactor = isnan(c->prefactor) ? 3.0 : c->prefactor;
    memset(p, 0, sizeof *p);
    if (choose_function(c, p, e) || choose_components(c, p, e))
        return -1;
    *sigma = plain(p) ? NAN : isnan(c->sigma) ? info->sigma : c->sigma;
    if (isnan(*sigma) && !plain(p))
        return err_bad(e,
                       "expected sigma, the unit of length in beta, found none in the input (give "
                       "it with --sigma ANGSTROM, such as the diameter of an atom; beta is "
                       "proportional to sigma^3, and G to sigma^6)");
    p->natoms = info->natoms;
    p->source = p->dtype = info->dtype;
    for (int k = 0; k < p->ncomp; k++)
        p->coef[k] = plain(p) ? 0.0 : beta_coef(p->component[k], *sigma, prefactor);
    return choose_sum(c, info, *sigma, p, e);
}

int pairs_select(const struct pairs_choice *c, const struct meta *m, size_t max_mem,
                 struct pairs *p, struct err *e)
{
    if (!factors_given(&c->factors) && !c->function)
        return 0;
    if (c->function && pair_function_bind(&p->function, m, p->natoms, e))
        return -1;
    if (p->sum.mesh == SUM_MESH && c->factors.within)
        return err_bad(e,
                       "--sum %s: a mesh includes all pairs and cannot be limited by --within (use "
                       "--sum ewald:pairs)",
                       c->sum);
    p->factors = factors_open(&c->factors, m, p->natoms, max_mem, e);
    if (c->factors.within)
        p->sum.mesh = SUM_MESH_NO;
    p->sum.self = p->factors && p->factors->own;
    if (p->factors) {
        p->factors->function = p->function;
        p->factors->ones = !factors_given(&c->factors);
    }
    return p->factors ? 0 : -1;
}

void pairs_close(struct pairs *p)
{
    factors_free(p->factors);
    pair_function_free(&p->function);
    p->factors = NULL;
}

const char *pairs_given(const struct pairs_choice *c)
{
    return c->component >= 0      ? "--component"
           : !isnan(c->sigma)     ? "--sigma"
           : !isnan(c->cutoff)    ? "--cutoff"
           : !isnan(c->prefactor) ? "--prefactor"
           : c->sum               ? "--sum"
           : c->function          ? "--pair-function"
                                  : factors_given(&c->factors);
}

int pairs_describe(const struct pairs_choice *c, const struct pairs *p, double sigma,
                   struct meta *m)
{
    char list[64] = "";
    for (int k = 0; k < p->ncomp; k++) {
        strcat(list, k ? " " : "");
        strcat(list, component_name(p, k));
    }
    double prefactor = isnan(c->prefactor) ? 3.0 : c->prefactor,
           cutoff = plain(p) ? p->function.end : c->cutoff;
    if (p->factors && meta_copy_keys(m, p->factors->given, "data."))
        return -1;
    if (meta_set(m, "data.component", list) ||
        (p->function.cells && pair_function_meta(&p->function, m)) ||
        (!plain(p) && (meta_set_f64(m, "data.sigma", &sigma, 1) ||
                       meta_set_f64(m, "data.prefactor", &prefactor, 1))))
        return -1;
    if (meta_set(m, "data.sum", sum_row(&p->sum)->name) ||
        (isnan(cutoff) ? meta_set(m, "data.cutoff", "none")
                       : meta_set_f64(m, "data.cutoff", &cutoff, 1)))
        return -1;
    if (sum_row(&p->sum)->form != SUM_TAPERED)
        return 0;
    return p->sum.r2 > 0
               ? meta_set_f64(m, "data.taper", (double[]){p->sum.r1, p->sum.r2}, 2)
               : meta_setf(m, "data.taper", "%g %g of half the smallest width of the cell",
                           SUM_TAPER_FROM, SUM_TAPER_TO);
}

const char *pairs_images(const struct meta *m)
{
    return sum_named(meta_get(m, "data.sum"))->words;
}

int pairs_short_taper(const struct pairs *p, double sigma, const struct box *b, char *text,
                      size_t n)
{
    double r2 = p->sum.r2 > 0 ? p->sum.r2 : SUM_TAPER_TO * box_half_width(b);
    if (sum_row(&p->sum)->form != SUM_TAPERED || !(r2 < PAIRS_TAPER_MIN * sigma))
        return 0;
    const char *remedy = b->pbc[0] && b->pbc[1] && b->pbc[2]
                             ? "use --sum ewald, which includes all images"
                             : "use a larger radius in a wider cell";
    snprintf(text, n,
             "the taper ends at %.4g Å (%.2f sigma). A taper that ends below %.2g sigma changes "
             "G(0) of liquid argon by -12 to +34 %% (%s)",
             r2, r2 / sigma, PAIRS_TAPER_MIN, remedy);
    return 1;
}

#define REMEDY                                                                                     \
    ": are these bonded atoms, or is sigma in another unit? Pairs within molecules dominate all "  \
    "other pairs (--exclude M excludes them; frame-cut --species NAME or --atoms ::M keeps one "   \
    "atom per molecule; alpha-cpu --model treats whole molecules)"

int pairs_bonded_near(const struct pairs *p, double sigma, const void *pos, const struct box *b,
                      uint64_t frame, char *text, size_t n)
{
    double min = PAIRS_BOND * PAIRS_BOND * sigma * sigma;
    size_t i = 0, j = 0;
    bool f64 = p->source == FRAME_F64;
    if (p->factors && p->factors->listed == FACTORS_ONLY) /* bonded pairs were requested */
        return 0;
    for (size_t k = 0; k < p->natoms; k++)
        for (size_t l = k + 1; l < p->natoms && l - k <= PAIRS_BOND_SPAN; l++) {
            double d[3], own;
            if (p->factors && factors_at(p->factors, k, l, &own) == 0.0)
                continue;
            for (size_t a = 0; a < 3; a++)
                d[a] = real_at(pos, f64, 3 * k + a) - real_at(pos, f64, 3 * l + a);
            box_image(b, d);
            double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (r2 < min) {
                min = r2;
                i = k;
                j = l;
            }
        }
    if (i == j)
        return 0;
    snprintf(
        text, n,
        "frame %llu: atoms %zu and %zu (counted from 0) are only %.3g Å (%.2g sigma) apart" REMEDY,
        (unsigned long long)frame, i, j, sqrt(min), sqrt(min) / sigma);
    return 1;
}

int pairs_bonded_g2(double g2, char *text, size_t n)
{
    if (!(g2 > PAIRS_BOND_G2))
        return 0;
    snprintf(text, n,
             "G2(0) is unusually large, %.3g per atom, compared with 2 for dense argon" REMEDY, g2);
    return 1;
}

int pairs_describe_like(const struct meta *from, struct meta *m)
{
    static const char *const keys[] = {"data.component", "data.prefactor", "data.sigma",
                                       "data.cutoff",    "data.sum",       "data.taper",
                                       "data.weights",   "data.pairs",     "data.excluded",
                                       "data.within",    "data.function"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (meta_get(from, keys[k]) && meta_set(m, keys[k], meta_get(from, keys[k])))
            return -1;
    return 0;
}

/* ---- tables ---- */

struct overlap {
    size_t step, i, j; /* `step` is SIZE_MAX if there is no overlap */
};

struct pairs_team {
    struct pairs p;
    struct pool *pool;
    size_t npairs, es, bytes; /* bytes: scratch per thread for positions, then a table or row */
    char *scratch;
    struct overlap *overlap; /* [threads]: first overlap found by each thread */
    /* members of the current computation */
    struct pairs_steps steps;
    struct sum_memory memory;
    struct sum_cell *cell; /* [cells], one per step */
    size_t cells;
    pairs_use use;
    void *ctx;
    double *sums;
    size_t last; /* last step that must be computed */
};

static size_t positions(const struct pairs *p)
{
    return 3 * (p->natoms + PAIRS_SLACK);
}

static size_t scratch_bytes(const struct pairs *p, enum pairs_make what)
{
    size_t es = frame_dtype_size(p->dtype), n = p->natoms, each = (size_t)p->ncomp * es;
    if (what == PAIRS_TABLES && (double)n * (double)n * (double)each > (double)(SIZE_MAX / 4))
        return SIZE_MAX;
    size_t made = what == PAIRS_TABLES ? n * (n - 1) / 2 * each : n * es;
    return made + (positions(p) + PAIRS_SLACK + 16) * es;
}

size_t pairs_team_bytes(const struct pairs *p, enum pairs_make what, int threads)
{
    size_t r, bytes = scratch_bytes(p, what);
    return bytes == SIZE_MAX || __builtin_mul_overflow(bytes, (size_t)threads, &r) ? SIZE_MAX : r;
}

struct pairs_team *pairs_team_new(const struct pairs *p, enum pairs_make what, int threads)
{
    struct pairs_team *t = calloc(1, sizeof *t);
    if (!t || !(t->pool = pool_new(threads))) {
        free(t);
        return NULL;
    }
    t->p = *p;
    t->npairs = p->natoms * (p->natoms - 1) / 2;
    t->es = frame_dtype_size(p->dtype);
    t->bytes = scratch_bytes(p, what);
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
    sum_memory_free(&t->memory);
    free(t->cell);
    free(t);
}

/* Returns the column of the first number of row i that is not finite. */
static size_t bad_column(const struct pairs_team *t, size_t i, const void *row)
{
    size_t j = i + 1;
    while (j + 1 < t->p.natoms && isfinite(real_at(row, t->es == sizeof(double), j - i - 1)))
        j++;
    return j;
}

/* For tables, returns the first component whose row i has a number that is not finite. */
static size_t bad_row(const struct pairs_team *t, size_t i, const char *tables)
{
    size_t n = t->p.natoms, j = n;
    for (size_t k = 0; k < (size_t)t->p.ncomp && j >= n - 1; k++)
        j = bad_column(t, i, tables + (k * t->npairs + i * (2 * n - i - 1) / 2) * t->es);
    return j;
}

static void overlapping(struct pairs_team *t, size_t step, int thread, size_t i, size_t j)
{
    if (step < t->overlap[thread].step)
        t->overlap[thread] = (struct overlap){step, i, j};
    __atomic_store_n(&t->last, step, __ATOMIC_RELAXED);
}

static void team_step(void *ctx, size_t s, int thread)
{
    struct pairs_team *t = ctx;
    const struct pairs *p = &t->p;
    const struct sum_cell *cell = &t->cell[s];
    char *wrapped = t->scratch + (size_t)thread * t->bytes, *out = wrapped + positions(p) * t->es;
    size_t n = p->natoms, step_bytes = 3 * n * frame_dtype_size(p->source);
    if (s > __atomic_load_n(&t->last, __ATOMIC_RELAXED))
        return;
    SIMD_PICK(pairs_wrap)(p, &cell->d, (const char *)t->steps.pos + s * step_bytes, wrapped);
    if (t->use) {
        size_t i = SIMD_PICK(pairs_tables)(p, cell, wrapped, out);
        if (i < n)
            overlapping(t, s, thread, i, bad_row(t, i, out));
        else
            t->use(t->ctx, s, out);
        return;
    }
    for (size_t k = 0; k < (size_t)p->ncomp; k++) {
        size_t i = SIMD_PICK(pairs_table)(p, (int)k, cell, wrapped, out,
                                          t->sums + s * (size_t)p->ncomp + k);
        if (i < n) {
            overlapping(t, s, thread, i, bad_column(t, i, out));
            return;
        }
    }
}

/* Prepares the cells of all steps. */
static int team_cells(struct pairs_team *t, const struct pairs_steps *s, struct err *e)
{
    if (s->n > t->cells) {
        free(t->cell);
        t->cell = malloc(s->n * sizeof *t->cell);
        t->cells = t->cell ? s->n : 0;
        if (!t->cell)
            return err_memory(e, "cells");
    }
    for (size_t k = 0; k < s->n; k++)
        if (sum_cell_make(&t->p.sum, t->p.dtype == FRAME_F64, &t->memory, &s->box[k], s->frame + k,
                          &t->cell[k], e)) {
            while (k-- > 0)
                sum_cell_free(&t->cell[k]);
            return -1;
        }
    return 0;
}

static double distance(const struct pairs_team *t, const struct pairs_steps *s,
                       const struct overlap *at)
{
    bool f64 = t->p.source == FRAME_F64;
    const char *pos =
        (const char *)s->pos + at->step * 3 * t->p.natoms * frame_dtype_size(t->p.source);
    double d[3];
    for (size_t a = 0; a < 3; a++)
        d[a] = real_at(pos, f64, 3 * at->i + a) - real_at(pos, f64, 3 * at->j + a);
    box_image(&s->box[at->step], d);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static int team_run(struct pairs_team *t, const struct pairs_steps *s, struct err *e)
{
    struct overlap first = {SIZE_MAX, 0, 0};
    t->steps = *s;
    t->last = SIZE_MAX;
    if (team_cells(t, s, e))
        return -1;
    for (int k = 0; k < pool_threads(t->pool); k++)
        t->overlap[k] = first;
    pool_run(t->pool, team_step, t, s->n);
    for (size_t k = 0; k < s->n; k++)
        sum_cell_free(&t->cell[k]);
    for (int k = 0; k < pool_threads(t->pool); k++)
        if (t->overlap[k].step < first.step)
            first = t->overlap[k];
    if (first.step == SIZE_MAX)
        return 0;
    const struct pair_function *f = &t->p.function;
    double d = f->cells ? distance(t, s, &first) : 0.0;
    if (f->cells && d < f->first * (1 + 1e-6))
        return err_bad(e,
                       "frame %llu: atoms %zu and %zu (counted from 0) are %.6g Å apart, closer "
                       "than the first point of --pair-function %s, %g Å",
                       (unsigned long long)(s->frame + first.step), first.i, first.j, d,
                       pair_function_path(f), f->first);
    const char *they = t->p.they ? t->p.they : "atoms";
    return err_bad(e, "frame %llu: %s %zu and %zu (counted from 0) are at the same place",
                   (unsigned long long)(s->frame + first.step), they, first.i, first.j);
}

int pairs_team_tables(struct pairs_team *t, const struct pairs_steps *s, pairs_use use, void *ctx,
                      struct err *e)
{
    t->use = use;
    t->ctx = ctx;
    return team_run(t, s, e);
}

int pairs_team_sums(struct pairs_team *t, const struct pairs_steps *s, double *sums, struct err *e)
{
    t->use = NULL;
    t->sums = sums;
    return team_run(t, s, e);
}
