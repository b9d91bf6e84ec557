/* SPDX-License-Identifier: MIT */
/* pair_gpu_beta.cuh: computes beta of a pair on the device from positions in the engine's layout.
 *
 * Positions are stored as [atom / 4][column][atom % 4], four numbers each (x, y, z, unused), where
 * a column is a step of the chunk. Rows after the last atom and columns after the last step are
 * NaN. For such positions, r2 <= rc2 is false, so that beta is 0 without a separate test. This
 * requires a finite rc2 (cells_beta). The bits of beta are the same as in beta.h on the host. */
#pragma once

#include <cfloat>

#include "base/box.h"
#include "pair/factors.h"
#include "pair/pair.h"

/* Method for beta of a pair. It combines the form (pair.h) with FIXED, if one orthorhombic cell
 * serves all columns, or with ANY, if each column has a record (struct sum_cell). EWALD means
 * lattice sums with a record per column, in small code. WEIGHED means beta_args.form times the
 * factor of the pair. TABLE means that beta is already computed (pair_gpu_table.cu). */
#define G4_CELL(form, fixed) (2 * (form) + !(fixed))
enum g4_cell {
    G4_CELL_FIXED = G4_CELL(SUM_NEAREST, 1),
    G4_CELL_ANY = G4_CELL(SUM_NEAREST, 0),
    G4_TAPER_FIXED = G4_CELL(SUM_TAPERED, 1),
    G4_TAPER_ANY = G4_CELL(SUM_TAPERED, 0),
    G4_EWALD = G4_CELL(SUM_IMAGES, 0),
    G4_WEIGHED,
    G4_TABLE
};
#define G4_FORM(cell) ((enum sum_form)((cell) / 2))
#define G4_IS_FIXED(cell) ((cell) < G4_EWALD && (cell) % 2 == 0)

/* Lists that call a macro for each kind of cell, to generate code. */
#define G4_FIXED_OF(FORM) G4_EACH(G4_CELL(FORM, 1))
#define G4_ANY_OF(FORM) G4_EACH(G4_CELL(FORM, 0))
#define G4_EACH_FIXED PAIR_EACH_FORM(G4_FIXED_OF)
#define G4_EACH_ANY PAIR_EACH_FORM(G4_ANY_OF) G4_EACH(G4_EWALD)

struct __align__(16) double4_16
{
    double x, y, z, w;
};
template <class T> struct vec4;
template <> struct vec4<float> {
    typedef float4 type;
};
template <> struct vec4<double> {
    typedef double4_16 type;
};

/* A pair function (pair_function.h) in single precision, for kernels that compute it with beta. All
 * factors of pairs are 1. The member `c` is NULL if there is no function, and `top` is the number
 * of the last cell. */
struct beta_function {
    const float4 *c;           /* coefficients, [columns][cells] */
    const unsigned char *kind; /* species of the atoms */
    const int32_t *start;      /* [kinds][kinds] */
    const int *perm;           /* number of the atom in each row, or NULL */
    int rank, did, cells, kinds, natoms;
    float first, per, top, end2; /* end2: squared distance in Å² beyond which f is 0 */
};
#define BETA_FUNCTION_COLUMNS 256 /* limit of columns, whose numbers have 8 bits */

/* Input for beta in addition to the positions. Numbers in single precision are rounded as in
 * box_round_f32. */
struct beta_args {
    double coef, rc2;
    float coef_f, rc2_f, len[3];
    float half[3];      /* largest difference that is not shifted: box_nint_f32(half * inv) is 0 */
    float slope, shift; /* G4_TAPER_FIXED; the taper ends at rc2_f */
    int component;
    enum sum_form form;            /* WEIGHED */
    const struct sum_cell *cell;   /* not FIXED: one per column, on the device */
    const struct factors *factors; /* WEIGHED, on the device */
    struct beta_function function;
};

/* Replaces a difference of wrapped positions by its minimum image, in any cell. */
__device__ __forceinline__ void beta_image(const struct box_f32 *b, float &x, float &y, float &z)
{
    if (b->h[0][1] == 0 && b->h[0][2] == 0 && b->h[1][0] == 0 && b->h[1][2] == 0 &&
        b->h[2][0] == 0 && b->h[2][1] == 0) {
        x = box_image_f32(x, b->h[0][0], b->inv[0][0]);
        y = box_image_f32(y, b->h[1][1], b->inv[1][1]);
        z = box_image_f32(z, b->h[2][2], b->inv[2][2]);
    } else {
        box_image_tri_f32(b, &x, &y, &z);
    }
}

template <int CELL>
__device__ __forceinline__ void beta_image(const beta_args &a, float &x, float &y, float &z,
                                           size_t col)
{
    if (!G4_IS_FIXED(CELL)) {
        beta_image(&a.cell[col].f, x, y, z);
        return;
    }
    if (fabsf(x) > a.half[0]) /* the shift is -1, 0 or 1 edges */
        x -= copysignf(a.len[0], x);
    if (fabsf(y) > a.half[1])
        y -= copysignf(a.len[1], y);
    if (fabsf(z) > a.half[2])
        z -= copysignf(a.len[2], z);
}

/* Computes Q of ncomp components at a difference (x, y, z) of wrapped positions, or 0 if one
 * position is padding. */
static __device__ __noinline__ void beta_ewald(const struct ewald_f32 *e, int ncomp,
                                               const int *component, float x, float y, float z,
                                               float *q)
{
    float s[3], sum[BETA_NCOMPONENTS], poly;
    ewald_images_f32_1(e, ncomp, component, &x, &y, &z, s, sum);
    for (int c = 0; c < ncomp; c++) {
        ewald_poly_f32_1(e, component[c], s, &poly);
        ewald_q_f32_1(e, component[c], s, sum + c, &poly, q + c);
        q[c] = x == x ? q[c] : 0.0f;
    }
}

static __device__ __noinline__ void beta_ewald(const struct ewald_f64 *e, int ncomp,
                                               const int *component, double x, double y, double z,
                                               double *q)
{
    double s[3], sum[BETA_NCOMPONENTS], poly;
    ewald_images_f64_1(e, ncomp, component, &x, &y, &z, s, sum);
    for (int c = 0; c < ncomp; c++) {
        ewald_poly_f64_1(e, component[c], s, &poly);
        ewald_q_f64_1(e, component[c], s, sum + c, &poly, q + c);
        q[c] = x == x ? q[c] : 0.0;
    }
}

/* COMP is the component if it is a compile-time constant, or -1 to use a.component. The argument
 * rc2 is the value of beta_rc2, or -1 for a pair that does not count. The function beta_here takes
 * the minimum image of the difference. */
template <int COMP, int CELL>
__device__ __forceinline__ float beta_here(const beta_args &a, float x, float y, float z, float rc2,
                                           size_t col)
{
    int component = COMP < 0 ? a.component : COMP;
    struct beta_taper_f32 t = {a.slope, a.shift, rc2};
    if constexpr (!G4_IS_FIXED(CELL) && G4_FORM(CELL) != SUM_NEAREST) {
        t = a.cell[col].taper_f32;
        t.rc2 = fminf(t.rc2, rc2);
    }
    return pair_beta_f32(G4_FORM(CELL), &t, NULL, component, a.coef_f, x, y, z);
}

template <int COMP, int CELL>
__device__ __forceinline__ float beta_of(const beta_args &a, float4 p, float4 q, float rc2,
                                         size_t col)
{
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    if constexpr (CELL == G4_EWALD) {
        int component = COMP < 0 ? a.component : COMP;
        float v;
        beta_ewald(&a.cell[col].ewald_f32, 1, &component, x, y, z, &v);
        return rc2 < 0 ? 0.0f : a.coef_f * v;
    }
    beta_image<CELL>(a, x, y, z, col);
    return beta_here<COMP, CELL>(a, x, y, z, rc2, col);
}

/* Returns the index of the first coefficients for two rows. */
__device__ __forceinline__ unsigned function_first(const beta_function &f, size_t i, size_t j)
{
    int a = f.perm ? f.perm[i] : (int)i, b = f.perm ? f.perm[j] : (int)j;
    return f.kinds == 1 || a < 0 || b < 0 || a >= f.natoms || b >= f.natoms
               ? (unsigned)f.start[0] / 4
               : (unsigned)f.start[f.kind[a] * f.kinds + f.kind[b]] / 4;
}

/* Returns f(r) r^-rank of a minimum image with the square r2, as pair_function_at does. The root
 * and the quotient are correctly rounded for arguments between 1e-30 and 1e30 (Markstein, IBM J Res
 * Dev 34 (1990) 111), and floor(t) needs no conversion. Unlike the operations of the language, the
 * steps have no branch, so that the values of several pairs are computed at the same time, and only
 * one of the steps is slow on the device. */
__device__ __forceinline__ float function_value(const beta_function &f, int rank, unsigned first,
                                                float r2)
{
    float y, r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(r2));
    r = r2 * y;
    r = __fmaf_rn(__fmaf_rn(-r, r, r2), 0.5f * y, r);
    float t = (r - f.first) * f.per + 1;
    t = t > 0 ? t : 0;
    t = t < f.top ? t : f.top;
    float whole = __fadd_rz(t, 8388608.0f), x = t - (whole - 8388608.0f);
    float4 c = f.c[first + (__float_as_uint(whole) - 0x4b000000u)];
    float v = c.x + x * (c.y + x * (c.z + x * c.w));
    if (rank == 0)
        return v;
    float by = rank == 2 ? r2 : r;
    y = rank == 2 ? y * y : y;
    y = __fmaf_rn(__fmaf_rn(-by, y, 1.0f), y, y);
    float q = v * y;
    q = __fmaf_rn(__fmaf_rn(-by, q, v), y, q);
    return __fmaf_rn(__fmaf_rn(-by, q, v), y, q);
}

/* Works like beta_of, but includes the pair function with these first coefficients. If COMP is a
 * constant, the rank is 2, and the function is added to beta of a taper, or replaces other beta. */
template <int COMP, int CELL>
__device__ __forceinline__ float beta_with(const beta_args &a, unsigned first, float4 p, float4 q,
                                           float rc2, size_t col)
{
    const beta_function &f = a.function;
    const int component = COMP < 0 ? a.component : COMP, rank = COMP < 0 ? f.rank : 2,
              did = COMP < 0 ? f.did : G4_FORM(CELL) == SUM_TAPERED;
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, v = 0.0f;
    beta_image<CELL>(a, x, y, z, col);
    if (did)
        v = beta_here<COMP, CELL>(a, x, y, z, rc2, col);
    float r2 = beta_r2_f32(x, y, z);
    bool near = rc2 >= 0.0f && r2 <= f.end2; /* padding is NaN */
    float w = pair_function_value_f32(rank, component, x, y, z, function_value(f, rank, first, r2));
    w = did ? v + w : w;
    return near ? w : v;
}

template <int COMP, int CELL>
__device__ __forceinline__ double beta_of(const beta_args &a, double4_16 p, double4_16 q,
                                          double rc2, size_t col)
{
    double d[3] = {p.x - q.x, p.y - q.y, p.z - q.z}, v;
    int component = COMP < 0 ? a.component : COMP;
    if constexpr (CELL == G4_EWALD) {
        beta_ewald(&a.cell[col].ewald_f64, 1, &component, d[0], d[1], d[2], &v);
        return rc2 < 0 ? 0.0 : a.coef * v;
    }
    box_image(&a.cell[col].d, d);
    struct beta_taper_f64 t = {0, 0, rc2};
    if constexpr (G4_FORM(CELL) != SUM_NEAREST) {
        t = a.cell[col].taper_f64;
        t.rc2 = fmin(t.rc2, rc2);
    }
    return pair_beta_f64(G4_FORM(CELL), &t, NULL, component, a.coef, d[0], d[1], d[2]);
}

/* Adds the pair function (pair_function.h) of atoms i and j to v, or returns its value instead of
 * v. Padding leaves v unchanged. */
template <class V, class T>
__device__ __noinline__ T function_add(const struct pair_function *f, const struct sum_cell *c,
                                       int component, size_t i, size_t j, V p, V q, T v)
{
    T d[3] = {p.x - q.x, p.y - q.y, p.z - q.z}, w;
    if (!f->cells || !(d[0] == d[0]))
        return v;
    if constexpr (sizeof(T) == 4) {
        beta_image(&c->f, d[0], d[1], d[2]);
        w = pair_function_at_f32(f, f->kind[i], f->kind[j], component, d[0], d[1], d[2]);
    } else {
        box_image(&c->d, d);
        w = pair_function_at_f64(f, f->kind[i], f->kind[j], component, d[0], d[1], d[2]);
    }
    return f->did ? v + w : w;
}

/* Works like beta_of, but includes the pair function and the factors of the pair, as on the host
 * (factors.h). */
template <class V, class T>
__device__ __noinline__ T beta_weighed(const beta_args &a, size_t i, size_t j, V p, V q, T rc2,
                                       size_t col)
{
    double own, f = rc2 < 0 ? 0.0 : factors_at(a.factors, i, j, &own);
    if (f == 0.0)
        return 0;
    T v;
#define G4_EACH(CELL)                                                                              \
    case G4_FORM(CELL): v = beta_of<-1, CELL>(a, p, q, rc2, col); break;
    switch (a.form) {
        G4_EACH_ANY
    default: return 0;
    }
#undef G4_EACH
    v = function_add(&a.factors->function, &a.cell[col], a.component, i, j, p, q, v);
    return v * (T)f + (T)(own * (a.coef * a.cell[col].self[a.component]));
}

/* Returns beta of atoms i and j at positions p and q. The atom with the lower number comes first,
 * as in all pairs. If a difference for EWALD is exactly 0 along an axis, only this order gives the
 * correct bits. */
template <int COMP, int CELL, class V, class T>
__device__ __forceinline__ T beta_ordered(const beta_args &a, size_t i, size_t j, V p, V q, T rc2,
                                          size_t col)
{
    if constexpr (CELL == G4_WEIGHED)
        return j < i ? beta_weighed(a, j, i, q, p, rc2, col)
                     : beta_weighed(a, i, j, p, q, rc2, col);
    else if (CELL == G4_EWALD && j < i)
        return beta_of<COMP, CELL>(a, q, p, rc2, col);
    else
        return beta_of<COMP, CELL>(a, p, q, rc2, col);
}

__device__ __forceinline__ float beta_rc2(const beta_args &a, float)
{
    return a.rc2_f;
}
__device__ __forceinline__ double beta_rc2(const beta_args &a, double)
{
    return a.rc2;
}
