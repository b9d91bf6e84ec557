/* SPDX-License-Identifier: MIT */
/* cli_import.h: reads trajectories of other programs into the caller's arrays, in every format and
 * with every option of traj2bin(1). Several threads may read different inputs at the same time.
 * After fork(), the child process must neither read nor close the inputs of its
 * parent. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

struct cli_import;

/* Opens the files paths[npaths] as one trajectory and reads the first step. The options are a
 * NULL-terminated list of words such as "dt=0.5" and "velocities". The strings of both lists must
 * outlive the reader. The texts `tool` and `args` are stored as provenance in META. Returns NULL
 * with an error message in e if a file or an option cannot be used. */
struct cli_import *cli_import_open(char *const *paths, int npaths, char *const *options,
                                   const char *tool, const char *args, int threads, struct err *e);
void cli_import_close(struct cli_import *x); /* x may be NULL */

/* Returns the metadata (META) of the selected atoms, with the entries that traj2bin writes, such as
 * sys.natoms, sys.species, sys.cell, sys.pbc, sys.dt_ps and data.scalars. META belongs to x. */
const struct meta *cli_import_meta(const struct cli_import *x);

/* Memory that the caller supplies for up to `max` steps. The type of `pos`, `vel` and `scal` is
 * float, or double with the option dtype=f64. In the shapes below, natoms is the value of
 * sys.natoms in the metadata, and C is the number of scalars in data.scalars. */
struct cli_import_steps {
    size_t max;
    void *pos;    /* [max][natoms][3], Å */
    void *vel;    /* [max][natoms][3], Å/ps, or NULL without the option `velocities` */
    void *scal;   /* [max][natoms][C], or NULL if C is 0 */
    double *time; /* [max], in ps, or NaN if unknown */
    double *cell; /* [max][9], rows are the cell vectors in Å, or zeros without a cell */
};
/* Reads the next steps into s. Returns the number of steps, 0 at the end, or -1 after an error. The
 * function cli_import_error returns the error. Steps before an error are returned first. */
long long cli_import_next(struct cli_import *x, const struct cli_import_steps *s);
/* Returns an estimate of the total number of steps, based on the bytes read so far, or 0 if
 * unknown. */
double cli_import_expected(const struct cli_import *x);
const struct err *cli_import_error(const struct cli_import *x);
/* Returns one warning for the user per call, or NULL if there are no new warnings. */
const char *cli_import_warning(struct cli_import *x);

C_LINKAGE_END
