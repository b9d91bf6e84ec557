/* SPDX-License-Identifier: MIT */
/* format_process.h: runs the reader of a format in a separate process. Private to lib/formats. If
 * a file is damaged or memory runs out, the library that reads the format may crash or never
 * return. In a separate process, a failure of the library becomes an ordinary error. Frames are
 * passed through shared memory. The process reads the next frame while the caller uses the previous
 * frame. Frames are not copied, because the caller receives the memory that the process wrote to.
 */
#pragma once

#include "formats/format.h"

/* The reader to pass to format_open. The functions `open` and `next` of the format are called in
 * the new process. The process ends with _exit() and does not call close() of the format. The
 * process may use as much memory as --max-mem allows, in addition to the memory of the caller. If
 * the reader needs more memory than the limit, it fails with ERR_MEMORY. */
extern const struct format format_process;
