/* SPDX-License-Identifier: MIT */
/* series_table.h: prints any stream as tables of text (table.h), one per segment. Sums are first
 * converted by series.h. Each step gives one row, or one row per atom or pair. META keys before
 * each table contain the provenance of the data. */
#pragma once

#include "io/table.h"
#include "stats/series.h"

struct series_table {
    /* The caller sets the following fields, and all other fields start as zeros. */
    struct table table; /* initialised by table_init */
    bool meta_only;     /* whether to print only the META text of each segment */
    void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* set by series_table_put */
    uint64_t rows;
    bool velocities; /* whether velocities are printed */
    struct err err;
};

/* Prints all segments of r. Returns 0 on success, or -1 with an error message in err if reading
 * fails or if there are several tables but the format allows only one. */
int series_table_put(struct series_table *o, struct frame_reader *r) FRAME_MUST;
