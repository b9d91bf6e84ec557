/* SPDX-License-Identifier: MIT */
#include "base/unit_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"

/* CODATA 2018: e = 1.602176634e-19 C, N_A = 6.02214076e23 / mol; cal = 4.184 J */
#define ELECTRON 1.602176634e-19
#define AVOGADRO 6.02214076e23
#define BOHR3 (UNITS_BOHR_A * UNITS_BOHR_A * UNITS_BOHR_A)

/* The first name of each unit determines where the unit is listed in messages. */
static const struct unit_name units[] = {
    {UNIT_TIME, "ps", " metal ", 1.0, 0, false},
    {UNIT_TIME, "fs", " real electron ", 1e-3, 0, false},
    {UNIT_TIME, "ns", " nano ", 1e3, 0, false},
    {UNIT_TIME, "us", " micro ", 1e6, 0, false},
    {UNIT_TIME, "ms", NULL, 1e9, 0, false},
    {UNIT_TIME, "s", " si cgs ", 1e12, 0, false},
    {UNIT_TIME, "lj", " lj ", 1.0, 0, false},
    {UNIT_TEMPERATURE, "K", " real metal si cgs electron micro nano ", 1.0, 0, false},
    {UNIT_TEMPERATURE, "lj", " lj ", 1.0, 0, false},
    {UNIT_VOLUME, "A^3", " real metal ", 1.0, 0, false},
    {UNIT_VOLUME, "Angstrom^3", NULL, 1.0, 0, false},
    {UNIT_VOLUME, "nm^3", " nano ", 1e3, 0, false},
    {UNIT_VOLUME, "um^3", " micro ", 1e12, 0, false},
    {UNIT_VOLUME, "cm^3", " cgs ", 1e24, 0, false},
    {UNIT_VOLUME, "m^3", " si ", 1e30, 0, false},
    {UNIT_VOLUME, "bohr^3", " electron ", BOHR3, 0, false},
    {UNIT_VOLUME, "lj", " lj ", 1.0, 0, false},
    {UNIT_PRESSURE, "bar", " metal ", 1e5, 0, false},
    {UNIT_PRESSURE, "atm", " real ", 101325.0, 0, false},
    {UNIT_PRESSURE, "Pa", " si electron ", 1.0, 0, false},
    {UNIT_PRESSURE, "kPa", " micro ", 1e3, 0, false},
    {UNIT_PRESSURE, "MPa", " nano ", 1e6, 0, false},
    {UNIT_PRESSURE, "GPa", NULL, 1e9, 0, false},
    {UNIT_PRESSURE, "kbar", NULL, 1e8, 0, false},
    {UNIT_PRESSURE, "dyn/cm^2", " cgs ", 0.1, 0, false},
    {UNIT_PRESSURE, "lj", " lj ", 1.0, 0, false},
    {UNIT_CURRENT, "e*A/ps", " metal ", ELECTRON * 1e2, 1.0, false},
    {UNIT_CURRENT, "e*A/fs", " real ", ELECTRON * 1e5, 1.0, false},
    {UNIT_CURRENT, "e*nm/ps", NULL, ELECTRON * 1e3, 10.0, false},
    {UNIT_CURRENT, "A*m", " si ", 1.0, 1e10, false},
    {UNIT_CURRENT, "A/m^2", NULL, 1.0, 1e10, true},
    {UNIT_CURRENT, "lj", " lj ", 1.0, 1.0, false},
    {UNIT_HEAT, "eV*A/ps", " metal ", ELECTRON * 1e2, 1.0, false},
    {UNIT_HEAT, "meV*A/ps", NULL, ELECTRON * 1e-1, 1.0, false},
    {UNIT_HEAT, "kcal/mol*A/fs", " real ", 4184.0 / AVOGADRO * 1e5, 1.0, false},
    {UNIT_HEAT, "kJ/mol*nm/ps", NULL, 1000.0 / AVOGADRO * 1e3, 10.0, false},
    {UNIT_HEAT, "W*m", " si ", 1.0, 1e10, false},
    {UNIT_HEAT, "W/m^2", NULL, 1.0, 1e10, true},
    {UNIT_HEAT, "lj", " lj ", 1.0, 1.0, false},
    {UNIT_ENERGY, "meV", NULL, 1.0, 0, false},
    {UNIT_ENERGY, "eV", NULL, 1e3, 0, false},
    {UNIT_MOMENTUM, "u*A/ps", NULL, 1.0, 0, false}};
enum { UNITS = sizeof units / sizeof *units };

/* Unifies the spellings of a unit: nm^3, nm**3, nm3 and nm³ become nm3; Å and Å become A; µ becomes
 * u; u_A_ps becomes u*A/ps. */
static void one_spelling(const char *s, char to[UNIT_TEXT])
{
    static const char *const from[] = {"\xc2\xb3",     "\xc2\xb2", "\xc3\x85",
                                       "\xe2\x84\xab", "\xc2\xb5", "\xce\xbc",
                                       "\\S",          "\\N",      "u_A_ps"},
                             *const into[] = {"3", "2", "A", "A", "u", "u", "", "", "u*A/ps"};
    enum { SPELLINGS = sizeof from / sizeof *from };
    size_t n = 0;
    while (*s && n + 1 < UNIT_TEXT) {
        size_t k = 0;
        while (k < SPELLINGS && strncmp(s, from[k], strlen(from[k])) != 0)
            k++;
        if (k < SPELLINGS) {
            n += (size_t)snprintf(to + n, UNIT_TEXT - n, "%s", into[k]);
            s += strlen(from[k]);
        } else if (*s == '^' || (s[0] == '*' && s[1] == '*')) {
            s += *s == '^' ? 1 : 2;
        } else {
            to[n++] = *s++;
        }
    }
    to[n] = '\0';
}

/* Returns true if the names agree. The case of letters matters only if it distinguishes units, such
 * as mPa and MPa, or ms and Ms. */
static bool alike(const char *name, const char *text)
{
    char a[UNIT_TEXT], b[UNIT_TEXT];
    one_spelling(name, a);
    one_spelling(text, b);
    return strcasecmp(a, b) == 0 && (a[0] == 'M') == (b[0] == 'M');
}

const struct unit_name *unit_at(size_t k)
{
    return k < UNITS ? &units[k] : NULL;
}

const struct unit_name *unit_named(enum unit_kind kind, const char *text)
{
    for (size_t k = 0; k < UNITS; k++)
        if (units[k].kind == kind && alike(units[k].name, text))
            return &units[k];
    return NULL;
}

static const struct unit_name *unit_any(const char *text)
{
    const struct unit_name *u = NULL;
    for (int kind = 0; kind < UNIT_OTHER && !u; kind++)
        u = unit_named((enum unit_kind)kind, text);
    return u;
}

const struct unit_name *unit_of_style(enum unit_kind kind, const char *style)
{
    char word[24];
    snprintf(word, sizeof word, " %.20s ", style);
    for (size_t k = 0; k < UNITS; k++)
        if (units[k].kind == kind && units[k].styles && strstr(units[k].styles, word))
            return &units[k];
    return NULL;
}

/* Returns where the unit in brackets begins in name[0..n), and copies the unit to `text`. Returns n
 * if there is no such unit. */
static size_t in_brackets(const char *name, size_t n, char text[UNIT_TEXT])
{
    const char *close = n ? strchr(")]}", name[n - 1]) : NULL;
    size_t at = n;
    while (close && at > 0 && name[at - 1] != "([{"[*close == ')' ? 0 : *close == ']' ? 1 : 2])
        at--;
    if (!close || at < 2 || n - at - 1 >= UNIT_TEXT || n - at < 2)
        return n;
    memcpy(text, name + at, n - at - 1);
    text[n - at - 1] = '\0';
    if (text[strspn(text, "0123456789")] == '\0') { /* c_press[1] */
        text[0] = '\0';
        return n;
    }
    at -= 1;
    return at - (at > 1 && name[at - 1] == '_');
}

size_t unit_in_name(const char *name, char text[UNIT_TEXT])
{
    size_t n = strlen(name), at;
    text[0] = '\0';
    if ((at = in_brackets(name, n, text)) < n)
        return at;
    for (at = n; at > 1;) { /* finds the longest known unit: V_nm^3, J_kcal/mol*A/fs */
        const char *rest = name + --at;
        bool ours = at == 1 && strchr("vcf", name[0]); /* v_s is a LAMMPS variable */
        if ((*rest == '_' || *rest == '/') && strlen(rest + 1) < UNIT_TEXT && !ours &&
            strcasecmp(rest + 1, "lj") != 0 && unit_any(rest + 1)) {
            const char *unit = strchr(rest + 1, '_') ? unit_any(rest + 1)->name : rest + 1;
            memcpy(text, unit, strlen(unit) + 1);
            n = at;
        }
    }
    return n;
}

double unit_default_timestep(const char *style)
{
    static const struct {
        const char *style;
        double step;
    } of[] = {{"lj", 0.005}, {"metal", 1e-3}, {"real", 1.0},    {"electron", 1e-3},
              {"si", 1e-8},  {"cgs", 1e-8},   {"nano", 4.5e-4}, {"micro", 2.0}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (strcmp(of[k].style, style) == 0)
            return of[k].step;
    return NAN;
}
