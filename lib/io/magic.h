/* SPDX-License-Identifier: MIT */
/* magic.h: recognises a file format by its first bytes, and names the command that reads or
 * converts it. Every tool that reads files of other programs uses this module, so that the error
 * message for a wrong file states what to do. No file is opened, and file names are ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Remedy for a file with carriage returns but no newlines. */
#define MAGIC_CR "tr '\\r' '\\n' <FILE >NEW converts them to newlines"

enum magic_reader { MAGIC_NO, MAGIC_TRAJ2BIN, MAGIC_OTHER };

/* Returns which program reads a file that begins with these n bytes, or MAGIC_NO if the format is
 * unknown. The caller passes the first 512 bytes, or all bytes of a shorter file. Unless `what` is
 * NULL, *what is set to a phrase such as "is a zip archive: ...". */
enum magic_reader magic_find(const void *bytes, size_t n, const char **what);

/* Returns the name for --format of the trajectory format that begins with these bytes, or NULL. */
const char *magic_format(const void *bytes, size_t n);

/* Returns true if the bytes can be the beginning of XYZ text. */
bool magic_is_xyz(const unsigned char *bytes, size_t n);

/* These functions return NULL, or a phrase that describes content that the caller cannot read. The
 * functions are for callers that read only XYZ, only tables of numbers, or only the formats of
 * traj2bin. */
const char *magic_foreign_to_xyz(const void *bytes, size_t n);
const char *magic_foreign_to_table(const void *bytes, size_t n);
const char *magic_foreign_to_traj(const void *bytes, size_t n);
/* Returns NULL for a GRO or PDB file, or else a phrase that describes the content. */
const char *magic_foreign_to_topology(const void *bytes, size_t n);
