/* SPDX-License-Identifier: MIT */
/* simd_vec.h: defines vector types of the compiler, for X_simd.c files. For example,
 * SIMD_VECTOR(v8, double, 8) defines v8 and v8_u, two types of vectors of 8 doubles. The type v8 is
 * for values, local variables and tables, and must be aligned to the size of the vector, here 64
 * bytes. The type v8_u loads and stores vectors at any valid address of a double. A single type
 * with the lower alignment would fail, because gcc 14 at -O1 aligns local variables to 8 bytes but
 * moves them as if they were aligned to 64 bytes. The attribute may_alias is not used, because it
 * makes g4-cpu 2 % slower and vectors may alias their elements without it. */
#pragma once

#define SIMD_VECTOR(NAME, T, N)                                                                    \
    typedef T NAME __attribute__((vector_size((N) * sizeof(T))));                                  \
    typedef T NAME##_u __attribute__((vector_size((N) * sizeof(T)), aligned(sizeof(T))))

/* doubles per register */
#define SIMD_DOUBLES (SIMD_LEVEL >= 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2)

#define HOT static inline __attribute__((always_inline))

/* Each macro loads or stores a `vec`, a type of the including file, at any address of an
 * element. */
#define LOAD(p) (*(const vec_u *)(p))
#define STORE(p) (*(vec_u *)(p))
