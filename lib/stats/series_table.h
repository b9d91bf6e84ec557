/* SPDX-License-Identifier: MIT */
/* series_table.h: prints any stream as tables of text (table.h), with one table per segment. Sums
 * are normalised (series.h). A step is printed as a single row, or as a row per atom or pair. The
 * META keys that precede each table contain the provenance of the data. */
#pragma once

#include "io/table.h"
#include "stats/series.h"

struct series_table {
    /* The caller sets the members up to `progress`, and the other members to zero. */
    struct table table; /* from table_init */
    bool meta_only;     /* Print only the META of each segment. */
    void (*warn)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    uint64_t rows;
    bool velocities;
    struct err err;
};

/* Prints all segments of r. Returns 0, or -1 with an error message in o->err if reading fails or
 * the format of the table allows only a single table. */
int series_table_put(struct series_table *o, struct frame_reader *r) FRAME_MUST;
