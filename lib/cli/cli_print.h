/* SPDX-License-Identifier: MIT */
/* cli_print.h: starts a program, ends it when a signal arrives, and prints messages on stderr.
 * Private to lib/cli. */
#pragma once

#include <stdbool.h>

/* The name of the program, and its name in messages, such as mbf-compare for a program that is
 * installed with a prefix. */
extern const char *cli_name, *cli_shown;

/* The function cli_start sets the clock, cli_name and cli_shown, and ensures that the descriptors 0
 * to 2 are open. After cli_start, a signal that ends the program leaves no unfinished file. */
void cli_start(const char *tool, const char *shown);
void cli_loudness(bool quiet, bool verbose);

/* Records for cli_unused that an option was given. */
void cli_mark(const char *name);

/* Clears the progress line before other output. */
void cli_clear_line(void);

/* Sets the input to which messages, progress and the clock refer (cli_subject). */
void cli_about(const char *input);
