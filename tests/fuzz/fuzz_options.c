/* SPDX-License-Identifier: MIT */
/*
 * fuzz_options.c: any bytes as the words of a command line, one per line, for a tool with an option
 * of every kind. The parser must end the program with status 0 or 2, or return values in their
 * ranges. Calls of exit() are caught (--wrap=exit).
 */
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
void __real_exit(int status) __attribute__((noreturn));
void __wrap_exit(int status) __attribute__((noreturn));
int __lsan_is_turned_off(void);

/* memory that a program holds at its exit is not a leak, and this program is stopped halfway */
int __lsan_is_turned_off(void)
{
    return 1;
}

static jmp_buf out;
static bool armed;

void __wrap_exit(int status)
{
    if (armed)
        longjmp(out, 100 + status);
    __real_exit(status);
}

static bool flag;
static uint64_t whole, size;
static double real;
static const char *string;
static int choice, custom;
static const char *const choices[] = {"one", "two", "three", NULL};

static int parse(const char *value, void *dst, struct err *e)
{
    if (value && strlen(value) > 3)
        return err_set(e, ERR_BAD, "expected at most three letters, found '%s'", value);
    *(int *)dst = value ? (int)strlen(value) : 0;
    return 0;
}

static const struct cli_opt options[] = {
    CLI_OPT("flag", NULL, FLAG, &flag, "a flag", .letter = 'f'),
    CLI_OPT("whole", "N", UINT, &whole, "a whole number", .min = 3, .max = 1000, .letter = 'n'),
    CLI_OPT("real", "X", REAL, &real, "a number", .min = -1.5, .max = 2.5),
    CLI_OPT("string", "TEXT", STRING, &string, "text"),
    CLI_OPT("choice", "WHICH", CHOICE, &choice, "one of three", .choices = choices),
    CLI_OPT("size", "SIZE", SIZE, &size, "bytes"),
    CLI_OPT("custom", "[ABC]", CUSTOM, &custom, "up to three letters", .parse = parse),
    {0}};
static const struct cli_tool tool = {.name = "fuzz",
                                     .operands = "[FILE...]",
                                     .opts = options,
                                     .max_operands = 3,
                                     .writes_frames = true,
                                     .writes_steps = true,
                                     .summary = "Nothing.",
                                     .examples = "  fuzz\n"};

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

/* Returns 0, or 100 plus the status with which the parser would have ended the program. */
static int call(int argc, char **argv, struct cli_common *c)
{
    whole = 3;
    real = 0.0;
    choice = custom = 0;
    string = NULL;
    optind = 0;
    armed = true;
    int status = setjmp(out);
    if (status == 0)
        cli_parse(&tool, argc, argv, c);
    armed = false;
    return status;
}

static void check(int status, const struct cli_common *c)
{
    must(status == 0 || status == 100 || status == 102, "another status than 0 and 2");
    if (status)
        return;
    must(whole >= 3 && whole <= 1000, "a whole number out of its range");
    must(real >= -1.5 && real <= 2.5, "a number out of its range");
    must(choice >= 0 && choice < 3 && custom >= 0 && custom <= 3, "no choice");
    must(c->threads >= 1 && c->threads <= 4096 &&
             (c->compress == FRAME_SMALL || (c->compress >= 0 && c->compress <= 9)),
         "-t or -z");
    must(c->noperands >= 0 && c->noperands <= 3, "operands");
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    enum { WORDS = 12 };
    char text[512], *argv[WORDS + 2] = {(char *)"fuzz"};
    int argc = 1, kept[2] = {dup(1), dup(2)}, null = open("/dev/null", O_WRONLY);
    if (n >= sizeof text || null < 0 || kept[0] < 0 || kept[1] < 0)
        n = 0;
    memcpy(text, p, n);
    text[n] = '\0';
    for (char *word = text, *end; argc <= WORDS && word < text + n; word = end + 1) {
        end = word + strcspn(word, "\n");
        *end = '\0';
        if (strncmp(word, "--l", 3) != 0) /* --log writes to any given file */
            argv[argc++] = word;
    }
    struct cli_common c;
    struct sigaction before;
    fflush(stdout);
    sigaction(SIGABRT, NULL, &before); /* cli_start() sets its own handlers */
    dup2(null, 1);
    dup2(null, 2);
    int status = call(argc, argv, &c);
    fflush(stdout);
    sigaction(SIGABRT, &before, NULL);
    dup2(kept[0], 1);
    dup2(kept[1], 2);
    close(kept[0]);
    close(kept[1]);
    close(null);
    check(status, &c);
    return 0;
}
