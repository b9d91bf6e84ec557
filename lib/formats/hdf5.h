/* SPDX-License-Identifier: MIT */
/* hdf5.h: reads data sets and attributes of an HDF5 file by name. Private to lib/formats.
 *
 * libhdf5 is loaded when the first HDF5 file is opened. Because libhdf5 may crash and does not
 * return memory, these functions run in a separate process (format_process.h), which ends without
 * cleanup.
 *
 * Every function distinguishes an absent object, as reported by libhdf5, from a failed read. Errors
 * name the object, then what was expected and found. Their status is ERR_BAD for damaged or
 * unsupported files, ERR_MACHINE for failed reads and locked files, or ERR_MEMORY.
 * Source: HDF5 reference manual, 1.10. */
#ifndef MBF_HDF5_H
#define MBF_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HDF5_PATH = 256, HDF5_WORD = 64, HDF5_RANK = 4 };
enum hdf5_kind { HDF5_REAL, HDF5_WHOLE, HDF5_ENUM, HDF5_TEXT, HDF5_OTHER };

struct hdf5_file {
    const char *path;
    size_t max_mem; /* bytes; 0: no limit */
    bool external;  /* follow links to other files and data in other files */
    int depth;      /* nesting depth of virtual data sets */
    int64_t id;
};

/* A data set, whose first axis counts rows or frames. All zeros: no data set. */
struct hdf5_set {
    char path[HDF5_PATH];
    int64_t id;
    int rank;
    uint64_t shape[HDF5_RANK];
    enum hdf5_kind kind;
    size_t bytes; /* bytes of a number or text */
    enum { HDF5_ALL_WRITTEN, HDF5_SOME_WRITTEN, HDF5_NONE_WRITTEN } written;
    uint64_t chunk[HDF5_RANK]; /* chunk shape, for HDF5_SOME_WRITTEN */
    bool has_fill;             /* the file defines a nonzero fill value for unwritten data */
    double fill;               /* the fill value, or 0 */
};

/* Opens f->path. Relative names of other files refer to its folder. Returns 0 or -1. */
int hdf5_open(struct hdf5_file *f, struct err *e) __attribute__((warn_unused_result));

/* Returns 1 if the object at this path exists, through groups and links, and 0 if it does not.
 * Returns -1 if the file cannot be read, a link is broken, or a link leads to another file without
 * f->external. */
int hdf5_has(const struct hdf5_file *f, const char *path, struct err *e)
    __attribute__((warn_unused_result));
/* Finds the name of the k-th member of a group. *who is a number that identifies the object, so
 * that several names of one object can be recognised. Returns 1, 0 if there is no such member, or
 * -1. */
int hdf5_member(const struct hdf5_file *f, const char *group, uint64_t k, char name[HDF5_WORD],
                uint64_t *who, struct err *e) __attribute__((warn_unused_result));

/* Opens a data set of 0 to HDF5_RANK axes. A chunk cache, limited by f->max_mem, allows row-by-row
 * reading to inflate each chunk once. Returns 0 or -1. */
int hdf5_set(const struct hdf5_file *f, const char *path, struct hdf5_set *s, struct err *e)
    __attribute__((warn_unused_result));
/* Returns 1 if this row (or HDF5_ALL rows) was written completely, 0 if not, or -1. */
int hdf5_written(const struct hdf5_set *s, int64_t row, struct err *e)
    __attribute__((warn_unused_result));

/* Reads `rows` rows (all axes but the first) from index `row` on, or HDF5_ALL rows, as numbers of
 * type `as`. Does not check whether the rows were written. Returns 0 or -1. */
enum hdf5_as { HDF5_F32, HDF5_F64, HDF5_I64 };
enum { HDF5_ALL = -1 };
int hdf5_read(const struct hdf5_set *s, int64_t row, uint64_t rows, enum hdf5_as as, void *to,
              struct err *e) __attribute__((warn_unused_result));

/* Reads the texts of one row of a set, or of HDF5_ALL rows. *to is a malloc'ed array of *n texts,
 * each truncated to HDF5_WORD - 1 bytes. Returns 0 or -1. */
int hdf5_texts(const struct hdf5_file *f, const struct hdf5_set *s, int64_t row,
               char (**to)[HDF5_WORD], size_t *n, struct err *e)
    __attribute__((warn_unused_result));
/* Reads the texts of an attribute of the object at path. Returns 0 (with *n = 0 if there is no such
 * attribute), 1 and sets *e if the attribute is not text, or -1. */
int hdf5_attribute(const struct hdf5_file *f, const char *path, const char *attribute,
                   char (**to)[HDF5_WORD], size_t *n, struct err *e)
    __attribute__((warn_unused_result));
/* Reads a numeric attribute into *v, which is unchanged if there is no such attribute. An f32 is
 * converted to its shortest decimal. Returns 0 or -1. */
int hdf5_number(const struct hdf5_file *f, const char *path, const char *attribute, double *v,
                struct err *e) __attribute__((warn_unused_result));
/* Finds name and value of member k of a set of HDF5_ENUM. Returns 1, 0 if there is none, or -1. */
int hdf5_enum(const struct hdf5_set *s, unsigned k, char name[HDF5_WORD], int64_t *value,
              struct err *e) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
