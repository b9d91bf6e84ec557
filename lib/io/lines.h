/* SPDX-License-Identifier: MIT */
/* lines.h: reads lines of an auxiliary text file, such as a list of molecules or a topology. The
 * file may be compressed. The rules for these files are strict, so that a truncated file or a
 * damaged byte is noticed. A line is text without control bytes and ends in a newline, or in a
 * carriage return and a newline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "io/input.h"

struct lines {
    const char *name;  /* Name of the file for messages, which must be valid as long as this
                        * struct. */
    const char *whole; /* A text such as "END", or NULL. A last line that consists of this text
                        * needs no newline. */
    char *line;        /* The last line that was read, without its newline. The caller may modify
                        * the text of the line. */
    size_t len, at;    /* Length of the line, and number of the line, counted from 1. */
    /* private */
    struct input in;
    char *buf;
    size_t from, have, capacity; /* The bytes buf[from..have) have been read but not returned. */
    bool ended;
};

/* Opens the file `path`, or stdin if `path` is "-". The argument `name` is the name of the file for
 * messages. For the argument `foreign`, see input.h. Returns 0 on success, or -1 with an error
 * message in *e. Call lines_close afterwards, even if this function fails. */
int lines_open(struct lines *l, const char *path, const char *name, input_foreign *foreign,
               struct err *e) MUST_USE;
/* Reads the next line. Returns 1 if there is a line, 0 at the end of the file, or -1 with an error
 * message in *e. */
int lines_next(struct lines *l, struct err *e) MUST_USE;
void lines_close(struct lines *l);
