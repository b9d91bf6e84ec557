/* SPDX-License-Identifier: MIT */
/*
 * series_table.h: any stream as tables of text (table.h), one a segment: sums as series.h reads them,
 * steps by a row an atom, a pair or a step, behind the keys that tell how they came about.
 */
#ifndef MBF_SERIES_TABLE_H
#define MBF_SERIES_TABLE_H

#include "base/table.h"
#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

struct series_table {
    /* given, the rest zeros */
    struct table table; /* begun by table_init */
    bool meta_only;     /* the META text of each segment and nothing else */
    void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* filled */
    uint64_t rows;
    bool velocities; /* the legend has them */
    struct err err;
};

/* All segments of r. 0, or -1 with err: r's, or several tables where the format holds one. */
int series_table_put(struct series_table *o, struct frame_reader *r) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
