/* SPDX-License-Identifier: MIT */
/* cli_print.h: starts a program, ends it when a signal arrives, and prints messages on stderr.
 * Private to lib/cli. For the functions that tools may call, see cli.h. */
#pragma once

#include <stdbool.h>

/* The name of the tool, and the name for messages, such as mbf-compare if the tool is installed
 * with a prefix. */
extern const char *cli_name, *cli_shown;

/* The function cli_start sets the clock and both names, and ensures that the descriptors 0 to 2 are
 * open. After cli_start, a signal that ends the program leaves no unfinished file. The function
 * cli_loudness sets whether warnings and notes are printed. */
void cli_start(const char *tool, const char *shown);
void cli_loudness(bool quiet, bool verbose);

/* Records that an option was given, for the function cli_unused. */
void cli_mark(const char *name);

/* Clears the line with the progress of the run, before other output. */
void cli_clear_line(void);

/* Sets the input to which messages, progress and the clock refer (cli_subject). */
void cli_about(const char *input);
