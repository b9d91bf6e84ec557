/* SPDX-License-Identifier: MIT */
/* pair_function_simd.c: computes pair functions for a batch of pairs, with the same bits as
 * pair_function_at(). */
#include "base/simd_x86.h"
#include "pair/pair_function.h"

#define HOT static inline __attribute__((always_inline))

#if SIMD_LEVEL >= 4
#define WIDE(OP) _mm512_##OP
typedef __m512 wide;
#elif SIMD_LEVEL == 3
#define WIDE(OP) _mm256_##OP
typedef __m256 wide;
#else
#define WIDE(OP) _mm_##OP
typedef __m128 wide;
#endif
#define LANES 16 /* number of pairs at once */

/* Loads 16 bytes from each of one, two or four places c + at[k step] (in units of `size` bytes). */
HOT wide load(const void *c, size_t size, const int32_t *at, size_t step)
{
#define CELL(k) (*(const __m128 *)((const char *)c + size * (size_t)at[(k)*step]))
#if SIMD_LEVEL >= 4
    wide v = _mm512_insertf32x4(_mm512_castps128_ps512(CELL(0)), CELL(1), 1);
    return _mm512_insertf32x4(_mm512_insertf32x4(v, CELL(2), 2), CELL(3), 3);
#elif SIMD_LEVEL == 3
    return _mm256_insertf128_ps(_mm256_castps128_ps256(CELL(0)), CELL(1), 1);
#else
    return CELL(0);
#endif
}

/* Transposes the four coefficients of 16 pairs. */
HOT void load_f32(const float *c, const int32_t *at, float (*to)[LANES])
{
    for (size_t l = 0; l < LANES; l += sizeof(wide) / sizeof *c) {
        wide p = load(c, sizeof *c, at + l, 4), q = load(c, sizeof *c, at + l + 1, 4),
             s = load(c, sizeof *c, at + l + 2, 4), t = load(c, sizeof *c, at + l + 3, 4);
        for (int k = 0; k < 4; k += 2) {
            wide v = k ? WIDE(unpackhi_ps)(p, q) : WIDE(unpacklo_ps)(p, q),
                 w = k ? WIDE(unpackhi_ps)(s, t) : WIDE(unpacklo_ps)(s, t);
            *(wide *)(to[k] + l) = WIDE(shuffle_ps)(v, w, 0x44);
            *(wide *)(to[k + 1] + l) = WIDE(shuffle_ps)(v, w, 0xee);
        }
    }
}

HOT void load_f64(const double *c, const int32_t *at, double (*to)[LANES])
{
    for (size_t l = 0; l < LANES; l += sizeof(wide) / sizeof *c)
        for (int k = 0; k < 4; k += 2) {
            wide v = load(c + k, sizeof *c, at + l, 2), w = load(c + k, sizeof *c, at + l + 1, 2);
            *(wide *)(to[k] + l) = WIDE(shuffle_ps)(v, w, 0x44);
            *(wide *)(to[k + 1] + l) = WIDE(shuffle_ps)(v, w, 0xee);
        }
}

#define FUNCTION_RUN(T, S)                                                                         \
    HOT void value_##S(int rank, int component, const T *restrict d, const T *restrict u,          \
                       T *restrict v)                                                              \
    {                                                                                              \
        for (size_t l = 0; l < LANES; l++)                                                         \
            v[l] = pair_function_value_##S(rank, component, d[l], d[FUNCTION_BATCH + l],           \
                                           d[2 * FUNCTION_BATCH + l], u[l]);                       \
    }                                                                                              \
    HOT void run_##S(int divide, const struct pair_function *f, size_t n, int ncomp,               \
                     const int *component, struct function_##S *b)                                 \
    {                                                                                              \
        for (size_t at = 0; at < n; at += LANES) {                                                 \
            T c[4][LANES] __attribute__((aligned(64))), u[LANES] __attribute__((aligned(64)));     \
            load_##S(f->S, b->at + at, c);                                                         \
            for (size_t l = 0; l < LANES; l++)                                                     \
                u[l] = pair_function_poly_##S(divide, b->q[at + l], b->x[at + l], c[0][l],         \
                                              c[1][l], c[2][l], c[3][l]);                          \
            for (int k = 0; k < ncomp; k++)                                                        \
                switch (5 * f->rank + component[k]) {                                              \
                    FUNCTION_CASE(0, 0, S)                                                         \
                    FUNCTION_CASE(1, 0, S)                                                         \
                    FUNCTION_CASE(1, 1, S)                                                         \
                    FUNCTION_CASE(1, 2, S)                                                         \
                    BETA_EACH(FUNCTION_CASE_2, S)                                                  \
                }                                                                                  \
        }                                                                                          \
    }                                                                                              \
    void SIMD_NAME(function_run_##S)(const struct pair_function *f, size_t n, int ncomp,           \
                                     const int *component, struct function_##S *b)                 \
    {                                                                                              \
        const struct pair_function g = *f;                                                         \
        for (size_t l = 0; l < n; l++)                                                             \
            b->at[l] +=                                                                            \
                4 * pair_function_cell_##S(&g, beta_r2_##S(b->d[0][l], b->d[1][l], b->d[2][l]),    \
                                           &b->x[l], &b->q[l]);                                    \
        if (g.rank)                                                                                \
            run_##S(1, f, n, ncomp, component, b);                                                 \
        else                                                                                       \
            run_##S(0, f, n, ncomp, component, b);                                                 \
    }
#define FUNCTION_CASE(RANK, COMPONENT, S)                                                          \
    case 5 * RANK + COMPONENT:                                                                     \
        value_##S(RANK, COMPONENT, b->d[0] + at, u, b->v[k] + at);                                 \
        break;
#define FUNCTION_CASE_2(C, NAME, WORDS, EVEN, S) FUNCTION_CASE(2, C, S)
FUNCTION_RUN(float, f32)
FUNCTION_RUN(double, f64)
