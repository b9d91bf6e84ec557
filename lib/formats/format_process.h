/* SPDX-License-Identifier: MIT */
/*
 * format_process.h: private to lib/formats. Runs the reader of a format in a process of its own.
 *
 * The library that such a reader uses may crash or run forever on a damaged file, or after an
 * allocation that failed. Here this becomes an error like any other. The frames come through shared
 * memory; the process reads the next frame while the caller works on the last one. Large frames are
 * not copied: the caller gets the memory that the process wrote to (info.exchanges).
 */
#ifndef MBF_FORMAT_PROCESS_H
#define MBF_FORMAT_PROCESS_H

#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* open and next of a reader, as struct format has them; they are called in the new process. It ends
 * without a close, by _exit. library: its name, for messages. */
struct format_reader {
    const char *library;
    void *(*open)(struct bytes *b, const struct formats_opts *o, struct format_info *info,
                  struct err *e);
    int (*next)(void *self, struct format_frame *f, struct err *e);
};

/* The open, next and close of a format that has this reader. The process may use --max-mem in
 * addition to what the caller holds; a reader that needs more fails with ERR_MEMORY. */
void *format_process_open(const struct format_reader *r, struct bytes *b,
                          const struct formats_opts *o, struct format_info *info, struct err *e);
int format_process_next(void *self, struct format_frame *f, struct err *e);
void format_process_close(void *self);

#ifdef __cplusplus
}
#endif
#endif
