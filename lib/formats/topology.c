/* SPDX-License-Identifier: MIT */
#include "formats/topology.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/elements.h"
#include "io/decimal.h"
#include "io/lines.h"
#include "io/magic.h"
#include "stream/frame_output.h"

enum { NAME = 8, RESIDUE = 16 };

struct atom {
    char name[NAME], element[NAME], residue[RESIDUE];
    bool begins; /* a molecule begins after TER */
};

struct topology {
    struct lines l;
    size_t n, capacity;
    struct atom *atom;
    bool elements; /* every atom so far has an element */
};

static int bad(const struct topology *t, struct err *e, const char *expected)
{
    int len = t->l.len < 40 ? (int)t->l.len : 40;
    return err_in(e, ERR_BAD, t->l.name, t->l.at, "expected %s, found '%.*s'", expected, len,
                  t->l.line);
}

/* Copies columns [from, from + n) of the line without outer blanks, or "" if the line is
 * shorter. */
static void columns(const struct topology *t, size_t from, size_t n, char *to)
{
    while (n > 0 && from < t->l.len && t->l.line[from] == ' ')
        from++, n--;
    if (from >= t->l.len)
        n = 0;
    else if (n > t->l.len - from)
        n = t->l.len - from;
    while (n > 0 && t->l.line[from + n - 1] == ' ')
        n--;
    memcpy(to, t->l.line + (n ? from : 0), n);
    to[n] = '\0';
}

/* Appends an atom, whose members the caller sets. Returns the atom, or NULL and sets *e. */
static struct atom *more(struct topology *t, struct err *e)
{
    if (t->n == t->capacity) {
        size_t want = t->capacity ? 2 * t->capacity : 4096;
        struct atom *atom = realloc(t->atom, want * sizeof *atom);
        if (!atom) {
            err_memory(e, "a topology");
            return NULL;
        }
        t->atom = atom;
        t->capacity = want;
    }
    t->atom[t->n].begins = false;
    return &t->atom[t->n++];
}

/* Reads a GRO file: title, atom count, atom lines (residue number and name, name; 5 each). */
static int read_gro(struct topology *t, struct err *e)
{
    char text[24];
    uint64_t natoms;
    int got = lines_next(&t->l, e);
    if (got < 0)
        return -1;
    columns(t, 0, sizeof text - 1, text);
    if (decimal_get_u64(text, strlen(text), UINT32_MAX, &natoms) != 0 || natoms == 0)
        return bad(t, e, "the number of atoms in GRO format (a .gro or .pdb file)");
    while (t->n < natoms) {
        if ((got = lines_next(&t->l, e)) < 0)
            return -1;
        if (got == 0)
            return err_in(e, ERR_BAD, t->l.name, 0,
                          "expected %llu atoms, but the file ends after %zu",
                          (unsigned long long)natoms, t->n);
        if (t->l.len < 20)
            return bad(t, e, "an atom in GRO format");
        struct atom *a = more(t, e);
        if (!a)
            return -1;
        columns(t, 0, 10, a->residue);
        columns(t, 10, 5, a->name);
        t->elements = false;
    }
    return 0;
}

/* Reads ATOM and HETATM lines of the first PDB model, beginning with the current line. */
static int read_pdb(struct topology *t, struct err *e)
{
    int got = 1;
    bool begins = false;
    for (; got > 0; got = lines_next(&t->l, e)) {
        if (strncmp(t->l.line, "ENDMDL", 6) == 0 || strcmp(t->l.line, "END") == 0)
            break;
        begins |= strncmp(t->l.line, "TER", 3) == 0;
        if (strncmp(t->l.line, "ATOM  ", 6) != 0 && strncmp(t->l.line, "HETATM", 6) != 0)
            continue;
        if (t->l.len < 27)
            return bad(t, e, "an atom in PDB format");
        struct atom *a = more(t, e);
        if (!a)
            return -1;
        a->begins = begins;
        begins = false;
        columns(t, 12, 4, a->name);
        columns(t, 17, 10, a->residue);
        columns(t, 76, 2, a->element);
        t->elements = t->elements && isalpha((unsigned char)*a->element);
        if (*a->element)
            a->element[1] = (char)tolower((unsigned char)a->element[1]);
    }
    return got < 0 ? -1 : 0;
}

/* Reads the atoms of a PSF file: number, segment, residue number and name, and name, in columns
 * of 4 characters, of 8 if the first line contains EXT, or of any width if it contains NAMD. */
static int read_psf(struct topology *t, struct err *e)
{
    char text[24], number[64], kind[64], atom[64];
    uint64_t natoms = 0;
    bool words = strstr(t->l.line, " NAMD") != NULL, wide = strstr(t->l.line, " EXT") != NULL;
    size_t name = wide ? 38 : 24, width = wide ? 8 : 4, residue = wide ? 20 : 14;
    int got;
    while ((got = lines_next(&t->l, e)) > 0 && !strstr(t->l.line, "!NATOM"))
        ;
    columns(t, 0, wide ? 10 : 8, text);
    if (got > 0 && (decimal_get_u64(text, strlen(text), UINT32_MAX, &natoms) != 0 || natoms == 0))
        return bad(t, e, "the number of atoms before !NATOM");
    while (got > 0 && t->n < natoms && (got = lines_next(&t->l, e)) > 0) {
        if (words ? sscanf(t->l.line, "%*s %*s %63s %63s %63s", number, kind, atom) != 3
                  : t->l.len <= name || t->l.line[name - 1] != ' ' || t->l.line[name] == ' ')
            return bad(t, e, "an atom in PSF format");
        struct atom *a = more(t, e);
        if (!a)
            return -1;
        t->elements = false;
        if (words) {
            snprintf(a->residue, RESIDUE, "%.8s%.7s", number, kind);
            snprintf(a->name, NAME, "%.7s", atom);
            continue;
        }
        columns(t, residue, width, a->residue);
        columns(t, residue + width + 1, wide ? 7 : 4, a->residue + strlen(a->residue));
        columns(t, name, wide ? 7 : 4, a->name);
    }
    return got != 0 ? got < 0 ? -1 : 0
                    : err_in(e, ERR_BAD, t->l.name, 0,
                             "expected %llu atoms after !NATOM, but the file ends after %zu",
                             (unsigned long long)natoms, t->n);
}

/* Stores the names in info. */
static int give_names(const struct topology *t, struct format_info *info, struct err *e)
{
    if (t->n != info->natoms)
        return err_in(e, ERR_BAD, t->l.name, 0,
                      "expected the %zu atoms of the trajectory, found %zu", info->natoms, t->n);
    if (!info->species && !(info->species = malloc(t->n)))
        return err_memory(e, "the names of the atoms");
    info->nnames = 0;
    info->types = true;
    info->elements = false;
    for (size_t a = 0; a < t->n; a++) {
        const char *name = t->elements ? t->atom[a].element : t->atom[a].name;
        int k = format_name(info, name, strlen(name));
        if (k < 0) {
            if (*name)
                err_bad(e, "%s", info->note);
            else
                err_bad(e, "expected the name of an atom, found none");
            return err_atom(e, a), err_file(e, t->l.name);
        }
        info->species[a] = (unsigned char)k;
    }
    return 0;
}

struct member {
    int64_t molecule;
    size_t atom;
};

static int by_molecule(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->molecule != y->molecule ? (x->molecule > y->molecule) - (x->molecule < y->molecule)
                                      : (x->atom > y->atom) - (x->atom < y->atom);
}

int topology_molecules(const char *path, const int64_t *molecule, size_t natoms, struct err *e)
{
    struct output o;
    size_t len = 0, capacity = 12 * natoms + 1; /* room for a number below 2^32 and a separator */
    char *text = malloc(capacity);
    struct member *m = malloc(natoms * sizeof *m);
    for (size_t a = 0; m && a < natoms; a++)
        m[a] = (struct member){molecule[a], a};
    if (m)
        qsort(m, natoms, sizeof *m, by_molecule);
    for (size_t a = 0, end; text && m && a < natoms; a = end) {
        for (end = a + 1; end < natoms && m[end].molecule == m[a].molecule;)
            end++;
        for (size_t k = a; m[a].molecule && end - a > 1 && k < end; k++)
            len += (size_t)snprintf(text + len, capacity - len, "%zu%c", m[k].atom,
                                    k + 1 < end ? ' ' : '\n');
    }
    struct iovec all = {text, len};
    int failed = text && m ? output_open(&o, path, true, e) : err_memory(e, "the molecules");
    if (!failed) {
        bool written = output_writev(&o, &all, 1) == 0;
        if (!written)
            failed = err_in(e, ERR_MACHINE, path, 0, "cannot write: %s", strerror(errno));
        failed |= output_close(&o, written, written ? e : NULL);
    }
    free(text);
    free(m);
    return failed ? -1 : 0;
}

/* Writes the residues, which are consecutive atoms. */
static int give_molecules(const struct topology *t, const char *path, struct err *e)
{
    int64_t *molecule = malloc(t->n * sizeof *molecule);
    for (size_t a = 0; molecule && a < t->n; a++)
        molecule[a] =
            a == 0 ? 1
                   : molecule[a - 1] + (t->atom[a].begins ||
                                        strcmp(t->atom[a].residue, t->atom[a - 1].residue) != 0);
    int failed =
        molecule ? topology_molecules(path, molecule, t->n, e) : err_memory(e, "the molecules");
    free(molecule);
    return failed;
}

int topology_read(const char *path, const char *molecules, bool elements, struct format_info *info,
                  struct err *e)
{
    struct topology t = {.elements = true};
    static const char *const pdb[] = {"HEADER", "TITLE", "REMARK", "CRYST1", "ATOM",
                                      "HETATM", "MODEL", "COMPND", "AUTHOR", "EXPDTA"};
    int got = lines_open(&t.l, path, path, magic_foreign_to_topology, e), is_pdb = 0;
    t.l.whole = "END";
    got = got == 0 ? lines_next(&t.l, e) : -1;
    for (size_t k = 0; got > 0 && k < sizeof pdb / sizeof *pdb; k++)
        is_pdb |= strncmp(t.l.line, pdb[k], strlen(pdb[k])) == 0;
    int failed = got < 0 ? -1
                 : got == 0
                     ? err_in(e, ERR_BAD, path, 0, "expected GRO, PDB or PSF, found an empty file")
                 : is_pdb                           ? read_pdb(&t, e)
                 : strncmp(t.l.line, "PSF", 3) == 0 ? read_psf(&t, e)
                                                    : read_gro(&t, e);
    if (failed || give_names(&t, info, e) != 0 ||
        (elements && !t.elements && elements_put(info, t.atom->residue, sizeof *t.atom, e) != 0 &&
         err_file(e, path) != 0) ||
        (molecules && give_molecules(&t, molecules, e) != 0))
        failed = -1;
    lines_close(&t.l);
    free(t.atom);
    return failed;
}
