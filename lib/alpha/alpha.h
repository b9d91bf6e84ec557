/* SPDX-License-Identifier: MIT */
/* alpha.h: computes the collective polarizability of polarizable sites, one step at a time.
 *
 * The polarizability tensor alpha_i of site i is symmetric. Site i has the dipole
 *     mu_i = alpha_i (E + sum_j T_ij mu_j), with the dipole tensor
 *     T_ab(r) = d_a d_b (1/r) = (3 r_a r_b - r² delta_ab) / r⁵.
 * In a periodic cell, T is summed over all images, including the images of the site itself, with
 * conducting boundary conditions (ewald.h). The neutralising background adds 4 pi/3V to the
 * diagonal of T. The collective polarizability is
 *     Pi = sum_i d mu_i / dE = 1^T (alpha⁻¹ - T)⁻¹ 1
 *        = sum_i alpha_i + sum_ij alpha_i T_ij alpha_j + ...
 * For all orders, conjugate gradients solve (1 - s T s) nu = s E, where mu = s nu and s_i² =
 * alpha_i. For a finite order n, each term of Pi is a scalar product of two vectors. The two
 * vectors are E multiplied by powers, up to n/2, of the matrix s T s. The residual that remains
 * after the iteration affects Pi only in second order.
 *
 * Thole damping multiplies the two terms of T by functions of u = r/(a_i a_j)^(1/6), where a is a
 * third of the trace of alpha. The damped tensor is
 *     T = l5 3 r_a r_b/r⁵ - l3 delta_ab/r³.
 * The variant `exp` of the damping uses x = A u and
 *     l3 = 1 - (1 + x + x²/2) e⁻ˣ and l5 = l3 - x³/6 e⁻ˣ.
 * The variant `cubic` of the damping uses x = A u³ and
 *     l3 = 1 - e⁻ˣ and l5 = l3 - x e⁻ˣ.
 * Published values of the parameter A are 2.1304 for `exp`, and 0.39 or 0.572 for `cubic`. For the
 * damping, see Thole, Chem Phys 59 (1981) 341, van Duijnen and Swart, J Phys Chem A 102 (1998)
 * 2399, and Ren and Ponder, J Phys Chem B 107 (2003) 5933. The damping applies to every image of a
 * pair.
 *
 * Permanent charges, dipoles and quadrupoles produce the field F at the polarizable sites. The
 * field F induces the dipole moment
 *     M_a = sum_i (mu_i)_a = sum_i F_i . nu_i^a
 * in the sample. The second equality holds because T is symmetric. The vector nu_i^a is the dipole
 * of site i in a unit field along axis a, which the computation of Pi yields. The contribution of
 * order k to M contains k factors of alpha. The residual that remains affects M in first order.
 *
 * Lengths are in Å, polarizabilities in Å³ and charges in e. Tensors are stored as xx xy xz yy yz
 * zz. Both alpha_cpu.c and alpha_gpu.cu implement these functions, and a program is linked with one
 * of them. The two engines agree to within the tolerance, and the results of each engine are
 * reproducible bit for bit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

C_LINKAGE_BEGIN

#define ALPHA_TENSOR 6
#define ALPHA_MOMENTS                                                                              \
    10                     /* ten moments of a site: charge, dipole x y z, quadrupole xx xy xz yy yz
                            * zz */
#define ALPHA_ALL 0        /* order: self-consistent */
#define ALPHA_ORDER_MAX 16 /* largest finite order */
#define ALPHA_COLUMNS ((ALPHA_ORDER_MAX + 1) * ALPHA_TENSOR)
#define ALPHA_TOLERANCE 1e-10
#define ALPHA_DIPOLE_TOLERANCE 1e-6 /* of M */

enum alpha_thole { ALPHA_BARE, ALPHA_EXP, ALPHA_CUBIC };

/* Method of summing the fields of all images (alpha_split.h). ALPHA_PAIRS sums over all pairs and
 * over wave vectors, to the accuracy ALPHA_SPLIT_EXACT. ALPHA_MESH sums over short-range pairs and
 * uses a mesh for the rest. ALPHA_MAY selects one of the other methods by the number of sites. */
enum alpha_sum { ALPHA_MAY, ALPHA_PAIRS, ALPHA_MESH };
#define ALPHA_PAIRS_MAX 2000 /* largest number of sites for which no mesh is used */

struct alpha_params {
    size_t nsites;      /* at least 1 */
    bool periodic;      /* whether all axes are periodic; if this is false, no axis is periodic */
    int order;          /* highest order: a number from 1 to ALPHA_ORDER_MAX, or ALPHA_ALL */
    bool parts;         /* whether to compute Pi separately for each order */
    enum alpha_sum sum; /* method of summation, used only if `periodic` is set */
    double reach;       /* cut-off of the short-range pairs in Å, or 0 to choose the cut-off
                         * automatically */
    double error;       /* 0: ALPHA_MESH_ERROR */
    struct box box;     /* a typical cell of the run */
    enum alpha_thole thole;
    double a;         /* >= 0.3 */
    double tolerance; /* largest relative error of Pi for ALPHA_ALL */
    int threads;
    size_t max_mem; /* limit of the memory in bytes, on host or device, or 0 for no limit */
    /* If `dipole` is set, the output is M instead of Pi, and `tolerance` is the largest relative
     * error of M. */
    bool dipole;
    size_t npermanent;
    const uint32_t (*own)[2]; /* for each site, the range [first, end) of the permanent sites of its
                               * molecule */
    const char *devices;      /* GPUs to use, as in gpu.h, such as NULL, "0", "all" or "0,2".
                               * Ignored on a CPU. */
};

/* Returns the number of tensors Pi per step, which is 1 or, with parts, the number of parts. With
 * ALPHA_ALL, there are three parts: order 0, order 1 and all higher orders together. If the output
 * is M, returns the number of vectors: one for each order from 1 on. With ALPHA_ALL and output M,
 * there are two vectors: one for order 1 and one for all higher orders. */
int alpha_parts(const struct alpha_params *p);
/* Returns the number of output values per step. */
static inline size_t alpha_columns(const struct alpha_params *p)
{
    return (size_t)alpha_parts(p) * (p->dipole ? 3 : ALPHA_TENSOR);
}

/* A site with a charge in e, a dipole in e Å and a quadrupole in e Å². The quadrupole is traceless,
 * and its component zz is the sum of q (3 z² - r²)/2. */
struct alpha_permanent {
    double at[3], moment[ALPHA_MOMENTS];
    double size; /* cube root of the polarizability at this site, for the damping */
};

/* A batch of n steps with cells box[n]: positions pos[n][nsites][3] in Å, and tensors
 * s[n][nsites][6] in Å^1.5 with s² = alpha. The first step of the batch has the index `frame`. */
struct alpha_steps {
    size_t n;
    const struct box *box;
    const double *pos, *s;
    const struct alpha_permanent *permanent; /* [n][npermanent] */
    uint64_t frame;
};

struct alpha;
/* Returns NULL with the status ERR_MEMORY in e if more than max_mem is needed, or ERR_MACHINE if
 * the device fails. */
struct alpha *alpha_open(const struct alpha_params *p, struct err *e);
/* Computes Pi as out[n][parts][6] in Å³, or M as out[n][parts][3] in e Å. The bits of the result
 * are independent of the number of threads or the grouping of steps. Returns 0 on success, or -1
 * with an error message in e if two sites coincide or the periodic axes differ from the parameters.
 * The function also fails in a polarization catastrophe, when alpha⁻¹ - T is not positive definite.
 * The error message of a polarization catastrophe names the step and its closest pair. */
int alpha_add(struct alpha *a, const struct alpha_steps *s, double *out, struct err *e) MUST_USE;
/* Returns the number of steps that one call of alpha_add needs to keep the engine busy. */
size_t alpha_at_once(const struct alpha *a);
void alpha_close(struct alpha *a); /* NULL is allowed */

/* Returns a text for -v that describes the method of summation and its memory. */
const char *alpha_summary(const struct alpha *a);

C_LINKAGE_END
