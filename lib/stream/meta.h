/* SPDX-License-Identifier: MIT */
/*
 * meta.h: the META text of a segment (mbf(5)): sorted, unique key<TAB>value lines.
 *
 * Keys used by the tools (every other sys.*, data.*, x.* key passes through meta_derive):
 *   sys.natoms        atoms a step
 *   sys.dt_ps         time between consecutive steps, ps (absent: unknown)
 *   sys.cell          nine numbers, rows are cell vectors, Å (absent: no cell)
 *   sys.pbc           three letters, T or F, along the cell vectors, e.g. TTF (absent: FFF)
 *   sys.species       per-atom names, run-length: "Ar 256", "O 1 H 2 O 1 H 2", "512*(O 1 H 2)"
 *   sys.sigma         Lennard-Jones sigma, Å
 *   data.quantity     positions | pair-anisotropy | correlation | pair-histogram | spectrum |
 *     structure-factor
 *   data.unit         unit of the payload, e.g. angstrom, 1
 *   data.convention   definition used, in words
 *   data.component    beta components, space separated (enum beta_component order of the arrays)
 *   data.prefactor, data.sigma, data.cutoff, data.lags, data.origins, data.blocks, data.method,
 *     data.bins, ...
 *   prov.N.tool, prov.N.version, prov.N.args, prov.N.parents   how the segment came about, N from 1
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

/* A new, empty META; NULL when out of memory. meta_free(NULL) is allowed. */
struct meta *meta_new(void);
void meta_free(struct meta *m);
struct meta *meta_copy(const struct meta *m);

/*
 * Parse len bytes. Returns a META, or NULL with the reason (line, what was expected) in e.
 */
struct meta *meta_parse(const char *text, size_t len, struct err *e);

/*
 * Canonical text: equal METAs give equal bytes. Returns a malloc'ed string of *len bytes (also NUL
 * terminated) that the caller frees, or NULL with e: out of memory or over META_MAX_BYTES.
 */
char *meta_text(const struct meta *m, size_t *len, struct err *e);

/* Value of a key, owned by m and valid until that key is changed; NULL when absent. */
const char *meta_get(const struct meta *m, const char *key);

/* Copy the keys that begin with prefix, "data." for a filter that leaves the payload as it is. 0 or
 * -1. */
int meta_copy_keys(struct meta *m, const struct meta *from, const char *prefix);

/* Number(s) behind a key, parsed whole. Return 1 (found), 0 (absent) or -1 (there, but not n
 * numbers). */
int meta_get_f64(const struct meta *m, const char *key, double *v, size_t n);
int meta_get_u64(const struct meta *m, const char *key, unsigned long long *v);

/* Set or replace (value NULL: remove). Return 0, or -1: bad key or out of memory. Numbers are
 * written with the fewest digits that give the same double back. */
int meta_set(struct meta *m, const char *key, const char *value);
int meta_setf(struct meta *m, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int meta_set_f64(struct meta *m, const char *key, const double *v, size_t n);

/* The sum (FNV-1a) of bytes that are too many for a value; begins with META_SUM. */
#define META_SUM 14695981039346656037u
uint64_t meta_sum(uint64_t sum, const void *bytes, size_t n);

/* Iterate in key order: entry i, 0 when past the end. */
int meta_at(const struct meta *m, size_t i, const char **key, const char **value);

/*
 * META of a transforming filter's output: sys.*, x.* and prov.* of the input, no data.*, and one
 * provenance entry (tool, version, args) appended whose parent is the last entry of the input. in
 * may be NULL (a source). Identical entries merge; over 64 entries collapse into a count and a
 * hash. NULL when out of memory.
 */
struct meta *meta_derive(const struct meta *in, const char *tool, const char *version,
                         const char *args);

/* The same for a tool with two inputs; the sys.* keys come from a. */
struct meta *meta_derive2(const struct meta *a, const struct meta *b, const char *tool,
                          const char *version, const char *args);

/* Tool of the last provenance entry, owned by m, or NULL: the program that wrote this segment. */
const char *meta_last_tool(const struct meta *m);

/* First sys.* key whose value differs between a and b (owned by either), or NULL when all agree;
 * numbers are compared as numbers (0.1 is 0.10000000000000001). */
const char *meta_sys_differs(const struct meta *a, const struct meta *b);
/* The same, but that both have a cell is enough: pieces of a run at constant pressure are of one system. */
const char *meta_system_differs(const struct meta *a, const struct meta *b);
/* The same for the keys that begin with prefix ("data.", "sys.cell"). */
const char *meta_differs(const struct meta *a, const struct meta *b, const char *prefix);

/*
 * Expand sys.species into one small integer an atom, in order of first appearance. species[natoms]
 * is filled, names[] (capacity max_names, 16 bytes each) gets the names. Returns their number, 0
 * when the key is absent, or -1 with e: malformed, or the counts do not add up to natoms.
 */
int meta_species(const struct meta *m, size_t natoms, unsigned char *species, char (*names)[16],
                 int max_names, struct err *e);

/* "such as traj2bin --species '348*(O 1 H 2)'": how so many atoms may be named. */
const char *meta_species_hint(size_t natoms, char room[96]);

/*
 * Write sys.species from per-atom names (run-length, with a repeated pattern where there is one).
 * 0, or -1: out of memory, no atoms, or a name that is empty or holds a blank or a parenthesis.
 */
int meta_set_species(struct meta *m, size_t natoms, const unsigned char *species,
                     const char (*names)[16]);

#ifdef __cplusplus
}
#endif
#endif
