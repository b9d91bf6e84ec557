/* SPDX-License-Identifier: MIT */
/*
 * lammps_log.h: which lines of a LAMMPS log are the rows of one run: those between `Step ...` and
 * `Loop time`, of thermo_style one, custom, or thermo_modify line yaml. What is said of units and
 * the time step before them is kept.
 */
#ifndef MBF_LAMMPS_LOG_H
#define MBF_LAMMPS_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum log_line { LOG_OTHER, LOG_LEGEND, LOG_ROW, LOG_END };

struct lammps_log {
    uint64_t run;   /* wanted, from 1; 0: the only one */
    uint64_t runs;  /* begun so far */
    int in, done;   /* between Step and Loop time of the wanted run; behind it */
    int yaml;       /* its rows are a list */
    int multi;      /* in a run whose rows are several lines each */
    double step;    /* time step, in units of the style; NaN: not said */
    char style[16]; /* "real"; "": not said */
};

void lammps_log_start(struct lammps_log *l, uint64_t run);
/* Does a file begin as a log? */
int lammps_log_is(const char *line, size_t len);
/* What a line is; of a LEGEND or ROW *line and *len are cut to its words. -1 with e (without the
 * name of the file): a second run and none was chosen, a style that is not read. */
int lammps_log_line(struct lammps_log *l, const char **line, size_t *len, struct err *e);
/* Time of a step, ps (of units lj in theirs). NaN: not known. */
double lammps_log_ps(const struct lammps_log *l);

#ifdef __cplusplus
}
#endif
#endif
