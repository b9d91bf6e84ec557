/* SPDX-License-Identifier: MIT */
#include "select/masses.h"

#include <math.h>
#include <string.h>

static const struct {
    char symbol[3];
    double mass;
} elements[] = {
    {"H", 1.008},   {"D", 2.0141},  {"He", 4.0026}, {"Li", 6.94},   {"Be", 9.0122}, {"B", 10.81},
    {"C", 12.011},  {"N", 14.007},  {"O", 15.999},  {"F", 18.998},  {"Ne", 20.180}, {"Na", 22.990},
    {"Mg", 24.305}, {"Al", 26.982}, {"Si", 28.085}, {"P", 30.974},  {"S", 32.06},   {"Cl", 35.45},
    {"Ar", 39.95},  {"K", 39.098},  {"Ca", 40.078}, {"Sc", 44.956}, {"Ti", 47.867}, {"V", 50.942},
    {"Cr", 51.996}, {"Mn", 54.938}, {"Fe", 55.845}, {"Co", 58.933}, {"Ni", 58.693}, {"Cu", 63.546},
    {"Zn", 65.38},  {"Ga", 69.723}, {"Ge", 72.630}, {"As", 74.922}, {"Se", 78.971}, {"Br", 79.904},
    {"Kr", 83.798}, {"Rb", 85.468}, {"Sr", 87.62},  {"Y", 88.906},  {"Zr", 91.224}, {"Nb", 92.906},
    {"Mo", 95.95},  {"Ru", 101.07}, {"Rh", 102.91}, {"Pd", 106.42}, {"Ag", 107.87}, {"Cd", 112.41},
    {"In", 114.82}, {"Sn", 118.71}, {"Sb", 121.76}, {"Te", 127.60}, {"I", 126.90},  {"Xe", 131.29},
    {"Cs", 132.91}, {"Ba", 137.33}, {"La", 138.91}, {"Ce", 140.12}, {"Pr", 140.91}, {"Nd", 144.24},
    {"Sm", 150.36}, {"Eu", 151.96}, {"Gd", 157.25}, {"Tb", 158.93}, {"Dy", 162.50}, {"Ho", 164.93},
    {"Er", 167.26}, {"Tm", 168.93}, {"Yb", 173.05}, {"Lu", 174.97}, {"Hf", 178.49}, {"Ta", 180.95},
    {"W", 183.84},  {"Re", 186.21}, {"Os", 190.23}, {"Ir", 192.22}, {"Pt", 195.08}, {"Au", 196.97},
    {"Hg", 200.59}, {"Tl", 204.38}, {"Pb", 207.2},  {"Bi", 208.98}, {"Th", 232.04}, {"U", 238.03}};

double masses_of(const char *symbol)
{
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        if (strcmp(elements[k].symbol, symbol) == 0)
            return elements[k].mass;
    return NAN;
}

int masses_find(const struct weights *given, const struct pair_names *names, const char *what,
                double *mass, struct err *e)
{
    for (size_t k = 0; k < given->n; k++) {
        int a = 0;
        while (a < names->nspecies && strcmp(given->name[k], names->name[a]) != 0)
            a++;
        if (a == names->nspecies)
            return err_bad(e, "--masses: expected the name of a species in the input, found '%s'",
                           given->name[k]);
        if (!(given->w[k] >= 0.0))
            return err_bad(e, "--masses: expected a mass of 0 or more for %s, found %g",
                           given->name[k], given->w[k]);
    }
    char hint[96];
    double max = 0.0;
    for (int a = 0; a < names->nspecies; a++) {
        size_t k = 0;
        while (k < given->n && strcmp(given->name[k], names->name[a]) != 0)
            k++;
        mass[a] = k < given->n ? given->w[k] : masses_of(names->name[a]);
        if (isnan(mass[a]) && !*names->name[a])
            return err_bad(e,
                           "%s needs the mass of every species, but %zu atoms have no names (%s, "
                           "or give --masses =MASS)",
                           what, names->natoms, meta_species_hint(names->natoms, hint));
        if (isnan(mass[a]))
            return err_bad(e,
                           "%s needs the mass of every species, but '%s' is not an element "
                           "(--masses %s=MASS,... in g/mol)",
                           what, names->name[a], names->name[a]);
        if (names->atoms[a] && mass[a] > max)
            max = mass[a];
    }
    if (names->natoms && !(max > 0.0))
        return err_bad(e,
                       "--masses: expected a mass above 0 for at least one atom, found 0 for all "
                       "atoms (%s needs a mass)",
                       what);
    return 0;
}

int masses_drift_of(const char *of, const struct pair_names *names, double *mass, struct err *e)
{
    bool in[256] = {false};
    size_t atoms = 0;
    double sum = 0.0;
    for (size_t n; *of; of += n + (of[n] == ',')) {
        int a = 0;
        n = strcspn(of, ",");
        while (a < names->nspecies && (!names->atoms[a] || strlen(names->name[a]) != n ||
                                       strncmp(of, names->name[a], n) != 0))
            a++;
        if (a == names->nspecies)
            return err_bad(e,
                           "--drift-of: expected the name of a species in the input, found '%.*s'",
                           n < 40 ? (int)n : 40, of);
        in[a] = true;
    }
    for (int a = 0; a < names->nspecies; a++) {
        mass[a] = in[a] ? mass[a] : 0.0;
        atoms += in[a] ? names->atoms[a] : 0;
        sum += mass[a];
    }
    const char *massless = atoms < 2 ? "" : " without a mass";
    if (atoms < 2 || !(sum > 0.0))
        return err_bad(e, "--drift-of: expected at least two atoms with a mass, found %zu%s", atoms,
                       massless);
    return 0;
}
