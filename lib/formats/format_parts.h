/* SPDX-License-Identifier: MIT */
/* format_parts.h: overlapping parts of a restarted trajectory (--drop-overlap). Private to
 * lib/formats. A later part replaces all frames of earlier parts from its first step or time on. */
#ifndef MBF_FORMAT_PARTS_H
#define MBF_FORMAT_PARTS_H

#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct format_parts;

struct format_parts *format_parts_new(void); /* NULL: out of memory */
void format_parts_free(struct format_parts *p);
/* Adds the next frame of the input; has_step: its step is usable. Returns 0 or -1. */
int format_parts_add(struct format_parts *p, int file, const struct format_frame *f, bool has_step,
                     struct err *e) __attribute__((warn_unused_result));
/* Finds the replaced frames once all frames are added. Returns -1 and sets *e if frames have
 * neither steps nor times, or if nothing of the first part would remain; otherwise 0. */
int format_parts_end(struct format_parts *p, char *const *paths, struct err *e)
    __attribute__((warn_unused_result));
/* Returns whether this frame of this file, both counted from 0, is replaced; false if p is NULL. */
bool format_parts_drop(const struct format_parts *p, int file, uint64_t frame);
/* Returns the number of replaced frames. */
uint64_t format_parts_dropped(const struct format_parts *p);

#ifdef __cplusplus
}
#endif
#endif
