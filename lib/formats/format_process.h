/* SPDX-License-Identifier: MIT */
/* format_process.h: runs the reader of a format in a separate process. Private to lib/formats. If a
 * file is damaged or memory runs out, the library of the reader may crash or never return. In a
 * separate process, such failures become ordinary errors. Frames are passed through shared memory.
 * The process reads the next frame while the caller uses the previous frame. Frames are not copied,
 * because the caller receives the memory that the process wrote to. */
#pragma once

#include "formats/format.h"

/* Runs a reader for format_open. The functions `open` and `next` of the format are called in the
 * new process. The process ends by calling _exit(), without calling close() of the format. The
 * process may use as much memory as --max-mem allows, in addition to the memory of the caller. A
 * reader that needs more memory fails with ERR_MEMORY. */
extern const struct format format_process;
