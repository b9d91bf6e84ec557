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
    const char *name;  /* The file name for messages, which must outlive this struct. */
    const char *whole; /* Text such as "END", or NULL. A last line with this text needs no
                        * newline. */
    char *line;        /* The last line read, without its newline. The caller may modify it. */
    size_t len, at;    /* Length of the line, and its number counted from 1. */
    /* private */
    struct input in;
    char *buf;
    size_t from, have, capacity; /* buf[from..have) was read but not yet returned. */
    bool ended;
};

/* Opens `path`, or stdin if `path` is "-". The argument `name` is the file name for messages. The
 * function `foreign` is explained in input.h. Returns 0 on success, or -1 with an error message in
 * *e. Call lines_close afterwards, also if this function failed. */
int lines_open(struct lines *l, const char *path, const char *name, input_foreign *foreign,
               struct err *e) MUST_USE;
/* Reads the next line. Returns 1 for a line, 0 at the end of the file, or -1 with an error message
 * in *e. */
int lines_next(struct lines *l, struct err *e) MUST_USE;
void lines_close(struct lines *l);
