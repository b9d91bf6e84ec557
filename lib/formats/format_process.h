/* SPDX-License-Identifier: MIT */
/* format_process.h: runs the reader of a format in a separate process. Private to lib/formats. On a
 * damaged file or after a failed allocation, the library of the reader may crash or run forever.
 * The separate process turns such failures into ordinary errors. Frames are passed through shared
 * memory. The process reads the next frame while the caller uses the last frame. Large frames are
 * not copied, because the caller receives the memory that the process wrote to (info.exchanges). */
#pragma once

#include "formats/format.h"

/* The functions `open` and `next` of a reader, as in struct format, are called in the new process.
 * The process ends by _exit, without calling `close`. The string `library` is the name of the
 * library, for messages. */
struct format_reader {
    const char *library;
    void *(*open)(struct bytes *b, const struct formats_opts *o, struct format_info *info,
                  struct err *e);
    int (*next)(void *self, struct format_frame *f, struct err *e);
};

/* The functions `open`, `next` and `close` of a format with a reader in a separate process. The
 * process may use --max-mem in addition to the memory of the caller. A reader that needs more
 * memory fails with ERR_MEMORY. */
void *format_process_open(const struct format_reader *r, struct bytes *b,
                          const struct formats_opts *o, struct format_info *info, struct err *e);
int format_process_next(void *self, struct format_frame *f, struct err *e);
void format_process_close(void *self);
