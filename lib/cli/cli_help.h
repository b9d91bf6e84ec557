/* SPDX-License-Identifier: MIT */
/* cli_help.h: prints the texts of --help and --version and the shell completions, with the prefix
 * of the program names. Private to lib/cli. If the programs are installed with a prefix, as in
 * mbf-compare, the texts show all program names with this prefix. */
#pragma once

#include "cli/cli.h"

/* Returns the name of the tool as it appears in argv0, such as "mbf-compare" for the tool
 * "compare". If argv0 does not end in `tool`, returns the text `tool`. Call this function before
 * anything is printed, because it stores the prefix for cli_name_all. The result is static. */
const char *cli_named(const char *tool, const char *argv0);

/* Copies text[] to out[] and adds the prefix to the program names in it. The copy is cut after
 * `cap` bytes, including its NUL. Some names, such as compare, are also English words. English
 * words get the prefix only if `commands` is true, that is, if the text consists of shell
 * commands. */
void cli_name_all(const char *text, bool commands, char *out, size_t cap);

/* Returns true if the tool has this common option. */
bool cli_takes(const struct cli_tool *t, const struct cli_opt *common);

/* The function cli_help prints the text of --help, or the text of --help-all if `all` is set. The
 * function cli_version prints the text of --version and the number of threads. The function
 * cli_completion prints the completion for the shell "bash", "zsh" or "fish". For any other shell,
 * cli_completion returns -1, and otherwise 0. */
void cli_help(const struct cli_tool *t, const char *name, const struct cli_opt *common, bool all);
void cli_version(const struct cli_tool *t, const char *name, int threads);
int cli_completion(const struct cli_tool *t, const char *name, const struct cli_opt *common,
                   const char *shell);
