/* SPDX-License-Identifier: MIT */
/*
 * err.h: error messages, with the party who must act.
 *
 * A function that can fail takes a `struct err *` (or its object contains one), sets it with
 * err_set and returns -1 or NULL. A tool prints the text and exits with the status. Nothing else
 * carries errors, and no macro hides a return: `return err_set(e, ERR_BAD, ...);`.
 */
#ifndef MBF_ERR_H
#define MBF_ERR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERR_BYTES 1024 /* size of the text including the NUL; longer texts are cut */

/* Exit statuses of the tools (cli.h), by the party who must act. */
enum err_status {
    ERR_NONE = 0,
    ERR_BAD = 2,     /* the user: wrong options, or malformed, corrupt or cut input; a retry
                        cannot help */
    ERR_MACHINE = 3, /* the administrator: I/O errors, no usable GPU; another host may work */
    ERR_MEMORY = 4   /* more memory is needed than exists or than --max-mem allows */
};

struct err {
    int status; /* enum err_status; ERR_NONE: no error */
    char text[ERR_BYTES];
};

/* Sets e (NULL is allowed) and returns -1. The arguments may include e->text. */
int err_set(struct err *e, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Returns the status for an errno: ERR_MEMORY for ENOMEM, otherwise ERR_MACHINE. */
int err_errno(int number);

/* Writes a size such as "11.2 GiB" to text, with enough digits to show an excess of 1 % over a
 * limit. Returns text. */
const char *err_size(double bytes, char text[32]);

/* Returns 0 if `need` bytes do not exceed `limit` (0: no limit); else returns -1 and sets e to
 * ERR_MEMORY and "NEED of memory needed for WHAT, LIMIT allowed (--max-mem; HELP)". WHAT is given
 * by the format and its arguments; `help` names an option that needs less memory, or is NULL. */
int err_over(struct err *e, double need, uint64_t limit, const char *help, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Sets e to ERR_MEMORY and "out of memory for WHAT" and returns -1. */
int err_memory(struct err *e, const char *what);

#ifdef __cplusplus
}
#endif
#endif
