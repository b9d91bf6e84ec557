/* SPDX-License-Identifier: MIT */
/* This inner loop of g4-cpu computes the lag products of one half tile. Registers hold LB lags
 * times 4 time steps. Each accumulator adds the time steps in ascending order. The result therefore
 * does not depend on LB, which differs between SIMD levels. */
#include "g4/g4_engine.h"

#include "base/simd_x86.h"

#define HOT static inline __attribute__((always_inline))

#if SIMD_LEVEL == 4
typedef __m512d vec;
#define WIDTH 8
#define LAG_BLOCK 14
#define vec_load _mm512_loadu_pd
#define vec_store _mm512_storeu_pd
#define vec_sum _mm512_add_pd
#define vec_plus(a, x, y) _mm512_add_pd(a, _mm512_mul_pd(x, y))
#define vec_fused(a, x, y) _mm512_fmadd_pd(x, y, a)
#elif SIMD_LEVEL == 3
typedef __m256d vec;
#define WIDTH 4
#define LAG_BLOCK 9
#define vec_load _mm256_loadu_pd
#define vec_store _mm256_storeu_pd
#define vec_sum _mm256_add_pd
#define vec_plus(a, x, y) _mm256_add_pd(a, _mm256_mul_pd(x, y))
#define vec_fused(a, x, y) _mm256_fmadd_pd(x, y, a)
#else
typedef __m128d vec;
#define WIDTH 2
#define LAG_BLOCK 9
#define vec_load _mm_loadu_pd
#define vec_store _mm_storeu_pd
#define vec_sum _mm_add_pd
#define vec_plus(a, x, y) _mm_add_pd(a, _mm_mul_pd(x, y))
#define vec_fused vec_plus
#endif

/* Does one sweep over times [from, from + count rounded down to tb) with lb accumulators in
 * registers. Returns the end of the sweep. */
HOT size_t lag_sweep(int lb, int tb, int fused, size_t stride, const double *x, const double *y,
                     size_t from, size_t n, vec *a)
{
    size_t t = from;
    for (; t + (size_t)tb <= n; t += (size_t)tb) {
        vec xv[4];
#pragma GCC unroll 4
        for (int d = 0; d < tb; d++)
            xv[d] = vec_load(x + (t + (size_t)d) * stride);
#pragma GCC unroll 20
        for (int m = 0; m < lb + tb - 1; m++) {
            vec yv = vec_load(y + (t + (size_t)m) * stride);
#pragma GCC unroll 4
            for (int d = 0; d < tb; d++)
                if (m - d >= 0 && m - d < lb)
                    a[m - d] =
                        fused ? vec_fused(a[m - d], xv[d], yv) : vec_plus(a[m - d], xv[d], yv);
        }
    }
    return t;
}

HOT void lag_block(int lb, int fused, size_t stride, const double *x, const double *y, size_t n,
                   double *acc)
{
    vec a[LAG_BLOCK];
#pragma GCC unroll 16
    for (int l = 0; l < lb; l++)
        a[l] = vec_load(acc + l * G4_HALF);
    size_t t = lag_sweep(lb, 4, fused, stride, x, y, 0, n, a);
    lag_sweep(lb, 1, fused, stride, x, y, t, n, a);
#pragma GCC unroll 16
    for (int l = 0; l < lb; l++)
        vec_store(acc + l * G4_HALF, a[l]);
}

#define LAG_CASE(lb)                                                                               \
    case lb: lag_block(lb <= LAG_BLOCK ? lb : 1, fused, stride, x, y, n, acc); break

/* Chooses blocks of nearly equal size, because a single remaining lag would have to wait for its
 * own additions. */
HOT void lag_all(int fused, size_t stride, const double *x, const double *y, size_t n, size_t lags,
                 double *acc)
{
    for (size_t left = (lags + LAG_BLOCK - 1) / LAG_BLOCK; left > 0; left--) {
        size_t lb = (lags + left - 1) / left;
        switch (lb) {
            LAG_CASE(1);
            LAG_CASE(2);
            LAG_CASE(3);
            LAG_CASE(4);
            LAG_CASE(5);
            LAG_CASE(6);
            LAG_CASE(7);
            LAG_CASE(8);
            LAG_CASE(9);
            LAG_CASE(10);
            LAG_CASE(11);
            LAG_CASE(12);
            LAG_CASE(13);
            LAG_CASE(14);
        }
        lags -= lb;
        y += lb * stride;
        acc += lb * G4_HALF;
    }
}

void SIMD_NAME(g4_lags)(const double *x, const double *y, int every, size_t n, size_t lags,
                        int fused, double *acc)
{
    for (int w = 0; w < G4_HALF; w += WIDTH) {
        if (every == 2 && fused)
            lag_all(1, 2 * G4_HALF, x + w, y + w, n, lags, acc + w);
        else if (every == 2)
            lag_all(0, 2 * G4_HALF, x + w, y + w, n, lags, acc + w);
        else if (fused)
            lag_all(1, G4_HALF, x + w, y + w, n, lags, acc + w);
        else
            lag_all(0, G4_HALF, x + w, y + w, n, lags, acc + w);
    }
}

void SIMD_NAME(g4_phases)(const double *x, size_t n, double *u, double *v)
{
    for (size_t k = 0; k < n; k++)
        for (int w = 0; w < G4_HALF; w += WIDTH) {
            const double *at = x + 2 * k * G4_HALF + w;
            vec odd = vec_load(at + G4_HALF);
            vec_store(u + k * G4_HALF + w, vec_sum(vec_load(at), odd));
            vec_store(v + k * G4_HALF + w, vec_sum(odd, vec_load(at + 2 * G4_HALF)));
        }
}
