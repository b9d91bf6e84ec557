/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alpha/alpha_cell.h"
#include "base/real.h"
#include "io/decimal.h"
#include "io/lines.h"
#include "select/dipole.h"
#include "select/pair_names.h"
#include "stream/meta.h"

enum { ATOMS = 256, KINDS = 64, WORDS = ATOMS + 2 };
#define CENTRE SIZE_MAX

/* A site of a molecule, with the square roots of the principal values. Atoms are counted from 0. */
struct site {
    size_t atom; /* number of an atom, or CENTRE */
    double root[3];
    int axes; /* number of atoms that define its local frame: 0, 2 or 3 */
    size_t frame[3], line;
    bool permanent;               /* the site has permanent moments */
    double moment[ALPHA_MOMENTS]; /* moments in its local frame */
    double size;                  /* alpha_size(), which no rotation changes */
};

struct kind {
    char name[16];
    size_t natoms, nsites, count, line;
    char (*species)[16]; /* [natoms] */
    double *mass;        /* [natoms], NULL: not given */
    struct site *site;
};

struct alpha_model {
    const char *path; /* NULL: --polarizability */
    size_t nkinds, natoms, nsites, nmolecules, npermanent;
    struct kind kind[KINDS];
    unsigned char *molecule; /* [nmolecules]: kind of each molecule */
    char given[512];
};

/* ---- text */

struct text {
    struct lines l;
    struct alpha_model *m;
    struct err *e;
};

#define wrong(t, ...) err_in((t)->e, ERR_BAD, (t)->l.name, (t)->l.at, __VA_ARGS__)

static int number(const struct text *t, const char *word, double min, double *v)
{
    if (decimal_get_f64(word, strlen(word), DECIMAL_OURS, v) == 0 && *v >= min && *v <= 1e9)
        return 0;
    return wrong(t, "expected a number from %g to 1e9, found '%s'", min, word);
}

static int read_molecule(struct text *t, char *const *word, size_t n)
{
    struct alpha_model *m = t->m;
    if (n < 3)
        return wrong(t, "expected a line 'molecule NAME ATOM...', found %zu words", n);
    if (m->nkinds == KINDS)
        return wrong(t, "expected at most %d molecules, found more", KINDS);
    if (m->nkinds && m->kind[m->nkinds - 1].nsites == 0)
        return wrong(t, "molecule %s has no polarizable site", m->kind[m->nkinds - 1].name);
    struct kind *k = &m->kind[m->nkinds];
    k->natoms = n - 2;
    k->line = t->l.at;
    k->species = calloc(k->natoms, sizeof *k->species);
    k->site = calloc(k->natoms + 1, sizeof *k->site);
    m->nkinds++;
    if (!k->species || !k->site)
        return err_memory(t->e, "the model");
    size_t size = (size_t)snprintf(k->name, sizeof k->name, "%s", word[1]);
    if (size >= sizeof k->name)
        return wrong(t, "expected a name of at most 15 bytes, found '%s'", word[1]);
    for (size_t a = 0; a < k->natoms; a++) {
        size = (size_t)snprintf(k->species[a], sizeof *k->species, "%s", word[a + 2]);
        if (size >= sizeof *k->species)
            return wrong(t, "expected a species of at most 15 bytes, found '%s'", word[a + 2]);
    }
    return 0;
}

static int read_mass(struct text *t, struct kind *k, char *const *word, size_t n)
{
    if (n != k->natoms + 1)
        return wrong(t, "expected %zu masses, found %zu", k->natoms, n - 1);
    free(k->mass);
    if (!(k->mass = calloc(k->natoms, sizeof *k->mass)))
        return err_memory(t->e, "the model");
    for (size_t a = 0; a < k->natoms; a++)
        if (number(t, word[a + 1], 1e-9, &k->mass[a]))
            return -1;
    return 0;
}

/* Reads the number of an atom of the molecule, from 1. */
static int atom_number(const struct text *t, const struct kind *k, char **at, size_t *atom)
{
    unsigned long v = strspn(*at, "0123456789") ? strtoul(*at, at, 10) : 0;
    if (v < 1 || v > k->natoms)
        return wrong(t, "expected the number of an atom of %s, 1 to %zu", k->name, k->natoms);
    *atom = v - 1;
    return 0;
}

static int where(const struct text *t, const struct kind *k, char *word, size_t *atom)
{
    size_t found = 0;
    if (strcmp(word, "centre") == 0) {
        *atom = CENTRE;
        return k->mass
                   ? 0
                   : wrong(t, "'site centre' needs a mass line of %s on an earlier line", k->name);
    }
    for (size_t a = 0; a < k->natoms; a++)
        if (strcmp(k->species[a], word) == 0) {
            *atom = a;
            found++;
        }
    if (found == 1)
        return 0;
    if (found > 1)
        return wrong(
            t, "molecule %s has %zu atoms named %s: give the number of the atom, from 1 to %zu",
            k->name, found, word, k->natoms);
    char *end = word;
    if (atom_number(t, k, &end, atom) == 0 && !*end)
        return 0;
    return wrong(t,
                 "expected the name of an atom of %s, its number from 1 to %zu, or the word "
                 "centre, found '%s'",
                 k->name, k->natoms, word);
}

/* Reads "A-B" or "A-B,C". */
static int read_frame(const struct text *t, const struct kind *k, char *word, struct site *s)
{
    char *p = word;
    for (s->axes = 0; s->axes < 3;) {
        if (atom_number(t, k, &p, &s->frame[s->axes++]))
            return -1;
        if (*p != (s->axes == 1 ? '-' : ',') || s->axes == 3)
            break;
        p++;
    }
    bool same = s->axes < 2 || s->frame[0] == s->frame[1] ||
                (s->axes == 3 && (s->frame[2] == s->frame[0] || s->frame[2] == s->frame[1]));
    if (*p || same)
        return wrong(t, "expected 'frame A-B' or 'frame A-B,C' with different atoms, found '%s'",
                     word);
    if (s->axes == 2 && s->root[0] != s->root[1])
        return wrong(t, "the polarizabilities along x and y differ: expected 'frame A-B,C', which "
                        "distinguishes x from y");
    return 0;
}

/* The keys of a site, and how many values each has. A linear quadrupole has one value. */
static const struct key {
    const char *name, *form;
    size_t values, fewer, at; /* `at`: index of the first moment */
} keys[] = {{"frame", "frame A-B[,C]", 1, 1, 0},
            {"charge", "charge Q", 1, 1, 0},
            {"dipole", "dipole X Y Z", 3, 3, 1},
            {"quadrupole", "quadrupole ZZ' or 'quadrupole XX XY XZ YY YZ ZZ", 6, 1, 4},
            {0}};

static const struct key *key_of(const char *word)
{
    for (const struct key *k = keys; k->name; k++)
        if (strcmp(k->name, word) == 0)
            return k;
    return NULL;
}

/* Reads one key of a site, whose name is word[0], with n values. */
static int read_key(struct text *t, const struct kind *k, struct site *s, char **word, size_t n)
{
    const struct key *key = key_of(word[0]);
    double *to = s->moment + key->at;
    if (n != key->values && n != key->fewer)
        return wrong(t, "expected '%s', found %zu values", key->form, n);
    if (key == keys)
        return read_frame(t, k, word[1], s);
    s->permanent = true;
    for (size_t v = 0; v < n; v++)
        if (number(t, word[v + 1], -1e9, &to[v]))
            return -1;
    if (n < key->values) {
        to[5] = to[0];
        to[0] = to[3] = -0.5 * to[5];
    }
    return 0;
}

/* Checks the dipole and the quadrupole of a site against its frame. */
static int check_moments(const struct text *t, struct site *s)
{
    double *m = s->moment + 1, *q = s->moment + 4, max = 0.0, third = (q[0] + q[3] + q[5]) / 3.0;
    for (int c = 0; c < 6; c++)
        max = fmax(max, fabs(q[c]));
    if (fabs(third) > 1e-6 * max)
        return wrong(t, "expected a quadrupole with XX + YY + ZZ = 0, found a sum of %g",
                     3.0 * third);
    bool none = max == 0.0 && m[0] == 0.0 && m[1] == 0.0 && m[2] == 0.0;
    if (!s->axes && !none)
        return wrong(t, "a dipole or quadrupole needs a frame: 'frame A-B' or 'frame A-B,C'");
    for (int c = 0; c < 6; c += c ? 2 : 3)
        q[c] -= third;
    if (s->axes == 2 && (m[0] != 0.0 || m[1] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[4] != 0.0 ||
                         fabs(q[0] - q[3]) > 1e-6 * max))
        return wrong(t, "the dipole or quadrupole differs along x and y: expected 'frame A-B,C', "
                        "which distinguishes x from y");
    return 0;
}

static int read_site(struct text *t, struct kind *k, char **word, size_t n)
{
    struct site *s = &k->site[k->nsites];
    size_t values = 0, at, next;
    unsigned seen = 0;
    while (2 + values < n && !key_of(word[2 + values]))
        values++;
    if (n < 3 || (values != 1 && values != 3))
        return wrong(t, "expected a line 'site WHERE ALPHA' or 'site WHERE X Y Z frame A-B[,C]'");
    if (k->nsites > k->natoms)
        return wrong(t, "expected at most one site per atom and one at the centre, found more");
    if (where(t, k, word[1], &s->atom))
        return -1;
    for (size_t v = 0; v < 3; v++)
        if (number(t, word[2 + (values == 1 ? 0 : v)], 0.0, &s->root[v]))
            return -1;
    for (at = 2 + values; at < n; at = next) {
        for (next = at + 1; next < n && !key_of(word[next]);)
            next++;
        unsigned bit = 1u << (key_of(word[at]) - keys);
        if (seen & bit)
            return wrong(t, "expected '%s' once, found it twice", word[at]);
        seen |= bit;
        if (read_key(t, k, s, word + at, next - at - 1))
            return -1;
    }
    if (s->axes && values == 1 && !s->permanent)
        return wrong(t, "a frame needs three polarizabilities, a dipole or a quadrupole: expected "
                        "'site WHERE X Y Z frame A-B[,C]'");
    if (!s->axes && (s->root[0] != s->root[1] || s->root[1] != s->root[2]))
        return wrong(t, "different polarizabilities along x, y and z need a frame: 'frame A-B,C'");
    if (check_moments(t, s))
        return -1;
    s->line = t->l.at;
    for (size_t v = 0; v < 3; v++)
        s->root[v] = sqrt(s->root[v]);
    s->size = alpha_size((double[]){s->root[0], 0.0, 0.0, s->root[1], 0.0, s->root[2]});
    k->nsites++;
    return 0;
}

static int read_line(struct text *t, char *line)
{
    char *word[WORDS + 1], *save = NULL;
    size_t n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (n == WORDS)
            return wrong(t, "expected at most %d words, found more", WORDS);
        word[n++] = w;
    }
    struct kind *k = t->m->nkinds ? &t->m->kind[t->m->nkinds - 1] : NULL;
    if (n == 0)
        return 0;
    if (strcmp(word[0], "molecule") == 0)
        return read_molecule(t, word, n);
    if (k && strcmp(word[0], "mass") == 0)
        return read_mass(t, k, word, n);
    if (k && strcmp(word[0], "site") == 0)
        return read_site(t, k, word, n);
    return wrong(
        t, k ? "expected molecule, mass or site, found '%s'" : "expected molecule, found '%s'",
        word[0]);
}

static int read_model(struct alpha_model *m, const char *path, struct err *e)
{
    struct text t = {.m = m, .e = e};
    int got = lines_open(&t.l, path, path, NULL, e) == 0 ? 1 : -1;
    while (got > 0 && (got = lines_next(&t.l, e)) > 0)
        if (read_line(&t, t.l.line) != 0)
            got = -1;
    if (got == 0 && (!m->nkinds || !m->kind[m->nkinds - 1].nsites))
        got = wrong(&t, m->nkinds ? "the last molecule has no polarizable site"
                                  : "expected a molecule, found none");
    lines_close(&t.l);
    return got;
}

/* Converts --polarizability to molecules of one atom. */
static int make_atoms(struct alpha_model *m, const struct weights *w, struct err *e)
{
    m->nkinds = w->n < KINDS ? w->n : KINDS;
    if (w->n > KINDS)
        return err_bad(e, "--polarizability: expected at most %d species, found more", KINDS);
    for (size_t k = 0; k < m->nkinds; k++) {
        struct kind *x = &m->kind[k];
        x->natoms = x->nsites = 1;
        x->species = calloc(1, sizeof *x->species);
        x->site = calloc(1, sizeof *x->site);
        if (!x->species || !x->site)
            return err_memory(e, "the model");
        if (!(w->w[k] >= 0.0))
            return err_bad(e, "--polarizability: %s: expected a value of 0 or more, found %g",
                           w->name[k], w->w[k]);
        snprintf(x->species[0], sizeof *x->species, "%.15s", w->name[k]);
        snprintf(x->name, sizeof x->name, "%.15s", w->name[k]);
        for (int v = 0; v < 3; v++)
            x->site->root[v] = sqrt(w->w[k]);
    }
    return 0;
}

/* ---- atoms of the trajectory */

static bool empty(const struct site *s)
{
    return s->root[0] == 0.0 && s->root[1] == 0.0 && s->root[2] == 0.0;
}

/* Returns the number of consecutive atoms, from atom `a` on, that match `x`. */
static size_t matched(const struct alpha_model *m, const struct kind *x,
                      const struct pair_names *names, size_t a)
{
    size_t i = 0;
    while (i < x->natoms && a + i < m->natoms &&
           strcmp(x->species[i], names->name[names->species[a + i]]) == 0)
        i++;
    return i;
}

/* Returns the kind of molecule that begins at atom `a`, or NULL if no molecule begins there. */
static struct kind *kind_of(struct alpha_model *m, const struct pair_names *names, size_t a)
{
    struct kind *best = NULL;
    for (size_t k = 0; k < m->nkinds; k++) {
        struct kind *x = &m->kind[k];
        if (matched(m, x, names, a) == x->natoms && (!best || x->natoms > best->natoms))
            best = x;
    }
    return best;
}

/* Reports that no molecule begins at atom `a`, and states the longest partial match. Returns -1. */
static int unfit(const struct alpha_model *m, const struct pair_names *names, size_t a,
                 struct err *e)
{
    const struct kind *best = m->kind;
    const char *found = "the end";
    size_t max = 0;
    for (size_t k = 0; k < m->nkinds; k++) {
        size_t n = matched(m, &m->kind[k], names, a);
        if (n > max) {
            max = n;
            best = &m->kind[k];
        }
    }
    if (a + max < m->natoms)
        found = names->name[names->species[a + max]];
    if (!m->path)
        return err_bad(e,
                       "--polarizability: expected a value for species %s, found none (atom %zu, "
                       "counted from 0)",
                       found, a);
    if (max == 0)
        return err_bad(e,
                       "%s: atom %zu (counted from 0): expected the first atom of a molecule of "
                       "the model, such as %s (line %zu), found %s",
                       m->path, a, best->species[0], best->line, found);
    return err_bad(e,
                   "%s: line %zu: expected atom %zu of molecule %s to be %s, found %s (atom %zu of "
                   "the trajectory, counted from 0)",
                   m->path, best->line, max + 1, best->name, best->species[max], found, a + max);
}

static int assign(struct alpha_model *m, const char *from, const struct meta *meta, struct err *e)
{
    struct pair_names names;
    int rc = pair_names_open(&names, meta, m->natoms, (const char *[]){"all"}, 1, e);
    if (rc == 0 && !(m->molecule = malloc(m->natoms)))
        rc = err_memory(e, "the molecules");
    for (size_t a = 0; rc == 0 && a < m->natoms;) {
        struct kind *k = kind_of(m, &names, a);
        if (!k) {
            rc = unfit(m, &names, a, e);
            break;
        }
        m->molecule[m->nmolecules++] = (unsigned char)(k - m->kind);
        k->count++;
        a += k->natoms;
        for (size_t s = 0; s < k->nsites; s++) {
            m->nsites += !empty(&k->site[s]);
            m->npermanent += k->site[s].permanent;
        }
    }
    pair_names_close(&names);
    if (rc == 0 && m->nsites == 0)
        rc = err_bad(e, "%s: expected at least one polarizable atom, found none", from);
    return rc;
}

/* Computes a checksum of everything that matters in the model. */
static uint64_t sum_of(const struct alpha_model *m)
{
    uint64_t sum = META_SUM;
    for (const struct kind *x = m->kind; x < m->kind + m->nkinds; x++) {
        sum = meta_sum(sum, x->species, x->natoms * sizeof *x->species);
        if (x->mass)
            sum = meta_sum(sum, x->mass, x->natoms * sizeof *x->mass);
        for (const struct site *s = x->site; s < x->site + x->nsites; s++) {
            sum = meta_sum(sum, &s->atom, sizeof s->atom);
            sum = meta_sum(sum, s->root, sizeof s->root);
            sum = meta_sum(sum, s->frame, (size_t)s->axes * sizeof *s->frame);
            if (s->permanent)
                sum = meta_sum(sum, s->moment, sizeof s->moment);
        }
    }
    return sum;
}

static void say(struct alpha_model *m)
{
    size_t n = 0;
    for (size_t k = 0; k < m->nkinds && n < sizeof m->given - 1; k++) {
        const struct kind *x = &m->kind[k];
        n += (size_t)snprintf(m->given + n, sizeof m->given - n, "%s%s %zu:", k ? "; " : "",
                              x->name, x->count);
        for (size_t s = 0; s < x->nsites && n < sizeof m->given - 1; s++) {
            const double *r = x->site[s].root;
            n += (size_t)snprintf(m->given + n, sizeof m->given - n,
                                  x->site[s].axes ? " %g,%g,%g" : " %g", r[0] * r[0], r[1] * r[1],
                                  r[2] * r[2]);
        }
    }
    n = n < sizeof m->given - 32 ? n : sizeof m->given - 32;
    snprintf(m->given + n, 32, ", FNV-1a %016llx", (unsigned long long)sum_of(m));
}

struct alpha_model *alpha_model_open(const struct weights *atoms, const char *path,
                                     const struct meta *m, size_t natoms, struct err *e)
{
    struct alpha_model *x = calloc(1, sizeof *x);
    if (!x) {
        err_memory(e, "the model");
        return NULL;
    }
    x->natoms = natoms;
    x->path = path;
    int rc = path ? read_model(x, path, e) : make_atoms(x, atoms, e);
    if (rc == 0 && assign(x, path ? path : "--polarizability", m, e) == 0) {
        say(x);
        return x;
    }
    alpha_model_free(x);
    return NULL;
}

size_t alpha_model_sites(const struct alpha_model *m)
{
    return m->nsites;
}

size_t alpha_model_permanent(const struct alpha_model *m)
{
    return m->npermanent;
}

int alpha_model_neutral(const struct alpha_model *m, bool unwrapped, struct err *e)
{
    double sum = 0.0, all = 0.0;
    const struct kind *charged = NULL;
    for (const struct kind *x = m->kind; x < m->kind + m->nkinds; x++) {
        double own = 0.0, sizes = 0.0;
        for (size_t s = 0; s < x->nsites; s++) {
            own += x->site[s].moment[0];
            sizes += fabs(x->site[s].moment[0]);
        }
        sum += (double)x->count * own;
        all += (double)x->count * sizes;
        if (x->count && fabs(own) > DIPOLE_NEUTRAL * sizes)
            charged = x;
    }
    if (fabs(sum) > DIPOLE_NEUTRAL * all)
        return err_bad(e,
                       "%s: expected a neutral cell, found a total charge of %g e, for which the "
                       "sum over all images diverges",
                       m->path, sum);
    if (charged && !unwrapped)
        return err_bad(e,
                       "%s: line %zu: the dipole moment of the charged molecule %s needs unwrapped "
                       "positions (pipe the input through unwrap)",
                       m->path, charged->line, charged->name);
    return 0;
}

void alpha_model_owners(const struct alpha_model *m, uint32_t (*own)[2])
{
    uint32_t seen = 0;
    for (size_t k = 0; k < m->nmolecules; k++) {
        const struct kind *x = &m->kind[m->molecule[k]];
        uint32_t first = seen;
        for (size_t s = 0; s < x->nsites; s++)
            seen += x->site[s].permanent;
        for (size_t s = 0; s < x->nsites; s++)
            if (!empty(&x->site[s])) {
                (*own)[0] = first;
                (*own++)[1] = seen;
            }
    }
}

const char *alpha_model_words(const struct alpha_model *m)
{
    return m->given;
}

/* ---- a step */

static double unit(double v[3])
{
    double r = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int c = 0; c < 3; c++)
        v[c] /= r;
    return r;
}

/* Sets the rows of `a` to the local frame of a site in molecule `r`. Returns false if it is
 * undefined. */
static bool axes(const struct site *s, const double (*r)[3], double a[3][3])
{
    double *x = a[0], *y = a[1], *z = a[2], c[3];
    for (int k = 0; k < 3; k++) {
        z[k] = r[s->frame[1]][k] - r[s->frame[0]][k];
        c[k] = s->axes == 3 ? r[s->frame[2]][k] - r[s->frame[0]][k] : 0.0;
    }
    if (!(unit(z) > 1e-6))
        return false;
    if (s->axes == 2) /* any direction not along z */
        c[fabs(z[0]) < 0.6 ? 0 : 1] = 1.0;
    box_cross(z, c, y);
    if (!(unit(y) > 1e-6))
        return false;
    box_cross(y, z, x);
    return true;
}

/* Rotates the moments of a site from its local frame `a`, if it has one, to the frame of the
 * cell. */
static void turn(const struct site *s, const double a[3][3], double *to)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const double *m = s->moment + 1, *q = s->moment + 4;
    memcpy(to, s->moment, sizeof s->moment);
    if (!s->axes)
        return;
    double qa[3][3];
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++)
            qa[i][d] = (q[at[i][0]] * a[0][d] + q[at[i][1]] * a[1][d]) + q[at[i][2]] * a[2][d];
    for (int c = 0, n = 4; c < 3; c++) {
        to[1 + c] = (m[0] * a[0][c] + m[1] * a[1][c]) + m[2] * a[2][c];
        for (int d = c; d < 3; d++, n++)
            to[n] = (a[0][c] * qa[0][d] + a[1][c] * qa[1][d]) + a[2][c] * qa[2][d];
    }
}

static bool put_site(const struct kind *k, const struct site *s, const double (*r)[3], double *at,
                     double *t, double *moments)
{
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, mass = 0.0;
    if (s->axes && !axes(s, r, a))
        return false;
    if (moments)
        turn(s, (const double(*)[3])a, moments);
    for (int c = 0, n = 0; c < 3; c++) {
        at[c] = s->atom == CENTRE ? 0.0 : r[s->atom][c];
        for (int d = c; t && d < 3; d++, n++)
            t[n] = (s->root[0] * a[0][c] * a[0][d] + s->root[1] * a[1][c] * a[1][d]) +
                   s->root[2] * a[2][c] * a[2][d];
    }
    for (size_t i = 0; s->atom == CENTRE && i < k->natoms; i++) {
        mass += k->mass[i];
        for (int c = 0; c < 3; c++)
            at[c] += k->mass[i] * r[i][c];
    }
    for (int c = 0; s->atom == CENTRE && c < 3; c++)
        at[c] /= mass;
    return true;
}

int alpha_model_place(const struct alpha_model *m, enum frame_dtype dtype, const void *pos,
                      const struct box *b, uint64_t frame, double *at, double *s,
                      struct alpha_permanent *permanent, struct err *e)
{
    double r[ATOMS][3];
    for (size_t k = 0, first = 0; k < m->nmolecules; k++) {
        const struct kind *x = &m->kind[m->molecule[k]];
        for (size_t i = 0; i < x->natoms; i++) {
            real_vector(pos, dtype == FRAME_F64, first + i, r[i]);
            double d[3];
            for (int c = 0; i && c < 3; c++)
                d[c] = r[i][c] - r[i - 1][c];
            if (i)
                box_image(b, d);
            for (int c = 0; i && c < 3; c++)
                r[i][c] = r[i - 1][c] + d[c];
        }
        for (size_t q = 0; q < x->nsites; q++) {
            const struct site *site = &x->site[q];
            bool moments = permanent && site->permanent, none = empty(site);
            double p[3], t[ALPHA_TENSOR];
            if (none && !moments)
                continue;
            if (!put_site(x, site, (const double(*)[3])r, p, none ? NULL : t,
                          moments ? permanent->moment : NULL))
                return err_bad(e,
                               "frame %llu: molecule %zu (%s, first atom %zu): the atoms that "
                               "define its axes coincide or are collinear (%s, line %zu)",
                               (unsigned long long)frame, k, x->name, first, m->path, site->line);
            if (moments) {
                memcpy(permanent->at, p, sizeof p);
                permanent++->size = site->size;
            }
            if (none)
                continue;
            memcpy(at, p, sizeof p);
            memcpy(s, t, sizeof t);
            at += 3;
            s += ALPHA_TENSOR;
        }
        first += x->natoms;
    }
    return 0;
}

void alpha_model_free(struct alpha_model *m)
{
    if (!m)
        return;
    for (size_t k = 0; k < m->nkinds; k++) {
        free(m->kind[k].species);
        free(m->kind[k].mass);
        free(m->kind[k].site);
    }
    free(m->molecule);
    free(m);
}
