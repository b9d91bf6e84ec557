/* SPDX-License-Identifier: MIT */
/* cli_steps.h: runs programs that transform a stream step by step or segment by segment and write
 * each result immediately. */
#pragma once

#include "cli/cli.h"
#include "stats/analysis.h"
#include "stats/series.h"

/* Members of struct cli_tool for all programs that call cli_steps(). */
#define CLI_STEPS_TOOL(name_) CLI_INPUT_TOOL(name_), .reads_steps = true, .writes_steps = true

/* Runs the analysis s with the options `choice` on the input of c, after the command line has been
 * parsed, and returns the exit status. Writes one segment for each input segment. */
int cli_steps(const struct cli_tool *tool, const struct cli_common *c, const struct stepwise *s,
              const void *choice);

/* Calls segment(in, out, c, e) until the input of c ends, closes the output and returns the exit
 * status. The function segment() converts one segment and returns 1, returns 0 at the end of the
 * stream, or returns -1 and sets *e. */
int cli_segments(const struct cli_common *c,
                 int (*segment)(struct frame_reader *in, struct frame_writer *out,
                                const struct cli_common *c, struct err *e));
/* Calls series_read_corr, but accepts only functions of time, and sets *dt to the time in ps
 * between steps. */
int cli_segment_corr(struct frame_reader *in, const char *what, struct series *s, double *dt,
                     struct err *e);
/* Repeats the warning of the program that wrote the segment, if the sample changed
 * (data.changed). */
void cli_segment_changed(const struct frame_reader *in);
/* Writes v[rows][cols] as a SPEC segment with META m, to which data.changed is added. The new
 * segment ends with the status of the segment that was read from `in`. Returns 1, or -1 and sets
 * *e. */
int cli_segment_put(const struct frame_reader *in, struct frame_writer *out, struct meta *m,
                    size_t rows, size_t cols, const double *v, struct err *e);
