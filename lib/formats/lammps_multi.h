/* SPDX-License-Identifier: MIT */
/* lammps_multi.h: converts blocks of lines in a LAMMPS log to rows of a table. LAMMPS writes such
 * blocks after the command thermo_style multi or thermo_modify line multi. The first line of a
 * block contains the step, such as "------------ Step 10 ----- CPU = 0.0005 (sec)
 * ----------------". The other lines contain values, such as "TotEng = -171.0414 KinEng = 28.5640
 * Temp = 89.5572". Each block becomes a row of numbers that begins with the step. The names in the
 * first block are used as the line with the column names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { MULTI_BYTES = 4096 };

struct lammps_multi {
    char names[MULTI_BYTES], block[MULTI_BYTES]; /* names in the first block and in the current
                                                  * block */
    char values[MULTI_BYTES], row[MULTI_BYTES];  /* values in the current block, and the row that is
                                                  * returned next */
    bool open, known;                            /* whether a block is open, and whether all names
                                                  * are known */
    bool names_due, row_due, end_due;            /* lines that lammps_multi_take will return */
};

/* Returns true if a line is the first line of a block. For the first line of a block, also sets
 * *step and *len to the text of the step. */
bool lammps_multi_begins(const char *line, size_t n, const char **step, size_t *len);
/* Ends the current block, if there is one, and begins a block for this step. If `step` is NULL, the
 * run ends. If the names in the current block differ from the names in the first block, returns -1
 * with an error message in e, and otherwise 0. */
int lammps_multi_block(struct lammps_multi *m, const char *step, size_t len, struct err *e);
/* Appends the values in a line of the current block to its row. Lines without values are ignored.
 * If the row is too long, returns -1 with an error message in e, and otherwise 0. */
int lammps_multi_add(struct lammps_multi *m, const char *line, size_t n, struct err *e);
/* Finds the next line that is due, and sets *line and *n to its text, which is valid until the next
 * call of a function for m. Returns the kind of this line (enum log_line), which is LOG_OTHER if no
 * line is due. */
int lammps_multi_take(struct lammps_multi *m, const char **line, size_t *n);
