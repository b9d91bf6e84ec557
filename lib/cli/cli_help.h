/* SPDX-License-Identifier: MIT */
/* cli_help.h: prints the texts of --help and --version and the shell completions. Private to
 * lib/cli. If the programs are installed with a prefix, as in mbf-compare, the texts show all
 * program names with the prefix. */
#pragma once

#include "cli/cli.h"

/* Returns the name of the program in argv0, such as "mbf-compare" for the program "compare", or
 * `tool` if argv0 does not end in `tool`. The result is static or `tool`. Call this function before
 * anything is printed, because it stores the prefix for cli_name_all. */
const char *cli_named(const char *tool, const char *argv0);

/* Copies text[] to out[cap] and adds the prefix to program names. The copy has at most `cap` bytes,
 * including its NUL. Program names that are also English words, such as compare, get the prefix
 * only if `commands` is set for a text that consists of shell commands. */
void cli_name_all(const char *text, bool commands, char *out, size_t cap);

bool cli_takes(const struct cli_tool *t, const struct cli_opt *common);

/* Prints the text of --help, or of --help-all if `all` is set. The function cli_completion prints
 * the completion for the shell "bash", "zsh" or "fish" and returns 0, or returns -1 for another
 * shell. */
void cli_help(const struct cli_tool *t, const char *name, const struct cli_opt *common, bool all);
void cli_version(const struct cli_tool *t, const char *name, int threads);
int cli_completion(const struct cli_tool *t, const char *name, const struct cli_opt *common,
                   const char *shell);
