/* SPDX-License-Identifier: MIT */
/* hdf5.h: reads data sets and attributes of an HDF5 file by name. Private to lib/formats.
 *
 * The library libhdf5 is loaded when the first HDF5 file is opened. HDF5 files are read in a
 * separate process (format_process.h), which ends without freeing memory, because libhdf5 may crash
 * and does not free its memory.
 *
 * Every function distinguishes an object that does not exist from a failed read. An error message
 * begins with the name of the object. The status of an error is ERR_BAD for damaged or unsupported
 * files, ERR_MACHINE for failed reads and locked files, and ERR_MEMORY if memory runs out. The
 * format is described in the HDF5 reference manual, version 1.10. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { HDF5_PATH = 256, HDF5_WORD = 64, HDF5_RANK = 4 };
enum hdf5_as { HDF5_F32, HDF5_F64, HDF5_I64 };
enum hdf5_kind { HDF5_REAL, HDF5_WHOLE, HDF5_ENUM, HDF5_TEXT, HDF5_OTHER };

struct hdf5_file {
    const char *path;
    size_t max_mem; /* bytes; 0: no limit */
    bool external;  /* Links to other files are followed, and data in other files are read. */
    int depth;      /* depth of nested virtual data sets */
    int64_t id;
};

/* A data set whose first axis is the index of a row or frame, or zeros for no data set. */
struct hdf5_set {
    char path[HDF5_PATH];
    int64_t id;
    int rank;
    uint64_t shape[HDF5_RANK];
    enum hdf5_kind kind;
    size_t bytes; /* of one number or text */
    bool plain;   /* Each row is one chunk of unchanged numbers of type `as`. */
    enum hdf5_as as;
    enum { HDF5_ALL_WRITTEN, HDF5_SOME_WRITTEN, HDF5_NONE_WRITTEN } written;
    uint64_t chunk[HDF5_RANK]; /* shape of a chunk, or 0 */
    bool filtered;             /* Chunks have filters, such as compression. */
    bool has_fill;             /* Data that were never written have a fill value other than 0. */
    double fill;               /* the fill value, or 0 */
};

/* Opens f->path. Relative names of other files refer to the directory of f->path. Returns 0 or
 * -1. */
int hdf5_open(struct hdf5_file *f, struct err *e) MUST_USE;

/* Returns whether an object exists at a path, which may lead through groups and links. Returns -1
 * if the file cannot be read, a link is broken, or f->external is false and a link leads to another
 * file. */
int hdf5_has(const struct hdf5_file *f, const char *path, struct err *e) MUST_USE;
/* Stores the name of the k-th member of a group, and sets *who to a number that identifies the
 * object under all its names. Returns 1 if the member exists, 0 if the group has fewer members, or
 * -1 on an error. */
int hdf5_member(const struct hdf5_file *f, const char *group, uint64_t k, char name[HDF5_WORD],
                uint64_t *who, struct err *e) MUST_USE;

/* Opens a data set with up to HDF5_RANK axes. If rows are read in order, a cache of chunks, limited
 * by f->max_mem, ensures that each chunk is decompressed only once. Returns 0 or -1. */
int hdf5_set(const struct hdf5_file *f, const char *path, struct hdf5_set *s,
             struct err *e) MUST_USE;
/* Returns 1 if the row `row` was written completely, 0 if it was not, or -1 on an error. If `row`
 * is HDF5_ALL, returns 1 only if every row was written. */
int hdf5_written(const struct hdf5_set *s, int64_t row, struct err *e) MUST_USE;

/* Reads numbers of type `as` from `rows` rows, starting at row `row`. If `row` is HDF5_ALL, reads
 * all rows. A row extends over all axes except the first one. The function hdf5_read does not check
 * whether the rows were written. Returns 0 or -1. */
enum { HDF5_ALL = -1 };
int hdf5_read(const struct hdf5_set *s, int64_t row, uint64_t rows, enum hdf5_as as, void *to,
              struct err *e) MUST_USE;

/* Reads the texts in one row of a data set, or in all rows if `row` is HDF5_ALL. Stores in *to an
 * array of *n texts, which are cut after HDF5_WORD - 1 bytes. The caller frees the array. Returns 0
 * or -1. */
int hdf5_texts(const struct hdf5_file *f, const struct hdf5_set *s, int64_t row,
               char (**to)[HDF5_WORD], size_t *n, struct err *e) MUST_USE;
/* Reads the texts of an attribute of the object at `path`. Returns 0, or -1 on an error. If the
 * object has no such attribute, returns 0 and sets *n to 0. If the attribute is not text, returns 1
 * and sets *e. */
int hdf5_attribute(const struct hdf5_file *f, const char *path, const char *attribute,
                   char (**to)[HDF5_WORD], size_t *n, struct err *e) MUST_USE;
/* Reads a numeric attribute into *v. If the object has no such attribute, *v is unchanged. A value
 * of type f32 is replaced by its shortest decimal number. Returns 0 or -1. */
int hdf5_number(const struct hdf5_file *f, const char *path, const char *attribute, double *v,
                struct err *e) MUST_USE;
/* Finds the name and the value of member k of a data set of type HDF5_ENUM. Returns 1 if the member
 * exists, 0 after the last member, or -1 on failure. */
int hdf5_enum(const struct hdf5_set *s, unsigned k, char name[HDF5_WORD], int64_t *value,
              struct err *e) MUST_USE;
