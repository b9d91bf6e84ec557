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

struct output_name; /* of an unfinished file */

struct output {
    int fd;
    bool is_stdout;
    bool regular; /* nobody reads before the end */
    char *target; /* final name of a regular file, NULL: written directly */
    bool last;    /* of several that appear together it is behind the others: it speaks of them */
    bool fresh;   /* nothing has that name yet */
    bool at_once; /* it gets its name when it is closed, whatever output_together says */
    bool
        nameless; /* the file gets its first name when it is complete, or output_keep gives it one */
    int unsynced; /* errno of the first fsync that failed, which is final: a later one that succeeds tells nothing of those bytes */
    char *part;   /* that name, TARGET.part; NULL: none */
    struct output_name *name; /* what to rename from, NULL: the file has none yet */
    uint64_t written;
    ssize_t (*write)(void *to, const void *p, size_t n); /* instead of to fd; NULL: to that */
    void *to;
};

/* Are file and folder on disk before a file of this process has its name? They are, unless. */
void output_sync(bool sync);
/* What was written to fd is on disk, unless; with `fresh` that name in its folder, too. 0 or -1
 * (errno). */
int output_on_disk(int fd, const char *fresh);
/* From now on output_close leaves a complete file under its temporary name, for output_publish: one
 * that fails keeps the others from appearing. */
void output_together(void);

/*
 * path NULL or "-": stdout. 0, or -1 with e: ERR_BAD for a terminal without force, ERR_MACHINE,
 * ERR_MEMORY. A file that is there is replaced when the new one is complete, through symbolic
 * links, and leaves it its mode and, where this process may give it, its owner and group; one that
 * may not be written is refused.
 */
int output_open(struct output *o, const char *path, bool force, struct err *e);
/* A fresh file is to be like that one, where it is there: in mode, owner and group. */
void output_like(const struct output *o, const char *path);
/* Everything, whatever the pieces. 0 or -1 (errno). iov is used up. */
int output_writev(struct output *o, struct iovec *iov, int n);
/*
 * What was written so far is on disk under the name TARGET.part, and stays there, whatever becomes
 * of this process, until output_close gives it the file's own name. 0; 1: this is no regular file,
 * nothing is kept; -1 with e, also where that name is taken.
 */
int output_keep(struct output *o, struct err *e);
/* TARGET.part of path. Owned by the caller; NULL: out of memory. */
char *output_part(const char *path);
/* A TARGET.part goes, of which no checkpoint knows. 0, or -1 (errno): also where a program writes to it. */
int output_remove_part(const char *part);
/* PATH.part, or PATH itself, where it holds so many bytes: a descriptor, or -1. */
int output_find(const char *path, uint64_t bytes, bool *is_part);
/* As output_open, but with these bytes of fd, from output_find, in it: of PATH.part itself what is
 * behind them is cut off. fd is o's, or closed. 0, or -1 with e. */
int output_resume(struct output *o, const char *path, int fd, bool is_part, uint64_t bytes,
                  struct err *e);
/* Close, and with keep give the file its name; else nothing of it stays. 0 or -1 with e. */
int output_close(struct output *o, bool keep, struct err *e);
/* All that was kept under temporary names gets its own, or with keep false or after a failure
 * nothing of it stays. 0 or -1 with e. */
int output_publish(bool keep, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
