/* SPDX-License-Identifier: MIT */
/* lammps_log.h: finds the rows of one run in a LAMMPS log. The rows of a run are between the line
 * with the column names and the line `Loop time`. The line with the column names is `Step ...`, or
 * the line after `Per MPI rank memory allocation`. The LAMMPS thermo_style may be `one`, `multi`,
 * `custom` or `yaml`. The units, the time step, and the definitions of computes, fixes and
 * variables are read from the input script, which the log echoes. The cell is the last box that
 * LAMMPS printed before the rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "formats/lammps_multi.h"

enum log_line { LOG_OTHER, LOG_LEGEND, LOG_ROW, LOG_END };

struct lammps_log {
    uint64_t run;       /* Number of the run that is read, counted from 1, or 0 if the log has only
                         * one run. */
    uint64_t runs;      /* Number of runs that have been found so far. */
    int in, done;       /* Whether the current line is among the rows of the selected run (in), or
                         * after this run (done). */
    int yaml;           /* whether the rows are lists in YAML format */
    bool multi;         /* Whether each row of the selected run takes several lines. */
    bool named;         /* Whether the next line of words contains the names of the columns. */
    bool aside;         /* Whether the current line belongs to text between the rows, such as a
                         * warning. */
    size_t words;       /* number of column names */
    double step;        /* Time step in units of the unit style, or NaN if the log does not set
                         * it. */
    char style[16];     /* Unit style such as "real", or an empty text if it is unknown. */
    bool given;         /* whether the user gave the unit style */
    bool whole, unsure; /* whether the log contains its own start, and whether its script is
                         * truncated */
    int norm;           /* value of thermo_modify norm, which is 1 or 0, or -1 for the default
                         * of the unit style, or -2 if unknown */
    double cell[9];     /* Cell vectors of the last box in the log in LAMMPS units, or zeros. */
    bool ran, moves;    /* Whether the log contains a command `run`, and whether the box can change
                         * without being printed. */
    uint64_t natoms;    /* Number of atoms in the selected run, or 0 if unknown. */
    struct log_fact *fact;
    size_t nfacts;
    struct lammps_multi rows; /* blocks of lines in the selected run, if a row takes several
                               * lines */
};

/* Returns 2 if these are the first bytes of a complete LAMMPS log. Returns 1 if the log begins in
 * the middle of a run, as after the LAMMPS command `log FILE`. Returns 0 if the file is not a
 * LAMMPS log. */
int lammps_log_is(const char *head, size_t len);
/* Initialises l. The argument `is` is the result of lammps_log_is. The text `style` is the unit
 * style that the user gives, or NULL. */
void lammps_log_start(struct lammps_log *l, int is, uint64_t run, const char *style);
void lammps_log_free(struct lammps_log *l);
/* Classifies a line. For the results LOG_LEGEND and LOG_ROW, sets *line and *len to the words,
 * which are valid until the next call. For thermo_style multi, the words come from earlier lines.
 * At the end of the file, call this function with empty lines as long as lammps_log_due returns
 * true. If there is a second run but no run was selected, or if the rows contain different
 * quantities, returns -1 with an error message in *e. The error message does not name the file. */
int lammps_log_line(struct lammps_log *l, const char **line, size_t *len, struct err *e);
/* Returns true if lammps_log_line still has to return words of earlier lines. */
bool lammps_log_due(const struct lammps_log *l);
/* Returns the length of a time step in ps (in LJ units for the style `lj`), or NaN if unknown. If
 * the log sets no time step, the default of LAMMPS is used and also stored in *assumed, in units of
 * the style. If the log sets a time step, *assumed becomes NaN. */
double lammps_log_ps(const struct lammps_log *l, double *assumed);
/* Sets cell[] to the vectors of the last box that LAMMPS printed before the rows, and returns true.
 * The cell vectors are in Å, or in LJ units for the style `lj`, and are accurate to 8 digits. If
 * the log has no box, does not name its units, does not echo its script, or describes a
 * two-dimensional system, returns false. If the box can change without being printed, as with fix
 * npt, fix deform or shrink-wrapped boundaries, also returns false. */
bool lammps_log_cell(const struct lammps_log *l, double cell[9]);
/* Returns the kind of flux in a column such as "c_flux[1]" or "v_Jx". The result is "total",
 * "density" (per volume) or "per-atom", or NULL if the log does not define the column. */
const char *lammps_log_flux(const struct lammps_log *l, const char *column);
