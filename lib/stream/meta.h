/* SPDX-License-Identifier: MIT */
/*
 * meta.h: the META text of a segment (mbf(5)): sorted, unique key<TAB>value lines.
 *
 * Keys used by the tools (meta_derive also copies all other sys.* and x.* keys):
 *   sys.natoms        atoms per step
 *   sys.dt_ps         time between consecutive steps, ps (absent: unknown)
 *   sys.cell          nine numbers, rows are cell vectors, Å (absent: no cell)
 *   sys.pbc           three letters, T or F, along the cell vectors, as in TTF (absent: FFF)
 *   sys.species       per-atom names, run-length: "Ar 256", "O 1 H 2 O 1 H 2", "512*(O 1 H 2)"
 *   sys.sigma         Lennard-Jones sigma, Å
 *   data.quantity     positions | pair-anisotropy | correlation | pair-histogram | spectrum |
 *     structure-factor
 *   data.unit         unit of the payload, such as angstrom, 1
 *   data.convention   definition used, in words
 *   data.component    beta components, space separated (in the order of enum beta_component)
 *   data.prefactor, data.sigma, data.cutoff, data.lags, data.origins, data.blocks, data.method,
 *     data.bins, ...
 *   prov.N.tool, prov.N.version, prov.N.args, prov.N.parents   provenance of the segment, N from 1
 */
#ifndef MBF_META_H
#define MBF_META_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

#define META_MAX_BYTES (1024 * 1024)

struct meta;

/* Returns a new, empty META, or NULL if memory runs out. meta_free(NULL) is allowed. */
struct meta *meta_new(void);
void meta_free(struct meta *m);
struct meta *meta_copy(const struct meta *m);

/* Parses len bytes. Returns a META, or NULL and sets e to the line and what was expected there. */
struct meta *meta_parse(const char *text, size_t len, struct err *e);

/* Returns the canonical text of m, *len bytes and a NUL, which the caller frees. Equal METAs give
 * equal bytes. Returns NULL and sets e if memory runs out or the text exceeds META_MAX_BYTES. */
char *meta_text(const struct meta *m, size_t *len, struct err *e);

/* Returns the value of a key, owned by m and valid until the key is changed, or NULL if absent. */
const char *meta_get(const struct meta *m, const char *key);

/* Copies the keys that begin with prefix, such as "data." in a filter that leaves the payload
 * unchanged. Returns 0 or -1. */
int meta_copy_keys(struct meta *m, const struct meta *from, const char *prefix);

/* Read the value of a key as n numbers or as one integer. Return 1 (found), 0 (absent) or -1
 * (present, but not n numbers). */
int meta_get_f64(const struct meta *m, const char *key, double *v, size_t n);
int meta_get_u64(const struct meta *m, const char *key, unsigned long long *v);

/* Set or replace a key, or remove it if value is NULL. Return 0, or -1 for a bad key or if memory
 * runs out. Numbers are written with the fewest digits that restore the same double. */
int meta_set(struct meta *m, const char *key, const char *value);
int meta_setf(struct meta *m, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int meta_set_f64(struct meta *m, const char *key, const double *v, size_t n);

/* Adds n bytes, too many for a value, to a checksum (FNV-1a) that begins with META_SUM. */
#define META_SUM 14695981039346656037u
uint64_t meta_sum(uint64_t sum, const void *bytes, size_t n);

/* Gets entry i in key order; returns 0 past the end. */
int meta_at(const struct meta *m, size_t i, const char **key, const char **value);

/* Returns the META of a filter's output: sys.*, x.* and prov.* of the input, no data.*, and one
 * more provenance entry (tool, version, args) whose parent is the input's last entry. `in` may be
 * NULL for a source. Identical entries merge; entries beyond 64 collapse into a count and a hash.
 * Returns NULL if memory runs out. */
struct meta *meta_derive(const struct meta *in, const char *tool, const char *version,
                         const char *args);

/* Like meta_derive for a tool with two inputs; the sys.* keys come from a. */
struct meta *meta_derive2(const struct meta *a, const struct meta *b, const char *tool,
                          const char *version, const char *args);

/* Returns the program that wrote this segment (the last one in the provenance), owned by m, or
 * NULL. */
const char *meta_last_tool(const struct meta *m);

/* Returns the first sys.* key whose value differs between a and b (owned by either), or NULL if all
 * agree. Numbers are compared as numbers: 0.1 equals 0.10000000000000001. */
const char *meta_sys_differs(const struct meta *a, const struct meta *b);
/* Like meta_sys_differs, but two different cells count as equal: pieces of a run at constant
 * pressure belong to one system. */
const char *meta_system_differs(const struct meta *a, const struct meta *b);
/* Like meta_sys_differs, for keys that begin with prefix ("data.", "sys.cell"). */
const char *meta_differs(const struct meta *a, const struct meta *b, const char *prefix);

/* Expands sys.species into species[natoms], one small integer per atom in order of first
 * appearance, and names[] (capacity max_names, 16 bytes each). Returns the number of names, 0 if
 * the key is absent, or -1 and sets e if the key is malformed or its counts do not add up to
 * natoms. */
int meta_species(const struct meta *m, size_t natoms, unsigned char *species, char (*names)[16],
                 int max_names, struct err *e);

/* Returns a hint for natoms atoms: "name the atoms, e.g. traj2bin --species '348*(O 1 H 2)'". */
const char *meta_species_hint(size_t natoms, char room[96]);

/* Writes sys.species from per-atom names (run-length, with a repeated pattern if there is one).
 * Returns 0, or -1 if memory runs out, there are no atoms, or a name is empty or contains a blank
 * or a parenthesis. */
int meta_set_species(struct meta *m, size_t natoms, const unsigned char *species,
                     const char (*names)[16]);

#ifdef __cplusplus
}
#endif
#endif
