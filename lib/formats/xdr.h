/* SPDX-License-Identifier: MIT */
/* xdr.h: code shared by the readers of GROMACS XTC and TRR files. Numbers are big-endian, lengths
 * are in nm, and a cell is three vectors. Private to lib/formats. */
#pragma once

#include "formats/format.h"

#define XDR_NM_A 10.0 /* 1 nm in Å */

static inline int32_t xdr_i32(const unsigned char *p)
{
    return (int32_t)bytes_u32(p, true);
}

static inline float xdr_f32(const unsigned char *p)
{
    return bytes_f32(p, true);
}

/* Returns a number of 4 or 8 bytes. An f32 is converted to the f64 nearest to its shortest
 * decimal. */
static inline double xdr_real(const unsigned char *p, size_t bytes)
{
    return bytes == 8 ? bytes_f64(p, true) : format_f32_decimal(xdr_f32(p));
}

/* Sets the cell of f from nine numbers in nm. All zeros mean no cell. */
static inline void xdr_cell(const unsigned char *p, size_t bytes, struct format_frame *f)
{
    for (int k = 0; k < 9; k++) {
        f->cell[k] = xdr_real(p + (size_t)k * bytes, bytes) * XDR_NM_A;
        f->has_cell = f->has_cell || f->cell[k] != 0.0;
    }
}

/* Converts n numbers of 4 or 8 bytes to f32 or f64. The unit changes from nm to Å, or from nm/ps to
 * Å/ps. */
static inline void xdr_numbers(const unsigned char *p, size_t n, size_t bytes, void *to, bool f64)
{
    float *f = (float *)to;
    double *d = (double *)to;
    if (f64 && bytes == 8)
        for (size_t k = 0; k < n; k++)
            d[k] = bytes_f64(p + 8 * k, true) * XDR_NM_A;
    else if (f64)
        for (size_t k = 0; k < n; k++)
            d[k] = (double)xdr_f32(p + 4 * k) * XDR_NM_A;
    else if (bytes == 8)
        for (size_t k = 0; k < n; k++)
            f[k] = (float)bytes_f64(p + 8 * k, true) * (float)XDR_NM_A;
    else
        for (size_t k = 0; k < n; k++)
            f[k] = xdr_f32(p + 4 * k) * (float)XDR_NM_A;
}
