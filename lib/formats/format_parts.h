/* SPDX-License-Identifier: MIT */
/*
 * format_parts.h: private to lib/formats. The parts of a trajectory that was restarted, and which
 * frames of a part a later one replaces: those at or after the later part's first step or time.
 */
#ifndef MBF_FORMAT_PARTS_H
#define MBF_FORMAT_PARTS_H

#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct format_parts;

struct format_parts *format_parts_new(void); /* NULL: memory is out */
void format_parts_free(struct format_parts *p);
/* The next frame of all; has_step: its step counts. 0 or -1. */
int format_parts_add(struct format_parts *p, int file, const struct format_frame *f, bool has_step,
                     struct err *e) __attribute__((warn_unused_result));
/* All frames are there. 0, or -1: they have neither steps nor times, or nothing of the first part
 * would remain. */
int format_parts_end(struct format_parts *p, char *const *paths, struct err *e)
    __attribute__((warn_unused_result));
/* Is this frame of this file, counted from 0, replaced? false where p is NULL. */
bool format_parts_drop(const struct format_parts *p, int file, uint64_t frame);
/* Frames that are replaced. */
uint64_t format_parts_dropped(const struct format_parts *p);

#ifdef __cplusplus
}
#endif
#endif
