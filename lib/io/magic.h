/* SPDX-License-Identifier: MIT */
/* magic.h: recognises a file format by its first bytes, and names the command that reads or
 * converts it. Every tool that reads files of other programs uses magic.h for the error message
 * about a file of the wrong kind. No file is opened, and names of files are ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A message about a file with carriage returns but no newlines contains MAGIC_CR. */
#define MAGIC_CR "tr '\\r' '\\n' <FILE >NEW converts them to newlines"

enum magic_reader { MAGIC_NO, MAGIC_TRAJ2BIN, MAGIC_OTHER };

/* Returns the kind of program that reads a file with the first bytes bytes[n], or MAGIC_NO if the
 * format is unknown. The caller must pass the first 512 bytes of the file, or all bytes of a
 * shorter file. Unless `what` is NULL, *what becomes a phrase such as "is a zip archive: ...". */
enum magic_reader magic_find(const void *bytes, size_t n, const char **what);

/* Returns the format (value of --format) of a trajectory that begins with `bytes`, or NULL. */
const char *magic_format(const void *bytes, size_t n);

bool magic_is_xyz(const unsigned char *bytes, size_t n);

/* Return NULL if a program that reads only XYZ, only tables of numbers, or only the formats of
 * traj2bin can read the content of the file, and otherwise a phrase that describes the content. */
const char *magic_foreign_to_xyz(const void *bytes, size_t n);
const char *magic_foreign_to_table(const void *bytes, size_t n);
const char *magic_foreign_to_traj(const void *bytes, size_t n);
/* Returns NULL for a GRO, PDB or PSF file, and otherwise a phrase that describes the content. */
const char *magic_foreign_to_topology(const void *bytes, size_t n);
