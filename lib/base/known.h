/* SPDX-License-Identifier: MIT */
/*
 * known.h: which file is this? By its first bytes, and which command reads or converts it.
 *
 * Every tool that takes files of others asks here, so that a wrong file is answered with what to do
 * rather than with a riddle. Nothing is opened; names play no part.
 */
#ifndef MBF_KNOWN_H
#define MBF_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The remedy for a file of carriage returns without newlines. */
#define KNOWN_CR "tr '\\r' '\\n' <FILE >NEW makes newlines of them"

enum known_reader { KNOWN_NO, KNOWN_TRAJ2BIN, KNOWN_OTHER };

/* Who reads a file that begins with these n bytes (512 are enough; a short file has fewer)?
 * KNOWN_NO: not recognised. *what, where not NULL: a phrase such as "is a zip archive: ...". */
enum known_reader known(const void *bytes, size_t n, const char **what);

/* The name, of --format, of a format of lib/formats that begins so; NULL: none does. */
const char *known_format(const void *bytes, size_t n);

/* Do they begin XYZ text, as far as they go? */
bool known_is_xyz(const unsigned char *bytes, size_t n);

/* The phrase, for who reads none of them but XYZ, tables of numbers, or what traj2bin reads. NULL: go
 * on. */
const char *known_foreign_to_xyz(const void *bytes, size_t n);
const char *known_foreign_to_table(const void *bytes, size_t n);
const char *known_foreign_to_traj(const void *bytes, size_t n);
/* The phrase, for whoever reads the names of atoms of GRO and PDB files only. */
const char *known_foreign_to_topology(const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif
#endif
