/* SPDX-License-Identifier: MIT */
/* format_parts.h: handles overlapping parts of a restarted trajectory (--drop-overlap). Private to
 * lib/formats. A frame of an earlier part is dropped if its step or time is not before the first
 * step or time of a later part. */
#pragma once

#include "formats/format.h"

struct format_parts;

struct format_parts *format_parts_new(void); /* NULL: out of memory */
void format_parts_free(struct format_parts *p);
/* Records the step or time of the next input frame. Set the flag has_step if frame f has a step
 * that can be used. Returns 0 or -1. */
int format_parts_add(struct format_parts *p, int file, const struct format_frame *f, bool has_step,
                     struct err *e) MUST_USE;
/* After all frames have been added, finds the frames that later parts replace. Returns 0 and sets
 * *dropped to the number of frames that are replaced. If frames have neither steps nor times, or if
 * no frame of the first part would remain, returns -1 with an error message in *e. */
int format_parts_end(struct format_parts *p, char *const *paths, uint64_t *dropped,
                     struct err *e) MUST_USE;
/* Returns true if the given frame of the given file is replaced by a later part. Frames and files
 * are counted from 0. If the argument p is NULL, returns false. */
bool format_parts_drop(const struct format_parts *p, int file, uint64_t frame);
