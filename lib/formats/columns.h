/* SPDX-License-Identifier: MIT */
/* columns.h: reads tables of numbers from text, with one row per line and columns that are
 * separated by blanks or commas. The file may be compressed with gzip or zstd.
 *
 * Lines that begin with '#', '@' or '&' are comments. Column names are read from a comment, from
 * a first line without numbers, or from legends. A comment contains the column names if it is the
 * last comment before the first row and has as many words as the row. Comments with column names
 * are, for example, `# step t_ps pxy_bar`, or `# TimeStep v_pxy` of LAMMPS. Comments that begin
 * with `##` never contain column names. In CSV text, the line before the rows contains the column
 * names. Legends are lines such as `@ s0 legend "Pres-XY"` in GROMACS xvg files. The first column
 * of an xvg file is called `time`. A column name begins with a letter and is neither `nan` nor
 * `inf`. Blanks in a column name become '_'. Columns without a name are called c1, c2, and so on. A
 * unit may be part of a column name, as in "Time[fs]", or follow the name as a word. Numbers may be
 * quoted, and a byte-order mark may precede the first line.
 *
 * A word in the first line that is neither a name nor a number is an error. Decimal commas,
 * semicolons between columns, and a second set of rows after a line `&` are errors. Control bytes
 * are errors, because they usually mean that the file is damaged. A last line without a newline
 * that may be truncated (io/final_line.h) is an error. A line `## end ROWS HASH` (table.h) must
 * contain the number and the hash of the rows before the line. If the file is a LAMMPS log, the
 * rows of one complete run are read (lammps_log.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/unit_names.h"
#include "stream/meta.h"

#define COLUMNS_NAME 40         /* bytes of a name with its NUL */
#define COLUMNS_MAX 4096        /* maximum columns */
#define COLUMNS_LINE (1u << 20) /* maximum bytes of a line */

struct columns;

/* Options for reading a table, where 0 or NULL selects the default. */
struct columns_choice {
    uint64_t run;      /* run of a log, from 1; 0: the only run */
    int partial;       /* accept a run without its end */
    const char *style; /* LAMMPS unit style that replaces the unit style of the log, or NULL. */
};
/* Opens the file `path`, or stdin if `path` is NULL, and reads it up to the first row. Returns NULL
 * and sets *e if the file cannot be read, has no row, repeats a column name, or has a line that is
 * too long. */
struct columns *columns_open(const char *path, const struct columns_choice *choice, struct err *e);
int columns_is_log(const struct columns *c);
size_t columns_count(const struct columns *c);
const char *columns_name(const struct columns *c, size_t k);
/* Returns the index of the column with the given name. If no column has the given name and the name
 * is a number, selects a column by its number, counted from 1. If no column fits, returns -1 and
 * sets *e to a message that lists all names. */
long columns_find(const struct columns *c, const char *name, struct err *e);
/* Returns the length of the name of column k without its unit. The unit from the name or from the
 * axis of an xvg file, or an empty text, is copied to `text`. */
size_t columns_unit(const struct columns *c, size_t k, char text[UNIT_TEXT]);
/* The function columns_is_step returns whether column k contains step numbers, and columns_is_time
 * returns whether the name of column k marks a time. */
bool columns_is_step(const struct columns *c, size_t k);
bool columns_is_time(const struct columns *c, size_t k);
/* Returns the index of the first column that contains step numbers, or -1. */
long columns_step(const struct columns *c);
/* Returns the index of the column that contains the time and sets *ps to the unit of time in ps, or
 * returns -1. The name of a time column is `time`, `Time[fs]`, `t_ps`, or `t` (from md-* --units
 * lj). The first column of an xvg file, and the columns `Step` and `Time` of a log, are also time
 * columns. Except in logs, the unit of a time column must be known. */
long columns_time(const struct columns *c, double *ps);
/* Sets *ps to the time unit of column k in ps, from the name of the column, the axis or the log, or
 * to 1 without a unit. Returns -1 and sets *e if the column contains steps of unknown length, or if
 * its unit is not a unit of time. */
int columns_time_unit(const struct columns *c, size_t k, double *ps, struct err *e);
/* Returns the default time step of LAMMPS and sets *style to the unit style if the log sets no time
 * step, and otherwise returns NaN. */
double columns_assumed_step(const struct columns *c, const char **style);
/* Returns the kind of the flux in column k of a log ("total", "density" or "per-atom"), or NULL. */
const char *columns_flux(const struct columns *c, size_t k);
/* Returns the number of atoms in the run of a log, which is known only after all rows have been
 * read, or 0 if unknown. */
uint64_t columns_natoms(const struct columns *c);
/* Copies metadata from the lines before the rows to the META m. The metadata are `## sys.KEY
 * VALUE`, `## data.averaged`, the units and the cell of a log (sys.units, sys.cell), and the common
 * unit of all columns of an xvg file (data.unit). Returns 0, or -1 if memory runs out or a value is
 * not valid in META. */
int columns_meta(const struct columns *c, struct meta *m);
/* Reads the n columns want[] of the next row into v[]. Returns 1 for a row, 0 at the end, or -1 and
 * sets *e for a wrong number of columns, a word that is not a finite number, or a truncated
 * file. */
int columns_next(struct columns *c, const size_t *want, size_t n, double *v,
                 struct err *e) MUST_USE;
/* Returns a warning for the user after the last row, or NULL. The warning reports that a table of
 * bin2txt has no end line, that the last row has no newline, or that a log ends too early. */
const char *columns_doubt(const struct columns *c);
uint64_t columns_line(const struct columns *c); /* of the last row, from 1 */
void columns_close(struct columns *c);          /* NULL is allowed */
