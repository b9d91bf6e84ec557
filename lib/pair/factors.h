/* SPDX-License-Identifier: MIT */
/*
 * factors.h: what beta of a pair is multiplied by: the weights of both atoms, or 0 where the pair is
 * not selected. identity.h holds for any of them.
 *
 * The images of an atom itself (ewald.h) act on it by w_i² Q_self, which is shared out among its
 * pairs, so that pairs remain all there is: pair ij of atoms of weights other than 0 takes
 * (a_i + a_j) Q_self, where sum_j (a_i + a_j) = w_i² for every i, n of them:
 *     a_i = (w_i² - a)/(n - 2),  a = sum_i a_i = sum_i w_i²/(2 (n - 1)).
 * Equal weights w take w²/(n - 1), as ewald_fit has it by itself; two atoms have one pair, whose
 * share can be right in the sum over the atoms alone: a_i = w_i²/2. A pair that is not selected is
 * left out with all its images and its share.
 *
 * A mesh (mesh.h) has the field of all atoms at once. Atom i is in a group, of all that count with the
 * same species: there charge_j is w_j, or 0 of a species that does not count, and
 *     A_i = w_i (field of the charges at i) - w_i charge_i self + s_i Q_self,
 * self what the mesh has an atom do to itself, s_i = sum_j (a_i + a_j) over the pairs that count (w_i²
 * where all do). The listed pairs are then taken off one by one.
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

/* As given on the command line. */
struct factors_choice {
    struct weights weights;
    struct pair_wanted pairs;               /* "A-B": pairs of these species alone */
    const char *exclude, *within, *between; /* pair_list.h; at most one; NULL: not given */
};

enum factors_listed { FACTORS_ALL, FACTORS_BUT, FACTORS_ONLY }; /* all, all but the listed, those */

struct factors {
    size_t natoms;
    double *w;   /* [natoms] */
    double *own; /* [natoms] a_i; NULL: equal weights, whose shares are w_i w_j/(natoms - 1) */
    unsigned char *kind;  /* [natoms] species; NULL: all pairs of species count */
    unsigned char *count; /* [kinds][kinds]: do pairs of these species? */
    size_t kinds;
    enum factors_listed listed;
    size_t groups;        /* for a mesh; 0: it is never for these (FACTORS_ONLY) */
    unsigned char *group; /* [natoms]; groups: no pair of the atom counts */
    double *charge;       /* [groups][natoms] */
    double *less;         /* [natoms] w_i charge_i - s_i: exactly 0 where all pairs count */
    double *square;       /* [natoms] sum of squared factors of an atom, itself one of its partners,
                             listed ones, too */
    size_t *begin;        /* [natoms + 1]: the listed partners of an atom, ascending */
    uint32_t *partner;    /* [begin[natoms]] */
    bool selects;         /* some pairs are left out */
    struct meta *said;    /* keys data.weights, data.pairs, data.excluded, data.within */
};

/* M or FILE of the molecules; NULL: not given. */
const char *factors_list(const struct factors_choice *c);
/* Is any of the options given? Its name, or NULL. */
const char *factors_given(const struct factors_choice *c);
/*
 * For the atoms of m. NULL with e: species or files that are not there, options that say the same,
 * a selection of no pair. max_mem: bytes.
 */
struct factors *factors_open(const struct factors_choice *c, const struct meta *m, size_t natoms,
                             size_t max_mem, struct err *e);
void factors_free(struct factors *f); /* NULL is allowed */

/*
 * w_i w_j, or 0 where the pair does not count; i == j does not. own: what of Q_self comes on top of
 * the share that every pair has: a_i + a_j - w_i w_j/(natoms - 1). f may lie on a device.
 */
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

/* Mean over the natoms atoms of square; f NULL: natoms, since that is 1 for every pair. */
double factors_crowd(const struct factors *f, size_t natoms);
/* At most `most` atoms, from the first to the last by even parts of square; how many. */
size_t factors_sample(const struct factors *f, size_t natoms, size_t most, size_t *atom);

/* factors_at of j0 <= j < j0 + n, at most natoms; own: NULL: not wanted. */
void factors_row(const struct factors *f, size_t i, size_t j0, size_t n, double *factor,
                 double *own);

#ifdef __cplusplus
}
#endif
#endif
