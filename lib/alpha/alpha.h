/* SPDX-License-Identifier: MIT */
/* alpha.h: computes the collective polarizability of polarizable sites, one time step at a time.
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
 * alpha_i. For a finite order n, each term of Pi is a scalar product of two vectors, which are E
 * multiplied by powers, up to n/2, of the matrix s T s. The residual of the iteration changes Pi
 * only in second order.
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
 * in the sample. The last expression for M_a holds because T is symmetric. The vector nu_i^a, a
 * result of the computation of Pi, is the dipole of site i in a unit field along axis a. The
 * contribution of order k to M contains k factors of alpha. The residual of the iteration changes M
 * in first order.
 *
 * Lengths are in Å, polarizabilities in Å³ and charges in e. Tensors are stored as xx xy xz yy yz
 * zz. A program is linked with either alpha_cpu.c or alpha_gpu.cu. CPU and GPU results agree to
 * within the tolerance, and both are reproducible bit for bit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

C_LINKAGE_BEGIN

#define ALPHA_TENSOR 6
#define ALPHA_MOMENTS 10   /* charge, dipole x y z, quadrupole xx xy xz yy yz zz */
#define ALPHA_ALL 0        /* all orders, self-consistently */
#define ALPHA_ORDER_MAX 16 /* largest finite order */
#define ALPHA_COLUMNS ((ALPHA_ORDER_MAX + 1) * ALPHA_TENSOR)
#define ALPHA_TOLERANCE 1e-10
#define ALPHA_DIPOLE_TOLERANCE 1e-6 /* default, for M */

enum alpha_thole { ALPHA_BARE, ALPHA_EXP, ALPHA_CUBIC };

/* Method of the lattice sum of the fields (alpha_split.h). ALPHA_PAIRS sums over all pairs and over
 * wave vectors, to the accuracy ALPHA_SPLIT_EXACT. ALPHA_MESH sums over short-range pairs and uses
 * a mesh for the long-range part. ALPHA_MAY selects ALPHA_PAIRS or ALPHA_MESH by the number of
 * sites. */
enum alpha_sum { ALPHA_MAY, ALPHA_PAIRS, ALPHA_MESH };
#define ALPHA_PAIRS_MAX 2000 /* largest number of sites without a mesh */

struct alpha_params {
    size_t nsites;      /* at least 1 */
    bool periodic;      /* Either all axes are periodic, or no axis is. */
    int order;          /* highest order, from 1 to ALPHA_ORDER_MAX, or ALPHA_ALL */
    bool parts;         /* Pi is computed separately for each order. */
    enum alpha_sum sum; /* method, used only if `periodic` is set */
    double reach;       /* cut-off of the short-range pairs in Å, or 0 to choose it */
    double error;       /* 0: ALPHA_MESH_ERROR */
    struct box box;     /* a typical cell of the run */
    enum alpha_thole thole;
    double a;         /* >= 0.3 */
    double tolerance; /* largest relative error of Pi for ALPHA_ALL */
    int threads;
    size_t max_mem; /* limit in bytes, on host or device, or 0 for no limit */
    /* With `dipole`, M replaces Pi, and `tolerance` is the largest relative error of M. */
    bool dipole;
    size_t npermanent;
    const uint32_t (*own)[2]; /* Range [first, end) of the permanent sites of each site's
                               * molecule. */
    const char *devices;      /* GPUs, such as NULL, "0", "all" or "0,2"; ignored on a CPU */
};

/* Returns the number of tensors Pi, or of vectors M, per time step. Without `parts`, there is one
 * tensor Pi. With `parts`, there is one tensor Pi per order, or three for ALPHA_ALL: order 0, order
 * 1 and all higher orders together. M always has one vector per order from 1 on, or two for
 * ALPHA_ALL: order 1 and all higher orders together. */
int alpha_parts(const struct alpha_params *p);
static inline size_t alpha_columns(const struct alpha_params *p)
{
    return (size_t)alpha_parts(p) * (p->dipole ? 3 : ALPHA_TENSOR);
}

/* A site with a charge in e, a dipole in e Å and a quadrupole in e Å². The quadrupole is traceless,
 * and its zz component is the sum of q (3 z² - r²)/2. */
struct alpha_permanent {
    double at[3], moment[ALPHA_MOMENTS];
    double size; /* cube root of the polarizability at this site, for damping */
};

/* A batch of n time steps with the cells box[n], the positions pos[n][nsites][3] in Å, and the
 * tensors s[n][nsites][6] in Å^1.5, where s² = alpha. The first time step has the index `frame`. */
struct alpha_steps {
    size_t n;
    const struct box *box;
    const double *pos, *s;
    const struct alpha_permanent *permanent; /* [n][npermanent] */
    uint64_t frame;
};

struct alpha;
/* Returns NULL and sets *e with the status ERR_MEMORY if more than max_mem is needed, or
 * ERR_MACHINE if the GPU fails. */
struct alpha *alpha_open(const struct alpha_params *p, struct err *e);
/* Computes Pi as out[n][parts][6] in Å³, or M as out[n][parts][3] in e Å. The bits of the result
 * depend neither on the number of threads nor on the grouping of time steps. Returns 0, or -1 and
 * sets *e if two sites coincide or the periodic axes differ from the parameters. Also returns -1 in
 * a polarization catastrophe, when alpha⁻¹ - T is not positive definite, and names the time step
 * and its closest pair. */
int alpha_add(struct alpha *a, const struct alpha_steps *s, double *out, struct err *e) MUST_USE;
/* Returns the number of time steps that alpha_add needs at once to keep the CPU or GPU busy. */
size_t alpha_at_once(const struct alpha *a);
void alpha_close(struct alpha *a); /* NULL is allowed */

/* Returns a text for -v that describes the summation method and its memory. */
const char *alpha_summary(const struct alpha *a);

C_LINKAGE_END
