/* SPDX-License-Identifier: MIT */
/*
 * alpha.h: the collective polarizability of polarizable sites, one step at a time.
 *
 * Site i has a symmetric tensor alpha_i and the dipole mu_i = alpha_i (E + sum_j T_ij mu_j), with
 *     T_ab(r) = d_a d_b (1/r) = (3 r_a r_b - r² delta_ab) / r⁵
 * summed over all images in a periodic cell, tin foil around infinity, those of the site itself
 * included (ewald.h, with the background's 4 pi/3V on the diagonal). Then
 *     Pi = sum_i d mu_i / dE = 1^T (alpha⁻¹ - T)⁻¹ 1
 *        = sum_i alpha_i + sum_ij alpha_i T_ij alpha_j + ...
 * is solved by conjugate gradients for nu in (1 - s T s) nu = s E, mu = s nu, s_i² = alpha_i, or taken
 * to an order n, whose terms are scalar products of powers up to n/2. What is left of the residual
 * enters Pi squared: the bilinear form of two solutions with their residuals.
 *
 * Thole's damping (B. T. Thole, Chem. Phys. 59 (1981) 341): with u = r/(a_i a_j)^(1/6), a = Tr alpha/3,
 * T = l5 3 r_a r_b/r⁵ - l3 delta_ab/r³ and
 *     exp:   l3 = 1 - (1 + x + x²/2) e⁻ˣ, l5 = l3 - x³/6 e⁻ˣ, x = A u (A 2.1304: P. T. van Duijnen,
 *            M. Swart, J. Phys. Chem. A 102 (1998) 2399)
 *     cubic: l3 = 1 - e⁻ˣ, l5 = l3 - x e⁻ˣ, x = A u³ (A 0.39: P. Ren, J. W. Ponder, J. Phys. Chem. B
 *            107 (2003) 5933; also 0.572)
 * A damped pair is damped in every image.
 *
 * Å, Å³, tensors as xx xy xz yy yz zz. Both alpha_cpu.c and alpha_gpu.cu implement these functions; a
 * program links one of them. They agree to the tolerance, each with the same bits every time.
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
#define ALPHA_ORDER_MOST 16 /* else */
#define ALPHA_COLUMNS ((ALPHA_ORDER_MOST + 1) * ALPHA_TENSOR)
#define ALPHA_TOLERANCE 1e-10

enum alpha_thole { ALPHA_BARE, ALPHA_EXP, ALPHA_CUBIC };

/* How fields of all images are summed (alpha_split.h): all pairs and wave by wave, to
 * ALPHA_SPLIT_EXACT; or pairs near by and a mesh. MAY: by the number of sites. */
enum alpha_sum { ALPHA_MAY, ALPHA_PAIRS, ALPHA_MESH };
#define ALPHA_PAIRS_MOST 2000 /* MAY: sites that do without a mesh */

struct alpha_params {
    size_t nsites;      /* at least 1 */
    bool periodic;      /* along all three axes; else along none */
    int order;          /* ALPHA_ALL, or 1 to ALPHA_ORDER_MOST: terms up to it */
    bool parts;         /* Pi of the order 0 (permanent), 1, ...; ALL: 0, 1 and what is beyond */
    enum alpha_sum sum; /* ignored where the cell is not periodic: pairs */
    double reach; /* MESH: of pairs near by, Å; 0: ALPHA_MESH_NEAR sites to reach³, by each cell */
    double error;   /* MESH: as alpha_split.h has it; 0: ALPHA_MESH_ERROR */
    struct box box; /* a cell as those to come, for the estimate of memory */
    enum alpha_thole thole;
    double a;         /* of it; below 0.3 it reaches over too many images */
    double tolerance; /* ALL: of Pi, relative */
    int threads;
    size_t max_mem;      /* bytes, host or device; 0: no limit */
    const char *devices; /* GPU: NULL, "0", "all", "0,2"; CPU: ignored */
};

/* Tensors of a step's answer, one behind another: 1, or the parts. */
int alpha_parts(const struct alpha_params *p);

/* n steps: sites [n][nsites][3] Å, in cells box[n]; s [n][nsites][6], s² = alpha, Å^1.5.
 * frame: number of the first step, for messages. */
struct alpha_steps {
    size_t n;
    const struct box *box;
    const double *pos, *s;
    uint64_t frame;
};

/* What the engine is, for -v and --version. Static. */
const char *alpha_engine_name(void);
/* Is there a machine to run on? 0, or -1 with one clear message. Touches no input. */
int alpha_probe(const char *devices, struct err *e) __attribute__((warn_unused_result));

struct alpha;
/* NULL with e: ERR_MEMORY, more than max_mem; ERR_MACHINE (device). */
struct alpha *alpha_open(const struct alpha_params *p, struct err *e);
/*
 * out[n][parts][6], Å³: the same bits for any number of threads and whatever steps come together. 0,
 * or -1 with e: two sites at one place, a cell that is not periodic as params say, a polarization
 * catastrophe (alpha⁻¹ - T is not positive: names step and the nearest pair).
 */
int alpha_add(struct alpha *a, const struct alpha_steps *s, double *out, struct err *e)
    __attribute__((warn_unused_result));
/* So many steps together keep the engine busy. */
size_t alpha_at_once(const struct alpha *a);
void alpha_close(struct alpha *a); /* NULL is allowed */

/* How sums are done and what that takes, for `-v`. */
const char *alpha_said(const struct alpha *a);

#ifdef __cplusplus
}
#endif
#endif
