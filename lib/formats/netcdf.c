/* SPDX-License-Identifier: MIT */
#include "formats/netcdf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/numbers.h"

enum { TAG_DIM = 10, TAG_VAR = 11, TAG_ATT = 12 };
static const unsigned char type_bytes[NETCDF_TYPES] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

/* Default fill values of the NetCDF library. */
#define FILL_INT 0x80000001u
#define FILL_INT64 0x8000000000000002u
#define FILL_F32 0x7cf00000u         /* 9.96921e+36 */
#define FILL_F64 0x479e000000000000u /* the same value as f64 */

/* ---- the header, piece by piece */

static int get(struct netcdf *c, size_t n, const unsigned char **p, struct err *e)
{
    return bytes_get(c->b, n, "the header", p, e);
}

/* Reads an unsigned integer of 4 bytes, or of 8 if `wide` is set. */
static int get_uint(struct netcdf *c, bool wide, uint64_t *v, struct err *e)
{
    const unsigned char *p;
    if (get(c, wide ? 8 : 4, &p, e) != 0)
        return -1;
    *v = wide ? bytes_u64(p, true) : bytes_u32(p, true);
    return 0;
}

/* Reads a count or size of 4 bytes (8 in CDF-5), at most max. */
static int get_count(struct netcdf *c, uint64_t *v, uint64_t max, struct err *e)
{
    if (get_uint(c, c->version == 5, v, e) != 0)
        return -1;
    return *v <= max
               ? 0
               : bytes_bad(c->b, e, "expected a count of at most %llu in the header, found %llu",
                           (unsigned long long)max, (unsigned long long)*v);
}

/* Reads a name, truncated to NETCDF_NAME - 1 bytes. */
static int get_name(struct netcdf *c, char name[NETCDF_NAME], struct err *e)
{
    const unsigned char *p;
    uint64_t n;
    if (get_count(c, &n, 65536, e) != 0 || get(c, (size_t)(n + 3) / 4 * 4, &p, e) != 0)
        return -1;
    size_t some = n < NETCDF_NAME - 1 ? (size_t)n : NETCDF_NAME - 1;
    memset(name, 0, NETCDF_NAME);
    if (some)
        memcpy(name, p, some);
    return 0;
}

/* Reads the tag and length of a list. An absent list has length 0. */
static int get_list(struct netcdf *c, uint32_t tag, uint64_t max, uint64_t *n, struct err *e)
{
    uint64_t found;
    if (get_uint(c, false, &found, e) != 0 || get_count(c, n, max, e) != 0)
        return -1;
    if (found == tag || (found == 0 && *n == 0))
        return 0;
    return bytes_bad(c->b, e, "damaged header: expected a list with tag %u, found tag %u", tag,
                     (unsigned)found);
}

/* Reads the attributes of a variable v or, if v is NULL, of the file, and stores the attributes
 * that are needed. */
static int get_attributes(struct netcdf *c, struct netcdf_var *v, struct err *e)
{
    uint64_t count, n;
    if (get_list(c, TAG_ATT, 65536, &count, e) != 0)
        return -1;
    for (uint64_t k = 0; k < count; k++) {
        char name[NETCDF_NAME];
        const unsigned char *p;
        uint64_t type;
        if (get_name(c, name, e) != 0 || get_uint(c, false, &type, e) != 0 ||
            get_count(c, &n, 1 << 24, e) != 0)
            return -1;
        if (type == 0 || type >= NETCDF_TYPES)
            return bytes_bad(c->b, e, "damaged header: attribute %s has the unknown type %u", name,
                             (unsigned)type);
        size_t bytes = (size_t)n * type_bytes[type];
        if (get(c, (bytes + 3) / 4 * 4, &p, e) != 0)
            return -1;
        char *text = v && strcmp(name, "units") == 0          ? v->units
                     : !v && strcmp(name, "Conventions") == 0 ? c->conventions
                     : !v && strcmp(name, "program") == 0     ? c->program
                                                              : NULL;
        if (text && type == NETCDF_CHAR)
            snprintf(text, NETCDF_NAME, "%.*s", (int)n, n ? (const char *)p : "");
        if (v && strcmp(name, "scale_factor") == 0 && n == 1 &&
            (type == NETCDF_FLOAT || type == NETCDF_DOUBLE))
            v->scale =
                type == NETCDF_FLOAT ? format_f32_decimal(bytes_f32(p, true)) : bytes_f64(p, true);
        if (v && strcmp(name, "_FillValue") == 0 && n == 1 && type_bytes[type] >= 4) {
            v->fill = type_bytes[type] == 8 ? bytes_u64(p, true) : bytes_u32(p, true);
            v->own_fill = true;
        }
    }
    return 0;
}

static int get_dims(struct netcdf *c, struct err *e)
{
    uint64_t n;
    if (get_list(c, TAG_DIM, NETCDF_DIMS, &n, e) != 0)
        return -1;
    c->dims = calloc((size_t)n + 1, sizeof *c->dims);
    if (!c->dims)
        return err_memory(e, "the header");
    for (; c->ndims < (int)n; c->ndims++)
        if (get_name(c, c->dims[c->ndims].name, e) != 0 ||
            get_count(c, &c->dims[c->ndims].size, UINT64_MAX / 2, e) != 0)
            return -1;
    return 0;
}

static int get_var(struct netcdf *c, struct netcdf_var *v, struct err *e)
{
    uint64_t rank, id, given, type;
    v->scale = 1.0;
    if (get_name(c, v->name, e) != 0 || get_count(c, &rank, NETCDF_RANK, e) != 0)
        return -1;
    v->rank = (int)rank;
    v->bytes = 1;
    for (int k = 0; k < v->rank; k++) {
        if (get_count(c, &id, UINT64_MAX, e) != 0)
            return -1;
        if (id >= (uint64_t)c->ndims)
            return bytes_bad(c->b, e, "damaged header: variable %s has the unknown dimension %llu",
                             v->name, (unsigned long long)id);
        v->dim[k] = (int)id;
        uint64_t size = c->dims[id].size;
        v->record = v->record || (k == 0 && size == 0);
        if (!(k == 0 && size == 0) && __builtin_mul_overflow(v->bytes, size, &v->bytes))
            return bytes_bad(c->b, e, "damaged header: variable %s is too large", v->name);
    }
    if (get_attributes(c, v, e) != 0 || get_uint(c, false, &type, e) != 0 ||
        get_count(c, &given, UINT64_MAX, e) != 0)
        return -1;
    if (type == 0 || type >= NETCDF_TYPES ||
        __builtin_mul_overflow(v->bytes, type_bytes[type], &v->bytes) || v->bytes > UINT64_MAX / 4)
        return bytes_bad(c->b, e, "damaged header: variable %s has an invalid size or type (%u)",
                         v->name, (unsigned)type);
    v->type = (int)type;
    v->bytes = (v->bytes + 3) / 4 * 4;
    if (!v->own_fill)
        v->fill = type == NETCDF_INT      ? FILL_INT
                  : type == NETCDF_INT64  ? FILL_INT64
                  : type == NETCDF_DOUBLE ? FILL_F64
                                          : FILL_F32;
    return get_uint(c, c->version != 1, &v->begin, e);
}

static int get_vars(struct netcdf *c, struct err *e)
{
    uint64_t n;
    if (get_list(c, TAG_VAR, NETCDF_VARS, &n, e) != 0)
        return -1;
    c->vars = calloc((size_t)n + 1, sizeof *c->vars);
    if (!c->vars)
        return err_memory(e, "the header");
    for (; c->nvars < (int)n; c->nvars++)
        if (get_var(c, &c->vars[c->nvars], e) != 0)
            return -1;
    return 0;
}

int netcdf_open(struct netcdf *c, struct bytes *b, struct err *e)
{
    const unsigned char *p;
    c->b = b;
    if (get(c, 4, &p, e) != 0)
        return -1;
    c->version = p[3];
    if (get_uint(c, c->version == 5, &c->records, e) != 0)
        return -1;
    if (c->version != 5 && c->records == UINT32_MAX)
        c->records = UINT64_MAX;
    return get_dims(c, e) != 0 || get_attributes(c, NULL, e) != 0 || get_vars(c, e) != 0 ? -1 : 0;
}

void netcdf_close(struct netcdf *c)
{
    free(c->dims);
    free(c->vars);
}

struct netcdf_var *netcdf_find(struct netcdf *c, const char *name)
{
    for (int k = 0; k < c->nvars; k++)
        if (strcmp(c->vars[k].name, name) == 0)
            return &c->vars[k];
    return NULL;
}

int netcdf_layout(struct netcdf *c, bool fixed, struct err *e)
{
    uint64_t first = UINT64_MAX, size = 0;
    for (int k = 0; k < c->nvars; k++)
        if (c->vars[k].record != fixed && c->vars[k].begin < first)
            first = c->vars[k].begin;
    for (int k = 0; k < c->nvars; k++)
        if (c->vars[k].record != fixed && __builtin_add_overflow(size, c->vars[k].bytes, &size))
            size = UINT64_MAX;
    for (int k = 0; k < c->nvars; k++) {
        struct netcdf_var *v = &c->vars[k];
        bool in = v->record != fixed;
        if (in && (size > UINT64_MAX / 4 || v->begin - first > size ||
                   v->bytes > size - (v->begin - first)))
            return err_bad(e, "damaged header: the position or size of variable %s is invalid",
                           v->name);
        v->at = in ? (size_t)(v->begin - first) : 0;
    }
    c->record_bytes = (size_t)size;
    if (first < c->b->offset)
        return err_bad(e, "damaged header: the first record begins inside the header");
    bytes_whole(c->b, c->record_bytes);
    return bytes_skip(c->b, first - c->b->offset, "the data before the records", e);
}

/* ---- numbers */

double netcdf_real(const struct netcdf_var *v, const unsigned char *record, size_t k)
{
    const unsigned char *p = record + v->at;
    return v->type == NETCDF_DOUBLE ? bytes_f64(p + 8 * k, true)
                                    : (double)bytes_f32(p + 4 * k, true);
}

double netcdf_number(const struct netcdf_var *v, const unsigned char *record, size_t k)
{
    double x = netcdf_real(v, record, k);
    return v->type == NETCDF_DOUBLE ? x : format_f32_decimal((float)x);
}

int64_t netcdf_whole(const struct netcdf_var *v, const unsigned char *record, size_t k)
{
    const unsigned char *p = record + v->at;
    return v->type == NETCDF_INT64 ? (int64_t)bytes_u64(p + 8 * k, true)
                                   : (int32_t)bytes_u32(p + 4 * k, true);
}

uint32_t netcdf_numbers(const struct netcdf_var *v, const unsigned char *record, size_t n, bool f64,
                        void *to)
{
    return SIMD_PICK(numbers_scale)(record + v->at, n, v->type == NETCDF_DOUBLE, true, v->scale,
                                    f64, to);
}

bool netcdf_is_fill(const struct netcdf_var *v, const unsigned char *record, size_t k)
{
    const unsigned char *p = record + v->at;
    return type_bytes[v->type] == 8 ? bytes_u64(p + 8 * k, true) == v->fill
                                    : bytes_u32(p + 4 * k, true) == v->fill;
}

size_t netcdf_fill(const struct netcdf_var *v, const unsigned char *record, size_t n)
{
    const unsigned char *p = record + v->at;
    uint64_t fill8 = __builtin_bswap64(v->fill), found = 0;
    uint32_t fill4 = __builtin_bswap32((uint32_t)v->fill);
    bool wide = type_bytes[v->type] == 8;
    if (wide)
        for (size_t k = 0; k < n; k++)
            found |= bytes_u64(p + 8 * k, false) == fill8;
    else
        for (size_t k = 0; k < n; k++)
            found |= bytes_u32(p + 4 * k, false) == fill4;
    for (size_t k = 0; found && k < n; k++)
        if (netcdf_is_fill(v, record, k))
            return k;
    return n;
}
