/* SPDX-License-Identifier: MIT */
#include "stats/labels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series.h"

/* Names with a fixed meaning. Names with `hist` occur only in pair histograms, with any pair. */
static const char axes[] = "t_ps:t r_A:r q_A-1:q nu_cm-1:wavenumber nu_THz:frequency "
                           "omega_rad/ps:ω E_meV:E nu_MHz:frequency l:l step:step lag:lag "
                           "origins:time~origins vectors:wave~vectors atoms:atoms",
                  axes_units[] = "t_ps:ps r_A:A q_A-1:A^-1 nu_cm-1:cm^-1 nu_THz:THz "
                                 "omega_rad/ps:rad/ps E_meV:meV nu_MHz:MHz l:1 step:1 lag:1 "
                                 "origins:1 vectors:1 atoms:1",
                  hist[] = "g:g(r) n:n(r) count:pairs", hist_units[] = "g:1 n:1 count:1";

const char *labels_find(const char *list, const char *column, char text[LABELS_SIZE])
{
    size_t best = 0;
    for (const char *s = list; s && *s; s += strspn(s, " ")) {
        size_t len = strcspn(s, " "), n = len;
        while (n && s[n] != ':')
            n--;
        if (n > best && strncmp(s, column, n) == 0 && (!column[n] || column[n] == '_')) {
            best = n;
            snprintf(text, LABELS_SIZE, "%.*s", (int)(len - n - 1), s + n + 1);
        }
        s += len;
    }
    return best ? column + best : NULL;
}

static bool reduced(const struct meta *m)
{
    const char *unit = meta_get(m, "data.unit"), *units = meta_get(m, "sys.units");
    return (units && strcmp(units, "lj") == 0) ||
           (unit && (strstr(unit, "epsilon") || strstr(unit, "sigma")));
}

/* Returns true if the column is a function in CORR, which may have the name of an axis. At uneven
 * times, data.functions also names the times t_ps. */
static bool is_function(const struct meta *m, enum frame_type type, const char *column)
{
    const char *list = type == FRAME_CORR ? meta_get(m, "data.functions") : NULL;
    char word[LABELS_SIZE];
    for (size_t k = 0; list && series_word(list, k, word, sizeof word) == 1; k++)
        if (strcmp(word, column) == 0)
            return strcmp(word, "t_ps") != 0;
    return false;
}

/* Finds an axis by its full name, or a column of a pair histogram. Works like labels_find. */
static const char *known(const struct meta *m, enum frame_type type, const char *column, bool label,
                         char *text)
{
    if (is_function(m, type, column))
        return NULL;
    const char *rest = labels_find(label ? axes : axes_units, column, text);
    if (rest && !*rest)
        return rest;
    return type == FRAME_HIST ? labels_find(label ? hist : hist_units, column, text) : NULL;
}

/* Writes the unit of META, with * for blanks and / for "per". */
static void common_unit(const struct meta *m, enum frame_type type, const char *column, char *unit)
{
    const char *from = meta_get(m, "data.unit"), *list = meta_get(m, "data.columns");
    char word[LABELS_SIZE];
    const char *units = type == FRAME_SERI ? meta_get(m, "data.units") : NULL;
    for (size_t k = 0; units && list && series_word(list, k, word, sizeof word) == 1; k++)
        if (strcmp(word, column) == 0 && series_word(units, k, unit, LABELS_SIZE) == 1)
            return;
    size_t n = 0;
    for (const char *s = from ? from : "-"; *s && n < LABELS_SIZE - 3; s++)
        if (strncmp(s, "per ", 4) == 0 || strncmp(s, " per ", 5) == 0) {
            if (n == 0)
                unit[n++] = '1';
            unit[n++] = '/';
            s += *s == ' ' ? 4 : 3;
        } else {
            unit[n++] = *s == ' ' ? '*' : *s;
        }
    unit[n] = '\0';
}

/* Returns the name of the function from which an integral or response is computed, or NULL. */
static const char *function_of(enum frame_type type, const char *column)
{
    return type != FRAME_CORR                     ? NULL
           : strncmp(column, "int_", 4) == 0      ? column + 4
           : strncmp(column, "response_", 9) == 0 ? column + 9
                                                  : NULL;
}

static void unit_of(const struct meta *m, enum frame_type type, const char *column, char *unit)
{
    const char *of = function_of(type, column), *time = reduced(m) ? "tau" : "ps";
    char base[LABELS_SIZE];
    if (labels_find(meta_get(m, "data.unit.of"), column, unit))
        return;
    if (known(m, type, column, false, unit)) {
        if (strcmp(column, "t_ps") == 0)
            strcpy(unit, time);
        return;
    }
    if (!of) {
        common_unit(m, type, column, unit);
        return;
    }
    unit_of(m, type, of, base);
    size_t n = strlen(base);
    if (strcmp(base, "-") == 0)
        strcpy(unit, base);
    else if (*column == 'r')
        snprintf(unit, LABELS_SIZE, "%.150s/(%s*%s)", base, reduced(m) ? "epsilon" : "meV", time);
    else if (strcmp(base, "1") == 0)
        strcpy(unit, time);
    else if (n > 3 && strcmp(base + n - 3, "/ps") == 0)
        snprintf(unit, LABELS_SIZE, "%.*s", (int)n - 3, base);
    else
        snprintf(unit, LABELS_SIZE, "%.150s*%s", base, time);
}

static void label_of(const struct meta *m, enum frame_type type, const char *column, char *label)
{
    const char *of = function_of(type, column), *what = meta_get(m, "data.quantity"), *rest;
    char base[LABELS_SIZE];
    if ((rest = labels_find(meta_get(m, "data.label.of"), column, label)) ||
        (rest = known(m, type, column, true, label))) {
        size_t n = strlen(label);
        if (*rest)
            snprintf(label + n, LABELS_SIZE - n, ",~%s", rest + 1);
    } else if (of) {
        label_of(m, type, of, base);
        const char *part = strstr(base, ",~");
        size_t n = part ? (size_t)(part - base) : strlen(base);
        snprintf(label, LABELS_SIZE, "%s%.*s%s%.80s", *column == 'r' ? "−d/dt~" : "∫", (int)n, base,
                 *column == 'r' ? "/kT" : "~dt", base + n);
    } else
        snprintf(label, LABELS_SIZE, "%s%.150s",
                 type == FRAME_CORR && what && strcmp(what, "correlation") == 0 ? "C(t),~" : "",
                 column);
}

void labels_of(const struct meta *m, enum frame_type type, const char *column,
               char label[LABELS_SIZE], char unit[LABELS_SIZE])
{
    char name[LABELS_SIZE];
    snprintf(name, sizeof name, "%s", column);
    size_t n = strlen(name);
    bool se = type != FRAME_SERI && n > 3 && strcmp(name + n - 3, "_se") == 0;
    if (se)
        name[n - 3] = '\0';
    label_of(m, type, name, label);
    unit_of(m, type, name, unit);
    n = strlen(label);
    if (se)
        snprintf(label + n, LABELS_SIZE - n, ",~standard~error");
}

char *labels_list(const struct meta *m, enum frame_type type, const char *legend, int of_label)
{
    char *text = NULL, name[LABELS_SIZE], label[LABELS_SIZE], unit[LABELS_SIZE];
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (size_t k = 0; f && series_word(legend, k, name, sizeof name) == 1; k++) {
        labels_of(m, type, name, label, unit);
        const char *const words[] = {k ? " " : "", name, ":", of_label ? label : unit};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            fputs(words[i], f);
    }
    if (f && !(ferror(f) | fclose(f)))
        return text;
    free(text);
    return NULL;
}
