/* SPDX-License-Identifier: MIT */
/* cli_steps.h: tools that transform a trajectory step by step and write each result immediately. */
#pragma once

#include "cli/cli.h"
#include "stream/traj.h"

struct cli_steps {
    const char *bound; /* Name of what limits the speed, for cli_summary. */
    int (*meta)(const void *run, struct meta *m); /* adds keys; 0 or -1 */
    /* Converts a block to frames. Returns 0, or -1 and sets e. */
    int (*add)(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e);
    /* Writes the rest of a segment. Returns 0, or -1 with the error in w. NULL is allowed. */
    int (*end)(void *run);
    void (*warn)(const void *run, const char *name); /* Prints warnings about the whole input after
                                                      * its last step; may be NULL. */
};

/* Processes all steps of traj, which reads from `in`. One segment is written to the output of c for
 * each input segment. Returns the exit status. */
int cli_steps(const struct cli_tool *tool, const struct cli_common *c, struct frame_reader *in,
              struct traj_reader *traj, const struct cli_steps *s, void *run);
