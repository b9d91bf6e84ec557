/* SPDX-License-Identifier: MIT */
#include "pair/factors.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "select/pair_list.h"

const char *factors_list(const struct factors_choice *c)
{
    return c->exclude ? c->exclude : c->within ? c->within : c->between;
}

const char *factors_given(const struct factors_choice *c)
{
    return c->weights.n ? "--weights"
           : c->pairs.n ? "--pair"
           : c->exclude ? "--exclude"
           : c->within  ? "--within"
           : c->between ? "--between"
                        : NULL;
}

/* ---- weights ---- */

/* Divides the interaction of each atom with its own images among its pairs. Returns 0 or -1. */
static int share(struct factors *f, struct err *e)
{
    double n = 0.0, sum = 0.0;
    size_t equal = 0;
    for (size_t i = 0; i < f->natoms; i++) {
        n += f->w[i] != 0.0;
        sum += f->w[i] * f->w[i];
        equal += f->w[i] == f->w[0];
    }
    if (equal == f->natoms || n < 2.0)
        return 0;
    f->own = calloc(f->natoms, sizeof *f->own);
    for (size_t i = 0; f->own && i < f->natoms; i++)
        f->own[i] = n > 2.0 ? (f->w[i] * f->w[i] - sum / (2.0 * (n - 1.0))) / (n - 2.0)
                            : 0.5 * f->w[i] * f->w[i];
    return f->own ? 0 : err_memory(e, "weights");
}

static int weigh(struct factors *f, const struct weights *t, const struct pair_names *s,
                 struct err *e)
{
    int column[WEIGHTS_MAX];
    for (size_t i = 0; i < f->natoms; i++)
        f->w[i] = 1.0;
    if (!t->n)
        return 0;
    if (weights_match(t->name, t->n, true, "weight", s, column, e))
        return -1;
    for (size_t i = 0; i < f->natoms; i++)
        f->w[i] = t->w[column[s->species[i]]];
    return weights_meta(f->given, "data.weights", s->name, (size_t)s->nspecies, t->w, column)
               ? err_memory(e, "META")
               : share(f, e);
}

/* ---- selection of pairs ---- */

static int select_species(struct factors *f, struct pair_names *s, struct err *e)
{
    size_t n = (size_t)s->nspecies;
    double pairs = 0.0;
    f->kinds = n;
    f->count = calloc(n, n);
    if (!f->count || meta_set(f->given, "data.pairs", s->list))
        return err_memory(e, "pairs of species");
    for (size_t q = 0; q < s->npairs; q++) {
        size_t a = (size_t)s->pairs[q].a, b = (size_t)s->pairs[q].b;
        f->count[a * n + b] = f->count[b * n + a] = 1;
        pairs += pair_names_pairs(s, q, false);
    }
    f->kind = s->species;
    s->species = NULL;
    f->selects = true;
    return pairs > 0.0 ? 0 : err_bad(e, "--pair: no two atoms form one of these pairs");
}

/* Lists the partners of every atom in ascending order, because the list of pairs is ascending. */
static int link_pairs(struct factors *f, const struct pair_list *x, struct err *e)
{
    f->begin = calloc(f->natoms + 2, sizeof *f->begin);
    f->partner = malloc((2 * x->n + 1) * sizeof *f->partner);
    if (!f->begin || !f->partner)
        return err_memory(e, "pairs of atoms");
    for (size_t k = 0; k < x->n; k++)
        for (int c = 0; c < 2; c++)
            f->begin[x->pair[k][c] + 2]++;
    for (size_t i = 2; i < f->natoms + 2; i++)
        f->begin[i] += f->begin[i - 1];
    for (int c = 1; c >= 0; c--) /* lower partners first */
        for (size_t k = 0; k < x->n; k++)
            f->partner[f->begin[x->pair[k][c] + 1]++] = x->pair[k][1 - c];
    return 0;
}

static int select_listed(struct factors *f, const struct factors_choice *c, const struct meta *m,
                         size_t max_mem, struct err *e)
{
    const char *option = factors_given(&(struct factors_choice){
                   .exclude = c->exclude, .within = c->within, .between = c->between}),
               *text = factors_list(c);
    struct pair_list x = {0};
    const char *other = c->between ? "--between" : "--within";
    if (!!c->exclude + !!c->within + !!c->between > 1)
        return err_bad(e, "%s and %s both select pairs: give only one", option, other);
    f->listed = c->within ? FACTORS_ONLY : FACTORS_BUT;
    f->selects = true;
    int bad = pair_list_open(&x, option, text, m, f->natoms, max_mem, e) || link_pairs(f, &x, e);
    if (!bad && (c->within ? x.n == 0 : x.n == f->natoms * (f->natoms - 1) / 2))
        bad = err_bad(e, "%s %s leaves no pair of atoms", option, text);
    if (!bad && pair_list_meta(&x, f->given, c->within ? "data.within" : "data.excluded"))
        bad = err_memory(e, "META");
    pair_list_close(&x);
    return bad;
}

/* ---- for a mesh ---- */

/* Groups the species that interact with the same species. Sets `first` to one species of each
 * group. */
static void group_species(struct factors *f, unsigned char *of, size_t *first)
{
    static const unsigned char every = 1;
    const unsigned char *count = f->kind ? f->count : &every;
    size_t n = f->kind ? f->kinds : 1;
    for (size_t k = 0; k < n; k++) {
        size_t g = 0;
        while (g < f->groups && memcmp(count + first[g] * n, count + k * n, n) != 0)
            g++;
        of[k] = (unsigned char)g;
        if (g == f->groups && memchr(count + k * n, 1, n))
            first[f->groups++] = k;
    }
    for (size_t k = 0; k < n; k++)
        if (!memchr(count + k * n, 1, n))
            of[k] = (unsigned char)f->groups;
}

/* Returns the weight a_i. */
static double share_of(const struct factors *f, size_t i)
{
    return f->own ? f->own[i] : f->w[i] * f->w[i] / (2.0 * ((double)f->natoms - 1.0));
}

/* Sets `less` and `square` of the atoms of group g, whose charges are set already. */
static void field_atoms(struct factors *f, size_t g, const double *charge)
{
    double n = 0.0, a = 0.0, all = 0.0;
    for (size_t j = 0; j < f->natoms; j++) {
        n += charge[j] != 0.0;
        a += charge[j] != 0.0 ? share_of(f, j) : 0.0;
        all += charge[j] * charge[j];
    }
    for (size_t i = 0; i < f->natoms; i++) {
        if (f->group[i] != g)
            continue;
        double ai = share_of(f, i), s = n * ai + a - (charge[i] != 0.0 ? 2.0 * ai : 0.0);
        for (size_t k = f->listed ? f->begin[i] : 0; f->listed && k < f->begin[i + 1]; k++)
            s -= charge[f->partner[k]] != 0.0 ? ai + share_of(f, f->partner[k]) : 0.0;
        f->less[i] = f->selects ? f->w[i] * charge[i] - s : 0.0;
        f->square[i] = f->w[i] * f->w[i] * all;
    }
}

static int make_field(struct factors *f, struct err *e)
{
    unsigned char of[UCHAR_MAX + 1];
    size_t first[UCHAR_MAX + 1], natoms = f->natoms;
    if (f->listed == FACTORS_ONLY)
        return 0;
    group_species(f, of, first);
    f->group = malloc(natoms);
    f->charge = calloc(f->groups, natoms * sizeof *f->charge);
    f->less = calloc(natoms, sizeof *f->less);
    f->square = calloc(natoms, sizeof *f->square);
    if (!f->group || !f->charge || !f->less || !f->square)
        return err_memory(e, "weights");
    for (size_t i = 0; i < natoms; i++)
        f->group[i] = f->w[i] != 0.0 ? of[f->kind ? f->kind[i] : 0] : (unsigned char)f->groups;
    for (size_t g = 0; g < f->groups; g++) {
        double *charge = f->charge + g * natoms;
        for (size_t j = 0; j < natoms; j++)
            if (!f->kind || f->count[first[g] * f->kinds + f->kind[j]])
                charge[j] = f->w[j];
        field_atoms(f, g, charge);
    }
    return 0;
}

double factors_sum_of_squares(const struct factors *f, size_t natoms)
{
    double sum = 0.0;
    if (!f || !f->groups)
        return (double)natoms;
    for (size_t i = 0; i < natoms; i++)
        sum += f->square[i];
    return sum / (double)natoms;
}

size_t factors_sample(const struct factors *f, size_t natoms, size_t max, size_t *atom)
{
    double all = factors_sum_of_squares(f, natoms) * (double)natoms, sum = 0.0;
    size_t count = 0, taken = 0;
    for (size_t i = 0; i < natoms; i++)
        count += !f || f->square[i] > 0.0;
    max = count < max ? count : max;
    for (size_t i = 0; i < natoms; i++)
        for (sum += f ? f->square[i] : (double)natoms;
             taken < max && sum * (double)max > all * (double)taken; taken++)
            atom[taken] = i;
    return taken;
}

struct factors *factors_open(const struct factors_choice *c, const struct meta *m, size_t natoms,
                             size_t max_mem, struct err *e)
{
    static const char *const every[] = {"all"};
    struct factors *f = calloc(1, sizeof *f);
    struct pair_names names = {0};
    int bad = 0;
    if (!f || !(f->given = meta_new()) || !(f->w = malloc((natoms + 1) * sizeof *f->w))) {
        factors_free(f);
        err_memory(e, "weights");
        return NULL;
    }
    f->natoms = natoms;
    if (c->weights.n || c->pairs.n)
        bad = pair_names_open(&names, m, natoms, c->pairs.n ? c->pairs.name : every,
                              c->pairs.n ? c->pairs.n : 1, e);
    bad = bad || weigh(f, &c->weights, &names, e) || (c->pairs.n && select_species(f, &names, e)) ||
          ((c->exclude || c->within || c->between) && select_listed(f, c, m, max_mem, e)) ||
          make_field(f, e);
    pair_names_close(&names);
    if (!bad)
        return f;
    factors_free(f);
    return NULL;
}

void factors_free(struct factors *f)
{
    if (!f)
        return;
    meta_free(f->given);
    free(f->w);
    free(f->own);
    free(f->kind);
    free(f->count);
    free(f->group);
    free(f->charge);
    free(f->less);
    free(f->square);
    free(f->begin);
    free(f->partner);
    free(f);
}

/* ---- of a pair ---- */

void factors_row(const struct factors *f, size_t i, size_t j0, size_t n, double *factor,
                 double *own)
{
    double none;
    for (size_t k = 0; k < n; k++)
        factor[k] = factors_at(f, i, j0 + k, own ? own + k : &none);
}
