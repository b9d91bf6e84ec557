/* SPDX-License-Identifier: MIT */
#include "cli/cli_help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/simd.h"

enum { WIDTH = 80, COLUMN = 28 };

/* ---- names of programs */

#ifndef CLI_TOOLS
#define CLI_TOOLS "" /* set by the Makefile: "acf beta-gen ..." */
#endif

static char named[128];
static size_t prefix; /* length of the prefix in `named` */

const char *cli_named(const char *tool, const char *argv0)
{
    const char *slash = argv0 ? strrchr(argv0, '/') : NULL, *base = slash ? slash + 1 : argv0;
    size_t n = base ? strlen(base) : 0, m = strlen(tool);
    if (n <= m || n >= sizeof named || strcmp(base + n - m, tool) != 0)
        return tool;
    for (size_t k = 0; k < n - m; k++)
        if (base[k] <= ' ' || base[k] == 127) /* unsafe on a terminal */
            return tool;
    memcpy(named, base, n + 1);
    prefix = n - m;
    return named;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Returns true if this word is the name of a program and not an English word. */
static bool is_tool(const char *word, size_t len, bool commands)
{
    const char *at = CLI_TOOLS;
    for (size_t n; *at; at += n + (at[n] == ' ')) {
        n = strcspn(at, " ");
        if (n == len && memcmp(at, word, n) == 0)
            return commands || strcspn(word, "0123456789-") < len;
    }
    return false;
}

void cli_name_all(const char *text, bool commands, char *out, size_t cap)
{
    char before = '\0', *to = out;
    while (*text && (size_t)(to - out) + prefix < cap) {
        size_t n = 0, capacity = cap - (size_t)(to - out);
        while (is_word(text[n]))
            n++;
        bool part = before == '/' || before == '.' || (text[n] == '.' && is_word(text[n + 1]));
        bool tool = n && prefix && !part && is_tool(text, n, commands);
        n += n == 0;
        to += snprintf(to, capacity, "%.*s%.*s", tool ? (int)prefix : 0, named, (int)n, text);
        before = text[n - 1];
        text += n;
    }
    *(to < out + cap ? to : out + cap - 1) = '\0';
}

/* ---- --help */

bool cli_takes(const struct cli_tool *t, const struct cli_opt *o)
{
    const bool takes[] = {true, t->reads_steps, t->writes_steps, t->writes_frames};
    return takes[o->only];
}

/* Prints text wrapped at blanks, with every line except the first indented. */
static void print_wrapped(const char *text, size_t indent)
{
    size_t width = WIDTH - indent, at = 0, len = strlen(text);
    while (len - at > width) {
        size_t cut = at + width;
        while (cut > at && text[cut] != ' ')
            cut--;
        printf("%.*s\n%*s", (int)(cut - at), text + at, (int)indent, "");
        at = cut + 1;
    }
    printf("%s\n", text + at);
}

static void print_option(const struct cli_opt *o, bool all)
{
    char left[80];
    int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "      --%s", o->name);
    if (o->arg && o->arg[0] == '[')
        snprintf(left + n, sizeof left - (size_t)n, "[=%s", o->arg + 1);
    else if (o->arg)
        snprintf(left + n, sizeof left - (size_t)n, " %s", o->arg);
    if (strlen(left) > COLUMN - 2)
        printf("%s\n%*s", left, COLUMN, "");
    else
        printf("%-*s", COLUMN, left);
    print_wrapped(o->help, COLUMN);
    if (all && o->was)
        printf("%*s(formerly --%s)\n", COLUMN, "", o->was);
}

void cli_help(const struct cli_tool *t, const char *name, const struct cli_opt *common, bool all)
{
    printf("Usage: %s [OPTION...]%s%s\n", name, t->operands[0] ? " " : "", t->operands);
    print_wrapped(t->summary, 0);
    printf("\n");
    for (const struct cli_opt *o = t->opts; o && o->name; o++)
        print_option(o, all);
    if (t->opts && t->opts->name)
        printf("\n");
    for (const struct cli_opt *o = common; o->name && all; o++)
        if (cli_takes(t, o))
            print_option(o, all);
    if (!all)
        printf("Common options (-o FILE, %s-t N, -q, -v, ...): --help-all or mbf(7).\n",
               t->reads_steps     ? "--from, --to, "
               : t->writes_frames ? "-z, "
                                  : "");
    printf("\nExit status: 0 success, %s%s2 wrong options or bad input,\n"
           "3 system error, 4 not enough memory.\n",
           t->differs ? t->differs : "", t->differs ? ", " : "");
    char examples[4096];
    cli_name_all(t->examples, true, examples, sizeof examples);
    printf("\nExamples:\n%s", examples);
}

void cli_version(const struct cli_tool *t, const char *name, int threads)
{
    printf("%s %s\nformat MBF %s\ncompiler %s %s\n", name, CLI_VERSION, FRAME_FORMAT,
#ifdef __clang__
           "clang", __clang_version__
#else
           "gcc", __VERSION__
#endif
    );
    if (t->engine)
        printf("engine: %s\n", t->engine());
    if (t->build_facts)
        printf("%s\n", t->build_facts());
    printf("threads %d, %s\n", threads, simd_name());
}

/* ---- completions, whose arguments are choices, files or free text */

static bool takes_file(const struct cli_opt *o)
{
    return o->arg && strstr(o->arg, "FILE");
}

static void put_choices(const struct cli_opt *o)
{
    for (int k = 0; o->choices[k]; k++)
        printf("%s%s", k ? " " : "", o->choices[k]);
}

/* Prints a help text within shell quotes. */
static void put_quoted(const char *text, const char *escaped)
{
    for (; *text; text++)
        if (*text == '\'')
            printf("'\\''");
        else
            printf("%s%c", strchr(escaped, *text) ? "\\" : "", *text);
}

static void bash_option(const struct cli_opt *o, const char *name)
{
    (void)name;
    if (!o->arg || o->arg[0] == '[')
        return;
    printf("    --%s", o->name);
    if (o->letter)
        printf(" | -%c", o->letter);
    printf(") ");
    if (o->choices) {
        printf("COMPREPLY=($(compgen -W '");
        put_choices(o);
        printf("' -- \"$cur\")); ");
    } else if (takes_file(o)) {
        printf("COMPREPLY=($(compgen -f -- \"$cur\")); ");
    }
    printf("return ;;\n");
}

static void zsh_option(const struct cli_opt *o, const char *name)
{
    (void)name;
    bool optional = o->arg && o->arg[0] == '[';
    if (o->letter)
        printf("    '(-%c --%s)'{-%c,--%s%s}'[", o->letter, o->name, o->letter, o->name,
               o->arg && !optional ? "=" : "");
    else
        printf("    '--%s%s[", o->name, o->arg && !optional ? "=" : "");
    put_quoted(o->help, "[]:\\");
    printf("]");
    if (o->arg && !optional) {
        printf(":");
        put_quoted(o->arg, "[]:\\");
        printf(":");
        if (o->choices) {
            printf("(");
            put_choices(o);
            printf(")");
        } else if (takes_file(o)) {
            printf("_files");
        }
    }
    printf("' \\\n");
}

static void fish_option(const struct cli_opt *o, const char *name)
{
    printf("complete -c %s -l %s", name, o->name);
    if (o->letter)
        printf(" -s %c", o->letter);
    if (o->choices) {
        printf(" -xa '");
        put_choices(o);
        printf("'");
    } else if (o->arg && o->arg[0] != '[') {
        printf(takes_file(o) ? " -rF" : " -x");
    }
    printf(" -d '");
    for (const char *p = o->help; *p; p++)
        printf("%s%c", *p == '\'' || *p == '\\' ? "\\" : "", *p);
    printf("'\n");
}

/* Calls a function for every option of the tool and every common option. */
static void each(const struct cli_tool *t, const struct cli_opt *common, const char *name,
                 void (*one)(const struct cli_opt *, const char *))
{
    for (int pass = 0; pass < 2; pass++)
        for (const struct cli_opt *o = pass ? common : t->opts; o && o->name; o++)
            if (!pass || cli_takes(t, o))
                one(o, name);
}

static void put_long(const struct cli_opt *o, const char *name)
{
    (void)name;
    printf("--%s ", o->name);
}

static void bash(const struct cli_tool *t, const char *name, const struct cli_opt *common)
{
    printf("_mbf_complete_%s()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    COMPREPLY=()\n"
           "    [[ $cur != = ]] || cur=\n"
           "    [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    case $prev in\n",
           t->name);
    each(t, common, name, bash_option);
    printf("    esac\n    if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W '");
    each(t, common, name, put_long);
    printf("' -- \"$cur\"))\n    else\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\n"
           "complete -o filenames -F _mbf_complete_%s %s\n",
           t->name, name);
}

int cli_completion(const struct cli_tool *t, const char *name, const struct cli_opt *common,
                   const char *shell)
{
    if (strcmp(shell, "bash") == 0) {
        bash(t, name, common);
    } else if (strcmp(shell, "zsh") == 0) {
        printf("#compdef %s\n_arguments -s -S \\\n", name);
        each(t, common, name, zsh_option);
        printf("    '*:operand:_files'\n");
    } else if (strcmp(shell, "fish") == 0) {
        each(t, common, name, fish_option);
    } else {
        return -1;
    }
    return 0;
}
