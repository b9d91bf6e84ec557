/* SPDX-License-Identifier: MIT */
/* Finds units by name and ignores case. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "formats/format.h"

struct unit {
    const char *name;
    double factor;
};

static double find(const struct unit *u, const char *s, size_t len)
{
    for (; u->name; u++)
        if (strlen(u->name) == len && strncasecmp(u->name, s, len) == 0)
            return u->factor;
    return NAN;
}

double format_length(const char *s, size_t len)
{
    static const struct unit lengths[] = {
        {"angstrom", 1}, {"angstroms", 1},       {"Å", 1},     {"A", 1},
        {"nm", 10},      {"nanometer", 10},      {"pm", 1e-2}, {"um", 1e4},
        {"m", 1e10},     {"bohr", UNITS_BOHR_A}, {NULL, 0}};
    return find(lengths, s, len);
}

double format_time(const char *s, size_t len)
{
    static const struct unit times[] = {{"ps", 1},
                                        {"picosecond", 1},
                                        {"picoseconds", 1},
                                        {"fs", 1e-3},
                                        {"femtosecond", 1e-3},
                                        {"femtoseconds", 1e-3},
                                        {"ns", 1e3},
                                        {"us", 1e6},
                                        {"s", 1e12},
                                        {"au", UNITS_AU_PS},
                                        {NULL, 0}};
    return find(times, s, len);
}

double format_speed(const char *s)
{
    if (strcmp(s, "ase") == 0)
        return sqrt(1000.0 / UNITS_U_A2_PS2_MEV); /* sqrt(eV/u) */
    size_t n = strcspn(s, " /"), rest = s[n] ? strlen(s + n + 1) : 0;
    bool power = rest > 2 && s[n] == ' ' && strcmp(s + n + 1 + rest - 2, "-1") == 0;
    if (!power && s[n] != '/')
        return NAN;
    return format_length(s, n) / format_time(s + n + 1, rest - (power ? 2 : 0));
}
