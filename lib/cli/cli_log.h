/* SPDX-License-Identifier: MIT */
/* cli_log.h: implements the option --log FILE.tsv, which appends one line per run of a program to a
 * log file. A program that analyses several inputs separately appends one line per input. The log
 * line of a program is written as a whole when the program ends, for any exit status. The columns
 * are `tool`, `version`, `status`, `steps`, `bytes`, `seconds`, `peak_KiB` (memory), `content` and
 * `stream` (hashes of the output), `output`, `args` and `input`. A new log file begins with a line
 * of column names. */
#pragma once

#include "base/err.h"
#include "stream/frame.h"

/* Starts the log line of a run, which is completed when the program ends. The strings must stay
 * valid until the program ends. The argument `input` is NULL if the program reads stdin or has no
 * input. Returns 0, or -1 and sets *e. */
int cli_log_open(const char *path, const char *tool, const char *version, const char *input,
                 const char *output, const char *args, struct err *e);
/* The function cli_log_subject begins the log line of one of several inputs, and cli_log_line
 * writes the log line. The function cli_log_line returns 0, or -1 after printing an error. */
void cli_log_subject(const char *input, const char *output);
int cli_log_line(int status);
/* The function cli_log_work records the steps and bytes of the input, and cli_log_output records
 * the hashes of an output. */
void cli_log_work(uint64_t steps, uint64_t bytes);
void cli_log_output(const struct frame_totals *t);
/* Records an exit status for the log line, and returns the status. On systems that do not pass the
 * exit status to functions called at the end of a program, the first recorded status other than 0
 * is logged. */
int cli_log_status(int status);
