/* SPDX-License-Identifier: MIT */
/*
 * columns_table.h: private to lib/formats. A table that is being read: columns.c has its lines and names,
 * columns_units.c what the columns mean.
 */
#ifndef MBF_COLUMNS_TABLE_H
#define MBF_COLUMNS_TABLE_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/input.h"
#include "base/last_row.h"
#include "formats/columns.h"
#include "formats/lammps_log.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { COLUMNS_UNITS = 16 }; /* of an axis, at most */

struct word {
    const char *s;
    size_t len;
};

struct columns {
    const char *path;
    struct input in;
    char *buf; /* [COLUMNS_LINE + 1]: what was read and not yet used begins at `from` */
    size_t from, have;
    int ended;
    uint64_t line;
    size_t count;
    char (*name)[COLUMNS_NAME];
    struct word word[COLUMNS_MAX]; /* of the line just split */
    XXH3_state_t *hash;            /* of the rows since the last end */
    uint64_t rows;
    struct last_row look;                 /* of all rows */
    uint64_t set_end;                     /* line of the '&' behind the rows, 0: none */
    int untied;                           /* the last one had no newline, and was whole */
    int ours;                             /* bin2txt wrote it, and its end is still to come */
    int held;                             /* word[count] is the first row, not yet handed out */
    char *legend;                         /* last comment or first line of words, NULL: none */
    char (*xvg)[COLUMNS_NAME];            /* [COLUMNS_MAX] names by `@ sK legend`, NULL: none */
    char xvg_time[UNIT_TEXT];             /* unit of its first axis */
    char group[COLUMNS_UNITS][UNIT_TEXT]; /* units of its second axis */
    size_t ngroups;
    struct meta *said; /* what comments and logs say */
    struct lammps_log log;
    struct columns_choice choice;
    int is_log; /* as lammps_log_is has it */
    int torn;   /* the run lacks its end */
};

#ifdef __cplusplus
}
#endif
#endif
