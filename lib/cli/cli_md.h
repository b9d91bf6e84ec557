/* SPDX-License-Identifier: MIT */
/* cli_md.h: handles the input, output and restart files of md-cpu and md-gpu, including runs that
 * are stopped and continued. */
#pragma once

#include "cli/cli.h"
#include "md/md_job.h"

struct cli_md {
    struct md_job job; /* The first member, because callbacks convert a pointer to `job` into a
                        * pointer to struct cli_md. */
    struct cli_common common;
    const struct cli_tool *tool;
    const char *thermo, *restart, *from_restart, *data; /* file names, or NULL */
    const char *device, *devices;
    double checkpoint; /* minutes between checkpoints, or NaN */
    bool partial;
    double looked; /* time of the last checkpoint in s since the start */
};

/* Ends the program with an error unless the options can be combined and a CPU or GPU is usable. */
void cli_md_check(struct cli_md *m);
/* Starts or continues the run and opens every output, or ends the program with an error. */
void cli_md_open(struct cli_md *m);
/* Ends a run, for which md_job_run returned `stopped` and possibly the error e, and returns the
 * exit status. A program that a signal stopped ends itself with the same signal. */
int cli_md_close(struct cli_md *m, int stopped, struct err *e);
