/* SPDX-License-Identifier: MIT */
/* simd_vec.h: defines the vector types of the compiler, for X_simd.c files. For example,
 * SIMD_VECTOR(v8, double, 8) defines two types of vectors of 8 doubles, v8 and v8_u. Use the type
 * v8 for values, local variables and tables, which must be aligned to the size of the vector, here
 * 64 bytes. Use the type v8_u to load and store vectors at any valid address of a double. A single
 * type with the lower alignment would fail, because gcc 14 at -O1 aligns local variables to 8 bytes
 * but moves them as if they were aligned to 64 bytes. The attribute may_alias is not used, because
 * it makes g4-cpu 2 % slower and vectors may alias their elements without it. */
#pragma once

#define SIMD_VECTOR(NAME, T, N)                                                                    \
    typedef T NAME __attribute__((vector_size((N) * sizeof(T))));                                  \
    typedef T NAME##_u __attribute__((vector_size((N) * sizeof(T)), aligned(sizeof(T))))

/* Number of doubles in a register at this level. */
#define SIMD_DOUBLES (SIMD_LEVEL >= 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2)

/* Marks a function that is always inlined. */
#define HOT static inline __attribute__((always_inline))

/* Loads or stores a vector at any valid address of an element. The file that includes this header
 * must define the type `vec`. */
#define LOAD(p) (*(const vec_u *)(p))
#define STORE(p) (*(vec_u *)(p))
