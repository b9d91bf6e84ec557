/* SPDX-License-Identifier: MIT */
/*
 * netcdf.h: private to lib/formats. The classic format of NetCDF (CDF-1, CDF-2, CDF-5): a header
 * that names dimensions and variables, then the variables. A record holds, one after the other, one
 * step of each variable that has the unlimited dimension. A file without such variables is taken as
 * one record. What the variables mean is up to the caller (netcdf_amber.c).
 * Source: NetCDF user's guide, "file format specifications".
 */
#ifndef MBF_NETCDF_H
#define MBF_NETCDF_H

#include "formats/format.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    uint64_t size; /* 0: the records */
};

struct netcdf_var {
    char name[NETCDF_NAME], units[NETCDF_NAME]; /* units: "" if the file names none */
    int type, rank, dim[NETCDF_RANK];
    double
        scale; /* the attribute scale_factor; the caller multiplies the factor of a unit into it */
    uint64_t fill; /* bytes, as the file has them, of a value that was never written */
    bool own_fill; /* the file states it (_FillValue) */
    bool record;
    uint64_t begin, bytes; /* in the file; of one record, padded */
    size_t at;             /* in a record */
};

struct netcdf {
    struct bytes *b;
    int version;
    uint64_t records; /* as the header states; UINT64_MAX: to the end of the file */
    char conventions[NETCDF_NAME], program[NETCDF_NAME];
    struct netcdf_dim *dims;
    struct netcdf_var *vars;
    int ndims, nvars;
    size_t record_bytes;
};

/* Reads the header into c, which is all zero. Returns 0, or -1 and sets *e. netcdf_close is due. */
int netcdf_open(struct netcdf *c, struct bytes *b, struct err *e);
void netcdf_close(struct netcdf *c);

/* The variable of this name, or NULL. */
struct netcdf_var *netcdf_find(struct netcdf *c, const char *name);

/* Finds out where each variable is in a record (`at`, record_bytes) and skips what is in front of
 * the first record. fixed: the variables without the unlimited dimension are the only record.
 * Returns 0, or -1 and sets *e. */
int netcdf_layout(struct netcdf *c, bool fixed, struct err *e);

/* Number k of a variable in a record: as it stands; an f32 as the shortest decimal; whole. */
double netcdf_real(const struct netcdf_var *v, const unsigned char *record, size_t k);
double netcdf_number(const struct netcdf_var *v, const unsigned char *record, size_t k);
int64_t netcdf_whole(const struct netcdf_var *v, const unsigned char *record, size_t k);

/* n numbers times v->scale, as f32 or f64. Returns the bits of the largest magnitude of the f32, or
 * 0 if it is not known (numbers.h). */
uint32_t netcdf_numbers(const struct netcdf_var *v, const unsigned char *record, size_t n, bool f64,
                        void *to);

/* Was number k never written? The first of n that was not; n: all were. */
bool netcdf_is_fill(const struct netcdf_var *v, const unsigned char *record, size_t k);
size_t netcdf_fill(const struct netcdf_var *v, const unsigned char *record, size_t n);

#ifdef __cplusplus
}
#endif
#endif
