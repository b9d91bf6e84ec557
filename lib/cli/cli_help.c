/* SPDX-License-Identifier: MIT */
/* cli_help.c: --help and --version. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "cli/cli.h"
#include "cli/cli_state.h"

/* Text broken at blanks before column 100; every line but the first is indented. */
static void print_wrapped(const char *text, size_t indent)
{
    size_t width = 100 - indent, at = 0, len = strlen(text);
    while (len - at > width) {
        size_t cut = at + width;
        while (cut > at && text[cut] != ' ')
            cut--;
        printf("%.*s\n%*s", (int)(cut - at), text + at, (int)indent, "");
        at = cut + 1;
    }
    printf("%s\n", text + at);
}

static void print_option(const struct cli_opt *o)
{
    enum { COLUMN = 34 };
    char left[80];
    int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "      --%s", o->name);
    if (o->arg && o->arg[0] == '[')
        snprintf(left + n, sizeof left - (size_t)n, "[=%s", o->arg + 1);
    else if (o->arg)
        snprintf(left + n, sizeof left - (size_t)n, " %s", o->arg);
    printf(strlen(left) < COLUMN - 1 ? "%-34s" : "%s\n%34s", left, "");
    print_wrapped(o->help, COLUMN);
}

/* What was asked for has been said, or could not be. */
__attribute__((noreturn)) static void answered(void)
{
    errno = EIO; /* where the failure was an earlier one, and left no reason */
    if (fflush(stdout) == 0 && !ferror(stdout))
        exit(CLI_OK);
    cli_die(CLI_MACHINE, "stdout: cannot write: %s", strerror(errno));
}

void cli_help(const struct cli_tool *t, const struct cli_opt *common)
{
    printf("Usage: %s [OPTION...]%s%s\n", t->name, t->operands[0] ? " " : "", t->operands);
    print_wrapped(t->summary, 0);
    printf("\n");
    for (const struct cli_opt *o = t->opts; o && o->name; o++)
        print_option(o);
    if (t->opts && t->opts->name)
        printf("\n");
    for (const struct cli_opt *o = common; o->name; o++)
        if (t->writes_frames || (strcmp(o->name, "compress") != 0 && strcmp(o->name, "force") != 0))
            print_option(o);
    printf("\nExit status: 0 done%s, 2 wrong options or bad input, 3 the machine failed.\n",
           strcmp(t->name, "compare") == 0 ? ", 1 the streams differ" : "");
    printf("\nExamples:\n%s", t->examples);
    answered();
}

void cli_version(const struct cli_tool *t, int threads)
{
    printf("%s %s\nformat MBF 1.0\ncompiler %s %s\n", t->name, CLI_VERSION,
#ifdef __clang__
           "clang", __clang_version__
#else
           "gcc", __VERSION__
#endif
    );
    if (t->build_facts)
        printf("%s\n", t->build_facts());
    printf("threads %d, %s\n", threads, simd_name());
    answered();
}
