/* SPDX-License-Identifier: MIT */
/* frame_output.h: output through a private descriptor, with whole writes and with files that appear
 * only when complete. Internal to lib/stream. */
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

struct output_name; /* name of an unfinished file */

struct output {
    int fd;
    bool is_stdout;
    bool regular;  /* nobody reads the file before its end */
    char *target;  /* final name of a regular file; NULL: written directly */
    bool last;     /* the file appears after all others that appear together */
    bool fresh;    /* no file has this name yet */
    bool at_once;  /* the file gets its name at its close, even after output_together */
    bool nameless; /* the file has no name until it is complete or until output_keep */
    int unsynced;  /* errno of the first fsync that failed; a later success proves nothing */
    char *part;    /* TARGET.part, if the file has this name; else NULL */
    struct output_name *name; /* temporary name; NULL: the file has no name yet */
    uint64_t written;
    ssize_t (*write)(void *to, const void *p, size_t n); /* used instead of fd; NULL: fd */
    void *to;
};

/* Sets whether the file and its folder are synced to disk before a file of this process gets its
 * name (default: true). */
void output_sync(bool sync);
/* Syncs what was written to fd and, if `fresh` is not NULL, its name in the folder; does nothing
 * after output_sync(false). Returns 0 or -1 (errno). */
int output_on_disk(int fd, const char *fresh);
/* From now on, output_close leaves complete files under temporary names until output_publish. If
 * one file fails, none of them appears. */
void output_together(void);

/* Opens path, or stdout if path is NULL or "-". Returns 0, or -1 and sets e: ERR_BAD for a terminal
 * without force, ERR_MACHINE or ERR_MEMORY. An existing file is replaced when the new one is
 * complete, also through symbolic links. The new file takes over the mode of the old file and, if
 * permitted, its owner and group. A file that is not writable is refused. */
int output_open(struct output *o, const char *path, bool force, struct err *e);
/* Gives a new file the mode, owner and group of the file at path, if that exists. */
void output_like(const struct output *o, const char *path);
/* Writes all bytes of iov, which is used up, in as many calls as needed. Returns 0 or -1
 * (errno). */
int output_writev(struct output *o, struct iovec *iov, int n);
/* Syncs the bytes written so far to disk under the name TARGET.part. The part file stays, whatever
 * happens to this process, until output_close gives the file its own name. Returns 0, 1 if this is
 * not a regular file (nothing is kept), or -1 and sets e, for example if the name is in use. */
int output_keep(struct output *o, struct err *e);
/* Returns TARGET.part of path, which the caller frees, or NULL if memory runs out. */
char *output_part(const char *path);
/* Removes a TARGET.part to which no checkpoint refers. Returns 0, or -1 (errno), for example if a
 * program is writing to the file. */
int output_remove_part(const char *part);
/* Returns a descriptor of PATH.part or else PATH, if the file has at least the given size, or
 * -1. */
int output_find(const char *path, uint64_t bytes, bool *is_part);
/* Like output_open, but the output begins with the given number of bytes of fd, from output_find.
 * PATH.part is truncated after these bytes and continued in place. The descriptor fd then belongs
 * to o or is closed. Returns 0, or -1 and sets e. */
int output_resume(struct output *o, const char *path, int fd, bool is_part, uint64_t bytes,
                  struct err *e);
/* Closes the output. With keep, the file gets its name; otherwise nothing remains but a
 * TARGET.part. Returns 0, or -1 and sets e. */
int output_close(struct output *o, bool keep, struct err *e);
/* Gives all files with temporary names their own names. With keep false, or after a failure, none
 * of the files remains. Returns 0, or -1 and sets e. */
int output_publish(bool keep, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
