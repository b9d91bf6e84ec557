/* SPDX-License-Identifier: MIT */
/*
 * err.h: why something failed, in words, and who must act.
 *
 * A function that can fail takes a `struct err *` (or its object holds one), fills it by err_set
 * and returns -1 or NULL; a tool prints the text and exits with the status. Nothing else carries
 * errors, and no macro hides a return: `return err_set(e, ERR_BAD, ...);`.
 */
#ifndef MBF_ERR_H
#define MBF_ERR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERR_BYTES 1024 /* of the text, with its NUL; longer texts are cut */

/* The exit statuses of the tools (cli.h), by who must act. */
enum err_status {
    ERR_NONE = 0,
    ERR_BAD = 2,     /* the user: options, or input that is malformed, corrupt, cut: never retry */
    ERR_MACHINE = 3, /* whoever runs the machine: I/O, no usable GPU; another host may do */
    ERR_MEMORY = 4   /* whoever gives memory: more is needed than there is, or --max-mem allows */
};

struct err {
    int status; /* enum err_status; ERR_NONE: nothing has failed */
    char text[ERR_BYTES];
};

/* Fill e (NULL is allowed) and return -1. The arguments may include e->text. */
int err_set(struct err *e, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Who must act on an errno: ENOMEM is ERR_MEMORY, everything else ERR_MACHINE. */
int err_errno(int number);

/* "11.2 GiB": digits enough that a need differs from the limit that it passes by the first per cent.
 * Returns text. */
const char *err_size(double bytes, char text[32]);

/*
 * Are need bytes more than limit (0: any number is allowed)? 0, or -1 with ERR_MEMORY and "NEED of
 * memory needed for WHAT, LIMIT allowed (--max-mem; HELP)". help: which option needs less, NULL:
 * none. The format and what follows say WHAT.
 */
int err_over(struct err *e, double need, uint64_t limit, const char *help, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* "out of memory for WHAT", ERR_MEMORY; returns -1. */
int err_memory(struct err *e, const char *what);

#ifdef __cplusplus
}
#endif
#endif
