/* SPDX-License-Identifier: MIT */
/* meta.h: reads and writes META (mbf(5)), a text of lines key<TAB>value, sorted by key.
 *
 * The programs use the keys in the following list. The function meta_derive also copies all other
 * keys sys.* and x.*.
 *   - The key sys.natoms is the number of atoms per step.
 *   - The key sys.dt_ps is the time between consecutive steps in ps, and is missing if this time is
 *     unknown.
 *   - The key sys.cell lists the three cell vectors in Å, one after the other, and is missing
 *     without a cell.
 *   - The key sys.pbc consists of a letter T or F for each cell vector, such as TTF. If sys.pbc is
 *     missing, no axis is periodic.
 *   - The key sys.species lists the names of the atoms, such as "Ar 256" or "512*(O 1 H 2)".
 *   - The key sys.sigma is the Lennard-Jones parameter sigma, in Å.
 *   - The key data.quantity is "positions", "pair-anisotropy", "correlation", "pair-histogram",
 *     "spectrum" or "structure-factor".
 *   - The key data.unit is the unit of the data, such as "angstrom" or "1".
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

/* Returns an empty META, or NULL if memory runs out. The function meta_free accepts NULL. */
struct meta *meta_new(void);
void meta_free(struct meta *m);
struct meta *meta_copy(const struct meta *m);

/* Returns the META in `len` bytes of text, or NULL with an error message in e that states the
 * invalid line and the expected text. */
struct meta *meta_parse(const char *text, size_t len, struct err *e);

/* Returns the text of m, which has *len bytes and a NUL, and which the caller frees. Equal METAs
 * have equal texts. Returns NULL with an error message in e if memory runs out or the text is too
 * long. */
char *meta_text(const struct meta *m, size_t *len, struct err *e);

/* Returns the value of a key, valid until the key is changed, or NULL if m lacks the key. */
const char *meta_get(const struct meta *m, const char *key);

/* Copies the keys that begin with `prefix`, such as "data.". Returns 0 or -1. */
int meta_copy_keys(struct meta *m, const struct meta *from, const char *prefix);

/* The functions meta_get_f64 and meta_get_u64 read the value of a key as n numbers and as an
 * integer. Each returns 1 on success, 0 if the key is missing, or -1 if the value has another
 * form. */
int meta_get_f64(const struct meta *m, const char *key, double *v, size_t n);
int meta_get_u64(const struct meta *m, const char *key, unsigned long long *v);

/* The functions meta_set, meta_setf and meta_set_f64 set a key, or remove the key if the value is
 * NULL, and return 0, or -1 if the key is not allowed or memory runs out. Numbers are written with
 * the fewest digits that restore the same double. */
int meta_set(struct meta *m, const char *key, const char *value);
int meta_setf(struct meta *m, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int meta_set_f64(struct meta *m, const char *key, const double *v, size_t n);

/* Updates an FNV-1a checksum with n bytes. The checksum of no bytes is META_SUM. */
#define META_SUM 14695981039346656037u
uint64_t meta_sum(uint64_t sum, const void *bytes, size_t n);

/* Finds entry i in the order of the keys. Returns 1, or 0 after the last entry. */
int meta_at(const struct meta *m, size_t i, const char **key, const char **value);

/* Returns the META for the output of a program, with the keys sys.*, x.* and prov.* of the META
 * `in` of the input, or NULL if memory runs out. For a program without input, `in` is NULL. Appends
 * a provenance entry (tool, version, args), whose parent is the last entry of `in`. Identical
 * entries are merged, and entries beyond 64 are replaced by a count and a hash. */
struct meta *meta_derive(const struct meta *in, const char *tool, const char *version,
                         const char *args);

/* Works like meta_derive, but for a program with two inputs. The keys sys.* are taken from the META
 * a. */
struct meta *meta_derive2(const struct meta *a, const struct meta *b, const char *tool,
                          const char *version, const char *args);

/* Returns the name of the program that wrote this segment, or NULL. The text belongs to m. */
const char *meta_last_tool(const struct meta *m);

/* Returns the first key sys.* whose value differs between a and b, or NULL if all values agree. The
 * returned text belongs to a or b. Numbers are compared as numbers, so that 0.1 equals
 * 0.10000000000000001. */
const char *meta_sys_differs(const struct meta *a, const struct meta *b);
/* Works like meta_sys_differs, but ignores the cell, which changes at constant pressure. */
const char *meta_system_differs(const struct meta *a, const struct meta *b);
/* Works like meta_sys_differs, but for keys that begin with `prefix`, such as "data.". */
const char *meta_differs(const struct meta *a, const struct meta *b, const char *prefix);

/* Expands sys.species into names[max_names], in the order in which the names first appear, and
 * species[natoms], where species[i] is the index of the name of atom i. Returns the number of
 * names, 0 if the key sys.species is missing, or -1 with an error message in e if the key is
 * malformed or the sum of its counts is not natoms. */
int meta_species(const struct meta *m, size_t natoms, unsigned char *species, char (*names)[16],
                 int max_names, struct err *e);

/* Returns a remedy, such as "name the atoms, e.g. traj2bin --species '348*(O 1 H 2)'". */
const char *meta_species_hint(size_t natoms, char capacity[96]);

/* Sets sys.species from the names of all atoms. Runs of equal names are encoded by their lengths,
 * and as a repeated pattern if possible. Returns 0, or -1 if there are no atoms, if a name is empty
 * or contains a blank or a parenthesis, or if memory runs out. */
int meta_set_species(struct meta *m, size_t natoms, const unsigned char *species,
                     const char (*names)[16]);

C_LINKAGE_END
