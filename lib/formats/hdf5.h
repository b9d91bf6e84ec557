/* SPDX-License-Identifier: MIT */
/*
 * hdf5.h: private to lib/formats. What is in an HDF5 file, by name: data sets and attributes, read
 * by libhdf5, which is loaded with the first such file and by nobody else. Not for several threads.
 *
 * Errors name the data set or group, then what was expected and what was found. Source: HDF5
 * reference manual, 1.10.
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

/* A data set; its first axis is that of rows, or of frames. All zero: there is none. */
struct hdf5_set {
    char path[HDF5_PATH];
    int64_t id;
    int rank;
    uint64_t shape[HDF5_RANK];
    enum hdf5_kind kind;
    size_t bytes; /* of a number */
};

/* The file, or -1 with e: no library, no HDF5, damaged. */
int64_t hdf5_open(const char *path, struct err *e);
/* libhdf5 itself may crash, or never end, on a damaged file: look(ctx) is called in another process
 * first, where it does. 0, whatever look returned, or -1 with e: it did, or there is no library. */
int hdf5_rehearse(void (*look)(void *ctx), void *ctx, struct err *e);
/* Close it, and sets[n] (all zero is allowed). */
void hdf5_close(int64_t file, struct hdf5_set *sets, size_t n);

/* Is there something of this path, group or data set? */
bool hdf5_has(int64_t file, const char *path);
/* The name of the k-th member of a group, "" behind the last; who: the same for all names of one
 * object. 0, or -1: there is no such group. */
int hdf5_member(int64_t file, const char *group, uint64_t k, char name[HDF5_WORD], uint64_t *who);

/* Open a data set of 0 to HDF5_RANK axes. 0 or -1. */
int hdf5_set(int64_t file, const char *path, struct hdf5_set *s, struct err *e)
    __attribute__((warn_unused_result));
/* Room to keep chunks, so that reading row after row inflates each once; need more than max_mem (0:
 * no limit) is an error. 0 or -1. */
int hdf5_keep_chunks(struct hdf5_set *s, int64_t file, size_t max_mem, struct err *e)
    __attribute__((warn_unused_result));

/* One row (all axes but the first; without axes: the number), or all of it, as these. 0 or -1. */
enum hdf5_as { HDF5_F32, HDF5_F64, HDF5_I64 };
enum { HDF5_ALL = -1 };
int hdf5_read(const struct hdf5_set *s, int64_t row, enum hdf5_as as, void *to, struct err *e)
    __attribute__((warn_unused_result));

/* Texts of a set (attribute NULL), or of an attribute of what is at path: malloc'ed [*n], each
 * cut where longer. NULL: none, or no text. */
char (*hdf5_texts(int64_t file, const char *path, const char *attribute, size_t *n))[HDF5_WORD];
/* A number that is an attribute; `none` where there is none. */
double hdf5_number(int64_t file, const char *path, const char *attribute, double none);
/* The name of member k of a set of HDF5_ENUM, its number in *value. 0, or -1: no more members. */
int hdf5_enum(const struct hdf5_set *s, unsigned k, char name[HDF5_WORD], int64_t *value);

#ifdef __cplusplus
}
#endif
#endif
