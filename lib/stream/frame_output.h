/* SPDX-License-Identifier: MIT */
/* frame_output.h: writes files that appear under their final names only when they are complete.
 * Private to lib/stream. Unless a comment states otherwise, functions of type int return 0, or -1
 * with an error message in e. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/err.h"

struct output_name;

struct output {
    int fd;
    bool regular;
    char *target;             /* final name, or NULL */
    bool last;                /* The file appears after all other outputs. */
    bool fresh;               /* No file has this name yet. */
    bool at_once;             /* The file appears when it is closed, even after output_together. */
    bool nameless;            /* the file has no name */
    int unsynced;             /* errno of fsync, or 0 */
    char *part;               /* TARGET.part, or NULL */
    struct output_name *name; /* temporary, or NULL */
    uint64_t written;
    ssize_t (*write)(void *to, const void *p, size_t n); /* replaces fd, or NULL */
    void *to;
};

/* Sets whether a file and its directory are synced before the file is named (default: true). */
void output_sync(bool sync);
/* Syncs the data written to fd and, if `fresh` is not NULL, the name `fresh` in its directory. Does
 * not sync after output_sync(false). Returns 0, or -1 after setting errno. */
int output_on_disk(int fd, const char *fresh);
/* Makes all files appear together: files that output_close completes keep their temporary names
 * until output_publish is called. If one of these files fails, none of the files appears. */
void output_together(void);

/* Opens the file `path`, or stdout if `path` is NULL or "-". The error is ERR_BAD if the output is
 * a terminal and `force` is not set, and otherwise ERR_MACHINE or ERR_MEMORY. An existing file, or
 * the target of a symbolic link, is replaced when the new file is complete. The new file gets the
 * mode of the file that it replaces and, if permitted, its owner and group. An existing file that
 * is not writable is refused. */
int output_open(struct output *o, const char *path, bool force, struct err *e);
/* Gives a file that replaces no other file the mode, owner and group of `path`, if it exists. */
void output_like(const struct output *o, const char *path);
/* Writes all bytes of iov, and modifies iov. Returns 0, or -1 after setting errno. */
int output_writev(struct output *o, struct iovec *iov, int n);
/* Syncs the bytes written so far to disk, under the name TARGET.part, which exists until
 * output_close gives the file its final name, even if the process is killed. Fails, for example, if
 * the name is in use. Returns 1 without any effect if the output is not a regular file. */
int output_keep(struct output *o, struct err *e);
/* Returns the name TARGET.part for a `path`, which the caller frees, or NULL if memory runs out. */
char *output_part(const char *path);
/* Removes a file TARGET.part to which no checkpoint refers. Returns 0, or -1 after setting errno,
 * for example if a program is writing to the file. */
int output_remove_part(const char *part);
/* Opens PATH.part or, if PATH.part has fewer bytes than `bytes`, PATH. Returns the descriptor of
 * the file, or -1 if PATH also has fewer bytes. */
int output_find(const char *path, uint64_t bytes, bool *is_part);
/* Opens an output that continues after the first `bytes` bytes of the file fd from output_find.
 * PATH.part is truncated to these bytes and continued in place. The descriptor fd then belongs to
 * o, or is closed. */
int output_resume(struct output *o, const char *path, int fd, bool is_part, uint64_t bytes,
                  struct err *e);
/* Closes the output. If `keep` is true, the file gets its final name. If `keep` is false, the file
 * is removed, but an existing TARGET.part remains. */
int output_close(struct output *o, bool keep, struct err *e);
/* Gives all files with temporary names their final names. If `keep` is false, or after a failure,
 * removes all these files. */
int output_publish(bool keep, struct err *e);
