/* SPDX-License-Identifier: MIT */
/*
 * alpha.h: the collective polarizability of polarizable sites, one step at a time.
 *
 * Site i has a symmetric tensor alpha_i and the dipole mu_i = alpha_i (E + sum_j T_ij mu_j), with
 *     T_ab(r) = d_a d_b (1/r) = (3 r_a r_b - r² delta_ab) / r⁵,
 * summed over all images in a periodic cell, including those of the site itself, with conducting
 * boundary conditions (ewald.h, with 4 pi/3V of the background on the diagonal). Then
 *     Pi = sum_i d mu_i / dE = 1^T (alpha⁻¹ - T)⁻¹ 1
 *        = sum_i alpha_i + sum_ij alpha_i T_ij alpha_j + ...
 * To all orders, conjugate gradients solve (1 - s T s) nu = s E for nu, with mu = s nu and s_i² =
 * alpha_i. To order n, the terms are scalar products of powers up to n/2. The remaining residual
 * affects Pi only in second order, through the bilinear form of two solutions with their residuals.
 *
 * Thole damping (B. T. Thole, Chem. Phys. 59 (1981) 341): with u = r/(a_i a_j)^(1/6), a = Tr
 * alpha/3, T = l5 3 r_a r_b/r⁵ - l3 delta_ab/r³ and
 *     exp:   l3 = 1 - (1 + x + x²/2) e⁻ˣ, l5 = l3 - x³/6 e⁻ˣ, x = A u (A 2.1304: P. T. van Duijnen,
 *            M. Swart, J. Phys. Chem. A 102 (1998) 2399)
 *     cubic: l3 = 1 - e⁻ˣ, l5 = l3 - x e⁻ˣ, x = A u³ (A 0.39: P. Ren, J. W. Ponder, J. Phys. Chem.
 *            B 107 (2003) 5933; also 0.572)
 * A damped pair is damped in every image.
 * Units are Å and Å³; tensors are stored as xx xy xz yy yz zz. Both alpha_cpu.c and alpha_gpu.cu
 * implement these functions; a program links one of them. The results of both agree to within the
 * tolerance, and each is reproducible bit for bit.
 */
#ifndef MBF_ALPHA_H
#define MBF_ALPHA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ALPHA_TENSOR 6
#define ALPHA_ALL 0         /* order: self-consistent */
#define ALPHA_ORDER_MOST 16 /* largest other order */
#define ALPHA_COLUMNS ((ALPHA_ORDER_MOST + 1) * ALPHA_TENSOR)
#define ALPHA_TOLERANCE 1e-10

enum alpha_thole { ALPHA_BARE, ALPHA_EXP, ALPHA_CUBIC };

/* How the fields of all images are summed (alpha_split.h). ALPHA_PAIRS: all pairs, and wave by wave
 * to ALPHA_SPLIT_EXACT. ALPHA_MESH: short-range pairs and a mesh. ALPHA_MAY: depends on the number
 * of sites. */
enum alpha_sum { ALPHA_MAY, ALPHA_PAIRS, ALPHA_MESH };
#define ALPHA_PAIRS_MOST 2000 /* MAY: largest number of sites without a mesh */

struct alpha_params {
    size_t nsites; /* at least 1 */
    bool periodic; /* along all three axes; otherwise along none */
    int order;     /* ALPHA_ALL, or highest order of the terms, 1 to ALPHA_ORDER_MOST */
    bool parts; /* split Pi by order: 0 (permanent), 1, ...; with ALL: 0, 1 and all higher orders */
    enum alpha_sum sum; /* ignored in a non-periodic cell, which uses all pairs */
    double reach;   /* MESH: range of short-range pairs, Å; 0: ALPHA_MESH_NEAR sites per reach³ */
    double error;   /* MESH: error as defined in alpha_split.h; 0: ALPHA_MESH_ERROR */
    struct box box; /* a typical cell, to estimate the memory */
    enum alpha_thole thole;
    double a;         /* parameter of thole; below 0.3 the range covers too many images */
    double tolerance; /* ALL: relative error of Pi */
    int threads;
    size_t max_mem;      /* bytes, host or device; 0: no limit */
    const char *devices; /* GPU: NULL, "0", "all", "0,2"; CPU: ignored */
};

/* Number of tensors in the result of a step: 1, or the number of parts. */
int alpha_parts(const struct alpha_params *p);

/* n steps: sites [n][nsites][3] in Å in cells box[n]; s [n][nsites][6] with s² = alpha, Å^1.5. The
 * member frame is the index of the first step, for messages. */
struct alpha_steps {
    size_t n;
    const struct box *box;
    const double *pos, *s;
    uint64_t frame;
};

/* Returns the static name of the engine, for -v and --version. */
const char *alpha_engine_name(void);
/* Checks that there is a machine to run on; reads no input. Returns 0, or -1 and sets e. */
int alpha_probe(const char *devices, struct err *e) __attribute__((warn_unused_result));

struct alpha;
/* Returns NULL and sets e on failure: ERR_MEMORY (more than max_mem) or ERR_MACHINE (device). */
struct alpha *alpha_open(const struct alpha_params *p, struct err *e);
/* Computes out[n][parts][6] in Å³, with the same bits for any number of threads and any grouping of
 * steps. Returns 0, or -1 and sets e: two sites coincide, the periodic axes differ from the
 * parameters, or a polarization catastrophe (alpha⁻¹ - T is not positive; names step and closest
 * pair). */
int alpha_add(struct alpha *a, const struct alpha_steps *s, double *out, struct err *e)
    __attribute__((warn_unused_result));
/* Number of steps per call that keeps the engine busy. */
size_t alpha_at_once(const struct alpha *a);
void alpha_close(struct alpha *a); /* NULL is allowed */

/* Describes the method of summation and its memory, for `-v`. */
const char *alpha_said(const struct alpha *a);

#ifdef __cplusplus
}
#endif
#endif
