/* SPDX-License-Identifier: MIT */
/* cli_steps.h: tools that make something of every step of a trajectory, and hand it on as it comes. */
#ifndef MBF_CLI_STEPS_H
#define MBF_CLI_STEPS_H

#include "cli/cli.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cli_steps {
    const char *bound;                                /* for cli_summary: what takes the time */
    int (*meta)(const void *run, struct meta *m);     /* keys of a segment. 0 or -1 */
    int (*add)(void *run, const struct traj_block *b, /* a block into frames. 0, or -1 with e */
               struct frame_writer *w, struct err *e);
    int (*end)(
        void *run); /* what is still to come of a segment. 0, or -1: frame_writer_error; NULL */
    void (*warn)(const void *run, const char *name); /* of the whole input; NULL: nothing */
};

/* All steps of traj, which reads in, to the output of c: a segment for each of the input. Returns the
 * exit status. */
int cli_steps(const struct cli_tool *tool, const struct cli_common *c, struct frame_reader *in,
              struct traj_reader *traj, const struct cli_steps *s, void *run);

#ifdef __cplusplus
}
#endif
#endif
