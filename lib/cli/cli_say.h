/* SPDX-License-Identifier: MIT */
/*
 * cli_say.h: start of a program, its end by a signal, and messages on stderr. Private to lib/cli;
 * cli.h declares the functions for tools.
 */
#ifndef MBF_CLI_SAY_H
#define MBF_CLI_SAY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name of the tool, and the name that messages show (mbf-compare if installed under a prefix). */
extern const char *cli_name, *cli_shown;

/* cli_start sets the clock and both names, makes sure that descriptors 0 to 2 are open, and
 * arranges that a signal leaves no unfinished file behind. cli_loudness sets whether warnings and
 * notes are printed. */
void cli_start(const char *tool, const char *shown);
void cli_loudness(bool quiet, bool verbose);

/* Records that an option was given, for cli_unused. */
void cli_mark(const char *name);

/* Clears the progress line before other output. */
void cli_clear_line(void);

/* Sets the input that messages, progress and its clock refer to (cli_subject). */
void cli_about(const char *input);

#ifdef __cplusplus
}
#endif
#endif
