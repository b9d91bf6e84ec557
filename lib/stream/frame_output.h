/* SPDX-License-Identifier: MIT */
/* frame_output.h: bytes out: a private descriptor, whole writes, files that appear when complete.
 * Internal. */
#ifndef MBF_FRAME_OUTPUT_H
#define MBF_FRAME_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct output {
    int fd;
    bool is_stdout;
    bool regular;  /* nobody reads before the end */
    char *target;  /* final name of a regular file, NULL: written directly */
    bool nameless; /* the file gets its first name when it is complete */
    char *temp;    /* name to rename from, NULL: the file has none yet */
    int slot;      /* in the list of names to remove on a signal, or -1 */
    uint64_t written;
};

/* path NULL or "-": stdout. 0, or -1 with e: ERR_BAD for a terminal without force, ERR_MACHINE. */
int output_open(struct output *o, const char *path, bool force, struct err *e);
/* Everything, whatever the pieces. 0 or -1 (errno). iov is used up. */
int output_writev(struct output *o, struct iovec *iov, int n);
/* Close, and with keep give the file its name; else nothing of it stays. 0 or -1 with e. */
int output_close(struct output *o, bool keep, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
