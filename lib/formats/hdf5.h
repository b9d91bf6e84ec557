/* SPDX-License-Identifier: MIT */
/*
 * hdf5.h: private to lib/formats. Reads data sets and attributes of an HDF5 file by their names.
 *
 * libhdf5 is loaded when the first such file is opened. It may crash, and it gives nothing back, so
 * all of this runs in a process of its own (format_process.h), which ends without closing anything.
 *
 * An object is absent only if libhdf5 reports that it is: every function tells "absent" from "could
 * not be read". Errors name the object, then what was expected and what was found: ERR_BAD for
 * damaged or unsupported files, ERR_MACHINE for failed reads and locked files, ERR_MEMORY.
 * Source: HDF5 reference manual, 1.10.
 */
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
    bool external;  /* links to other files and data in other files are followed, else refused */
    int depth;      /* of files in which a virtual data set has its data */
    int64_t id;
};

/* A data set; its first axis counts rows, or frames. All zero: there is none. */
struct hdf5_set {
    char path[HDF5_PATH];
    int64_t id;
    int rank;
    uint64_t shape[HDF5_RANK];
    enum hdf5_kind kind;
    size_t bytes; /* of a number or text */
    enum { HDF5_ALL_WRITTEN, HDF5_SOME_WRITTEN, HDF5_NONE_WRITTEN } written;
    uint64_t chunk[HDF5_RANK]; /* of HDF5_SOME_WRITTEN */
    bool has_fill;             /* the file defines what stands where nothing was written: */
    double fill;               /* this, which is not 0; else 0 */
};

/* Open f->path. Relative names of other files are taken from the folder of this file. 0 or -1. */
int hdf5_open(struct hdf5_file *f, struct err *e) __attribute__((warn_unused_result));

/* Is there an object of this path, over groups and links? 1, 0, or -1: that could not be read, or
 * a link leads nowhere, or to another file without f->external. */
int hdf5_has(const struct hdf5_file *f, const char *path, struct err *e)
    __attribute__((warn_unused_result));
/* The name of the k-th member of a group, and *who, the same number for all names of one object.
 * 1, 0: there is no such member, -1. */
int hdf5_member(const struct hdf5_file *f, const char *group, uint64_t k, char name[HDF5_WORD],
                uint64_t *who, struct err *e) __attribute__((warn_unused_result));

/* Open a data set of 0 to HDF5_RANK axes, with room to keep its chunks, so that reading row after
 * row inflates each chunk once; f->max_mem limits that room. 0 or -1. */
int hdf5_set(const struct hdf5_file *f, const char *path, struct hdf5_set *s, struct err *e)
    __attribute__((warn_unused_result));
/* Was this row, or HDF5_ALL of them, ever written? 1; 0: some of it is not in the file; -1. */
int hdf5_written(const struct hdf5_set *s, int64_t row, struct err *e)
    __attribute__((warn_unused_result));

/* Rows from this one on (all axes but the first), or HDF5_ALL of them, as these. Does not check
 * whether they were written. 0 or -1. */
enum hdf5_as { HDF5_F32, HDF5_F64, HDF5_I64 };
enum { HDF5_ALL = -1 };
int hdf5_read(const struct hdf5_set *s, int64_t row, uint64_t rows, enum hdf5_as as, void *to,
              struct err *e) __attribute__((warn_unused_result));

/* Texts of one row of a set, or of HDF5_ALL: *to is malloc'ed [*n], each cut where longer than
 * HDF5_WORD - 1. 0 or -1. */
int hdf5_texts(const struct hdf5_file *f, const struct hdf5_set *s, int64_t row,
               char (**to)[HDF5_WORD], size_t *n, struct err *e)
    __attribute__((warn_unused_result));
/* The same for an attribute of the object at path. 0, with *n 0 where there is none; 1 with e: it is
 * no text; -1. */
int hdf5_attribute(const struct hdf5_file *f, const char *path, const char *attribute,
                   char (**to)[HDF5_WORD], size_t *n, struct err *e)
    __attribute__((warn_unused_result));
/* A number that is an attribute; *v stays where there is none. f32 is taken as its shortest decimal.
 * 0 or -1. */
int hdf5_number(const struct hdf5_file *f, const char *path, const char *attribute, double *v,
                struct err *e) __attribute__((warn_unused_result));
/* The name and the number of member k of a set of HDF5_ENUM. 1, 0: there is no such member, -1. */
int hdf5_enum(const struct hdf5_set *s, unsigned k, char name[HDF5_WORD], int64_t *value,
              struct err *e) __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
