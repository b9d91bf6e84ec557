/* SPDX-License-Identifier: MIT */
/* netcdf.h: reads files in the classic NetCDF formats (CDF-1, CDF-2, CDF-5). Private to
 * lib/formats. A NetCDF file consists of a header, which names dimensions and variables, and of the
 * data of the variables. A record holds one step of every variable that has the unlimited
 * dimension. A file without variables that have the unlimited dimension is read as one record. The
 * caller interprets the variables (netcdf_amber.c). For the formats, see the section "file format
 * specifications" of the NetCDF user's guide. */
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
    double scale;  /* Factor for the values. The factor of a variable is its attribute scale_factor
                    * times the factor of its unit, which the caller sets. */
    uint64_t fill; /* Bit pattern of values that were never written. */
    bool own_fill; /* Whether the file defines the attribute _FillValue. */
    bool record;
    uint64_t begin, bytes; /* Position of the variable in the file, and padded size of one of its
                            * records, in bytes. */
    size_t at;             /* offset of the variable within a record, in bytes */
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

/* Reads the header of the file into c, which must consist of zeros. Returns 0 on success, or -1
 * with an error message in *e. Call netcdf_close afterwards, even if this function fails. */
int netcdf_open(struct netcdf *c, struct bytes *b, struct err *e);
void netcdf_close(struct netcdf *c);

/* Returns the variable with this name, or NULL if there is none. */
struct netcdf_var *netcdf_find(struct netcdf *c, const char *name);

/* Sets record_bytes and the offset `at` of each variable, and skips the data that precede the first
 * record. If `fixed` is true, the variables without the unlimited dimension form a single record.
 * Returns 0 on success, or -1 with an error message in *e. */
int netcdf_layout(struct netcdf *c, bool fixed, struct err *e);

/* The following functions return value k of a variable in a record. The function netcdf_real
 * returns the number as stored, netcdf_number returns the shortest decimal number for an f32
 * number, and netcdf_whole returns an integer. */
double netcdf_real(const struct netcdf_var *v, const unsigned char *record, size_t k);
double netcdf_number(const struct netcdf_var *v, const unsigned char *record, size_t k);
int64_t netcdf_whole(const struct netcdf_var *v, const unsigned char *record, size_t k);

/* Converts n values, multiplied by v->scale, to f32 or f64. Returns the bits of the largest f32
 * magnitude, or 0 if this magnitude is unknown (numbers.h). */
uint32_t netcdf_numbers(const struct netcdf_var *v, const unsigned char *record, size_t n, bool f64,
                        void *to);

/* The function netcdf_is_fill returns true if value k was never written. The function netcdf_fill
 * returns the index of the first of n values that was never written, or n if all were written. */
bool netcdf_is_fill(const struct netcdf_var *v, const unsigned char *record, size_t k);
size_t netcdf_fill(const struct netcdf_var *v, const unsigned char *record, size_t n);
