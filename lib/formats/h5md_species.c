/* SPDX-License-Identifier: MIT */
/* Reads the species of an H5MD file, which are numbers, named numbers or names. */
#ifdef HDF5_LIBRARY
#include "formats/h5md.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the name of v from the enumeration or /parameters (mbf-python(7)), or else its digits. */
static int name_type(const struct hdf5_set *s, char (*names)[HDF5_WORD], size_t n, int64_t v,
                     char name[HDF5_WORD], struct err *e)
{
    int64_t value;
    int got = s->kind == HDF5_ENUM;
    for (unsigned k = 0; got == 1; k++)
        if ((got = hdf5_enum(s, k, name, &value, e)) == 1 && value == v)
            return 0;
    if (got < 0)
        return -1;
    if (s->kind == HDF5_WHOLE && v >= 0 && (uint64_t)v < n)
        snprintf(name, HDF5_WORD, "%s", names[v]);
    else
        snprintf(name, HDF5_WORD, "%" PRIi64, v);
    return 0;
}

/* Reads the types or texts of this frame in the order of the ids. Returns 0 or -1. */
static int read_kinds(struct h5md *h, int64_t *types, char (**texts)[HDF5_WORD], struct err *e)
{
    const struct element *x = &h->of[SPECIES];
    size_t n, natoms = h->info->natoms, bytes = types ? sizeof *types : HDF5_WORD;
    if (types ? h5md_read_row(h, SPECIES, HDF5_I64, types, e) != 0
              : hdf5_texts(&h->file, &x->set, x->moving ? (int64_t)x->row : HDF5_ALL, texts, &n,
                           e) != 0)
        return -1;
    void *scratch = h->place ? malloc(natoms * bytes) : NULL;
    if (h->place && !scratch)
        return err_memory(e, "the species");
    if (h->place)
        sort_by_id_apply(&h->order, h->place, types ? (void *)types : (void *)*texts, bytes,
                         scratch);
    free(scratch);
    return 0;
}

/* Stores the species of the first frame and their names in h->info. Returns 0 or -1. */
static int name_species(struct h5md *h, char (*names)[HDF5_WORD], size_t nnames, struct err *e)
{
    const struct hdf5_set *s = &h->of[SPECIES].set;
    struct format_info *in = h->info;
    int64_t seen[FORMAT_NAMES] = {0}; /* number that belongs to each name */
    for (size_t k = 0; k < in->natoms && in->species; k++) {
        char text[HDF5_WORD];
        const char *name = h->texts0 ? h->texts0[k] : text;
        int i = 0;
        while (!h->texts0 && i < in->nnames && seen[i] != h->types0[k])
            i++;
        if (h->texts0 || i == in->nnames) {
            if (!h->texts0 && name_type(s, names, nnames, h->types0[k], text, e) != 0)
                return -1;
            i = format_name(in, name, strlen(name));
        }
        if (i >= 0) {
            in->species[k] = (unsigned char)i;
            seen[i] = h->texts0 ? 0 : h->types0[k];
            continue;
        }
        free(in->species);
        in->species = NULL;
    }
    return 0;
}

int h5md_begin_species(struct h5md *h, struct err *e)
{
    const struct hdf5_set *s = &h->of[SPECIES].set;
    struct format_info *in = h->info;
    size_t n = in->natoms, nnames = 0;
    bool text = s->kind == HDF5_TEXT;
    char(*names)[HDF5_WORD] = NULL;
    if (!s->id)
        return 0;
    if (err_over(e, (double)n * (text ? 3 * HDF5_WORD : 32), h->o->max_mem, NULL, "%zu species", n))
        return -1;
    /* an attribute with this name is ignored unless it is text */
    if (hdf5_attribute(&h->file, "parameters", "species", &names, &nnames, e) < 0)
        return -1;
    in->types = s->kind == HDF5_WHOLE && !nnames;
    in->species = calloc(n, 1);
    h->types0 = text ? NULL : malloc(n * sizeof *h->types0);
    h->types = text ? NULL : malloc(n * sizeof *h->types);
    int bad = !in->species || (!text && (!h->types0 || !h->types))
                  ? err_memory(e, "the species")
                  : read_kinds(h, h->types0, &h->texts0, e) || name_species(h, names, nnames, e);
    free(names);
    return bad ? -1 : 0;
}

/* Species that are stored per step must not change. */
int h5md_check_species(struct h5md *h, struct err *e)
{
    char(*texts)[HDF5_WORD] = NULL;
    size_t k = 0, n = h->info->natoms;
    const char *path = h->of[SPECIES].set.path;
    if (read_kinds(h, h->types, &texts, e) != 0)
        return -1;
    while (k < n && (texts ? strcmp(texts[k], h->texts0[k]) == 0 : h->types[k] == h->types0[k]))
        k++;
    if (k < n && texts)
        err_bad(e, "%s: expected species %s of atom %zu as in the first frame, found %s", path,
                h->texts0[k], k, texts[k]);
    else if (k < n)
        err_bad(e, "%s: expected species %lld of atom %zu as in the first frame, found %lld", path,
                (long long)h->types0[k], k, (long long)h->types[k]);
    free(texts);
    return k < n ? -1 : 0;
}
#endif
