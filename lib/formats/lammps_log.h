/* SPDX-License-Identifier: MIT */
/* lammps_log.h: finds the rows of one run in a LAMMPS log. The rows lie between the line of names
 * (`Step ...`, or the line after `Per MPI rank memory allocation`) and `Loop time`. The styles
 * thermo_style one, custom and yaml are read. The units, the time step, and the
 * definitions of computes, fixes and variables are taken from the echoed input script. */
#ifndef MBF_LAMMPS_LOG_H
#define MBF_LAMMPS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum log_line { LOG_OTHER, LOG_LEGEND, LOG_ROW, LOG_END };

struct lammps_log {
    uint64_t run;       /* selected run, from 1; 0: the only run */
    uint64_t runs;      /* number of runs that have begun */
    int in, done;       /* inside the rows of the selected run; after the end of that run */
    int yaml;           /* rows are YAML lists */
    int multi;          /* inside a run with several lines per row */
    bool named;         /* the next line of words holds the column names */
    bool aside;         /* inside lines that are not rows */
    size_t words;       /* number of column names */
    double step;        /* time step, in units of the style; NaN: not in the log */
    char style[16];     /* unit style, "real"; "": unknown */
    bool given;         /* the user gave the style */
    bool whole, unsure; /* the log begins with LAMMPS' version; the script is incomplete */
    int norm;           /* thermo_modify norm: 1 yes, 0 no, -1 default of the style, -2 unknown */
    uint64_t natoms;    /* atoms of the selected run; 0: unknown */
    struct log_fact *fact;
    size_t nfacts;
};

/* Returns 2 if a file that begins with these bytes is a log from its start, 1 if it is a log that
 * starts in the middle, as after the LAMMPS command `log FILE`, or 0 if it is not a log. */
int lammps_log_is(const char *head, size_t len);
/* Initialises l. is: the result of lammps_log_is. style: unit style from the user, or NULL. */
void lammps_log_start(struct lammps_log *l, int is, uint64_t run, const char *style);
void lammps_log_free(struct lammps_log *l);
/* Classifies a line. For LOG_LEGEND and LOG_ROW, *line and *len are narrowed to the words. Returns
 * -1 and sets *e, without the file name, for an unsupported style or for a second run if none was
 * chosen. */
int lammps_log_line(struct lammps_log *l, const char **line, size_t *len, struct err *e);
/* Returns the length of a time step, ps (in LJ units for style lj), or NaN if unknown. If the log
 * sets no time step, LAMMPS' default is used and stored in *assumed, in units of the style;
 * otherwise *assumed is NaN. */
double lammps_log_ps(const struct lammps_log *l, double *assumed);
/* Returns the kind of a flux column such as "c_flux[1]" or "v_Jx": "total", "density" (per volume)
 * or "per-atom"; NULL if the log does not define the column. */
const char *lammps_log_flux(const struct lammps_log *l, const char *column);

#ifdef __cplusplus
}
#endif
#endif
