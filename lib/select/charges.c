/* SPDX-License-Identifier: MIT */
#include "select/charges.h"

#include <string.h>

#include "io/decimal.h"
#include "select/charges_top.h"
#include "select/weights.h"

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

#define BLANK " \t\r"

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
        return err_bad(
            e, "expected an atom line that ends with a charge and a radius, found another line");
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
