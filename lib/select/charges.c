/* SPDX-License-Identifier: MIT */
#include "select/charges.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/decimal.h"
#include "io/lines.h"
#include "select/weights.h"

#define CHARGES_MAX 1e6 /* units of e */
#define BLANK " \t\r"
enum { WORDS = 7, FILES = 32, NESTED = 64, EXPANSIONS = 16 };
enum section { NOWHERE, OTHER, ATOMTYPES, MOLECULETYPE, ATOMS, MOLECULES };

/* An atom type (charge), a molecule type (atoms [first, first + n)) or a macro (text). */
struct entry {
    char *name, *text;
    double charge;
    size_t first, n;
};

struct list {
    struct entry *at;
    size_t n, capacity;
};

struct top {
    const char *file;
    struct list types, kinds, macros;
    double *q; /* [nq] charges of the atoms of all molecule types */
    size_t nq, capacity;
    char *text; /* a line with its continuations */
    size_t len, room;
    enum section section;
    bool counted; /* whether [ molecules ] had a line */
    size_t files, depth;
    bool off[NESTED], other[NESTED]; /* of each open #ifdef: lines are skipped; after #else */
    double *charge;
    size_t n, natoms;
};

/* Sets *charge to the number in `text`. Returns 0, or -1 and sets e if it is not a number from
 * -CHARGES_MAX to CHARGES_MAX. */
static int charges_number(const char *text, double *charge, struct err *e)
{
    if (decimal_get_f64(text, strlen(text), DECIMAL_OURS, charge) == 0 &&
        fabs(*charge) <= CHARGES_MAX)
        return 0;
    return err_bad(e, "expected a charge from %g to %g, found '%.40s'", -CHARGES_MAX, CHARGES_MAX,
                   text);
}

/* Makes *p, of `size` bytes per item, large enough for n items. Returns 0 or -1. */
static int grow(void *p, size_t *capacity, size_t n, size_t size, struct err *e)
{
    void *old, *more;
    if (n <= *capacity)
        return 0;
    memcpy(&old, p, sizeof old);
    more = realloc(old, (2 * n + 64) * size);
    if (!more)
        return err_memory(e, "the topology");
    memcpy(p, &more, sizeof more);
    *capacity = 2 * n + 64;
    return 0;
}

static struct entry *find(const struct list *l, const char *name)
{
    for (size_t k = l->n; *name && k-- > 0;)
        if (strcmp(l->at[k].name, name) == 0)
            return &l->at[k];
    return NULL;
}

/* Adds an entry to l. Returns 0 or -1. */
static int add(struct list *l, const char *name, const char *text, double charge, size_t first,
               struct err *e)
{
    size_t len = strlen(name) + 1, size = len + strlen(text) + 1;
    if (grow(&l->at, &l->capacity, l->n + 1, sizeof *l->at, e) != 0)
        return -1;
    char *s = malloc(size);
    if (!s)
        return err_memory(e, "the topology");
    memcpy(s, name, len);
    memcpy(s + len, text, size - len);
    l->at[l->n++] = (struct entry){s, s + len, charge, first, 0};
    return 0;
}

/* Splits s into at most WORDS words and replaces macros that have a text. Returns the number of
 * words; the others are "". */
static size_t split(const struct top *t, char *s, const char *w[WORDS])
{
    size_t n = 0;
    for (size_t k = 0; k < WORDS; k++) {
        const struct entry *macro;
        s += strspn(s, BLANK);
        size_t len = strcspn(s, BLANK);
        char *next = s + len + (s[len] != '\0');
        s[len] = '\0';
        n += len > 0;
        w[k] = s;
        for (int i = 0; i < EXPANSIONS && (macro = find(&t->macros, w[k])) && *macro->text; i++)
            w[k] = macro->text;
        s = next;
    }
    return n;
}

/* Reads "name [bonded type] [atomic number] mass charge particle-type ...". Which of the optional
 * words are there follows from the place of the particle type, which is one letter. */
static int put_type(struct top *t, const char *const w[WORDS], struct err *e)
{
    size_t at = isalpha(w[5][0]) && !w[5][1] ? 5 : isalpha(w[3][0]) && !w[3][1] ? 3 : 4;
    double charge;
    if (!isalpha(w[at][0]) || w[at][1])
        return err_bad(e,
                       "expected the mass, charge and particle type of atom type %.40s, found "
                       "no particle type",
                       w[0]);
    return charges_number(w[at - 1], &charge, e) || add(&t->types, w[0], "", charge, 0, e) ? -1 : 0;
}

static int put_kind(struct top *t, const char *name, struct err *e)
{
    if (find(&t->kinds, name))
        return err_bad(e, "expected each molecule type once, found %.40s twice", name);
    return add(&t->kinds, name, "", 0.0, t->nq, e);
}

/* Reads "number type residue-number residue name group [charge] ...". */
static int put_atom(struct top *t, const char *const w[WORDS], size_t n, struct err *e)
{
    struct entry *kind = t->kinds.n ? &t->kinds.at[t->kinds.n - 1] : NULL;
    uint64_t number;
    if (!kind)
        return err_bad(e, "expected [ moleculetype ] before [ atoms ], found none");
    if (decimal_get_u64(w[0], strlen(w[0]), SIZE_MAX, &number) != 0 || number != kind->n + 1)
        return err_bad(e,
                       "expected the number %zu for the next atom of molecule type %.40s, found "
                       "'%.40s'",
                       kind->n + 1, kind->name, w[0]);
    if (n < 6)
        return err_bad(e, "expected at least 6 words for an atom, found %zu", n);
    if (grow(&t->q, &t->capacity, t->nq + 1, sizeof *t->q, e) != 0)
        return -1;
    const struct entry *type = find(&t->types, w[1]);
    if (n == 6 && !type)
        return err_bad(e, "expected a charge, or an atom type %.40s with a charge, found neither",
                       w[1]);
    if (n == 6)
        t->q[t->nq] = type->charge;
    else if (charges_number(w[6], &t->q[t->nq], e) != 0)
        return -1;
    t->nq++;
    kind->n++;
    return 0;
}

/* Adds `count` molecules. Returns 0, or -1 and sets e. */
static int put_molecules(struct top *t, const char *name, const char *count, struct err *e)
{
    const struct entry *kind = find(&t->kinds, name);
    uint64_t molecules;
    if (!kind)
        return err_bad(
            e, "expected a molecule type that a section [ moleculetype ] defines, found %.40s",
            name);
    if (!kind->n)
        return err_bad(
            e, "expected atoms of molecule type %.40s in a section [ atoms ], found none", name);
    if (decimal_get_u64(count, strlen(count), SIZE_MAX, &molecules) != 0)
        return err_bad(e, "expected the number of molecules of type %.40s, found '%.40s'", name,
                       count);
    if (molecules > (t->natoms - t->n) / kind->n)
        return err_bad(e,
                       "this line adds %s molecules of %zu atoms to %zu atoms, but the trajectory "
                       "has only %zu atoms",
                       count, kind->n, t->n, t->natoms);
    for (; molecules > 0; molecules--, t->n += kind->n)
        memcpy(t->charge + t->n, t->q + kind->first, kind->n * sizeof *t->q);
    return 0;
}

static int put_section(struct top *t, char *s, struct err *e)
{
    static const char *const names[] = {"atomtypes", "moleculetype", "atoms", "molecules"};
    if (!strchr(s, ']'))
        return err_bad(e, "expected ']' at the end of a section name, found '%.40s'", s);
    s += strspn(s, "[" BLANK);
    s[strcspn(s, "]" BLANK)] = '\0';
    t->section = OTHER;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcasecmp(s, names[k]) == 0)
            t->section = ATOMTYPES + (enum section)k;
    return 0;
}

static int put_line(struct top *t, char *s, struct err *e)
{
    const char *w[WORDS];
    s[strcspn(s, ";")] = '\0';
    s += strspn(s, BLANK);
    if (*s == '[')
        return put_section(t, s, e);
    if (!*s || t->section == OTHER)
        return 0;
    size_t n = split(t, s, w);
    t->counted |= t->section == MOLECULES;
    return t->section == ATOMTYPES      ? put_type(t, w, e)
           : t->section == MOLECULETYPE ? put_kind(t, w[0], e)
           : t->section == ATOMS        ? put_atom(t, w, n, e)
           : t->section == MOLECULES
               ? put_molecules(t, w[0], w[1], e)
               : err_bad(e, "expected a section such as [ moleculetype ], found '%.40s'", s);
}

static bool skips(const struct top *t)
{
    return memchr(t->off, true, t->depth) != NULL;
}

static int read_file(struct top *t, struct lines *l, struct err *e);

static int include(struct top *t, char *s, struct err *e)
{
    char path[4096], close = *s == '<' ? '>' : '"';
    char *end = *s == '<' || *s == '"' ? strchr(s + 1, close) : NULL;
    const char *slash = strrchr(t->file, '/');
    struct lines l;
    if (!end || end == s + 1)
        return err_bad(e, "expected #include \"FILE\", found '%.40s'", s);
    *end = '\0';
    int folder = slash && s[1] != '/' ? (int)(slash + 1 - t->file) : 0;
    int length = snprintf(path, sizeof path, "%.*s%s", folder, t->file, s + 1);
    if (t->files == FILES || length >= (int)sizeof path)
        return err_bad(
            e, "expected at most %d nested #include and a path of fewer than %zu bytes, found more",
            FILES, sizeof path);
    int bad = lines_open(&l, path, path, NULL, e);
    if (bad)
        err_set(e, e->status,
                "cannot read #include \"%s\": %s (gmx grompp -pp FILE.top writes a topology "
                "without #include)",
                s + 1, e->text);
    const char *file = t->file;
    if (!bad) {
        int got = lines_next(&l, e);
        t->file = path;
        bad = got > 0 ? read_file(t, &l, e) : got;
        t->file = file;
    }
    lines_close(&l);
    return bad;
}

/* Evaluates the preprocessor command in s, which follows '#'. The first `base` open #ifdef belong
 * to other files. Returns 0, or -1 and sets e. */
static int command(struct top *t, char *s, size_t base, struct err *e)
{
    struct entry *macro;
    size_t len = strcspn(s, BLANK), *depth = &t->depth;
    char *name = s + len + strspn(s + len, BLANK);
    s[len] = '\0';
    if (strcmp(s, "include") == 0)
        return skips(t) ? 0 : include(t, name, e);
    name[strcspn(name, ";")] = '\0';
    len = strcspn(name, BLANK);
    char *text = name + len + strspn(name + len, BLANK);
    name[len] = '\0';
    for (len = strlen(text); len && strchr(BLANK, text[len - 1]);)
        text[--len] = '\0';
    bool ifdef = strcmp(s, "ifdef") == 0, other = strcmp(s, "else") == 0;
    bool define = strcmp(s, "define") == 0;
    if (ifdef || strcmp(s, "ifndef") == 0) {
        if (*depth == NESTED)
            return err_bad(e, "expected at most %d nested #ifdef, found more", NESTED);
        t->other[*depth] = false;
        t->off[(*depth)++] = (find(&t->macros, name) != NULL) != ifdef;
        return 0;
    }
    if (other || strcmp(s, "endif") == 0) {
        if (*depth == base || (other && t->other[*depth - 1]))
            return err_bad(e, "expected #ifdef or #ifndef before #%s, found none", s);
        if (!other)
            return (*depth)--, 0;
        t->other[*depth - 1] = true;
        t->off[*depth - 1] ^= true;
        return 0;
    }
    if (skips(t))
        return 0;
    if (!define && strcmp(s, "undef") != 0)
        return err_bad(e,
                       "expected #include, #define, #undef, #ifdef, #ifndef, #else or #endif, "
                       "found '#%.40s'",
                       s);
    while ((macro = find(&t->macros, name)))
        *macro->name = '\0';
    return define ? add(&t->macros, name, text, 0.0, 0, e) : 0;
}

/* Adds the line in l to t->text, and evaluates the text unless it continues in the next line. */
static int put(struct top *t, struct lines *l, size_t base, struct err *e)
{
    char *s = l->line + strspn(l->line, BLANK);
    if (*s == '#')
        return command(t, s + 1 + strspn(s + 1, BLANK), base, e);
    if (skips(t))
        return 0;
    while (l->len && strchr(BLANK, l->line[l->len - 1]))
        l->len--;
    bool more = l->len && l->line[l->len - 1] == '\\';
    if (more)
        l->line[l->len - 1] = ' ';
    if (grow(&t->text, &t->room, t->len + l->len + 1, 1, e) != 0)
        return -1;
    memcpy(t->text + t->len, l->line, l->len);
    t->len += l->len;
    if (more)
        return 0;
    t->text[t->len] = '\0';
    t->len = 0;
    return put_line(t, t->text, e);
}

/* Reads l to its end; its first line was read. Returns 0, or -1 and sets e. */
static int read_file(struct top *t, struct lines *l, struct err *e)
{
    size_t base = t->depth;
    int got = 1;
    t->files++;
    for (; got > 0; got = lines_next(l, e))
        if (put(t, l, base, e) != 0)
            return e->file ? -1 : err_in(e, e->status, l->name, l->at, "%s", e->text);
    t->files--;
    if (got == 0 && (t->depth > base || t->len))
        return err_in(e, ERR_BAD, l->name, l->at, "expected %s, found the end of the file",
                      t->len ? "a line after '\\'" : "#endif");
    return got;
}

static void close_list(struct list *l)
{
    while (l->n > 0)
        free(l->at[--l->n].name);
    free(l->at);
}

/* Returns whether the first line of a file with some content begins a topology: a section, a
 * comment after ';', or a preprocessor command of GROMACS. */
static bool charges_top_begins(const char *line)
{
    line += strspn(line, BLANK);
    return *line == '[' || *line == ';' || strncmp(line, "#include", 8) == 0 ||
           strncmp(line, "#define", 7) == 0 || strncmp(line, "#if", 3) == 0;
}

/* Reads the charges of the natoms atoms of a topology. The line in l is its first line, and `l` is
 * read to its end. Commands such as #include and #ifdef are evaluated as in GROMACS without -D and
 * -I. A file without [ molecules ] is one molecule of its only type. Returns 0, or -1 and sets e
 * with the file and the line. Reference: GROMACS reference manual, "Topology file". */
static int charges_top(struct lines *l, size_t natoms, double *charge, struct err *e)
{
    struct top t = {.file = l->name, .charge = charge, .natoms = natoms};
    int bad = read_file(&t, l, e);
    if (!bad && !t.counted && t.kinds.n == 1)
        bad = put_molecules(&t, t.kinds.at[0].name, "1", e);
    else if (!bad && !t.counted)
        bad = err_bad(e,
                      "expected a section [ molecules ] with the number of molecules of each of "
                      "the %zu types, found none",
                      t.kinds.n);
    if (!bad && t.n < natoms)
        bad = err_bad(e, "expected %zu atoms, as in the trajectory, found %zu", natoms, t.n);
    if (bad && !e->file)
        err_in(e, e->status, l->name, 0, "%s", e->text);
    close_list(&t.types);
    close_list(&t.kinds);
    close_list(&t.macros);
    free(t.text);
    free(t.q);
    return bad ? -1 : 0;
}

/* ---- species and other files */

static int of_species(const char *text, const struct meta *m, size_t natoms, double *charge,
                      struct err *e)
{
    static const char *const every[] = {"all"};
    struct pair_names names;
    struct weights given;
    int column[256];
    if (weights_parse(text, &given, e) != 0)
        return -1;
    int bad = pair_names_open(&names, m, natoms, every, 1, e) ||
              weights_match((const char(*)[WEIGHTS_NAME])given.name, given.n, true, "charge",
                            &names, column, e);
    for (size_t i = 0; !bad && i < natoms; i++)
        charge[i] = given.w[column[names.species[i]]];
    pair_names_close(&names);
    return bad;
}

/* Returns the last but one word of an atom line of PQR, which is the charge, or NULL if the last
 * word is not a number, the radius. The lines of a PDB file end with an element instead. */
static char *of_pqr(char *line)
{
    char *end = line + strlen(line), *word = NULL;
    double radius;
    for (int k = 0; k < 2; k++) {
        while (end > line && strchr(BLANK, end[-1]))
            *--end = '\0';
        if (k == 1 && decimal_get_f64(word, strlen(word), DECIMAL_OURS, &radius) != 0)
            return NULL;
        while (end > line && !strchr(BLANK, end[-1]))
            end--;
        word = end;
    }
    return word > line ? word : NULL;
}

/* Reads the charge in a line, if any, as number *n. In a file with atom lines of PQR (*pqr), other
 * lines are ignored. Returns 0, or -1 and sets e. */
static int take(char *line, size_t natoms, double *charge, size_t *n, bool *pqr, struct err *e)
{
    bool atom = strncmp(line, "ATOM ", 5) == 0 || strncmp(line, "HETATM", 6) == 0;
    static const char *const heads[] = {"REMARK", "HEADER", "TITLE", "COMPND", "CRYST1", "MODEL"};
    for (size_t k = 0; *n == 0 && k < sizeof heads / sizeof *heads; k++)
        *pqr |= strncmp(line, heads[k], strlen(heads[k])) == 0;
    *pqr |= atom && *n == 0;
    if (*pqr && !atom)
        return 0;
    line[strcspn(line, "#")] = '\0';
    char *s = *pqr ? of_pqr(line) : line + strspn(line, BLANK);
    if (!s)
        return err_bad(e, "expected a charge and a radius at the end of the atom line, found none");
    size_t len = strcspn(s, BLANK);
    if (!len)
        return 0;
    if (*n == natoms)
        return err_bad(e, "expected %zu charges, one per atom, found more", natoms);
    if (!s[len + strspn(s + len, BLANK)])
        s[len] = '\0';
    return charges_number(s, &charge[(*n)++], e);
}

static int of_file(const char *path, size_t natoms, double *charge, struct err *e)
{
    struct lines l;
    size_t n = 0;
    bool pqr = false, top = false;
    int got = lines_open(&l, path, path, NULL, e) == 0 ? 1 : -1;
    while (got > 0 && (got = lines_next(&l, e)) > 0)
        if (n == 0 && !pqr && charges_top_begins(l.line)) {
            top = true;
            got = charges_top(&l, natoms, charge, e);
        } else if (take(l.line, natoms, charge, &n, &pqr, e) != 0)
            got = err_in(e, ERR_BAD, path, l.at, "%s", e->text);
    if (got == 0 && !top && n < natoms)
        got =
            err_in(e, ERR_BAD, path, 0, "expected %zu charges, one per atom, found %zu", natoms, n);
    lines_close(&l);
    size_t ones = 0;
    while (got == 0 && pqr && ones < natoms && charge[ones] == 1.0)
        ones++;
    if (pqr && ones == natoms)
        got = err_in(e, ERR_BAD, path, 0,
                     "expected the charges of a PQR file, found 1 for every atom, as the occupancy "
                     "in a PDB file");
    return got;
}

int charges_find(const char *text, const struct meta *m, size_t natoms, double *charge,
                 struct err *e)
{
    if ((strchr(text, '=') ? of_species(text, m, natoms, charge, e)
                           : of_file(text, natoms, charge, e)) == 0)
        return 0;
    return err_set(e, e->status, "--charges: %s", e->text); /* without a place in a file */
}
