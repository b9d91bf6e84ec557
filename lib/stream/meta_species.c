/* SPDX-License-Identifier: MIT */
/* meta_species.c: sys.species, which lists the names of atoms as runs, such as "Ar 256" or "512*(O
 * 1 H 2)". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"
#include "stream/meta.h"

#define NAME_BYTES 16

struct expand {
    const char *s; /* rest of the text */
    size_t natoms, done;
    unsigned char *species;
    char (*names)[16];
    int nnames, max_names;
    const char *bad;
};

static size_t number(struct expand *x)
{
    char *end;
    errno = 0;
    unsigned long long v = *x->s >= '0' && *x->s <= '9' ? strtoull(x->s, &end, 10) : 0;
    if (v == 0 || errno || v > x->natoms) {
        x->bad = "a count that is not between 1 and sys.natoms";
        return 0;
    }
    x->s = end;
    return (size_t)v;
}

static int name_index(struct expand *x, const char *name, size_t len)
{
    for (int k = 0; k < x->nnames; k++)
        if (strlen(x->names[k]) == len && memcmp(x->names[k], name, len) == 0)
            return k;
    if (len < 1 || len >= NAME_BYTES) {
        x->bad = "a name that is not 1 to 15 characters";
        return -1;
    }
    if (!utf8_is_word(name, len, "")) {
        x->bad = "a name with a character that a text column cannot hold";
        return -1;
    }
    if (x->nnames == x->max_names) {
        x->bad = "more distinct names than this program accepts";
        return -1;
    }
    memcpy(x->names[x->nnames], name, len);
    x->names[x->nnames][len] = '\0';
    return x->nnames++;
}

static void skip_blanks(struct expand *x)
{
    while (*x->s == ' ')
        x->s++;
}

/* Reads NAME COUNT. */
static void run(struct expand *x)
{
    size_t len = strcspn(x->s, " ()");
    int k = name_index(x, x->s, len);
    if (x->bad)
        return;
    x->s += len;
    skip_blanks(x);
    size_t n = number(x);
    if (!x->bad && n > x->natoms - x->done)
        x->bad = "more atoms than sys.natoms";
    if (x->bad)
        return;
    memset(x->species + x->done, k, n);
    x->done += n;
    skip_blanks(x);
}

/* Names of atom types may begin with a digit, so the text after it decides. */
static int is_group(const char *s)
{
    size_t digits = strspn(s, "0123456789");
    return digits > 0 && s[digits] == '*' && s[digits + 1] == '(';
}

/* Reads REPEAT*(NAME COUNT ...). */
static void group(struct expand *x)
{
    size_t repeat = number(x), first = x->done;
    if (x->bad)
        return;
    x->s += 2;
    skip_blanks(x);
    while (!x->bad && *x->s && *x->s != ')')
        run(x);
    if (x->bad)
        return;
    size_t n = x->done - first;
    if (*x->s != ')' || n == 0) {
        x->bad = "a group that does not end in )";
        return;
    }
    x->s++;
    if (repeat - 1 > (x->natoms - x->done) / n) {
        x->bad = "more atoms than sys.natoms";
        return;
    }
    for (size_t k = 1; k < repeat; k++, x->done += n)
        memcpy(x->species + x->done, x->species + first, n);
    skip_blanks(x);
}

int meta_species(const struct meta *m, size_t natoms, unsigned char *species, char (*names)[16],
                 int max_names, struct err *e)
{
    const char *text = meta_get(m, "sys.species");
    if (!text)
        return 0;
    struct expand x = {
        text, natoms, 0, species, names, 0, max_names < 0 ? 0 : max_names > 256 ? 256 : max_names,
        NULL};
    skip_blanks(&x);
    while (!x.bad && *x.s) {
        if (is_group(x.s))
            group(&x);
        else
            run(&x);
    }
    if (!x.bad && x.done != natoms)
        return err_bad(e, "sys.species: expected names for %zu atoms, found names for %zu atoms",
                       natoms, x.done);
    if (!x.bad)
        return x.nnames;
    return err_bad(e, "sys.species: expected \"NAME COUNT ...\" for %zu atoms, found %s", natoms,
                   x.bad);
}

const char *meta_species_hint(size_t natoms, char capacity[96])
{
    char rest[32] = "";
    if (natoms % 3)
        snprintf(rest, sizeof rest, " Na %zu", natoms % 3);
    if (natoms > 2)
        snprintf(capacity, 96, "name the atoms, e.g. traj2bin --species '%zu*(O 1 H 2)%s'",
                 natoms / 3, rest);
    else
        snprintf(capacity, 96, "name the atoms, e.g. traj2bin --species 'Ar %zu'", natoms);
    return capacity;
}

struct span {
    size_t n;
    unsigned char species;
};

/* Returns the smallest period of the runs that divides their number, or nruns if there is none. */
static size_t period(const struct span *r, size_t nruns)
{
    size_t *border = malloc((nruns + 1) * sizeof *border);
    if (!border)
        return nruns;
    border[0] = 0;
    for (size_t i = 1, k = 0; i < nruns; i++) { /* prefix function of Knuth, Morris and Pratt */
        while (k > 0 && (r[i].n != r[k].n || r[i].species != r[k].species))
            k = border[k - 1];
        if (r[i].n == r[k].n && r[i].species == r[k].species)
            k++;
        border[i] = k;
    }
    size_t p = nruns - border[nruns - 1];
    free(border);
    return nruns % p == 0 ? p : nruns;
}

int meta_set_species(struct meta *m, size_t natoms, const unsigned char *species,
                     const char (*names)[16])
{
    size_t nruns = 0;
    for (size_t i = 0; i < natoms; i++)
        if (!utf8_is_word(names[species[i]], strlen(names[species[i]]), "()"))
            return -1;
    struct span *r = malloc((natoms + 1) * sizeof *r);
    if (!r || natoms == 0) {
        free(r);
        return -1;
    }
    for (size_t i = 0; i < natoms; i++) {
        if (nruns == 0 || r[nruns - 1].species != species[i])
            r[nruns++] = (struct span){0, species[i]};
        r[nruns - 1].n++;
    }
    size_t p = period(r, nruns), len = 0;
    char *text = malloc(p * 40 + 64);
    int rc = -1;
    if (text) {
        text[0] = '\0';
        if (p < nruns)
            len += (size_t)sprintf(text, "%zu*(", nruns / p);
        for (size_t k = 0; k < p; k++)
            len +=
                (size_t)sprintf(text + len, "%s%s %zu", k ? " " : "", names[r[k].species], r[k].n);
        if (p < nruns)
            sprintf(text + len, ")");
        rc = meta_set(m, "sys.species", text);
    }
    free(text);
    free(r);
    return rc;
}
