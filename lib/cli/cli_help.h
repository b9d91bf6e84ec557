/* SPDX-License-Identifier: MIT */
/*
 * cli_help.h: --help, --version, shell completions, and program names with a prefix. Private to
 * lib/cli.
 *
 * A program installed under a prefix, such as mbf-compare, uses the prefix for its own name and for
 * the names of the other programs.
 */
#ifndef MBF_CLI_HELP_H
#define MBF_CLI_HELP_H

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the name of the tool as argv0 spells it, for example "mbf-compare" if argv0 ends in that
 * name and tool is "compare"; otherwise returns tool. Also stores the prefix for cli_name_all, so
 * call this function before anything is printed. The result is static. */
const char *cli_named(const char *tool, const char *argv0);

/* Copies text to out with the prefix added to the names of programs, cut to cap bytes including the
 * NUL. Names that are also English words (compare) count as programs only if `commands` is true,
 * that is, if the text consists of shell commands. */
void cli_name_all(const char *text, bool commands, char *out, size_t cap);

/* Returns true if the tool takes this common option. */
bool cli_takes(const struct cli_tool *t, const struct cli_opt *common);

/* Print to stdout: cli_help the text of --help (all: of --help-all, with the common options),
 * cli_version the text of --version with the number of threads, and cli_completion the completion
 * for "bash", "zsh" or "fish". cli_completion returns 0, or -1 for another shell. */
void cli_help(const struct cli_tool *t, const char *name, const struct cli_opt *common, bool all);
void cli_version(const struct cli_tool *t, const char *name, int threads);
int cli_completion(const struct cli_tool *t, const char *name, const struct cli_opt *common,
                   const char *shell);

#ifdef __cplusplus
}
#endif
#endif
