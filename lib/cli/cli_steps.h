/* SPDX-License-Identifier: MIT */
/* cli_steps.h: tools that transform a trajectory step by step and write each result as soon as it
 * is ready. */
#ifndef MBF_CLI_STEPS_H
#define MBF_CLI_STEPS_H

#include "cli/cli.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cli_steps {
    const char *bound;                                /* for cli_summary: what limits the speed */
    int (*meta)(const void *run, struct meta *m);     /* adds the keys of a segment to m; returns
                                                         0 or -1 */
    int (*add)(void *run, const struct traj_block *b, /* converts a block to frames; returns 0,
                                                         or -1 and sets e */
               struct frame_writer *w, struct err *e);
    int (*end)(
        void *run); /* writes what remains of a segment; returns 0, or -1 with the error in w;
                       may be NULL */
    void (*warn)(const void *run, const char *name); /* warns about the whole input; may be NULL */
};

/* Processes all steps of traj, which reads from `in`, and writes one segment for each input segment
 * to the output of c. Returns the exit status. */
int cli_steps(const struct cli_tool *tool, const struct cli_common *c, struct frame_reader *in,
              struct traj_reader *traj, const struct cli_steps *s, void *run);

#ifdef __cplusplus
}
#endif
#endif
