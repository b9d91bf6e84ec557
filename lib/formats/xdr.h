/* SPDX-License-Identifier: MIT */
/* xdr.h: helps the readers of GROMACS XTC and TRR files, in which numbers are big-endian, lengths
 * are in nm, and a cell consists of three vectors. Private to lib/formats. */
#pragma once

#include "formats/format.h"
#include "formats/numbers.h"

#define XDR_NM_A 10.0 /* 1 nm in Å */

static inline int32_t xdr_i32(const unsigned char *p)
{
    return (int32_t)bytes_u32(p, true);
}

static inline float xdr_f32(const unsigned char *p)
{
    return bytes_f32(p, true);
}

/* Returns a number of 4 or 8 bytes. An f32 number is converted to the f64 number nearest to its
 * shortest decimal number. */
static inline double xdr_real(const unsigned char *p, size_t bytes)
{
    return bytes == 8 ? bytes_f64(p, true) : format_f32_decimal(xdr_f32(p));
}

/* Sets the cell of frame f from nine numbers in nm. Nine zeros mean that there is no cell. */
static inline void xdr_cell(const unsigned char *p, size_t bytes, struct format_frame *f)
{
    for (int k = 0; k < 9; k++) {
        f->cell[k] = xdr_real(p + (size_t)k * bytes, bytes) * XDR_NM_A;
        f->has_cell = f->has_cell || f->cell[k] != 0.0;
    }
}

/* Converts n numbers of 4 or 8 bytes to f32 or f64, and from nm to Å or from nm/ps to Å/ps. */
static inline void xdr_numbers(const unsigned char *p, size_t n, size_t bytes, void *to, bool f64)
{
    bool twice = bytes == 8 && !f64; /* round before and after scaling */
    SIMD_PICK(numbers_scale)(p, n, bytes == 8, true, twice ? 1.0 : XDR_NM_A, f64, to);
    for (size_t k = 0; k < n && twice; k++)
        ((float *)to)[k] *= (float)XDR_NM_A;
}
