/* SPDX-License-Identifier: MIT */
/* cli_parse.c: parses the command line by a table of options, and answers --help and --version. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/portable.h"
#include "cli/cli.h"
#include "cli/cli_help.h"
#include "cli/cli_log.h"
#include "cli/cli_print.h"
#include "io/decimal.h"
#include "stream/frame_index.h"
#include "stream/frame_output.h"

enum { LONG_BASE = 1000, MAX_OPTS = 64 };

/* ---- values: complete and in range, in the C locale */

int cli_parse_real(const char *s, double min, double max, double *v, struct err *e)
{
    double x;
    if (decimal_get_f64(s, strlen(s), DECIMAL_OURS, &x) == 0 && isfinite(x) && x >= min &&
        x <= max) {
        *v = x;
        return 0;
    }
    if (max < HUGE_VAL)
        return err_bad(e, "expected a number from %g to %g, found '%s'", min, max, s);
    if (min > -HUGE_VAL)
        return err_bad(e, "expected a number of at least %g, found '%s'", min, s);
    return err_bad(e, "expected a number, found '%s'", s);
}

int cli_parse_uint(const char *s, uint64_t min, uint64_t max, uint64_t *v, struct err *e)
{
    uint64_t x;
    if (decimal_get_u64(s, strlen(s), max, &x) == 0 && x >= min) {
        *v = x;
        return 0;
    }
    if (max < UINT64_MAX)
        return err_bad(e, "expected a whole number from %llu to %llu, found '%s'",
                       (unsigned long long)min, (unsigned long long)max, s);
    return err_bad(e, "expected a whole number of at least %llu, found '%s'",
                   (unsigned long long)min, s);
}

static int parse_size(const char *s, uint64_t *v, struct err *e)
{
    static const char units[] = "KMGT";
    size_t len = strcspn(s, "KMGTkmgt");
    const char *end = s + len;
    double x;
    if (decimal_get_f64(s, len, DECIMAL_OURS, &x) == 0 && s[0] >= '0' && s[0] <= '9') {
        if (*end != '\0') {
            x *= ldexp(1.0, 10 * (int)(strchr(units, toupper((unsigned char)*end)) - units + 1));
            end++;
            end += *end == 'i';
            end += *end == 'B';
        }
        if (*end == '\0' && x >= 1.0 && x < 9e18) {
            *v = (uint64_t)x;
            return 0;
        }
    }
    return err_bad(e, "expected a size such as 500M or 2G, found '%s'", s);
}

static int parse_choice(const struct cli_opt *o, const char *s, struct err *e)
{
    char all[ERR_BYTES] = "";
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], s) == 0) {
            *(int *)o->dst = i;
            return 0;
        }
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s %s", i ? "," : "", o->choices[i]);
    }
    return err_bad(e, "expected one of%s; found '%s'", all, s);
}

static int apply(const struct cli_opt *o, const char *s, struct err *e)
{
    double max = o->min == 0 && o->max == 0 ? HUGE_VAL : o->max;
    double min = o->min == 0 && o->max == 0 ? -HUGE_VAL : o->min;
    switch (o->kind) {
    case CLI_FLAG: *(bool *)o->dst = true; return 0;
    case CLI_UINT:
        return cli_parse_uint(s, o->min > 0 ? (uint64_t)o->min : 0,
                              o->max > 0 && o->max < 1.8e19 ? (uint64_t)o->max : UINT64_MAX, o->dst,
                              e);
    case CLI_REAL: return cli_parse_real(s, min, max, o->dst, e);
    case CLI_STRING: /* an empty text is probably an unset variable of a script */
        *(const char **)o->dst = s;
        return *s ? 0 : err_bad(e, "expected %s, found ''", o->arg);
    case CLI_CHOICE: return parse_choice(o, s, e);
    case CLI_SIZE: return parse_size(s, o->dst, e);
    case CLI_CUSTOM: return o->parse(s, o->dst, e);
    }
    return -1;
}

int cli_parse_words(const struct cli_opt *opts, char *const *words, struct err *e)
{
    for (; *words; words++) {
        const struct cli_opt *o = opts;
        const char *value = strchr(*words, '=');
        int len = (int)(value ? value - *words : (long)strlen(*words));
        struct err why = {0};
        while (o->name && (strncmp(o->name, *words, (size_t)len) != 0 || o->name[len]))
            o++;
        if (!o->name)
            return err_bad(e, "unknown option '--%.*s'", len, *words);
        if (!o->arg && value)
            return err_bad(e, "option --%s takes no argument", o->name);
        if (o->arg && !value)
            return err_bad(e, "option --%s needs %s", o->name, o->arg);
        if (apply(o, value ? value + 1 : NULL, &why) != 0)
            return err_set(e, why.status, "--%s: %s", o->name, why.text);
    }
    return 0;
}

/* ---- options of every tool. Their values are stored here and copied to struct cli_common */

static struct cli_common given = {.window = {NAN, NAN}}; /* keeps args until the program ends */
static bool help, help_all, version, no_sync;
static uint64_t threads;

static int parse_level(const char *s, void *dst, struct err *e)
{
    uint64_t v = 0;
    if (s && cli_parse_uint(s, 1, 9, &v, e) != 0)
        return -1;
    *(int *)dst = s ? (int)v : FRAME_SMALL;
    return 0;
}

static const struct cli_opt common_opts[] = {
    CLI_OPT("from", "PS", REAL, &given.window.from, "skip steps before this time (default: none)",
            .min = -1e15, .max = 1e15, .only = CLI_READS_STEPS),
    CLI_OPT("to", "PS", REAL, &given.window.to, "skip steps after this time (default: none)",
            .min = -1e15, .max = 1e15, .only = CLI_READS_STEPS),
    CLI_OPT("output", "FILE", STRING, &given.output,
            "write to FILE, which appears when it is complete (default: standard output)",
            .letter = 'o'),
    CLI_OPT("compress", "[LEVEL]", CUSTOM, &given.compress,
            "compress the frames: best without LEVEL; a LEVEL from 1 to 9 uses only zlib, for "
            "larger files that programs for MBF 1.1 can read (default: no compression)",
            .parse = parse_level, .letter = 'z', .only = CLI_WRITES_FRAMES),
    CLI_OPT(
        "index", NULL, FLAG, &given.index,
        "also write FILE.mbi, an index of the steps in the output file FILE; see frame-index(1)",
        .only = CLI_WRITES_STEPS),
    CLI_OPT("force", NULL, FLAG, &given.force, "write frames even to a terminal",
            .only = CLI_WRITES_FRAMES),
    CLI_OPT("no-sync", NULL, FLAG, &no_sync,
            "do not wait until the output file is on disk; this is faster, but a power failure can "
            "destroy the file"),
    CLI_OPT("threads", "N", UINT, &threads,
            "number of threads (default: the value of OMP_NUM_THREADS, otherwise the number of "
            "available processors)",
            .min = 1, .max = 4096, .letter = 't'),
    CLI_OPT("max-mem", "SIZE", SIZE, &given.max_mem,
            "maximum memory to use, such as 2G (default: 80 % of the free memory)"),
    CLI_OPT("log", "FILE.tsv", STRING, &given.log,
            "append one line about the run to FILE, with the status, steps, bytes, seconds, memory "
            "and hashes"),
    CLI_OPT("quiet", NULL, FLAG, &given.quiet, "print no warnings and no progress", .letter = 'q'),
    CLI_OPT("verbose", NULL, FLAG, &given.verbose,
            "print more messages, and at the end the number of frames, bytes, seconds and GB/s",
            .letter = 'v'),
    CLI_OPT("help", NULL, FLAG, &help, "print the options of this program and exit", .letter = 'h'),
    CLI_OPT("help-all", NULL, FLAG, &help_all,
            "print all options, including the common ones, and exit"),
    CLI_OPT("version", NULL, FLAG, &version, "print the version and build options and exit",
            .letter = 'V'),
    {0}};

/* Returns true if the option is recorded in the output. */
static bool is_recorded(const struct cli_opt *o)
{
    bool common = o >= common_opts && o < common_opts + sizeof common_opts / sizeof *common_opts;
    return !common || o->dst == &given.window.from || o->dst == &given.window.to;
}

static int default_threads(void)
{
    const char *env = getenv("OMP_NUM_THREADS");
    uint64_t n = 0;
    if (env && cli_parse_uint(env, 1, 4096, &n, NULL) == 0)
        return (int)n;
    return portable_processors();
}

/* Exits after an answer was printed, or reports that it could not be printed. */
__attribute__((noreturn)) static void answered(void)
{
    errno = EIO; /* if an earlier failure left no reason */
    if (fflush(stdout) == 0 && !ferror(stdout))
        exit(CLI_OK);
    cli_die(CLI_MACHINE, "stdout: cannot write: %s", strerror(errno));
}

/* ---- the command line */

/* Appends one word to c->args, quoted for a shell if necessary. */
static void add_arg(struct cli_common *c, const char *word)
{
    size_t old = c->args_len;
    char *p = realloc(c->args, old + 4 * strlen(word) + 4);
    if (!p)
        cli_die(CLI_MEMORY, "out of memory");
    c->args = p;
    p += old;
    if (old)
        *p++ = ' ';
    bool plain = word[0] && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./:,%@")] == '\0';
    if (!plain)
        *p++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            p = stpcpy(p, "'\\''");
        else
            *p++ = *word;
    if (!plain)
        *p++ = '\'';
    *p = '\0';
    c->args_len = (size_t)(p - c->args);
}

static void record_arg(struct cli_common *c, const struct cli_opt *o, bool formerly,
                       const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "--%s", formerly ? o->was : o->name);
    add_arg(c, name);
    if (o->arg && value)
        add_arg(c, value);
}

/* American spellings of options. */
enum { SPELLINGS = 2 };
static const char *const american[SPELLINGS][2] = {{"neighbours", "neighbors"},
                                                   {"normalisation", "normalization"}};

struct table {
    const struct cli_opt *opt[MAX_OPTS];
    struct option lopt[2 * MAX_OPTS + SPELLINGS];
    char sopt[3 * MAX_OPTS + 2];
};

static void build_table(const struct cli_tool *t, struct table *tab)
{
    int n = 0;
    char *s = stpcpy(tab->sopt, ":");
    for (int pass = 0; pass < 2; pass++)
        for (const struct cli_opt *o = pass ? common_opts : t->opts;
             o && o->name && n < MAX_OPTS - 1; o++) {
            if (pass && !cli_takes(t, o))
                continue;
            int has = !o->arg            ? no_argument
                      : o->arg[0] == '[' ? optional_argument
                                         : required_argument;
            tab->opt[n] = o;
            tab->lopt[n] = (struct option){o->name, has, NULL, LONG_BASE + n};
            n++;
            if (o->letter) {
                *s++ = o->letter;
                for (int k = 0; k < has; k++)
                    *s++ = ':';
            }
        }
    *s = '\0';
    tab->opt[n] = NULL;
    for (int i = 0, last = n; i < last; i++) {
        if (tab->opt[i]->was) {
            tab->lopt[n] = tab->lopt[i];
            tab->lopt[n++].name = tab->opt[i]->was;
        }
        for (int k = 0; k < SPELLINGS; k++)
            if (strcmp(tab->opt[i]->name, american[k][0]) == 0) {
                tab->lopt[n] = tab->lopt[i];
                tab->lopt[n++].name = american[k][1];
            }
    }
    tab->lopt[n] = (struct option){0};
}

static const struct cli_opt *find(const struct table *tab, int got)
{
    for (int i = 0; tab->opt[i]; i++)
        if (got == LONG_BASE + i || (got < LONG_BASE && got == tab->opt[i]->letter))
            return tab->opt[i];
    return NULL;
}

/* Returns the number of letters to add, drop, change or swap to turn one word into the other. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    size_t d[LONGEST + 1][LONGEST + 1], n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            size_t best = i && j ? d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i + j;
            if (i && d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (j && d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

static void lower(char *to, size_t capacity, const char *s, size_t len)
{
    size_t k = 0;
    for (; k < len && k + 1 < capacity; k++)
        to[k] = (char)tolower((unsigned char)s[k]);
    to[k] = '\0';
}

/* Reports why the value of an option was refused, and which allowed word is similar. The allowed
 * words are the choices, or the words of an argument such as "ANGSTROM|half|corner". */
__attribute__((noreturn)) static void die_value(const struct cli_opt *o, const char *value,
                                                const struct err *e)
{
    char word[41], low[41], found[41], near[41] = "";
    size_t best = SIZE_MAX, n = value ? strlen(value) : 0;
    lower(found, sizeof found, value ? value : "", n);
    const char *s = o->choices ? o->choices[0] : o->arg ? o->arg : "";
    for (int i = 0; n && n < sizeof found && s && *s;) {
        size_t len = o->choices ? strlen(s) : strcspn(s, "|");
        snprintf(word, sizeof word, "%.*s", (int)(len < 40 ? len : 40), s);
        lower(low, sizeof low, s, len);
        size_t d = distance(found, low);
        if (d < best && d <= 1 + n / 5 && strpbrk(word, "abcdefghijklmnopqrstuvwxyz")) {
            best = d;
            strcpy(near, word);
        }
        s = o->choices ? o->choices[++i] : s + len + (s[len] == '|');
    }
    if (e->status == ERR_BAD && *near && strcmp(near, value) != 0)
        cli_die(e->status, "--%s: %s (did you mean %s?)", o->name, e->text, near);
    cli_die(e->status, "--%s: %s", o->name, e->text);
}

/* Reports a long option that getopt() refused: an ambiguous abbreviation or an unknown name. */
__attribute__((noreturn)) static void die_unknown(const struct table *tab, const char *word)
{
    char name[64], list[ERR_BYTES / 2] = "";
    const char *near = NULL;
    size_t len = strcspn(word + 2, "="), at = 0, best = SIZE_MAX;
    snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), word + 2);
    const char *last = NULL;
    for (int i = 0; tab->opt[i]; i++) {
        const char *was = tab->opt[i]->was;
        size_t d = distance(name, tab->opt[i]->name), d2 = was ? distance(name, was) : d;
        d = d2 < d ? d2 : d;
        if (d < best) {
            best = d;
            near = tab->opt[i]->name;
        }
        if (strncmp(name, tab->opt[i]->name, len) != 0)
            continue;
        if (last && at < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s--%s", at ? ", " : "", last);
        last = tab->opt[i]->name;
    }
    if (at)
        cli_die(CLI_BAD, "ambiguous option '--%s': %s or --%s (see %s --help)", name, list, last,
                cli_shown);
    if (near && best <= 1 + len / 5)
        cli_die(CLI_BAD, "unknown option '--%s': did you mean --%s? (see %s --help)", name, near,
                cli_shown);
    cli_die(CLI_BAD, "unknown option '--%s' (see %s --help)", name, cli_shown);
}

/* Reports an unknown letter. A word after a single dash, as in other programs, may be meant as the
 * long option of the same name. */
__attribute__((noreturn)) static void die_letter(const struct table *tab, int letter,
                                                 const char *word)
{
    size_t len = word && word[0] == '-' && strchr(word, letter) ? strcspn(word + 1, "=") : 0;
    for (const struct option *o = tab->lopt; len > 1 && o->name; o++)
        if (strncmp(o->name, word + 1, len) == 0 && o->name[len] == '\0')
            cli_die(CLI_BAD, "unknown option '-%s': did you mean --%s? (see %s --help)", o->name,
                    find(tab, o->val)->name, cli_shown);
    if (isdigit(letter))
        cli_die(CLI_BAD,
                "expected an option, found '-%c': steps and atoms are counted from 0, and negative "
                "numbers are not supported (frame-check prints the number of steps)",
                letter);
    cli_die(CLI_BAD, "unknown option '-%c' (see %s --help)", letter, cli_shown);
}

/* The function getopt() accepts an optional argument only if it is attached to the option. A
 * separate single digit after -z, as in "-z 6", is also taken as the argument. */
static const char *separate_level(const struct cli_opt *o, const char *value, int argc, char **argv)
{
    if (value || o->letter != 'z' || optind >= argc || strlen(argv[optind]) != 1 ||
        argv[optind][0] < '1' || argv[optind][0] > '9')
        return value;
    return argv[optind++];
}

/* Checks the number of operands, of which `left` were left out. */
static void check_operands(const struct cli_tool *t, int n, int left, char **operands)
{
    if (t->max_operands >= 0 && n + left > t->max_operands)
        cli_die(CLI_BAD, "unexpected operand '%s': %s takes %s%s (see %s --help)",
                operands[t->max_operands - left], cli_shown, t->max_operands ? "" : "no operand",
                t->operands, cli_shown);
    if (n + left < t->min_operands)
        cli_die(CLI_BAD, "expected %s, found %d operand%s (see %s --help)", t->operands, n,
                n == 1 ? "" : "s", cli_shown);
    for (int k = 0; k < n; k++)
        if (!*operands[k])
            cli_die(CLI_BAD, "expected %s, found ''", t->operands);
}

static void finish(const struct cli_tool *t, struct cli_common *c)
{
    struct err e;
    if (c->window.from > c->window.to)
        cli_die(CLI_BAD, "expected --from before --to, found %.10g and %.10g", c->window.from,
                c->window.to);
    int wanted = threads ? (int)threads : default_threads();
    long online = sysconf(_SC_NPROCESSORS_ONLN), max = online > 16 ? 4 * online : 64;
    c->threads = wanted < max ? wanted : (int)max; /* more threads only wait for each other */
    if (!c->max_mem)
        c->max_mem = memory_free("") / 5 * 4;
    cli_loudness(c->quiet, c->verbose);
    output_sync(!no_sync);
    char *index = c->index && c->output ? frame_index_name(c->output) : NULL;
    if (c->log) /* appending to an input would ruin it */
        cli_keep_inputs(c, c->log);
    if (index)
        cli_keep_inputs(c, index);
    cli_separate((const char *[]){c->log, c->output ? c->output : "-", index}, 3);
    cli_separate((const char *[]){index, "-"}, 2);
    free(index);
    if (c->log && cli_log_open(c->log, t->name, CLI_VERSION, cli_input(c), c->output, c->args, &e))
        cli_die(e.status, "%s", e.text);
}

void cli_parse(const struct cli_tool *tool, int argc, char **argv, struct cli_common *to)
{
    static struct table tab;
    static char *every[] = {":", NULL};
    struct cli_common *c = &given;
    struct err e;
    cli_start(tool->name, cli_named(tool->name, argv[0]));
    if (!(c->args = strdup("")))
        cli_die(CLI_MEMORY, "out of memory");
    if (argc == 3 && strcmp(argv[1], "--completion") == 0) {
        if (cli_completion(tool, cli_shown, common_opts, argv[2]) != 0)
            cli_die(CLI_BAD, "--completion: expected bash, zsh or fish, found '%s'", argv[2]);
        answered();
    }
    build_table(tool, &tab);
    opterr = 0;
    for (int got, at = 0; (got = getopt_long(argc, argv, tab.sopt, tab.lopt, &at)) != -1;) {
        if (got == ':' || got == '?') {
            const struct cli_opt *known = optopt ? find(&tab, optopt) : NULL;
            if (known && got == ':')
                cli_die(CLI_BAD, "option --%s needs %s (see %s --help)", known->name, known->arg,
                        cli_shown);
            if (known)
                cli_die(CLI_BAD, "option --%s takes no argument", known->name);
            if (optopt && optopt < 256)
                die_letter(&tab, optopt, argv[optind]);
            die_unknown(&tab, argv[optind - 1]);
        }
        const struct cli_opt *o = find(&tab, got);
        const char *value = separate_level(o, optarg, argc, argv);
        if (apply(o, value, &e) != 0)
            die_value(o, value, &e);
        if (help || help_all)
            cli_help(tool, cli_shown, common_opts, help_all);
        else if (version)
            cli_version(tool, cli_shown, default_threads());
        if (help || help_all || version)
            answered();
        cli_mark(o->name);
        if (is_recorded(o))
            record_arg(c, o, got >= LONG_BASE && tab.lopt[at].name == o->was, value);
    }
    c->noperands = argc - optind;
    c->operands = argv + optind;
    int words = tool->words;
    if (tool->wordless && tool->wordless(c->operands[0]))
        words = 0;
    check_operands(tool, c->noperands, tool->words - words, c->operands);
    for (c->words = c->operands; c->operands < c->words + words; c->operands++) {
        add_arg(c, *c->operands);
        c->noperands--;
    }
    if (words < tool->words) {
        c->words = every;
        add_arg(c, *every);
    }
    finish(tool, c);
    cli_keep_inputs(c, c->output);
    *to = *c;
}
