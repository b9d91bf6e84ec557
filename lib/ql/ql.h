/* SPDX-License-Identifier: MIT */
/* ql.h: computes bond-order parameters, which describe the directions of bonds to neighbours.
 *
 * Atom i has n_i bonds to its neighbours j, with directions r_ij. For each order l, the mean of the
 * spherical harmonics Y_lm over the bonds is
 *     q_lm(i) = (1/n_i) sum_j Y_lm(r_ij).
 * The second-order invariant is
 *     q_l = sqrt(4 pi/(2l+1) sum_m |q_lm|²).
 * The third-order invariant w_l is the sum of
 *     (l l l; m1 m2 m3) q_lm1 q_lm2 q_lm3 / (sum_m |q_lm|²)^(3/2)
 * over m1+m2+m3=0, with Wigner 3j symbols. Rotations do not change q_l and w_l. For odd l, w_l is
 * 0. The averaged form replaces q_lm(i) by (q_lm(i) + sum_j q_lm(j)) / (n_i + 1). For the
 * definitions, see Steinhardt, Nelson and Ronchetti, Phys Rev B 28 (1983) 784. For the averaged
 * form, see Lechner and Dellago, J Chem Phys 129 (2008) 114707.
 *
 * An atom without neighbours has q_l = w_l = 0 and does not contribute to the means over atoms. A
 * q_l below QL_ZERO consists only of rounding errors, and w_l is then set to 0. */
#pragma once

#include "base/hd.h"
#include "stats/analysis.h"

C_LINKAGE_BEGIN

#define QL_MIN 2
#define QL_MAX 12
#define QL_ORDERS (QL_MAX - QL_MIN + 1)
#define QL_VALUES (QL_ORDERS * (QL_MIN + QL_MAX + 2)) /* 2 (l + 1) for each l */
#define QL_ZERO 1e-12

struct ql_choice {
    size_t n;            /* at least 1 */
    double l[QL_ORDERS]; /* ascending, QL_MIN..QL_MAX */
    double rmax;         /* Å; NaN: use `nearest` */
    uint64_t nearest;    /* or 0 to use `rmax` */
    bool averaged, w;    /* averaged form; also w_l */
};

extern const struct analysis ql_analysis;

/* Returns the Wigner 3j symbol (l l l; m1 m2 -m1-m2) for 0 <= l <= QL_MAX and |m| <= l. In this
 * case, the sum in Racah's formula is an exact integer, sum_t (-1)^t C(l,t) C(l,t+m1) C(l,t-m2). */
double ql_wigner(int l, int m1, int m2);

/* Tables of coefficients for the orders l of a run. The recurrences for U_lm = sqrt(4 pi/(2l+1))
 * Y_lm of the unit vector (x, y, z) begin with U_00 = 1. For m > 0, U_mm = c_m (x + iy) U_m-1,m-1
 * with c_m = -sqrt((2m-1)/2m). For l > m >= 0, U_lm = a_lm z U_l-1,m - b_lm U_l-2,m with a_lm =
 * (2l-1)/sqrt(l²-m²) and b_lm = sqrt(((l-1)²-m²)/(l²-m²)). */
struct ql_tables {
    /* Each atom has `values` numbers: first all real parts, then all imaginary parts. */
    size_t n, values;
    int l[QL_ORDERS];
    int at[QL_MAX + 1]; /* of U_l0..U_ll, or -1 */
    double a[QL_MAX + 1][QL_MAX + 1], b[QL_MAX + 1][QL_MAX + 1], c[QL_MAX + 1]; /* [l][m], [m] */
    double wigner[QL_ORDERS][2 * QL_MAX + 1][2 * QL_MAX + 1]; /* [order][l + m1][l + m2] */
};
void ql_tables_init(struct ql_tables *t, const struct ql_choice *c);

/* Adds U_lm of the vector d, which must not be 0, to sum[values]. */
HD void ql_bond(const struct ql_tables *t, const double d[3], double *sum)
{
    double p[QL_MAX + 1], last[QL_MAX + 1]; /* U_lm/U_mm, U_l-1,m/U_mm */
    double re[QL_MAX + 1] = {1.0}, im[QL_MAX + 1] = {0.0}, *imag = sum + t->values / 2; /* U_mm */
    double each = 1.0 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double x = each * d[0], y = each * d[1], z = each * d[2];
    for (int l = 0, top = t->l[t->n - 1]; l <= top; l++) {
        if (l > 0) {
            re[l] = t->c[l] * (re[l - 1] * x - im[l - 1] * y);
            im[l] = t->c[l] * (re[l - 1] * y + im[l - 1] * x);
        }
        for (int m = 0; m < l; m++) {
            double next = t->a[l][m] * z * p[m] - t->b[l][m] * last[m];
            last[m] = p[m];
            p[m] = next;
        }
        last[l] = 0.0;
        p[l] = 1.0;
        for (int m = 0; t->at[l] >= 0 && m <= l; m++) {
            sum[t->at[l] + m] += p[m] * re[m];
            imag[t->at[l] + m] += p[m] * im[m];
        }
    }
}

/* Computes q[n] and, unless w is NULL, w[n] from the mean of U_lm of an atom, mean[values]. */
HD void ql_invariants(const struct ql_tables *t, const double *mean, double *q, double *w)
{
    for (size_t k = 0; k < t->n; k++) {
        int l = t->l[k];
        const double *re = mean + t->at[l], *im = re + t->values / 2;
        double u[2 * QL_MAX + 1][2], square = 0.0, cube = 0.0; /* u[l + m] = U_lm */
        for (int m = 0; m <= l; m++) {                         /* negative m by symmetry */
            u[l - m][0] = m % 2 ? -re[m] : re[m];
            u[l - m][1] = m % 2 ? im[m] : -im[m];
            u[l + m][0] = re[m];
            u[l + m][1] = im[m];
            square += (m ? 2.0 : 1.0) * (re[m] * re[m] + im[m] * im[m]);
        }
        for (int i = 0; w && l % 2 == 0 && i <= 2 * l; i++)
            for (int j = i < l ? l - i : 0; j <= 2 * l && i + j <= 3 * l; j++) {
                const double *a = u[i], *b = u[j], *c = u[3 * l - i - j];
                cube += t->wigner[k][i][j] *
                        (c[0] * (a[0] * b[0] - a[1] * b[1]) - c[1] * (a[0] * b[1] + a[1] * b[0]));
            }
        q[k] = sqrt(square);
        if (w)
            w[k] = q[k] > QL_ZERO ? cube / (q[k] * square) : 0.0;
    }
}

/* The engines in ql_cpu.c and ql_gpu.cu give the same results bit for bit. */

struct ql;

/* Opens an engine with copies of the arguments. On failure, returns NULL and sets e to ERR_MEMORY
 * if memory runs out or the engine exceeds the memory limit. For all other failures, e is
 * ERR_MACHINE. */
struct ql *ql_open(const struct ql_choice *c, const struct ql_tables *t, size_t natoms,
                   const struct analysis_options *shared, struct err *e);
/* Sets *r to memory for the positions [steps][natoms][3] in Å of a batch of steps, and *value to
 * memory for one row of values per atom, [steps][natoms][]: the number of its neighbours, then q_l
 * and, if requested, w_l for the n orders l. Returns the largest number of steps in a batch. */
size_t ql_room(struct ql *s, double **r, double **value);
/* Begins a batch of n steps in the cells b[n], with the positions at *r, which may then be
 * replaced. Returns n, or the number of steps before a step whose cutoff near_sort refuses, and
 * sets e. On other failures, returns 0 and sets e. */
size_t ql_sort(struct ql *s, size_t n, const struct box *b, struct err *e);
/* Ends the batch: waits for a GPU, and replaces the values of the previous batch. Returns the
 * number of steps that were sorted, or the number of steps before a step for which near_each fails
 * or with two atoms at the same position, and sets e. */
size_t ql_values(struct ql *s, struct err *e);
void ql_close(struct ql *s); /* s may be NULL */

/* Reports in e (ERR_BAD) that atoms i and j are at the same position, and returns -1. */
static inline int ql_same_position(size_t i, size_t j, struct err *e)
{
    return err_bad(
        e, "expected atoms at different positions, found atoms %zu and %zu at the same position", i,
        j);
}

C_LINKAGE_END
