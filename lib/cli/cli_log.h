/* SPDX-License-Identifier: MIT */
/*
 * cli_log.h: --log FILE.tsv: a line for every start of a program, or for each of several inputs,
 * appended in one write when it ends, whatever its status: tool, version, status, steps, bytes,
 * seconds, peak_KiB (of memory), content and stream (hashes of what was written), output, args,
 * input. A new file begins with their names.
 */
#ifndef MBF_CLI_LOG_H
#define MBF_CLI_LOG_H

#include "base/err.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, until the program ends. The strings must live as long. input: NULL: none, or stdin.
 * 0, or -1 with e. */
int cli_log_open(const char *path, const char *tool, const char *version, const char *input,
                 const char *output, const char *args, struct err *e);
/* Of several inputs each has a line: this one's begins; it is written. 0 or -1, which was said. */
void cli_log_subject(const char *input, const char *output);
int cli_log_line(int status);
/* Steps and bytes of the input; seconds since the start; the totals of an output. */
void cli_log_work(uint64_t steps, uint64_t bytes);
void cli_log_output(const struct frame_totals *t);

#ifdef __cplusplus
}
#endif
#endif
