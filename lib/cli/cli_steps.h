/* SPDX-License-Identifier: MIT */
/* cli_steps.h: tools that transform a stream step by step or segment by segment, and write each
 * result immediately. */
#pragma once

#include "cli/cli.h"
#include "stats/analysis.h"
#include "stats/series.h"

/* Members of struct cli_tool that are the same in all tools that use cli_steps(). */
#define CLI_STEPS_TOOL(name_) CLI_INPUT_TOOL(name_), .reads_steps = true, .writes_steps = true

/* Replaces the rest of main() after the command line has been parsed. Runs the analysis s with the
 * options `choice` on the input of c. Writes one segment for each input segment. Returns the exit
 * status. */
int cli_steps(const struct cli_tool *tool, const struct cli_common *c, const struct stepwise *s,
              const void *choice);

/* Calls the function segment(in, out, c, e) until the input of c ends. At the end of the input,
 * closes the output and returns the exit status. The function segment() converts one segment and
 * returns 1. At the end of the stream, segment() returns 0. On an error, segment() returns -1 with
 * an error message in e. */
int cli_segments(const struct cli_common *c,
                 int (*segment)(struct frame_reader *in, struct frame_writer *out,
                                const struct cli_common *c, struct err *e));
/* Works like series_read_corr, but accepts only functions of time, and sets *dt to the time between
 * steps in ps. */
int cli_segment_corr(struct frame_reader *in, const char *what, struct series *s, double *dt,
                     struct err *e);
/* Writes v[rows][cols] as a SPEC segment with META m. The new segment ends with the same status as
 * the segment that the reader `in` has read. Returns 1, or -1 with an error message in e. */
int cli_segment_put(const struct frame_reader *in, struct frame_writer *out, const struct meta *m,
                    size_t rows, size_t cols, const double *v, struct err *e);
