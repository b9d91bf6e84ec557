/* SPDX-License-Identifier: MIT */
/* columns.h: reads tables of numbers from text, with one row per line and columns separated by
 * blanks or commas. The file may be compressed with gzip or zstd.
 *
 * Lines that begin with '#', '@' or '&' are comments. Column names come from a comment, a first
 * line or legends. The comment is the last one before the first row that has as many words as the
 * row (`# step t_ps pxy_bar`, LAMMPS' `# TimeStep v_pxy`, but not `## ...`). The first line is a
 * line of names, as in CSV. Legends are lines `@ s0 legend "Pres-XY"` of GROMACS xvg files, whose
 * first column is named `time`. A name begins with a letter and is not nan or inf. Blanks in a name
 * become '_'. Columns without names are called c1, c2, and so on. A unit may be part of a name
 * ("Time[fs]") or follow the name as a word. Numbers may be quoted. A byte-order mark may precede
 * the first line.
 *
 * A first line of words that are neither names nor numbers is an error. Decimal commas, semicolons
 * between columns and a second set of rows after an `&` are errors. Control bytes, and a last line
 * without a newline that may be truncated (base/last_row.h), are errors because they usually mean
 * damage. A line `## end ROWS HASH` (table.h) must match the rows before it. From a LAMMPS log the
 * rows of one run are read; the end of the run is required (lammps_log.h). */
#ifndef MBF_COLUMNS_H
#define MBF_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/unit_names.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COLUMNS_NAME 40         /* maximum length of a name, including its NUL */
#define COLUMNS_MAX 4096        /* maximum number of columns */
#define COLUMNS_LINE (1u << 20) /* maximum bytes of a line */

struct columns;

/* Opens a file (NULL: stdin) and reads up to its first row. Returns NULL and sets *e if the file
 * cannot be read, has no row, repeats a name, or has a line that is too long. */
struct columns *columns_open(const char *path, struct err *e);
/* Options for reading a table; all zeros select the defaults. */
struct columns_choice {
    uint64_t run;      /* run of a log, counted from 1; 0: the only run */
    int partial;       /* accept a run of a log without its end */
    const char *style; /* LAMMPS unit style that overrides that of the log, or NULL */
};
struct columns *columns_open_run(const char *path, const struct columns_choice *choice,
                                 struct err *e);
/* Returns whether the file is a LAMMPS log. */
int columns_is_log(const struct columns *c);
size_t columns_count(const struct columns *c);
const char *columns_name(const struct columns *c, size_t k);
/* Returns the index of the column with this name or, if no name matches, with this number, counted
 * from 1. Returns -1 and sets *e, which lists the names, if there is no such column. */
long columns_find(const struct columns *c, const char *name, struct err *e);
/* Returns the length of column k's name without its unit. The unit, from the name or from the axis
 * of an xvg file, goes into text; "" means that neither states a unit. */
size_t columns_unit(const struct columns *c, size_t k, char text[UNIT_TEXT]);
/* Returns whether column k counts steps, and whether its name marks it as the time. */
bool columns_is_step(const struct columns *c, size_t k);
bool columns_is_time(const struct columns *c, size_t k);
/* Returns the first column that counts steps, or -1. */
long columns_step(const struct columns *c);
/* Returns the column that holds the time and sets *ps to its unit, or returns -1. The column may be
 * time, Time[fs], t_ps, t (md-* --units lj), the first column of an xvg file, or Step or Time of a
 * log. Except in logs, the unit of the column must be known. */
long columns_time(const struct columns *c, double *ps);
/* Sets *ps to the time unit of column k in ps, from its name, the axis or the log, or to 1 if no
 * unit is named. Returns -1 and sets *e for steps of unknown length and for units that are
 * not units of time. */
int columns_time_unit(const struct columns *c, size_t k, double *ps, struct err *e);
/* Returns LAMMPS' default time step for *style if the log sets no time step; otherwise NaN. */
double columns_assumed_step(const struct columns *c, const char **style);
/* Kind of flux in column k of a log: "total", "density", "per-atom", or NULL if unknown. */
const char *columns_flux(const struct columns *c, size_t k);
/* Number of atoms in a log's run, known after its rows are read; 0 if unknown. */
uint64_t columns_natoms(const struct columns *c);
/* Copies into m what the lines before the rows state: `## sys.KEY VALUE`, `## data.averaged`, the
 * units of a log (sys.units), and the common unit of an xvg file (data.unit). Returns 0, or -1 if
 * memory is exhausted or a value is invalid in META. */
int columns_meta(const struct columns *c, struct meta *m);
/* Reads the n columns want[] of the next row into v[]. Returns 1, 0 at the end, or -1 and sets *e
 * for a wrong number of columns, a word that is not a finite number, or a truncated file. */
int columns_next(struct columns *c, const size_t *want, size_t n, double *v, struct err *e)
    __attribute__((warn_unused_result));
/* After the last row: a warning for the user, or NULL. The warning reports a table from
 * bin2txt without its end line, a last row without a newline, or a run without its end. */
const char *columns_doubt(const struct columns *c);
uint64_t columns_line(const struct columns *c); /* line of the last row read, from 1 */
void columns_close(struct columns *c);          /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
