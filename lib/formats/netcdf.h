/* SPDX-License-Identifier: MIT */
/* netcdf.h: reads the classic NetCDF formats (CDF-1, CDF-2, CDF-5). Private to lib/formats. A file
 * consists of a header, which names dimensions and variables, and of the variables. A record holds
 * one step of each variable that has the unlimited dimension. A file without such variables is read
 * as one record. The caller interprets the variables (netcdf_amber.c). The source is the NetCDF
 * user's guide, section "file format specifications". */
#pragma once

#include "formats/format.h"

enum { NETCDF_DIMS = 256, NETCDF_VARS = 1024, NETCDF_RANK = 8, NETCDF_NAME = 64 };
enum netcdf_type {
    NETCDF_CHAR = 2,
    NETCDF_INT = 4,
    NETCDF_FLOAT,
    NETCDF_DOUBLE,
    NETCDF_INT64 = 10,
    NETCDF_TYPES = 12
};

struct netcdf_dim {
    char name[NETCDF_NAME];
    uint64_t size; /* 0: unlimited */
};

struct netcdf_var {
    char name[NETCDF_NAME], units[NETCDF_NAME]; /* units: "" if not in the file */
    int type, rank, dim[NETCDF_RANK];
    double scale;  /* Factor for the values. The factor is the attribute scale_factor times the
                    * factor of the unit, which the caller sets. */
    uint64_t fill; /* Bit pattern of values that were never written. */
    bool own_fill; /* Whether the file defines the attribute _FillValue. */
    bool record;
    uint64_t begin, bytes; /* Offset of the variable in the file, and padded size of one record. */
    size_t at;             /* offset of the variable in a record */
};

struct netcdf {
    struct bytes *b;
    int version;
    uint64_t records; /* Number of records, or UINT64_MAX if the records extend to the end of the
                       * file. */
    char conventions[NETCDF_NAME], program[NETCDF_NAME];
    struct netcdf_dim *dims;
    struct netcdf_var *vars;
    int ndims, nvars;
    size_t record_bytes;
};

/* Reads the header into c, which must consist of zeros. Returns 0 on success, or -1 with an error
 * message in *e. Call netcdf_close afterwards, also if this function failed. */
int netcdf_open(struct netcdf *c, struct bytes *b, struct err *e);
void netcdf_close(struct netcdf *c);

/* Returns the variable with this name, or NULL. */
struct netcdf_var *netcdf_find(struct netcdf *c, const char *name);

/* Sets record_bytes and the offset `at` of each variable, and skips the data before the first
 * record. If `fixed` is true, the variables without the unlimited dimension form a single record.
 * Returns 0 on success, or -1 with an error message in *e. */
int netcdf_layout(struct netcdf *c, bool fixed, struct err *e);

/* These functions return value k of a variable in a record. The function netcdf_real returns the
 * number as stored, netcdf_number returns the shortest decimal for an f32 number, and netcdf_whole
 * returns an integer. */
double netcdf_real(const struct netcdf_var *v, const unsigned char *record, size_t k);
double netcdf_number(const struct netcdf_var *v, const unsigned char *record, size_t k);
int64_t netcdf_whole(const struct netcdf_var *v, const unsigned char *record, size_t k);

/* Converts n values, multiplied by v->scale, to f32 or f64. Returns the bits of the largest f32
 * magnitude, or 0 if unknown (numbers.h). */
uint32_t netcdf_numbers(const struct netcdf_var *v, const unsigned char *record, size_t n, bool f64,
                        void *to);

/* The function netcdf_is_fill returns true if value k was never written, and netcdf_fill returns
 * the index of the first value that was never written, or n if all n values were written. */
bool netcdf_is_fill(const struct netcdf_var *v, const unsigned char *record, size_t k);
size_t netcdf_fill(const struct netcdf_var *v, const unsigned char *record, size_t n);
