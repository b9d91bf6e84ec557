/* SPDX-License-Identifier: MIT */
#include "select/charges.h"

#include <math.h>
#include <string.h>

#include "io/decimal.h"
#include "io/lines.h"
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

/* Reads the charge in a line, if any, as number *n. Returns 0, or -1 and sets e. */
static int take(char *line, size_t natoms, double *charge, size_t *n, struct err *e)
{
    line[strcspn(line, "#")] = '\0';
    char *s = line + strspn(line, " \t");
    size_t len = strcspn(s, " \t");
    if (!len)
        return 0;
    if (*n == natoms)
        return err_bad(e, "expected %zu charges, one per atom, found more", natoms);
    if (s[len + strspn(s + len, " \t")] || decimal_get_f64(s, len, DECIMAL_OURS, &charge[*n]) ||
        !(fabs(charge[*n]) <= CHARGES_MAX))
        return err_bad(e, "expected a charge from %g to %g, found '%.40s'", -CHARGES_MAX,
                       CHARGES_MAX, s);
    ++*n;
    return 0;
}

static int of_file(const char *path, size_t natoms, double *charge, struct err *e)
{
    struct lines l;
    size_t n = 0;
    int got = lines_open(&l, path, path, NULL, e) == 0 ? 1 : -1;
    while (got > 0 && (got = lines_next(&l, e)) > 0)
        if (take(l.line, natoms, charge, &n, e) != 0)
            got = err_in(e, ERR_BAD, path, l.at, "%s", e->text);
    if (got == 0 && n < natoms)
        got =
            err_in(e, ERR_BAD, path, 0, "expected %zu charges, one per atom, found %zu", natoms, n);
    lines_close(&l);
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
