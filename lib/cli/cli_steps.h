/* SPDX-License-Identifier: MIT */
/* cli_steps.h: tools that transform a stream step by step or segment by segment, and write each
 * result immediately. */
#pragma once

#include "cli/cli.h"
#include "stats/series.h"
#include "stream/traj.h"

/* The members of struct cli_tool that all tools with cli_steps share. */
#define CLI_STEPS_TOOL(name_)                                                                      \
    .name = name_, .operands = "[FILE]", .opts = opts, .max_operands = 1, .writes_frames = true,   \
    .reads_steps = true, .writes_steps = true

struct cli_steps {
    const char *bound; /* Name of the resource that limits the speed, for cli_summary. */
    int (*meta)(const void *run, struct meta *m); /* adds keys; 0 or -1 */
    /* Converts a block of steps to output frames. Returns 0, or -1 and sets e. */
    int (*add)(void *run, const struct traj_block *b, struct frame_writer *w, struct err *e);
    /* Writes the rest of a segment. Returns 0, or -1 with the error in w. NULL is allowed. */
    int (*end)(void *run);
    void (*warn)(const void *run, const char *name); /* Prints warnings about the whole input after
                                                      * its last step. NULL is allowed. */
};

/* Processes all steps of traj, which reads from `in`. One segment is written to the output of c for
 * each input segment. Returns the exit status. */
int cli_steps(const struct cli_tool *tool, const struct cli_common *c, struct frame_reader *in,
              struct traj_reader *traj, const struct cli_steps *s, void *run);

/* Calls segment(in, out, c, e) until the input of c ends, then closes the output and returns the
 * exit status. The function segment() converts one segment and returns 1. It returns 0 if the
 * stream has ended, or -1 and sets e. */
int cli_segments(const struct cli_common *c,
                 int (*segment)(struct frame_reader *in, struct frame_writer *out,
                                const struct cli_common *c, struct err *e));
/* Works like series_read_corr, but accepts only functions of time, and sets *dt to the time between
 * steps in ps. */
int cli_segment_corr(struct frame_reader *in, const char *what, struct series *s, double *dt,
                     struct err *e);
/* Writes v[rows][cols] as a SPEC segment with META m. The END of this segment has the same kind as
 * that of the segment read from `in`. Returns 1, or -1 and sets e. */
int cli_segment_put(const struct frame_reader *in, struct frame_writer *out, const struct meta *m,
                    size_t rows, size_t cols, const double *v, struct err *e);
