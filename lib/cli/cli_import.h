/* SPDX-License-Identifier: MIT */
/* cli_import.h: reads trajectories of other programs into arrays of the caller, in every format and
 * with every option of traj2bin(1). Several threads may read different inputs at the same time.
 * After fork(), a child process must neither read nor close an input that its parent opened. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

struct cli_import;

/* Opens the files paths[npaths] as one trajectory and reads the first frame. The options are words
 * such as "dt=0.5" and "velocities", ending with NULL. The paths and options must stay valid as
 * long as the trajectory is read. The texts `tool` and `args` are stored as provenance in META.
 * Returns NULL and sets *e if a file or an option cannot be used. */
struct cli_import *cli_import_open(char *const *paths, int npaths, char *const *options,
                                   const char *tool, const char *args, int threads, struct err *e);
void cli_import_close(struct cli_import *x); /* x may be NULL */

/* Returns the META of the selected atoms, with the entries that traj2bin writes, such as
 * sys.natoms, sys.species, sys.cell, sys.pbc, sys.dt_ps and data.scalars. The META belongs to x. */
const struct meta *cli_import_meta(const struct cli_import *x);

/* Memory of the caller for up to `max` frames. The arrays `pos`, `vel` and `scal` hold floats or,
 * with the option dtype=f64, doubles; `vel` is NULL without the option `velocities`, and `scal` is
 * NULL if C is 0. The number of atoms natoms is sys.natoms in META, and C is the number of scalars
 * in data.scalars. */
struct cli_import_steps {
    size_t max;
    void *pos;    /* [max][natoms][3], Å */
    void *vel;    /* [max][natoms][3], Å/ps, or NULL */
    void *scal;   /* [max][natoms][C] or NULL */
    double *time; /* [max], ps, NaN: unknown */
    double *cell; /* [max][9], cell vectors a, b, c in Å, or zeros without a cell */
};
/* Reads the next frames into s, and returns their number, which is 0 at the end, or -1 after an
 * error. The function cli_import_error returns the last error. Frames before an error are returned
 * by an earlier call. */
long long cli_import_next(struct cli_import *x, const struct cli_import_steps *s);
/* Returns an estimate of the total number of frames from the bytes read so far, or 0 if unknown. */
double cli_import_expected(const struct cli_import *x);
const struct err *cli_import_error(const struct cli_import *x);
/* Returns the next warning for the user, or NULL if there are no new warnings. */
const char *cli_import_warning(struct cli_import *x);

C_LINKAGE_END
