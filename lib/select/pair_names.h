/* SPDX-License-Identifier: MIT */
/* pair_names.h: finds the species, and the pairs of species, that an analysis uses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

/* Pairs of species "A-B" from the command line. The function pair_wanted_parse appends a pair to
 * the struct pair_wanted at `dst`, and returns 0, or -1 with an error message in e. */
struct pair_wanted {
    size_t n;
    const char *name[256];
};
int pair_wanted_parse(const char *s, void *dst, struct err *e);

/* Indices of two species, or {SPECIES_EVERY, SPECIES_EVERY} for all atoms. SPECIES_NONE stands for
 * no atom. If the species a and b are equal, each pair of atoms is counted once. */
struct species_pair {
    int a, b;
};
#define SPECIES_EVERY (-1)
#define SPECIES_NONE (-2)

struct pair_names {
    unsigned char *species; /* [natoms] */
    int nspecies;
    char (*name)[16]; /* [nspecies] */
    size_t *atoms;    /* [nspecies] */
    size_t natoms;
    struct species_pair *pairs; /* [npairs] */
    size_t npairs;
    char *list; /* data.pairs */
};

/* Sets s to the pairs of species wanted[n], each "A-B", or "all" for every pair of species. If n is
 * 0, s contains a single pair for all atoms, with the name "all". Returns 0, or -1 with an error
 * message in e if sys.species is missing or lacks a name, a pair is repeated, or memory runs out.
 * Call pair_names_close afterwards, also after an error. */
int pair_names_open(struct pair_names *s, const struct meta *m, size_t natoms,
                    const char *const *wanted, size_t n, struct err *e);
void pair_names_close(struct pair_names *s);
/* Splits a text "A-B" at the dash that gives two names of species, even if the names contain
 * dashes. Returns 0, or -1 if no dash separates two species. */
int pair_names_find(const struct pair_names *s, const char *text, struct species_pair *q);

/* Returns the number of pairs of atoms for the pair of species q. For two equal species, this
 * number is N(N-1)/2, or N²/2 with the normalisation of Nakano's lecture. */
double pair_names_pairs(const struct pair_names *s, size_t q, bool lecture);

C_LINKAGE_END
