/* SPDX-License-Identifier: MIT */
/* format_parts.h: drops overlapping frames of a restarted trajectory (--drop-overlap). Private to
 * lib/formats. A frame of an earlier part is dropped if its step or time is not before the first
 * step or time of a later part. */
#pragma once

#include "formats/format.h"

struct format_parts;

struct format_parts *format_parts_new(void); /* NULL: out of memory */
void format_parts_free(struct format_parts *p);
/* Records the step of the next input frame, or its time without has_step. Returns 0 or -1. */
int format_parts_add(struct format_parts *p, int file, const struct format_frame *f, bool has_step,
                     struct err *e) MUST_USE;
/* Finds the frames that later parts replace, after all frames have been added, and sets *dropped to
 * their number. Returns 0, or -1 and sets *e if frames have neither steps nor times, or if no frame
 * of the first part would remain. */
int format_parts_end(struct format_parts *p, char *const *paths, uint64_t *dropped,
                     struct err *e) MUST_USE;
/* Returns whether a later part replaces a frame of a file; frames and files are counted from 0.
 * Returns false if p is NULL. */
bool format_parts_drop(const struct format_parts *p, int file, uint64_t frame);
