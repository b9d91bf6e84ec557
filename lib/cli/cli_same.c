/* SPDX-License-Identifier: MIT */
/* cli_same.c: checks whether two names refer to the same file. No output may be an input, and no
 * two outputs may be the same file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* Gets the status of a file. The name "-" stands for standard output as it was at the start,
 * because a writer moves standard output away. */
static bool stat_output(const char *path, struct stat *st)
{
    static struct stat first;
    static int known = -1;
    if (known < 0)
        known = fstat(1, &first) == 0;
    if (strcmp(path, "-") != 0)
        return stat(path, st) == 0;
    *st = first;
    return known;
}

/* Returns true if a and b are the same file or pipe. Terminals and /dev/null do not count, because
 * writing to them twice does no harm. */
static bool is_one(const struct stat *a, const struct stat *b)
{
    return !S_ISCHR(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

void cli_keep_inputs(const struct cli_common *c, const char *path)
{
    struct stat out, in;
    if (!stat_output(path ? path : "-", &out) || !S_ISREG(out.st_mode))
        return;
    for (int k = 0; k <= c->noperands; k++) { /* stdin is last: most tools read it */
        const char *name = k < c->noperands ? c->operands[k] : "-";
        bool is_stdin = strcmp(name, "-") == 0;
        if ((is_stdin ? fstat(0, &in) : stat(name, &in)) == 0 && is_one(&out, &in))
            cli_die(CLI_BAD, "%s: input and output are the same file", is_stdin ? "stdin" : name);
    }
}

void cli_keep_input(const struct cli_common *c, const char *input, const char *path)
{
    struct cli_common one = *c;
    one.operands = (char *[]){(char *)input};
    one.noperands = input ? 1 : 0;
    cli_keep_inputs(&one, path);
}

/* Returns the name to which symbolic links lead, for a file that does not exist yet, or NULL if out
 * of memory or if the links form a loop. */
static char *behind_links(const char *path)
{
    char to[4096], *name = strdup(path);
    for (int k = 0; k < 40 && name; k++) {
        ssize_t n = readlink(name, to, sizeof to - 1);
        if (n < 0)
            return name;
        char *slash = strrchr(name, '/'), *next;
        to[n] = '\0';
        int dir = *to != '/' && slash ? (int)(slash - name) + 1 : 0;
        next = asprintf(&next, "%.*s%s", dir, name, to) < 0 ? NULL : next;
        free(name);
        name = next;
    }
    free(name);
    return NULL;
}

/* Returns true if two files that do not exist yet have the same name in the same folder. */
static bool same_name(const char *a, const char *b)
{
    struct stat sa, sb;
    const char *na = strrchr(a, '/'), *nb = strrchr(b, '/');
    char *fa = na ? strndup(a, (size_t)(na - a) + 1) : strdup("."),
         *fb = nb ? strndup(b, (size_t)(nb - b) + 1) : strdup(".");
    bool same = fa && fb && strcmp(na ? na + 1 : a, nb ? nb + 1 : b) == 0 && stat(fa, &sa) == 0 &&
                stat(fb, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
    free(fa);
    free(fb);
    return same;
}

static bool same_output(const char *a, const char *b)
{
    struct stat sa, sb;
    bool is_a = stat_output(a, &sa), is_b = stat_output(b, &sb);
    if (is_a || is_b || strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return is_a && is_b && is_one(&sa, &sb);
    char *ra = behind_links(a), *rb = behind_links(b);
    bool same = ra && rb && same_name(ra, rb);
    free(ra);
    free(rb);
    return same;
}

static const char *shown(const char *name)
{
    return strcmp(name, "-") == 0 ? "stdout" : name;
}

void cli_separate(const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < k; j++)
            if (names[k] && names[j] &&
                (strcmp(names[k], names[j]) == 0 || same_output(names[k], names[j])))
                cli_die(CLI_BAD, "two outputs name the same file: %s and %s", shown(names[j]),
                        shown(names[k]));
}

bool cli_same_output(const char *a, const char *b)
{
    return a && b && (strcmp(a, b) == 0 || same_output(a, b));
}
