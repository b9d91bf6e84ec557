/* SPDX-License-Identifier: MIT */
/*
 * cli_md.h: the input, output and restart files of a run of md-cpu or md-gpu, including runs that
 * are stopped and continued.
 */
#ifndef MBF_CLI_MD_H
#define MBF_CLI_MD_H

#include "cli/cli.h"
#include "md/md_job.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cli_md {
    struct md_job job; /* must be first: its callbacks receive only this member */
    struct cli_common common;
    const struct cli_tool *tool;
    const char *thermo, *restart, *from_restart, *data; /* file names, or NULL */
    const char *device, *devices;                       /* values of --device and --devices, or
                                                           NULL */
    double checkpoint;                                  /* interval in minutes; NaN: not given */
    bool partial;
    double looked; /* time of the last checkpoint, in seconds since the start */
};

/* Checks combinations of options and that a device is available; exits on an error. */
void cli_md_check(struct cli_md *m);
/* Starts or continues the job and opens every output; exits on failure. */
void cli_md_open(struct cli_md *m);
/* Ends the run after md_job_run has returned `stopped` (and set e). Returns the exit status; a run
 * that a signal stopped ends by that signal. */
int cli_md_close(struct cli_md *m, int stopped, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
