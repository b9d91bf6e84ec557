/* SPDX-License-Identifier: MIT */
#include "pair/sum.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allowed error of the polynomial of an Ewald sum, relative to the largest beta at 0.9 sigma. */
#define EWALD_ERROR_F32 5e-7
#define EWALD_ERROR_F64 1e-9

/* Parses decimal numbers R1,R2[,MORE]. If `more` is NULL, MORE is not allowed. Returns whether s
 * contains only these numbers. */
static bool parse_radii(const char *s, struct sum *sum, double *more)
{
    double *to[3] = {&sum->r1, &sum->r2, more};
    int k = 0;
    char *end = (char *)s;
    sum->r2 = NAN;
    if (s[strspn(s, "0123456789+-.eE,")]) /* strtod also accepts hexadecimal numbers, inf and nan */
        return false;
    for (bool on = true; on && k < 3 && to[k]; k++, s = end + 1) {
        *to[k] = strtod(s, &end);
        if (end == s)
            return false;
        on = *end == ',';
    }
    return !*end && k >= 2;
}

/* Parses the numbers R1,R2 after "taper:". */
static int parse_taper(const char *more, double sigma, struct sum *s, struct err *e)
{
    (void)sigma;
    if (!more)
        return 0;
    if (!parse_radii(more, s, NULL) || !(s->r1 >= 0) || !(s->r1 < s->r2) || !(s->r2 < 1e9))
        return err_bad(e,
                       "--sum taper:%s: expected two radii R1,R2 in Å with 0 <= R1 < R2 (beta is "
                       "unchanged below R1 and 0 beyond R2)",
                       more);
    return 0;
}

/* Parses the word pairs, or R1,R2[,ERROR] of a mesh, after "ewald:". */
static int parse_ewald(const char *more, double sigma, struct sum *s, struct err *e)
{
    double error = SPLIT_ERROR;
    if (more && strcmp(more, "pairs") == 0)
        return 0;
    s->mesh = more ? SUM_MESH : SUM_MESH_MAY;
    s->r1 = SUM_MESH_FROM * sigma;
    s->r2 = SUM_MESH_TO * sigma;
    if (more && (!parse_radii(more, s, &error) || !(s->r1 >= 0) || !(s->r1 < s->r2) ||
                 !(s->r2 < 1e9) || !(error >= SPLIT_ERROR_MIN) || !(error <= SPLIT_ERROR_MAX)))
        return err_bad(e,
                       "--sum ewald:%s: expected ewald:pairs, for a sum over all pairs, or "
                       "ewald:R1,R2[,ERROR], for a sum on a mesh. R1 and R2 are radii in Å with 0 "
                       "<= R1 < R2; in G2, beta is unchanged up to R1 and 0 beyond R2. ERROR is "
                       "the relative error of A_i, from %g to %g (default: %g)",
                       more, SPLIT_ERROR_MIN, SPLIT_ERROR_MAX, SPLIT_ERROR);
    split_plan(sigma, s->r2, error, &s->plan);
    return 0;
}

const struct sum_row sum_rows[SUM_KINDS] = {
    [SUM_MIC] = {.name = "mic", .usage = "mic", .words = "nearest image", .form = SUM_NEAREST},
    [SUM_TAPER] = {.name = "taper",
                   .usage = "taper, taper:R1,R2",
                   .words = "nearest image, tapered",
                   .form = SUM_TAPERED,
                   .sphere = 1,
                   .uncut = "a taper has its own end (taper:R1,R2)",
                   .end = "a taper",
                   .instead = "",
                   .parse = parse_taper},
    [SUM_EWALD] = {.name = "ewald",
                   .usage = "ewald, ewald:pairs or ewald:R1,R2[,ERROR]",
                   .words = "all images",
                   .form = SUM_IMAGES,
                   .uncut = "the Ewald sum includes all images",
                   .end = "a mesh with a short-range part",
                   .instead = " (use --sum ewald:pairs, which has no mesh)",
                   .parse = parse_ewald},
};

static enum sum_kind by_default(double cutoff, const int pbc[3])
{
    return !isnan(cutoff) ? SUM_MIC : pbc[0] && pbc[1] && pbc[2] ? SUM_EWALD : SUM_TAPER;
}

/* Returns whether `given` is "name" or "name:more" of this row. Sets *more, which is NULL for
 * "name". */
static bool is_of(const char *given, const struct sum_row *row, const char **more)
{
    size_t n = strlen(row->name);
    if (strncmp(given, row->name, n) != 0 || (given[n] && (given[n] != ':' || !row->parse)))
        return false;
    *more = given[n] ? given + n + 1 : NULL;
    return true;
}

static int unknown(const char *given, struct err *e)
{
    char all[160] = "";
    for (int k = 0; k < SUM_KINDS; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "",
                 sum_rows[k].usage);
    return err_bad(e, "expected %s, found '%s'", all, given);
}

int sum_word(const char *s, void *to, struct err *e)
{
    const char *more;
    *(const char **)to = s;
    for (int k = 0; k < SUM_KINDS; k++)
        if (is_of(s, &sum_rows[k], &more))
            return 0;
    return unknown(s, e);
}

int sum_choose(struct sum *s, const char *given, double cutoff, double sigma, const struct box *b,
               int f64, struct err *e)
{
    const char *name = given ? given : sum_rows[by_default(cutoff, b->pbc)].name, *more = NULL;
    int k = 0;
    memset(s, 0, sizeof *s);
    while (k < SUM_KINDS && !is_of(name, &sum_rows[k], &more))
        k++;
    if (k == SUM_KINDS)
        return unknown(name, e);
    const struct sum_row *row = &sum_rows[k];
    if (row->parse && row->parse(more, sigma, s, e))
        return -1;
    if (!isnan(cutoff) && row->uncut)
        return err_bad(e, "--cutoff applies only to --sum mic: %s", row->uncut);
    s->kind = (enum sum_kind)k;
    s->rc2 = isnan(cutoff) ? HUGE_VAL : cutoff * cutoff;
    s->tolerance =
        0.5 * (f64 ? EWALD_ERROR_F64 : EWALD_ERROR_F32) / (0.729 * sigma * sigma * sigma);
    return 0;
}

const struct sum_row *sum_named(const char *name)
{
    int k = SUM_KINDS - 1;
    while (k > 0 && !(name && strcmp(name, sum_rows[k].name) == 0))
        k--;
    return &sum_rows[k];
}

static int check_nearest(const struct sum *s, const struct box *b, double half, struct err *e)
{
    double rc = sqrt(s->rc2);
    if (!isinf(s->rc2) && rc > half * (1 + 1e-12))
        return err_bad(e,
                       "a cutoff of %g Å exceeds half the smallest width of the cell, %g Å, which "
                       "is the limit of the minimum image",
                       rc, half);
    if (isinf(s->rc2) && !b->ortho && (b->pbc[0] || b->pbc[1] || b->pbc[2]))
        return err_bad(e,
                       "expected a cutoff of at most half the smallest width of the triclinic "
                       "cell, %g Å, found none",
                       half);
    return 0;
}

/* Sets *to to the reduced cell if the sum is `ewald`, and to *b for other sums. Checks that beta
 * can be computed in this cell. Returns 0 or -1. */
static int take_cell(const struct sum *s, const struct box *b, struct box *to, struct err *e)
{
    const struct sum_row *row = sum_row(s);
    *to = *b;
    if (row->form == SUM_IMAGES && ewald_reduce(b, to, e))
        return -1;
    double half = box_half_width(to);
    if (s->end > half * (1 + 1e-12))
        return err_bad(e,
                       "a pair function that ends at %g Å exceeds half the smallest width of the "
                       "cell, %g Å, which is the limit of the minimum image",
                       s->end, half);
    if (sum_pair_form(s) == SUM_NEAREST)
        return check_nearest(s, b, half, e);
    if (sum_pair_form(s) == SUM_TAPERED && s->r2 > half * (1 + 1e-12))
        return err_bad(e,
                       "%s that ends at %g Å exceeds half the smallest width of the cell, %g Å, "
                       "which is the limit of the minimum image%s",
                       row->end, s->r2, half, row->instead);
    return 0;
}

int sum_check(const struct sum *s, const struct box *b, struct err *e)
{
    struct box reduced;
    return take_cell(s, b, &reduced, e);
}

static int make(const struct sum *s, int f64, struct ewald_cache *cache, const struct box *b,
                struct sum_cell *c, struct err *e)
{
    int all = sum_row(s)->form == SUM_IMAGES;
    memset(c, 0, sizeof *c);
    if (take_cell(s, b, &c->d, e))
        return -1;
    if (all && (sum_pair_form(s) == SUM_IMAGES || s->pairs) &&
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
    if (sum_pair_form(s) == SUM_NEAREST) {
        c->taper_f64 = (struct beta_taper_f64){.rc2 = s->rc2};
        c->taper_f32 = (struct beta_taper_f32){.rc2 = (float)s->rc2};
    }
    return 0;
}

int sum_cell_make(const struct sum *s, int f64, struct sum_memory *m, const struct box *b,
                  uint64_t frame, struct sum_cell *c, struct err *e)
{
    if (!m->have || memcmp(&m->last, b, sizeof *b) != 0) {
        sum_cell_free(&m->made);
        m->have = 0;
        if (make(s, f64, &m->cache, b, &m->made, e))
            return err_frame(e, frame);
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
