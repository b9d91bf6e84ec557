/* SPDX-License-Identifier: MIT */
/* alpha_field.h: fields of dipoles, from the tensors of all pairs. Private to lib/alpha. */
#ifndef MBF_ALPHA_FIELD_H
#define MBF_ALPHA_FIELD_H

#include <stddef.h>

#include "base/simd.h"

/*
 * out = T mu for three sets of dipoles. Element of set d, axis a and site i: [(3 d + a) stride + i];
 * stride >= n + 8, mu 0 behind n. table: T_xz, T_xy, T_yz, (T_xx - T_yy)/2 and T_zz, without their
 * trace, of all pairs i < j row by row, one component after another. trace: a third of it, of every
 * pair. Behind n out is anything.
 */
SIMD_DECLARE(void, alpha_field,
             (size_t n, size_t stride, const double *table, double trace, const double *mu,
              double *out));

#endif
