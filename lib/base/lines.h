/* SPDX-License-Identifier: MIT */
/*
 * lines.h: reads the lines of an auxiliary text file (molecules, a model, a topology), compressed
 * or not.
 *
 * All such files follow the same rules, so that no cut and no damaged byte changes a result
 * unnoticed: a line is text (no control bytes) and ends in a newline, or in a carriage return and a
 * newline.
 */
#ifndef MBF_LINES_H
#define MBF_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/input.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lines {
    const char *name;  /* name of the file in messages; must outlive this struct */
    const char *whole; /* text of a last line that needs no newline ("END"), or NULL */
    char *line;        /* last line read, without its end; the caller may modify it */
    size_t len, at;    /* length of the line, and its number counted from 1 */
    /* private */
    struct input in;
    char *buf;
    size_t from, have, room; /* buf[from..have) was read but not yet returned */
    bool ended;
};

/* Opens path ("-": stdin). `name` is the name of the file in messages; foreign is as in input.h.
 * Returns 0, or -1 and sets *e. Call lines_close in either case. */
int lines_open(struct lines *l, const char *path, const char *name, input_foreign *foreign,
               struct err *e) __attribute__((warn_unused_result));
/* Reads the next line. Returns 1, 0 at the end of the file, or -1 and sets *e. */
int lines_next(struct lines *l, struct err *e) __attribute__((warn_unused_result));
void lines_close(struct lines *l);

/* Sets *e to "NAME: line N: " and the given text for the last line read. Returns -1. */
int lines_bad(const struct lines *l, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
