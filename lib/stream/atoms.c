/* SPDX-License-Identifier: MIT */
#include "stream/atoms.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 256 };

/* Returns whether a name is an item of a list such as "O,H". */
static bool listed(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        if (n == len && memcmp(p, name, n) == 0)
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

/* Checks that every item of the list is among the names. Returns 0, or -1 and sets e. */
static int check_list(const char *list, char (*names)[16], int nnames, size_t natoms, struct err *e)
{
    char all[200] = "", hint[96];
    int shown = 0;
    for (; shown < nnames && strlen(all) < sizeof all - 24; shown++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", shown ? ", " : "",
                 names[shown]);
    if (shown < nnames)
        strcat(all, ", ...");
    if (nnames == 0)
        return err_bad(e, "--species %s: expected names for %zu atoms, found none (%s)", list,
                       natoms, meta_species_hint(natoms, hint));
    for (const char *p = list;; p++) {
        size_t n = strcspn(p, ",");
        bool found = false;
        for (int k = 0; k < nnames; k++)
            found |= strlen(names[k]) == n && memcmp(names[k], p, n) == 0;
        if (!found)
            return err_bad(e, "--species: expected species among %s, found '%.*s'", all,
                           (int)(n < 40 ? n : 40), p);
        if (!*(p += n))
            return 0;
    }
}

/* Writes META of the selected atoms. The array kinds[natoms] indexes names. Returns 0 or -1. */
static int put_meta(const struct atoms *a, struct meta *m, size_t natoms, unsigned char *kinds,
                    char (*names)[16], int nnames)
{
    int bad = meta_setf(m, "sys.natoms", "%zu", a->n);
    if (a->n < natoms && !meta_get(m, "sys.selected_of"))
        bad |= meta_setf(m, "sys.selected_of", "%zu", natoms);
    for (size_t k = 0; k < a->n; k++) /* row[k] >= k */
        kinds[k] = kinds[a->row[k]];
    if (nnames)
        bad |= meta_set_species(m, a->n, kinds, (const char(*)[16])names);
    return bad ? -1 : 0;
}

int atoms_choose(struct atoms *a, struct meta *m, struct err *e)
{
    char names[MAX][16];
    unsigned long long natoms = 0;
    bool kept[MAX];
    if (meta_get_u64(m, "sys.natoms", &natoms) != 1 || natoms > UINT32_MAX)
        return err_bad(e, "expected a valid sys.natoms in META, found none");
    a->n = natoms;
    if (!a->species && a->first == 0 && a->stop >= natoms && a->step == 1)
        return 0;
    unsigned char *kinds = malloc(natoms + 1);
    a->row = malloc((natoms + 1) * sizeof *a->row);
    int n = kinds && a->row ? meta_species(m, natoms, kinds, names, MAX, e)
                            : err_memory(e, "the selection of atoms");
    int bad = n < 0 || (a->species && check_list(a->species, names, n, natoms, e) != 0);
    for (int k = 0; !bad && k < n; k++)
        kept[k] = !a->species || listed(a->species, names[k]);
    a->n = 0;
    for (uint64_t k = a->first; !bad && k < natoms && k < a->stop; k += a->step)
        if (n == 0 || kept[kinds[k]])
            a->row[a->n++] = (uint32_t)k;
    if (!bad && a->n == 0)
        bad = err_bad(e, "--species and --atoms select none of the %llu atoms", natoms);
    if (!bad && put_meta(a, m, natoms, kinds, names, n) != 0)
        bad = err_memory(e, "META");
    free(kinds);
    return bad ? -1 : 0;
}

void atoms_free(struct atoms *a)
{
    free(a->row);
    a->row = NULL;
}
