/* SPDX-License-Identifier: MIT */
/* simd_vec.h: the compiler's vector types, for X_simd.c files. For example, SIMD_VECTOR(v8, double,
 * 8) defines two types of 8 doubles, v8 and v8_u. The type v8 is for values, local variables and
 * tables. Every address in a pointer to v8 must have the alignment of the vector, here 64 bytes.
 * The type v8_u is for loads and stores at any valid address of a double. A single type with the
 * lower alignment fails, because gcc 14 at -O1 aligns local variables to 8 bytes but moves them as
 * if they were aligned to 64. The attribute may_alias is not used, because it makes g4-cpu 2 %
 * slower; vectors may alias their elements without it. */
#pragma once

#define SIMD_VECTOR(NAME, T, N)                                                                    \
    typedef T NAME __attribute__((vector_size((N) * sizeof(T))));                                  \
    typedef T NAME##_u __attribute__((vector_size((N) * sizeof(T)), aligned(sizeof(T))))

/* Number of doubles in a register at this level. */
#define SIMD_DOUBLES (SIMD_LEVEL >= 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2)

/* A function that is always inlined. */
#define HOT static inline __attribute__((always_inline))

/* The vector (type vec) at any valid address of an element. The type vec is defined in the file
 * that includes this header. */
#define LOAD(p) (*(const vec_u *)(p))
#define STORE(p) (*(vec_u *)(p))
