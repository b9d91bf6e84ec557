/* SPDX-License-Identifier: MIT */
/* lines.h: reads lines of an auxiliary text file, such as a list of molecules or a topology, which
 * may be compressed. The rules for the text are strict, so that a truncated file or a damaged byte
 * is noticed. A line is text without control bytes and ends in a newline, or in a carriage return
 * and a newline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "io/input.h"

struct lines {
    const char *name; /* for messages, must outlive the struct */
    /* A last line that equals the text `whole`, such as "END", needs no newline. NULL is
     * allowed. */
    const char *whole;
    char *line;     /* may be modified */
    size_t len, at; /* at: line, from 1 */
    /* private */
    struct input in;
    char *buf;
    size_t from, have, capacity; /* not returned yet */
    bool ended;
};

/* Opens the file `path`, or stdin if `path` is "-". Messages name the file `name`. For `foreign`,
 * see input.h. Returns 0, or -1 with an error message in *e. Call lines_close afterwards, even if
 * lines_open fails. */
int lines_open(struct lines *l, const char *path, const char *name, input_foreign *foreign,
               struct err *e) MUST_USE;
/* Reads the next line. Returns 1 if there is a line, 0 at the end of the file, or -1 with an error
 * message in *e. */
int lines_next(struct lines *l, struct err *e) MUST_USE;
void lines_close(struct lines *l);
