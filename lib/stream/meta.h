/* SPDX-License-Identifier: MIT */
/* meta.h: reads and writes META (mbf(5)), a text with one line key<TAB>value for each key, sorted
 * by key.
 *
 * The tools use the keys in the following list. Keys sys.* and x.* that are not listed here are
 * copied by the function meta_derive.
 *   - The key sys.natoms is the number of atoms per step.
 *   - The key sys.dt_ps is the time between consecutive steps, in ps. If the time between steps is
 *     unknown, the key sys.dt_ps is missing.
 *   - The key sys.cell lists nine numbers in Å, which are the cell vectors as rows. If there is no
 *     cell, the key sys.cell is missing.
 *   - The key sys.pbc consists of three letters T or F for the cell vectors, as in TTF. If the key
 *     sys.pbc is missing, no axis is periodic.
 *   - The key sys.species lists the names of the atoms, such as "Ar 256" or "512*(O 1 H 2)".
 *   - The key sys.sigma is the Lennard-Jones parameter sigma, in Å.
 *   - The key data.quantity is "positions", "pair-anisotropy", "correlation", "pair-histogram",
 *     "spectrum" or "structure-factor".
 *   - The key data.unit is the unit of the payload, such as "angstrom" or "1".
 *   - The key data.convention describes the definition of the data in words.
 *   - The key data.component lists the components of beta, in the order of enum beta_component.
 *   - The keys data.prefactor, data.sigma, data.cutoff, data.lags, data.origins, data.blocks,
 *     data.method, data.bins and others describe the analysis.
 *   - The keys prov.N.tool, prov.N.version, prov.N.args and prov.N.parents describe the provenance
 *     of the segment, with N counted from 1. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

C_LINKAGE_BEGIN

#define META_MAX_BYTES (1024 * 1024)

struct meta;

/* Returns a new, empty META, or NULL if memory runs out. The function meta_free accepts NULL. */
struct meta *meta_new(void);
void meta_free(struct meta *m);
struct meta *meta_copy(const struct meta *m);

/* Parses `len` bytes. Returns a META, or NULL with a message in e that contains the wrong line and
 * the expected text. */
struct meta *meta_parse(const char *text, size_t len, struct err *e);

/* Returns the canonical text of m, which has *len bytes and a NUL. The caller frees the text. If
 * two METAs are equal, their texts are equal. If memory runs out or the text is too long, returns
 * NULL with an error message in e. */
char *meta_text(const struct meta *m, size_t *len, struct err *e);

/* Returns the value of a key, or NULL if m does not contain the key. The value stays valid until
 * the key is changed. */
const char *meta_get(const struct meta *m, const char *key);

/* Copies the keys whose names begin with `prefix`, such as "data.". Returns 0 or -1. */
int meta_copy_keys(struct meta *m, const struct meta *from, const char *prefix);

/* The following functions read the value of a key as n numbers or as one integer. The functions
 * that read numbers return 1 on success, 0 if the key is missing, or -1 if the value does not
 * consist of n numbers. */
int meta_get_f64(const struct meta *m, const char *key, double *v, size_t n);
int meta_get_u64(const struct meta *m, const char *key, unsigned long long *v);

/* The following functions set a key, or remove it if the value is NULL. The functions that set a
 * key return 0, or -1 if the key is not allowed or memory runs out. Numbers are written with the
 * fewest digits that restore the same double. */
int meta_set(struct meta *m, const char *key, const char *value);
int meta_setf(struct meta *m, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int meta_set_f64(struct meta *m, const char *key, const double *v, size_t n);

/* Updates a checksum (FNV-1a) with n bytes. The checksum of no bytes is META_SUM. Data that are too
 * long for a value are represented by their checksum. */
#define META_SUM 14695981039346656037u
uint64_t meta_sum(uint64_t sum, const void *bytes, size_t n);

/* Finds the entry with the number i, in the order of the keys. Returns 1 on success, or 0 after the
 * last entry. */
int meta_at(const struct meta *m, size_t i, const char **key, const char **value);

/* Returns the META for the output of a program, with the keys sys.*, x.* and prov.* of the input
 * `in`, but without the keys data.*. Appends a provenance entry (tool, version, args), whose parent
 * is the last entry of `in`. If the program has no input, `in` is NULL. Identical entries are
 * merged, and entries beyond 64 are replaced by a count and a hash. Returns NULL if memory runs
 * out. */
struct meta *meta_derive(const struct meta *in, const char *tool, const char *version,
                         const char *args);

/* Works like meta_derive, but for a program with two inputs. The keys sys.* are taken from the META
 * a. */
struct meta *meta_derive2(const struct meta *a, const struct meta *b, const char *tool,
                          const char *version, const char *args);

/* Returns the name of the last program in the provenance, which has written this segment, or NULL.
 * The text belongs to m. */
const char *meta_last_tool(const struct meta *m);

/* Returns the first key sys.* whose value differs between a and b, or NULL if all values agree. The
 * text of the key belongs to a or b. Values that are numbers are compared as numbers, so that 0.1
 * equals 0.10000000000000001. */
const char *meta_sys_differs(const struct meta *a, const struct meta *b);
/* Works like meta_sys_differs, but ignores the cell, which changes between the pieces of a run at
 * constant pressure. */
const char *meta_system_differs(const struct meta *a, const struct meta *b);
/* Works like meta_sys_differs, but for keys that begin with `prefix`, such as "data." or
 * "sys.cell". */
const char *meta_differs(const struct meta *a, const struct meta *b, const char *prefix);

/* Expands sys.species into names[max_names] and species[natoms], where species[i] is the number of
 * the name of atom i. Names are numbered in the order in which they first appear. Returns the
 * number of names, or 0 if the key sys.species is missing. If the key is malformed or the sum of
 * its counts is not natoms, returns -1 with an error message in e. */
int meta_species(const struct meta *m, size_t natoms, unsigned char *species, char (*names)[16],
                 int max_names, struct err *e);

/* Returns a text with a remedy, such as "name the atoms, e.g. traj2bin --species '348*(O 1 H
 * 2)'". */
const char *meta_species_hint(size_t natoms, char capacity[96]);

/* Writes sys.species from the names of all atoms. Runs of equal names are encoded by their lengths,
 * and as a repeated pattern if possible. If there are no atoms, a name is empty or contains a blank
 * or a parenthesis, or memory runs out, returns -1, and otherwise 0. */
int meta_set_species(struct meta *m, size_t natoms, const unsigned char *species,
                     const char (*names)[16]);

C_LINKAGE_END
