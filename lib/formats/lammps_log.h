/* SPDX-License-Identifier: MIT */
/* lammps_log.h: finds the rows of thermodynamic output of one run in a LAMMPS log. The rows of a
 * run are between the line with the column names and the line `Loop time`. The column names are in
 * the line `Step ...`, or in the line after `Per MPI rank memory allocation`. The LAMMPS
 * thermo_style may be `one`, `multi`, `custom` or `yaml`. The units, the time step, and the
 * definitions of computes, fixes and variables are read from the input script, which the log
 * echoes. The cell is the last box that LAMMPS printed before the rows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "formats/lammps_multi.h"

enum log_line { LOG_OTHER, LOG_LEGEND, LOG_ROW, LOG_END };

struct lammps_log {
    uint64_t run;  /* run to read, from 1; 0: the only one */
    uint64_t runs; /* found so far */
    /* The current line is among the rows of the selected run if `in` is set, and after the selected
     * run if `done` is set. */
    int in, done;
    int yaml;       /* rows are YAML lists */
    bool multi;     /* several lines per row */
    bool named;     /* names are next */
    bool aside;     /* warning between rows */
    size_t words;   /* number of columns */
    double step;    /* LAMMPS units, or NaN */
    char style[16]; /* "" if unknown */
    bool given;     /* style given by user */
    /* If `whole` is set, the log contains its own start. If `unsure` is set, the script in the log
     * is truncated. */
    bool whole, unsure;
    /* The setting thermo_modify norm is 1 or 0, or -1 for the default of the style, or -2 if
     * unknown. */
    int norm;
    double cell[9]; /* LAMMPS units, or zeros */
    /* If `ran` is set, the log contains the command `run`. If `moves` is set, a command in the log
     * may change the box. */
    bool ran, moves;
    uint64_t natoms; /* 0: unknown */
    struct log_fact *fact;
    size_t nfacts;
    struct lammps_multi rows;
};

/* Returns 2 if `head` begins a complete LAMMPS log, and 1 if the log begins in the middle of a run,
 * as after the LAMMPS command `log FILE`. Returns 0 if the file is not a LAMMPS log. */
int lammps_log_is(const char *head, size_t len);
/* The number `is` is the result of lammps_log_is. The unit style that the user gives is passed as
 * `style`, which may be NULL. */
void lammps_log_start(struct lammps_log *l, int is, uint64_t run, const char *style);
void lammps_log_free(struct lammps_log *l);
/* Classifies a line of the log. For the results LOG_LEGEND and LOG_ROW, sets *line and *len to the
 * words, which are valid until the next call. For thermo_style multi, the words come from earlier
 * lines. At the end of the file, call lammps_log_line with empty lines while lammps_log_due returns
 * true. If there is a second run but no run was selected, or if the rows contain different
 * quantities, returns -1 with an error message in *e that does not name the file. */
int lammps_log_line(struct lammps_log *l, const char **line, size_t *len, struct err *e);
bool lammps_log_due(const struct lammps_log *l);
/* Returns the time step in ps (or in LJ units for the style `lj`), or NaN if the time step is
 * unknown. If the log sets no time step, the default of LAMMPS is used and also stored in *assumed,
 * in units of the style. If the log sets a time step, *assumed becomes NaN. */
double lammps_log_ps(const struct lammps_log *l, double *assumed);
/* Stores in cell[] the vectors of the last box that LAMMPS printed before the rows, and returns
 * true. The cell vectors are in Å, or in LJ units for the style `lj`, and are accurate to 8 digits.
 * Returns false if the log has no box, does not name its units, does not echo its script, or
 * describes a two-dimensional system. Also returns false if the box can change without being
 * printed, as with fix npt, fix deform or shrink-wrapped boundaries. */
bool lammps_log_cell(const struct lammps_log *l, double cell[9]);
/* Returns the kind of flux in a column such as "c_flux[1]" or "v_Jx". The result is "total",
 * "density" (per volume) or "per-atom", or NULL if the log does not define the column. */
const char *lammps_log_flux(const struct lammps_log *l, const char *column);
