/* SPDX-License-Identifier: MIT */
/* series_table.h: prints any stream as tables of text (table.h), with one table per segment. Sums
 * are first normalised by series.h. Each step gives one row, or one row per atom or pair. The META
 * keys that precede each table contain the provenance of the data. */
#pragma once

#include "io/table.h"
#include "stats/series.h"

struct series_table {
    /* The caller sets the following fields, and initialises all other fields to zero. */
    struct table table; /* table to print to, which table_init has initialised */
    bool meta_only;     /* whether only the META of each segment is printed */
    void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* set by series_table_put */
    uint64_t rows;
    bool velocities; /* whether velocities are printed */
    struct err err;
};

/* Prints all segments of r. If reading fails, or if there are several tables but the format allows
 * only one, returns -1 with an error message in err. Otherwise, returns 0. */
int series_table_put(struct series_table *o, struct frame_reader *r) FRAME_MUST;
