/* SPDX-License-Identifier: MIT */
/*
 * lines.h: the lines of an auxiliary text file (molecules, a model, a topology), compressed or not.
 *
 * Every such file follows the same rules, so that no cut and no damaged byte changes a result
 * unseen: a line is text (no control bytes) and ends in a newline, or in a carriage return and one.
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
    const char *name;  /* of the file, in messages; it must outlive this */
    const char *whole; /* a last line that needs no newline ("END"); NULL: there is none */
    char *line;        /* the line read last, without its end; the caller may write to it */
    size_t len, at;    /* its length and its number, from 1 */
    /* own */
    struct input in;
    char *buf;
    size_t from, have, room; /* buf[from..have) is still to be handed out */
    bool ended;
};

/* Opens path ("-": stdin); name is what messages call the file; foreign as in input.h. Returns 0, or
 * -1 and sets *e. Call lines_close in any case. */
int lines_open(struct lines *l, const char *path, const char *name, input_foreign *foreign,
               struct err *e) __attribute__((warn_unused_result));
/* Reads the next line. Returns 1, 0 at the end of the file, or -1 and sets *e. */
int lines_next(struct lines *l, struct err *e) __attribute__((warn_unused_result));
void lines_close(struct lines *l);

/* "NAME: line N: " and the text, of the line read last. Returns -1. */
int lines_bad(const struct lines *l, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
