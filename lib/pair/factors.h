/* SPDX-License-Identifier: MIT */
/*
 * factors.h: the factor of each pair's beta: the product of the weights of both atoms, or 0 if the
 * pair is not selected. The identity of identity.h holds for any factors.
 *
 * An atom interacts with its own images (ewald.h) by w_i² Q_self. This is divided among its pairs,
 * so that sums over pairs remain complete. Pair ij of two atoms of nonzero weight is assigned (a_i
 * + a_j) Q_self, with sum_j (a_i + a_j) = w_i² for every i. For n such atoms this gives
 *     a_i = (w_i² - a)/(n - 2),  a = sum_i a_i = sum_i w_i²/(2 (n - 1)).
 * With equal weights w a pair has w²/(n - 1), as ewald_fit includes already. Two atoms have only
 * one pair, and only the sum over both atoms can be right: a_i = w_i²/2. A pair that is not
 * selected is omitted with all its images and its part of Q_self.
 *
 * A mesh (mesh.h) computes the field of all atoms at once. Atoms that interact with the same
 * species form a group. In the group of atom i, charge_j is w_j, or 0 for the species that do not
 * interact with it, and
 *     A_i = w_i (field of the charges at i) - w_i charge_i self + s_i Q_self,
 * where self is the interaction of an atom with itself on the mesh, and s_i = sum_j (a_i + a_j)
 * over the selected pairs (w_i² if all are selected). The listed pairs are then subtracted one by
 * one.
 */
#ifndef MBF_FACTORS_H
#define MBF_FACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hd.h"
#include "stats/weights.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options as given on the command line. */
struct factors_choice {
    struct weights weights;
    struct pair_wanted pairs;               /* "A-B": only pairs of these species */
    const char *exclude, *within, *between; /* for pair_list.h; at most one; NULL: not given */
};

enum factors_listed {
    FACTORS_ALL,
    FACTORS_BUT,
    FACTORS_ONLY
}; /* all, all but the listed, only those */

struct factors {
    size_t natoms;
    double *w;            /* [natoms] */
    double *own;          /* [natoms] a_i; NULL: equal weights, with parts w_i w_j/(natoms - 1) */
    unsigned char *kind;  /* [natoms] species; NULL: all pairs of species are selected */
    unsigned char *count; /* [kinds][kinds]: are pairs of these species selected? */
    size_t kinds;
    enum factors_listed listed;
    size_t groups;        /* number of groups for a mesh; 0: no mesh is possible (FACTORS_ONLY) */
    unsigned char *group; /* [natoms]; the value `groups`: no pair of the atom is selected */
    double *charge;       /* [groups][natoms] */
    double *less;         /* [natoms] w_i charge_i - s_i; exactly 0 if all pairs are selected */
    double *square;    /* [natoms] sum of squared factors, with the atom itself and listed ones */
    size_t *begin;     /* [natoms + 1] start of the listed partners of each atom, ascending */
    uint32_t *partner; /* [begin[natoms]] */
    bool selects;      /* some pairs are excluded */
    struct meta *said; /* keys data.weights, data.pairs, data.excluded, data.within */
};

/* Returns M or FILE of the molecules, or NULL if not given. */
const char *factors_list(const struct factors_choice *c);
/* Returns the name of an option that was given, or NULL. */
const char *factors_given(const struct factors_choice *c);
/* Creates the factors for the atoms of m, using at most max_mem bytes. Returns NULL and sets e if a
 * species or file does not exist, if options conflict, or if no pair is selected. */
struct factors *factors_open(const struct factors_choice *c, const struct meta *m, size_t natoms,
                             size_t max_mem, struct err *e);
void factors_free(struct factors *f); /* NULL is allowed */

/* Returns w_i w_j, or 0 if the pair is not selected or i == j. Sets *own to the part of Q_self in
 * addition to the equal part that every pair has: a_i + a_j - w_i w_j/(natoms - 1). The struct may
 * be on a device. */
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

/* Mean of square over the natoms atoms; natoms if f is NULL, because every factor is then 1. */
double factors_crowd(const struct factors *f, size_t natoms);
/* Selects at most `most` atoms, from the first to the last, at equal steps of the cumulative
 * square. Returns their number. */
size_t factors_sample(const struct factors *f, size_t natoms, size_t most, size_t *atom);

/* factors_at for j0 <= j < j0 + n, at most natoms; own may be NULL. */
void factors_row(const struct factors *f, size_t i, size_t j0, size_t n, double *factor,
                 double *own);

#ifdef __cplusplus
}
#endif
#endif
