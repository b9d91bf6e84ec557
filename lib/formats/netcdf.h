/* SPDX-License-Identifier: MIT */
/* netcdf.h: reads files in the classic NetCDF formats (CDF-1, CDF-2, CDF-5). Private to
 * lib/formats. The header of a NetCDF file names dimensions and variables, and the data follow. A
 * record holds one step of every variable that has the unlimited dimension. A file in which no
 * variable has the unlimited dimension is read as one record. The caller interprets the variables
 * (netcdf_amber.c). For the formats, see the section "file format specifications" of the NetCDF
 * user's guide. */
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
    char name[NETCDF_NAME], units[NETCDF_NAME]; /* "": not in the file */
    int type, rank, dim[NETCDF_RANK];
    /* Values are multiplied by `scale`, the attribute scale_factor times the factor of the unit,
     * which the caller sets. */
    double scale;
    uint64_t fill; /* bits of unset values */
    bool own_fill; /* _FillValue defined */
    bool record;
    /* The data of the variable start at byte `begin` of the file and take `bytes` bytes per
     * record. */
    uint64_t begin, bytes;
    size_t at; /* byte within a record */
};

struct netcdf {
    struct bytes *b;
    int version;
    uint64_t records; /* UINT64_MAX: to the end */
    char conventions[NETCDF_NAME], program[NETCDF_NAME];
    struct netcdf_dim *dims;
    struct netcdf_var *vars;
    int ndims, nvars;
    size_t record_bytes;
};

/* Reads the header of the file into c, which must be zeroed. Returns 0, or -1 with an error message
 * in *e. Call netcdf_close afterwards, even if the header cannot be read. */
int netcdf_open(struct netcdf *c, struct bytes *b, struct err *e);
void netcdf_close(struct netcdf *c);

/* NULL if not found */
struct netcdf_var *netcdf_find(struct netcdf *c, const char *name);

/* Sets record_bytes and the offset `at` of each variable, and skips the data before the first
 * record. If `fixed` is true, the variables without the unlimited dimension form a single record.
 * Returns 0, or -1 with an error message in *e. */
int netcdf_layout(struct netcdf *c, bool fixed, struct err *e);

/* Returns element k of a variable in a record, as stored (netcdf_real), as the shortest decimal
 * number for an f32 number (netcdf_number) or as an integer (netcdf_whole). */
double netcdf_real(const struct netcdf_var *v, const unsigned char *record, size_t k);
double netcdf_number(const struct netcdf_var *v, const unsigned char *record, size_t k);
int64_t netcdf_whole(const struct netcdf_var *v, const unsigned char *record, size_t k);

/* Converts n values, multiplied by v->scale, to f32 or f64. Returns the bits of the largest f32
 * magnitude, or 0 if the magnitude is unknown (numbers.h). */
uint32_t netcdf_numbers(const struct netcdf_var *v, const unsigned char *record, size_t n, bool f64,
                        void *to);

/* Return true if value k was never written (netcdf_is_fill), and the index of the first of n values
 * that was never written, or n if all were written (netcdf_fill). */
bool netcdf_is_fill(const struct netcdf_var *v, const unsigned char *record, size_t k);
size_t netcdf_fill(const struct netcdf_var *v, const unsigned char *record, size_t n);
