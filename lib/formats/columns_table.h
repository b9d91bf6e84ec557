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
    char *buf; /* COLUMNS_LINE + 1 bytes, unused from `from` on */
    size_t from, have;
    int ended;
    uint64_t line;
    size_t count;
    char (*name)[COLUMNS_NAME];
    struct word word[COLUMNS_MAX]; /* words of the last line */
    XXH3_state_t *hash;            /* rows since the last end line */
    uint64_t rows;
    struct final_line look;    /* summary of the form of all rows */
    uint64_t set_end;          /* line '&' after the rows, or 0 */
    int untied;                /* the last row has no newline */
    int ours;                  /* written by bin2txt, which writes an end line */
    int held;                  /* word[count] is the first row, not yet returned */
    char *legend;              /* last comment, or a first line of words, or NULL */
    char (*xvg)[COLUMNS_NAME]; /* [COLUMNS_MAX] names from lines `@ sK legend`, or NULL */
    char xvg_time[UNIT_TEXT];  /* unit of the first axis */
    char group[COLUMNS_UNITS][UNIT_TEXT]; /* units of the second axis */
    size_t ngroups;
    struct meta *given; /* META from comments and logs */
    struct lammps_log log;
    struct columns_choice choice;
    int is_log; /* result of lammps_log_is */
    int torn;   /* the log ends too early */
};
