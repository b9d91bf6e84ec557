/* SPDX-License-Identifier: MIT */
/* meta.h: reads and writes META (mbf(5)), a text with one line key<TAB>value for each key, sorted
 * by key.
 *
 * The tools use the following keys. The function meta_derive copies all other sys.* and x.* keys.
 *   - Key sys.natoms is the number of atoms per step.
 *   - Key sys.dt_ps is the time between consecutive steps in ps. If it is unknown, the key is
 *   absent.
 *   - Key sys.cell lists nine numbers in Å, with the cell vectors as rows. If there is no cell, the
 *   key is absent.
 *   - Key sys.pbc has three letters, T or F, for the cell vectors, as in TTF. If the key is absent,
 *   no axis is periodic.
 *   - Key sys.species lists the names of atoms, such as "Ar 256" or "512*(O 1 H 2)".
 *   - Key sys.sigma is the Lennard-Jones parameter sigma in Å.
 *   - Key data.quantity is "positions", "pair-anisotropy", "correlation", "pair-histogram",
 *     "spectrum" or "structure-factor".
 *   - Key data.unit is the unit of the payload, such as "angstrom" or "1".
 *   - Key data.convention describes the definition of the data in words.
 *   - Key data.component lists beta components in the order of enum beta_component.
 *   - Keys data.prefactor, data.sigma, data.cutoff, data.lags, data.origins, data.blocks,
 *     data.method, data.bins and others describe the analysis.
 *   - Keys prov.N.tool, prov.N.version, prov.N.args and prov.N.parents describe the provenance of
 *     the segment, with N counted from 1. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

C_LINKAGE_BEGIN

#define META_MAX_BYTES (1024 * 1024)

struct meta;

/* Returns a new, empty META, or NULL if memory runs out. The call meta_free(NULL) is allowed. */
struct meta *meta_new(void);
void meta_free(struct meta *m);
struct meta *meta_copy(const struct meta *m);

/* Parses `len` bytes. Returns a META, or NULL with a message in e with the wrong line and the
 * expected text. */
struct meta *meta_parse(const char *text, size_t len, struct err *e);

/* Returns the canonical text of m, which has *len bytes and a NUL. The caller frees the text. Equal
 * METAs have equal texts. Returns NULL with an error message in e if memory runs out or the text is
 * too long. */
char *meta_text(const struct meta *m, size_t *len, struct err *e);

/* Returns the value of a key, or NULL if m does not contain the key. The value is valid until the
 * key is changed. */
const char *meta_get(const struct meta *m, const char *key);

/* Copies the keys that begin with `prefix`, for example "data.". Returns 0 or -1. */
int meta_copy_keys(struct meta *m, const struct meta *from, const char *prefix);

/* These functions read the value of a key as n numbers or as one integer. Both return 1 on success,
 * 0 if the key is absent, or -1 if the value does not consist of n numbers. */
int meta_get_f64(const struct meta *m, const char *key, double *v, size_t n);
int meta_get_u64(const struct meta *m, const char *key, unsigned long long *v);

/* These functions set a key, or remove it if the value is NULL. All three functions return 0, or -1
 * if the key is not allowed or memory runs out. Numbers are written with the fewest digits that
 * restore the same double. */
int meta_set(struct meta *m, const char *key, const char *value);
int meta_setf(struct meta *m, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int meta_set_f64(struct meta *m, const char *key, const double *v, size_t n);

/* Updates a checksum (FNV-1a) with n bytes. The checksum of no bytes is META_SUM. Data that are too
 * long for a value are represented by a checksum. */
#define META_SUM 14695981039346656037u
uint64_t meta_sum(uint64_t sum, const void *bytes, size_t n);

/* Gets entry number i, in the order of the keys. Returns 1, or 0 after the last entry. */
int meta_at(const struct meta *m, size_t i, const char **key, const char **value);

/* Returns the META for the output of a program, with the sys.*, x.* and prov.* keys of the input
 * `in`, but without data.* keys. Appends a provenance entry (tool, version, args), whose parent is
 * the last entry of `in`. If the program has no input, `in` is NULL. Identical entries are merged,
 * and entries beyond 64 are replaced by a count and a hash. Returns NULL if memory runs out. */
struct meta *meta_derive(const struct meta *in, const char *tool, const char *version,
                         const char *args);

/* Works like meta_derive for a program with two inputs. The sys.* keys come from META a. */
struct meta *meta_derive2(const struct meta *a, const struct meta *b, const char *tool,
                          const char *version, const char *args);

/* Returns the name of the last program in the provenance, which is the program that wrote this
 * segment, or NULL. The text belongs to m. */
const char *meta_last_tool(const struct meta *m);

/* Returns the first sys.* key whose value differs between a and b, or NULL if all values agree. The
 * key belongs to a or b. Values that are numbers are compared as numbers, so 0.1 equals
 * 0.10000000000000001. */
const char *meta_sys_differs(const struct meta *a, const struct meta *b);
/* Works like meta_sys_differs, but ignores the cell, because it changes between the pieces of a run
 * at constant pressure. */
const char *meta_system_differs(const struct meta *a, const struct meta *b);
/* Works like meta_sys_differs for keys that begin with `prefix`, such as "data." or "sys.cell". */
const char *meta_differs(const struct meta *a, const struct meta *b, const char *prefix);

/* Expands sys.species into names[max_names] and species[natoms], where species[i] is the number of
 * the name of atom i. Names are numbered in order of first appearance. Returns the number of names,
 * or 0 if the key is absent. Returns -1 with an error message in e if the key is malformed or the
 * sum of its counts is not natoms. */
int meta_species(const struct meta *m, size_t natoms, unsigned char *species, char (*names)[16],
                 int max_names, struct err *e);

/* Returns text with a remedy, such as "name the atoms, e.g. traj2bin --species '348*(O 1 H 2)'". */
const char *meta_species_hint(size_t natoms, char capacity[96]);

/* Writes sys.species from the names of all atoms. Runs of equal names are encoded by their lengths,
 * as a repeated pattern if possible. Returns 0, or -1 if there are no atoms, if a name is empty or
 * contains a blank or a parenthesis, or if memory runs out. */
int meta_set_species(struct meta *m, size_t natoms, const unsigned char *species,
                     const char (*names)[16]);

C_LINKAGE_END
