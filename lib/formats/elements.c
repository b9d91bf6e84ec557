/* SPDX-License-Identifier: MIT */
#include "formats/elements.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "select/masses.h"

enum { WORD = 16 };

static bool listed(const char *list, const char *word)
{
    char with[WORD + 2];
    snprintf(with, sizeof with, " %s ", word);
    return strstr(list, with) != NULL;
}

/* Copies the first word without digits at its start and without digits and signs at its end, in
 * capital letters. */
static void capitals(const char *s, char to[WORD])
{
    size_t n = 0;
    for (s += strspn(s, "0123456789"); *s && *s != ' ' && n < WORD - 1; s++)
        to[n++] = (char)toupper((unsigned char)*s);
    while (n && strchr("0123456789+-", to[n - 1]))
        n--;
    to[n] = '\0';
}

/* Writes the symbol for an ion such as NA or SOD. Returns whether there is a symbol. */
static bool ion(const char *name, char to[WORD])
{
    static const char *const charmm[][2] = {{"SOD", "Na"}, {"POT", "K"},  {"CES", "Cs"},
                                            {"LIT", "Li"}, {"CAL", "Ca"}, {"BAR", "Ba"},
                                            {"CLA", "Cl"}, {"IOD", "I"}};
    for (size_t k = 0; k < sizeof charmm / sizeof *charmm; k++)
        if (strcmp(name, charmm[k][0]) == 0)
            return snprintf(to, WORD, "%s", charmm[k][1]) > 0;
    snprintf(to, WORD, "%.1s%c", name, tolower((unsigned char)(*name ? name[1] : '\0')));
    return strlen(name) < 3 &&
           listed(" Li Na K Rb Cs Mg Ca Sr Ba Zn Cd Cu Fe Mn Co Ni Al Cl Br I He Ne Ar Kr Xe ", to);
}

/* Writes the element of an atom. Returns whether the element is certain. */
static bool element(const char *name, const char *residue, bool alone, bool peptide, char to[WORD])
{
    static const char biological[] =
        " ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL ASH GLH "
        "LYN HID HIE HIP HSD HSE HSP CYX CYM MSE ACE NME NMA NH ";
    char word[WORD], of[WORD], other[WORD];
    snprintf(to, WORD, "%s", name);
    if (strlen(name) == 2 && islower((unsigned char)name[1]) && !isnan(masses_of(name)))
        return true;
    capitals(name, word);
    capitals(residue, of);
    if (listed(" M MW IW EP EPW LP ", word) || strncmp(word, "LP", 2) == 0)
        return true;
    bool may = ion(word, to), is = may && ion(of, other) && strcmp(to, other) == 0;
    if (alone && (is || (may && listed(" ION IONS ", of))))
        return true;
    if (listed(" CL BR FE ZN MG SE SI ", word)) {
        snprintf(to, WORD, "%c%c", word[0], tolower((unsigned char)word[1]));
        return true;
    }
    snprintf(to, WORD, "%.1s", word);
    return *word && strchr("HCNOFPS", *word) && (!may || peptide || listed(biological, of));
}

/* Reports in `e` that the element of atom `a` is uncertain. */
static int uncertain(const struct format_info *info, size_t a, const char *residue, struct err *e)
{
    char list[200] = "", name[WORD];
    size_t n = 0;
    for (int k = 0; k < info->nnames && n < sizeof list - 40; k++) {
        bool known = element(info->names[k], "", false, false, name) && k != info->species[a];
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s=%s", k ? "," : "", info->names[k],
                              known ? name : "ELEMENT");
    }
    const char *of = *residue ? residue : "unknown", *rest = n < sizeof list - 40 ? "" : ",...";
    return err_bad(e,
                   "--elements: the element of atom %zu (residue: %s) is uncertain from its name, "
                   "'%s' (use --species %s%s instead)",
                   a, of, info->names[info->species[a]], list, rest);
}

/* Returns whether the residue that begins at atom `a` has the backbone atoms N, CA and C, as in
 * modified amino acids. */
static bool backbone(const struct format_info *info, size_t a, const char *residue, size_t stride)
{
    static const char *const names[] = {"N", "CA", "C"};
    size_t found = 0;
    for (size_t b = a; b < info->natoms && strcmp(residue + b * stride, residue + a * stride) == 0;
         b++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            found |= (size_t)(strcmp(info->names[info->species[b]], names[k]) == 0) << k;
    return found == 7;
}

int elements_put(struct format_info *info, const char *residue, size_t stride, struct err *e)
{
    struct format_info to = {0};
    unsigned char *species = info->species;
    char name[WORD];
    bool peptide = false;
    for (size_t a = 0; a < info->natoms; a++) {
        const char *at = residue ? residue + a * stride : "";
        bool first = residue && (!a || strcmp(at - stride, at) != 0);
        bool alone = first && (a + 1 == info->natoms || strcmp(at + stride, at) != 0);
        if (first)
            peptide = backbone(info, a, residue, stride);
        if (!element(info->names[species[a]], at, alone, peptide, name))
            return uncertain(info, a, at, e);
        int k = format_name(&to, name, strlen(name));
        if (k < 0)
            return err_bad(e, "--elements: %s", to.note);
        species[a] = (unsigned char)k; /* later atoms still refer to info->names */
    }
    memcpy(info->names, to.names, sizeof to.names);
    info->nnames = to.nnames;
    return 0;
}
