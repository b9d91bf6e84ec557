/* SPDX-License-Identifier: MIT */
/* cli_state.h: what lib/cli*.c share. Private to them. */
#ifndef MBF_CLI_STATE_H
#define MBF_CLI_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

struct cli_state {
    const char *tool;
    bool quiet, verbose;
    char *args; /* of struct cli_common: lives as long as the program */
};
extern struct cli_state cli_state;

void cli_start(const char *tool); /* clock, name, descriptors 0-2 open */
/* Bytes, with suffix K M G T: 0, or -1 with the reason. */
int cli_parse_size(const char *s, uint64_t *v, char *err, size_t errlen);
/* Print and exit; common: the options that every tool has; threads: as many as without --threads. */
void cli_help(const struct cli_tool *t, const struct cli_opt *common) __attribute__((noreturn));
void cli_version(const struct cli_tool *t, int threads) __attribute__((noreturn));

#endif
