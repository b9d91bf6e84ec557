/* SPDX-License-Identifier: MIT */
/* series_table.h: prints any stream as tables of text (table.h), one per segment. series.h converts
 * sums; steps have one row per atom, pair or step. Keys before each table describe its origin. */
#ifndef MBF_SERIES_TABLE_H
#define MBF_SERIES_TABLE_H

#include "base/table.h"
#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

struct series_table {
    /* set by the caller; other fields start as zeros */
    struct table table; /* initialised by table_init */
    bool meta_only;     /* print only the META text of each segment */
    void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* filled by series_table_put */
    uint64_t rows;
    bool velocities; /* the legend has velocities */
    struct err err;
};

/* Prints all segments of r. Returns 0, or -1 and sets err: an error of r, or several tables in a
 * format that allows only one table. */
int series_table_put(struct series_table *o, struct frame_reader *r) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
