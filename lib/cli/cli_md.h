/* SPDX-License-Identifier: MIT */
/* cli_md.h: handles the input, output and restart files of md-cpu and md-gpu, including runs that
 * are stopped and continued. */
#pragma once

#include "cli/cli.h"
#include "md/md_job.h"

struct cli_md {
    struct md_job job; /* The job must be the first member, because the callbacks convert a pointer
                        * to the job into a pointer to this struct. */
    struct cli_common common;
    const struct cli_tool *tool;
    const char *thermo, *restart, *from_restart, *data; /* file names, or NULL */
    const char *device, *devices;                       /* Values of the options --device and
                                                         * --devices. */
    double checkpoint; /* interval between checkpoints in minutes, or NaN if the option was not
                        * given */
    bool partial;
    double looked; /* Time of the last checkpoint, in seconds since the start of the program. */
};

/* Checks that the options can be combined and that a usable device exists. Exits on an error. */
void cli_md_check(struct cli_md *m);
/* Starts or continues the job and opens every output. Exits on failure. */
void cli_md_open(struct cli_md *m);
/* Ends the run. The argument `stopped` is the result of md_job_run, and e is the error of
 * md_job_run, if any. Returns the exit status. If a signal stopped the run, the program ends itself
 * with the same signal. */
int cli_md_close(struct cli_md *m, int stopped, struct err *e);
