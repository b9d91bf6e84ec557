/* SPDX-License-Identifier: MIT */
/*
 * columns.h: a table of numbers in text: one line a row, columns apart by blanks or by commas.
 *
 * Lines that begin with '#', '@' or '&' are comments. Names come from the last comment before the
 * first row that has as many words as the row (`# step t_ps pxy_bar`, LAMMPS' `# TimeStep v_pxy`;
 * not `## ...`), from a first line of names, as CSV has it, or from `@ s0 legend "Pres-XY"` (xvg of
 * GROMACS; its first column is `time`). A name begins with a letter, and is not nan or inf; a first
 * line of words that are neither names nor numbers is an error, and so are numbers with decimal
 * commas, semicolons between columns, and a second set of rows behind an `&`. Numbers may stand in
 * quotes, and a byte-order mark before the first line. Blanks within a name become '_'. Without names
 * columns are c1, c2, ..., and so is a single column without a name. A unit may stand in a name
 * ("Time[fs]") or as a word behind it. A file may be compressed with gzip or zstd.
 *
 * A control byte, and a last line without its newline that may be cut (base/last_row.h), are
 * errors: both are damage more often than not. So is a `## end ROWS HASH` (table.h) that is not true
 * of the rows before it.
 *
 * A log of LAMMPS is the rows of one run (lammps_log.h), whose end is wanted.
 */
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

#define COLUMNS_NAME 40         /* longest name, with its NUL */
#define COLUMNS_MAX 4096        /* columns of a table at most */
#define COLUMNS_LINE (1u << 20) /* longest line, bytes */

struct columns;

/*
 * Open a file (NULL: stdin) and read up to its first row. NULL with e: cannot be read, no row,
 * names that stand twice, a line that is too long.
 */
struct columns *columns_open(const char *path, struct err *e);
/* How a table is read; zeros: as it is. */
struct columns_choice {
    uint64_t run;      /* of a log: number of the run, from 1; 0: it has one */
    int partial;       /* of a log: the end of the run may be missing */
    const char *style; /* LAMMPS' units, which go before those of the log; NULL: not given */
};
struct columns *columns_open_run(const char *path, const struct columns_choice *choice,
                                 struct err *e);
/* Is it a log of LAMMPS? */
int columns_is_log(const struct columns *c);
size_t columns_count(const struct columns *c);
const char *columns_name(const struct columns *c, size_t k);
/*
 * The column of that name, or of that number, from 1, where no name is alike. -1 with e, which
 * lists the names there are.
 */
long columns_find(const struct columns *c, const char *name, struct err *e);
/* The length of column k's name without its unit, which goes into text ("": neither the name nor the
 * axis of an xvg has one). */
size_t columns_unit(const struct columns *c, size_t k, char text[UNIT_TEXT]);
/* Does column k count steps; does its name say that it is the time? */
bool columns_is_step(const struct columns *c, size_t k);
bool columns_is_time(const struct columns *c, size_t k);
/* The first column that counts steps; -1: there is none. */
long columns_step(const struct columns *c);
/* The column that is known to hold the time, -1: none: time, Time[fs], t_ps, t of md-* --units lj, the
 * first of an xvg, each if its unit is known; Step or Time of a log. *ps: its unit. */
long columns_time(const struct columns *c, double *ps);
/* The unit of column k as a time, ps: that of its name, of the axis or the log; 1 if none is named. -1
 * with e: steps of unknown length, another unit. */
int columns_time_unit(const struct columns *c, size_t k, double *ps, struct err *e);
/* LAMMPS' default time step, if a log sets none, and the units it is of; NaN: it is set, or no log. */
double columns_assumed_step(const struct columns *c, const char **style);
/* What column k of a log is as a flux: "total", "density" or "per-atom"; NULL: not known. */
const char *columns_flux(const struct columns *c, size_t k);
/* Atoms of a log's run, once its rows are read; 0: not known. */
uint64_t columns_natoms(const struct columns *c);
/* What the lines before the rows say, into m: `## sys.KEY VALUE`, `## data.averaged`, the units of a log
 * (sys.units), the unit of all columns of an xvg (data.unit). 0 or -1: memory, or no META. */
int columns_meta(const struct columns *c, struct meta *m);
/*
 * The next row: want[n] columns into v[n]. 1, 0 at the end, -1 with e: another number of columns,
 * something that is no finite number, a file cut short.
 */
int columns_next(struct columns *c, const size_t *want, size_t n, double *v, struct err *e)
    __attribute__((warn_unused_result));
/* At the end: what a user should be warned of, NULL: nothing. A table of bin2txt's that lacks its
 * last line, cut perhaps; a last row without a newline. */
const char *columns_doubt(const struct columns *c);
uint64_t columns_line(const struct columns *c); /* of the row just read, from 1 */
void columns_close(struct columns *c);          /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
