/* SPDX-License-Identifier: MIT */
/* columns_table.h: defines the state of a table that is being read. Private to lib/formats. The
 * file columns.c handles lines and names, and columns_units.c handles units and the meanings of
 * columns. */
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "formats/columns.h"
#include "formats/lammps_log.h"
#include "io/final_line.h"
#include "io/input.h"

enum { COLUMNS_UNITS = 16 }; /* units per axis */

struct word {
    const char *s;
    size_t len;
};

struct columns {
    const char *path;
    struct input in;
    char *buf;         /* COLUMNS_LINE + 1 bytes */
    size_t from, have; /* The bytes buf[from..have) have not been used yet. */
    int ended;
    uint64_t line;
    size_t count;
    char (*name)[COLUMNS_NAME];
    struct word word[COLUMNS_MAX]; /* words of the last line */
    XXH3_state_t *hash;            /* hash of all rows since the last end line */
    uint64_t rows;
    struct final_line look;               /* summary of the form of all rows */
    uint64_t set_end;                     /* line '&' that ends the rows, or 0 */
    int untied;                           /* The last row was complete but had no newline. */
    int ours;                             /* The table is from bin2txt and must have an end line. */
    int held;                             /* word[count] holds the first row, not yet returned. */
    char *legend;                         /* last comment, or a first line of words, or NULL */
    char (*xvg)[COLUMNS_NAME];            /* names from lines `@ sK legend`, or NULL */
    char xvg_time[UNIT_TEXT];             /* unit of the first axis */
    char group[COLUMNS_UNITS][UNIT_TEXT]; /* units of the second axis */
    size_t ngroups;
    struct meta *given; /* of comments and logs */
    struct lammps_log log;
    struct columns_choice choice;
    int is_log; /* result of lammps_log_is */
    int torn;   /* The end of the run is missing from the log. */
};
