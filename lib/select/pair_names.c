/* SPDX-License-Identifier: MIT */
#include "select/pair_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pair_wanted_parse(const char *s, void *dst, struct err *e)
{
    struct pair_wanted *w = dst;
    size_t max = sizeof w->name / sizeof *w->name;
    if (w->n == max)
        return err_bad(e, "expected at most %zu pairs, found more", max);
    w->name[w->n++] = s;
    return 0;
}

static int find(const struct pair_names *s, const char *name, size_t len)
{
    for (int k = 0; k < s->nspecies; k++)
        if (strlen(s->name[k]) == len && memcmp(s->name[k], name, len) == 0)
            return k;
    return -1;
}

int pair_names_find(const struct pair_names *s, const char *text, struct species_pair *q)
{
    for (const char *dash = strchr(text, '-'); dash; dash = strchr(dash + 1, '-')) {
        q->a = find(s, text, (size_t)(dash - text));
        q->b = find(s, dash + 1, strlen(dash + 1));
        if (q->a >= 0 && q->b >= 0)
            return 0;
    }
    return -1;
}

static int refuse_pair(const struct pair_names *s, const char *text, struct err *e)
{
    char known[256] = "";
    int k = 0;
    for (; k < s->nspecies && strlen(known) + 24 < sizeof known; k++)
        snprintf(known + strlen(known), sizeof known - strlen(known), " %s", s->name[k]);
    if (k < s->nspecies)
        strcat(known, " ...");
    return err_bad(e, "--pair: expected two of the species%s joined by a dash, found %.60s", known,
                   text);
}

static int add_pair(struct pair_names *s, struct species_pair q, struct err *e)
{
    for (size_t k = 0; k < s->npairs; k++)
        if ((s->pairs[k].a == q.a && s->pairs[k].b == q.b) ||
            (s->pairs[k].a == q.b && s->pairs[k].b == q.a))
            return err_bad(e, "--pair: expected each pair once, found %s-%s twice", s->name[q.a],
                           s->name[q.b]);
    s->pairs[s->npairs++] = q;
    return 0;
}

static int add_wanted(struct pair_names *s, const char *const *wanted, size_t n, struct err *e)
{
    for (size_t k = 0; k < n; k++) {
        struct species_pair q;
        if (strcmp(wanted[k], "all") == 0) {
            for (q.a = 0; q.a < s->nspecies; q.a++)
                for (q.b = q.a; q.b < s->nspecies; q.b++)
                    if (add_pair(s, q, e) != 0)
                        return -1;
        } else if (pair_names_find(s, wanted[k], &q) != 0) {
            return refuse_pair(s, wanted[k], e);
        } else if (add_pair(s, q, e) != 0) {
            return -1;
        }
    }
    return 0;
}

static int write_list(struct pair_names *s)
{
    s->list = calloc(s->npairs + 1, 34);
    if (!s->list)
        return -1;
    char *p = s->list;
    for (size_t k = 0; k < s->npairs; k++)
        p += sprintf(p, "%s%s-%s", k ? " " : "", s->name[s->pairs[k].a], s->name[s->pairs[k].b]);
    return 0;
}

static int allocate(struct pair_names *s, size_t wanted)
{
    size_t max = 256 * 257 / 2 + wanted;
    s->species = calloc(s->natoms + 1, 1);
    s->name = calloc(256, sizeof *s->name);
    s->atoms = calloc(256, sizeof *s->atoms);
    s->pairs = calloc(max, sizeof *s->pairs);
    return s->species && s->name && s->atoms && s->pairs ? 0 : -1;
}

int pair_names_open(struct pair_names *s, const struct meta *m, size_t natoms,
                    const char *const *wanted, size_t n, struct err *e)
{
    memset(s, 0, sizeof *s);
    s->natoms = natoms;
    if (allocate(s, n) != 0)
        return err_set(e, ERR_MEMORY, "out of memory for %zu atoms", natoms);
    if (n == 0) {
        s->nspecies = 1;
        s->atoms[0] = natoms;
        s->pairs[0] = (struct species_pair){SPECIES_EVERY, SPECIES_EVERY};
        s->npairs = 1;
        s->list = strdup("all");
        return s->list ? 0 : err_memory(e, "names");
    }
    s->nspecies = meta_species(m, natoms, s->species, s->name, 256, e);
    if (s->nspecies < 0)
        return -1;
    char hint[96];
    if (s->nspecies == 0)
        return err_bad(e, "expected the species of %zu atoms, found none (%s)", natoms,
                       meta_species_hint(natoms, hint));
    for (size_t i = 0; i < natoms; i++)
        s->atoms[s->species[i]]++;
    if (add_wanted(s, wanted, n, e) != 0)
        return -1;
    return write_list(s) != 0 ? err_memory(e, "names") : 0;
}

void pair_names_close(struct pair_names *s)
{
    free(s->species);
    free(s->name);
    free(s->atoms);
    free(s->pairs);
    free(s->list);
    memset(s, 0, sizeof *s);
}

double pair_names_pairs(const struct pair_names *s, size_t q, bool lecture)
{
    struct species_pair p = s->pairs[q];
    double a = (double)(p.a == SPECIES_EVERY ? s->natoms : s->atoms[p.a]);
    double b = (double)(p.b == SPECIES_EVERY ? s->natoms : s->atoms[p.b]);
    if (p.a != p.b)
        return a * b;
    return 0.5 * a * (lecture ? a : a - 1.0);
}
