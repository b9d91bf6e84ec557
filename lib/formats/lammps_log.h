/* SPDX-License-Identifier: MIT */
/*
 * lammps_log.h: which lines of a LAMMPS log are the rows of one run: those between the line of names
 * (`Step ...`, or whatever follows `Per MPI rank memory allocation`) and `Loop time`, of thermo_style
 * one, custom or yaml. What the echoed input script states before them is kept: units, the time step,
 * and what computes, fixes and variables hold.
 */
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
    uint64_t run;       /* wanted, from 1; 0: the only one */
    uint64_t runs;      /* begun so far */
    int in, done;       /* within the rows of the wanted run; behind its end */
    int yaml;           /* its rows are a list */
    int multi;          /* in a run whose rows are several lines each */
    bool named;         /* the next line of words names the columns */
    bool aside;         /* within lines that are no rows */
    size_t words;       /* of the line of names */
    double step;        /* time step, in units of the style; NaN: the log does not set it */
    char style[16];     /* "real"; "": not known */
    bool given;         /* by the user */
    bool whole, unsure; /* it begins with LAMMPS' version; not all of the script is in it */
    int norm;           /* thermo_modify norm: 1 yes, 0 no, -1 the style's default, -2 not known */
    uint64_t natoms;    /* of the wanted run; 0: not known */
    struct log_fact *fact;
    size_t nfacts;
};

/* Does a file that begins with these bytes hold a log? 2: from its start; 1: from the middle of a
 * run of LAMMPS, as `log FILE` opens it; 0: no. */
int lammps_log_is(const char *head, size_t len);
/* is: what lammps_log_is returned. style: units that the user states; NULL: those of the log. */
void lammps_log_start(struct lammps_log *l, int is, uint64_t run, const char *style);
void lammps_log_free(struct lammps_log *l);
/* What a line is; of a LEGEND or ROW *line and *len are cut to its words. -1 with e (without the
 * name of the file): a second run and none was chosen, a style that is not read. */
int lammps_log_line(struct lammps_log *l, const char **line, size_t *len, struct err *e);
/* Time of a step, ps (of units lj in theirs), by the time step that the log sets, or else by LAMMPS'
 * default (*assumed, in units of the style; NaN: it is set). NaN: not known. */
double lammps_log_ps(const struct lammps_log *l, double *assumed);
/* Of a column of fluxes, "c_flux[1]" or "v_Jx": "total", "density" (per volume), "per-atom". NULL:
 * the log does not state it. */
const char *lammps_log_flux(const struct lammps_log *l, const char *column);

#ifdef __cplusplus
}
#endif
#endif
