/* SPDX-License-Identifier: MIT */
/* Determines the species of a trajectory from the file and from --species. */
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "stream/meta.h"

/* Renames types according to "1=Ar,2=Kr". Returns 0 or -1. */
static int rename_types(struct format_info *in, const char *spec, const char *file,
                        const char *title, struct err *e)
{
    bool named[FORMAT_NAMES] = {false}, any = false;
    const char *remedy = in->nnames ? ", but with names"
                                    : " (name the atoms directly, as in --species '348*(O 1 H 2)')";
    if (!in->types)
        return err_bad(
            e, "%s: --species %s: expected atom types to rename, found %s without atom types%s",
            file, spec, title, remedy);
    for (const char *p = spec; *p;) {
        size_t len = strcspn(p, ","), key = strcspn(p, "=,");
        if (key == 0 || key + 1 >= len || len - key - 1 >= sizeof in->names[0])
            return err_bad(e, "--species: expected TYPE=NAME,..., found '%s'", spec);
        for (const char *q = spec; q < p; q += strcspn(q, ",") + 1)
            if (strncmp(q, p, key + 1) == 0)
                return err_bad(e, "--species: expected each type once, found %.*s twice", (int)key,
                               p);
        int k = 0;
        while (k < in->nnames &&
               (named[k] || strncmp(in->names[k], p, key) != 0 || in->names[k][key] != '\0'))
            k++;
        if (k < in->nnames) { /* types absent from this trajectory are ignored */
            memcpy(in->names[k], p + key + 1, len - key - 1);
            in->names[k][len - key - 1] = '\0';
            named[k] = any = true;
        }
        p += len + (p[len] == ',');
    }
    if (in->elements && !any)
        return err_bad(
            e,
            "%s: --species: expected types or elements of the first frame, found only others in %s",
            file, spec);
    for (int k = 0; k < in->nnames; k++)
        if (!named[k] && !in->elements)
            return err_bad(e,
                           "%s: expected a name for each type in --species, found none for type %s",
                           file, in->names[k]);
    return 0;
}

uint64_t format_key(const char *s, size_t len)
{
    uint64_t v = 0;
    memcpy(&v, s, len < sizeof v ? len : sizeof v);
    for (size_t k = sizeof v; k < len; k++) /* FNV-1a */
        v = (v ^ (unsigned char)s[k]) * UINT64_C(0x100000001b3);
    return v;
}

/* Returns whether --species NAMES or --topology replace the names of the file. */
static bool named_by_user(const struct formats_opts *o)
{
    return o->topology || (o->species && !strchr(o->species, '='));
}

static int changed(const struct format_info *info, size_t atom, const char *found, struct err *e)
{
    const char *name = info->types ? "A" : info->names[info->species[0]];
    return err_bad(e,
                   "expected atom %zu to be '%s' as in the first frame, found '%.15s' (to ignore "
                   "the names in the file, name all atoms, as in --species '%s %zu')",
                   atom, info->names[info->species[atom]], found, name, info->natoms);
}

int format_same_species(const struct format_info *info, const struct formats_opts *o,
                        const uint64_t *keys, const size_t *place, struct err *e)
{
    uint64_t key[FORMAT_NAMES + 1], differ = 0;
    const unsigned char *of = info->species;
    char text[sizeof *keys + 1] = "";
    size_t n = info->natoms, row = 0;
    if (!of || named_by_user(o))
        return 0;
    for (int k = 0; k < info->nnames; k++)
        key[k] = format_key(info->names[k], strlen(info->names[k]));
    if (place)
        for (size_t k = 0; k < n; k++)
            differ |= key[of[place[k]]] ^ keys[k];
    else
        for (size_t k = 0; k < n; k++)
            differ |= key[of[k]] ^ keys[k];
    if (!differ)
        return 0;
    while (key[of[place ? place[row] : row]] == keys[row])
        row++;
    memcpy(text, &keys[row], sizeof *keys);
    const char *found = text[7] ? "another name" : text;
    for (int k = 0; k < info->nnames; k++)
        found = key[k] == keys[row] ? info->names[k] : found;
    return changed(info, place ? place[row] : row, found, e);
}

int format_same_files(const struct format_info *first, const struct format_info *now,
                      const struct formats_opts *o, struct err *e)
{
    for (int k = 0; k < o->nscalars; k++) {
        const char *want = first->unit[k], *found = now->unit[k];
        const char *wanted = *want ? want : "none", *other = *found ? found : "none";
        if (strcmp(want, found) != 0)
            return err_bad(e, "expected the unit '%s' of %s, as in the first file, found '%s'",
                           wanted, o->scalars[k].name, other);
    }
    if (!first->species || !now->species || named_by_user(o))
        return 0;
    for (size_t a = 0; a < first->natoms; a++)
        if (strcmp(first->names[first->species[a]], now->names[now->species[a]]) != 0)
            return changed(first, a, now->names[now->species[a]], e);
    return 0;
}

int format_put_species(struct format_info *in, const char *spec, const char *file,
                       const char *title, struct meta *m, struct err *e)
{
    if (spec && !strchr(spec, '=')) {
        char names[FORMAT_NAMES][16];
        struct err why;
        unsigned char *species = malloc(in->natoms);
        int n = !species || meta_set(m, "sys.species", spec) != 0
                    ? err_memory(&why, "the species")
                    : meta_species(m, in->natoms, species, names, FORMAT_NAMES, &why);
        free(species);
        return n < 0 ? err_set(e, why.status, "--species %s: %s", spec, why.text) : 0;
    }
    if (spec && rename_types(in, spec, file, title, e) != 0)
        return -1;
    if (!in->species)
        return 0;
    /* two types may have the same name */
    for (int k = 0; k < in->nnames; k++)
        for (int j = 0; j < k; j++)
            if (strcmp(in->names[j], in->names[k]) == 0)
                for (size_t a = 0; a < in->natoms; a++)
                    in->species[a] = in->species[a] == k ? (unsigned char)j : in->species[a];
    return meta_set_species(m, in->natoms, in->species, (const char(*)[16])in->names) == 0
               ? 0
               : err_memory(e, "the species");
}
