/* SPDX-License-Identifier: MIT */
/* err.h: defines error messages and exit statuses. The exit status shows whether the cause of an
 * error is the input, the machine or a lack of memory. A function that fails calls err_set and
 * returns -1 or NULL. The `struct err` is an argument of the function, or a member of the object on
 * which it works. After an error, a tool prints the text of the struct and exits with its status.
 * Errors are reported in no other way. No macro contains a return statement, so write `return
 * err_bad(e, ...);`. */
#pragma once

#include <stdarg.h>
#include <stdint.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

#define ERR_BYTES 1016 /* Size of the text, including its NUL. Longer texts are cut. */

/* Exit statuses of the tools (see cli.h). */
enum err_status {
    ERR_NONE = 0,
    ERR_BAD = 2, /* The options are wrong, or the input is malformed, damaged or truncated. A retry
                  * cannot help. */
    ERR_MACHINE = 3, /* Reading or writing failed, or there is no usable GPU. Another host may
                      * work. */
    ERR_MEMORY = 4   /* More memory is needed than is free or than --max-mem allows. */
};

/* The text begins with the place of the error as far as it is known, as in "FILE: frame F: line L:
 * atom A: expected X, found Y". The members `file`, `frame`, `line` and `atom` are the lengths in
 * bytes of the parts of the place in the text, or 0 for a part that is not set. */
struct err {
    int status; /* enum err_status; ERR_NONE: no error */
    char text[ERR_BYTES];
    uint16_t file, frame, line, atom;
};

/* Sets the status and the text of the error e, without the place. The argument e may be NULL.
 * Returns -1. The arguments may include the old text, e->text. */
int err_set(struct err *e, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_setv(struct err *e, int status, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
/* Works like err_set with the status ERR_BAD. */
#define err_bad(e, ...) err_set(e, ERR_BAD, __VA_ARGS__)
/* Works like err_set, and also sets the file and, unless `line` is 0, the line of the error. */
int err_in(struct err *e, int status, const char *file, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The functions err_file, err_frame, err_line and err_atom insert a part of the place into the text
 * of e, unless it is set already, and return -1. The functions err_file, err_frame, err_line and
 * err_atom may be called in any order, and e may be NULL. */
int err_file(struct err *e, const char *name);
int err_frame(struct err *e, uint64_t frame); /* counted from 0 */
int err_line(struct err *e, uint64_t line);   /* counted from 1 */
int err_atom(struct err *e, uint64_t atom);   /* counted from 0 */

/* Returns ERR_MEMORY if the errno value is ENOMEM, and ERR_MACHINE otherwise. */
int err_errno(int number);

/* Writes a size in bytes as text, such as "11.2 GiB", to the buffer `text`, and returns `text`. The
 * text has enough digits to show that a size exceeds a limit by 1 %. */
const char *err_size(double bytes, char text[32]);

/* Returns 0 if `need` bytes do not exceed `limit`, or if `limit` is 0, which means no limit. If
 * `need` exceeds `limit`, returns -1 with ERR_MEMORY and a text that states both sizes in e. The
 * format and its arguments describe what the memory is for. The text `help` names an option that
 * reduces the memory, or is NULL. */
int err_over(struct err *e, double need, uint64_t limit, const char *help, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Sets e to ERR_MEMORY with the text "out of memory for WHAT", and returns -1. */
int err_memory(struct err *e, const char *what);

C_LINKAGE_END
