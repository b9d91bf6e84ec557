/* SPDX-License-Identifier: MIT */
/* ewald.h: computes the anisotropy of a pair, summed over all periodic images with conducting
 * boundary conditions, on host and device.
 *
 * A component of beta.h is coef Q_c, where Q_c = form_c(r) / r⁵ is a traceless combination of T_ab
 * = d_a d_b (1/r). The sum of T_ab over the images r + n is the Hessian of the potential of charges
 * at the lattice points in a uniform background. For any alpha, the Ewald sums give
 *     T_ab(r) = sum_n d_a d_b erfc(alpha |r+n|)/|r+n|
 *               - 4 pi/V sum_{k != 0} k_a k_b/k² exp(-k²/4 alpha²) cos(k r).
 * The background contributes only to the trace (4 pi/V), and not to the five components. The sum
 * T_ab is even, periodic, and smooth except at the lattice points. A spherical sum over images
 * gives the same components, because the surface term of a sphere also affects only the trace.
 *
 * An atom also interacts with its own images, so that the sum over the pairs of atom i is A_i =
 * sum_j coef Q_c(r_ij) + coef Q_self. The sum of form/r⁵ over n != 0, called Q_self, is also
 * computed by Ewald sums. Q_self is 0 in a cube. In most other cells, Q_self of xx-yy and zz is not
 * 0. Without Q_self, the sum S of coef Q_c over all pairs would have the constant mean -(N/2) coef
 * Q_self (1 - S(q -> 0)), where S(q) is the structure factor. Each pair is assigned an equal part
 * Q_self/(N - 1), so that A_i contains Q_self and S contains N/2 times Q_self.
 *
 * For speed, only the images at the eight corners of the cell and, in a long cell, a few more
 * layers are added one by one. Let f, between 0 and 1, be the fractional coordinates in a reduced
 * cell. The sum over all other images is analytic in the cell, and its nearest pole is one edge
 * away. A polynomial in s = 2f - 1 approximates the sum over the other images, with an error that
 * decreases geometrically with the degree. Because of inversion symmetry, the sum is even in s. In
 * an orthorhombic cell, the sum is even or odd along each axis, and the polynomial depends only on
 * the squares of the components of s, except for a factor such as s_x s_z for xz. The error is
 * measured between the interpolation nodes, and the cheapest polynomial that is accurate enough is
 * chosen (ewald_fit_new). The constant term of the polynomial includes Q_self/(N - 1), the part of
 * Q_self that is assigned to each pair. In an orthorhombic cell, Q_self of xz, xy and yz is 0.
 *
 * The arguments are differences of positions that are wrapped into the cell of ewald_reduce, so
 * that -1 <= f <= 1. If a is the sign of f, then s is 2 f - a, and the images are r - a n h for the
 * same n. The choice of the nearest image is therefore not affected by rounding, and beta(-r)
 * equals beta(r) bit for bit unless a component of f is exactly 0. The sign of 0 is taken to be +,
 * so callers must always subtract the position of the atom with the higher index from the position
 * of the atom with the lower index.
 *
 * Lengths are in Å, and Q is in 1/Å³. Every operation is a single IEEE operation, fused only in
 * BETA_FMA. */
#pragma once

#include "base/box.h"
#include "base/err.h"
#include "pair/beta.h"

C_LINKAGE_BEGIN

#define EWALD_SQUARES 12 /* highest degree in the squares of s */
#define EWALD_DEGREE 24  /* highest degree in s */
#define EWALD_TERMS 1729 /* largest nterms */
#define EWALD_CORNERS 8  /* highest degree of the corner code */

#define EWALD_KEY 11

/* Contains the polynomials for the images that are not added one by one, for a cell of shape h. The
 * caller frees the struct with ewald_unref. The coefficients of component c begin at poly[c *
 * nterms], are in units of 1/V, and are in the order of Horner's rule, with the highest powers
 * first. The components xx-yy and zz have no extra factor, and therefore need a higher degree than
 * xz, xy and yz. */
struct ewald_fit {
    double h[3][3]; /* scaled to the volume 1 */
    int ortho;      /* polynomials in the squares of s */
    int degree[BETA_NCOMPONENTS];
    int nterms;                     /* terms per component */
    int layers[3];                  /* images -layers..1 + layers are added one by one */
    double error[BETA_NCOMPONENTS]; /* largest measured, with rounding, in 1/V */
    double *poly;                   /* [5][nterms] */
    float *poly_f32;                /* poly[] rounded */
    double key[EWALD_KEY];          /* for ewald_cache */
    int refs;
};

/* Holds the data for evaluating the sum in the cell of one step. The array poly[] belongs to the
 * fit. */
struct ewald_f32 {
    int ortho, degree[BETA_NCOMPONENTS], nterms, layers[3];
    float h[3][3], inv[3][3], scale; /* scale: 1/V in 1/Å³ */
    const float *poly;
};
struct ewald_f64 {
    int ortho, degree[BETA_NCOMPONENTS], nterms, layers[3];
    double h[3][3], inv[3][3], scale;
    const double *poly;
};

/* Computes all Q_c at r in 1/Å³ from the Ewald sums, accurate to about 1e-13 of the largest term,
 * but slowly. At r = 0, the image at the origin is omitted. The rows of h are the cell vectors in
 * Å. The parameter alpha is in 1/Å, or 0 to choose a suitable value. */
void ewald_sum(const double h[3][3], double alpha, const double r[3], double q[BETA_NCOMPONENTS]);

/* Computes Q_self in 1/Å³, which is the sum over all images of an atom except the atom itself. If
 * the symmetry of the cell requires Q_self = 0, the result is exactly 0: for all components in a
 * cube, for xz, xy and yz in an orthorhombic cell, and for xx-yy if the edges along x and y are
 * equal. */
void ewald_self(const double h[3][3], double q[BETA_NCOMPONENTS]);

/* Sets `reduced` to a cell of the same lattice with the shortest lattice vectors as a right-handed
 * set. An orthorhombic cell is not changed. Returns 0, or -1 with an error message in e if the cell
 * is not periodic along all three vectors or cannot be reduced. */
int ewald_reduce(const struct box *box, struct box *reduced, struct err *e) MUST_USE;

/* Returns the cheapest fit for a reduced cell. The errors of Q_xz, Q_xy and Q_yz are below
 * `tolerance`, in 1/Å³. The errors of Q_xx-yy and Q_zz are below 2 * tolerance and 4 * tolerance,
 * because the largest values are 2 and 4 times as large as for Q_xz. The fit is evaluated in double
 * precision if `f64` is set, and otherwise in single precision. Unless natoms is 0, the fit
 * includes the part of Q_self that is assigned to a pair among natoms atoms. If the cell is too
 * long or too flat, or if memory runs out, returns NULL with an error message in e. */
struct ewald_fit *ewald_fit_new(const struct box *reduced, double tolerance, int f64, size_t natoms,
                                struct err *e);
void ewald_ref(struct ewald_fit *f);
void ewald_unref(struct ewald_fit *f); /* f may be NULL */

/* Caches the fits of the last few cell shapes, so that a fit stays in use if only the size of a
 * cell changes. Shapes are rounded to 2⁻²⁶ of an edge for f32, or to 2⁻⁴⁰ for f64, so that the
 * result depends only on the cell and not on earlier cells. */
#define EWALD_CACHED 4
struct ewald_cache {
    struct ewald_fit *fit[EWALD_CACHED];
    int next;
};
/* Returns the fit of a reduced cell, which the caller must release, or NULL with an error message
 * in e. */
struct ewald_fit *ewald_cache_get(struct ewald_cache *c, const struct box *reduced,
                                  double tolerance, int f64, size_t natoms, struct err *e);
void ewald_cache_free(struct ewald_cache *c);

/* Set *e to the data for evaluating the sum in a reduced cell. */
void ewald_cell_f32(const struct ewald_fit *f, const struct box *reduced, struct ewald_f32 *e);
void ewald_cell_f64(const struct ewald_fit *f, const struct box *reduced, struct ewald_f64 *e);

/* Returns the factor, such as s_x s_z, that makes the polynomial of an odd component odd in an
 * orthorhombic cell. */
#define EWALD_PARITY(component, ortho, x, y, z, one)                                               \
    (!(ortho)                 ? (one)                                                              \
     : (component) == BETA_XZ ? (x) * (z)                                                          \
     : (component) == BETA_XY ? (x) * (y)                                                          \
     : (component) == BETA_YZ ? (y) * (z)                                                          \
                              : (one))

/* Defines functions that evaluate N pairs of one step together, in any cell and in the type T. The
 * number N is 1 on a device, and larger where the compiler vectorizes the loops over l. The macro
 * MADD(a, b, c) computes a b + c.
 *
 * For ncomp components, ewald_images computes s and the sums of form/r⁵ over the images that are
 * added one by one. For one component, ewald_poly computes the polynomial without parity and scale,
 * and ewald_q computes Q from the sums and the polynomial. */
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
                int left = degree - i - j - odd; /* degree left, even if `step` is 2 */            \
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

/* Returns Q_c, with the part of Q_self, at the difference (x, y, z) in Å of two wrapped
 * positions. */
HD double ewald_one_f64(const struct ewald_f64 *e, int component, double x, double y, double z)
{
    double s[3], sum, poly, q;
    ewald_images_f64_1(e, 1, &component, &x, &y, &z, s, &sum);
    ewald_poly_f64_1(e, component, s, &poly);
    ewald_q_f64_1(e, component, s, &sum, &poly, &q);
    return q;
}

/* The code below is faster than the general code, with the same results bit for bit, in the most
 * common case: single precision, an orthorhombic cell, only the images at the eight corners, and a
 * compile-time degree of at most EWALD_CORNERS in the squares. A polynomial of degree D in three
 * variables, ewald_p3_D(c, u, v, w), is computed from polynomials in one and two variables. */
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
#define EWALD_P(D, L) /* from L = D - 1 */                                                         \
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

/* Adds the image at one corner to the sums of ncomp components, where `component` is a compile-time
 * constant. */
HD void ewald_corner_f32(int ncomp, const int *component, float x, float y, float z, float *sum)
{
    float g = beta_rm5_f32(beta_r2_f32(x, y, z));
    for (int q = 0; q < ncomp; q++)
        sum[q] = BETA_FMA(beta_form_f32(component[q], x, y, z), g, sum[q]);
}

/* Computes s and the sums of form/r⁵ over the eight corners of a cell with the edges `len` and with
 * inv = 1/len. */
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

C_LINKAGE_END
