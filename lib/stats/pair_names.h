/* SPDX-License-Identifier: MIT */
/* pair_names.h: species and pairs of species of an analysis, from sys.species and --pair. */
#ifndef MBF_PAIR_NAMES_H
#define MBF_PAIR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs "A-B" as given on the command line; parse appends one to the struct at dst: 0, or -1 with e. */
struct pair_wanted {
    size_t n;
    const char *name[256];
};
int pair_wanted_parse(const char *s, void *dst, struct err *e);

/* Indices of two species; {SPECIES_EVERY, SPECIES_EVERY}: all atoms. a == b: like pairs, each once.
 */
struct species_pair {
    int a, b;
};
#define SPECIES_EVERY (-1)

struct pair_names {
    unsigned char *species; /* [natoms] */
    int nspecies;
    char (*name)[16]; /* [nspecies] */
    size_t *atoms;    /* [nspecies] */
    size_t natoms;
    struct species_pair *pairs; /* [npairs] */
    size_t npairs;
    char *list; /* "A-A A-B B-B", or "all": for data.pairs */
};

/*
 * wanted[n]: "A-B" each, or "all" for every pair of species; n = 0: one histogram of all atoms. 0,
 * or -1 with e: a name that is not in sys.species, no sys.species, a pair twice, out of memory.
 * Close it in every case.
 */
int pair_names_open(struct pair_names *s, const struct meta *m, size_t natoms,
                    const char *const *wanted, size_t n, struct err *e);
void pair_names_close(struct pair_names *s);

/* Pairs of atoms of pair q a step; lecture: N²/2 instead of N(N-1)/2 for like ones. */
double pair_names_pairs(const struct pair_names *s, size_t q, bool lecture);

#ifdef __cplusplus
}
#endif
#endif
