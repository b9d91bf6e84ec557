/* SPDX-License-Identifier: MIT */
/*
 * cli_md.h: the files of a run of md-cpu or md-gpu: what it starts from, what every system writes,
 * and what is left of all that when it is stopped, or goes on.
 */
#ifndef MBF_CLI_MD_H
#define MBF_CLI_MD_H

#include "cli/cli.h"
#include "md/md_job.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cli_md {
    struct md_job job; /* first: its callbacks are given it alone */
    struct cli_common common;
    const struct cli_tool *tool;
    const char *thermo, *restart, *from_restart, *data; /* names, NULL: none */
    const char *device, *devices;                       /* of --device and --devices, or NULL */
    double checkpoint;                                  /* minutes; NaN: not given */
    bool partial;
    double looked; /* second of the last checkpoint */
};

/* What is wrong with the options together, and is there a machine? Dies. */
void cli_md_check(struct cli_md *m);
/* Starts the job and begins every output, or goes on with it. Dies where it cannot. */
void cli_md_open(struct cli_md *m);
/* The end of all, whatever md_job_run returned (stopped, with e). Returns the exit status; a run that
 * a signal stopped ends by it. */
int cli_md_close(struct cli_md *m, int stopped, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
