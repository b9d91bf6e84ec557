/* SPDX-License-Identifier: MIT */
/* Reads the lines and names of a table (columns.h). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/columns_table.h"
#include "io/decimal.h"
#include "io/magic.h"
#include "io/table.h"

enum { HEAD_BYTES = 1 << 16 }; /* number of bytes in which a log is recognised */

static int columns_fill(struct columns *c, struct err *e)
{
    if (c->from) {
        memmove(c->buf, c->buf + c->from, c->have - c->from);
        c->have -= c->from;
        c->from = 0;
    }
    if (c->have == COLUMNS_LINE)
        return err_in(e, ERR_BAD, c->path, c->line + 1,
                      "expected a table of numbers, found a line longer than %u bytes",
                      COLUMNS_LINE);
    ssize_t got = input_read(&c->in, c->buf + c->have, COLUMNS_LINE - c->have, -1.0);
    if (got < 0)
        return *e = c->in.err, err_file(e, c->path);
    c->ended = got == 0;
    c->have += (size_t)got;
    return 0;
}

/* Checks that a line has no control bytes except tabs. Returns 0 or -1. */
static int columns_check(const struct columns *c, struct word line, struct err *e)
{
    for (size_t k = 0; k < line.len; k++)
        if ((unsigned char)line.s[k] < ' ' && line.s[k] != '\t')
            return err_in(e, ERR_BAD, c->path, c->line,
                          "column %zu: expected text, found byte 0x%02x", k + 1,
                          (unsigned char)line.s[k]);
    return 0;
}

/* Reads the next line, valid until the next call. Returns 1, 0 at the end of the file, or -1. */
static int columns_read(struct columns *c, struct word *line, struct err *e)
{
    char *end;
    while (!(end = memchr(c->buf + c->from, '\n', c->have - c->from))) {
        if (c->ended) {
            if (c->from == c->have) {
                *line = (struct word){"", 0};
                return c->is_log && lammps_log_due(&c->log);
            }
            end = c->buf + c->have;
            c->untied = final_line_whole(&c->look, c->buf + c->from, c->have - c->from);
            if (c->untied)
                break;
            if (c->choice.partial && c->is_log)
                return 0;
            return err_in(e, ERR_BAD, c->path, c->line + 1, "%s", final_line_torn(&c->in));
        }
        if (columns_fill(c, e))
            return -1;
    }
    *line = (struct word){c->buf + c->from, (size_t)(end - (c->buf + c->from))};
    c->from += line->len + !c->untied;
    if (line->len && line->s[line->len - 1] == '\r')
        line->len--;
    if (c->line++ == 0 && line->len >= 3 && memcmp(line->s, "\xef\xbb\xbf", 3) == 0)
        line->s += 3, line->len -= 3; /* a byte-order mark */
    return columns_check(c, *line, e) ? -1 : 1;
}

/* Adds a row to the hash that an end line states. */
static void columns_count_row(struct columns *c, struct word line)
{
    XXH3_64bits_update(c->hash, line.s, line.len);
    XXH3_64bits_update(c->hash, "\n", 1);
    final_line_add(&c->look, line.s, line.len);
    c->rows++;
}

/* Checks whether a comment after the first row is an end line. Returns 0 or -1. */
static int columns_end(struct columns *c, struct word line, struct err *e)
{
    unsigned long long rows, hash;
    char text[80];
    if (line.len >= sizeof text || strncmp(line.s, TABLE_END, strlen(TABLE_END)) != 0)
        return 0;
    memcpy(text, line.s, line.len);
    text[line.len] = '\0';
    if (sscanf(text, TABLE_END "%llu %16llx", &rows, &hash) != 2)
        return 0;
    if (rows != c->rows)
        return err_in(e, ERR_BAD, c->path, c->line,
                      "expected %llu rows, as the '## end' line states, found %llu (if you changed "
                      "the table, delete that line)",
                      rows, (unsigned long long)c->rows);
    if (hash != XXH3_64bits_digest(c->hash))
        return err_in(e, ERR_BAD, c->path, c->line,
                      "the rows do not match the checksum in the '## end' line: the table was "
                      "damaged or changed (if you changed it, delete that line)");
    XXH3_64bits_reset(c->hash);
    c->rows = 0;
    c->ours = 0;
    return 0;
}

const char *columns_doubt(const struct columns *c)
{
    return c->torn
               ? "the log ends before the run does (no 'Loop time'); the rows up to there are used"
           : c->untied ? FINAL_LINE_TAKEN
           : c->ours   ? "this table from bin2txt has no '## end' line and may be incomplete"
                       : NULL;
}

static int is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

static struct word trim(struct word w)
{
    while (w.len && is_blank(*w.s))
        w.s++, w.len--;
    while (w.len && is_blank(w.s[w.len - 1]))
        w.len--;
    return w;
}

/* Splits a line into c->word. Returns the number of words, at most COLUMNS_MAX + 1. */
static size_t columns_split(struct columns *c, struct word line)
{
    size_t n = 0;
    int comma = line.len && memchr(line.s, ',', line.len) != NULL;
    line = trim(line);
    while (line.len) {
        if (n == COLUMNS_MAX)
            return n + 1;
        size_t k = 0;
        while (k < line.len && (comma ? line.s[k] != ',' : !is_blank(line.s[k])))
            k++;
        c->word[n++] = trim((struct word){line.s, k});
        int more = k < line.len && comma; /* a final comma precedes an empty word */
        line.s += k + (k < line.len);
        line.len -= k + (k < line.len);
        if (!comma)
            line = trim(line);
        else if (more && line.len == 0 && n < COLUMNS_MAX)
            c->word[n++] = line;
    }
    return n;
}

/* Removes the quotes of CSV. */
static struct word unquoted(struct word w)
{
    if (w.len >= 2 && (*w.s == '"' || *w.s == '\'') && w.s[w.len - 1] == *w.s)
        return (struct word){w.s + 1, w.len - 2};
    return w;
}

static int get_number(struct word w, double *v)
{
    w = unquoted(w);
    return decimal_get_f64(w.s, w.len, DECIMAL_FORTRAN, v);
}

static int is_word(struct word w, const char *s)
{
    return w.len == strlen(s) && memcmp(w.s, s, w.len) == 0;
}

/* Returns whether w is a number, including nan and inf. */
static int is_number(struct word w)
{
    double v;
    w = unquoted(w);
    return decimal_get_f64(w.s, w.len, DECIMAL_FORTRAN, &v) == 0 ||
           (w.len == 3 && strncasecmp(w.s, "nan", 3) == 0) ||
           (w.len > 4 && strncasecmp(w.s, "nan(", 4) == 0) ||
           (w.len == 3 && strncasecmp(w.s, "inf", 3) == 0) ||
           (w.len == 8 && strncasecmp(w.s, "infinity", 8) == 0);
}

/* Returns whether w may be a column name: it begins with a letter, possibly after a bracket, and is
 * not a number such as nan. */
static int is_name(struct word w)
{
    if (is_number(w))
        return 0;
    w = unquoted(w);
    while (w.len && strchr("<([{|$\\", *w.s))
        w.s++, w.len--;
    return w.len && (isalpha((unsigned char)*w.s) || *w.s == '_' || (*w.s & 0x80));
}

static void name_from(char *name, struct word w)
{
    w = trim(unquoted(w));
    size_t n = w.len < COLUMNS_NAME - 1 ? w.len : COLUMNS_NAME - 1;
    for (size_t k = 0; k < n; k++)
        name[k] = (unsigned char)w.s[k] <= ' ' || w.s[k] == 0x7f ? '_' : w.s[k];
    name[n] = '\0';
}

/* Parses a line such as `@ s0 legend "Pres-XY"`, which names the first column after the time.
 * Returns 0, or -1 if out of memory. */
static int xvg_legend(struct columns *c, struct word line)
{
    struct word w = trim((struct word){line.s + 1, line.len - 1});
    unsigned k = 0;
    size_t at = 1;
    if (w.len < 2 || *w.s != 's')
        return 0;
    for (; at < w.len && w.s[at] >= '0' && w.s[at] <= '9' && k < COLUMNS_MAX; at++)
        k = 10 * k + (unsigned)(w.s[at] - '0');
    w = trim((struct word){w.s + at, w.len - at});
    if (at == 1 || k + 1 >= COLUMNS_MAX || w.len < 6 || memcmp(w.s, "legend", 6) != 0)
        return 0;
    if (!c->xvg && !(c->xvg = calloc(COLUMNS_MAX, sizeof *c->xvg)))
        return -1;
    name_from(c->xvg[0], (struct word){"time", 4});
    name_from(c->xvg[k + 1], trim((struct word){w.s + 6, w.len - 6}));
    return 0;
}

/* Reads units from `@ xaxis label "Time (ps)"` and `@ yaxis label "(K), (nm^3), (bar)"`. */
static int xvg_axis(struct columns *c, struct word line)
{
    char text[160], axis, unit[UNIT_TEXT];
    snprintf(text, sizeof text, "%.*s", (int)(line.len < 159 ? line.len : 159), line.s);
    const char *at = strchr(text, '"');
    if (sscanf(text, "@ %caxis label", &axis) != 1 || !strstr(text, "axis") || !at)
        return 0;
    for (; (at = strchr(at, '(')); at++) {
        if (!strchr("\" ", at[-1]) || sscanf(at, "(%23[^) \"])", unit) != 1)
            continue;
        if (axis == 'x' && strncasecmp(strchr(text, '"') + 1, "time", 4) == 0)
            memcpy(c->xvg_time, unit, sizeof unit);
        if (axis == 'y' && c->ngroups < COLUMNS_UNITS)
            memcpy(c->group[c->ngroups++], unit, sizeof unit);
    }
    return axis == 'y' && c->ngroups == 1 ? meta_set(c->given, "data.unit", c->group[0])
           : axis == 'y'                  ? meta_set(c->given, "data.unit", NULL)
                                          : 0;
}

/* Parses a META key such as `## sys.cell 10 0 0 ...`. */
static int columns_describe(struct columns *c, struct word line)
{
    char key[40], text[512];
    int n = 0;
    if (line.len >= sizeof text)
        return 0;
    memcpy(text, line.s, line.len);
    text[line.len] = '\0';
    if (sscanf(text, "## %39s %n", key, &n) != 1 || !n || !text[n] ||
        (strncmp(key, "sys.", 4) != 0 && strcmp(key, "data.averaged") != 0))
        return 0;
    return meta_set(c->given, key, text + n);
}

/* Stores a line before the first row, because it may name the columns. Returns -1 if out of
 * memory. */
static int columns_legend(struct columns *c, struct word line)
{
    if (*line.s == '@')
        return xvg_axis(c, line) ? -1 : xvg_legend(c, line);
    while (line.len && *line.s == '#')
        line.s++, line.len--;
    free(c->legend);
    return (c->legend = strndup(line.s, line.len)) ? 0 : -1;
}

/* Checks that the n words of a line without numbers are column names. The index column of pandas
 * has an empty name, and NA is a name (sodium) if there are other names. Returns 0 or -1. */
static int columns_header(const struct columns *c, size_t n, struct err *e)
{
    size_t bad = 0, names = 0;
    for (size_t k = n; k-- > 0;) {
        struct word w = unquoted(c->word[k]);
        names += is_name(w) && !is_word(w, "NA") && !is_word(w, "N/A") && !is_word(w, "null") &&
                 !is_word(w, "None");
        bad = w.len && !is_name(w) ? k + 1 : bad;
    }
    if (names && !bad)
        return 0;
    struct word w = c->word[bad ? bad - 1 : 0];
    return err_in(
        e, ERR_BAD, c->path, c->line,
        "column %zu: expected a number, or a name that begins with a letter, found '%.*s': %s",
        bad ? bad : 1, (int)(w.len < 60 ? w.len : 60), w.s, decimal_reason(w.s, w.len));
}

/* Returns how many parts of a line, divided by these separators, are numbers with a decimal comma
 * or point. Sets *n to the number of parts and *commas to the number of parts with a comma. */
static size_t count_numbers(struct word line, const char *separators, size_t *n, int *commas)
{
    size_t numbers = 0;
    double v;
    *n = 0;
    *commas = 0;
    for (size_t at = 0; at < line.len;) {
        char text[64];
        size_t k = 0;
        for (; at < line.len && !strchr(separators, line.s[at]); at++, k++)
            if (k < sizeof text)
                text[k] = line.s[at];
        char *comma = memchr(text, ',', k < sizeof text ? k : 0);
        if (comma && comma > text && comma < text + k - 1)
            *comma = '.';
        int number = k && k < sizeof text && decimal_get_f64(text, k, DECIMAL_FORTRAN, &v) == 0;
        numbers += (size_t)number;
        *commas |= number && comma;
        *n += k > 0;
        at++;
    }
    return numbers;
}

/* Refuses lines with semicolons between columns or decimal commas. Returns 0, or -1 and sets *e. */
static int columns_dialect(const struct columns *c, struct word line, struct err *e)
{
    size_t n;
    int commas, show = (int)(line.len < 60 ? line.len : 60);
    if (memchr(line.s, ';', line.len) && count_numbers(line, "; \t", &n, &commas) > 0)
        return err_in(e, ERR_BAD, c->path, c->line,
                      "expected blanks or commas between columns, found semicolons%s: '%.*s' (tr "
                      "'%s' <FILE | txt2bin ...)",
                      commas ? " and decimal commas" : "", show, line.s,
                      commas ? ",;' '. " : ";' ',");
    if (memchr(line.s, ',', line.len) && count_numbers(line, " \t", &n, &commas) == n && n > 1 &&
        commas)
        return err_in(e, ERR_BAD, c->path, c->line,
                      "expected decimal points, found decimal commas: '%.*s' (use 'tr , . <FILE | "
                      "txt2bin ...')",
                      show, line.s);
    return 0;
}

/* Joins words that are a unit in brackets to the preceding word, as in "Time (ps)". Returns the
 * number of names. */
static size_t join_units(struct columns *c, size_t n)
{
    size_t to = 0;
    for (size_t k = 0; k < n && k < COLUMNS_MAX; k++) {
        struct word w = c->word[k], *before = &c->word[to ? to - 1 : 0];
        if (to && w.len > 2 && strchr("([", *w.s) && strchr(")]", w.s[w.len - 1]))
            before->len = (size_t)(w.s + w.len - before->s);
        else
            c->word[to++] = w;
    }
    return to;
}

/* Splits names separated by two blanks or a tab, as in "Step Nr.   Time[fs]   Cons Qty[a.u.]". */
static size_t split_wide(struct columns *c, struct word line)
{
    size_t n = 0;
    for (line = trim(line); line.len && n < COLUMNS_MAX; line = trim(line)) {
        size_t k = 0;
        while (k < line.len && line.s[k] != '\t' &&
               !(is_blank(line.s[k]) && k + 1 < line.len && is_blank(line.s[k + 1])))
            k++;
        c->word[n++] = trim((struct word){line.s, k});
        line = (struct word){line.s + k, line.len - k};
    }
    return n;
}

/* Returns whether a legend has one name per column. */
static bool split_legend(struct columns *c, struct word line)
{
    return columns_split(c, line) == c->count ||
           join_units(c, columns_split(c, line)) == c->count || split_wide(c, line) == c->count;
}

/* Names the columns from the lines before the first row. A column without a name is named by its
 * number. */
static int columns_names(struct columns *c, struct err *e)
{
    struct word line = {c->legend ? c->legend : "", c->legend ? strlen(c->legend) : 0};
    if (!(c->name = calloc(c->count, sizeof *c->name)))
        return err_memory(e, "the names of columns");
    int named = split_legend(c, line);
    for (size_t k = 0; k < c->count && named; k++) /* ignores a row that is commented out */
        named = !is_number(c->word[k]);
    for (size_t k = 0; k < c->count; k++) {
        if (c->xvg && c->xvg[k][0])
            memcpy(c->name[k], c->xvg[k], sizeof c->name[k]);
        else if (named)
            name_from(c->name[k], c->word[k]);
        if (!c->name[k][0])
            snprintf(c->name[k], sizeof c->name[k], "c%zu", k + 1);
        for (size_t j = 0; j < k; j++)
            if (strcmp(c->name[j], c->name[k]) == 0)
                return err_in(e, ERR_BAD, c->path, 0,
                              "expected different names, found columns %zu and %zu both named %s",
                              j + 1, k + 1, c->name[k]);
    }
    return 0;
}

static int is_comment(struct word line)
{
    return line.len && strchr("#@&", *line.s);
}

/* Classifies a line of a log and narrows it to its words. Returns LOG_ROW in other files, or -1 and
 * sets *e. */
static int columns_log(struct columns *c, struct word *line, struct err *e)
{
    if (!c->is_log)
        return LOG_ROW;
    int is = lammps_log_line(&c->log, &line->s, &line->len, e);
    return is >= 0 ? is : err_in(e, ERR_BAD, c->path, c->line, "%s", e->text);
}

/* Checks, at the end of the file, that the run in a log has ended. Returns 0, or -1 and sets *e. */
static int columns_ended(struct columns *c, struct err *e)
{
    c->torn = c->is_log && c->log.in;
    return !c->torn || c->choice.partial
               ? 0
               : err_in(e, ERR_BAD, c->path, c->line,
                        "expected the end of run %llu ('Loop time'), found the end of the file "
                        "(--allow-partial uses the rows before it)",
                        (unsigned long long)c->log.runs);
}

/* Reads all lines up to the first row. */
static int columns_begin(struct columns *c, struct err *e)
{
    struct word line;
    int got, words = 0;
    double v;
    while ((got = columns_read(c, &line, e)) > 0) {
        struct word whole = line;
        line = trim(line);
        c->ours |= line.len > 9 && memcmp(line.s, "## input ", 9) == 0;
        if (columns_describe(c, line))
            return err_memory(e, "a line");
        int is = columns_log(c, &line, e);
        if (is < 0)
            return -1;
        if (line.len == 0 || is == LOG_OTHER || is == LOG_END ||
            (line.len > 1 && memcmp(line.s, "##", 2) == 0))
            continue;
        if (!is_comment(line)) {
            size_t n = columns_split(c, line), numbers = 0;
            for (size_t k = 0; k < n && k < COLUMNS_MAX; k++)
                numbers += get_number(c->word[k], &v) == 0;
            if (n > COLUMNS_MAX)
                return err_in(e, ERR_BAD, c->path, c->line,
                              "expected at most %d columns, found more", COLUMNS_MAX);
            if (columns_dialect(c, line, e) || (!numbers && !words && columns_header(c, n, e)))
                return -1;
            if (numbers || words) {
                c->count = n;
                if (columns_names(c, e))
                    return -1;
                c->held = columns_split(c, line) == n;
                columns_count_row(c, whole);
                return 0;
            }
            words = 1;
        }
        if (columns_legend(c, line))
            return err_memory(e, "a line");
    }
    const char *found = c->line ? "no row of numbers" : "an empty file";
    if (c->is_log && c->choice.run && c->log.runs < c->choice.run)
        found = "fewer runs than --run specifies";
    return got < 0 ? -1
                   : err_in(e, ERR_BAD, c->path, 0, "expected a table of numbers, found %s", found);
}

/* Recognises a log by its first bytes. Returns 0, or -1 and sets *e. */
static int columns_kind(struct columns *c, struct err *e)
{
    while (c->have < HEAD_BYTES && !c->ended)
        if (columns_fill(c, e))
            return -1;
    c->is_log = lammps_log_is(c->buf, c->have);
    if (c->choice.run && !c->is_log)
        return err_in(e, ERR_BAD, c->path, 0,
                      "expected a LAMMPS log for --run, found another kind of table");
    if (c->is_log)
        lammps_log_start(&c->log, c->is_log, c->choice.run, c->choice.style);
    return 0;
}

struct columns *columns_open(const char *path, const struct columns_choice *choice, struct err *e)
{
    struct columns *c = calloc(1, sizeof *c);
    if (c) {
        c->path = path && strcmp(path, "-") != 0 ? path : "stdin";
        c->buf = malloc(COLUMNS_LINE + 1);
        c->choice = *choice;
        c->given = meta_new();
        if ((c->hash = XXH3_createState()))
            XXH3_64bits_reset(c->hash);
    }
    if (!c || !c->buf || !c->hash || !c->given)
        err_memory(e, "a table");
    else if (input_open(&c->in, path, magic_foreign_to_table) != 0)
        *e = c->in.err, err_file(e, c->path);
    else if (columns_kind(c, e) == 0 && columns_begin(c, e) == 0)
        return c;
    columns_close(c);
    return NULL;
}

void columns_close(struct columns *c)
{
    if (!c)
        return;
    input_close(&c->in);
    XXH3_freeState(c->hash);
    meta_free(c->given);
    lammps_log_free(&c->log);
    free(c->buf);
    free(c->name);
    free(c->legend);
    free(c->xvg);
    free(c);
}

size_t columns_count(const struct columns *c)
{
    return c->count;
}

const char *columns_name(const struct columns *c, size_t k)
{
    return c->name[k];
}

uint64_t columns_line(const struct columns *c)
{
    return c->line;
}

long columns_find(const struct columns *c, const char *name, struct err *e)
{
    char list[ERR_BYTES / 2] = "", *end;
    size_t at = 0;
    for (size_t k = 0; k < c->count; k++)
        if (strcmp(c->name[k], name) == 0)
            return (long)k;
    unsigned long number = strtoul(name, &end, 10);
    if (*name >= '1' && *name <= '9' && *end == '\0' && number <= c->count)
        return (long)number - 1;
    for (size_t k = 0; k < c->count && at + COLUMNS_NAME + 1 < sizeof list; k++)
        at += (size_t)snprintf(list + at, sizeof list - at, " %s", c->name[k]);
    return err_in(e, ERR_BAD, c->path, 0, "no column '%.100s' among the %zu columns:%s", name,
                  c->count, list);
}

int columns_next(struct columns *c, const size_t *want, size_t n, double *v, struct err *e)
{
    struct word line;
    while (!c->held) {
        int got = columns_read(c, &line, e);
        if (got == 0 && columns_ended(c, e))
            return -1;
        if (got <= 0)
            return got;
        struct word whole = line;
        line = trim(line);
        int is = columns_log(c, &line, e);
        if (is < 0)
            return -1;
        if (is == LOG_END && c->choice.run)
            return 0;
        if (is != LOG_ROW)
            continue;
        if (columns_end(c, line, e))
            return -1;
        if (line.len && *line.s == '&')
            c->set_end = c->line;
        if (line.len == 0 || is_comment(line))
            continue;
        if (c->set_end)
            return err_in(e, ERR_BAD, c->path, c->line,
                          "expected one set of rows, found a second set after the '&' of line %llu "
                          "(use sed '/^&/,$d' FILE | txt2bin ... to read the first set only)",
                          (unsigned long long)c->set_end);
        columns_count_row(c, whole);
        size_t found = columns_split(c, line);
        if (found != c->count && columns_dialect(c, line, e))
            return -1;
        if (found != c->count)
            return err_in(e, ERR_BAD, c->path, c->line, "expected %zu columns, found %zu: %.*s",
                          c->count, found, (int)(line.len < 60 ? line.len : 60), line.s);
        c->held = 1;
    }
    c->held = 0;
    for (size_t k = 0; k < n; k++) {
        struct word w = c->word[want[k]];
        if (get_number(w, &v[k]) == 0 && isfinite(v[k]))
            continue;
        const struct word *last = &c->word[c->count - 1];
        line = (struct word){c->word[0].s, (size_t)(last->s + last->len - c->word[0].s)};
        if (columns_dialect(c, line, e))
            return -1;
        return err_in(e, ERR_BAD, c->path, c->line, "column %s: expected a number, found '%.*s'",
                      c->name[want[k]], (int)(w.len < 60 ? w.len : 60), w.s);
    }
    return 1;
}
