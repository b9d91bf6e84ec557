/* SPDX-License-Identifier: MIT */
/* cli_import.h: reads trajectories of other programs into the caller's arrays, in every format and
 * with every option of traj2bin(1). Several threads may read different inputs at the same time.
 * After fork(), the child process must neither read nor close an input that its parent opened. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

struct cli_import;

/* Opens the files paths[npaths] as one trajectory and reads the first step. The options are a list
 * of words such as "dt=0.5" and "velocities" that ends with NULL. The strings of both lists must
 * stay valid as long as the reader is used. The texts `tool` and `args` are stored as provenance in
 * META. If a file or an option cannot be used, returns NULL with an error message in e. */
struct cli_import *cli_import_open(char *const *paths, int npaths, char *const *options,
                                   const char *tool, const char *args, int threads, struct err *e);
void cli_import_close(struct cli_import *x); /* x may be NULL */

/* Returns the metadata (META) of the selected atoms, with the entries that traj2bin writes, such as
 * sys.natoms, sys.species, sys.cell, sys.pbc, sys.dt_ps and data.scalars. META belongs to x. */
const struct meta *cli_import_meta(const struct cli_import *x);

/* Memory for up to `max` steps, which the caller supplies. The arrays `pos`, `vel` and `scal` hold
 * numbers of type float or, with the option dtype=f64, double. In the shapes of these arrays,
 * natoms is the value of sys.natoms in the metadata, and C is the number of scalars in
 * data.scalars. */
struct cli_import_steps {
    size_t max;
    void *pos;    /* [max][natoms][3], Å */
    void *vel;    /* velocities in Å/ps, [max][natoms][3], or NULL without the option
                   * `velocities` */
    void *scal;   /* scalars of the atoms, [max][natoms][C], or NULL if C is 0 */
    double *time; /* times of the steps in ps, [max], which are NaN if unknown */
    double *cell; /* cell vectors in Å as the rows of matrices, [max][9], or zeros if there is no
                   * cell */
};
/* Reads the next steps of the trajectory into s. Returns the number of steps, which is 0 at the
 * end, or -1 after an error. The function cli_import_error returns the message of an error. Steps
 * before an error are returned by an earlier call. */
long long cli_import_next(struct cli_import *x, const struct cli_import_steps *s);
/* Returns an estimate of the total number of steps, from the bytes read so far, or 0 if the number
 * is unknown. */
double cli_import_expected(const struct cli_import *x);
const struct err *cli_import_error(const struct cli_import *x);
/* Returns one warning for the user per call, or NULL if there are no new warnings. */
const char *cli_import_warning(struct cli_import *x);

C_LINKAGE_END
