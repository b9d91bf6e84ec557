/* SPDX-License-Identifier: MIT */
/* format_process.h: runs the reader of a format in a separate process. Private to lib/formats. If a
 * file is damaged or memory runs out, the library that reads the format may crash or never return.
 * In a separate process, a crash of the library becomes an ordinary error. Frames are passed in
 * shared memory without copying, and the process reads the next frame while the caller uses the
 * previous frame.
 */
#pragma once

#include "formats/format.h"

/* The format to pass to format_open, which calls open() and next() of the real format in the new
 * process. The process ends with _exit() and does not call close() of the format. The process may
 * use as much memory as --max-mem allows, in addition to the memory of the caller, and otherwise
 * fails with ERR_MEMORY. */
extern const struct format format_process;
