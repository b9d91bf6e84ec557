/* SPDX-License-Identifier: MIT */
#include "formats/lammps_log.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"

void lammps_log_start(struct lammps_log *l, uint64_t run)
{
    *l = (struct lammps_log){.run = run, .step = NAN};
}

static int begins(const char *line, size_t len, const char *with)
{
    return len >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

int lammps_log_is(const char *line, size_t len)
{
    return begins(line, len, "LAMMPS (");
}

/* The word behind `with`, and perhaps a colon: its length, 0: the line is none of these. */
static size_t behind(const char *line, size_t len, const char *with, const char **word)
{
    size_t at = strlen(with), n = 0;
    if (!begins(line, len, with) || at == len || !strchr(" \t:", line[at]))
        return 0;
    while (at < len && strchr(" \t:", line[at]))
        at++;
    while (at + n < len && !strchr(" \t", line[at + n]))
        n++;
    *word = line + at;
    return n;
}

static void keep(struct lammps_log *l, const char *line, size_t len)
{
    const char *word = line;
    double v;
    size_t n = behind(line, len, "units", &word);
    if (!n)
        n = behind(line, len, "Unit style", &word);
    if (n && n < sizeof l->style) {
        memcpy(l->style, word, n);
        l->style[n] = '\0';
    }
    n = behind(line, len, "timestep", &word);
    if (!n)
        n = behind(line, len, "Time step", &word);
    if (n && decimal_get_f64(word, n, DECIMAL_OURS, &v) == 0)
        l->step = v;
}

/* The inside of [...], without a comma at its end. */
static void inside(const char **line, size_t *len)
{
    const char *open = memchr(*line, '[', *len), *end = *line + *len;
    while (end > *line && strchr(" ],", end[-1]))
        end--;
    *line = open ? open + 1 : *line;
    *len = open && end > open ? (size_t)(end - open - 1) : 0;
}

/* A legend begins a run. */
static int begin(struct lammps_log *l, struct err *e)
{
    l->runs++;
    if (l->run ? l->runs != l->run : l->runs > 1 && !l->done)
        return LOG_OTHER;
    if (l->done)
        return l->run
                   ? LOG_OTHER
                   : err_set(e, ERR_BAD,
                             "one run expected, found a second: choose by --run 1, --run 2, ...");
    l->in = 1;
    return LOG_LEGEND;
}

int lammps_log_line(struct lammps_log *l, const char **line, size_t *len, struct err *e)
{
    while (*len && strchr(" \t", **line))
        ++*line, --*len;
    if (begins(*line, *len, "Loop time")) {
        l->done |= l->in;
        l->in = l->multi = 0;
        return l->done ? LOG_END : LOG_OTHER;
    }
    int yaml = begins(*line, *len, "keywords:");
    if (!l->in && (yaml || begins(*line, *len, "Step ") || begins(*line, *len, "Step\t"))) {
        int is = begin(l, e);
        if (is == LOG_LEGEND && (l->yaml = yaml))
            inside(line, len);
        return is;
    }
    if (!l->in && begins(*line, *len, "------------ Step")) {
        int is = l->multi ? LOG_OTHER : begin(l, e);
        l->multi = 1;
        return is == LOG_LEGEND
                   ? err_set(e, ERR_BAD, "thermo_style one, custom or yaml expected, found multi")
                   : is;
    }
    if (!l->in) {
        if (!l->done)
            keep(l, *line, *len);
        return LOG_OTHER;
    }
    if (!*len || begins(*line, *len, "WARNING") || begins(*line, *len, "ERROR"))
        return LOG_OTHER;
    if (l->yaml && !begins(*line, *len, "- ["))
        return LOG_OTHER; /* data: and ... */
    if (l->yaml)
        inside(line, len);
    return LOG_ROW;
}

double lammps_log_ps(const struct lammps_log *l)
{
    static const struct {
        const char *style;
        double ps;
    } of[] = {{"lj", 1.0},  {"metal", 1.0}, {"real", 1e-3}, {"electron", 1e-3},
              {"si", 1e12}, {"cgs", 1e12},  {"nano", 1e3},  {"micro", 1e6}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (strcmp(of[k].style, l->style) == 0)
            return l->step * of[k].ps;
    return NAN;
}
