/* SPDX-License-Identifier: MIT */
/* md_job.h: a whole run of md-cpu or md-gpu: start, equilibrate, produce, and the files that come
 * out. */
#ifndef MBF_MD_JOB_H
#define MBF_MD_JOB_H

#include "cli/cli.h"
#include "md/md_setup.h"

#ifdef __cplusplus
extern "C" {
#endif

struct md_job {
    /* given */
    const char *tool;
    struct md_setup *setup;
    const struct cli_common *common;
    const char *thermo, *restart, *from_restart, *devices; /* files, or NULL */
    uint64_t equilibrate, steps, every;
    /* filled */
    struct md_params params;
    struct md *md;
    struct md_out *out; /* [replicas] */
    struct meta *meta;
    uint64_t frames, bytes;
    double seconds; /* of the steps that count */
    int status;     /* of the failure, 2 or 3 */
};

/* Read what is read, place atoms, open the engine and the outputs. 0, or the exit status with err:
 * nothing is out yet. */
int md_job_open(struct md_job *j, char *err, size_t errlen);
/* All steps, frames, thermo lines and the restart file. 0 or -1 with err. */
int md_job_run(struct md_job *j, char *err, size_t errlen);
/* After a failed run: message, ERR frames, no files. After a good one: close and rename. The exit
 * status. */
int md_job_fail(struct md_job *j, const char *err);
int md_job_close(struct md_job *j);

#ifdef __cplusplus
}
#endif
#endif
