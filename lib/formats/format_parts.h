/* SPDX-License-Identifier: MIT */
/* format_parts.h: overlapping parts of a restarted trajectory (--drop-overlap). Private to
 * lib/formats. A frame of an earlier part is replaced if its step or time is not before the first
 * step or time of a later part. */
#pragma once

#include "formats/format.h"

struct format_parts;

struct format_parts *format_parts_new(void); /* NULL: out of memory */
void format_parts_free(struct format_parts *p);
/* Records the next input frame. Set the flag has_step if f has a usable step. Returns 0 or -1. */
int format_parts_add(struct format_parts *p, int file, const struct format_frame *f, bool has_step,
                     struct err *e) MUST_USE;
/* Finds the frames that later parts replace, after all frames have been added. Returns 0 and sets
 * *dropped to the number of replaced frames. Returns -1 with an error message in *e if frames have
 * neither steps nor times, or if no frame of the first part would remain. */
int format_parts_end(struct format_parts *p, char *const *paths, uint64_t *dropped,
                     struct err *e) MUST_USE;
/* Returns true if the given frame of the given file is replaced. Frames and files are counted from
 * 0. If p is NULL, returns false. */
bool format_parts_drop(const struct format_parts *p, int file, uint64_t frame);
