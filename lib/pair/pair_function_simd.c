/* SPDX-License-Identifier: MIT */
/* pair_function_simd.c: computes pair functions for a batch of pairs, with the same bits as
 * pair_function_at(). The stages are separate loops, because the loads of the coefficients do not
 * vectorize. */
#include "base/simd_x86.h"
#include "pair/pair_function.h"

#define HOT static inline __attribute__((always_inline))

static __attribute__((noinline)) void load_f32(size_t n, const float *c, struct function_f32 *b)
{
    for (size_t l = 0; l < n; l += 4) { /* transposes four cells */
        __m128 p = *(const __m128 *)(c + b->at[l]), q = *(const __m128 *)(c + b->at[l + 1]),
               s = *(const __m128 *)(c + b->at[l + 2]), t = *(const __m128 *)(c + b->at[l + 3]),
               low = _mm_unpacklo_ps(p, q), to_low = _mm_unpacklo_ps(s, t),
               high = _mm_unpackhi_ps(p, q), to_high = _mm_unpackhi_ps(s, t);
        *(__m128 *)(b->c[0] + l) = _mm_shuffle_ps(low, to_low, 0x44);
        *(__m128 *)(b->c[1] + l) = _mm_shuffle_ps(low, to_low, 0xee);
        *(__m128 *)(b->c[2] + l) = _mm_shuffle_ps(high, to_high, 0x44);
        *(__m128 *)(b->c[3] + l) = _mm_shuffle_ps(high, to_high, 0xee);
    }
}

static __attribute__((noinline)) void load_f64(size_t n, const double *c, struct function_f64 *b)
{
    for (size_t l = 0; l < n; l++)
        for (size_t q = 0; q < 4; q++)
            b->c[q][l] = c[(size_t)b->at[l] + q];
}

#define FUNCTION_RUN(T, S, ROOT)                                                                   \
    HOT void poly_##S(int rank, size_t n, struct function_##S *b)                                  \
    {                                                                                              \
        for (size_t l = 0; l < n; l++)                                                             \
            b->u[l] = pair_function_poly_##S(rank, b->r2[l], b->r[l], b->x[l], b->c[0][l],         \
                                             b->c[1][l], b->c[2][l], b->c[3][l]);                  \
    }                                                                                              \
    void SIMD_NAME(function_run_##S)(const struct pair_function *f, size_t n,                      \
                                     struct function_##S *b)                                       \
    {                                                                                              \
        const struct pair_function g = *f;                                                         \
        for (size_t l = 0; l < n; l++) {                                                           \
            b->r2[l] = beta_r2_##S(b->d[0][l], b->d[1][l], b->d[2][l]);                            \
            b->r[l] = ROOT(b->r2[l]);                                                              \
            b->at[l] += 4 * pair_function_cell_##S(&g, b->r[l], &b->x[l]);                         \
        }                                                                                          \
        load_##S(n, g.S, b);                                                                       \
        if (g.rank == 2)                                                                           \
            poly_##S(2, n, b);                                                                     \
        else if (g.rank == 1)                                                                      \
            poly_##S(1, n, b);                                                                     \
        else                                                                                       \
            poly_##S(0, n, b);                                                                     \
    }                                                                                              \
    HOT void value_##S(int rank, int component, size_t n, struct function_##S *b)                  \
    {                                                                                              \
        for (size_t l = 0; l < n; l++)                                                             \
            b->v[l] = pair_function_value_##S(rank, component, b->d[0][l], b->d[1][l], b->d[2][l], \
                                              b->u[l]);                                            \
    }                                                                                              \
    void SIMD_NAME(function_value_##S)(int rank, int component, size_t n, struct function_##S *b)  \
    {                                                                                              \
        switch (5 * rank + component) {                                                            \
        case 0: value_##S(0, 0, n, b); break;                                                      \
        case 5: value_##S(1, 0, n, b); break;                                                      \
        case 6: value_##S(1, 1, n, b); break;                                                      \
        case 7:                                                                                    \
            value_##S(1, 2, n, b);                                                                 \
            break;                                                                                 \
            BETA_EACH(FUNCTION_CASE, S)                                                            \
        }                                                                                          \
    }
#define FUNCTION_CASE(C, NAME, WORDS, EVEN, S)                                                     \
    case 10 + C: value_##S(2, C, n, b); break;
FUNCTION_RUN(float, f32, sqrtf)
FUNCTION_RUN(double, f64, sqrt)
