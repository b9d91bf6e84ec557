/* SPDX-License-Identifier: MIT */
/* lammps_multi.h: converts blocks of lines in a LAMMPS log to rows of a table, for the commands
 * thermo_style multi and thermo_modify line multi. The first line of a block contains the step,
 * such as "------------ Step 10 ----- CPU = 0.0005 (sec) ----------------". The other lines contain
 * values, such as "TotEng = -171.0414 KinEng = 28.5640 Temp = 89.5572". Each block becomes a row of
 * numbers that begins with the step. The names in the first block serve as column names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { MULTI_BYTES = 4096 };

struct lammps_multi {
    char names[MULTI_BYTES], block[MULTI_BYTES]; /* of the first and current block */
    char values[MULTI_BYTES], row[MULTI_BYTES];  /* of the current block, row to return */
    bool open, known;
    bool names_due, row_due, end_due; /* still to be returned */
};

/* Returns true if a block begins at `line`, and sets *step and *len to the text of the step. */
bool lammps_multi_begins(const char *line, size_t n, const char **step, size_t *len);
/* Ends the current block, if any, and begins a block for `step`, or ends the run if `step` is NULL.
 * If the names in the current block differ from the names in the first block, returns -1 with an
 * error message in e, and otherwise 0. */
int lammps_multi_block(struct lammps_multi *m, const char *step, size_t len, struct err *e);
/* Appends the values in a line of the current block to the row of the block, and ignores a line
 * without values. If the row is too long, returns -1 with an error message in e, and otherwise
 * 0. */
int lammps_multi_add(struct lammps_multi *m, const char *line, size_t n, struct err *e);
/* Sets *line and *n to the next line of column names or values, which is valid until the next call
 * of a function for m. Returns the kind of the line (enum log_line), which is LOG_OTHER if no line
 * is ready. */
int lammps_multi_take(struct lammps_multi *m, const char **line, size_t *n);
