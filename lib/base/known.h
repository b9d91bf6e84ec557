/* SPDX-License-Identifier: MIT */
/*
 * known.h: recognises a file format by its first bytes, and names the command that reads or
 * converts it.
 *
 * Every tool that reads files of other programs uses this module, so that the error message for a
 * wrong file states what to do. Nothing is opened, and names are ignored.
 */
#ifndef MBF_KNOWN_H
#define MBF_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Remedy for a file with carriage returns but no newlines. */
#define KNOWN_CR "tr '\\r' '\\n' <FILE >NEW converts them to newlines"

enum known_reader { KNOWN_NO, KNOWN_TRAJ2BIN, KNOWN_OTHER };

/* Returns which program reads a file that begins with these n bytes (512 are enough; a short file
 * has fewer); KNOWN_NO if the format is unknown. Sets *what, unless NULL, to a phrase such as "is a
 * zip archive: ...". */
enum known_reader known(const void *bytes, size_t n, const char **what);

/* Returns the --format name of the format of lib/formats that begins with these bytes, or NULL. */
const char *known_format(const void *bytes, size_t n);

/* Returns true if the bytes, as far as they go, can begin XYZ text. */
bool known_is_xyz(const unsigned char *bytes, size_t n);

/* Return the phrase for callers that read only XYZ, only tables of numbers, or only what traj2bin
 * reads; NULL if the bytes may be acceptable. */
const char *known_foreign_to_xyz(const void *bytes, size_t n);
const char *known_foreign_to_table(const void *bytes, size_t n);
const char *known_foreign_to_traj(const void *bytes, size_t n);
/* As above for callers that read only the atom names of GRO and PDB files. */
const char *known_foreign_to_topology(const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif
#endif
