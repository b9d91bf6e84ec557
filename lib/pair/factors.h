/* SPDX-License-Identifier: MIT */
/* factors.h: defines the factor by which beta of each pair is multiplied. The factor of a pair is
 * the product of the weights of both atoms, or 0 if the pair is not selected. The equations of
 * identity.h hold for any factors of the pairs.
 *
 * The interaction of an atom with its own images (ewald.h) is w_i² Q_self. Each pair of the atom is
 * assigned a part of the interaction, so that sums over pairs are complete. A pair ij of two atoms
 * with nonzero weights is assigned (a_i + a_j) Q_self, with sum_j (a_i + a_j) = w_i² for every i.
 * For n atoms with nonzero weights,
 *     a_i = (w_i² - a)/(n - 2),  where a = sum_i a_i = sum_i w_i²/(2 (n - 1)).
 * If all weights are w, a pair is assigned w²/(n - 1) times Q_self, which ewald_fit already
 * includes. If only two atoms have nonzero weights, a_i is w_i²/2, and only the sum over the two
 * atoms is correct. If a pair is not selected, all its images and its part of Q_self are omitted.
 *
 * A mesh (split.h) computes the field of all atoms at once. Atoms that interact with the same
 * species form a group. In the field of a group, charge_j is w_j, or 0 if the species of atom j
 * does not interact with the group. The sum is
 *     A_i = w_i (field of the charges at i) - w_i charge_i self + s_i Q_self.
 * The term `self` is the interaction of an atom with itself on the mesh, and s_i is the sum of a_i
 * + a_j over the selected pairs. If all pairs are selected, s_i is w_i². Finally, the listed pairs
 * are subtracted one by one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hd.h"
#include "pair/pair_function.h"
#include "select/weights.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

/* from the command line */
struct factors_choice {
    struct weights weights;
    struct pair_wanted pairs;               /* "A-B" */
    const char *exclude, *within, *between; /* at most one is given */
};

/* selected pairs: all, all except the listed, only the listed */
enum factors_listed { FACTORS_ALL, FACTORS_BUT, FACTORS_ONLY };

struct factors {
    size_t natoms;
    double *w;            /* [natoms] */
    double *own;          /* a_i; NULL if all weights are equal */
    unsigned char *kind;  /* species [natoms]; NULL: all atoms count */
    unsigned char *count; /* [kinds][kinds] flags */
    size_t kinds;
    enum factors_listed listed;
    size_t groups;        /* 0: a mesh is not possible */
    unsigned char *group; /* [natoms]; `groups` if no pair is selected */
    double *charge;       /* [groups][natoms] */
    double *less;         /* w_i charge_i - s_i */
    /* For each atom, `square` sums squared factors, with the atom itself and listed partners. */
    double *square;
    /* The partners of atom i are, ascending, partner[begin[i]] to partner[begin[i + 1] - 1]. */
    size_t *begin;
    uint32_t *partner;  /* [begin[natoms]] */
    bool selects;       /* pairs are excluded */
    bool ones;          /* all factors are 1 */
    struct meta *given; /* META: data.weights... */
    /* The pair function replaces beta, or is added to beta, before the factor is applied. The
     * function is set by pairs_select, and freed by pairs_close. */
    struct pair_function function;
};

/* Returns the argument M or FILE that defines the molecules, or NULL if there is none. */
const char *factors_list(const struct factors_choice *c);
/* Returns the name of an option of struct factors_choice that was given, or NULL. */
const char *factors_given(const struct factors_choice *c);
/* Creates the factors for the natoms atoms that the META m describes, with at most max_mem bytes of
 * memory. If a species or file does not exist, options conflict, or no pair is selected, returns
 * NULL with an error message in e. */
struct factors *factors_open(const struct factors_choice *c, const struct meta *m, size_t natoms,
                             size_t max_mem, struct err *e);
void factors_free(struct factors *f); /* f may be NULL */

/* Returns w_i w_j, or 0 if the pair is not selected or i equals j. Also sets *own to a_i + a_j -
 * w_i w_j/(natoms - 1), and the caller must add *own times Q_self to beta_ij. The struct f may be
 * in the memory of a device. */
HD double factors_at(const struct factors *f, size_t i, size_t j, double *own)
{
    double v = f->w[i] * f->w[j];
    if (i == j || (f->kind && !f->count[f->kind[i] * f->kinds + f->kind[j]]))
        v = 0.0;
    if (f->listed) {
        size_t low = f->begin[i], high = f->begin[i + 1], end = high;
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            if (f->partner[mid] < j)
                low = mid + 1;
            else
                high = mid;
        }
        bool is = low < end && f->partner[low] == j;
        if (is != (f->listed == FACTORS_ONLY))
            v = 0.0;
    }
    *own = f->own && v != 0.0 ? f->own[i] + f->own[j] - v / ((double)f->natoms - 1.0) : 0.0;
    return v;
}

/* Returns the mean of f->square over all atoms, or natoms if f is NULL and every factor is 1. */
double factors_sum_of_squares(const struct factors *f, size_t natoms);
/* Selects at most `max` atoms, including the first and the last atom, at equal intervals of the
 * cumulative sum of f->square. Returns the number of selected atoms. */
size_t factors_sample(const struct factors *f, size_t natoms, size_t max, size_t *atom);

/* Calls factors_at for all atoms j with j0 <= j < j0 + n. The array `own` may be NULL. */
void factors_row(const struct factors *f, size_t i, size_t j0, size_t n, double *factor,
                 double *own);

C_LINKAGE_END
