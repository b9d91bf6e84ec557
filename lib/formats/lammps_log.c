/* SPDX-License-Identifier: MIT */
#include "formats/lammps_log.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit_names.h"
#include "formats/lammps.h"
#include "io/decimal.h"

enum { FACTS = 4096, DEPTH = 8 }; /* largest number of facts and nesting of variables */

/* For `compute flux all heat/flux ke pe st`: 'c', "flux" and "heat/flux ke pe st". */
struct log_fact {
    char letter, name[40], text[160];
};

static int begins(const char *line, size_t len, const char *with)
{
    return len >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* Returns whether a line of head begins with this text. */
static bool has_line(const char *head, size_t len, const char *with)
{
    for (const char *at = head, *end = head + len; at && at < end;) {
        if (begins(at, (size_t)(end - at), with))
            return true;
        at = memchr(at, '\n', (size_t)(end - at));
        at += at != NULL;
    }
    return false;
}

static const char *const memory[] = {"Per MPI rank memory allocation",
                                     "Memory usage per processor"};

int lammps_log_is(const char *head, size_t len)
{
    return has_line(head, len, "LAMMPS (")
               ? 2
               : has_line(head, len, memory[0]) || has_line(head, len, memory[1]);
}

void lammps_log_start(struct lammps_log *l, int is, uint64_t run, const char *style)
{
    *l = (struct lammps_log){.run = run,
                             .step = NAN,
                             .given = style != NULL,
                             .whole = is == 2,
                             .norm = is == 2 ? -1 : -2};
    if (style)
        snprintf(l->style, sizeof l->style, "%s", style);
}

void lammps_log_free(struct lammps_log *l)
{
    free(l->fact);
    l->fact = NULL;
    l->nfacts = 0;
}

/* ---- the echoed input script */

/* Finds the word after `with` and an optional colon. Returns its length, or 0 for other lines. */
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

/* Stores a definition, `compute ID group style ...`, `fix ID group style ...` or `variable NAME
 * style ...`, without `skip` words after the name. Returns 0, or -1 if out of memory. */
static int keep_fact(struct lammps_log *l, char letter, const char *name, size_t n, const char *end,
                     int skip)
{
    const char *p = name + n;
    size_t k = 0;
    while (p < end && skip >= 0) {
        p += strspn(p, " \t");
        if (skip-- > 0)
            p += strcspn(p, " \t");
    }
    if (p >= end || n >= sizeof l->fact->name || (size_t)(end - p) >= sizeof l->fact->text)
        return 0;
    while (k < l->nfacts && (l->fact[k].letter != letter || strlen(l->fact[k].name) != n ||
                             memcmp(l->fact[k].name, name, n) != 0))
        k++;
    if (k == FACTS)
        return 0;
    if (k == l->nfacts) {
        void *more = realloc(l->fact, (k + 1) * sizeof *l->fact);
        if (!more)
            return -1;
        l->fact = more;
        l->nfacts++;
    }
    l->fact[k] = (struct log_fact){.letter = letter};
    memcpy(l->fact[k].name, name, n);
    memcpy(l->fact[k].text, p, (size_t)(end - p));
    return 0;
}

/* Stores the box that a line states. LAMMPS prints the box if a command sets it, but not if a fix
 * or a dump changes it. */
static void keep_box(struct lammps_log *l, const char *text)
{
    static const char *const by[] = {"npt",    "nph",  "deform", "relax",
                                     "press/", "msst", "pimd/",  "ipi"};
    static const char *const from[] = {"rerun ",      "read_dump ", "temper/npt ", "mdi ",
                                       "dimension 2", "echo none",  "echo screen"};
    const char *box = strstr(text, " box = ("), *flags = strstr(text, "boundary ");
    char style[40];
    double lo[3], hi[3], t[3] = {0.0, 0.0, 0.0};
    int n = box ? sscanf(box, " box = (%lf %lf %lf) to (%lf %lf %lf) with tilt (%lf %lf %lf)", lo,
                         lo + 1, lo + 2, hi, hi + 1, hi + 2, t, t + 1, t + 2)
                : 0;
    if (n == 6 || n == 9)
        memcpy(l->cell,
               (double[9]){hi[0] - lo[0], 0, 0, t[0], hi[1] - lo[1], 0, t[1], t[2], hi[2] - lo[2]},
               sizeof l->cell);
    bool fix = sscanf(text, "fix %*s %*s %39s", style) == 1;
    for (size_t k = 0; fix && k < sizeof by / sizeof *by; k++)
        l->moves |= strstr(style, by[k]) != NULL;
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        l->moves |= begins(text, strlen(text), from[k]);
    l->moves |= flags && strpbrk(flags + 9, "sm");
    l->ran |= begins(text, strlen(text), "run ");
}

/* Stores the definitions in a line of the script that concern columns. Returns 0, or -1 if out of
 * memory. */
static int keep_script(struct lammps_log *l, const char *line, size_t len)
{
    static const struct {
        const char *with;
        int skip;
    } of[] = {{"compute", 1}, {"fix", 1}, {"variable", 0}};
    const char *word, *norm;
    char text[256];
    size_t n;
    snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), line);
    if (strncmp(text, "thermo_style ", 13) == 0)
        l->norm = -1;
    if (strncmp(text, "thermo_modify ", 14) == 0 && (norm = strstr(text, " norm ")))
        l->norm = strncmp(norm + 6, "yes", 3) == 0;
    if (strncmp(text, "read_restart ", 13) == 0 || /* this command may set the time step */
        (strncmp(text, "fix ", 4) == 0 && strstr(text, " dt/reset ")) ||
        (strncmp(text, "echo ", 5) == 0 && (strstr(text, "none") || strstr(text, "screen"))))
        l->unsure = true, l->step = NAN;
    keep_box(l, text);
    for (int k = 0; k < 3; k++)
        if ((n = behind(text, strlen(text), of[k].with, &word)))
            return keep_fact(l, "cfv"[k], word, n, text + strlen(text), of[k].skip);
    return 0;
}

static int keep(struct lammps_log *l, const char *line, size_t len)
{
    const char *word = line;
    double v;
    size_t n = behind(line, len, "units", &word);
    if (!n)
        n = behind(line, len, "Unit style", &word);
    if (n && n < sizeof l->style && !strchr("$&", *word) && !l->given) {
        memcpy(l->style, word, n);
        l->style[n] = '\0';
    }
    n = behind(line, len, "timestep", &word);
    if (!n)
        n = behind(line, len, "Time step", &word);
    if (n && decimal_get_f64(word, n, DECIMAL_OURS, &v) == 0)
        l->step = v;
    return keep_script(l, line, len);
}

/* ---- content of a column */

enum flux { UNKNOWN, TOTAL, DENSITY, PER_ATOM };

static const struct log_fact *fact_of(const struct lammps_log *l, const char *name)
{
    size_t n = strcspn(name + 2, "[");
    for (size_t k = 0; k < l->nfacts; k++)
        if (l->fact[k].letter == name[0] && strlen(l->fact[k].name) == n &&
            memcmp(l->fact[k].name, name + 2, n) == 0)
            return &l->fact[k];
    return NULL;
}

static enum flux flux_of(const struct lammps_log *l, const char *name, int depth, bool *extensive);

/* Parses the definition of a variable, such as "equal c_flux[1]/vol". */
static enum flux variable(const struct lammps_log *l, const char *text, int depth)
{
    char a[80], *b;
    bool extensive;
    size_t n = 0;
    if (!behind(text, strlen(text), "equal", &text))
        return UNKNOWN;
    for (; *text && n + 1 < sizeof a; text++)
        if (!strchr(" \t\"'()", *text))
            a[n++] = *text;
    a[n] = '\0';
    if (*text || strpbrk(a, "+-*^$&"))
        return UNKNOWN;
    if ((b = strchr(a, '/')))
        *b++ = '\0';
    enum flux of = flux_of(l, a, depth, &extensive);
    if (!b || of != TOTAL)
        return b ? UNKNOWN : of;
    if (strncmp(b, "v_", 2) == 0) { /* from `variable V equal vol` */
        const struct log_fact *v = fact_of(l, b);
        b = v && behind(v->text, strlen(v->text), "equal", &text) ? (char *)text : b;
    }
    return strcmp(b, "vol") == 0 ? DENSITY : strcmp(b, "atoms") == 0 ? PER_ATOM : UNKNOWN;
}

/* Parses value k of "ave/time 1 10 10 c_flux[1] c_flux[2]", from 1, or 0 for a single value. */
static enum flux average(const struct lammps_log *l, const char *text, long k, int depth,
                         bool *extensive)
{
    char a[160], *save = NULL, *word, *found = NULL;
    long n = 0;
    snprintf(a, sizeof a, "%s", text);
    if (strncmp(a, "ave/time ", 9) != 0)
        return UNKNOWN;
    for (word = strtok_r(a, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
        if (strchr("cfv", word[0]) && word[1] == '_' && (++n == k || k == 0))
            found = word;
    return found && (k || n == 1) ? flux_of(l, found, depth, extensive) : UNKNOWN;
}

/* Sets *extensive if thermo divides the flux by the number of atoms when thermo_modify norm is
 * yes. */
static enum flux flux_of(const struct lammps_log *l, const char *name, int depth, bool *extensive)
{
    const char *bracket = strchr(name, '[');
    *extensive = false;
    if (depth > DEPTH || !strchr("cfv", name[0]) || name[1] != '_')
        return UNKNOWN;
    const struct log_fact *of = fact_of(l, name);
    if (!of)
        return UNKNOWN;
    if (of->letter == 'v')
        return bracket ? UNKNOWN : variable(l, of->text, depth + 1);
    if (of->letter == 'f')
        return average(l, of->text, bracket ? strtol(bracket + 1, NULL, 10) : 0, depth + 1,
                       extensive);
    *extensive = true;
    return strncmp(of->text, "heat/flux", 9) == 0 || strncmp(of->text, "reduce sum ", 11) == 0
               ? TOTAL
               : UNKNOWN;
}

const char *lammps_log_flux(const struct lammps_log *l, const char *column)
{
    static const char *const words[] = {NULL, "total", "density", "per-atom"};
    bool extensive;
    enum flux of = flux_of(l, column, 0, &extensive);
    if (of == TOTAL && extensive && l->norm < 0 && (l->norm < -1 || !l->style[0] || l->unsure))
        return NULL;
    bool norm = l->norm < 0 ? strcmp(l->style, "lj") == 0 : l->norm == 1;
    return words[of == TOTAL && extensive && norm ? PER_ATOM : of];
}

/* ---- lines */

/* Narrows a line to the text inside [...], without a final comma. */
static void inside(const char **line, size_t *len)
{
    const char *open = memchr(*line, '[', *len), *end = *line + *len;
    while (end > *line && strchr(" ],", end[-1]))
        end--;
    *line = open ? open + 1 : *line;
    *len = open && end > open ? (size_t)(end - open - 1) : 0;
}

static size_t count_words(const char *line, size_t len)
{
    size_t n = 0;
    for (size_t k = 0; k < len; k++)
        n += !strchr(" \t", line[k]) && (k == 0 || strchr(" \t", line[k - 1]));
    return n;
}

/* Begins a run at its line of names. */
static int begin(struct lammps_log *l, struct err *e)
{
    l->runs++;
    l->named = false;
    if (l->run ? l->runs != l->run : l->runs > 1 && !l->done)
        return LOG_OTHER;
    if (l->done)
        return l->run ? LOG_OTHER
                      : err_bad(e, "expected one run, found a second run (choose one with --run 1, "
                                   "--run 2, ...)");
    l->in = 1;
    return LOG_LEGEND;
}

/* Ends a run at a line "Loop time of 1.2 on 1 procs for 1000 steps with 4000 atoms". */
static int end(struct lammps_log *l, const char *line, size_t len)
{
    char text[160];
    unsigned long long n;
    snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), line);
    const char *with = strstr(text, " with ");
    if (l->in && with && sscanf(with, " with %llu atoms", &n) == 1)
        l->natoms = n;
    l->done |= l->in;
    l->in = 0;
    return l->done ? LOG_END : LOG_OTHER;
}

/* Handles a line of a run with several lines per row. Returns enum log_line, or -1 and sets e. */
static int multi_line(struct lammps_log *l, const char **line, size_t *len, struct err *e)
{
    size_t n = 0;
    const char *step = NULL;
    bool ends = begins(*line, *len, "Loop time");
    if (lammps_multi_begins(*line, *len, &step, &n) || (ends && l->multi)) {
        int is = !l->multi ? begin(l, e) : LOG_OTHER; /* the run begins with its first block */
        if (is < 0 || (l->in && lammps_multi_block(&l->rows, step, n, e) != 0))
            return -1;
        l->multi = !ends;
        l->named = false;
        if (ends)
            (void)end(l, *line, *len);
    } else if (l->in && lammps_multi_add(&l->rows, *line, *len, e) != 0) {
        return -1;
    }
    return lammps_multi_take(&l->rows, line, len);
}

/* Classifies a line between the names and the end. Warnings and other text begin with a letter.
 * Lines of numbers after such text are rows if they have as many words as there are names. */
static int row(struct lammps_log *l, const char **line, size_t *len)
{
    bool word = *len && isalpha((unsigned char)**line) && strncasecmp(*line, "nan", 3) != 0 &&
                strncasecmp(*line, "inf", 3) != 0;
    if (l->yaml && !begins(*line, *len, "- ["))
        return LOG_OTHER; /* the lines data: and ... */
    if (!*len || word) {
        l->aside |= word;
        return LOG_OTHER;
    }
    if (l->aside && !l->yaml && count_words(*line, *len) != l->words)
        return LOG_OTHER;
    l->aside = false;
    if (l->yaml)
        inside(line, len);
    return LOG_ROW;
}

bool lammps_log_due(const struct lammps_log *l)
{
    return l->rows.names_due || l->rows.row_due || l->rows.end_due;
}

int lammps_log_line(struct lammps_log *l, const char **line, size_t *len, struct err *e)
{
    while (*len && strchr(" \t", **line))
        ++*line, --*len;
    const char *step;
    size_t n;
    if (l->multi || lammps_log_due(l) || (!l->in && lammps_multi_begins(*line, *len, &step, &n)))
        return multi_line(l, line, len, e);
    if (begins(*line, *len, "Loop time"))
        return end(l, *line, *len);
    int yaml = begins(*line, *len, "keywords:");
    bool other = begins(*line, *len, "WARNING") || begins(*line, *len, "ERROR");
    bool names = l->named && *len && isalpha((unsigned char)**line) && !other;
    if (!l->in &&
        (yaml || names || begins(*line, *len, "Step ") || begins(*line, *len, "Step\t"))) {
        int is = begin(l, e);
        if (is == LOG_LEGEND && (l->yaml = yaml))
            inside(line, len);
        l->words = count_words(*line, *len);
        return is;
    }
    if (l->in)
        return row(l, line, len);
    l->named |= begins(*line, *len, memory[0]) || begins(*line, *len, memory[1]);
    return !l->done && keep(l, *line, *len) ? err_memory(e, "the log's input script") : LOG_OTHER;
}

bool lammps_log_cell(const struct lammps_log *l, double cell[9])
{
    int k = LAMMPS_REAL;
    while (k <= LAMMPS_LJ && strcmp(lammps_styles[k].name, l->style) != 0)
        k++;
    if (k > LAMMPS_LJ || l->moves || !l->ran || !(l->cell[0] * l->cell[4] * l->cell[8] > 0.0))
        return false;
    for (int i = 0; i < 9; i++)
        cell[i] = l->cell[i] * lammps_styles[k].length;
    return true;
}

double lammps_log_ps(const struct lammps_log *l, double *assumed)
{
    const struct unit_name *unit = unit_of_style(UNIT_TIME, l->style);
    *assumed = isnan(l->step) && l->whole && !l->unsure ? unit_default_timestep(l->style) : NAN;
    return unit ? (isnan(l->step) ? *assumed : l->step) * unit->factor : NAN;
}
