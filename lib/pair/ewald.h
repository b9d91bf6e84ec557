/* SPDX-License-Identifier: MIT */
/*
 * ewald.h: the pair anisotropy summed over all periodic images, with tin foil around infinity.
 * Host and device.
 *
 * A component of beta.h is coef Q_c with Q_c = form_c(r) / r⁵, a combination of T_ab = d_a d_b (1/r)
 * that does not know its trace. Over the images r + n it is the Hessian of the potential of charges
 * at the lattice points in a uniform background, and Ewald's two sums give that (any alpha):
 *     T_ab(r) = sum_n d_a d_b erfc(alpha |r+n|)/|r+n|
 *               - 4 pi/V sum_{k != 0} k_a k_b/k² exp(-k²/4 alpha²) cos(k r)
 * The background, 4 pi/V in the trace, is in none of the five. The sum is even, periodic and smooth
 * but at the lattice points. A spherical sum of images tends to the same value: the surface term of
 * a sphere is a trace, too.
 *
 * An atom's own images act on it, too: A_i = sum_j coef Q_c(r_ij) + coef Q_self with Q_self the sum of
 * form/r⁵ over n != 0, by the same two sums; it is 0 in a cube and, for xx-yy and zz, in few other
 * cells. Without it S has the mean -(N/2) coef Q_self (1 - S(q -> 0)) that never decays. Every pair
 * takes its share Q_self/(N - 1), so that pairs remain all there is: A_i has Q_self, S has N/2 of it.
 *
 * For speed, with fractional coordinates f in [0, 1)³ of a reduced lattice, the images at the eight
 * corners of the cell (and more layers where a cell is long) are added as they stand. What all
 * others give is analytic in the cell, its nearest pole an edge away, so that a polynomial in
 * s = 2f - 1 meets it with an error that falls geometrically with the degree. It is even in s by
 * inversion about the centre. In an orthorhombic cell it is even or odd along each axis: a
 * polynomial in the squares, times s_x s_z for xz and so on. ewald_fit measures its error between
 * the nodes of the interpolation and takes the cheapest that is good enough.
 *
 * The share of an atom's own images goes into the constant term of that polynomial: Q_self is 0 where
 * a component is odd.
 *
 * The differences that go in are those of positions wrapped into the cell that ewald_reduce gives:
 * -1 <= f <= 1. With a the sign of f, s = 2 f - a, and the images are r - a n h for the same n: so
 * the nearest is not touched by rounding, and beta(-r) has the bits of beta(r), but for an f that is
 * exactly 0: its sign is taken as +, so that pairs are always the lower atom less the higher one.
 *
 * Units: Å, Q in 1/Å³. Every operation is one IEEE operation, or fused where it says BETA_FMA.
 */
#ifndef MBF_EWALD_H
#define MBF_EWALD_H

#include "base/box.h"
#include "base/err.h"
#include "pair/beta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EWALD_SQUARES 12 /* highest degree of a polynomial in squares */
#define EWALD_DEGREE 24  /* and of one in s */
#define EWALD_TERMS 1729 /* most coefficients: even monomials up to degree 24 */
#define EWALD_CORNERS 8  /* highest degree of ewald_corners_f32 */

#define EWALD_KEY 11

/*
 * What others than the explicit images add to a pair, in a cell of the shape h. Free with ewald_unref.
 * poly[c * nterms]: coefficients of component c in units of 1/V, highest powers first, as Horner's
 * rule takes them: xz, xy and yz do with a lower degree than the other two, whose polynomial has no
 * factors outside.
 */
struct ewald_fit {
    double h[3][3]; /* the reduced lattice, of volume 1; rows are vectors */
    int ortho;      /* in squares */
    int degree[BETA_NCOMPONENTS];
    int nterms;                     /* of the highest of them */
    int layers[3];                  /* images n_k from -layers to 1 + layers */
    double error[BETA_NCOMPONENTS]; /* largest that was measured, 1/V, rounding of poly included */
    double *poly;                   /* [5][nterms] */
    float *poly_f32;                /* the same, rounded */
    double key[EWALD_KEY];          /* of ewald_cache */
    int refs;
};

/* All that the evaluation needs of the cell of one step. poly belongs to the fit. */
struct ewald_f32 {
    int ortho, degree[BETA_NCOMPONENTS], nterms, layers[3];
    float h[3][3], inv[3][3], scale; /* scale: 1/V, 1/Å³ */
    const float *poly;
};
struct ewald_f64 {
    int ortho, degree[BETA_NCOMPONENTS], nterms, layers[3];
    double h[3][3], inv[3][3], scale;
    const double *poly;
};

/*
 * All Q_c (1/Å³) at r, from Ewald's two sums in double: slow, and right to about 1e-13 of the
 * largest term; at r = 0 of all images but the one there. h: rows are cell vectors, Å. alpha: of the formula, 1/Å; 0: a good one.
 */
void ewald_sum(const double h[3][3], double alpha, const double r[3], double q[BETA_NCOMPONENTS]);

/* Q_self (1/Å³) from the same sums: of all images of an atom but itself. Exactly 0 where the cell's
 * symmetry has it so: all five in a cube, xz, xy and yz in a brick, xx-yy where its edges are alike. */
void ewald_self(const double h[3][3], double q[BETA_NCOMPONENTS]);

/*
 * The same lattice by its shortest vectors, right-handed; an orthorhombic cell stays as it is. 0, or
 * -1: a cell that is not periodic along all three vectors, or whose vectors cannot be reduced.
 */
int ewald_reduce(const struct box *box, struct box *reduced, struct err *e)
    __attribute__((warn_unused_result));

/*
 * The cheapest fit for a reduced cell whose error stays below `tolerance` (1/Å³) in Q_xz, Q_xy and
 * Q_yz, and below 2 and 4 times of that in Q_xx-yy and Q_zz, whose largest values are so much
 * larger. f64: for evaluation in double, else float. natoms: of which every pair takes its share of
 * their own images; 0: without. NULL with e: too long or flat a cell, out of memory.
 */
struct ewald_fit *ewald_fit_new(const struct box *reduced, double tolerance, int f64, size_t natoms,
                                struct err *e);
void ewald_ref(struct ewald_fit *f);
void ewald_unref(struct ewald_fit *f); /* NULL is allowed */

/*
 * Fits of the last few shapes of cells. A cell that only grows keeps its fit. The shape is taken
 * with 2⁻²⁶ (f32) or 2⁻⁴⁰ of an edge, so that what comes out depends on the cell alone and not on
 * those before.
 */
#define EWALD_CACHED 4
struct ewald_cache {
    struct ewald_fit *fit[EWALD_CACHED];
    int next;
};
/* The fit of a reduced cell, with a reference for the caller; NULL with e. */
struct ewald_fit *ewald_cache_get(struct ewald_cache *c, const struct box *reduced,
                                  double tolerance, int f64, size_t natoms, struct err *e);
void ewald_cache_free(struct ewald_cache *c);

/* The record of a reduced cell for the evaluation. */
void ewald_cell_f32(const struct ewald_fit *f, const struct box *reduced, struct ewald_f32 *e);
void ewald_cell_f64(const struct ewald_fit *f, const struct box *reduced, struct ewald_f64 *e);

/* ---- evaluation ---- */

/* Where a component's polynomial is odd: by s_x s_z and so on, in an orthorhombic cell. */
#define EWALD_PARITY(component, ortho, x, y, z, one)                                               \
    (!(ortho)                 ? (one)                                                              \
     : (component) == BETA_XZ ? (x) * (z)                                                          \
     : (component) == BETA_XY ? (x) * (y)                                                          \
     : (component) == BETA_YZ ? (y) * (z)                                                          \
                              : (one))

/*
 * Any cell, in the type T, for N pairs of one step at once (1 on a device; N for vectors: the loops
 * over l). MADD(a, b, c): a b + c.
 *
 * ewald_images: s, and the sum of form/r⁵ over the explicit images, for ncomp components.
 * ewald_poly: the polynomial of one component, without parity and scale.
 * ewald_q: Q of one component from the two.
 */
#define EWALD_DEFINE(T, S, N, MADD)                                                                \
    HD void ewald_images_##S##_##N(const struct ewald_##S *e, int ncomp, const int *component,     \
                                   const T *dx, const T *dy, const T *dz, T *s, T *sum)            \
    {                                                                                              \
        T v[9 * N];                                                                                \
        for (int k = 0; k < 3; k++)                                                                \
            for (int l = 0; l < N; l++) {                                                          \
                T f = (dx[l] * e->inv[0][k] + dy[l] * e->inv[1][k]) + dz[l] * e->inv[2][k];        \
                T one = f < 0 ? (T)-1 : (T)1;                                                      \
                s[k * N + l] = (f + f) - one;                                                      \
                v[3 * k * N + l] = one * e->h[k][0];                                               \
                v[(3 * k + 1) * N + l] = one * e->h[k][1];                                         \
                v[(3 * k + 2) * N + l] = one * e->h[k][2];                                         \
            }                                                                                      \
        for (int k = 0; k < ncomp * N; k++)                                                        \
            sum[k] = 0;                                                                            \
        for (int i = -e->layers[0]; i <= 1 + e->layers[0]; i++)                                    \
            for (int j = -e->layers[1]; j <= 1 + e->layers[1]; j++)                                \
                for (int k = -e->layers[2]; k <= 1 + e->layers[2]; k++) {                          \
                    T a = (T)i, b = (T)j, c = (T)k, g[N], x[N], y[N], z[N];                        \
                    for (int l = 0; l < N; l++) {                                                  \
                        const T *w = v + l;                                                        \
                        x[l] = ((dx[l] - a * w[0]) - b * w[3 * N]) - c * w[6 * N];                 \
                        y[l] = ((dy[l] - a * w[N]) - b * w[4 * N]) - c * w[7 * N];                 \
                        z[l] = ((dz[l] - a * w[2 * N]) - b * w[5 * N]) - c * w[8 * N];             \
                        g[l] = beta_rm5_##S(beta_r2_##S(x[l], y[l], z[l]));                        \
                    }                                                                              \
                    for (int q = 0; q < ncomp; q++)                                                \
                        for (int l = 0; l < N; l++)                                                \
                            sum[q * N + l] = MADD(beta_form_##S(component[q], x[l], y[l], z[l]),   \
                                                  g[l], sum[q * N + l]);                           \
                }                                                                                  \
    }                                                                                              \
    HD void ewald_poly_##S##_##N(const struct ewald_##S *e, int component, const T *s, T *out)     \
    {                                                                                              \
        const T *c = e->poly + component * e->nterms;                                              \
        T u[N], v[N], w[N], w2[N], a[N], b[N];                                                     \
        int step = e->ortho ? 1 : 2, degree = e->degree[component];                                \
        for (int l = 0; l < N; l++) {                                                              \
            u[l] = e->ortho ? s[l] * s[l] : s[l];                                                  \
            v[l] = e->ortho ? s[N + l] * s[N + l] : s[N + l];                                      \
            w[l] = s[2 * N + l];                                                                   \
            w2[l] = w[l] * w[l];                                                                   \
        }                                                                                          \
        for (int l = 0; l < N; l++)                                                                \
            out[l] = 0;                                                                            \
        for (int i = degree, n = 0; i >= 0; i--) {                                                 \
            for (int l = 0; l < N; l++)                                                            \
                a[l] = 0;                                                                          \
                                                                                                   \
            for (int j = degree - i; j >= 0; j--) {                                                \
                int odd = e->ortho ? 0 : (i + j) & 1;                                              \
                int left = degree - i - j - odd; /* even where step is 2 */                        \
                for (int l = 0; l < N; l++)                                                        \
                    b[l] = c[n];                                                                   \
                for (n++; left > 0; left -= step, n++)                                             \
                    for (int l = 0; l < N; l++)                                                    \
                        b[l] = MADD(b[l], w2[l], c[n]);                                            \
                if (odd)                                                                           \
                    for (int l = 0; l < N; l++)                                                    \
                        b[l] = b[l] * w[l];                                                        \
                for (int l = 0; l < N; l++)                                                        \
                    a[l] = j == degree - i ? b[l] : MADD(a[l], v[l], b[l]);                        \
            }                                                                                      \
            for (int l = 0; l < N; l++)                                                            \
                out[l] = i == degree ? a[l] : MADD(out[l], u[l], a[l]);                            \
        }                                                                                          \
    }                                                                                              \
    HD void ewald_q_##S##_##N(const struct ewald_##S *e, int component, const T *s, const T *sum,  \
                              const T *poly, T *q)                                                 \
    {                                                                                              \
        for (int l = 0; l < N; l++) {                                                              \
            T p = EWALD_PARITY(component, e->ortho, s[l], s[N + l], s[2 * N + l], (T)1);           \
            q[l] = MADD(poly[l], p * e->scale, sum[l]);                                            \
        }                                                                                          \
    }
#define EWALD_MADD(a, b, c) ((a) * (b) + (c))

EWALD_DEFINE(float, f32, 1, BETA_FMA)
EWALD_DEFINE(double, f64, 1, EWALD_MADD)

/* Q_c, with the share of own images, at a difference (x, y, z), Å, of two wrapped positions. */
HD double ewald_one_f64(const struct ewald_f64 *e, int component, double x, double y, double z)
{
    double s[3], sum, poly, q;
    ewald_images_f64_1(e, 1, &component, &x, &y, &z, s, &sum);
    ewald_poly_f64_1(e, component, s, &poly);
    ewald_q_f64_1(e, component, s, &sum, &poly, &q);
    return q;
}

/*
 * The common case written out, with the bits of the above: single precision, an orthorhombic cell,
 * the eight corners, a degree of at most EWALD_CORNERS in the squares that is known when compiled.
 *
 * ewald_p3_D(c, u, v, w): the polynomial of degree D, from those of one and two variables.
 */
HD int ewald_is_corners_f32(const struct ewald_f32 *e)
{
    int low = e->ortho && !e->layers[0] && !e->layers[1] && !e->layers[2];
    for (int c = 0; c < BETA_NCOMPONENTS; c++)
        low &= e->degree[c] <= EWALD_CORNERS;
    return low;
}

HD float ewald_p1_0(const float *c, float w)
{
    (void)w;
    return c[0];
}
HD float ewald_p2_0(const float *c, float v, float w)
{
    (void)v;
    (void)w;
    return c[0];
}
HD float ewald_p3_0(const float *c, float u, float v, float w)
{
    (void)u;
    (void)v;
    (void)w;
    return c[0];
}
#define EWALD_P(D, L) /* degree D from degree L = D - 1 */                                         \
    HD float ewald_p1_##D(const float *c, float w)                                                 \
    {                                                                                              \
        return BETA_FMA(ewald_p1_##L(c, w), w, c[D]);                                              \
    }                                                                                              \
    HD float ewald_p2_##D(const float *c, float v, float w)                                        \
    {                                                                                              \
        return BETA_FMA(ewald_p2_##L(c, v, w), v, ewald_p1_##D(c + D * (D + 1) / 2, w));           \
    }                                                                                              \
    HD float ewald_p3_##D(const float *c, float u, float v, float w)                               \
    {                                                                                              \
        return BETA_FMA(ewald_p3_##L(c, u, v, w), u,                                               \
                        ewald_p2_##D(c + D * (D + 1) * (D + 2) / 6, v, w));                        \
    }
EWALD_P(1, 0)
EWALD_P(2, 1)
EWALD_P(3, 2)
EWALD_P(4, 3)
EWALD_P(5, 4)
EWALD_P(6, 5)
EWALD_P(7, 6)
EWALD_P(8, 7)
#undef EWALD_P

HD float ewald_p3(int degree, const float *c, float u, float v, float w)
{
    switch (degree) {
    case 0: return ewald_p3_0(c, u, v, w);
    case 1: return ewald_p3_1(c, u, v, w);
    case 2: return ewald_p3_2(c, u, v, w);
    case 3: return ewald_p3_3(c, u, v, w);
    case 4: return ewald_p3_4(c, u, v, w);
    case 5: return ewald_p3_5(c, u, v, w);
    case 6: return ewald_p3_6(c, u, v, w);
    case 7: return ewald_p3_7(c, u, v, w);
    default: return ewald_p3_8(c, u, v, w);
    }
}

/* One corner of the sums of ncomp components; component known when compiled. */
HD void ewald_corner_f32(int ncomp, const int *component, float x, float y, float z, float *sum)
{
    float g = beta_rm5_f32(beta_r2_f32(x, y, z));
    for (int q = 0; q < ncomp; q++)
        sum[q] = BETA_FMA(beta_form_f32(component[q], x, y, z), g, sum[q]);
}

/* s, and the sums of form/r⁵ over the eight corners. len: edges; inv: one over them. */
HD void ewald_corners_f32(const float len[3], const float inv[3], int ncomp, const int *component,
                          float x, float y, float z, float s[3], float *sum)
{
    float fx = x * inv[0], fy = y * inv[1], fz = z * inv[2];
    float x1 = x - (fx < 0 ? -len[0] : len[0]), y1 = y - (fy < 0 ? -len[1] : len[1]),
          z1 = z - (fz < 0 ? -len[2] : len[2]);
    s[0] = (fx + fx) - (fx < 0 ? -1.0f : 1.0f);
    s[1] = (fy + fy) - (fy < 0 ? -1.0f : 1.0f);
    s[2] = (fz + fz) - (fz < 0 ? -1.0f : 1.0f);
    for (int q = 0; q < ncomp; q++)
        sum[q] = 0.0f;
    ewald_corner_f32(ncomp, component, x, y, z, sum);
    ewald_corner_f32(ncomp, component, x, y, z1, sum);
    ewald_corner_f32(ncomp, component, x, y1, z, sum);
    ewald_corner_f32(ncomp, component, x, y1, z1, sum);
    ewald_corner_f32(ncomp, component, x1, y, z, sum);
    ewald_corner_f32(ncomp, component, x1, y, z1, sum);
    ewald_corner_f32(ncomp, component, x1, y1, z, sum);
    ewald_corner_f32(ncomp, component, x1, y1, z1, sum);
}

#ifdef __cplusplus
}
#endif
#endif
