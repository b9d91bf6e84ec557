/* SPDX-License-Identifier: MIT */
/* cli_md.h: handles the input, output and restart files of md-cpu and md-gpu, including runs that
 * are stopped and continued. */
#pragma once

#include "cli/cli.h"
#include "md/md_job.h"

struct cli_md {
    struct md_job job; /* first, because the callbacks convert a pointer to `job` into a pointer to
                        * struct cli_md */
    struct cli_common common;
    const struct cli_tool *tool;
    const char *thermo, *restart, *from_restart, *data; /* file names, or NULL */
    const char *device, *devices;
    double checkpoint; /* minutes between checkpoints, NaN: not given */
    bool partial;
    double looked; /* time of the last checkpoint, s */
};

/* Ends the program with an error unless the options can be combined and a usable device exists. */
void cli_md_check(struct cli_md *m);
/* Starts or continues the run and opens every output, or ends the program with an error. */
void cli_md_open(struct cli_md *m);
/* Ends the run and returns the exit status, given `stopped`, the result of md_job_run, and its
 * error e, if any. A program that a signal stopped ends itself with the same signal. */
int cli_md_close(struct cli_md *m, int stopped, struct err *e);
