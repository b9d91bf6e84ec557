/* SPDX-License-Identifier: MIT */
/*
 * simd_vec.h: the compiler's vector types, for X_simd.c files.
 *
 * SIMD_VECTOR(v8, double, 8) defines two types of 8 doubles. v8 is for values, locals and tables;
 * it has the alignment of the vector, here 64 bytes, and so must every address in a pointer to v8.
 * v8_u is for loads and stores through a pointer to doubles at any valid address of a double. (With
 * one type of the lower alignment for both, gcc 14 at -O1 aligns locals to 8 bytes but moves them
 * as if aligned to 64. The vectors may alias their elements; may_alias, which makes the compiler
 * reload everything after a store, made g4-cpu 2 % slower.)
 */
#ifndef MBF_SIMD_VEC_H
#define MBF_SIMD_VEC_H

#define SIMD_VECTOR(NAME, T, N)                                                                    \
    typedef T NAME __attribute__((vector_size((N) * sizeof(T))));                                  \
    typedef T NAME##_u __attribute__((vector_size((N) * sizeof(T)), aligned(sizeof(T))))

#endif
