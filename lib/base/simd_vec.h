/* SPDX-License-Identifier: MIT */
/*
 * simd_vec.h: the compiler's vectors, for X_simd.c files.
 *
 * SIMD_VECTOR(v8, double, 8) makes two types of 8 doubles. v8 is for values, locals and tables: it
 * has the vector's own alignment, 64 bytes here, and a pointer to one is a promise of it. v8_u is
 * for memory that holds doubles, at any address of a double: only to load and to store through a
 * pointer. (One type for both, with the lower alignment, has gcc 14 at -O1 keep locals at 8 bytes
 * and move them as if at 64. Vectors alias what they are made of: may_alias, which has the compiler
 * read everything anew after a store, cost 2 % of g4-cpu.)
 */
#ifndef MBF_SIMD_VEC_H
#define MBF_SIMD_VEC_H

#define SIMD_VECTOR(NAME, T, N)                                                                    \
    typedef T NAME __attribute__((vector_size((N) * sizeof(T))));                                  \
    typedef T NAME##_u __attribute__((vector_size((N) * sizeof(T)), aligned(sizeof(T))))

#endif
