/* SPDX-License-Identifier: MIT */
/* columns_table.h: holds the state of a table while it is read. Private to lib/formats. The file
 * columns.c handles lines and names. The file columns_units.c handles the units and the meanings of
 * columns. */
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "formats/columns.h"
#include "formats/lammps_log.h"
#include "io/final_line.h"
#include "io/input.h"

enum { COLUMNS_UNITS = 16 }; /* maximum units per axis */

struct word {
    const char *s;
    size_t len;
};

struct columns {
    const char *path;
    struct input in;
    char *buf; /* Buffer of COLUMNS_LINE + 1 bytes. The bytes from buf[from] on have not been used
                * yet. */
    size_t from, have;
    int ended;
    uint64_t line;
    size_t count;
    char (*name)[COLUMNS_NAME];
    struct word word[COLUMNS_MAX]; /* words of the last line */
    XXH3_state_t *hash;            /* Hash of all rows since the last end line. */
    uint64_t rows;
    struct final_line look;    /* summary of the form of all rows */
    uint64_t set_end;          /* Number of the line '&' that ends the rows, or 0. */
    int untied;                /* Whether the last row was complete but had no newline. */
    int ours;                  /* Whether bin2txt wrote the table, which must then have an end
                                * line. */
    int held;                  /* Whether word[count] holds the first row, which has not been
                                * returned yet. */
    char *legend;              /* The last comment, or a first line that consists of words, or
                                * NULL. */
    char (*xvg)[COLUMNS_NAME]; /* Names [COLUMNS_MAX] from lines `@ sK legend`, or NULL. */
    char xvg_time[UNIT_TEXT];  /* unit of the first axis */
    char group[COLUMNS_UNITS][UNIT_TEXT]; /* units of the second axis */
    size_t ngroups;
    struct meta *given; /* Metadata (META) found in comments and logs. */
    struct lammps_log log;
    struct columns_choice choice;
    int is_log; /* result of lammps_log_is */
    int torn;   /* whether the end of the run is missing from the log */
};
