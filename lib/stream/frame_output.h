/* SPDX-License-Identifier: MIT */
/* frame_output.h: writes output through a private descriptor. A call either writes all bytes or
 * fails, and files appear only when they are complete. Only the files of lib/stream use this
 * header. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/err.h"

struct output_name; /* temporary name of an unfinished file */

struct output {
    int fd;
    bool regular;             /* whether the output is a regular file */
    char *target;             /* final name, or NULL */
    bool last;                /* whether this file appears after all other outputs */
    bool fresh;               /* whether no file has this name yet */
    bool at_once;             /* whether this file appears when it is closed, even after
                               * output_together */
    bool nameless;            /* whether the file has no name */
    int unsynced;             /* errno of the first fsync that failed, even if later calls
                               * succeed */
    char *part;               /* TARGET.part, or NULL */
    struct output_name *name; /* temporary name, or NULL */
    uint64_t written;
    ssize_t (*write)(void *to, const void *p, size_t n); /* if not NULL, replaces fd */
    void *to;
};

/* Sets whether a file and its directory are synced before the file gets its name (default:
 * true). */
void output_sync(bool sync);
/* Syncs the data written to fd and, unless `fresh` is NULL, the name `fresh` in its directory.
 * After output_sync(false), this function does nothing. Returns 0 on success, or -1 after setting
 * errno. */
int output_on_disk(int fd, const char *fresh);
/* After a call of output_together, files that output_close completes keep their temporary names
 * until output_publish is called. If one of these files fails, none of them appears. */
void output_together(void);

/* Opens the file `path`, or stdout if `path` is NULL or "-". Returns 0 on success, or -1 with an
 * error message in e. The status is ERR_BAD if the output is a terminal and `force` is not set, and
 * otherwise ERR_MACHINE or ERR_MEMORY. An existing file, or the target of a symbolic link, is
 * replaced when the new file is complete. The new file gets the mode of the file that it replaces
 * and, if permitted, its owner and group. An existing file that is not writable is refused. */
int output_open(struct output *o, const char *path, bool force, struct err *e);
/* If a file exists at `path`, gives the new file the mode, owner and group of this file. */
void output_like(const struct output *o, const char *path);
/* Writes all bytes of iov, in as many calls as needed. The array iov is modified. Returns 0 on
 * success, or -1 after setting errno. */
int output_writev(struct output *o, struct iovec *iov, int n);
/* Syncs the bytes written so far to disk, under the name TARGET.part. The name TARGET.part exists
 * until output_close gives the file its final name, even if this process is killed. On failure, for
 * example if the name is in use, returns -1 with an error message in e. Otherwise, returns 0. If
 * the output is not a regular file, returns 1 and does nothing. */
int output_keep(struct output *o, struct err *e);
/* Returns the name TARGET.part for a `path`, or NULL if memory runs out. The caller frees it. */
char *output_part(const char *path);
/* Removes a file TARGET.part to which no checkpoint refers. On failure, for example if a program is
 * writing to the file, returns -1 after setting errno. Otherwise, returns 0. */
int output_remove_part(const char *part);
/* Opens PATH.part if it has at least the given size, and otherwise PATH if it has at least this
 * size. Returns the descriptor of the file, or -1. */
int output_find(const char *path, uint64_t bytes, bool *is_part);
/* Opens an output that continues after the given number of bytes of the file fd, which output_find
 * has opened. The file PATH.part is cut after these bytes and continued in place. The descriptor fd
 * then belongs to o, or is closed. Returns 0 on success, or -1 with an error message in e. */
int output_resume(struct output *o, const char *path, int fd, bool is_part, uint64_t bytes,
                  struct err *e);
/* Closes the output. If `keep` is true, the file gets its final name. If `keep` is false, the file
 * is removed, but an existing TARGET.part remains. Returns 0 on success, or -1 with an error
 * message in e. */
int output_close(struct output *o, bool keep, struct err *e);
/* Gives all files with temporary names their final names. If `keep` is false, or after a failure,
 * all these files are removed. Returns 0 on success, or -1 with an error message in e. */
int output_publish(bool keep, struct err *e);
