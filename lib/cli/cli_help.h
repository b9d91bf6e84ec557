/* SPDX-License-Identifier: MIT */
/*
 * cli_help.h: private to lib/cli. What one option table says about itself: --help, --version, and
 * completions for the shells; and the programs' names under a prefix.
 *
 * A program that was installed as mbf-compare calls itself so, and its fellows alike.
 */
#ifndef MBF_CLI_HELP_H
#define MBF_CLI_HELP_H

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tool as argv0 names it: "mbf-compare" where argv0 ends in that and tool is "compare"; else tool.
 * Sets the prefix of the others; before anything is printed. Static. */
const char *cli_named(const char *tool, const char *argv0);

/* Text with the prefix before the names of programs in it, cut to cap bytes with its NUL. Those that
 * are English words, too (compare), are taken for programs where `commands`: the text is lines of
 * shell. */
void cli_name_all(const char *text, bool commands, char *out, size_t cap);

/* Has the tool this one of the common options? */
bool cli_takes(const struct cli_tool *t, const struct cli_opt *common);

/* Print to stdout: the text of --help (all: of --help-all, with the common options), of --version
 * with the number of threads, or the completion for "bash", "zsh" or "fish" (returns 0, or -1 for
 * another shell). */
void cli_help(const struct cli_tool *t, const char *name, const struct cli_opt *common, bool all);
void cli_version(const struct cli_tool *t, const char *name, int threads);
int cli_completion(const struct cli_tool *t, const char *name, const struct cli_opt *common,
                   const char *shell);

#ifdef __cplusplus
}
#endif
#endif
