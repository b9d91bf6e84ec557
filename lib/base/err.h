/* SPDX-License-Identifier: MIT */
/* err.h: defines how functions report errors, and the exit statuses of programs. The exit status
 * shows whether an error was caused by the input, the machine or a lack of memory. A function that
 * fails calls err_set and returns -1 or NULL. The struct err is an argument of the function, or a
 * member of the object that the function uses. Errors are reported only by the program, which
 * prints the text of the struct err and exits with its status. */
#pragma once

#include <stdarg.h>
#include <stdint.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

#define ERR_BYTES 1016 /* Longer texts are cut. */

/* Exit statuses of the programs (see cli.h). */
enum err_status {
    ERR_NONE = 0,
    ERR_BAD = 2, /* The options are wrong, or the input is malformed, damaged or truncated. Running
                  * the program again cannot help. */
    ERR_MACHINE = 3, /* Reading or writing failed, or no usable GPU was found. The same command may
                      * succeed on another host. */
    ERR_MEMORY = 4   /* More memory is needed than is free or than --max-mem allows. */
};

/* The text of an error begins with its place, as far as it is known, as in "FILE: frame F: line L:
 * atom A: expected X, found Y". The members `file`, `frame`, `line` and `atom` are the lengths in
 * bytes of the corresponding parts of the text, or 0 for a missing part. */
struct err {
    int status; /* enum err_status */
    char text[ERR_BYTES];
    uint16_t file, frame, line, atom;
};

/* Each function replaces the error e by a status and a text without a place, unless e is NULL, and
 * returns -1. The arguments may include e->text, the old text. */
int err_set(struct err *e, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_setv(struct err *e, int status, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
#define err_bad(e, ...) err_set(e, ERR_BAD, __VA_ARGS__)
/* Sets *e as err_set does, and adds the file and, unless `line` is 0, the line. */
int err_in(struct err *e, int status, const char *file, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Each function adds a file, frame, line or atom to the text of the error e, unless the text
 * already has one or e is NULL, and returns -1. The file, frame, line and atom may be added in any
 * order. */
int err_file(struct err *e, const char *name);
int err_frame(struct err *e, uint64_t frame); /* counted from 0 */
int err_line(struct err *e, uint64_t line);   /* counted from 1 */
int err_atom(struct err *e, uint64_t atom);   /* counted from 0 */

/* Returns ERR_MEMORY if the errno value `number` is ENOMEM, and otherwise ERR_MACHINE. */
int err_errno(int number);

/* Writes a number of bytes as text, such as "11.2 GiB", and returns `text`. The text has enough
 * digits to show that a size exceeds a limit by 1 %. */
const char *err_size(double bytes, char text[32]);

/* Returns 0 if `need` bytes do not exceed `limit`, or if `limit` is 0 for no limit. If `need`
 * exceeds `limit`, returns -1 and sets *e with the status ERR_MEMORY and a text that states both
 * numbers of bytes. The format and its arguments name the purpose of the memory. The text `help`
 * names an option that reduces the memory, or is NULL. */
int err_over(struct err *e, double need, uint64_t limit, const char *help, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Sets *e to "out of memory for WHAT" with the status ERR_MEMORY, and returns -1. */
int err_memory(struct err *e, const char *what);

C_LINKAGE_END
