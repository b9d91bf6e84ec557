/* SPDX-License-Identifier: MIT */
/* cli_state.h: what cli.c and cli_parse.c share. Private to them. */
#ifndef MBF_CLI_STATE_H
#define MBF_CLI_STATE_H

#include <stdbool.h>

struct cli_state {
    const char *tool;
    bool quiet, verbose;
    char *args; /* of struct cli_common: lives as long as the program */
};
extern struct cli_state cli_state;

void cli_start(const char *tool); /* clock, name, descriptors 0-2 open */
int cli_default_threads(void);

#endif
