/* SPDX-License-Identifier: MIT */
/*
 * cli_say.h: internal to lib/cli: a program's start, its end by a signal, and what it says on stderr.
 * What tools say stands in cli.h.
 */
#ifndef MBF_CLI_SAY_H
#define MBF_CLI_SAY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tool's name, and how messages show it (mbf-compare, where it was installed under a prefix). */
extern const char *cli_name, *cli_shown;

/* What cli_parse begins with: the clock, both names, descriptors 0 to 2 open, no unfinished file left
 * behind by a signal. And how much is said. */
void cli_start(const char *tool, const char *shown);
void cli_loudness(bool quiet, bool verbose);

/* An option of this name was given (cli_unused). */
void cli_mark(const char *name);

/* The line of progress makes place for others. */
void cli_clear_line(void);

/* What cli_subject says of messages, progress and its clock. */
void cli_about(const char *input);

#ifdef __cplusplus
}
#endif
#endif
